// The outcome of vetting: findings, counts, verdict.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ggufvet/rules/finding.h"
#include "ggufvet/types/type_info.h"
#include "ggufvet/vet/profile.h"

namespace ggufvet {

// reject: an error about the file was found. undecided: none was, and not everything was looked at.
enum class Verdict : std::uint8_t { accept, reject, undecided };

[[nodiscard]] constexpr std::string_view verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::accept:
      return "accept";
    case Verdict::reject:
      return "reject";
    case Verdict::undecided:
      return "undecided";
  }
  return "undecided";
}

struct FindingCounts {  // of all findings, kept or not
  std::uint64_t error = 0;
  std::uint64_t warning = 0;
  std::uint64_t info = 0;
};

struct DeepSummary {
  bool ran = false;
  bool finished = false;  // every byte of every readable tensor was looked at
  std::uint64_t bytes_scanned = 0;
  std::uint64_t tensors_scanned = 0;
  std::uint64_t tensors_left_out = 0;
  std::uint64_t tensors_not_judged = 0;
};

struct Report {
  Verdict verdict = Verdict::undecided;
  Profile profile{};
  DialectId dialect{};
  FindingCounts counts;
  std::vector<Finding> findings;  // by stage, then place, then rule number; at most limits.findings_max and
                                  // those of class limit and io
  bool truncated = false;         // there were more
  std::uint64_t bytes_read = 0;   // what the verdict rests on
  DeepSummary deep;
  // Of the file's bytes as they were scanned; set by a caller who gave the scan a sink. Empty when there was
  // none, or when not all of them were seen.
  std::string digest_algorithm = {};
  std::string digest = {};
};

}  // namespace ggufvet
