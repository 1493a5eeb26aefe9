// One walk over a tokenizer's merges: is each made of two parts, and are these tokens?
#pragma once

#include "ggufvet/read/file_model.h"
#include "ggufvet/rules/token_set.h"
#include "ggufvet/rules/vocabulary_facts.h"

namespace ggufvet {

// Fills what `facts` says of merges. facts.pairs.merges is an array of strings.
void walk_merges(const FileModel& file, const TokenSet& tokens, VocabularyFacts& facts);

}  // namespace ggufvet
