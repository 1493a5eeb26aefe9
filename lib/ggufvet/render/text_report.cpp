#include "ggufvet/render/text_report.h"

#include <fmt/format.h>

#include "ggufvet/base/text.h"
#include "ggufvet/render/finding_view.h"
#include "ggufvet/render/message.h"
#include "ggufvet/rules/rule_table.h"
#include "ggufvet/types/type_registry.h"

namespace ggufvet {
namespace {

constexpr std::size_t kPathShownMax = 4096;

constexpr std::size_t kTextColumn = 10;  // where the words of a finding begin

// "tensor[3].offset, at byte 512, 8 bytes"; of a split set with the shard's name in front
[[nodiscard]] std::string place_text(const PlaceView& view) {
  std::string text = view.file.empty() ? "" : escaped(view.file, kPathShownMax) + ": ";
  text += fmt::format("{}, at byte {}", view.place.path, view.where.begin);
  if (!view.where.empty()) text += ", " + counted(view.where.size(), "byte", "bytes");
  return text;
}

void append_finding(std::string& out, const FindingView& view, const TextStyle& style) {
  const std::string_view slug = view.rule->slug;
  const std::string where = place_text(view.at);
  out += fmt::format(
      "  {} {}",
      inked(padded_right(severity_name(view.severity), kTextColumn - 3), ink_of(view.severity), style),
      inked(slug, Ink::bold, style));
  const bool fits = style.width == 0 || kTextColumn + slug.size() + 2 + columns_of(where) <= style.width;
  out += fits ? "  " + where + "\n" : "\n";
  const auto add = [&](std::string_view text) {
    append_wrapped(out, text, style.width, kTextColumn, kTextColumn);
  };
  if (!fits) add(where);
  add(view.message);
  const std::string name = escaped(view.at.place.name);
  if (!name.empty() && view.at.place.path.find(name) == std::string::npos)
    add(fmt::format("in {} \"{}\"", view.at.place.path.starts_with("tensor[") ? "tensor" : "key", name));
  if (!view.related.where.empty()) add("see " + place_text(view.related));
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

namespace {

[[nodiscard]] std::string report_head(std::string_view path, const Report& report, const TextStyle& style) {
  return fmt::format("{}: {} ({}; profile {}, dialect {})\n", escaped(path, kPathShownMax),
                     inked(verdict_name(report.verdict), ink_of(report.verdict), style),
                     counts_text(report.counts), profile_name(report.profile), dialect(report.dialect).slug);
}

void append_report_end(std::string& out, const Report& report, const TextStyle& style) {
  if (report.truncated)
    append_wrapped(out,
                   fmt::format("… only {} of {} are shown; --findings-max shows more",
                               with_separators(report.findings.size()), counts_text(report.counts)),
                   style.width, 2, 2);
  append_advice(out, report, style);
}

}  // namespace

std::string text_report(std::string_view path, const Vetted& vetted, const TextStyle& style) {
  std::string out = report_head(path, vetted.report, style);
  append_wrapped(out, text_summary(vetted.file), style.width, 2, 2);
  if (vetted.report.deep.ran) append_wrapped(out, deep_summary_text(vetted.report.deep), style.width, 2, 2);
  if (!vetted.report.digest.empty())
    out += fmt::format("  {} {}\n", vetted.report.digest_algorithm, vetted.report.digest);
  for (const Finding& finding : vetted.report.findings) append_finding(out, view_of(finding, vetted), style);
  append_report_end(out, vetted.report, style);
  return out;
}

std::string text_split_set(std::string_view path, const VettedSplitSet& set, const TextStyle& style) {
  std::string out = report_head(path, set.report, style);
  append_wrapped(
      out,
      fmt::format("split set, {} of {} shards, {}, {}", with_separators(set.shards.size()),
                  with_separators(set.facts.count), counted(set.facts.tensor_count, "tensor", "tensors"),
                  human_bytes(set.facts.merged.file_bytes)),
      style.width, 2, 2);
  for (const Finding& finding : set.report.findings) append_finding(out, view_of(finding, set), style);
  append_report_end(out, set.report, style);
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
