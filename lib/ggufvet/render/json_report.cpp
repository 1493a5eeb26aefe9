#include "ggufvet/render/json_report.h"

#include "ggufvet/render/finding_view.h"
#include "ggufvet/render/json_text.h"
#include "ggufvet/rules/rule_table.h"
#include "ggufvet/types/type_registry.h"

namespace ggufvet {
namespace {

[[nodiscard]] Json json_range(ByteRange range) { return {{"begin", range.begin}, {"end", range.end}}; }

[[nodiscard]] Json json_finding(const FindingView& view) {
  Json json{{"rule", view.rule->slug},
            {"number", view.rule->id.number},
            {"severity", severity_name(view.severity)},
            {"class", class_name(view.rule->kind)},
            {"message", view.message},
            {"path", view.at.place.path},
            {"range", json_range(view.at.where)}};
  if (!view.at.file.empty()) json["file"] = std::string(view.at.file);
  if (!view.at.place.name.empty()) json["name"] = capped(view.at.place.name, 256);
  if (!view.related.where.empty()) {
    json["related"] = {{"path", view.related.place.path}, {"range", json_range(view.related.where)}};
    if (!view.related.file.empty()) json["related"]["file"] = std::string(view.related.file);
  }
  if (!view.rule->advice.empty()) json["advice"] = view.rule->advice;
  return json;
}

[[nodiscard]] Json json_head(std::string_view path, std::uint64_t bytes, Verdict verdict, Profile profile,
                             DialectId dialect_id, const FindingCounts& counts) {
  return {{"path", std::string(path)},
          {"bytes", bytes},
          {"verdict", verdict_name(verdict)},
          {"profile", profile_name(profile)},
          {"dialect", dialect(dialect_id).slug},
          {"counts", {{"error", counts.error}, {"warning", counts.warning}, {"info", counts.info}}}};
}

}  // namespace

std::string json_file(std::string_view path, const Vetted& vetted) {
  const Report& report = vetted.report;
  Json json =
      json_head(path, vetted.file.file_bytes, report.verdict, report.profile, report.dialect, report.counts);
  if (vetted.file.stage != ReadStage::header) {
    const Header& header = vetted.file.header;
    json["header"] = {{"version", header.version},
                      {"byte_order", header.byte_order == ByteOrder::big ? "big" : "little"},
                      {"metadata_pairs", header.pair_count},
                      {"tensors", header.tensor_count}};
  }
  json["findings"] = Json::array();
  for (const Finding& finding : report.findings)
    json["findings"].push_back(json_finding(view_of(finding, vetted)));
  json["truncated"] = report.truncated;
  json["bytes_read"] = report.bytes_read;
  if (report.deep.ran)
    json["deep"] = {{"finished", report.deep.finished},
                    {"bytes_scanned", report.deep.bytes_scanned},
                    {"tensors_scanned", report.deep.tensors_scanned},
                    {"tensors_left_out", report.deep.tensors_left_out},
                    {"tensors_not_judged", report.deep.tensors_not_judged}};
  if (!report.digest.empty())
    json["digest"] = {{"algorithm", report.digest_algorithm}, {"hex", report.digest}};
  return dumped(json);
}

std::string json_split_set(std::string_view path, const VettedSplitSet& set) {
  const Report& report = set.report;
  Json json = json_head(path, set.facts.merged.file_bytes, report.verdict, report.profile, report.dialect,
                        report.counts);
  Json shards = Json::array();
  for (const auto& shard : set.shards) shards.push_back(std::string(shard->facts.file_name));
  json["split_set"] = {
      {"count", set.facts.count}, {"tensors", set.facts.tensor_count}, {"shards", std::move(shards)}};
  json["findings"] = Json::array();
  for (const Finding& finding : report.findings)
    json["findings"].push_back(json_finding(view_of(finding, set)));
  json["truncated"] = report.truncated;
  json["bytes_read"] = report.bytes_read;
  return dumped(json);
}

std::string json_unreadable(std::string_view path, std::string_view why, Profile profile,
                            DialectId dialect_id) {
  Json json =
      json_head(path, 0, Verdict::undecided, profile, dialect_id, {.error = 1, .warning = 0, .info = 0});
  const Rule& rule = *find_rule(RuleId{9101});
  json["findings"] = Json::array();  // braces around one object would be that object
  json["findings"].push_back({{"rule", rule.slug},
                              {"number", rule.id.number},
                              {"severity", severity_name(Severity::error)},
                              {"class", class_name(rule.kind)},
                              {"message", std::string(why)},
                              {"path", "file"},
                              {"range", json_range({})},
                              {"advice", rule.advice}});
  json["truncated"] = false;
  json["bytes_read"] = 0;
  return dumped(json);
}

std::string json_begin(std::string_view tool_version) {
  return "{\"schema\":\"ggufvet.report/1\",\"tool\":{\"name\":\"ggufvet\",\"version\":" +
         dumped(Json(std::string(tool_version))) + "},\"files\":[\n";
}

std::string json_end() { return "\n]}\n"; }

std::string json_line(std::string_view tool_version, std::string_view file) {
  return "{\"schema\":\"ggufvet.report/1\",\"tool\":{\"name\":\"ggufvet\",\"version\":" +
         dumped(Json(std::string(tool_version))) + "},\"files\":[" + std::string(file) + "]}\n";
}

}  // namespace ggufvet
