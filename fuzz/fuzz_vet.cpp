// Any bytes, under every profile: findings lie inside the file and name rules, the verdict follows from them,
// a second run agrees. Memory in proportion to the file is left to the fuzzer's own limit and to
// cost_test.cpp.
#include <cstddef>
#include <cstdint>

#include "ggufvet/source/memory_source.h"
#include "properties.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ggufvet;
  const std::span<const std::byte> bytes = std::as_bytes(std::span(data, size));
  Verdict hardened = Verdict::undecided;
  for (const ProfileInfo& info : kProfiles) {
    const VetOptions options = fuzz::options_for(info.profile);
    MemorySource source(bytes);
    const auto vetted = vet(source, options);
    fuzz::check_model(vetted->file);
    fuzz::check_report(vetted->report, options, size);
    MemorySource again(bytes);
    fuzz::check_equal(vetted->report, vet(again, options)->report);
    // The strict gate takes nothing that the cautious person is warned off.
    if (info.profile == Profile::hardened) hardened = vetted->report.verdict;
    if (info.profile == Profile::publish && hardened == Verdict::reject)
      GGUFVET_ASSERT(vetted->report.verdict == Verdict::reject);
  }
  return 0;
}
