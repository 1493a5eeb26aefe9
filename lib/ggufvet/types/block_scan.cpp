#include "ggufvet/types/block_scan.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "ggufvet/base/assert.h"
#include "ggufvet/types/simd_scan.h"

namespace ggufvet {
namespace {

constexpr std::size_t kVectorBytes = 32;
// Above this a block has cache lines that need not be read, and single loads win over reading everything.
constexpr std::uint32_t kDenseBlockBytesMax = 66;

// How a floating-point format lies in its bytes.
struct FloatForm {
  std::uint32_t bytes = 0;
  std::uint32_t mantissa_bits = 0;
  std::uint32_t exponent_max = 0;
  int bias = 0;
};
constexpr FloatForm kF16{2, 10, 31, 15};
constexpr FloatForm kBf16{2, 7, 255, 127};
constexpr FloatForm kF32{4, 23, 255, 127};
constexpr FloatForm kF64{8, 52, 2047, 1023};

// From here on a binary64 becomes infinite as binary32: half a unit above the largest finite value.
constexpr double kFloatRange = 0x1.ffffffp127;

enum class Group : std::uint8_t { none, scale, minimum, element };

struct RoleForm {
  Group group{};
  const FloatForm* form = nullptr;  // null: bytes
};

[[nodiscard]] constexpr RoleForm form_of(Role role) {
  switch (role) {
    case Role::element_f16:
      return {Group::element, &kF16};
    case Role::element_bf16:
      return {Group::element, &kBf16};
    case Role::element_f32:
      return {Group::element, &kF32};
    case Role::element_f64:
      return {Group::element, &kF64};
    case Role::scale_f16:
    case Role::scale_f16_scattered:
      return {Group::scale, &kF16};
    case Role::scale_f32:
      return {Group::scale, &kF32};
    case Role::minimum_f16:
    case Role::sum_f16:
      return {Group::minimum, &kF16};
    case Role::sum_f32:
      return {Group::minimum, &kF32};
    case Role::scale_e8m0:
    case Role::scale_ue4m3:
      return {Group::scale, nullptr};
    case Role::minimum_ue4m3:
      return {Group::minimum, nullptr};
    default:
      return {};
  }
}

// Smallest biased exponent at which something may be wrong with a value.
[[nodiscard]] std::uint32_t exponent_limit(Group group, const FloatForm& form, float code_max,
                                           bool with_extremes) {
  double magnitude = std::numeric_limits<double>::infinity();
  if (group == Group::element && form.bytes == 8) magnitude = kFloatRange;
  if (group == Group::element && with_extremes) magnitude = kExtremeMagnitude;
  if (group == Group::scale && code_max > 0)
    magnitude = (with_extremes ? kExtremeMagnitude : kFloatRange) / double{code_max};
  if (std::isinf(magnitude)) return form.exponent_max;
  const int exponent = std::ilogb(magnitude) + form.bias;
  return static_cast<std::uint32_t>(std::clamp(exponent, 1, static_cast<int>(form.exponent_max)));
}

constexpr FloatForm kE8m0{1, 0, 255, 127};
constexpr std::uint8_t kUe4m3Nan = 0x7F;

[[nodiscard]] std::uint64_t load_bits(const std::byte* bytes, std::uint32_t count, ByteOrder order) {
  switch (count) {
    case 1:
      return load<std::uint8_t>(bytes, order);
    case 2:
      return load<std::uint16_t>(bytes, order);
    case 4:
      return load<std::uint32_t>(bytes, order);
    default:
      return load<std::uint64_t>(bytes, order);
  }
}

// An fp16 in the high nibbles of four 16-bit words, lowest nibble first.
[[nodiscard]] std::uint16_t gather_scattered(const std::byte* words, ByteOrder order) {
  std::uint32_t bits = 0;
  for (std::uint32_t index = 0; index < 4; ++index)
    bits |= (load<std::uint16_t>(words + 2 * index, order) >> 12 & 15u) << (4 * index);
  return static_cast<std::uint16_t>(bits);
}

[[nodiscard]] double magnitude_of(const FloatForm& form, std::uint64_t bits) {
  const std::uint64_t exponent = bits >> form.mantissa_bits & form.exponent_max;
  const std::uint64_t mantissa = bits & ((std::uint64_t{1} << form.mantissa_bits) - 1);
  const int scale =
      (exponent == 0 ? 1 : static_cast<int>(exponent)) - form.bias - static_cast<int>(form.mantissa_bits);
  const std::uint64_t significand =
      exponent == 0 ? mantissa : mantissa | std::uint64_t{1} << form.mantissa_bits;
  return std::ldexp(static_cast<double>(significand), scale);
}

[[nodiscard]] bool is_finite(const FloatForm& form, std::uint64_t bits) {
  return (bits >> form.mantissa_bits & form.exponent_max) != form.exponent_max;
}

// Whether `byte` is ceil(256 * t / 243) for some t: with 243 * byte = 256 * t + r that is r < 243.
[[nodiscard]] constexpr bool is_five_trits(std::uint8_t byte) { return (byte * 243 & 255) < 243; }
// Its fifth trit: what a fourth multiplication by three leaves.
[[nodiscard]] constexpr bool fifth_trit_is_zero(std::uint8_t byte) { return (byte * 81 & 255) < 86; }

[[nodiscard]] constexpr bool is_canonical(CodeForm form, std::uint8_t byte) {
  switch (form) {
    case CodeForm::any:
      return true;
    case CodeForm::ternary:
      return (byte & (byte >> 1) & 0x55) == 0;
    case CodeForm::trits_5:
      return is_five_trits(byte);
    case CodeForm::trits_4:
      return is_five_trits(byte) && fifth_trit_is_zero(byte);
    case CodeForm::e4m3fn:
      return (byte & 0x7F) != 0x7F;
  }
  return true;
}

constexpr PayloadFault kNotFinite[] = {PayloadFault::element_not_finite, PayloadFault::scale_not_finite,
                                       PayloadFault::minimum_not_finite, PayloadFault::element_not_finite};

// What is wrong with one value; false when nothing is.
class ValueJudge {
 public:
  ValueJudge(float code_max, bool with_extremes)
      : code_max_(double{code_max}), with_extremes_(with_extremes) {}

  [[nodiscard]] bool judge(Role role, std::uint64_t bits, PayloadFault& fault) const {
    const RoleForm form = form_of(role);
    if (form.group == Group::none) return false;
    if (form.form != nullptr) {
      if (is_finite(*form.form, bits))
        return judge_magnitude(form.group, magnitude_of(*form.form, bits), fault);
      fault = kNotFinite[static_cast<std::size_t>(form.group)];
      return true;
    }
    if (role == Role::scale_e8m0) {
      if (bits != 255) return judge_magnitude(form.group, magnitude_of(kE8m0, bits), fault);
      fault = PayloadFault::scale_e8m0_nan;
      return true;
    }
    fault = bits == kUe4m3Nan ? PayloadFault::scale_ue4m3_nan : PayloadFault::scale_ue4m3_signed;
    return bits >= kUe4m3Nan;
  }

 private:
  [[nodiscard]] bool judge_magnitude(Group group, double magnitude, PayloadFault& fault) const {
    if (group == Group::scale) magnitude *= code_max_;
    if (group == Group::minimum) return false;
    if (magnitude >= kFloatRange) {
      fault = PayloadFault::scale_overflows;
      return true;
    }
    fault = PayloadFault::extreme;
    return with_extremes_ && magnitude >= kExtremeMagnitude;
  }

  double code_max_;
  bool with_extremes_;
};

// Bytes of one value of a field; a field of several holds them side by side.
[[nodiscard]] std::uint32_t value_bytes(const BlockField& field) {
  const RoleForm form = form_of(field.role);
  if (field.role == Role::scale_f16_scattered) return 8;
  return form.form != nullptr ? form.form->bytes : 1;
}

}  // namespace

ScanShape block_shape(const TypeLayout& layout) {
  return {layout.fields, layout.block_bytes, layout.block_elements, layout.code_max};
}

ScanShape row_header_shape(const TypeLayout& layout) {
  return {layout.row_header_fields, layout.row_header_bytes, 0, layout.code_max};
}

ScanShape trailer_shape(const TypeLayout& layout) {
  return {layout.tensor_trailer_fields, layout.tensor_trailer_bytes, 0, layout.code_max};
}

ScanShape body_shape(const TypeLayout& layout) {
  static constexpr BlockField kTernaryByte[] = {{"qs", Role::codes, 0, 1, CodeForm::ternary}};
  if (layout.body_form != CodeForm::ternary) return {{}, 1, 0, 0};
  return {kTernaryByte, 1, 4, 0};
}

BlockScan::BlockScan(const ScanShape& shape, ByteOrder order, bool with_extremes)
    : shape_(shape), order_(order), with_extremes_(with_extremes) {
  if (shape.block_bytes == 0) return;
  const bool single_value = shape.block_elements == 1 && 8 % shape.block_bytes == 0;
  unit_bytes_ = single_value ? 8 : shape.block_bytes;
  if (unit_bytes_ < 8) words_cover_ = false;
  const std::size_t period = std::lcm(std::size_t{unit_bytes_}, kVectorBytes);
  // Patterns of blocks with codes to be judged are dense whatever the size; their bytes must be read anyway.
  bool has_codes = false;
  for (const BlockField& field : shape.fields) has_codes |= field.form != CodeForm::any;
  if (unit_bytes_ <= kDenseBlockBytesMax || has_codes || order == ByteOrder::big) {
    dense_.period = period;
    for (auto* table : {&dense_.mask, &dense_.limit, &dense_.ternary, &dense_.trits_5, &dense_.trits_4})
      table->assign(period, 0);
  }
  for (std::uint32_t begin = 0; begin < unit_bytes_; begin += shape.block_bytes)
    for (BlockField field : shape.fields) {
      field.begin = static_cast<std::uint16_t>(field.begin + begin);
      add_field(field);
    }
  if (single_value && order == ByteOrder::little) prepare_lanes();
  prepare_dense();
  GGUFVET_ASSERT(!judges_ || words_cover_ || dense_.period != 0);
}

void BlockScan::add_field(const BlockField& field) {
  if (field.form != CodeForm::any) add_codes(field);
  if (form_of(field.role).group == Group::none) return;
  const std::uint32_t bytes = value_bytes(field);
  for (std::uint32_t at = 0; at + bytes <= field.bytes; at += bytes)
    add_value(field.role, field.begin + at, bytes);
}

void BlockScan::set_dense(std::uint32_t byte, std::uint8_t mask, std::uint8_t limit) {
  judges_ = true;
  if (dense_.period == 0) return;
  dense_.mask[byte] = mask;
  dense_.limit[byte] = static_cast<std::uint8_t>(limit - 1);
}

void BlockScan::add_value(Role role, std::uint32_t begin, std::uint32_t bytes) {
  const RoleForm form = form_of(role);
  if (form.form == nullptr) {
    const std::uint32_t limit = role == Role::scale_e8m0
                                    ? exponent_limit(form.group, kE8m0, shape_.code_max, with_extremes_)
                                    : kUe4m3Nan;
    set_dense(begin, 0xFF, static_cast<std::uint8_t>(limit));
    add_word(begin, 1, 0xFF, limit);
    return;
  }
  const std::uint32_t limit = exponent_limit(form.group, *form.form, shape_.code_max, with_extremes_);
  const std::uint32_t top = order_ == ByteOrder::little ? begin + bytes - 1 : begin;
  if (role ==
      Role::scale_f16_scattered) {  // sign and the upper three exponent bits are the last word's top nibble
    const std::uint32_t last = order_ == ByteOrder::little ? begin + 7 : begin + 6;
    const std::uint32_t top_three = std::max(limit >> 2, 1u);
    set_dense(last, 0x70, static_cast<std::uint8_t>(top_three << 4));
    add_word(begin + 6, 2, 0x7000, std::uint64_t{top_three} << 12);
    return;
  }
  const std::uint64_t exponents = std::uint64_t{form.form->exponent_max} << form.form->mantissa_bits;
  const std::uint32_t above = 8 * (form.form->bytes - 1);  // bits below the top byte
  const std::uint64_t at_limit = std::uint64_t{limit} << form.form->mantissa_bits;
  const auto top_limit = static_cast<std::uint8_t>(std::max<std::uint64_t>(at_limit >> above, 1));
  set_dense(top, static_cast<std::uint8_t>(exponents >> above), top_limit);
  add_word(begin, bytes, exponents, at_limit);
}

void BlockScan::add_codes(const BlockField& field) {
  words_cover_ = false;
  for (std::uint32_t byte = field.begin; byte < std::uint32_t{field.begin} + field.bytes; ++byte) {
    judges_ = true;
    switch (field.form) {
      case CodeForm::any:
        break;
      case CodeForm::ternary:
        dense_.ternary[byte] = 0xFF;
        dense_.has_ternary = true;
        break;
      case CodeForm::trits_5:
        dense_.trits_5[byte] = 0xFF;
        dense_.has_trits = true;
        break;
      case CodeForm::trits_4:
        dense_.trits_5[byte] = 0xFF;
        dense_.trits_4[byte] = 0xFF;
        dense_.has_trits = true;
        break;
      case CodeForm::e4m3fn:
        set_dense(byte, 0x7F, 0x7F);
        break;
    }
  }
}

// The value's bits are moved to where they lie in a little-endian word; the bit that tells is the one above
// the mask.
void BlockScan::add_word(std::uint32_t begin, std::uint32_t bytes, std::uint64_t mask, std::uint64_t limit) {
  if (!words_cover_ || order_ == ByteOrder::big) return;
  const std::uint32_t offset = std::min(begin, unit_bytes_ - 8);
  const std::uint32_t shift = 8 * (begin - offset);
  const std::uint64_t test = (std::bit_floor(mask) << 1);
  if (shift != 0 &&
      (test << shift) >> shift != test) {  // a byte at the very end of a block has no bit above it
    words_cover_ = false;
    return;
  }
  const ProbeWord word{offset, mask << shift, (test - limit) << shift, test << shift};
  const std::uint64_t field_bits = (((std::uint64_t{1} << (8 * bytes - 1)) << 1) - 1) << shift | word.test;
  for (ProbeWord& other : words_) {
    const std::uint64_t taken = other.mask | other.add | other.test;
    if (other.offset != offset || (taken & field_bits) != 0) continue;
    other.mask |= word.mask;
    other.add |= word.add;
    other.test |= word.test;
    return;
  }
  words_.push_back(word);
}

void BlockScan::prepare_lanes() {
  if (words_.size() != 1 || shape_.fields.size() != 1) return;
  const FloatForm* const form = form_of(shape_.fields[0].role).form;
  if (form == nullptr) return;
  const std::uint32_t limit = exponent_limit(Group::element, *form, 0, with_extremes_)
                              << (form->mantissa_bits & 31);
  lanes_.lane_bytes = form->bytes == 2 ? 2 : 4;
  lanes_.mask = words_[0].mask;
  lanes_.limit = form->bytes == 8 ? exponent_limit(Group::element, *form, 0, with_extremes_) << 20 : limit;
}

// The pattern of one unit, repeated up to the period.
void BlockScan::prepare_dense() {
  for (auto* table : {&dense_.mask, &dense_.limit, &dense_.ternary, &dense_.trits_5, &dense_.trits_4})
    for (std::size_t byte = unit_bytes_; byte < table->size(); ++byte)
      (*table)[byte] = (*table)[byte - unit_bytes_];
  // Bytes nobody asks about are masked away; any limit will do for them, the highest is the safest.
  for (std::size_t byte = 0; byte < dense_.period; ++byte)
    if (dense_.mask[byte] == 0) dense_.limit[byte] = 0xFF;
}

namespace {

[[nodiscard]] bool scan_dense_portable(const DensePattern& pattern, std::span<const std::byte> bytes,
                                       std::size_t begin) {
  std::size_t place = begin % pattern.period;
  for (std::size_t at = begin; at < bytes.size(); ++at) {
    const auto byte = static_cast<std::uint8_t>(bytes[at]);
    bool suspect = (byte & pattern.mask[place]) > pattern.limit[place];
    suspect |= pattern.ternary[place] != 0 && !is_canonical(CodeForm::ternary, byte);
    suspect |= pattern.trits_5[place] != 0 && !is_five_trits(byte);
    suspect |= pattern.trits_4[place] != 0 && !fifth_trit_is_zero(byte);
    if (suspect) return true;
    if (++place == pattern.period) place = 0;
  }
  return false;
}

// Blocks between the one looked at and the one whose line is asked for: far enough to have it there in time.
// A distance in bytes would ask for lines between the scales, which nobody looks at.
constexpr std::size_t kBlocksAhead = 24;

// Accumulates without a branch, a few hundred blocks at a time.
template <std::size_t kWords>
[[nodiscard]] bool scan_words(const ProbeWord* words, std::size_t unit_bytes,
                              std::span<const std::byte> bytes) {
  constexpr std::size_t kBatch = 256;
  const std::byte* block = bytes.data();
  for (std::size_t left = bytes.size() / unit_bytes; left > 0;) {
    const std::size_t count = std::min(left, kBatch);
    std::uint64_t found = 0;
    for (std::size_t index = 0; index < count; ++index, block += unit_bytes) {
      __builtin_prefetch(block + kBlocksAhead * unit_bytes + words[0].offset);
      for (std::size_t word = 0; word < kWords; ++word)
        found |=
            ((load_little<std::uint64_t>(block + words[word].offset) & words[word].mask) + words[word].add) &
            words[word].test;
    }
    if (found != 0) return true;
    left -= count;
  }
  return false;
}

[[nodiscard]] bool scan_all_words(const std::vector<ProbeWord>& words, std::size_t unit_bytes,
                                  std::span<const std::byte> bytes) {
  if (words.size() == 1) return scan_words<1>(words.data(), unit_bytes, bytes);
  if (words.size() == 2) return scan_words<2>(words.data(), unit_bytes, bytes);
  for (const ProbeWord& word : words)
    if (scan_words<1>(&word, unit_bytes, bytes)) return true;
  return false;
}

}  // namespace

bool BlockScan::suspects(std::span<const std::byte> blocks) const {
  if (!judges_) return false;
  if (!simd_scan_available()) return suspects_portable(blocks);
  if (lanes_.lane_bytes != 0) {
    const SimdScan scan = scan_lanes_simd(lanes_, blocks);
    return scan.suspect || suspects_portable(blocks.subspan(scan.scanned));
  }
  if (dense_.period == 0) return scan_all_words(words_, unit_bytes_, blocks);
  const SimdScan scan = scan_dense_simd(dense_, blocks);
  return scan.suspect || scan_dense_portable(dense_, blocks, scan.scanned);
}

bool BlockScan::suspects_portable(std::span<const std::byte> blocks) const {
  if (!judges_) return false;
  if (!words_cover_ || words_.empty()) return scan_dense_portable(dense_, blocks, 0);
  if (scan_all_words(words_, unit_bytes_, blocks)) return true;
  // Single values that do not fill a word.
  const std::size_t rest = blocks.size() % unit_bytes_;
  return rest != 0 && scan_dense_portable(dense_, blocks.subspan(blocks.size() - rest), 0);
}

namespace {

// Tells the faults of one field of one block.
class FieldExaminer {
 public:
  FieldExaminer(const ScanShape& shape, ByteOrder order, bool with_extremes, FaultVisitor& visitor)
      : shape_(shape), order_(order), judge_(shape.code_max, with_extremes), visitor_(visitor) {}

  void examine(const BlockField& field, const std::byte* block, std::uint64_t index) {
    if (field.form != CodeForm::any) return examine_codes(field, block, index);
    if (form_of(field.role).group == Group::none) return;
    const std::uint32_t bytes = value_bytes(field);
    const std::uint32_t count = field.bytes / bytes;
    for (std::uint32_t value = 0; value < count; ++value) {
      const std::byte* const place = block + field.begin + value * bytes;
      const std::uint64_t bits = field.role == Role::scale_f16_scattered ? gather_scattered(place, order_)
                                                                         : load_bits(place, bytes, order_);
      PayloadFault fault{};
      if (!judge_.judge(field.role, bits, fault)) continue;
      tell(fault, index, field.begin + value * bytes, bytes, value * (shape_.block_elements / count));
    }
  }

 private:
  void examine_codes(const BlockField& field, const std::byte* block, std::uint64_t index) {
    for (std::uint32_t byte = 0; byte < field.bytes; ++byte) {
      if (is_canonical(field.form, static_cast<std::uint8_t>(block[field.begin + byte]))) continue;
      const bool element = field.form == CodeForm::e4m3fn;
      tell(element ? PayloadFault::element_not_finite : PayloadFault::code_not_canonical, index,
           field.begin + byte, 1, element ? byte : 0);
      if (!element) return;
    }
  }

  void tell(PayloadFault fault, std::uint64_t index, std::uint32_t begin, std::uint32_t bytes,
            std::uint64_t element) {
    visitor_.visit(
        {fault, bytes, index * shape_.block_bytes + begin, index, index * shape_.block_elements + element});
  }

  const ScanShape& shape_;
  ByteOrder order_;
  ValueJudge judge_;
  FaultVisitor& visitor_;
};

}  // namespace

void BlockScan::examine(std::span<const std::byte> blocks, FaultVisitor& visitor) const {
  if (!judges_) return;
  FieldExaminer examiner(shape_, order_, with_extremes_, visitor);
  const std::byte* block = blocks.data();
  const std::uint64_t count = blocks.size() / shape_.block_bytes;
  for (std::uint64_t index = 0; index < count; ++index, block += shape_.block_bytes)
    for (const BlockField& field : shape_.fields) examiner.examine(field, block, index);
}

}  // namespace ggufvet
