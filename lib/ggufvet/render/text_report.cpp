#include "ggufvet/render/text_report.h"

#include <fmt/format.h>

#include "ggufvet/base/text.h"
#include "ggufvet/render/locate.h"
#include "ggufvet/render/message.h"
#include "ggufvet/rules/rule_table.h"
#include "ggufvet/types/type_registry.h"

namespace ggufvet {
namespace {

constexpr std::size_t kPathShownMax = 4096;

[[nodiscard]] std::string counted(std::uint64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", with_separators(count), count == 1 ? one : many);
}

[[nodiscard]] std::string counts_text(const Report& report) {
  std::string text;
  const auto add = [&text](std::uint64_t count, std::string_view one, std::string_view many) {
    if (count == 0) return;
    if (!text.empty()) text += ", ";
    text += counted(count, one, many);
  };
  add(report.counts.error, "error", "errors");
  add(report.counts.warning, "warning", "warnings");
  add(report.counts.info, "note", "notes");
  return text.empty() ? "no findings" : text;
}

void append_finding(std::string& out, const Finding& finding, const Vetted& vetted, const TextStyle& style) {
  const Rule& rule = *find_rule(finding.rule);
  const Place place = locate(vetted.facts, finding.where);
  out += fmt::format("  {} {}  {}  bytes {}-{}\n",
                     inked(padded_right(severity_name(finding.severity), 7), ink_of(finding.severity), style),
                     inked(rule.slug, Ink::bold, style), place.path, finding.where.begin, finding.where.end);
  out += fmt::format("          {}\n", message_of(finding, rule, vetted.facts));
  if (!place.name.empty() && place.path.starts_with("tensor["))
    out += fmt::format("          in tensor \"{}\"\n", escaped(place.name));
  if (!finding.related.empty()) {
    const Place related = locate(vetted.facts, finding.related);
    out += fmt::format("          see {}, bytes {}-{}\n", related.path, finding.related.begin,
                       finding.related.end);
  }
}

// What to do next, once for each rule, in order of first appearance.
void append_advice(std::string& out, const Report& report, const TextStyle& style) {
  std::vector<RuleId> said;
  for (const Finding& finding : report.findings) {
    if (finding.severity == Severity::info) continue;
    bool again = false;
    for (const RuleId id : said) again |= id == finding.rule;
    if (again) continue;
    said.push_back(finding.rule);
    const Rule& rule = *find_rule(finding.rule);
    if (rule.advice.empty()) continue;
    out += fmt::format("  {} {}: {}\n", inked("next:", Ink::cyan, style), rule.slug, rule.advice);
  }
}

}  // namespace

std::string text_summary(const FileModel& file) {
  if (file.stage == ReadStage::header) return counted(file.file_bytes, "byte", "bytes");
  return fmt::format("GGUF v{}, {}, {}, {}, {}", file.header.version,
                     file.header.byte_order == ByteOrder::big ? "big-endian" : "little-endian",
                     counted(file.header.pair_count, "metadata pair", "metadata pairs"),
                     counted(file.header.tensor_count, "tensor", "tensors"), human_bytes(file.file_bytes));
}

std::string text_report(std::string_view path, const Vetted& vetted, const TextStyle& style) {
  const Report& report = vetted.report;
  std::string out =
      fmt::format("{}: {} ({}; profile {}, dialect {})\n", escaped(path, kPathShownMax),
                  inked(verdict_name(report.verdict), ink_of(report.verdict), style), counts_text(report),
                  profile_name(report.profile), dialect(report.dialect).slug);
  out += fmt::format("  {}\n", text_summary(vetted.file));
  for (const Finding& finding : report.findings) append_finding(out, finding, vetted, style);
  if (report.truncated)
    out += fmt::format("  … only the first {} findings are shown\n", with_separators(report.findings.size()));
  append_advice(out, report, style);
  return out;
}

std::string text_unreadable(std::string_view path, std::string_view why, const TextStyle& style) {
  return fmt::format("{}: {} (not checked: {})\n", escaped(path, kPathShownMax),
                     inked(verdict_name(Verdict::undecided), ink_of(Verdict::undecided), style), why);
}

}  // namespace ggufvet
