#include "ggufvet/render/catalogue.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "ggufvet/render/json_text.h"
#include "ggufvet/render/message.h"
#include "ggufvet/rules/rule_table.h"
#include "ggufvet/types/layout_drawing.h"
#include "ggufvet/types/type_registry.h"
#include "ggufvet/vet/profile.h"

namespace ggufvet {
namespace {

[[nodiscard]] Json json_tool(std::string_view schema, std::string_view version) {
  return {{"schema", schema}, {"tool", {{"name", "ggufvet"}, {"version", std::string(version)}}}};
}

[[nodiscard]] Json json_levels(const Rule& rule) {
  Json levels;
  for (const ProfileInfo& info : kProfiles) levels[info.name] = severity_name(level_of(rule, info.profile));
  return levels;
}

[[nodiscard]] Json json_rule(const Rule& rule) {
  return {{"number", rule.id.number},
          {"slug", rule.slug},
          {"class", class_name(rule.kind)},
          {"stage", stage_name(rule.stage)},
          {"levels", json_levels(rule)},
          {"text", rule.text},
          {"why", rule.why},
          {"advice", rule.advice},
          {"sources", rule.sources}};
}

[[nodiscard]] Json json_type(const TypeInfo& type) {
  return {{"id", type.id},
          {"name", type.name},
          {"dialect", dialect(type.dialect).slug},
          {"status", status_word(type.status)},
          {"layout", type.layout->label},
          {"elements_per_block", type.layout->block_elements},
          {"bytes_per_block", type.layout->block_bytes},
          {"bytes_per_row_header", type.layout->row_header_bytes},
          {"bytes_per_tensor_trailer", type.layout->tensor_trailer_bytes},
          {"storable", type.storable},
          {"note", type.note}};
}

[[nodiscard]] std::string_view dialect_status_word(DialectStatus status) {
  switch (status) {
    case DialectStatus::current:
      return "current";
    case DialectStatus::historical:
      return "historical";
    case DialectStatus::proposal:
      return "proposal";
  }
  return "proposal";
}

[[nodiscard]] std::string geometry(const TypeInfo& type) {
  std::string text;
  append_geometry(*type.layout, text);
  return text;
}

void append_section(std::string& out, std::string_view title, std::string_view text, const TextStyle& style) {
  if (text.empty()) return;
  out += inked(title, Ink::cyan, style) + "\n";
  append_wrapped(out, text, style.width == 0 ? 100 : style.width, 2, 2);
}

}  // namespace

std::string rules_text(const TextStyle& style) {
  const auto line = [&style](std::string_view number, std::string_view slug, std::string_view kind,
                             std::string_view hardened, std::string_view publish, std::string_view spec,
                             std::string_view ggml) {
    const std::string text = fmt::format("{:>6}  {:<30} {:<9} {:<8} {:<7} {:<7} {}", number, slug, kind,
                                         hardened, publish, spec, ggml);
    return fitted(text, style.width) + "\n";
  };
  std::string out = line("number", "slug", "class", "hardened", "publish", "spec", "ggml");
  for (const std::span<const Rule> family : rule_families())
    for (const Rule& rule : family)
      out += line(std::to_string(rule.id.number), rule.slug, class_name(rule.kind),
                  severity_name(rule.levels.hardened), severity_name(rule.levels.publish),
                  severity_name(rule.levels.spec), severity_name(rule.levels.ggml));
  append_wrapped(out, "`ggufvet explain SLUG` says more.", style.width, 0, 0);
  return out;
}

std::string rules_json(std::string_view tool_version) {
  Json json = json_tool("ggufvet.rules/1", tool_version);
  json["rules"] = Json::array();
  for (const std::span<const Rule> family : rule_families())
    for (const Rule& rule : family) json["rules"].push_back(json_rule(rule));
  return dumped(json) + "\n";
}

std::string explain_rule_text(const Rule& rule, const TextStyle& style) {
  std::string out = fmt::format("{}  (rule {}, {}, stage {})\n", inked(rule.slug, Ink::bold, style),
                                rule.id.number, class_name(rule.kind), stage_name(rule.stage));
  append_section(out, "what it says", readable_template(rule.text), style);
  append_section(out, "why it matters", rule.why, style);
  append_section(out, "what to do", rule.advice, style);
  append_section(out, "who says what", rule.sources, style);
  out += inked("how bad", Ink::cyan, style) + "\n";
  for (const ProfileInfo& info : kProfiles)
    append_wrapped(
        out,
        fmt::format("{:<9} {:<8} {}", info.name, severity_name(level_of(rule, info.profile)), info.question),
        style.width, 2, 21);
  return out;
}

std::string explain_json(std::string_view query, std::string_view tool_version) {
  Json json = json_tool("ggufvet.explain/1", tool_version);
  json["query"] = std::string(query);
  json["rules"] = Json::array();
  if (const Rule* const rule = find_rule(query)) json["rules"].push_back(json_rule(*rule));
  json["types"] = Json::array();
  for (const TypeInfo* const type : find_types(query)) json["types"].push_back(json_type(*type));
  return dumped(json) + "\n";
}

std::string types_text(DialectId id, const TextStyle& style) {
  const Dialect& info = dialect(id);
  std::string out = fmt::format("{}: {}\n", inked(info.slug, Ink::bold, style), info.title);
  for (std::size_t index = 0; index < known_type_count(id); ++index) {
    const TypeInfo& type = known_type(id, index);
    const std::string from = type.dialect == id ? "" : fmt::format(", from {}", dialect(type.dialect).slug);
    const std::string line =
        fmt::format("  {:>4}  {:<16} {:<9} {}{}{}", type.id, type.name, status_word(type.status),
                    geometry(type), type.storable ? "" : ", not written to files", from);
    out += fitted(line, style.width) + "\n";
  }
  append_wrapped(out, "`ggufvet explain NAME` draws a layout; `ggufvet types --dialects` lists the dialects.",
                 style.width, 0, 0);
  return out;
}

std::string types_json(DialectId id, std::string_view tool_version) {
  Json json = json_tool("ggufvet.types/1", tool_version);
  json["dialect"] = dialect(id).slug;
  json["types"] = Json::array();
  for (std::size_t index = 0; index < known_type_count(id); ++index)
    json["types"].push_back(json_type(known_type(id, index)));
  return dumped(json) + "\n";
}

std::string conflicts_text(const TextStyle& style) {
  std::string out;
  for (const std::uint16_t id : conflicts()) {
    out += inked(fmt::format("id {}", id), Ink::bold, style) + "\n";
    for (const TypeInfo* const type : claims_of(id)) {
      const std::string line = fmt::format("  {:<22} {:<14} {:<9} {}", dialect(type->dialect).slug,
                                           type->name, status_word(type->status), geometry(*type));
      out += fitted(line, style.width) + "\n";
    }
  }
  return out;
}

std::string conflicts_json(std::string_view tool_version) {
  Json json = json_tool("ggufvet.conflicts/1", tool_version);
  json["conflicts"] = Json::array();
  for (const std::uint16_t id : conflicts()) {
    Json claims = Json::array();
    for (const TypeInfo* const type : claims_of(id)) claims.push_back(json_type(*type));
    json["conflicts"].push_back({{"id", id}, {"claims", claims}});
  }
  return dumped(json) + "\n";
}

std::string dialects_text(const TextStyle& style) {
  std::string out;
  for (const Dialect& info : dialects()) {
    const std::string span = info.span.empty() ? "" : fmt::format("; {}", info.span);
    out += fitted(fmt::format("  {:<24} {}{}", info.slug, info.title, span), style.width) + "\n";
  }
  return out;
}

std::string dialects_json(std::string_view tool_version) {
  Json json = json_tool("ggufvet.dialects/1", tool_version);
  json["dialects"] = Json::array();
  for (const Dialect& info : dialects())
    json["dialects"].push_back({{"slug", info.slug},
                                {"alias", info.alias},
                                {"title", info.title},
                                {"status", dialect_status_word(info.status)},
                                {"span", info.span},
                                {"types", known_type_count(info.id)}});
  return dumped(json) + "\n";
}

}  // namespace ggufvet
