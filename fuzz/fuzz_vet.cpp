// Any bytes, under every profile: findings lie inside the file and name rules, the verdict follows from them,
// a second run agrees. Memory in proportion to the file is left to the fuzzer's own limit and to
// cost_test.cpp.
#include <cstddef>
#include <cstdint>

#include "ggufvet/rules/rule_table.h"
#include "ggufvet/source/memory_source.h"
#include "properties.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ggufvet;
  const std::span<const std::byte> bytes = std::as_bytes(std::span(data, size));
  bool wrong_for_all = false;
  for (const ProfileInfo& info : kProfiles) {
    const VetOptions options = fuzz::options_for(info.profile);
    MemorySource source(bytes);
    const auto vetted = vet(source, options);
    fuzz::check_model(vetted->file);
    fuzz::check_report(vetted->report, options, size);
    MemorySource again(bytes);
    fuzz::check_equal(vetted->report, vet(again, options)->report);
    // The strict gate takes nothing that the cautious person is warned off, but for what is right to publish
    // and wrong to load by itself: an adapter, a later shard.
    if (info.profile == Profile::hardened)
      for (const Finding& finding : vetted->report.findings)
        wrong_for_all |= finding.severity == Severity::error &&
                         level_of(*find_rule(finding.rule), Profile::publish) == Severity::error &&
                         vetted->report.verdict == Verdict::reject;
    if (info.profile == Profile::publish && wrong_for_all)
      GGUFVET_ASSERT(vetted->report.verdict == Verdict::reject);
  }
  return 0;
}
