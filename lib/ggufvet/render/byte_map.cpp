#include "ggufvet/render/byte_map.h"

#include <algorithm>
#include <array>
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
  void emit(std::uint64_t end, std::string_view group, std::string_view field, std::string meaning) {
    end = std::min(end, file_.file_bytes);
    if (end <= at_) return;
    visit_({{at_, end},
            std::string(group),
            fmt::format("{}.{}", group, field),
            std::string(field),
            std::move(meaning)});
    at_ = end;
  }

  // Behind the directory a field is its own path.
  void emit_data(std::uint64_t end, std::string path, std::string meaning, std::string_view group = "data") {
    end = std::min(end, file_.file_bytes);
    if (end <= at_) return;
    visit_({{at_, end}, std::string(group), path, path, std::move(meaning)});
    at_ = end;
  }

  void header() {
    if (file_.stage == ReadStage::header) {
      failed_header();
      return;
    }
    const Header& header = file_.header;
    emit(4, "header", "magic", "\"GGUF\"");
    emit(8, "header", "version",
         fmt::format("version {}, {}", header.version,
                     header.byte_order == ByteOrder::big ? "big-endian" : "little-endian"));
    emit(16, "header", "tensor_count", counted(header.tensor_count, "tensor", "tensors"));
    emit(24, "header", "pair_count", counted(header.pair_count, "metadata pair", "metadata pairs"));
  }

  void failed_header() {
    if (file_.stop.reason == StopReason::magic_other) {
      emit(4, "header", "magic",
           fmt::format("not GGUF: {}", foreign_name(static_cast<ForeignFormat>(file_.stop.value))));
      return;
    }
    emit(4, "header", "magic", "\"GGUF\"");
    emit(8, "header", "version", fmt::format("version {}", file_.header.version));
    if (file_.stop.reason == StopReason::version_1 || file_.stop.reason == StopReason::version_unsupported)
      return;
    emit(16, "header", "tensor_count", counted(file_.header.tensor_count, "tensor", "tensors"));
    emit(24, "header", "pair_count", counted(file_.header.pair_count, "metadata pair", "metadata pairs"));
  }

  void pair(std::uint32_t index) {
    const MetadataPair& pair = file_.pairs[index];
    const std::string path = pair_path(facts_, index);
    emit(pair.key_length_field().end, path, "key_length", counted(pair.key.size(), "byte", "bytes"));
    emit(pair.key_field().end, path, "key", '"' + escaped(pair.key) + '"');
    emit(pair.type_field().end, path, "type", fmt::format("{}: {}", pair.type_id, value_type_text(pair)));
    if (pair.is(ValueType::string)) {
      emit(pair.text_field().begin, path, "value.length", counted(pair.text.size(), "byte", "bytes"));
      emit(pair.end, path, "value", value_preview(file_, pair, 80));
    } else if (pair.depth > 0) {
      array(pair, path);
    } else {
      emit(pair.end, path, "value", value_preview(file_, pair, 80));
    }
  }

  void array(const MetadataPair& pair, const std::string& path) {
    const ValueTypeInfo* const element = find_value_type(pair.depth > 1 ? 9 : pair.element_type_id);
    emit(pair.element_type_field().end, path, "element_type",
         fmt::format("{}", element != nullptr ? element->name : "unknown"));
    emit(pair.count_field().end, path, "count", counted(pair.bits, "element", "elements"));
    const std::uint64_t shown =
        options_.elements_max == 0 ? pair.bits : std::min(pair.bits, options_.elements_max);
    if (pair.depth == 1) {
      if (pair.element_type_id == static_cast<std::uint32_t>(ValueType::string))
        strings(pair, path, shown);
      else
        scalars(pair, path, shown);
    }
    if (at_ < pair.end)
      emit(pair.end, path, "elements",
           pair.depth > 1 ? std::string("nested arrays")
                          : counted(pair.bits - shown, "more element", "more elements"));
  }

  void strings(const MetadataPair& pair, const std::string& path, std::uint64_t shown) {
    for_each_string(file_, pair, [&](std::uint64_t index, std::string_view text, ByteRange where) {
      if (index >= shown) return false;
      const std::string element = fmt::format("value[{}]", index);
      emit(where.begin, path, element + ".length", counted(text.size(), "byte", "bytes"));
      emit(where.end, path, element, '"' + escaped(text) + '"');
      return true;
    });
  }

  void scalars(const MetadataPair& pair, const std::string& path, std::uint64_t shown) {
    const std::uint64_t bytes = smallest_value_bytes(pair.element_type_id);
    for (std::uint64_t index = 0; index < shown; ++index)
      emit(pair.elements_field().begin + (index + 1) * bytes, path, fmt::format("value[{}]", index),
           scalar_text(static_cast<ValueType>(pair.element_type_id), array_element_bits(file_, pair, index)));
  }

  void tensor(std::uint32_t index) {
    const TensorEntry& entry = file_.tensors[index];
    const std::string path = fmt::format("tensor[{}]", index);
    emit(entry.name_length_field().end, path, "name_length", counted(entry.name.size(), "byte", "bytes"));
    emit(entry.name_field().end, path, "name", '"' + escaped(entry.name) + '"');
    emit(entry.rank_field().end, path, "rank", counted(entry.rank, "dimension", "dimensions"));
    for (std::uint32_t axis = 0; axis < entry.rank; ++axis)
      emit(entry.dimension_field(axis).end, path, fmt::format("shape[{}]", axis),
           axis == 0 ? fmt::format("{} (row length)", with_separators(entry.shape[axis]))
                     : with_separators(entry.shape[axis]));
    const TypeInfo* const type = facts_.tensors[index].type;
    emit(entry.type_field().end, path, "type",
         fmt::format("{}: {}", entry.type_id, type != nullptr ? type->name : "not known"));
    emit(entry.offset_field().end, path, "offset",
         fmt::format("{} from the start of the data", with_separators(entry.offset)));
  }

  // Tensors in order of their place. Where two overlap, the second is listed from the end of the first on.
  void data() {
    emit_data(*facts_.data_begin, "padding", fmt::format("to a multiple of {}", *facts_.alignment));
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
      emit_data(
          range.end, fmt::format("tensor[{}].data", index),
          fmt::format("\"{}\", {} of {}{}", escaped(file_.tensors[index].name),
                      facts_.tensors[index].type->name, human_bytes(range.size()), cut ? ", cut short" : ""));
    }
    if (facts_.extent_known)
      emit_data(facts_.data_end_padded, "padding", fmt::format("to a multiple of {}", *facts_.alignment));
  }

  void between(std::uint64_t end) {
    const bool is_padding = facts_.extent_known && end - at_ < *facts_.alignment;
    emit_data(end, is_padding ? "padding" : "gap",
              is_padding ? fmt::format("to a multiple of {}", *facts_.alignment)
                         : "bytes that no known tensor covers");
  }

  void rest() {
    if (at_ >= file_.file_bytes) return;
    if (!file_.complete())
      emit_data(file_.file_bytes, "unread", "the reader stopped here; `ggufvet check` says why", "not read");
    else
      emit_data(file_.file_bytes, facts_.extent_known ? "tail" : "data",
                facts_.extent_known ? "bytes after the last tensor" : "data whose layout is not known");
  }

  const ModelFacts& facts_;
  const FileModel& file_;
  const ByteMapOptions& options_;
  const std::function<void(const ByteField&)>& visit_;
  std::uint64_t at_ = 0;
};

constexpr std::size_t kRawShownMax = 8;

[[nodiscard]] std::string raw_text(ByteSource& source, ByteRange range, std::size_t bytes_max) {
  std::array<std::byte, kRawShownMax> raw{};
  const auto shown = static_cast<std::size_t>(std::min<std::uint64_t>(range.size(), bytes_max));
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

namespace {

// Columns of the table. On a narrow terminal fewer raw bytes are shown, so that the meaning keeps its place.
struct Columns {
  explicit Columns(const TextStyle& style) : is_narrow(style.width != 0 && style.width < kWideColumns) {}

  static constexpr std::size_t kWideColumns = 110;
  static constexpr std::size_t offset = 10, field = 18;
  bool is_narrow;

  [[nodiscard]] std::size_t bytes() const { return is_narrow ? 7 : 13; }
  [[nodiscard]] std::size_t raw() const { return raw_bytes() * 3 + 1; }
  [[nodiscard]] std::size_t raw_bytes() const { return is_narrow ? 4 : kRawShownMax; }

  [[nodiscard]] std::string line(std::string_view offset_text, std::string_view bytes_text_,
                                 std::string_view raw_text_, std::string_view field_text,
                                 std::string_view meaning) const {
    return fmt::format("  {}  {}  {}  {}  {}", padded_right(offset_text, offset),
                       padded_left(bytes_text_, bytes()), padded_right(raw_text_, raw()),
                       padded_right(field_text, field), meaning);
  }
};

}  // namespace

void bytes_text(ByteSource& source, const Vetted& vetted, const ByteMapOptions& options,
                const TextStyle& style, const std::function<void(std::string_view)>& write) {
  const Columns columns(style);
  write(inked(fitted(columns.line("offset", "bytes", "raw", "field", "meaning"), style.width), Ink::dim,
              style) +
        "\n");
  std::string group;
  for_each_byte_field(vetted.facts, options, [&](const ByteField& field) {
    if (field.group != group) {
      group = field.group;
      write(inked(fitted(group, style.width), Ink::bold, style) + "\n");
    }
    const std::string line =
        columns.line(fmt::format("{:#010x}", field.range.begin), with_separators(field.range.size()),
                     raw_text(source, field.range, columns.raw_bytes()), field.field, field.meaning);
    write(fitted(line, style.width) + "\n");
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
                       {"raw", raw_text(source, field.range, kRawShownMax)},
                       {"meaning", field.meaning}};
    write((first ? "\n" : ",\n") + dumped(element));
    first = false;
  });
  write("\n]}\n");
}

}  // namespace ggufvet
