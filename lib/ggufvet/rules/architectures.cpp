#include "ggufvet/rules/architectures.h"

#include <algorithm>
#include <iterator>

namespace ggufvet {
namespace {

using Shape = std::array<Size, 4>;

constexpr TensorRow root(std::string_view name, Need need, Shape shape) {
  return {.name = name, .need = need, .shape = shape, .layers = LayerSet::every, .area = TensorArea::root};
}
constexpr TensorRow layer(std::string_view name, Need need, Shape shape, LayerSet layers = LayerSet::every,
                          std::string_view instead = {}) {
  return {.name = name, .need = need, .shape = shape, .layers = layers, .instead = instead};
}
constexpr TensorRow layer_of(TensorArea area, std::string_view name, Need need, Shape shape) {
  return {.name = name, .need = need, .shape = shape, .layers = LayerSet::every, .area = area};
}

namespace rows {

using enum Size;
using enum Need;
using enum LayerSet;
using TensorArea::decoder;
using TensorArea::encoder;

#include "ggufvet/rules/architecture_tensors.inc"

}  // namespace rows

using namespace rows;  // NOLINT: the tables of this file

#include "ggufvet/rules/architecture_rows.inc"

constexpr KnownName kKnownNames[] = {
#include "ggufvet/rules/known_architectures.inc"
};

// LayerPresence has a bit for each row.
constexpr std::size_t kRowsMax = 128;

consteval bool rows_are_sound() {
  for (std::size_t at = 0; at < std::size(kArchitectures); ++at) {
    const Architecture& architecture = kArchitectures[at];
    if (at != 0 && kArchitectures[at - 1].name >= architecture.name) return false;
    if (architecture.row_count() > kRowsMax || !architecture.has_rows()) return false;
  }
  return true;
}
static_assert(rows_are_sound(), "names ascend, rows fit the bits");

consteval bool known_names_ascend() {
  for (std::size_t at = 1; at < std::size(kKnownNames); ++at)
    if (kKnownNames[at - 1].name >= kKnownNames[at].name) return false;
  return true;
}
static_assert(known_names_ascend());

// Binary search over rows that have a name.
template <class Row, std::size_t count>
[[nodiscard]] const Row* find_named(const Row (&table)[count], std::string_view name) {
  const auto* const row =
      std::lower_bound(std::begin(table), std::end(table), name,
                       [](const Row& each, std::string_view wanted) { return each.name < wanted; });
  return row != std::end(table) && row->name == name ? row : nullptr;
}

}  // namespace

std::span<const Architecture> architectures() { return kArchitectures; }

const Architecture* find_architecture(std::string_view name) { return find_named(kArchitectures, name); }

const KnownName* find_known_architecture(std::string_view name) { return find_named(kKnownNames, name); }

}  // namespace ggufvet
