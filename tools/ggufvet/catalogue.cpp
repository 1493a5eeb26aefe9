// rules, types and explain: what the tables say.
#include "ggufvet/render/catalogue.h"

#include "commands.h"
#include "ggufvet/rules/rule_table.h"
#include "ggufvet/types/layout_drawing.h"
#include "ggufvet/types/type_registry.h"
#include "output.h"

namespace ggufvet::tool {
namespace {

[[nodiscard]] int finish(Output& output) {
  return output.finish() ? kExitAccepted : world_error(output.problem());
}

}  // namespace

int run_rules(const CatalogueOptions& options) {
  Output output(options.output);
  if (!output.ok()) return world_error(output.problem());
  output.write(options.format == "json" ? rules_json(GGUFVET_VERSION) : rules_text(output.style()));
  return finish(output);
}

int run_types(const CatalogueOptions& options) {
  DialectId id = DialectId::ggml;
  if (!options.dialect.empty()) {
    const auto found = find_dialect(options.dialect);
    if (!found)
      return usage_error("no dialect is called \"" + options.dialect +
                         "\"; `ggufvet types --dialects` lists them");
    id = *found;
  }
  Output output(options.output);
  if (!output.ok()) return world_error(output.problem());
  const bool json = options.format == "json";
  if (options.subject == "dialects")
    output.write(json ? dialects_json(GGUFVET_VERSION) : dialects_text(output.style()));
  else if (options.conflicts)
    output.write(json ? conflicts_json(GGUFVET_VERSION) : conflicts_text(output.style()));
  else
    output.write(json ? types_json(id, GGUFVET_VERSION) : types_text(id, output.style()));
  return finish(output);
}

int run_explain(const CatalogueOptions& options) {
  const Rule* const rule = find_rule(options.subject);
  if (rule == nullptr && find_types(options.subject).empty())
    return usage_error("\"" + options.subject +
                       "\" is neither a rule nor a type; `ggufvet rules` and `ggufvet types` list them");
  Output output(options.output);
  if (!output.ok()) return world_error(output.problem());
  if (options.format == "json") {
    output.write(explain_json(options.subject, GGUFVET_VERSION));
    return finish(output);
  }
  std::string text;
  if (rule != nullptr) text = explain_rule_text(*rule, output.style());
  static_cast<void>(describe_type(options.subject, text));
  output.write(text);
  return finish(output);
}

}  // namespace ggufvet::tool
