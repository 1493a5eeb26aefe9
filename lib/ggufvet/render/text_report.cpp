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

constexpr std::size_t kTextColumn = 10;  // where the words of a finding begin

// "tensor[3].offset, at byte 512, 8 bytes"
[[nodiscard]] std::string place_text(const Place& place, ByteRange where) {
  std::string text = fmt::format("{}, at byte {}", place.path, where.begin);
  if (!where.empty()) text += ", " + counted(where.size(), "byte", "bytes");
  return text;
}

void append_finding(std::string& out, const Finding& finding, const Vetted& vetted, const TextStyle& style) {
  const Rule& rule = *find_rule(finding.rule);
  const Place place = locate(vetted.facts, finding.where);
  const std::string where = place_text(place, finding.where);
  out += fmt::format(
      "  {} {}",
      inked(padded_right(severity_name(finding.severity), kTextColumn - 3), ink_of(finding.severity), style),
      inked(rule.slug, Ink::bold, style));
  const bool fits = style.width == 0 || kTextColumn + rule.slug.size() + 2 + columns_of(where) <= style.width;
  out += fits ? "  " + where + "\n" : "\n";
  const auto add = [&](std::string_view text) {
    append_wrapped(out, text, style.width, kTextColumn, kTextColumn);
  };
  if (!fits) add(where);
  add(message_of(finding, rule, vetted.facts));
  const std::string name = escaped(place.name);
  if (!name.empty() && place.path.find(name) == std::string::npos)
    add(fmt::format("in {} \"{}\"", place.path.starts_with("tensor[") ? "tensor" : "key", name));
  if (!finding.related.empty())
    add("see " + place_text(locate(vetted.facts, finding.related), finding.related));
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
    std::string advice;
    append_wrapped(advice, fmt::format("{}: {}", rule.slug, rule.advice), style.width, kTextColumn,
                   kTextColumn);
    out += "  " + inked(padded_right("next", kTextColumn - 3), Ink::cyan, style) +
           advice.substr(kTextColumn - 1);
  }
}

}  // namespace

std::string deep_summary_text(const DeepSummary& deep) {
  std::string text = fmt::format("{} of tensor data scanned in {}", human_bytes(deep.bytes_scanned),
                                 counted(deep.tensors_scanned, "tensor", "tensors"));
  if (deep.tensors_left_out > 0)
    text += fmt::format("; {} left out: overlapping, outside the file, or of unknown size",
                        counted(deep.tensors_left_out, "tensor", "tensors"));
  if (!deep.finished) text += "; not finished";
  return text;
}

std::string counts_text(const FindingCounts& counts) {
  std::string text;
  const auto add = [&text](std::uint64_t count, std::string_view one, std::string_view many) {
    if (count == 0) return;
    if (!text.empty()) text += ", ";
    text += counted(count, one, many);
  };
  add(counts.error, "error", "errors");
  add(counts.warning, "warning", "warnings");
  add(counts.info, "note", "notes");
  return text.empty() ? "no findings" : text;
}

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
                  inked(verdict_name(report.verdict), ink_of(report.verdict), style),
                  counts_text(report.counts), profile_name(report.profile), dialect(report.dialect).slug);
  append_wrapped(out, text_summary(vetted.file), style.width, 2, 2);
  if (report.deep.ran) out += "  " + deep_summary_text(report.deep) + "\n";
  for (const Finding& finding : report.findings) append_finding(out, finding, vetted, style);
  if (report.truncated)
    append_wrapped(out,
                   fmt::format("… only {} of {} are shown; --findings-max shows more",
                               with_separators(report.findings.size()), counts_text(report.counts)),
                   style.width, 2, 2);
  append_advice(out, report, style);
  return out;
}

std::string text_totals(const VerdictCounts& counts, const TextStyle& style) {
  const std::uint64_t files = counts.accept + counts.reject + counts.undecided;
  std::string text = counted(files, "file", "files") + ": ";
  bool first = true;
  const auto add = [&](std::uint64_t count, Verdict verdict, std::string_view word) {
    if (count == 0) return;
    text += fmt::format("{}{} {}", first ? "" : ", ", with_separators(count),
                        inked(word, ink_of(verdict), style));
    first = false;
  };
  add(counts.accept, Verdict::accept, "accepted");
  add(counts.reject, Verdict::reject, "rejected");
  add(counts.undecided, Verdict::undecided, "undecided");
  return text + "\n";
}

std::string text_unreadable(std::string_view path, std::string_view why, const TextStyle& style) {
  return fmt::format("{}: {} (not checked: {})\n", escaped(path, kPathShownMax),
                     inked(verdict_name(Verdict::undecided), ink_of(Verdict::undecided), style),
                     escaped(why, kPathShownMax));
}

}  // namespace ggufvet
