#include "ggufvet/rules/dialect_facts.h"

#include <algorithm>

#include "ggufvet/base/assert.h"
#include "ggufvet/base/checked.h"
#include "ggufvet/rules/model_facts.h"
#include "ggufvet/types/type_registry.h"

namespace ggufvet {
namespace {

using Layouts = std::vector<const TypeLayout*>;  // one for each of DialectFacts::used

// The layouts a dialect gives to the ids of the file; empty when it does not know one of them, or its size.
[[nodiscard]] Layouts layouts_in(DialectId dialect_id, const std::vector<DialectFacts::UsedId>& used) {
  Layouts layouts;
  layouts.reserve(used.size());
  for (const DialectFacts::UsedId& entry : used) {
    const TypeInfo* const type = find_type(dialect_id, entry.id);
    if (type == nullptr || !is_current(*type, dialect_id) || !type->layout->known()) return {};
    layouts.push_back(type->layout);
  }
  return layouts;
}

// The bytes of a tensor when the headers before its rows were left out.
[[nodiscard]] std::optional<std::uint64_t> bytes_without_headers(const TypeLayout& layout,
                                                                 const std::array<std::uint64_t, 4>& shape) {
  TypeLayout bare = layout;
  bare.row_header_bytes = 0;
  return tensor_bytes(bare, shape);
}

[[nodiscard]] std::size_t index_of(const std::vector<DialectFacts::UsedId>& used, std::uint32_t id) {
  const auto place = std::lower_bound(
      used.begin(), used.end(), id,
      [](const DialectFacts::UsedId& entry, std::uint32_t wanted) { return entry.id < wanted; });
  return static_cast<std::size_t>(place - used.begin());
}

// Walks the running sum; stops at the first offset that does not fit.
[[nodiscard]] bool fits(const FileModel& file, std::uint64_t alignment, std::uint64_t data_begin,
                        const std::vector<DialectFacts::UsedId>& used, const Layouts& layouts,
                        bool with_headers) {
  std::uint64_t sum = 0;
  std::uint64_t end = 0;
  for (const TensorEntry& tensor : file.tensors) {
    if (tensor.offset != sum) return false;
    const TypeLayout& layout = *layouts[index_of(used, tensor.type_id)];
    const auto bytes =
        with_headers ? tensor_bytes(layout, tensor.shape) : bytes_without_headers(layout, tensor.shape);
    if (!bytes) return false;
    const auto unpadded = checked_add(sum, *bytes);
    const auto padded = unpadded ? pad_to_multiple(*unpadded, alignment) : std::nullopt;
    if (!padded || *padded > kSignedMax) return false;
    end = *unpadded;
    sum = *padded;
  }
  // Some writers leave the last padding out.
  if (file.file_bytes < data_begin) return false;
  const std::uint64_t present = file.file_bytes - data_begin;
  return end <= present && present <= sum;
}

[[nodiscard]] bool has_row_headers(const Layouts& layouts) {
  return std::any_of(layouts.begin(), layouts.end(),
                     [](const TypeLayout* layout) { return layout->row_header_bytes > 0; });
}

// The tensor the question is about: one whose id mainline does not have, or else the first that dialects
// dispute.
[[nodiscard]] std::optional<std::uint32_t> contested_tensor(const std::vector<DialectFacts::UsedId>& used) {
  std::optional<std::uint32_t> unknown;
  std::optional<std::uint32_t> disputed;
  for (const DialectFacts::UsedId& entry : used) {
    const TypeInfo* const type = find_type(DialectId::ggml, entry.id);
    const bool known = type != nullptr && is_current(*type, DialectId::ggml);
    if (!known && (!unknown || entry.first_tensor < *unknown)) unknown = entry.first_tensor;
    if (is_conflicting(entry.id) && (!disputed || entry.first_tensor < *disputed))
      disputed = entry.first_tensor;
  }
  return unknown ? unknown : disputed;
}

}  // namespace

std::uint32_t DialectFacts::exact_count() const {
  return static_cast<std::uint32_t>(
      std::count_if(readings.begin(), readings.end(),
                    [](const Reading& reading) { return reading.fit == ReadingFit::exact; }));
}

const Reading* DialectFacts::first_with(ReadingFit fit) const {
  for (const Reading& reading : readings)
    if (reading.fit == fit) return &reading;
  return nullptr;
}

bool is_current(const TypeInfo& type, DialectId dialect_id) {
  return type.status != TypeStatus::retired || dialect(dialect_id).status != DialectStatus::current;
}

std::vector<DialectFacts::UsedId> used_ids(const FileModel& file) {
  std::vector<DialectFacts::UsedId> used;
  std::size_t last = 0;  // neighbours mostly share their type
  for (std::uint32_t index = 0; index < file.tensors.size(); ++index) {
    const std::uint32_t id = file.tensors[index].type_id;
    if (last < used.size() && used[last].id == id) {
      ++used[last].tensor_count;
      continue;
    }
    last = index_of(used, id);
    if (last < used.size() && used[last].id == id)
      ++used[last].tensor_count;
    else if (used.size() < kUsedIdsMax)
      used.insert(used.begin() + static_cast<std::ptrdiff_t>(last), {id, index, 1});
  }
  return used;
}

void ask_dialects(const FileModel& file, std::uint64_t alignment, std::uint64_t data_begin,
                  DialectFacts& facts) {
  if (facts.used.size() >= kUsedIdsMax) return;
  GGUFVET_ASSERT(dialects().size() <= kDialectsMax);
  facts.asked = true;
  facts.contested_tensor = contested_tensor(facts.used);
  std::vector<Layouts> seen;
  for (std::size_t index = 0; index < dialects().size(); ++index) {
    const auto id = static_cast<DialectId>(index);
    Layouts layouts = layouts_in(id, facts.used);
    if (layouts.empty()) continue;
    const auto same = std::find(seen.begin(), seen.end(), layouts);
    if (same != seen.end()) {
      facts.readings[static_cast<std::size_t>(same - seen.begin())].dialects.set(index);
      continue;
    }
    Reading reading{id, {}, ReadingFit::no};
    reading.dialects.set(index);
    if (fits(file, alignment, data_begin, facts.used, layouts, true))
      reading.fit = ReadingFit::exact;
    else if (has_row_headers(layouts) && fits(file, alignment, data_begin, facts.used, layouts, false))
      reading.fit = ReadingFit::rows_short;
    facts.readings.push_back(reading);
    seen.push_back(std::move(layouts));
  }
}

}  // namespace ggufvet
