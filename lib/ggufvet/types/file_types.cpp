#include "ggufvet/types/file_types.h"

#include <algorithm>
#include <iterator>

#include "ggufvet/types/type_registry.h"

namespace ggufvet {
namespace {

namespace rows {

using enum DialectId;
using enum TypeStatus;

constexpr FileType kRows[] = {
#include "ggufvet/types/file_type_rows.inc"
};

}  // namespace rows

using rows::kRows;

constexpr bool before(const FileType& a, const FileType& b) {
  return a.dialect != b.dialect ? a.dialect < b.dialect : a.value < b.value;
}

consteval bool rows_are_sound() {
  for (std::size_t index = 0; index < std::size(kRows); ++index) {
    if (kRows[index].name.empty()) return false;
    if (index != 0 && !before(kRows[index - 1], kRows[index])) return false;
  }
  return true;
}
static_assert(rows_are_sound(), "rows out of order, a value twice in a dialect, or an empty name");

consteval bool names_differ() {
  for (std::size_t later = 1; later < std::size(kRows); ++later)
    for (std::size_t index = 0; index < later; ++index)
      if (kRows[index].dialect == kRows[later].dialect && kRows[index].name == kRows[later].name)
        return false;
  return true;
}
static_assert(names_differ());

// Sorted by value, dialects in their order within one.
constexpr auto kByValue = [] {
  std::array<const FileType*, std::size(kRows)> all{};
  for (std::size_t index = 0; index < all.size(); ++index) all[index] = &kRows[index];
  std::ranges::sort(all, [](const FileType* a, const FileType* b) {
    return a->value != b->value ? a->value < b->value : a->dialect < b->dialect;
  });
  return all;
}();

const FileType* find_own(DialectId dialect, std::uint32_t value) {
  const FileType key{.dialect = dialect, .value = value};
  const auto* found = std::ranges::lower_bound(kRows, key, before);
  return found != std::end(kRows) && found->dialect == dialect && found->value == value ? found : nullptr;
}

// Whether every main type of `row` is known to `reader` under the same name and with the same bytes.
bool speaks_of(DialectId reader, const FileType& row) {
  return std::ranges::all_of(row.main_type_names(), [&](std::string_view name) {
    const TypeInfo* there = find_type(row.dialect, name);
    const TypeInfo* here = find_type(reader, name);
    return there != nullptr && here != nullptr && there->layout == here->layout;
  });
}

const TypeLayout* layout_of(DialectId dialect, std::string_view name) {
  const TypeInfo* type = find_type(dialect, name);
  return type != nullptr ? type->layout : nullptr;
}

}  // namespace

std::span<const FileType> file_types() { return kRows; }

const FileType* find_file_type(DialectId reader, std::uint32_t value) {
  if (static_cast<std::size_t>(reader) >= dialects().size()) return nullptr;
  if (const FileType* own = find_own(reader, value)) return own;
  const Dialect& heir = dialect(reader);
  if (heir.inherited[0].empty()) return nullptr;
  const FileType* row = find_file_type(heir.parent, value);
  return row != nullptr && speaks_of(reader, *row) ? row : nullptr;
}

std::span<const FileType* const> file_type_claims_of(std::uint32_t value) {
  const auto begin = std::ranges::lower_bound(kByValue, value, {}, &FileType::value);
  const auto end = std::ranges::upper_bound(kByValue, value, {}, &FileType::value);
  return {begin, end};
}

bool file_types_agree(const FileType& a, const FileType& b) {
  return a.name == b.name &&
         std::ranges::equal(a.main_type_names(), b.main_type_names(),
                            [&](std::string_view name_a, std::string_view name_b) {
                              return layout_of(a.dialect, name_a) == layout_of(b.dialect, name_b);
                            });
}

bool is_conflicting_file_type(std::uint32_t value) {
  const auto claims = file_type_claims_of(value);
  return std::ranges::any_of(
      claims, [&](const FileType* claim) { return !file_types_agree(*claims.front(), *claim); });
}

}  // namespace ggufvet
