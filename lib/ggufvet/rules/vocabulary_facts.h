// What one walk over the tokenizer's arrays tells: counts and the first of each kind of fault, so that rules
// need not walk half a million strings again. Takes 6 to 12 bytes a token while it walks and next to nothing
// afterwards.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <optional>
#include <string_view>

#include "ggufvet/read/file_model.h"

namespace ggufvet {

// How a tokenizer cuts text; the value of tokenizer.ggml.model.
enum class TokenizerKind : std::uint8_t {
  absent,
  none,
  sentencepiece,
  byte_pair,
  word_piece,
  unigram,
  rwkv,
  plamo2,
  unknown
};

// tokenizer.ggml.token_type
enum class TokenType : std::uint8_t { undefined, normal, unknown, control, user_defined, unused, byte };
inline constexpr std::uint64_t kTokenTypeCount = 7;

// How often something is wrong, and where first.
struct Fault {
  std::uint64_t count = 0;
  std::uint64_t index = 0;  // of the first
  ByteRange where;
  ByteRange related;

  [[nodiscard]] explicit operator bool() const { return count != 0; }
  void note(std::uint64_t at_index, ByteRange at) {
    if (count++ != 0) return;
    index = at_index;
    where = at;
  }
};

// A token that ends a turn in a chat, by its text, as published models call it.
struct TurnEnd {
  std::string_view text{};
};
inline constexpr std::array<TurnEnd, 12> kTurnEnds{{
    {"<|eot_id|>"},
    {"<|im_end|>"},
    {"<|end|>"},
    {"<end_of_turn>"},
    {"<|endofturn|>"},
    {"<|eom_id|>"},
    {"<|END_OF_TURN_TOKEN|>"},
    {"<|end_of_turn|>"},
    {"<turn|>"},
    {"<|return|>"},
    {"<|eot|>"},
    {"<EOT>"},
}};

struct VocabularyPairs {  // null where the key is not there
  const MetadataPair* model = nullptr;
  const MetadataPair* tokens = nullptr;
  const MetadataPair* scores = nullptr;
  const MetadataPair* types = nullptr;
  const MetadataPair* merges = nullptr;
  const MetadataPair* charsmap = nullptr;
};

// Merges whose parts are looked up in the vocabulary: all of a short list, evenly spread ones of a long one.
// Each costs three look-ups; all of them would take several times as long as reading the file.
inline constexpr std::uint64_t kMergesLookedUpMax = 2048;
// A token longer than this is none: the longest of published vocabularies are runs of some hundred blanks.
inline constexpr std::uint64_t kTokenBytesMax = 64 << 10;
// A merge longer than this is not looked up: no token that matters is half as long.
inline constexpr std::uint64_t kMergeBytesMax = 512;

struct VocabularyFacts {
  VocabularyPairs pairs;
  TokenizerKind kind{};
  bool has_tokens = false;  // tokens is an array of strings
  // A byte-pair tokenizer over plain text instead of GPT-2's letters for bytes: its name says how text is
  // split, and bytes have tokens of their own.
  bool pairs_of_text = false;
  std::uint64_t token_count = 0;
  Fault duplicate_token;  // related: the earlier one
  Fault empty_token;
  Fault long_token;
  Fault byte_token_malformed;  // of type byte, but not <0xNN>
  Fault byte_token_elsewhere;  // of type byte, where the tokenizer has no byte tokens
  std::bitset<256> byte_tokens;
  Fault type_unknown;
  Fault score_nan;
  Fault merge_without_separator;
  Fault merge_with_several;
  Fault merge_part_unknown;
  std::uint64_t merges_looked_up = 0;
  std::array<std::uint64_t, kTurnEnds.size()> turn_end_ids{};  // kNoToken where the vocabulary has none

  static constexpr std::uint64_t kNoToken = ~std::uint64_t{0};
};

[[nodiscard]] VocabularyFacts derive_vocabulary(const FileModel& file, const VocabularyPairs& pairs);

// The text of a token and where it stands; an empty text when there is no such token. Walks there.
struct TokenText {
  std::string_view text;
  ByteRange where;
};
[[nodiscard]] TokenText token_text_at(const FileModel& file, const MetadataPair& tokens, std::uint64_t id);

// The type of a token; empty when there is no such token or no array of types of four-byte elements.
[[nodiscard]] std::optional<std::uint64_t> token_type_at(const FileModel& file,
                                                         const VocabularyFacts& vocabulary, std::uint64_t id);

// The number or bool at `index` of an array of depth 1, sign-extended; empty outside it or for strings and
// floats.
[[nodiscard]] std::optional<std::uint64_t> integer_element(const FileModel& file, const MetadataPair& pair,
                                                           std::uint64_t index);

}  // namespace ggufvet
