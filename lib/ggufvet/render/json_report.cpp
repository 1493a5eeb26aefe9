#include "ggufvet/render/json_report.h"

#include "ggufvet/render/json_text.h"
#include "ggufvet/render/locate.h"
#include "ggufvet/render/message.h"
#include "ggufvet/rules/rule_table.h"
#include "ggufvet/types/type_registry.h"

namespace ggufvet {
namespace {

[[nodiscard]] Json json_range(ByteRange range) { return {{"begin", range.begin}, {"end", range.end}}; }

[[nodiscard]] Json json_finding(const Finding& finding, const Vetted& vetted) {
  const Rule& rule = *find_rule(finding.rule);
  const Place place = locate(vetted.facts, finding.where);
  Json json{{"rule", rule.slug},
            {"number", rule.id.number},
            {"severity", severity_name(finding.severity)},
            {"class", class_name(rule.kind)},
            {"message", message_of(finding, rule, vetted.facts)},
            {"path", place.path},
            {"range", json_range(finding.where)}};
  if (!place.name.empty()) json["name"] = capped(place.name, 256);
  if (!finding.related.empty())
    json["related"] = {{"path", locate(vetted.facts, finding.related).path},
                       {"range", json_range(finding.related)}};
  if (!rule.advice.empty()) json["advice"] = rule.advice;
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
  for (const Finding& finding : report.findings) json["findings"].push_back(json_finding(finding, vetted));
  json["truncated"] = report.truncated;
  json["bytes_read"] = report.bytes_read;
  if (report.deep.ran)
    json["deep"] = {{"finished", report.deep.finished},
                    {"bytes_scanned", report.deep.bytes_scanned},
                    {"tensors_scanned", report.deep.tensors_scanned},
                    {"tensors_left_out", report.deep.tensors_left_out},
                    {"tensors_not_judged", report.deep.tensors_not_judged}};
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
