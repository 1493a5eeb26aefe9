// Any text as a chat template: reading it ends, twice alike, with every place inside the text and every bound
// kept.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "ggufvet/base/assert.h"
#include "ggufvet/rules/template_parser.h"
#include "ggufvet/rules/template_scan.h"

namespace {

using namespace ggufvet;

// Tokens lie in order and apart; links lead to tokens.
void check_tokens(std::string_view text, const LexedTemplate& lexed) {
  GGUFVET_ASSERT(lexed.tokens.size() <= kTemplateTokensMax);
  std::uint64_t end = 0;
  for (const TemplateToken& token : lexed.tokens) {
    GGUFVET_ASSERT(token.begin >= end);
    end = std::uint64_t{token.begin} + token.bytes;
    GGUFVET_ASSERT(token.link < lexed.tokens.size());
  }
  GGUFVET_ASSERT(end <= text.size());
}

void check_scan(std::string_view text, const ScannedTemplate& scanned) {
  GGUFVET_ASSERT(scanned.problem_at <= text.size());
  GGUFVET_ASSERT(scanned.marks.size() <= kTemplateMarkCount * kTemplateMarksMax);
  std::array<std::uint32_t, kTemplateMarkCount> kept{};
  for (const MarkedPlace& mark : scanned.marks) {
    GGUFVET_ASSERT(mark.begin <= mark.end && mark.end <= text.size());
    ++kept[static_cast<std::size_t>(mark.mark)];
  }
  for (std::size_t kind = 0; kind < kept.size(); ++kind)
    GGUFVET_ASSERT(kept[kind] == std::min<std::uint32_t>(scanned.counts[kind], kTemplateMarksMax));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  LexedTemplate lexed = lex_template(text);
  parse_template(text, lexed);
  check_tokens(text, lexed);
  const ScannedTemplate first = scan_template(text);
  const ScannedTemplate again = scan_template(text);
  check_scan(text, first);
  GGUFVET_ASSERT(first.problem == lexed.problem && first.problem_at == lexed.problem_at);
  GGUFVET_ASSERT(first.problem == again.problem && first.problem_at == again.problem_at);
  GGUFVET_ASSERT(first.counts == again.counts && first.marks.size() == again.marks.size());
  // Text in front of a template moves what is found, and changes nothing else: outside of spans all is text.
  if (size < kTemplateBytesMax / 2 && first.problem == TemplateProblem::none) {
    const std::string moved = "prose. " + std::string(text);
    const ScannedTemplate after = scan_template(moved);
    GGUFVET_ASSERT(after.problem == TemplateProblem::none ||
                   after.problem == TemplateProblem::too_many_tokens);
    if (after.problem == TemplateProblem::none) GGUFVET_ASSERT(after.counts[0] == first.counts[0]);
  }
  return 0;
}
