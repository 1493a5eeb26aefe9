#include "ggufvet/types/block_scan.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstring>
#include <random>
#include <set>
#include <string>
#include <utility>

#include "ggufvet/types/half.h"
#include "ggufvet/types/type_registry.h"

namespace ggufvet {
namespace {

using Blocks = std::vector<std::byte>;

class Spots final : public FaultVisitor {
 public:
  void visit(const FaultSpot& spot) override { list.push_back(spot); }
  std::vector<FaultSpot> list;
};

// A value of a field, by what the test itself knows of the role.
struct ValueForm {
  std::uint32_t bytes = 0;  // 0: nothing to judge
  std::uint64_t tame = 0;
  std::vector<std::pair<std::uint64_t, PayloadFault>> faults;
};

ValueForm value_form(Role role) {
  using enum PayloadFault;
  switch (role) {
    case Role::element_f16:
      return {2, 0x2001, {{0x7C00, element_not_finite}, {0xFE01, element_not_finite}}};
    case Role::element_bf16:
      return {2, 0x3C01, {{0x7F80, element_not_finite}, {0xFFC1, element_not_finite}}};
    case Role::element_f32:
      return {4, 0x3C000001, {{0x7F800000, element_not_finite}, {0xFFC00001, element_not_finite}}};
    case Role::element_f64:
      return {8, 0x3F80000000000001, {{0x7FF0000000000000, element_not_finite}, {0xFFFFFFFFFFFFFFFF, element_not_finite}}};
    case Role::scale_f16:
      return {2, 0x8001, {{0x7C00, scale_not_finite}, {0xFC00, scale_not_finite}, {0x7C01, scale_not_finite}}};
    case Role::scale_f16_scattered:
      return {8, 0x2001, {{0x7C00, scale_not_finite}, {0xFFFF, scale_not_finite}}};
    case Role::scale_f32:
      return {4, 0xB8000000, {{0xFF800000, scale_not_finite}, {0x7F800001, scale_not_finite}}};
    case Role::minimum_f16:
    case Role::sum_f16:
      return {2, 0x2001, {{0xFC00, minimum_not_finite}, {0x7FFF, minimum_not_finite}}};
    case Role::sum_f32:
      return {4, 0x3C000001, {{0x7F800000, minimum_not_finite}}};
    case Role::scale_e8m0:
      return {1, 0x70, {{0xFF, scale_e8m0_nan}}};
    case Role::scale_ue4m3:
    case Role::minimum_ue4m3:
      return {1, 0x21, {{0x7F, scale_ue4m3_nan}, {0x80, scale_ue4m3_signed}, {0xFF, scale_ue4m3_signed}}};
    default:
      return {};
  }
}

void put_value(std::byte* at, Role role, std::uint64_t bits, ByteOrder order) {
  if (role == Role::scale_f16_scattered) {
    for (std::uint32_t word = 0; word < 4; ++word) {
      const auto kept = static_cast<std::uint16_t>(load<std::uint16_t>(at + 2 * word, order) & 0x0FFF);
      const auto nibble = static_cast<std::uint16_t>((bits >> (4 * word) & 15) << 12);
      store(at + 2 * word, static_cast<std::uint16_t>(kept | nibble), order);
    }
    return;
  }
  switch (value_form(role).bytes) {
    case 1:
      return store(at, static_cast<std::uint8_t>(bits), order);
    case 2:
      return store(at, static_cast<std::uint16_t>(bits), order);
    case 4:
      return store(at, static_cast<std::uint32_t>(bits), order);
    default:
      return store(at, bits, order);
  }
}

// The bytes that encoders of a form write, from the encoders' own formulas.
std::set<int> canonical_bytes(CodeForm form) {
  std::set<int> bytes;
  for (int first = 0; first < 81; ++first) {
    if (form == CodeForm::trits_4) bytes.insert((256 * 3 * first + 242) / 243);
    for (int last = 0; last < 3 && form == CodeForm::trits_5; ++last)
      bytes.insert((256 * (3 * first + last) + 242) / 243);
    if (form == CodeForm::ternary) bytes.insert(first / 27 | first / 9 % 3 << 2 | first / 3 % 3 << 4 | first % 3 << 6);
  }
  for (int byte = 0; byte < 256; ++byte)
    if (form == CodeForm::any || (form == CodeForm::e4m3fn && !std::isnan(e4m3fn_to_f32(static_cast<std::uint8_t>(byte)))))
      bytes.insert(byte);
  return bytes;
}

// Random blocks in which nothing is wrong.
Blocks tame_blocks(const ScanShape& shape, std::size_t count, ByteOrder order, std::mt19937& random) {
  Blocks blocks(shape.block_bytes * count);
  for (std::byte& byte : blocks) byte = static_cast<std::byte>(random());
  for (std::size_t block = 0; block < count; ++block)
    for (const BlockField& field : shape.fields) {
      std::byte* const place = blocks.data() + block * shape.block_bytes + field.begin;
      const ValueForm form = value_form(field.role);
      for (std::uint32_t at = 0; form.bytes != 0 && at + form.bytes <= field.bytes; at += form.bytes)
        put_value(place + at, field.role, form.tame, order);
      if (field.form == CodeForm::any) continue;
      const std::set<int> canonical = canonical_bytes(field.form);
      const std::vector<int> choices(canonical.begin(), canonical.end());
      for (std::uint32_t at = 0; at < field.bytes; ++at)
        place[at] = static_cast<std::byte>(choices[random() % choices.size()]);
    }
  return blocks;
}

template <class Visit>
void for_each_scan(const Visit& visit) {
  for (const TypeLayout& layout : layouts())
    for (const ByteOrder order : {ByteOrder::little, ByteOrder::big})
      for (const bool extremes : {false, true})
        for (const ScanShape& shape :
             {layout.formula == SizeFormula::none ? block_shape(layout) : body_shape(layout), row_header_shape(layout), trailer_shape(layout)}) {
          INFO(layout.label << (order == ByteOrder::big ? " big-endian" : "") << (extremes ? " with extremes" : ""));
          visit(BlockScan(shape, order, extremes), order);
        }
}

void check_planted(const BlockScan& scan, Blocks& blocks, std::size_t block, const BlockField& field,
                   std::uint32_t at, std::uint32_t bytes, PayloadFault fault) {
  INFO("block " << block << " field " << field.name << " byte " << at << " fault " << static_cast<int>(fault));
  CHECK(scan.suspects(blocks));
  CHECK(scan.suspects_portable(blocks));
  Spots spots;
  scan.examine(blocks, spots);
  REQUIRE(spots.list.size() == 1);
  CHECK(spots.list[0].fault == fault);
  CHECK(spots.list[0].at == block * scan.shape().block_bytes + field.begin + at);
  CHECK(spots.list[0].bytes == bytes);
  CHECK(spots.list[0].block == block);
  const std::uint64_t elements = scan.shape().block_elements;
  CHECK(spots.list[0].element >= block * elements);
  CHECK(spots.list[0].element < std::max<std::uint64_t>((block + 1) * elements, 1));
}

}  // namespace

TEST_CASE("tame blocks of every layout raise no suspicion") {
  std::mt19937 random(1);
  for_each_scan([&](const BlockScan& scan, ByteOrder order) {
    for (const std::size_t count : {std::size_t{1}, std::size_t{7}, std::size_t{300}}) {
      const Blocks blocks = tame_blocks(scan.shape(), count, order, random);
      CHECK_FALSE(scan.suspects(blocks));
      CHECK_FALSE(scan.suspects_portable(blocks));
      Spots spots;
      scan.examine(blocks, spots);
      CHECK(spots.list.empty());
    }
  });
}

TEST_CASE("a planted fault in any field of any layout is suspected and told with its place") {
  std::mt19937 random(2);
  std::size_t planted = 0;
  for_each_scan([&](const BlockScan& scan, ByteOrder order) {
    constexpr std::size_t kBlocks = 41;
    Blocks blocks = tame_blocks(scan.shape(), kBlocks, order, random);
    for (const BlockField& field : scan.shape().fields)
      for (const std::size_t block : {std::size_t{0}, std::size_t{17}, kBlocks - 1}) {
        std::byte* const place = blocks.data() + block * scan.shape().block_bytes + field.begin;
        const ValueForm form = value_form(field.role);
        for (std::uint32_t at = 0; form.bytes != 0 && at + form.bytes <= field.bytes; at += form.bytes)
          for (const auto& [bits, fault] : form.faults) {
            put_value(place + at, field.role, bits, order);
            check_planted(scan, blocks, block, field, at, form.bytes, fault);
            put_value(place + at, field.role, form.tame, order);
            ++planted;
          }
        if (field.form == CodeForm::any) continue;
        const std::set<int> canonical = canonical_bytes(field.form);
        for (std::uint32_t at = 0; at < field.bytes; at += 5)
          for (int byte = 0; byte < 256; ++byte) {
            if (canonical.contains(byte)) continue;
            const std::byte kept = std::exchange(place[at], static_cast<std::byte>(byte));
            const bool element = field.form == CodeForm::e4m3fn;
            check_planted(scan, blocks, block, field, at, 1,
                          element ? PayloadFault::element_not_finite : PayloadFault::code_not_canonical);
            place[at] = kept;
            ++planted;
          }
      }
  });
  CHECK(planted > 3000);
}

TEST_CASE("canonical codes are as many as their forms have") {
  CHECK(canonical_bytes(CodeForm::trits_5).size() == 243);
  CHECK(canonical_bytes(CodeForm::trits_4).size() == 81);
  CHECK(canonical_bytes(CodeForm::ternary).size() == 81);
  CHECK(canonical_bytes(CodeForm::e4m3fn).size() == 254);
}

TEST_CASE("every half-precision scale: suspected exactly when something is wrong with it") {
  const TypeLayout& layout = *find_layout("q4_k");
  const BlockScan strict(block_shape(layout), ByteOrder::little, false);
  const BlockScan extremes(block_shape(layout), ByteOrder::little, true);
  Blocks block(layout.block_bytes);
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    store(block.data(), static_cast<std::uint16_t>(bits), ByteOrder::little);
    const float value = f16_to_f32(static_cast<std::uint16_t>(bits));
    const bool finite = std::isfinite(value);
    Spots wrong, remarked;
    strict.examine(block, wrong);
    extremes.examine(block, remarked);
    const bool extreme = finite && std::fabs(value) * 945.0f >= 65536.0f;
    REQUIRE(wrong.list.size() == (finite ? 0 : 1));
    REQUIRE(remarked.list.size() == (finite && !extreme ? 0 : 1));
    REQUIRE(strict.suspects(block) == !finite);
    if (extreme) REQUIRE(extremes.suspects(block));
    if (std::fabs(value) * 945.0f < 32768.0f) REQUIRE_FALSE(extremes.suspects(block));
  }
}

TEST_CASE("a finite scale that takes its codes out of range is told apart from one that does not") {
  using enum PayloadFault;
  const auto faults_of = [](std::string_view label, bool header, std::uint64_t bits, std::uint32_t bytes) {
    const TypeLayout& layout = *find_layout(label);
    const BlockScan scan(header ? row_header_shape(layout) : block_shape(layout), ByteOrder::little, false);
    Blocks block(scan.shape().block_bytes);
    std::memcpy(block.data(), &bits, bytes);
    Spots spots;
    scan.examine(block, spots);
    CHECK(scan.suspects(block) >= !spots.list.empty());
    return spots.list.empty() ? not_judged : spots.list[0].fault;
  };
  CHECK(faults_of("mxfp4", false, 252, 1) == not_judged);  // 2^124 * 12 in mainline's halved scale
  CHECK(faults_of("mxfp4", false, 253, 1) == scale_overflows);
  CHECK(faults_of("mxfp4", false, 255, 1) == scale_e8m0_nan);
  CHECK(faults_of("iq4_ks", true, 0x78820000, 4) == not_judged);  // 16129 times it is just finite
  CHECK(faults_of("iq4_ks", true, 0x78830000, 4) == scale_overflows);
  CHECK(faults_of("q8_k", false, 0x7C000000, 4) == scale_overflows);
  CHECK(faults_of("q8_k", false, 0x7B800000, 4) == not_judged);
}

TEST_CASE("values that half precision cannot hold are a remark, once asked for") {
  const BlockScan extremes(block_shape(*find_layout("f32")), ByteOrder::little, true);
  const BlockScan strict(block_shape(*find_layout("f32")), ByteOrder::little, false);
  for (const float value : {65536.0f, -1e30f, 65535.0f, 32767.0f, 1.0f}) {
    Blocks block(sizeof value);
    std::memcpy(block.data(), &value, sizeof value);
    const bool extreme = std::fabs(value) >= 65536.0f;
    Spots remarked, wrong;
    extremes.examine(block, remarked);
    strict.examine(block, wrong);
    CHECK(wrong.list.empty());
    CHECK_FALSE(strict.suspects(block));
    if (extreme) CHECK(extremes.suspects(block));
    if (std::fabs(value) < 32768.0f) CHECK_FALSE(extremes.suspects(block));
    REQUIRE(remarked.list.size() == (extreme ? 1 : 0));
    if (extreme) CHECK(remarked.list[0].fault == PayloadFault::extreme);
  }
}

TEST_CASE("any bytes: what is examined as wrong was suspected, by vector and by plain code") {
  std::mt19937 random(3);
  for_each_scan([&](const BlockScan& scan, ByteOrder) {
    Blocks blocks(scan.shape().block_bytes * std::size_t{37});
    for (int round = 0; round < 20; ++round) {
      for (std::byte& byte : blocks) byte = static_cast<std::byte>(random());
      for (std::size_t block = 0; block < 37; ++block) {
        const auto one = std::span(blocks).subspan(block * scan.shape().block_bytes, scan.shape().block_bytes);
        Spots spots;
        scan.examine(one, spots);
        if (!spots.list.empty()) CHECK((scan.suspects(one) && scan.suspects_portable(one)));
      }
    }
  });
}

}  // namespace ggufvet
