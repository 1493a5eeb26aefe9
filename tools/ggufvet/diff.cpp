// diff: what two models say differently: metadata, tensors, data; and apart from that, how they are laid out.
#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "ggufvet/base/text.h"
#include "ggufvet/read/array_reader.h"
#include "ggufvet/render/message.h"
#include "ggufvet/render/values.h"
#include "models.h"
#include "output.h"
#include "scanning.h"

namespace ggufvet::tool {
namespace {

using Json = nlohmann::ordered_json;

struct Change {
  enum class Kind : std::uint8_t { added, removed, changed } kind{};
  std::string name;
  std::string before, after;  // in words
  std::vector<std::string> details;
};

struct Differences {
  std::vector<Change> metadata;
  std::vector<Change> tensors;
  std::vector<std::string> layout;  // order, alignment, version, byte order, padding: no word about the model
  std::uint64_t same_keys = 0, same_tensors = 0;

  [[nodiscard]] bool any() const { return !metadata.empty() || !tensors.empty(); }
};

constexpr std::size_t kDetailsMax = 3;
constexpr std::size_t kPreviewCharacters = 60;

// ---- Metadata

struct PairPlace {
  const FileModel* file = nullptr;
  const MetadataPair* pair = nullptr;
};

[[nodiscard]] std::span<const std::byte> value_bytes(const PairPlace& place) {
  const ByteRange range = place.pair->value_field();
  return place.file->window.subspan(static_cast<std::size_t>(range.begin), static_cast<std::size_t>(range.size()));
}

[[nodiscard]] std::vector<std::string_view> strings_of(const PairPlace& place) {
  std::vector<std::string_view> strings;
  for_each_string(*place.file, *place.pair, [&](std::uint64_t, std::string_view text, ByteRange) {
    strings.push_back(text);
    return true;
  });
  return strings;
}

[[nodiscard]] bool is_string_array(const MetadataPair& pair) {
  return pair.depth == 1 && pair.element_type_id == static_cast<std::uint32_t>(ValueType::string);
}

// Elements of two arrays of one type, compared whatever byte order they are stored in.
struct ArrayDifference {
  std::uint64_t different = 0;
  std::vector<std::string> first;

  void note(std::uint64_t index, const std::string& before, const std::string& after) {
    if (different++ < kDetailsMax) first.push_back(fmt::format("[{}] {} -> {}", index, before, after));
  }
};

[[nodiscard]] ArrayDifference compare_arrays(const PairPlace& a, const PairPlace& b) {
  ArrayDifference difference;
  if (is_string_array(*a.pair)) {
    const auto of_a = strings_of(a), of_b = strings_of(b);
    for (std::size_t index = 0; index < std::min(of_a.size(), of_b.size()); ++index)
      if (of_a[index] != of_b[index])
        difference.note(index, '"' + escaped(of_a[index], 40) + '"', '"' + escaped(of_b[index], 40) + '"');
    return difference;
  }
  const auto type = static_cast<ValueType>(a.pair->element_type_id);
  for (std::uint64_t index = 0; index < std::min(a.pair->bits, b.pair->bits); ++index) {
    const std::uint64_t of_a = array_element_bits(*a.file, *a.pair, index);
    const std::uint64_t of_b = array_element_bits(*b.file, *b.pair, index);
    if (of_a != of_b) difference.note(index, scalar_text(type, of_a), scalar_text(type, of_b));
  }
  return difference;
}

[[nodiscard]] std::string value_words(const PairPlace& place) {
  return fmt::format("{} ({})", value_preview(*place.file, *place.pair, kPreviewCharacters), value_type_text(*place.pair));
}

[[nodiscard]] bool same_bytes(std::span<const std::byte> a, std::span<const std::byte> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

// False when they are the same value.
[[nodiscard]] bool compare_values(const PairPlace& a, const PairPlace& b, Change& change) {
  const bool same_type = a.pair->type_id == b.pair->type_id && a.pair->depth == b.pair->depth &&
                         a.pair->element_type_id == b.pair->element_type_id;
  change = {Change::Kind::changed, std::string(a.pair->key), value_words(a), value_words(b), {}};
  if (!same_type) return true;
  const bool same_order = a.file->header.byte_order == b.file->header.byte_order;
  if (same_order && same_bytes(value_bytes(a), value_bytes(b))) return false;
  if (a.pair->is(ValueType::string)) return a.pair->text != b.pair->text;
  if (a.pair->depth == 0) return a.pair->bits != b.pair->bits;
  if (a.pair->depth > 1) return true;
  const ArrayDifference difference = compare_arrays(a, b);
  if (difference.different == 0 && a.pair->bits == b.pair->bits) return false;
  if (a.pair->bits != b.pair->bits)
    change.details.push_back(fmt::format("{} elements -> {}", with_separators(a.pair->bits), with_separators(b.pair->bits)));
  change.details.push_back(fmt::format("{} of the first {} elements differ", with_separators(difference.different),
                                       with_separators(std::min(a.pair->bits, b.pair->bits))));
  change.details.insert(change.details.end(), difference.first.begin(), difference.first.end());
  return true;
}

// Keys that say how a file is laid out or cut, not what the model is.
[[nodiscard]] bool is_layout_key(std::string_view key) { return key == kAlignmentKey || key.starts_with("split."); }

using PairsByKey = std::map<std::string_view, PairPlace>;

[[nodiscard]] PairsByKey pairs_of(const OpenModel& model) {
  PairsByKey pairs;
  const FileModel& file = model.shards.front().vetted->file;
  for (const MetadataPair& pair : file.pairs) pairs.emplace(pair.key, PairPlace{&file, &pair});
  return pairs;
}

void add_metadata(const PairsByKey& a, const PairsByKey& b, Differences& out) {
  const auto keep = [&out](Change change) {
    if (!is_layout_key(change.name)) return out.metadata.push_back(std::move(change));
    out.layout.push_back(fmt::format("{}: {} -> {}", change.name, change.before.empty() ? "absent" : change.before,
                                     change.after.empty() ? "absent" : change.after));
  };
  for (const auto& [key, place] : a) {
    const auto found = b.find(key);
    Change change;
    if (found == b.end())
      keep({Change::Kind::removed, std::string(key), value_words(place), {}, {}});
    else if (compare_values(place, found->second, change))
      keep(std::move(change));
    else
      ++out.same_keys;
  }
  for (const auto& [key, place] : b)
    if (!a.contains(key)) keep({Change::Kind::added, std::string(key), {}, value_words(place), {}});
}

// ---- Tensors

struct TensorPlace {
  const Shard* shard = nullptr;
  std::uint32_t index = 0;

  [[nodiscard]] const TensorEntry& entry() const { return shard->vetted->file.tensors[index]; }
  [[nodiscard]] ByteRange data() const { return shard->vetted->facts.data_range(index); }
};

[[nodiscard]] std::map<std::string_view, TensorPlace> tensors_of(const OpenModel& model) {
  std::map<std::string_view, TensorPlace> tensors;
  for (const Shard& shard : model.shards)
    for (std::uint32_t index = 0; index < shard.vetted->file.tensors.size(); ++index)
      tensors[shard.vetted->file.tensors[index].name] = {&shard, index};
  return tensors;
}

[[nodiscard]] std::string tensor_words(const TensorPlace& place) {
  std::string words(place.shard->vetted->facts.tensors[place.index].type->name);
  words += " [";
  for (std::uint32_t axis = 0; axis < place.entry().rank; ++axis)
    words += fmt::format("{}{}", axis == 0 ? "" : ", ", place.entry().shape[axis]);
  return words + "]";
}

class DataComparer {
 public:
  DataComparer(std::uint64_t total, ProgressSink& progress)
      : total_(total), progress_(progress), room_a_(new std::byte[kPieceBytes]), room_b_(new std::byte[kPieceBytes]) {}

  // Where the data differ first, relative to their beginning; equal sizes. False when reading failed.
  [[nodiscard]] bool compare(const TensorPlace& a, const TensorPlace& b, std::optional<std::uint64_t>& first,
                             std::string& problem) {
    const ByteRange data_a = a.data(), data_b = b.data();
    for (std::uint64_t at = 0; at < data_a.size() && !first; at += kPieceBytes) {
      const auto bytes = static_cast<std::size_t>(std::min<std::uint64_t>(kPieceBytes, data_a.size() - at));
      const auto of_a = a.shard->source->view(data_a.begin + at, std::span(room_a_.get(), bytes));
      const auto of_b = b.shard->source->view(data_b.begin + at, std::span(room_b_.get(), bytes));
      if (!of_a || !of_b || interrupted()) {
        problem = !of_a ? words_of(of_a.error()) : !of_b ? words_of(of_b.error()) : "interrupted";
        return false;
      }
      const auto differ = std::mismatch(of_a->begin(), of_a->end(), of_b->begin());
      if (differ.first != of_a->end()) first = at + static_cast<std::uint64_t>(differ.first - of_a->begin());
      a.shard->source->release({data_a.begin + at, data_a.begin + at + bytes});
      b.shard->source->release({data_b.begin + at, data_b.begin + at + bytes});
    }
    done_ += data_a.size();
    progress_.advanced(done_, total_);
    return true;
  }

 private:
  static constexpr std::size_t kPieceBytes = 1 << 20;
  std::uint64_t total_, done_ = 0;
  ProgressSink& progress_;
  std::unique_ptr<std::byte[]> room_a_, room_b_;
};

[[nodiscard]] bool compare_tensors(const TensorPlace& a, const TensorPlace& b, DataComparer& comparer, Differences& out,
                                   std::string& problem) {
  Change change{Change::Kind::changed, std::string(a.entry().name), tensor_words(a), tensor_words(b), {}};
  const bool same_type = a.shard->vetted->facts.tensors[a.index].type->layout == b.shard->vetted->facts.tensors[b.index].type->layout;
  if (!same_type) change.details.push_back("another type");
  if (a.entry().shape != b.entry().shape) change.details.push_back("another shape");
  if (same_type && a.data().size() == b.data().size()) {
    std::optional<std::uint64_t> first;
    if (!comparer.compare(a, b, first, problem)) return false;
    if (first) change.details.push_back(fmt::format("other data, from byte {} of {} on", *first, a.data().size()));
  }
  if (change.details.empty())
    ++out.same_tensors;
  else
    out.tensors.push_back(std::move(change));
  return true;
}

[[nodiscard]] bool add_tensors(const OpenModel& a, const OpenModel& b, ProgressSink& progress, Differences& out,
                               std::string& problem) {
  const auto of_a = tensors_of(a), of_b = tensors_of(b);
  DataComparer comparer(a.data_bytes(), progress);
  for (const auto& [name, place] : of_a) {
    const auto found = of_b.find(name);
    if (found == of_b.end())
      out.tensors.push_back({Change::Kind::removed, std::string(name), tensor_words(place), {}, {}});
    else if (!compare_tensors(place, found->second, comparer, out, problem))
      return false;
  }
  for (const auto& [name, place] : of_b)
    if (!of_a.contains(name))
      out.tensors.push_back({Change::Kind::added, std::string(name), {}, tensor_words(place), {}});
  return true;
}

// ---- Layout

// Whether what both have comes in the same order.
template <class Names>
[[nodiscard]] bool same_order(const Names& a, const Names& b) {
  std::map<std::string_view, std::size_t> place;
  for (std::size_t index = 0; index < b.size(); ++index) place.emplace(b[index], index);
  std::size_t last = 0;
  for (const std::string_view name : a) {
    const auto found = place.find(name);
    if (found == place.end()) continue;
    if (found->second < last) return false;
    last = found->second;
  }
  return true;
}

void add_layout(const OpenModel& a, const OpenModel& b, Differences& out) {
  const FileModel& file_a = a.shards.front().vetted->file;
  const FileModel& file_b = b.shards.front().vetted->file;
  if (file_a.header.version != file_b.header.version)
    out.layout.push_back(fmt::format("version: {} -> {}", file_a.header.version, file_b.header.version));
  if (file_a.header.byte_order != file_b.header.byte_order) out.layout.push_back("byte order: they differ");
  if (a.shards.size() != b.shards.size())
    out.layout.push_back(fmt::format("files: {} -> {}", a.shards.size(), b.shards.size()));
  std::vector<std::string_view> keys_a, keys_b, names_a, names_b;
  for (const MetadataPair& pair : file_a.pairs) keys_a.push_back(pair.key);
  for (const MetadataPair& pair : file_b.pairs) keys_b.push_back(pair.key);
  for (const Shard& shard : a.shards)
    for (const TensorEntry& entry : shard.vetted->file.tensors) names_a.push_back(entry.name);
  for (const Shard& shard : b.shards)
    for (const TensorEntry& entry : shard.vetted->file.tensors) names_b.push_back(entry.name);
  if (!same_order(keys_a, keys_b)) out.layout.push_back("metadata: another order");
  if (!same_order(names_a, names_b)) out.layout.push_back("tensors: another order");
}

// ---- Words

[[nodiscard]] std::string_view kind_word(Change::Kind kind) {
  constexpr std::array<std::string_view, 3> kWords{"added", "removed", "changed"};
  return kWords[static_cast<std::size_t>(kind)];
}

void write_changes(Output& output, const std::vector<Change>& changes, std::string_view title, const TextStyle& style) {
  if (changes.empty()) return;
  output.write(inked(title, Ink::bold, style) + "\n");
  for (const Change& change : changes) {
    const Ink ink = change.kind == Change::Kind::added ? Ink::green : change.kind == Change::Kind::removed ? Ink::red : Ink::yellow;
    std::string line = fmt::format("  {} {}: ", inked(padded_right(kind_word(change.kind), 7), ink, style), escaped(change.name, 120));
    line += change.before;
    if (change.kind == Change::Kind::changed && change.before != change.after) line += " -> ";
    if (change.before != change.after) line += change.after;
    output.write(line + "\n");
    for (const std::string& detail : change.details) output.write("          " + detail + "\n");
  }
}

void write_text(Output& output, const Differences& differences) {
  const TextStyle style = output.style();
  write_changes(output, differences.metadata, "metadata", style);
  write_changes(output, differences.tensors, "tensors", style);
  if (!differences.layout.empty()) {
    output.write(inked("layout", Ink::bold, style) + "\n");
    for (const std::string& line : differences.layout) output.write("  " + escaped(line, 400) + "\n");
  }
  output.write(fmt::format("{}: {} keys and {} tensors are the same\n", differences.any() ? "different" : "same",
                           with_separators(differences.same_keys), with_separators(differences.same_tensors)));
}

[[nodiscard]] Json json_changes(const std::vector<Change>& changes) {
  Json list = Json::array();
  for (const Change& change : changes) {
    Json row{{"name", change.name}, {"change", kind_word(change.kind)}};
    if (change.kind != Change::Kind::added) row["before"] = change.before;
    if (change.kind != Change::Kind::removed) row["after"] = change.after;
    if (!change.details.empty()) row["details"] = change.details;
    list.push_back(std::move(row));
  }
  return list;
}

void write_json(Output& output, const DiffOptions& options, const Differences& differences) {
  const Json json{{"schema", "ggufvet.diff/1"},
                  {"tool", {{"name", "ggufvet"}, {"version", GGUFVET_VERSION}}},
                  {"a", options.a},
                  {"b", options.b},
                  {"same", !differences.any()},
                  {"metadata", json_changes(differences.metadata)},
                  {"tensors", json_changes(differences.tensors)},
                  {"layout", differences.layout},
                  {"same_keys", differences.same_keys},
                  {"same_tensors", differences.same_tensors}};
  output.write(json.dump(1, ' ', true, Json::error_handler_t::replace) + '\n');
}

}  // namespace

int run_diff(const DiffOptions& options) {
  static_cast<void>(interrupt_flag());
  const OpenModel a = open_model(options.a, options.vet);
  if (!a.ok()) return world_error(a.problem);
  const OpenModel b = open_model(options.b, options.vet);
  if (!b.ok()) return world_error(b.problem);
  Output output(options.output);
  if (!output.ok()) return world_error(output.problem());
  Differences differences;
  std::string problem;
  add_metadata(pairs_of(a), pairs_of(b), differences);
  {
    ProgressBar progress(options.b);
    if (!add_tensors(a, b, progress, differences, problem)) return world_error(problem);
  }
  add_layout(a, b, differences);
  if (!verify_sources(a, problem) || !verify_sources(b, problem)) return world_error(problem);
  if (options.format == "json")
    write_json(output, options, differences);
  else
    write_text(output, differences);
  if (!output.finish()) return world_error(output.problem());
  return differences.any() ? kExitRejected : kExitAccepted;
}

}  // namespace ggufvet::tool
