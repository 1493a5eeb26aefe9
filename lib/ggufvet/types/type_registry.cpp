// The tables behind the lookups. Rows are written by people in dialect_rows.inc and type_rows_*.inc; from
// them the compiler builds what a lookup walks (rows with their layouts, each dialect's view, claims by id,
// aliases by layout) and refuses rows that contradict one another.
#include "ggufvet/types/type_registry.h"

#include <algorithm>
#include <iterator>
#include <limits>

#include "ggufvet/base/assert.h"
#include "ggufvet/types/type_layouts.h"

namespace ggufvet {
namespace {

// ---- Rows, as people write them ----

struct TypeRow {
  DialectId dialect{};
  std::uint32_t id = 0;
  std::string_view name{};
  TypeStatus status = TypeStatus::active;
  std::string_view layout{};
  bool storable = true;
  SeenInFile seen = SeenInFile::unknown;
  std::string_view note{};
};

constexpr Dialect kDialects[] = {
#include "ggufvet/types/dialect_rows.inc"
};

namespace rows {

using enum DialectId;
using enum TypeStatus;
using enum SeenInFile;

constexpr TypeRow kMainline[] = {
#include "ggufvet/types/type_rows_mainline.inc"
};
constexpr TypeRow kIkLlama[] = {
#include "ggufvet/types/type_rows_ik_llama.inc"
};
constexpr TypeRow kBitnet[] = {
#include "ggufvet/types/type_rows_bitnet.inc"
};
constexpr TypeRow kPrism[] = {
#include "ggufvet/types/type_rows_prism.inc"
};
constexpr TypeRow kTurbo[] = {
#include "ggufvet/types/type_rows_turbo.inc"
};
constexpr TypeRow kOthers[] = {
#include "ggufvet/types/type_rows_others.inc"
};

}  // namespace rows

constexpr std::span<const TypeRow> kFamilies[] = {rows::kMainline, rows::kIkLlama, rows::kBitnet,
                                                  rows::kPrism,    rows::kTurbo,   rows::kOthers};

constexpr std::size_t kDialectCount = std::size(kDialects);
constexpr std::size_t kTypeCount = [] {
  std::size_t count = 0;
  for (const auto family : kFamilies) count += family.size();
  return count;
}();

constexpr std::size_t index_of(DialectId id) { return static_cast<std::size_t>(id); }

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

constexpr bool same_name(std::string_view a, std::string_view b) {
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) { return lower(x) == lower(y); });
}

// ---- Dialects ----

consteval bool dialects_are_sound() {
  for (std::size_t index = 0; index < kDialectCount; ++index) {
    const Dialect& row = kDialects[index];
    if (index_of(row.id) != index) return false;
    if (row.slug.empty() || row.title.empty() || row.source.empty()) return false;
    // A parent stands before its heirs, so inheritance cannot run in a circle.
    if (!row.inherited[0].empty() && index_of(row.parent) >= index) return false;
    if (row.status == DialectStatus::historical && row.span.empty()) return false;
  }
  return true;
}
static_assert(dialects_are_sound());

// A slug or alias means one dialect.
consteval bool slugs_differ() {
  for (std::size_t later = 1; later < kDialectCount; ++later)
    for (std::size_t index = 0; index < later; ++index) {
      const Dialect& a = kDialects[index];
      const Dialect& b = kDialects[later];
      if (same_name(a.slug, b.slug) || same_name(a.slug, b.alias) || same_name(a.alias, b.slug)) return false;
      if (!a.alias.empty() && same_name(a.alias, b.alias)) return false;
    }
  return true;
}
static_assert(slugs_differ());

// ---- Types ----

consteval bool layouts_exist() {
  for (const auto family : kFamilies)
    for (const TypeRow& row : family)
      if (layout_table::place_of(row.layout) == layout_table::kLayoutCount) return false;
  return true;
}
static_assert(layouts_exist());

// Families are read in the order of the files; the table is in the order of dialects.
constexpr std::array<TypeInfo, kTypeCount> kTypes = [] {
  std::array<TypeInfo, kTypeCount> all{};
  std::array<std::size_t, kDialectCount + 1> next{};
  for (const auto family : kFamilies)
    for (const TypeRow& row : family) ++next[index_of(row.dialect) + 1];
  for (std::size_t index = 0; index < kDialectCount; ++index) next[index + 1] += next[index];
  for (const auto family : kFamilies)
    for (const TypeRow& row : family)
      all[next[index_of(row.dialect)]++] = {
          .dialect = row.dialect,
          .id = row.id,
          .name = row.name,
          .status = row.status,
          .layout = &layout_table::kLayouts[layout_table::place_of(row.layout)],
          .storable = row.storable,
          .note = row.note,
          .seen_in_file = row.seen};
  return all;
}();

// Where each dialect's own rows begin in kTypes; one more entry ends the last.
constexpr std::array<std::uint16_t, kDialectCount + 1> kOwnBegin = [] {
  std::array<std::uint16_t, kDialectCount + 1> begin{};
  for (const TypeInfo& row : kTypes) ++begin[index_of(row.dialect) + 1];
  for (std::size_t index = 0; index < kDialectCount; ++index)
    begin[index + 1] = static_cast<std::uint16_t>(begin[index + 1] + begin[index]);
  return begin;
}();

constexpr std::uint32_t kIdMax = [] {
  std::uint32_t maximum = 0;
  for (const TypeInfo& row : kTypes) maximum = std::max(maximum, row.id);
  return maximum;
}();
static_assert(kIdMax < 1024, "tables are indexed by id: a far larger one asks for another way");
static_assert(kTypeCount < std::numeric_limits<std::uint16_t>::max());

consteval bool types_are_sound() {
  for (std::size_t index = 0; index < kTypeCount; ++index) {
    const TypeInfo& row = kTypes[index];
    if (row.name.empty()) return false;
    const bool first = index == kOwnBegin[index_of(row.dialect)];
    if (!first && kTypes[index - 1].id >= row.id) return false;  // ids ascend within a dialect
    if (!row.storable && row.seen_in_file == SeenInFile::tools_write) return false;
  }
  return true;
}
static_assert(types_are_sound(), "an empty name, ids out of order, or a status that contradicts another");

// Mainline's ids are indices: that is what makes its lookup one comparison.
constexpr std::size_t kMainlineCount = kOwnBegin[1];
consteval bool mainline_is_dense() {
  for (std::size_t index = 0; index < kMainlineCount; ++index)
    if (kTypes[index].id != index) return false;
  return true;
}
static_assert(mainline_is_dense());

// ---- What each dialect knows, inherited rows included ----

constexpr std::size_t kKnownMax = kTypeCount;  // of one dialect

struct KnownRows {  // indices into kTypes, ids ascending
  std::array<std::uint16_t, kKnownMax> rows{};
  std::size_t count = 0;
};

// Both lists ascend by id; an own row hides an inherited one.
constexpr KnownRows merge(const Dialect& dialect, std::span<const std::uint16_t> parent) {
  KnownRows known;
  const auto append = [&known](std::size_t row) {
    known.rows[known.count++] = static_cast<std::uint16_t>(row);
  };
  std::size_t own = kOwnBegin[index_of(dialect.id)];
  const std::size_t own_end = kOwnBegin[index_of(dialect.id) + 1];
  for (const std::uint16_t row : parent) {
    const std::uint32_t id = kTypes[row].id;
    if (!dialect.inherits(id)) continue;
    while (own < own_end && kTypes[own].id < id) append(own++);
    if (own < own_end && kTypes[own].id == id) continue;
    append(row);
  }
  while (own < own_end) append(own++);
  return known;
}

// The rows of all dialects one after the other: those of dialect d are begin[d] to begin[d + 1].
template <std::size_t Capacity>
struct KnownTable {
  std::array<std::uint16_t, Capacity> rows{};
  std::array<std::uint16_t, Capacity> ids{};  // of the same rows: what a binary search reads
  std::array<std::uint16_t, kDialectCount + 1> begin{};

  [[nodiscard]] constexpr std::span<const std::uint16_t> rows_of(std::size_t dialect) const {
    return std::span(rows).subspan(begin[dialect], std::size_t{begin[dialect + 1]} - begin[dialect]);
  }
  [[nodiscard]] constexpr std::span<const std::uint16_t> ids_of(std::size_t dialect) const {
    return std::span(ids).subspan(begin[dialect], std::size_t{begin[dialect + 1]} - begin[dialect]);
  }
};

template <std::size_t Capacity>
consteval KnownTable<Capacity> build_known() {
  KnownTable<Capacity> table;
  std::size_t end = 0;
  for (std::size_t index = 0; index < kDialectCount; ++index) {
    const Dialect& dialect = kDialects[index];
    const bool heir = !dialect.inherited[0].empty();
    const auto known =
        merge(dialect, heir ? table.rows_of(index_of(dialect.parent)) : std::span<const std::uint16_t>{});
    for (std::size_t at = 0; at < known.count; ++at, ++end) {
      table.rows[end] = known.rows[at];
      table.ids[end] = static_cast<std::uint16_t>(kTypes[known.rows[at]].id);
    }
    table.begin[index + 1] = static_cast<std::uint16_t>(end);
  }
  return table;
}

constexpr std::size_t kKnownCount = build_known<kDialectCount * 128>().begin[kDialectCount];
static_assert(kKnownCount < std::numeric_limits<std::uint16_t>::max());
constexpr KnownTable<kKnownCount> kKnown = build_known<kKnownCount>();

// A name means one type in a dialect. Inherited names were compared where they were written, so a dialect's
// own names are compared with one another and with what it inherits.
consteval bool names_differ() {
  for (std::size_t dialect = 0; dialect < kDialectCount; ++dialect)
    for (std::size_t own = kOwnBegin[dialect]; own < kOwnBegin[dialect + 1]; ++own)
      for (const std::uint16_t other : kKnown.rows_of(dialect))
        if (other != own && same_name(kTypes[other].name, kTypes[own].name)) return false;
  return true;
}
static_assert(names_differ());

// ---- Claims by id, aliases by layout ----

constexpr std::span<const TypeInfo* const> slice(std::span<const TypeInfo* const> rows,
                                                 std::span<const std::uint16_t> begin, std::size_t key) {
  return rows.subspan(begin[key], std::size_t{begin[key + 1]} - begin[key]);
}

// Rows sorted by a key below Keys, the order of kTypes kept within one: those of key k are begin[k] to
// begin[k + 1].
template <std::size_t Keys>
struct Index {
  std::array<const TypeInfo*, kTypeCount> rows{};
  std::array<std::uint16_t, Keys + 1> begin{};
};

template <std::size_t Keys, class KeyOf>
consteval Index<Keys> build_index(KeyOf key_of) {
  Index<Keys> index;
  for (const TypeInfo& row : kTypes) ++index.begin[key_of(row) + 1];
  for (std::size_t key = 0; key < Keys; ++key)
    index.begin[key + 1] = static_cast<std::uint16_t>(index.begin[key + 1] + index.begin[key]);
  auto next = index.begin;
  for (const TypeInfo& row : kTypes) index.rows[next[key_of(row)]++] = &row;
  return index;
}

constexpr std::size_t layout_index(const TypeLayout* layout) {
  return static_cast<std::size_t>(layout - layout_table::kLayouts.data());
}

constexpr auto kClaims = build_index<kIdMax + 1>([](const TypeInfo& row) { return row.id; });
constexpr auto kAliases =
    build_index<layout_table::kLayoutCount>([](const TypeInfo& row) { return layout_index(row.layout); });

consteval bool every_layout_is_used() {
  for (std::size_t index = 0; index < layout_table::kLayoutCount; ++index)
    if (slice(kAliases.rows, kAliases.begin, index).empty()) return false;
  return true;
}
static_assert(every_layout_is_used());

constexpr bool claims_disagree(std::uint32_t id) {
  const auto claims = slice(kClaims.rows, kClaims.begin, id);
  return std::ranges::any_of(claims,
                             [&](const TypeInfo* claim) { return claim->layout != claims[0]->layout; });
}

constexpr std::size_t kConflictCount = [] {
  std::size_t count = 0;
  for (std::uint32_t id = 0; id <= kIdMax; ++id)
    if (claims_disagree(id)) ++count;
  return count;
}();

constexpr std::array<std::uint16_t, kConflictCount> kConflicts = [] {
  std::array<std::uint16_t, kConflictCount> ids{};
  std::size_t count = 0;
  for (std::uint32_t id = 0; id <= kIdMax; ++id)
    if (claims_disagree(id)) ids[count++] = static_cast<std::uint16_t>(id);
  return ids;
}();

}  // namespace

std::span<const Dialect> dialects() { return kDialects; }

const Dialect& dialect(DialectId id) {
  GGUFVET_ASSERT(index_of(id) < kDialectCount);
  return kDialects[index_of(id)];
}

std::optional<DialectId> find_dialect(std::string_view slug) {
  if (slug.empty()) return std::nullopt;
  for (const Dialect& row : kDialects)
    if (same_name(row.slug, slug) || same_name(row.alias, slug)) return row.id;
  return std::nullopt;
}

const TypeInfo* find_type(DialectId dialect, std::uint32_t id) {
  if (dialect == DialectId::ggml) return id < kMainlineCount ? &kTypes[id] : nullptr;
  if (index_of(dialect) >= kDialectCount || id > kIdMax) return nullptr;
  const auto ids = kKnown.ids_of(index_of(dialect));
  const auto found = std::ranges::lower_bound(ids, static_cast<std::uint16_t>(id));
  if (found == ids.end() || *found != id) return nullptr;
  const auto row = kKnown.rows_of(index_of(dialect))[static_cast<std::size_t>(found - ids.begin())];
  return &kTypes[row];
}

const TypeInfo* find_type(DialectId dialect, std::string_view name) {
  if (index_of(dialect) >= kDialectCount) return nullptr;
  for (const std::uint16_t row : kKnown.rows_of(index_of(dialect)))
    if (same_name(kTypes[row].name, name)) return &kTypes[row];
  return nullptr;
}

std::span<const TypeInfo> all_types() { return kTypes; }

std::span<const TypeInfo> own_types(DialectId dialect) {
  GGUFVET_ASSERT(index_of(dialect) < kDialectCount);
  const std::size_t begin = kOwnBegin[index_of(dialect)];
  return std::span(kTypes).subspan(begin, kOwnBegin[index_of(dialect) + 1] - begin);
}

std::size_t known_type_count(DialectId dialect) {
  GGUFVET_ASSERT(index_of(dialect) < kDialectCount);
  return kKnown.rows_of(index_of(dialect)).size();
}

const TypeInfo& known_type(DialectId dialect, std::size_t index) {
  GGUFVET_ASSERT(index < known_type_count(dialect));
  return kTypes[kKnown.rows_of(index_of(dialect))[index]];
}

std::span<const TypeInfo* const> claims_of(std::uint32_t id) {
  return id <= kIdMax ? slice(kClaims.rows, kClaims.begin, id) : std::span<const TypeInfo* const>{};
}

std::span<const std::uint16_t> conflicts() { return kConflicts; }

bool is_conflicting(std::uint32_t id) {
  return id <= kIdMax && std::ranges::binary_search(kConflicts, static_cast<std::uint16_t>(id));
}

std::span<const TypeInfo* const> aliases_of(const TypeLayout& layout) {
  const std::size_t index = layout_index(&layout);
  GGUFVET_ASSERT(index < layout_table::kLayoutCount);
  return slice(kAliases.rows, kAliases.begin, index);
}

}  // namespace ggufvet
