// Where findings of a run go, and the order in which they are reported. Internal to the vet layer.
#pragma once

#include <algorithm>

#include "ggufvet/rules/rule_table.h"
#include "ggufvet/vet/report.h"

namespace ggufvet {

// Keeps the first findings, counts all of them. That something was not looked at is kept however many came
// before: it is what the verdict rests on, and there is little of it.
class Collector final : public FindingSink {
 public:
  Collector(Report& report, std::uint64_t findings_max) : report_(report), findings_max_(findings_max) {}

  Flow add(const Finding& finding) override {
    switch (finding.severity) {
      case Severity::error:
        ++report_.counts.error;
        break;
      case Severity::warning:
        ++report_.counts.warning;
        break;
      default:
        ++report_.counts.info;
    }
    if (report_.findings.size() < findings_max_ || tells_why_undecided(finding))
      report_.findings.push_back(finding);
    else
      report_.truncated = true;
    return Flow::go;
  }

 private:
  [[nodiscard]] static bool tells_why_undecided(const Finding& finding) {
    constexpr RuleId kFirstAboutOurselves{9000};  // a test holds the numbers to it
    return finding.rule >= kFirstAboutOurselves;
  }

  Report& report_;
  std::uint64_t findings_max_;
};

// By stage, then place, then rule number.
inline void sort_findings(std::vector<Finding>& findings) {
  std::stable_sort(findings.begin(), findings.end(), [](const Finding& a, const Finding& b) {
    const Stage stage_a = find_rule(a.rule)->stage;
    const Stage stage_b = find_rule(b.rule)->stage;
    if (stage_a != stage_b) return stage_a < stage_b;
    if (a.where.begin != b.where.begin) return a.where.begin < b.where.begin;
    return a.rule < b.rule;
  });
}

}  // namespace ggufvet
