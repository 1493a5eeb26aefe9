// The vocabulary: its arrays against each other, against the embedding, and what each kind of tokenizer
// needs.
#include <algorithm>
#include <array>

#include "ggufvet/rules/key_ids.h"
#include "ggufvet/rules/meaning_levels.h"
#include "ggufvet/rules/rule_families.h"

namespace ggufvet {
namespace {

constexpr KeyId kModel = key_id("tokenizer.ggml.model");

// A model's own files, and vocabularies to test tokenizers with.
[[nodiscard]] bool has_text(const MeaningFacts& facts) {
  return facts.role == FileRole::model || facts.role == FileRole::vocabulary ||
         facts.role == FileRole::metadata;
}

[[nodiscard]] ByteRange tokens_count_field(const MeaningFacts& facts) {
  return facts.vocabulary.pairs.tokens->count_field();
}

// A note for arrays that run beside the tokens: shorter or longer than they are.
enum class Length : std::uint8_t { shorter, longer };

void raise_length(const MeaningFacts& facts, const MetadataPair* pair, Length wanted, const Raise& raise) {
  const VocabularyFacts& vocabulary = facts.vocabulary;
  if (!vocabulary.has_tokens || pair == nullptr || pair->depth != 1) return;
  const bool shorter = pair->bits < vocabulary.token_count;
  const bool longer = pair->bits > vocabulary.token_count;
  if (wanted == Length::shorter ? shorter : longer)
    raise.with_related(pair->count_field(), tokens_count_field(facts), pair->bits, vocabulary.token_count);
}

void raise_fault(const Fault& fault, const Raise& raise) {
  if (fault) raise.with_related(fault.where, fault.related, fault.count, fault.index);
}

// What architectures with rows name by n_vocab is the number of tokens.
[[nodiscard]] bool embeds_tokens(const MeaningFacts& facts) {
  if (facts.role != FileRole::model || facts.token_embedding == nullptr || facts.architecture_name.empty())
    return false;
  if (facts.architecture != nullptr) return true;
  const KnownName* const known = find_known_architecture(facts.architecture_name);
  return known != nullptr && known->used_by == "mainline";
}

constexpr std::string_view kAsk = "Ask its publisher for a correct file, or convert the model again.";

constexpr Rule kRows[] = {
    {.id = {3401},
     .slug = "tokenizer-model-missing",
     .stage = Stage::meaning,
     .levels = kLoadError,
     .text = "tokenizer.ggml.model is not there: nothing says how text is cut into tokens",
     .why = "Loaders refuse the model.",
     .advice = kAsk,
     .sources =
         "Mainline requires the key of every language model; for one without a vocabulary it holds \"none\".",
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           if (facts.role == FileRole::model && facts.architecture != nullptr &&
               facts.pair(kModel) == nullptr)
             raise(facts.metadata_place());
         }},
    {.id = {3402},
     .slug = "tokenizer-model-unknown",
     .stage = Stage::meaning,
     .levels = kWarning,
     .text = "tokenizer.ggml.model is {text}, which no tokenizer that ggufvet knows is called",
     .why = "A loader that does not know it refuses the model. What such a tokenizer needs was not checked.",
     .advice = "Use the program that the publisher names, or a recent release of the loader.",
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           if (has_text(facts) && facts.vocabulary.kind == TokenizerKind::unknown)
             raise(value_place(*facts.pair(kModel)));
         }},
    {.id = {3403},
     .slug = "tokens-missing",
     .stage = Stage::meaning,
     .levels = kLoadError,
     .text = "a tokenizer without tokenizer.ggml.tokens",
     .why = "Loaders refuse the model: there is no vocabulary to cut text into.",
     .advice = kAsk,
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           const TokenizerKind kind = facts.vocabulary.kind;
           const bool needs = kind != TokenizerKind::absent && kind != TokenizerKind::none;
           if (has_text(facts) && needs && !facts.vocabulary.has_tokens) {
             const MetadataPair* const tokens = facts.vocabulary.pairs.tokens;
             raise(tokens != nullptr ? value_place(*tokens) : value_place(*facts.pair(kModel)));
           }
         }},
    {.id = {3404},
     .slug = "tokens-empty",
     .stage = Stage::meaning,
     .levels = kLoadError,
     .text = "the vocabulary has no token",
     .why = "Every text is cut into nothing, and every id is out of range.",
     .advice = kAsk,
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           if (facts.vocabulary.has_tokens && facts.vocabulary.token_count == 0)
             raise(tokens_count_field(facts));
         }},
    {.id = {3405},
     .slug = "scores-too-short",
     .stage = Stage::meaning,
     .levels = kLoadAndSpecError,
     .text = "{0} scores for {1} tokens",
     .why = "Readers take one for each token, and read past the end.",
     .advice = "Do not load it; convert the model again.",
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           raise_length(facts, facts.vocabulary.pairs.scores, Length::shorter, raise);
         }},
    {.id = {3406},
     .slug = "token-types-too-short",
     .stage = Stage::meaning,
     .levels = kLoadAndSpecError,
     .text = "{0} token types for {1} tokens",
     .why = "Readers take one for each token, and read past the end.",
     .advice = "Do not load it; convert the model again.",
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           raise_length(facts, facts.vocabulary.pairs.types, Length::shorter, raise);
         }},
    {.id = {3407},
     .slug = "tokenizer-array-too-long",
     .stage = Stage::meaning,
     .levels = {.spec = Severity::error,
                .hardened = Severity::warning,
                .publish = Severity::error,
                .ggml = Severity::off},
     .text = "{0} values beside {1} tokens",
     .why = "The format asks for one for each token; readers ignore the rest, or the tokens were cut.",
     .advice = kAsk,
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           raise_length(facts, facts.vocabulary.pairs.scores, Length::longer, raise);
           raise_length(facts, facts.vocabulary.pairs.types, Length::longer, raise);
         }},
    {.id = {3408},
     .slug = "scores-missing",
     .stage = Stage::meaning,
     .levels = kNoteOrPublishWarning,
     .text = "a vocabulary of the SentencePiece kind without scores",
     .why = "Scores decide which pieces are joined first; without them every text is cut badly.",
     .advice = "Fine for a test. For a model, convert it again.",
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           const TokenizerKind kind = facts.vocabulary.kind;
           const bool needs = kind == TokenizerKind::sentencepiece || kind == TokenizerKind::unigram;
           if (needs && facts.vocabulary.has_tokens && facts.vocabulary.pairs.scores == nullptr)
             raise(tokens_count_field(facts));
         }},
    {.id = {3409},
     .slug = "score-not-a-number",
     .stage = Stage::meaning,
     .levels = kLoadError,
     .text = "score {1} is not a number ({0} are not)",
     .why = "Tokenizers sort by scores; an order with such values in it is undefined.",
     .advice = kAsk,
     .check_meaning = [](const MeaningFacts& facts,
                         const Raise& raise) { raise_fault(facts.vocabulary.score_nan, raise); }},
    {.id = {3410},
     .slug = "token-type-unknown",
     .stage = Stage::meaning,
     .levels = kPublishError,
     .text = "the type of token {1} is none of 0 to 6 ({0} are not)",
     .why = "Readers treat such a token as ordinary text, or index a table by it.",
     .advice = kAsk,
     .check_meaning = [](const MeaningFacts& facts,
                         const Raise& raise) { raise_fault(facts.vocabulary.type_unknown, raise); }},
    {.id = {3411},
     .slug = "token-duplicate",
     .stage = Stage::meaning,
     .levels = kPublishError,
     .text = "token {1} is {text}, which an earlier token is as well ({0} such tokens)",
     .why = "A text has one id and an id one text: some loaders stop, others never use one of the two.",
     .advice = "Try it. A publisher gives each token a text of its own, [UNUSED_5] for example.",
     .sources = "Mainline warns of a mismatch of tokens and texts; others abort.",
     .check_meaning = [](const MeaningFacts& facts,
                         const Raise& raise) { raise_fault(facts.vocabulary.duplicate_token, raise); }},
    {.id = {3412},
     .slug = "token-empty",
     .stage = Stage::meaning,
     .levels = kNoteOrPublishWarning,
     .text = "token {1} is empty ({0} are)",
     .why = "It matches everywhere and says nothing; mainline replaces it by a made-up text.",
     .advice = "Mostly harmless. A publisher names unused tokens.",
     .check_meaning = [](const MeaningFacts& facts,
                         const Raise& raise) { raise_fault(facts.vocabulary.empty_token, raise); }},
    {.id = {3413},
     .slug = "token-too-long",
     .stage = Stage::meaning,
     .levels = kPublishError,
     .text = "token {1} has more than 65,536 bytes ({0} have)",
     .why = "No vocabulary has such a token; readers with lengths of 16 or 31 bits cut or overflow.",
     .advice = kAsk,
     .check_meaning = [](const MeaningFacts& facts,
                         const Raise& raise) { raise_fault(facts.vocabulary.long_token, raise); }},
    {.id = {3420},
     .slug = "byte-tokens-incomplete",
     .stage = Stage::meaning,
     .levels = kWarning,
     .text = "{0} of the 256 tokens <0x00> to <0xFF> are there",
     .why = "Text that no token matches is cut into bytes; a byte without a token makes tokenizers throw.",
     .advice = kAsk,
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           const std::size_t count = facts.vocabulary.byte_tokens.count();
           const bool in_use = facts.vocabulary.kind == TokenizerKind::sentencepiece;
           if (in_use && count > 0 && count < 256) raise(tokens_count_field(facts), count);
         }},
    {.id = {3421},
     .slug = "byte-tokens-missing",
     .stage = Stage::meaning,
     .levels = kPublishNote,
     .text = "a vocabulary of the SentencePiece kind without the tokens <0x00> to <0xFF>",
     .why = "Text that no token matches cannot be cut into bytes.",
     .advice = "Fine where the vocabulary covers every character there is, or for a test.",
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           const bool in_use =
               facts.vocabulary.kind == TokenizerKind::sentencepiece && facts.vocabulary.has_tokens;
           if (in_use && facts.vocabulary.byte_tokens.none()) raise(tokens_count_field(facts));
         }},
    {.id = {3422},
     .slug = "byte-token-malformed",
     .stage = Stage::meaning,
     .levels = kLoadError,
     .text = "token {1} is of type byte and its text {text} is not of the form <0x0A> ({0} are not)",
     .why = "Readers take two digits from a fixed place in the text, and throw or read past its end.",
     .advice = kAsk,
     .check_meaning = [](const MeaningFacts& facts,
                         const Raise& raise) { raise_fault(facts.vocabulary.byte_token_malformed, raise); }},
    {.id = {3423},
     .slug = "byte-token-in-other-tokenizer",
     .stage = Stage::meaning,
     .levels = kWarning,
     .text = "token {1} is of type byte, and this kind of tokenizer has no byte tokens ({0} are)",
     .why = "Mainline stops when it is asked which byte such a token is.",
     .advice = kAsk,
     .check_meaning = [](const MeaningFacts& facts,
                         const Raise& raise) { raise_fault(facts.vocabulary.byte_token_elsewhere, raise); }},
    {.id = {3430},
     .slug = "merges-missing",
     .stage = Stage::meaning,
     .levels = kLoadError,
     .text = "a byte-pair tokenizer without tokenizer.ggml.merges",
     .why = "Merges are how such a tokenizer joins characters to tokens; loaders refuse the file.",
     .advice = "Convert the model again with a current tool.",
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           if (has_text(facts) && facts.vocabulary.kind == TokenizerKind::byte_pair &&
               facts.vocabulary.pairs.merges == nullptr)
             raise(value_place(*facts.pair(kModel)));
         }},
    {.id = {3431},
     .slug = "merge-without-separator",
     .stage = Stage::meaning,
     .levels = kLoadError,
     .text = "merge {1}, {text}, is not two parts with a blank between them ({0} are not)",
     .why = "Loaders take both parts as empty, or stop at an assertion.",
     .advice = "Convert the model again with a current tool.",
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           raise_fault(facts.vocabulary.merge_without_separator, raise);
         }},
    {.id = {3432},
     .slug = "merge-with-several-blanks",
     .stage = Stage::meaning,
     .levels = kWarning,
     .text = "merge {1}, {text}, has several blanks ({0} have)",
     .why = "It is not clear where the first part ends: readers cut at the first blank, the writer may have "
            "meant "
            "another.",
     .advice = "Convert the model again with a current tool, which writes blanks inside parts otherwise.",
     .check_meaning = [](const MeaningFacts& facts,
                         const Raise& raise) { raise_fault(facts.vocabulary.merge_with_several, raise); }},
    {.id = {3433},
     .slug = "merge-part-unknown",
     .stage = Stage::meaning,
     .levels = kNoteOrPublishWarning,
     .text = "merge {1}, {text}: one of its parts, or what they make, is no token ({0} of {2} that were "
             "looked up)",
     .why = "The merge is never used, or makes a text without an id. A few are ordinary; many mean that "
            "merges and "
            "vocabulary are of different models.",
     .advice = "Mostly harmless when few. When many, convert the model again.",
     .sources = "All merges are looked up in lists of up to 2,048; of longer ones every n-th, so that "
                "checking stays as "
                "fast as reading. A single bad merge in a long list may be missed, as may one longer than "
                "512 bytes.",
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           const Fault& fault = facts.vocabulary.merge_part_unknown;
           const bool in_use = facts.vocabulary.kind == TokenizerKind::byte_pair;
           if (in_use && fault)
             raise(fault.where, fault.count, fault.index, facts.vocabulary.merges_looked_up);
         }},
    {.id = {3440},
     .slug = "vocabulary-size-disagrees",
     .stage = Stage::meaning,
     .levels = kLoadError,
     .text = "the embedding has {0} rows for {1} tokens",
     .why = "A token without a row is read from beyond the tensor; loaders that look refuse the file.",
     .advice = "Convert the model again: tokens were added without their weights, or the other way round.",
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           if (!embeds_tokens(facts) || !facts.vocabulary.has_tokens) return;
           const std::uint64_t rows = facts.token_embedding->shape[1];
           if (rows == facts.vocabulary.token_count || facts.token_embedding->rank < 2) return;
           raise.with_related(facts.token_embedding->dimension_field(1), tokens_count_field(facts), rows,
                              facts.vocabulary.token_count);
         }},
    {.id = {3441},
     .slug = "vocabulary-size-unjustified",
     .stage = Stage::meaning,
     .levels = kLoadError,
     .text = "{key:2} is {0}, and the embedding has {1} rows",
     .why = "Without a list of tokens loaders make one of this length: a small file asks for gigabytes, or "
            "for rows "
            "that are not there.",
     .advice = "Do not load it.",
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           constexpr KeyId kSize = key_id("{arch}.vocab_size");
           const auto size = facts.number(kSize);
           if (!embeds_tokens(facts) || facts.vocabulary.has_tokens || !size) return;
           const std::uint64_t rows = facts.token_embedding->shape[1];
           if (*size != rows)
             raise(value_place(*facts.pair(kSize)), *size, rows, static_cast<std::uint64_t>(kSize));
         }},
    {.id = {3442},
     .slug = "vocabulary-size-key-disagrees",
     .stage = Stage::meaning,
     .levels = kNoteOrPublishWarning,
     .text = "{key:2} is {0}, and there are {1} tokens",
     .why = "Programs differ on which of the two they believe.",
     .advice = "Mostly harmless: mainline counts the tokens. A publisher makes them agree.",
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           constexpr KeyId kSize = key_id("{arch}.vocab_size");
           const auto size = facts.number(kSize);
           if (size && facts.vocabulary.has_tokens && *size != facts.vocabulary.token_count)
             raise(value_place(*facts.pair(kSize)), *size, facts.vocabulary.token_count,
                   static_cast<std::uint64_t>(kSize));
         }},
};

}  // namespace

std::span<const Rule> tokenizer_rules() { return kRows; }

}  // namespace ggufvet
