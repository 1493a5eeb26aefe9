// Any dialect, id and shape: lookups agree with one another, and a size is what wide arithmetic says it is,
// or absent. What is left of the input is a query in text, as a user would type it.
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "ggufvet/base/assert.h"
#include "ggufvet/types/file_types.h"
#include "ggufvet/types/layout_drawing.h"
#include "ggufvet/types/type_registry.h"

namespace ggufvet {
namespace {

using Shape = std::array<std::uint64_t, 4>;
__extension__ using Wide = unsigned __int128;

constexpr Wide kTooMuch = Wide{1} << 100;  // stands for every number above it: no size of interest comes near

class Input {
 public:
  explicit Input(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  // Missing bytes are zero.
  template <class T>
  T take() {
    T value{};
    const std::size_t bytes = std::min(sizeof value, bytes_.size());
    if (bytes != 0) std::memcpy(&value, bytes_.data(), bytes);
    bytes_ = bytes_.subspan(bytes);
    return value;
  }

  [[nodiscard]] std::string_view rest() const {
    return {reinterpret_cast<const char*>(bytes_.data()), bytes_.size()};
  }

 private:
  std::span<const std::uint8_t> bytes_;
};

// Random 64-bit numbers are hardly ever a whole number of blocks; two bits a dimension choose a more likely
// kind.
std::uint64_t shaped(std::uint64_t number, unsigned kind, std::uint64_t block_elements) {
  switch (kind & 3) {
    case 0:
      return number;
    case 1:
      return number % 5000;
    case 2:
      return number * block_elements;
    default:
      return (number % 4097) * block_elements;
  }
}

Wide times(Wide a, Wide b) {
  if (a == 0 || b == 0) return 0;
  return a >= kTooMuch / b ? kTooMuch : a * b;
}

Wide product(const Shape& shape) {
  Wide all = 1;
  if (std::ranges::count(shape, 0U) != 0) return 0;
  for (const std::uint64_t dimension : shape) all = times(all, dimension);
  return all;
}

std::optional<std::uint64_t> if_it_fits(Wide bytes) {
  if (bytes > ~std::uint64_t{0}) return std::nullopt;
  return static_cast<std::uint64_t>(bytes);
}

std::optional<std::uint64_t> expected_of_blocks(const TypeLayout& layout, const Shape& shape) {
  const Wide block = layout.block_elements;
  if (layout.block_bytes == 0 || block == 0 || shape[0] % block != 0) return std::nullopt;
  const Wide row = shape[0] / block * layout.block_bytes + layout.row_header_bytes;
  return if_it_fits(product(shape) == 0 ? 0 : times(product({1, shape[1], shape[2], shape[3]}), row));
}

std::optional<std::uint64_t> expected_bytes(const TypeLayout& layout, const Shape& shape) {
  const Wide elements = product(shape);
  switch (layout.formula) {
    case SizeFormula::none:
      return expected_of_blocks(layout, shape);
    case SizeFormula::quarter_plus_32:
      if (elements != kTooMuch && elements % 4 != 0) return std::nullopt;
      return if_it_fits(elements / 4 + 32);
    case SizeFormula::tl2: {
      if (shape[0] < 256 || shape[2] != 1 || shape[3] != 1) return std::nullopt;
      const Wide threes = times(shape[0] - 256, shape[1]) / 3;
      const Wide payload = times(threes, 5) / 8 + times(128, shape[1]) * 4 / 8;
      return if_it_fits((payload + 31) / 32 * 32 + 32);
    }
    case SizeFormula::t5b: {
      const Wide units = shape[0] / 160 + (shape[0] % 160 == 0 ? 0 : 1);
      return if_it_fits(times(units * 32, product({1, shape[1], shape[2], shape[3]})) + 32);
    }
  }
  return std::nullopt;
}

void check_size(const TypeLayout& layout, const Shape& shape) {
  const auto bytes = tensor_bytes(layout, shape);
  GGUFVET_ASSERT(bytes == expected_bytes(layout, shape));
  GGUFVET_ASSERT(!bytes || layout.known());
  const auto row = row_bytes(layout, shape[0]);
  if (bytes && row && product(shape) != 0)
    GGUFVET_ASSERT(Wide{*row} * shape[1] * shape[2] * shape[3] + layout.tensor_trailer_bytes == *bytes);
}

void check_lookups(DialectId reader, std::uint32_t id) {
  const TypeInfo* found = find_type(reader, id);
  const auto claims = claims_of(id);
  const TypeInfo* own = nullptr;
  bool conflict = false;
  for (const TypeInfo* claim : claims) {
    GGUFVET_ASSERT(claim->id == id && find_type(claim->dialect, id) == claim);
    if (claim->dialect == reader) own = claim;
    conflict = conflict || claim->layout != claims.front()->layout;
  }
  GGUFVET_ASSERT(is_conflicting(id) == conflict);
  if (own != nullptr) GGUFVET_ASSERT(found == own);
  if (found == nullptr) return;
  GGUFVET_ASSERT(std::ranges::count(claims, found) == 1);
  GGUFVET_ASSERT(own != nullptr || dialect(reader).inherits(id));
  GGUFVET_ASSERT(find_type(reader, found->name) == found);
  GGUFVET_ASSERT(std::ranges::count(aliases_of(*found->layout), found) == 1);
}

void check_query(DialectId reader, std::string_view text) {
  constexpr std::size_t kDescriptionBytesMax = 1U << 20;  // everything we know, said once, is about 90 KiB
  std::string out;
  const bool known = describe_type(text, out);
  GGUFVET_ASSERT(known == !find_types(text).empty() && known == !out.empty());
  GGUFVET_ASSERT(out.size() < kDescriptionBytesMax);
  if (const TypeInfo* type = find_type(reader, text)) GGUFVET_ASSERT(find_type(reader, type->id) == type);
  if (const auto named = find_dialect(text)) GGUFVET_ASSERT(dialect(*named).id == *named);
}

void check_file_type(DialectId reader, std::uint32_t value) {
  const FileType* found = find_file_type(reader, value);
  if (found == nullptr) return;
  GGUFVET_ASSERT(found->value == value);
  GGUFVET_ASSERT(std::ranges::count(file_type_claims_of(value), found) == 1);
}

}  // namespace
}  // namespace ggufvet

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ggufvet;
  Input input({data, size});
  const auto reader = static_cast<DialectId>(input.take<std::uint8_t>());  // ours or not
  const auto kinds = input.take<std::uint8_t>();
  const auto id = input.take<std::uint32_t>();
  Shape numbers{};
  for (std::uint64_t& number : numbers) number = input.take<std::uint64_t>();

  if (static_cast<std::size_t>(reader) < dialects().size()) {
    check_lookups(reader, id);
    check_lookups(reader, id % 512);
  }
  // Any layout, so that no type is out of reach because its id is hard to hit.
  const TypeInfo* type = find_type(reader, id);
  const TypeLayout& layout = type != nullptr ? *type->layout : layouts()[id % layouts().size()];
  Shape shape{};
  for (unsigned axis = 0; axis < 4; ++axis)
    shape[axis] = shaped(numbers[axis], kinds >> (2 * axis), std::max(1U, layout.block_elements));
  check_size(layout, shape);
  check_size(layout, {shape[0], shape[1], 1, 1});
  check_file_type(reader, id);
  check_query(reader, input.rest().substr(0, 64));
  return 0;
}
