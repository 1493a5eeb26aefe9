// Every chat template of a file, scanned: the default one, the named ones, and each again where a key stands
// twice.
#pragma once

#include <vector>

#include "ggufvet/read/file_model.h"
#include "ggufvet/rules/template_scan.h"

namespace ggufvet {

inline constexpr std::string_view kTemplateKey = "tokenizer.chat_template";
inline constexpr std::string_view kTemplateNamedPrefix = "tokenizer.chat_template.";
inline constexpr std::string_view kTemplateListKey = "tokenizer.chat_templates";

struct TemplateFacts {
  std::uint32_t pair = 0;
  ScannedTemplate scan;

  // The place in the file of a mark or a problem.
  [[nodiscard]] static ByteRange place(const MetadataPair& pair, std::uint32_t begin, std::uint32_t end) {
    return {pair.text_field().begin + begin, pair.text_field().begin + end};
  }
};

[[nodiscard]] bool is_template_key(std::string_view key);

// Those with a problem or a mark only: a file can hold a million templates that say nothing.
[[nodiscard]] std::vector<TemplateFacts> derive_templates(const FileModel& file);

}  // namespace ggufvet
