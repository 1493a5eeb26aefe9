#include "ggufvet/render/show.h"

#include <algorithm>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "ggufvet/base/checked.h"
#include "ggufvet/base/text.h"
#include "ggufvet/render/locate.h"
#include "ggufvet/render/message.h"
#include "ggufvet/render/text_report.h"
#include "ggufvet/render/values.h"
#include "ggufvet/rules/rule_table.h"
#include "ggufvet/types/file_types.h"
#include "ggufvet/types/type_registry.h"

namespace ggufvet {
namespace {

constexpr std::size_t kNameShownMax = 96;

[[nodiscard]] std::uint64_t elements_of(const TensorEntry& entry) {
  return entry.shape[0] * entry.shape[1] * entry.shape[2] * entry.shape[3];
}

// A sum over tensors of a hostile file may not wrap around to something that looks small.
[[nodiscard]] std::uint64_t saturated_sum(std::uint64_t a, std::uint64_t b) {
  return checked_add(a, b).value_or(std::numeric_limits<std::uint64_t>::max());
}

[[nodiscard]] bool is_sized(const TensorFacts& facts) { return facts.size_problem == SizeProblem::none; }

[[nodiscard]] std::string shape_text(const TensorEntry& entry) {
  std::string out = "[";
  for (std::uint32_t axis = 0; axis < entry.rank; ++axis)
    out += fmt::format("{}{}", axis == 0 ? "" : ", ", entry.shape[axis]);
  return out + "]";
}

[[nodiscard]] std::string type_name(const TensorEntry& entry, const TensorFacts& facts) {
  return facts.type != nullptr ? std::string(facts.type->name) : fmt::format("type {}", entry.type_id);
}

void append_metadata(std::string& out, const FileModel& file, const ShowOptions& options,
                     const TextStyle& style) {
  out += inked("metadata", Ink::bold, style) + "\n";
  const std::size_t characters = options.full ? std::numeric_limits<std::size_t>::max() : 72;
  for (const MetadataPair& pair : file.pairs) {
    const std::string line = fmt::format("  {} = {}  ({})", escaped(pair.key, kNameShownMax),
                                         value_preview(file, pair, characters), value_type_text(pair));
    out += fitted(line, options.full ? 0 : style.width) + "\n";
  }
}

struct TensorColumns {
  std::size_t name = 4, type = 4, shape = 5;
};

[[nodiscard]] TensorColumns measure(const ModelFacts& facts, std::size_t shown) {
  TensorColumns columns;
  for (std::size_t index = 0; index < shown; ++index) {
    const TensorEntry& entry = facts.file.tensors[index];
    columns.name = std::max(columns.name, columns_of(escaped(entry.name, kNameShownMax)));
    columns.type = std::max(columns.type, type_name(entry, facts.tensors[index]).size());
    columns.shape = std::max(columns.shape, shape_text(entry).size());
  }
  return columns;
}

void append_tensors(std::string& out, const ModelFacts& facts, const ShowOptions& options,
                    const TextStyle& style) {
  constexpr std::size_t kTensorsShownMax = 1000;
  const std::size_t count = facts.file.tensors.size();
  const std::size_t shown = options.full ? count : std::min(count, kTensorsShownMax);
  const TensorColumns columns = measure(facts, shown);
  out += inked("tensors", Ink::bold, style) + "\n";
  for (std::size_t index = 0; index < shown; ++index) {
    const TensorEntry& entry = facts.file.tensors[index];
    const TensorFacts& tensor = facts.tensors[index];
    const std::string line = fmt::format(
        "  {}  {}  {}  {}", padded_right(escaped(entry.name, kNameShownMax), columns.name),
        padded_right(type_name(entry, tensor), columns.type), padded_right(shape_text(entry), columns.shape),
        is_sized(tensor) ? human_bytes(tensor.bytes) : "size not known");
    out += fitted(line, options.full ? 0 : style.width) + "\n";
  }
  if (shown < count) out += fmt::format("  … {} more (--full lists all)\n", with_separators(count - shown));
}

void append_types(std::string& out, const ModelFacts& facts, const TextStyle& style) {
  const std::vector<TypeShare> shares = type_shares(facts);
  std::uint64_t total = 0;
  std::uint64_t elements = 0;
  for (const TypeShare& share : shares) {
    total = saturated_sum(total, share.bytes);
    elements = saturated_sum(elements, share.elements);
  }
  out += inked("types", Ink::bold, style) + "\n";
  std::size_t name_columns = 8;
  for (const TypeShare& share : shares) name_columns = std::max(name_columns, share.name.size());
  for (const TypeShare& share : shares) {
    const double percent =
        total == 0 ? 0.0 : 100.0 * static_cast<double>(share.bytes) / static_cast<double>(total);
    const std::string line =
        fmt::format("  {}  {}  {}  {:5.1f} %", padded_right(share.name, name_columns),
                    padded_left(counted(share.tensors, "tensor ", "tensors"), 15),
                    padded_left(share.is_sized ? human_bytes(share.bytes) : "size not known", 14), percent);
    out += fitted(line, style.width) + "\n";
  }
  out += fmt::format("  {} in {}\n", counted(elements, "element", "elements"), human_bytes(total));
}

[[nodiscard]] std::string find_text(const FileModel& file, std::string_view key) {
  const MetadataPair* const pair = find_pair(file, key);
  return pair != nullptr && pair->is(ValueType::string) ? escaped(pair->text) : std::string{};
}

}  // namespace

std::vector<TypeShare> type_shares(const ModelFacts& facts) {
  std::map<std::uint32_t, TypeShare> by_id;
  for (std::size_t index = 0; index < facts.tensors.size(); ++index) {
    const TensorEntry& entry = facts.file.tensors[index];
    TypeShare& share = by_id[entry.type_id];
    share.type_id = entry.type_id;
    ++share.tensors;
    if (!is_sized(facts.tensors[index])) {
      share.is_sized = false;
      continue;
    }
    share.elements = saturated_sum(share.elements, elements_of(entry));
    share.bytes = saturated_sum(share.bytes, facts.tensors[index].bytes);
  }
  std::vector<TypeShare> shares;
  for (auto& [id, share] : by_id) {
    const TypeInfo* const info = find_type(facts.dialect, id);
    share.name = info != nullptr ? std::string(info->name) : fmt::format("type {}", id);
    shares.push_back(std::move(share));
  }
  std::stable_sort(shares.begin(), shares.end(),
                   [](const TypeShare& a, const TypeShare& b) { return a.bytes > b.bytes; });
  return shares;
}

std::string file_type_text(const ModelFacts& facts) {
  const MetadataPair* const pair = find_pair(facts.file, "general.file_type");
  if (pair == nullptr || !pair->is(ValueType::u32)) return {};
  const auto value = static_cast<std::uint32_t>(pair->bits);
  const FileType* const type = find_file_type(facts.dialect, value);
  std::string text = fmt::format("{} {}", value, type != nullptr ? type->name : "(not known)");
  for (const FileType* const claim : file_type_claims_of(value)) {
    if (type != nullptr && (claim->dialect == type->dialect || file_types_agree(*claim, *type))) continue;
    text += fmt::format("; {} in {}", claim->name, dialect(claim->dialect).slug);
  }
  return text;
}

std::string show_text(std::string_view path, const Vetted& vetted, const ShowOptions& options,
                      const TextStyle& style) {
  const FileModel& file = vetted.file;
  std::string out = fmt::format("{}: {}\n", escaped(path, 4096), text_summary(file));
  out += fmt::format("  vetted: {} ({})\n",
                     inked(verdict_name(vetted.report.verdict), ink_of(vetted.report.verdict), style),
                     counts_text(vetted.report.counts));
  if (const Rule* const rule = find_stop_rule(file.stop.reason)) {
    const Finding stop{.rule = rule->id,
                       .severity = Severity::error,
                       .where = file.stop.where,
                       .related = {},
                       .args = {file.stop.value, file.stop.allowed, 0, 0}};
    append_wrapped(out, "read up to here only: " + message_of(stop, *rule, vetted.facts), style.width, 2, 4);
  }
  if (const std::string name = find_text(file, "general.name"); !name.empty())
    append_wrapped(out, "name: " + name, style.width, 2, 4);
  if (const std::string architecture = find_text(file, "general.architecture"); !architecture.empty())
    append_wrapped(out, "architecture: " + architecture, style.width, 2, 4);
  if (const std::string file_type = file_type_text(vetted.facts); !file_type.empty())
    append_wrapped(out, "file type: " + file_type, style.width, 2, 4);
  if (options.metadata && !file.pairs.empty()) append_metadata(out, file, options, style);
  if (options.tensors && !file.tensors.empty()) append_tensors(out, vetted.facts, options, style);
  if (!file.tensors.empty()) append_types(out, vetted.facts, style);
  return out;
}

}  // namespace ggufvet
