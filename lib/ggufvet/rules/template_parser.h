// The grammar of Jinja2's templates over the tokens of a lexed one: tells whether it parses, and what each
// token is. It keeps its own stack instead of recursing, so that no template can exhaust ours.
//
// Known are Jinja2's own tags and what model loaders add: break, continue, and generation (which marks the
// answer's text in training). Looser than Jinja2 in one place: what follows import, from, include and extends
// is not looked at, since their being there is already a finding. Filters, tests and variables are not looked
// up.
#pragma once

#include "ggufvet/rules/template_lexer.h"

namespace ggufvet {

// Fills roles and links of the tokens; on a problem, problem and problem_at. Does nothing when lexing failed,
// but for the tokens before the failure, which get their roles as far as they parse.
void parse_template(std::string_view text, LexedTemplate& lexed);

}  // namespace ggufvet
