#include "ggufvet/render/byte_map.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "ggufvet/base/text.h"
#include "ggufvet/read/array_reader.h"
#include "ggufvet/read/foreign_format.h"
#include "ggufvet/render/json_text.h"
#include "ggufvet/render/locate.h"
#include "ggufvet/render/message.h"
#include "ggufvet/render/values.h"
#include "ggufvet/types/type_registry.h"

namespace ggufvet {
namespace {

// Keeps the promise that ranges tile the file: every field begins where the one before it ended.
class Tiler {
 public:
  Tiler(const ModelFacts& facts, const ByteMapOptions& options,
        const std::function<void(const ByteField&)>& visit)
      : facts_(facts), file_(facts.file), options_(options), visit_(visit) {}

  void run() {
    header();
    if (file_.stage != ReadStage::header)
      for (std::uint32_t index = 0; index < file_.pairs.size(); ++index) pair(index);
    for (std::uint32_t index = 0; index < file_.tensors.size(); ++index) tensor(index);
    if (file_.complete() && facts_.data_begin) data();
    rest();
  }

 private:
  void emit(std::uint64_t end, std::string path, std::string meaning) {
    end = std::min(end, file_.file_bytes);
    if (end <= at_) return;
    visit_({{at_, end}, std::move(path), std::move(meaning)});
    at_ = end;
  }

  void header() {
    if (file_.stage == ReadStage::header) {
      failed_header();
      return;
    }
    const Header& header = file_.header;
    emit(4, "header.magic", "\"GGUF\"");
    emit(8, "header.version",
         fmt::format("version {}, {}", header.version,
                     header.byte_order == ByteOrder::big ? "big-endian" : "little-endian"));
    emit(16, "header.tensor_count", fmt::format("{} tensors", with_separators(header.tensor_count)));
    emit(24, "header.pair_count", fmt::format("{} metadata pairs", with_separators(header.pair_count)));
  }

  void failed_header() {
    if (file_.stop.reason == StopReason::magic_other) {
      emit(4, "header.magic",
           fmt::format("not GGUF: {}", foreign_name(static_cast<ForeignFormat>(file_.stop.value))));
      return;
    }
    emit(4, "header.magic", "\"GGUF\"");
    emit(8, "header.version", fmt::format("version {}", file_.header.version));
    if (file_.stop.reason == StopReason::version_1 || file_.stop.reason == StopReason::version_unsupported)
      return;
    emit(16, "header.tensor_count", fmt::format("{} tensors", with_separators(file_.header.tensor_count)));
    emit(24, "header.pair_count", fmt::format("{} metadata pairs", with_separators(file_.header.pair_count)));
  }

  void pair(std::uint32_t index) {
    const MetadataPair& pair = file_.pairs[index];
    const std::string path = pair_path(facts_, index);
    emit(pair.key_length_field().end, path + ".key_length",
         fmt::format("{} bytes", with_separators(pair.key.size())));
    emit(pair.key_field().end, path + ".key", '"' + escaped(pair.key) + '"');
    emit(pair.type_field().end, path + ".type", fmt::format("{}: {}", pair.type_id, value_type_text(pair)));
    if (pair.is(ValueType::string)) {
      emit(pair.text_field().begin, path + ".value.length",
           fmt::format("{} bytes", with_separators(pair.text.size())));
      emit(pair.end, path + ".value", value_preview(file_, pair, 80));
    } else if (pair.depth > 0) {
      array(pair, path);
    } else {
      emit(pair.end, path + ".value", value_preview(file_, pair, 80));
    }
  }

  void array(const MetadataPair& pair, const std::string& path) {
    const ValueTypeInfo* const element = find_value_type(pair.depth > 1 ? 9 : pair.element_type_id);
    emit(pair.element_type_field().end, path + ".element_type",
         fmt::format("{}", element != nullptr ? element->name : "unknown"));
    emit(pair.count_field().end, path + ".count", fmt::format("{} elements", with_separators(pair.bits)));
    const std::uint64_t shown =
        options_.elements_max == 0 ? pair.bits : std::min(pair.bits, options_.elements_max);
    if (pair.depth == 1) {
      if (pair.element_type_id == static_cast<std::uint32_t>(ValueType::string))
        strings(pair, path, shown);
      else
        scalars(pair, path, shown);
    }
    if (at_ < pair.end)
      emit(pair.end, path + ".elements",
           pair.depth > 1 ? std::string("nested arrays")
                          : fmt::format("{} more elements", with_separators(pair.bits - shown)));
  }

  void strings(const MetadataPair& pair, const std::string& path, std::uint64_t shown) {
    for_each_string(file_, pair, [&](std::uint64_t index, std::string_view text, ByteRange where) {
      if (index >= shown) return false;
      const std::string element = fmt::format("{}.value[{}]", path, index);
      emit(where.begin, element + ".length", fmt::format("{} bytes", text.size()));
      emit(where.end, element, '"' + escaped(text) + '"');
      return true;
    });
  }

  void scalars(const MetadataPair& pair, const std::string& path, std::uint64_t shown) {
    const std::uint64_t bytes = smallest_value_bytes(pair.element_type_id);
    for (std::uint64_t index = 0; index < shown; ++index)
      emit(pair.elements_field().begin + (index + 1) * bytes, fmt::format("{}.value[{}]", path, index),
           scalar_text(static_cast<ValueType>(pair.element_type_id), array_element_bits(file_, pair, index)));
  }

  void tensor(std::uint32_t index) {
    const TensorEntry& entry = file_.tensors[index];
    const std::string path = fmt::format("tensor[{}]", index);
    emit(entry.name_length_field().end, path + ".name_length",
         fmt::format("{} bytes", with_separators(entry.name.size())));
    emit(entry.name_field().end, path + ".name", '"' + escaped(entry.name) + '"');
    emit(entry.rank_field().end, path + ".rank", fmt::format("{} dimensions", entry.rank));
    for (std::uint32_t axis = 0; axis < entry.rank; ++axis)
      emit(entry.dimension_field(axis).end, fmt::format("{}.shape[{}]", path, axis),
           axis == 0 ? fmt::format("{} (row length)", with_separators(entry.shape[axis]))
                     : with_separators(entry.shape[axis]));
    const TypeInfo* const type = facts_.tensors[index].type;
    emit(entry.type_field().end, path + ".type",
         fmt::format("{}: {}", entry.type_id, type != nullptr ? type->name : "not known"));
    emit(entry.offset_field().end, path + ".offset",
         fmt::format("{} from the start of the data", with_separators(entry.offset)));
  }

  // Tensors in order of their place. Where two overlap, the second is listed from the end of the first on.
  void data() {
    emit(*facts_.data_begin, "padding", fmt::format("to a multiple of {}", *facts_.alignment));
    std::vector<std::uint32_t> order(file_.tensors.size());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(), [this](std::uint32_t a, std::uint32_t b) {
      return file_.tensors[a].offset < file_.tensors[b].offset;
    });
    for (const std::uint32_t index : order) {
      const ByteRange range = facts_.data_range(index);
      if (range.end <= at_) continue;
      if (range.begin > at_) between(range.begin);
      const bool cut = range.end > file_.file_bytes;
      emit(
          range.end, fmt::format("tensor[{}].data", index),
          fmt::format("\"{}\", {} of {}{}", escaped(file_.tensors[index].name),
                      facts_.tensors[index].type->name, human_bytes(range.size()), cut ? ", cut short" : ""));
    }
    if (facts_.extent_known)
      emit(facts_.data_end_padded, "padding", fmt::format("to a multiple of {}", *facts_.alignment));
  }

  void between(std::uint64_t end) {
    const bool is_padding = facts_.extent_known && end - at_ < *facts_.alignment;
    emit(end, is_padding ? "padding" : "gap",
         is_padding ? fmt::format("to a multiple of {}", *facts_.alignment)
                    : "bytes that no known tensor covers");
  }

  void rest() {
    if (at_ >= file_.file_bytes) return;
    if (!file_.complete())
      emit(file_.file_bytes, "unread", "the reader stopped here; `ggufvet check` says why");
    else
      emit(file_.file_bytes, facts_.extent_known ? "tail" : "data",
           facts_.extent_known ? "bytes after the last tensor" : "data whose layout is not known");
  }

  const ModelFacts& facts_;
  const FileModel& file_;
  const ByteMapOptions& options_;
  const std::function<void(const ByteField&)>& visit_;
  std::uint64_t at_ = 0;
};

constexpr std::size_t kRawShownMax = 8;

[[nodiscard]] std::string raw_text(ByteSource& source, ByteRange range) {
  std::array<std::byte, kRawShownMax> raw{};
  const auto shown = static_cast<std::size_t>(std::min<std::uint64_t>(range.size(), raw.size()));
  if (!source.read(range.begin, std::span(raw).first(shown))) return "unreadable";
  std::string text;
  for (std::size_t index = 0; index < shown; ++index)
    text += fmt::format("{}{:02x}", index == 0 ? "" : " ", static_cast<unsigned>(raw[index]));
  if (range.size() > shown) text += " …";
  return text;
}

}  // namespace

void for_each_byte_field(const ModelFacts& facts, const ByteMapOptions& options,
                         const std::function<void(const ByteField&)>& visit) {
  Tiler(facts, options, visit).run();
}

void bytes_text(ByteSource& source, const Vetted& vetted, const ByteMapOptions& options,
                const TextStyle& style, const std::function<void(std::string_view)>& write) {
  constexpr std::size_t kOffsetColumns = 12, kBytesColumns = 10, kRawColumns = 25, kPathColumns = 44;
  const auto line = [&](std::string_view offset, std::string_view bytes, std::string_view raw,
                        std::string_view path, std::string_view meaning) {
    const std::string text = fmt::format("{}  {}  {}  {}  {}", padded_right(offset, kOffsetColumns),
                                         padded_left(bytes, kBytesColumns), padded_right(raw, kRawColumns),
                                         padded_right(path, kPathColumns), meaning);
    write(fitted(text, style.width) + "\n");
  };
  line("offset", "bytes", "raw", "field", "meaning");
  for_each_byte_field(vetted.facts, options, [&](const ByteField& field) {
    line(fmt::format("{:#010x}", field.range.begin), with_separators(field.range.size()),
         raw_text(source, field.range), field.path, field.meaning);
  });
}

void bytes_json(std::string_view path, ByteSource& source, const Vetted& vetted,
                const ByteMapOptions& options, std::string_view tool_version,
                const std::function<void(std::string_view)>& write) {
  Json head{{"schema", "ggufvet.bytes/1"},
            {"tool", {{"name", "ggufvet"}, {"version", std::string(tool_version)}}},
            {"path", std::string(path)},
            {"bytes", vetted.file.file_bytes}};
  std::string text = dumped(head);
  text.pop_back();
  write(text + ",\"fields\":[");
  bool first = true;
  for_each_byte_field(vetted.facts, options, [&](const ByteField& field) {
    const Json element{{"begin", field.range.begin},
                       {"end", field.range.end},
                       {"path", field.path},
                       {"raw", raw_text(source, field.range)},
                       {"meaning", field.meaning}};
    write((first ? "\n" : ",\n") + dumped(element));
    first = false;
  });
  write("\n]}\n");
}

}  // namespace ggufvet
