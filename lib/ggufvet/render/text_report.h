// The report of one file as plain text.
#pragma once

#include <string>
#include <string_view>

#include "ggufvet/render/style.h"
#include "ggufvet/vet/split_set.h"
#include "ggufvet/vet/vet.h"

namespace ggufvet {

[[nodiscard]] std::string text_report(std::string_view path, const Vetted& vetted, const TextStyle& style);

// What a split set shows as a whole, after the reports of its shards.
[[nodiscard]] std::string text_split_set(std::string_view path, const VettedSplitSet& set,
                                         const TextStyle& style);

// A file that could not even be opened: a report of its own kind, so that nothing is passed over in silence.
[[nodiscard]] std::string text_unreadable(std::string_view path, std::string_view why,
                                          const TextStyle& style);

// "2 errors, 1 warning", "no findings"
[[nodiscard]] std::string counts_text(const FindingCounts& counts);

struct VerdictCounts {
  std::uint64_t accept = 0;
  std::uint64_t reject = 0;
  std::uint64_t undecided = 0;
};
// "12 files: 10 accepted, 1 rejected, 1 undecided"
[[nodiscard]] std::string text_totals(const VerdictCounts& counts, const TextStyle& style);

// "GGUF v3, little-endian, 12 metadata pairs, 201 tensors, 1.2 GiB"
[[nodiscard]] std::string text_summary(const FileModel& file);
// What of the tensors' data was looked at.
[[nodiscard]] std::string deep_summary_text(const DeepSummary& deep);

}  // namespace ggufvet
