// What must hold of any input, whatever is in it; shared by the fuzz targets. A broken property aborts.
#pragma once

#include <cstdint>
#include <span>

#include "ggufvet/base/assert.h"
#include "ggufvet/rules/rule_table.h"
#include "ggufvet/vet/vet.h"

namespace ggufvet::fuzz {

// Small enough that hostile files meet them and the fuzzer stays fast, large enough that ordinary ones do
// not.
inline Limits small_limits() {
  Limits limits;
  limits.findings_max = 100;
  return limits;
}

inline VetOptions options_for(Profile profile) {
  VetOptions options;
  options.profile = profile;
  options.limits = small_limits();
  return options;
}

inline void check_finding(const Finding& finding, Profile profile, std::uint64_t file_bytes) {
  const Rule* const rule = find_rule(finding.rule);
  GGUFVET_ASSERT(rule != nullptr);
  GGUFVET_ASSERT(finding.severity != Severity::off);
  GGUFVET_ASSERT(finding.severity == level_of(*rule, profile));
  GGUFVET_ASSERT(finding.where.begin <= finding.where.end);
  GGUFVET_ASSERT(finding.where.end <= file_bytes);
  GGUFVET_ASSERT(finding.related.begin <= finding.related.end);
  GGUFVET_ASSERT(finding.related.end <= file_bytes);
}

// A report is whole and agrees with itself.
inline void check_report(const Report& report, const VetOptions& options, std::uint64_t file_bytes) {
  GGUFVET_ASSERT(report.profile == options.profile);
  GGUFVET_ASSERT(report.findings.size() <= options.limits.findings_max);
  const FindingCounts& counts = report.counts;
  const std::uint64_t all = counts.error + counts.warning + counts.info;
  GGUFVET_ASSERT(report.truncated == (all > report.findings.size()));
  std::uint64_t errors = 0;
  std::uint64_t not_about_file = 0;
  for (const Finding& finding : report.findings) {
    check_finding(finding, options.profile, file_bytes);
    if (finding.severity != Severity::error) continue;
    ++errors;
    const FindingClass kind = find_rule(finding.rule)->kind;
    if (kind == FindingClass::limit || kind == FindingClass::io) ++not_about_file;
  }
  GGUFVET_ASSERT(errors <= counts.error);
  if (report.truncated) return;
  GGUFVET_ASSERT(errors == counts.error);
  const Verdict wanted = errors > not_about_file ? Verdict::reject
                         : not_about_file > 0    ? Verdict::undecided
                                                 : Verdict::accept;
  GGUFVET_ASSERT(report.verdict == wanted);
}

// What was read lies inside the file, field by field, and tiles the directory.
inline void check_model(const FileModel& file) {
  GGUFVET_ASSERT(file.directory_end <= file.file_bytes);
  GGUFVET_ASSERT(file.complete() == (file.stop.reason == StopReason::none));
  GGUFVET_ASSERT(file.stop.reason != StopReason::need_more);
  std::uint64_t at = kHeaderBytes;
  for (const MetadataPair& pair : file.pairs) {
    GGUFVET_ASSERT(pair.begin == at && pair.value_begin <= pair.end);
    GGUFVET_ASSERT(pair.type_field().begin == pair.key_field().end);
    at = pair.end;
  }
  for (const TensorEntry& tensor : file.tensors) {
    GGUFVET_ASSERT(tensor.begin == at);
    at = tensor.record().end;
  }
  if (file.stage != ReadStage::header) GGUFVET_ASSERT(at == file.directory_end);
  if (file.complete()) {
    GGUFVET_ASSERT(file.pairs.size() == file.header.pair_count);
    GGUFVET_ASSERT(file.tensors.size() == file.header.tensor_count);
  }
}

inline void check_equal(const Report& a, const Report& b) {
  GGUFVET_ASSERT(a.findings == b.findings);
  GGUFVET_ASSERT(a.verdict == b.verdict);
  GGUFVET_ASSERT(a.truncated == b.truncated);
  GGUFVET_ASSERT(a.counts.error == b.counts.error);
  GGUFVET_ASSERT(a.counts.warning == b.counts.warning);
  GGUFVET_ASSERT(a.counts.info == b.counts.info);
}

}  // namespace ggufvet::fuzz
