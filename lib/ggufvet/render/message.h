// A finding in words: the rule's template with its numbers filled in. Everything that comes from the file is
// escaped and capped here.
#pragma once

#include <string>
#include <string_view>

#include "ggufvet/rules/model_facts.h"
#include "ggufvet/rules/rule.h"

namespace ggufvet {

[[nodiscard]] std::string message_of(const Finding& finding, const Rule& rule, const ModelFacts& facts);
// Of a split set: `facts` are those of the shard that the finding's range lies in, `model` the merged
// model's, whose tensors its numbers count.
[[nodiscard]] std::string message_of(const Finding& finding, const Rule& rule, const ModelFacts& facts,
                                     const ModelFacts& model);

// Whether message_of knows what to put in the place of "{word}"; a test asks it for every word of every rule.
[[nodiscard]] bool is_known_word(std::string_view word);

// The template with a word for each place, as in "N bytes before offset M", for people who look a rule up.
[[nodiscard]] std::string readable_template(std::string_view text);

// 1234567 -> "1,234,567"; and "1.18 MiB" for the eye.
[[nodiscard]] std::string with_separators(std::uint64_t value);
[[nodiscard]] std::string human_bytes(std::uint64_t bytes);

}  // namespace ggufvet
