// validate_against_ggml: everything a real ggml library's row validator rejects must be rejected by our block scan, for
// every type it knows. Blocks are random bytes, random bytes with tame scales, and tame ones with a few bytes changed to
// values at the edges of floating-point formats, so that both answers occur often. Exit status 1 when a block that the
// library rejects passes here, when our fast form misses what our slow form finds, or when nothing was rejected although
// the type has scales.
//
//   validate_against_ggml LIBRARY [BLOCKS [SEED]]
#include <array>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include "ggml_library.h"
#include "ggufvet/types/block_scan.h"
#include "ggufvet/types/type_registry.h"

namespace {

using namespace ggufvet;
using ValidateRow = bool (*)(int type, const void* data, std::size_t bytes);

class FirstFault final : public FaultVisitor {
 public:
  void visit(const FaultSpot& spot) override {
    ++count;
    ++by_fault[static_cast<std::size_t>(spot.fault)];
  }
  std::uint64_t count = 0;
  std::array<std::uint64_t, kPayloadFaultCount> by_fault{};
};

struct Tally {
  std::uint64_t both_reject = 0;
  std::uint64_t both_accept = 0;
  std::uint64_t only_ours = 0;
  std::uint64_t only_theirs = 0;
  std::uint64_t missed_by_fast_form = 0;
  std::array<std::uint64_t, kPayloadFaultCount> only_ours_by_fault{};
};

constexpr std::array<std::uint8_t, 14> kEdgeBytes{0x00, 0x01, 0x3C, 0x70, 0x78, 0x7B, 0x7C,
                                                  0x7E, 0x7F, 0x80, 0xFC, 0xFE, 0xFD, 0xFF};

void make_block(std::vector<std::byte>& block, std::mt19937_64& random) {
  const std::uint64_t kind = random() % 3;
  for (std::byte& byte : block) byte = static_cast<std::byte>(kind == 2 ? 0x22 : random());
  if (kind == 0) return;
  for (std::uint64_t change = random() % 5; change > 0; --change)
    block[random() % block.size()] = static_cast<std::byte>(kEdgeBytes[random() % kEdgeBytes.size()]);
}

Tally compare(ValidateRow validate, const TypeInfo& type, std::uint64_t blocks, std::uint64_t seed) {
  const BlockScan scan(block_shape(*type.layout), ByteOrder::little, false);
  std::mt19937_64 random(seed);
  // Of plain types a run of values, so that vector loads are exercised.
  std::vector<std::byte> block(type.layout->block_elements == 1 ? 256 * type.layout->block_bytes : type.layout->block_bytes);
  Tally tally;
  for (std::uint64_t index = 0; index < blocks; ++index) {
    make_block(block, random);
    const bool theirs = !validate(static_cast<int>(type.id), block.data(), block.size());
    FirstFault found;
    scan.examine(block, found);
    const bool fast = scan.suspects(block) && scan.suspects_portable(block);
    const bool ours = found.count > 0;
    tally.missed_by_fast_form += ours && !fast ? 1u : 0u;
    ++(ours ? theirs ? tally.both_reject : tally.only_ours : theirs ? tally.only_theirs : tally.both_accept);
    if (ours && !theirs)
      for (std::size_t fault = 0; fault < found.by_fault.size(); ++fault)
        tally.only_ours_by_fault[fault] += found.by_fault[fault] > 0 ? 1u : 0u;
  }
  return tally;
}

bool report(const TypeInfo& type, const Tally& tally) {
  std::printf("%-10s both reject %8llu, both accept %8llu, only we %8llu, only ggml %llu, missed by the fast form %llu",
              std::string(type.name).c_str(), static_cast<unsigned long long>(tally.both_reject),
              static_cast<unsigned long long>(tally.both_accept), static_cast<unsigned long long>(tally.only_ours),
              static_cast<unsigned long long>(tally.only_theirs),
              static_cast<unsigned long long>(tally.missed_by_fast_form));
  constexpr std::array<const char*, kPayloadFaultCount> kNames{
      "scale not finite", "minimum not finite", "element not finite", "E8M0 NaN",     "UE4M3 NaN",      "UE4M3 sign",
      "code",             "overflow",           "extreme",            "all zero", "block repeated", "zero tail",
      "not judged"};
  for (std::size_t fault = 0; fault < kPayloadFaultCount; ++fault)
    if (tally.only_ours_by_fault[fault] > 0)
      std::printf("; %s %llu", kNames[fault], static_cast<unsigned long long>(tally.only_ours_by_fault[fault]));
  std::printf("\n");
  const BlockScan scan(block_shape(*type.layout), ByteOrder::little, false);
  const bool exercised = !scan.judges() || tally.both_reject + tally.only_ours > 0;
  return tally.only_theirs == 0 && tally.missed_by_fast_form == 0 && exercised && tally.both_accept > 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 4) {
    std::fprintf(stderr, "usage: validate_against_ggml LIBRARY [BLOCKS [SEED]]\n");
    return 2;
  }
  const std::uint64_t blocks = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 200'000;
  const std::uint64_t seed = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1;
  void* const handle = dlopen(argv[1], RTLD_LAZY | RTLD_LOCAL);
  const auto validate =
      handle == nullptr ? nullptr : reinterpret_cast<ValidateRow>(dlsym(handle, "ggml_validate_row_data"));
  const auto type_size = handle == nullptr ? nullptr : reinterpret_cast<std::size_t (*)(int)>(dlsym(handle, "ggml_type_size"));
  if (validate == nullptr || type_size == nullptr) {
    std::fprintf(stderr, "%s exports no ggml_validate_row_data\n", argv[1]);
    return 2;
  }
  int compared = 0, failed = 0, refused = 0;
  for (const TypeInfo& type : own_types(DialectId::ggml)) {
    // Types that the library cannot have are not asked about: it would abort.
    if (type.status != TypeStatus::active || !type.layout->known() || type_size(static_cast<int>(type.id)) != type.layout->block_bytes)
      continue;
    const std::vector<std::byte> zeros(type.layout->block_bytes);
    if (!validate(static_cast<int>(type.id), zeros.data(), zeros.size())) {  // "invalid type": nothing to compare
      std::printf("%-10s the library has no validation for it\n", std::string(type.name).c_str());
      ++refused;
      continue;
    }
    ++compared;
    failed += report(type, compare(validate, type, blocks, seed + type.id)) ? 0 : 1;
  }
  std::printf("%d types compared, %d without validation there, %d failed\n", compared, refused, failed);
  return failed == 0 && compared >= 25 ? 0 : 1;
}
