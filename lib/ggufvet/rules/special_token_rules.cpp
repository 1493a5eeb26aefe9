// Special tokens, the pre-tokenizer, and the tables of normalisation: what is said about the vocabulary as a
// whole.
#include <algorithm>
#include <array>

#include "ggufvet/base/byte_order.h"
#include "ggufvet/rules/key_ids.h"
#include "ggufvet/rules/meaning_levels.h"
#include "ggufvet/rules/rule_families.h"

namespace ggufvet {
namespace {

constexpr KeyId kBegin = key_id("tokenizer.ggml.bos_token_id");
constexpr KeyId kEnd = key_id("tokenizer.ggml.eos_token_id");
constexpr KeyId kPadding = key_id("tokenizer.ggml.padding_token_id");

constexpr std::array kSpecialIds{kBegin,
                                 kEnd,
                                 key_id("tokenizer.ggml.eot_token_id"),
                                 key_id("tokenizer.ggml.eom_token_id"),
                                 key_id("tokenizer.ggml.unknown_token_id"),
                                 key_id("tokenizer.ggml.seperator_token_id"),
                                 key_id("tokenizer.ggml.separator_token_id"),
                                 key_id("tokenizer.ggml.mask_token_id"),
                                 key_id("tokenizer.ggml.cls_token_id"),
                                 key_id("tokenizer.ggml.prefix_token_id"),
                                 key_id("tokenizer.ggml.suffix_token_id"),
                                 key_id("tokenizer.ggml.middle_token_id"),
                                 key_id("tokenizer.ggml.fim_pre_token_id"),
                                 key_id("tokenizer.ggml.fim_suf_token_id"),
                                 key_id("tokenizer.ggml.fim_mid_token_id"),
                                 key_id("tokenizer.ggml.fim_pad_token_id"),
                                 key_id("tokenizer.ggml.fim_rep_token_id"),
                                 key_id("tokenizer.ggml.fim_sep_token_id"),
                                 key_id("{arch}.decoder_start_token_id")};

constexpr std::uint64_t kNone32 = 0xFFFFFFFF;  // -1 in 32 bits: how programs write "none" in memory

[[nodiscard]] bool is_none(std::uint64_t id) { return id == kNone32 || id == ~std::uint64_t{0}; }

void raise_out_of_range(const MeaningFacts& facts, KeyId key, const Raise& raise) {
  const auto id = facts.number(key);
  if (!facts.vocabulary.has_tokens || !id || is_none(*id) || *id < facts.vocabulary.token_count) return;
  raise.with_related(value_place(*facts.pair(key)), facts.vocabulary.pairs.tokens->count_field(), *id,
                     facts.vocabulary.token_count, static_cast<std::uint64_t>(key));
}

// Kinds whose loader has an id of its own for a begin or end token that the file does not name.
[[nodiscard]] bool has_default_begin(TokenizerKind kind) {
  return kind == TokenizerKind::sentencepiece || kind == TokenizerKind::byte_pair ||
         kind == TokenizerKind::word_piece || kind == TokenizerKind::plamo2;
}
[[nodiscard]] bool has_default_end(TokenizerKind kind) {
  return has_default_begin(kind) || kind == TokenizerKind::unigram;
}

[[nodiscard]] bool names_a_token(const MeaningFacts& facts, KeyId key) {
  const auto id = facts.number(key);
  return id && !is_none(*id);
}

// Names of pre-tokenizers: how text is split before merges, as mainline's loader knows them.
constexpr std::string_view kPreTokenizers[] = {
#include "ggufvet/rules/pre_tokenizers.inc"
};

[[nodiscard]] bool is_known_pre(std::string_view name) {
  return std::find(std::begin(kPreTokenizers), std::end(kPreTokenizers), name) != std::end(kPreTokenizers);
}

// Bytes of the charsmap when it is an array of bytes.
[[nodiscard]] std::span<const std::byte> charsmap_bytes(const MeaningFacts& facts) {
  const MetadataPair* const pair = facts.vocabulary.pairs.charsmap;
  if (pair == nullptr || pair->depth != 1 || smallest_value_bytes(pair->element_type_id) != 1) return {};
  const ByteRange where = pair->elements_field();
  if (where.end > facts.file.window.size()) return {};
  return facts.file.window.subspan(static_cast<std::size_t>(where.begin),
                                   static_cast<std::size_t>(where.size()));
}

// A table of four-byte words behind its size in bytes, then replacement texts, each ended by a zero.
[[nodiscard]] bool charsmap_is_sound(std::span<const std::byte> bytes, ByteOrder order) {
  constexpr std::size_t kSizeBytes = 4;
  if (bytes.size() < kSizeBytes) return false;
  const std::uint64_t table_bytes = load<std::uint32_t>(bytes.data(), order);
  const std::uint64_t rest = bytes.size() - kSizeBytes;
  if (table_bytes == 0 || table_bytes % 4 != 0 || table_bytes > rest) return false;
  return rest == table_bytes || bytes.back() == std::byte{0};
}

// The template ends turns with a token that is neither of the ids at which generation stops.
struct TurnEndFault {
  bool found = false;
  std::uint64_t turn_end = 0;  // index into kTurnEnds
};

[[nodiscard]] bool template_has(std::string_view text, std::string_view token) {
  return !token.empty() && text.find(token) != std::string_view::npos;
}

[[nodiscard]] TurnEndFault find_turn_end_fault(const MeaningFacts& facts, std::string_view chat) {
  const auto end = facts.number(kEnd);
  const auto turn = facts.number(key_id("tokenizer.ggml.eot_token_id"));
  const auto message = facts.number(key_id("tokenizer.ggml.eom_token_id"));
  if (!end || template_has(chat, "eos_token")) return {};
  if (template_has(chat, token_text_at(facts.file, *facts.vocabulary.pairs.tokens, *end).text)) return {};
  for (std::size_t at = 0; at < kTurnEnds.size(); ++at) {
    const std::uint64_t id = facts.vocabulary.turn_end_ids[at];
    if (id == VocabularyFacts::kNoToken || !template_has(chat, kTurnEnds[at].text)) continue;
    if (id == end || id == turn || id == message) return {};
    const auto type = token_type_at(facts.file, facts.vocabulary, id);
    if (type == static_cast<std::uint64_t>(TokenType::control)) return {true, at};
  }
  return {};
}

constexpr Rule kRows[] = {
    {.id = {3450},
     .slug = "special-token-out-of-range",
     .stage = Stage::meaning,
     .levels = kLoadError,
     .text = "{key:2} is {0}, and there are {1} tokens",
     .why = "Readers that do not look read past the vocabulary; mainline puts its own default in its place.",
     .advice = "Convert the model again, or correct the key in place with gguf-py's `gguf-set-metadata`.",
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           for (const KeyId key : kSpecialIds) raise_out_of_range(facts, key, raise);
         }},
    {.id = {3451},
     .slug = "padding-token-out-of-range",
     .stage = Stage::meaning,
     .levels = kPublishError,
     .text = "{key:2} is {0}, and there are {1} tokens",
     .why = "Early conversions name a padding token that was added to the tokenizer and not to the weights. "
            "Few programs "
            "ever use it.",
     .advice = "Harmless unless batches are padded. A publisher converts the model again.",
     .check_meaning = [](const MeaningFacts& facts,
                         const Raise& raise) { raise_out_of_range(facts, kPadding, raise); }},
    {.id = {3452},
     .slug = "special-token-minus-one",
     .stage = Stage::meaning,
     .levels = kPublishError,
     .text = "{key:1} is {0}: the -1 with which programs mean \"none\"",
     .why = "Readers that take it as an id read far past the vocabulary; others put a default in its place.",
     .advice = "Most loaders cope. A publisher leaves the key out.",
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           const auto look = [&](KeyId key) {
             const auto id = facts.number(key);
             if (id && is_none(*id))
               raise(value_place(*facts.pair(key)), *id, static_cast<std::uint64_t>(key));
           };
           for (const KeyId key : kSpecialIds) look(key);
           look(kPadding);
         }},
    {.id = {3453},
     .slug = "special-token-of-odd-type",
     .stage = Stage::meaning,
     .levels = kNoteOrPublishWarning,
     .text = "{key:1} is token {0}, whose type is not that of a special token",
     .why = "A user can write such a token in plain text, and generation may not stop at it.",
     .advice = "Mostly harmless: mainline mends the types of the tokens it knows. A publisher marks them as "
               "control.",
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           for (const KeyId key : {kBegin, kEnd}) {
             const auto id = facts.number(key);
             const auto type = id ? token_type_at(facts.file, facts.vocabulary, *id) : std::nullopt;
             if (type == static_cast<std::uint64_t>(TokenType::normal) ||
                 type == static_cast<std::uint64_t>(TokenType::byte))
               raise(value_place(*facts.pair(key)), *id, static_cast<std::uint64_t>(key));
           }
         }},
    {.id = {3454},
     .slug = "begin-token-missing",
     .stage = Stage::meaning,
     .levels = kLoadError,
     .text = "a begin token is to be added to every text, and none is named",
     .why = "The tokenizer has no default for it: loaders stop at an assertion or add the id -1.",
     .advice =
         "Convert the model again, or name the token with gguf-py's `gguf-new-metadata --special-token`.",
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           constexpr KeyId kAdd = key_id("tokenizer.ggml.add_bos_token");
           if (facts.flag(kAdd) == true && !names_a_token(facts, kBegin) && facts.vocabulary.has_tokens &&
               !has_default_begin(facts.vocabulary.kind))
             raise(value_place(*facts.pair(kAdd)));
         }},
    {.id = {3455},
     .slug = "end-token-missing",
     .stage = Stage::meaning,
     .levels = kLoadError,
     .text = "an end token is to be added to every text, and none is named",
     .why = "The tokenizer has no default for it: loaders stop at an assertion or add the id -1.",
     .advice =
         "Convert the model again, or name the token with gguf-py's `gguf-new-metadata --special-token`.",
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           constexpr KeyId kAdd = key_id("tokenizer.ggml.add_eos_token");
           if (facts.flag(kAdd) == true && !names_a_token(facts, kEnd) && facts.vocabulary.has_tokens &&
               !has_default_end(facts.vocabulary.kind))
             raise(value_place(*facts.pair(kAdd)));
         }},
    {.id = {3460},
     .slug = "pre-tokenizer-missing",
     .stage = Stage::meaning,
     .levels = kWarning,
     .text = "a byte-pair tokenizer without tokenizer.ggml.pre",
     .why = "How text is split before merging is then guessed, and generation gets worse without any error.",
     .advice = "Convert the model again: files from before May 2024 lack the key.",
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           if (facts.vocabulary.kind == TokenizerKind::byte_pair && !facts.vocabulary.pairs_of_text &&
               facts.vocabulary.has_tokens && facts.pair(key_id("tokenizer.ggml.pre")) == nullptr)
             raise(value_place(*facts.pair(key_id("tokenizer.ggml.model"))));
         }},
    {.id = {3461},
     .slug = "pre-tokenizer-unknown",
     .stage = Stage::meaning,
     .levels = kWarning,
     .text = "the pre-tokenizer {text} is none that ggufvet knows",
     .why = "A loader that does not know it refuses the model.",
     .advice = "Use a recent release of the loader, or the program that the publisher names.",
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           const MetadataPair* const pair = facts.pair(key_id("tokenizer.ggml.pre"));
           if (facts.vocabulary.kind == TokenizerKind::byte_pair && pair != nullptr &&
               pair->is(ValueType::string) && !is_known_pre(pair->text))
             raise(pair->text_field());
         }},
    {.id = {3470},
     .slug = "charsmap-malformed",
     .stage = Stage::meaning,
     .levels = kLoadError,
     .text = "the table of tokenizer.ggml.precompiled_charsmap does not fit its {0} bytes",
     .why = "Readers take the size of the table from its first four bytes and follow it past the end; "
            "replacement texts "
            "without an end are read on into other memory.",
     .advice = "Do not load it; convert the model again.",
     .sources = "The table's size must be a multiple of 4 and inside the array, and what follows must end in "
                "a zero. "
                "Whether the table's entries lead out of it is not looked at.",
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           const auto bytes = charsmap_bytes(facts);
           if (!bytes.empty() && !charsmap_is_sound(bytes, ByteOrder::little))
             raise(facts.vocabulary.pairs.charsmap->elements_field(), bytes.size());
         }},
    {.id = {3480},
     .slug = "turn-end-not-an-end",
     .stage = Stage::meaning,
     .levels = kWarning,
     .text = "the chat template ends turns with {0:turn_end}, and neither the end token nor the end of turn "
             "is it",
     .why = "Programs that stop at the named tokens only go on generating after the answer.",
     .advice =
         "Add the token as a stop text, or name it with gguf-py's `gguf-new-metadata --special-token eot`.",
     .sources =
         "Mainline also stops at a list of texts of its own; others do not. A template that mentions the end "
         "token or eos_token is left alone.",
     .check_meaning =
         [](const MeaningFacts& facts, const Raise& raise) {
           const std::string_view chat = facts.text(key_id("tokenizer.chat_template"));
           if (facts.role != FileRole::model || chat.empty() || !facts.vocabulary.has_tokens) return;
           if (const TurnEndFault fault = find_turn_end_fault(facts, chat); fault.found)
             raise.with_related(value_place(*facts.pair(kEnd)),
                                value_place(*facts.pair(key_id("tokenizer.chat_template"))), fault.turn_end);
         }},
};

}  // namespace

std::span<const Rule> special_token_rules() { return kRows; }

}  // namespace ggufvet
