#include "ggufvet/rules/template_facts.h"

namespace ggufvet {

bool is_template_key(std::string_view key) {
  return key == kTemplateKey || key.starts_with(kTemplateNamedPrefix);
}

std::vector<TemplateFacts> derive_templates(const FileModel& file) {
  std::vector<TemplateFacts> templates;
  for (std::uint32_t index = 0; index < file.pairs.size(); ++index) {
    const MetadataPair& pair = file.pairs[index];
    if (!pair.is(ValueType::string) || !is_template_key(pair.key)) continue;
    ScannedTemplate scan = scan_template(pair.text);
    if (scan.problem != TemplateProblem::none || !scan.marks.empty())
      templates.push_back({index, std::move(scan)});
  }
  return templates;
}

}  // namespace ggufvet
