#include "ggufvet/rules/vocabulary_facts.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include "ggufvet/base/text_fingerprints.h"
#include "ggufvet/read/array_reader.h"

namespace ggufvet {
namespace {

struct KindName {
  std::string_view name;
  TokenizerKind kind;
};
// Mainline's loader sets the pre-tokenizer of this one itself and falls back to byte tokens.
constexpr std::string_view kPairsOfText = "gemma4";

// The names mainline's loader knows, and the format document's for rwkv and replit.
constexpr std::array<KindName, 10> kKinds{{
    {"llama", TokenizerKind::sentencepiece},
    {"replit", TokenizerKind::sentencepiece},
    {"gpt2", TokenizerKind::byte_pair},
    {kPairsOfText, TokenizerKind::byte_pair},
    {"bert", TokenizerKind::word_piece},
    {"t5", TokenizerKind::unigram},
    {"rwkv", TokenizerKind::rwkv},
    {"plamo2", TokenizerKind::plamo2},
    {"none", TokenizerKind::none},
    {"no_vocab", TokenizerKind::none},
}};

[[nodiscard]] TokenizerKind kind_of(const MetadataPair* model) {
  if (model == nullptr || !model->is(ValueType::string)) return TokenizerKind::absent;
  for (const KindName& row : kKinds)
    if (row.name == model->text) return row.kind;
  return TokenizerKind::unknown;
}

[[nodiscard]] bool is_array_of(const MetadataPair* pair, ValueType type) {
  return pair != nullptr && pair->depth == 1 && pair->element_type_id == static_cast<std::uint32_t>(type);
}

[[nodiscard]] int hex_digit(char letter) {
  if (letter >= '0' && letter <= '9') return letter - '0';
  if (letter >= 'A' && letter <= 'F') return letter - 'A' + 10;
  if (letter >= 'a' && letter <= 'f') return letter - 'a' + 10;
  return -1;
}

// <0x0A> -> 10; empty for any other text.
[[nodiscard]] std::optional<std::uint8_t> byte_of_token(std::string_view text) {
  if (text.size() != 6 || !text.starts_with("<0x") || text[5] != '>') return std::nullopt;
  const int high = hex_digit(text[3]);
  const int low = hex_digit(text[4]);
  if (high < 0 || low < 0) return std::nullopt;
  return static_cast<std::uint8_t>(high * 16 + low);
}

[[nodiscard]] bool has_byte_tokens(TokenizerKind kind) {
  return kind == TokenizerKind::sentencepiece || kind == TokenizerKind::unigram ||
         kind == TokenizerKind::plamo2;
}

// The four-byte elements of an array, as they stand in the window; empty for anything else.
class WordArray {
 public:
  WordArray(const FileModel& file, const MetadataPair* pair) : order_(file.header.byte_order) {
    if (pair == nullptr || pair->depth != 1 || smallest_value_bytes(pair->element_type_id) != 4) return;
    const ByteRange where = pair->elements_field();
    if (where.end > file.window.size() || where.begin > where.end) return;
    begin_ = where.begin;
    bytes_ =
        file.window.subspan(static_cast<std::size_t>(where.begin), static_cast<std::size_t>(where.size()));
  }

  [[nodiscard]] std::uint64_t size() const { return bytes_.size() / 4; }
  [[nodiscard]] std::uint32_t at(std::uint64_t index) const {
    return load<std::uint32_t>(bytes_.data() + 4 * static_cast<std::size_t>(index), order_);
  }
  [[nodiscard]] ByteRange place(std::uint64_t index) const {
    return {begin_ + 4 * index, begin_ + 4 * index + 4};
  }

 private:
  std::span<const std::byte> bytes_;
  std::uint64_t begin_ = 0;
  ByteOrder order_;
};

class TokenWalk {
 public:
  TokenWalk(const FileModel& file, VocabularyFacts& facts)
      : file_(file),
        facts_(facts),
        types_(file, facts.pairs.types),
        seen_(std::min(facts.token_count, kTokensIndexedMax)) {}

  void run() {
    const bool bytes_in_use = has_byte_tokens(facts_.kind) || facts_.pairs_of_text;
    for_each_string(
        file_, *facts_.pairs.tokens, [&](std::uint64_t index, std::string_view text, ByteRange where) {
          if (text.empty()) {
            facts_.empty_token.note(index, where);
            return true;
          }
          if (index < kTokensIndexedMax) insert_soon({hash_text(text), text, where, index});
          if (text.size() == 6) note_byte_token(text);
          if (text.size() > kTokenBytesMax) facts_.long_token.note(index, where);
          if (index < types_.size() && types_.at(index) == static_cast<std::uint32_t>(TokenType::byte))
            note_byte_type(index, text, where, bytes_in_use);
          if (text.size() > 4 && text.front() == '<') note_turn_end(index, text);
          return true;
        });
    for (std::size_t left = std::min(inserts_, kInsertsAhead); left > 0; --left)
      insert(ahead_[(inserts_ - left) % kInsertsAhead]);
    confirm_duplicate();
  }

  [[nodiscard]] TextFingerprints& seen() { return seen_; }

 private:
  void note_byte_token(std::string_view text) {
    if (const auto byte = byte_of_token(text)) facts_.byte_tokens.set(*byte);
  }

  void note_byte_type(std::uint64_t index, std::string_view text, ByteRange where, bool bytes_in_use) {
    if (!bytes_in_use)
      facts_.byte_token_elsewhere.note(index, where);
    else if (!byte_of_token(text))
      facts_.byte_token_malformed.note(index, where);
  }

  void note_turn_end(std::uint64_t index, std::string_view text) {
    for (std::size_t at = 0; at < kTurnEnds.size(); ++at)
      if (kTurnEnds[at].text == text && facts_.turn_end_ids[at] == VocabularyFacts::kNoToken)
        facts_.turn_end_ids[at] = index;
  }

  struct Token {
    std::uint64_t hash = 0;
    std::string_view text;
    ByteRange where;
    std::uint64_t index = 0;
  };

  // In order, some tokens later.
  void insert_soon(const Token& token) {
    Token& place = ahead_[inserts_ % kInsertsAhead];
    if (inserts_++ >= kInsertsAhead) insert(place);
    place = token;
    seen_.prefetch(token.hash);
  }

  // A text whose fingerprint was there already is nearly always a duplicate.
  void insert(const Token& token) {
    if (seen_.insert(token.hash)) return;
    ++repeated_count_;
    if (candidates_.size() < kCandidatesMax) candidates_.push_back(token);
  }

  // Only for a vocabulary in which fingerprints were equal: looks for the earlier of two equal texts.
  void confirm_duplicate() {
    for (const Token& candidate : candidates_) {
      for_each_string(file_, *facts_.pairs.tokens,
                      [&](std::uint64_t index, std::string_view text, ByteRange where) {
                        if (index >= candidate.index) return false;
                        if (text != candidate.text) return true;
                        facts_.duplicate_token = {repeated_count_, candidate.index, candidate.where, where};
                        return false;
                      });
      if (facts_.duplicate_token) return;
    }
  }

  static constexpr std::size_t kCandidatesMax = 4;
  static constexpr std::size_t kInsertsAhead = 32;

  const FileModel& file_;
  VocabularyFacts& facts_;
  WordArray types_;
  TextFingerprints seen_;
  std::uint64_t repeated_count_ = 0;
  std::vector<Token> candidates_;
  std::array<Token, kInsertsAhead> ahead_{};
  std::size_t inserts_ = 0;
};

struct Blanks {
  std::size_t first = std::string_view::npos;  // where a merge is cut, as mainline does
  bool several = false;
};

// The top bit of each byte that is a blank.
[[nodiscard]] std::uint64_t blank_bits(const std::byte* eight) {
  constexpr std::uint64_t kBlanks = 0x2020202020202020, kLow = 0x7F7F7F7F7F7F7F7F;
  const std::uint64_t bytes = load_little<std::uint64_t>(eight) ^ kBlanks;
  return ~(((bytes & kLow) + kLow) | bytes | kLow);
}

// Behind the first character, with 16 readable bytes from its beginning. Most merges are this short, and a
// branch at the blank of each would be guessed wrongly half a million times.
[[nodiscard]] Blanks blanks_of_short(std::string_view merge) {
  const std::byte* const bytes = as_bytes(merge).data();
  const auto bits_of = [](std::size_t count) {
    return count >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * count)) - 1;
  };
  const std::uint64_t front = blank_bits(bytes) & bits_of(merge.size()) & ~std::uint64_t{0xFF};
  const std::uint64_t back = blank_bits(bytes + 8) & bits_of(merge.size() > 8 ? merge.size() - 8 : 0);
  Blanks blanks;
  if ((front | back) != 0)
    blanks.first =
        static_cast<std::size_t>(front != 0 ? std::countr_zero(front) : 64 + std::countr_zero(back)) / 8;
  const auto more_than_one = [](std::uint64_t bits) { return (bits & (bits - 1)) != 0; };
  blanks.several = more_than_one(front) || more_than_one(back) || (front != 0 && back != 0);
  return blanks;
}

// The same, of any length.
[[nodiscard]] Blanks blanks_of(std::string_view merge) {
  Blanks blanks;
  blanks.first = merge.size() < 2 ? std::string_view::npos : merge.find(' ', 1);
  blanks.several =
      blanks.first != std::string_view::npos && merge.find(' ', blanks.first + 1) != std::string_view::npos;
  return blanks;
}

// Both parts, and what they make, against the vocabulary.
[[nodiscard]] bool parts_are_known(std::string_view merge, std::size_t separator, TextFingerprints& tokens) {
  const std::string_view left = merge.substr(0, separator);
  const std::string_view right = merge.substr(separator + 1);
  std::array<char, 512> joined;
  if (left.size() + right.size() > joined.size()) return true;  // longer than any token that matters
  std::memcpy(joined.data(), left.data(), left.size());
  std::memcpy(joined.data() + left.size(), right.data(), right.size());
  const std::array<std::uint64_t, 3> hashes{hash_text(left), hash_text(right),
                                            hash_text({joined.data(), left.size() + right.size()})};
  for (const std::uint64_t hash : hashes) tokens.prefetch(hash);
  return std::all_of(hashes.begin(), hashes.end(),
                     [&tokens](std::uint64_t hash) { return tokens.contains(hash); });
}

void walk_merges(const FileModel& file, VocabularyFacts& facts, TextFingerprints& tokens) {
  const MetadataPair& merges = *facts.pairs.merges;
  const std::uint64_t stride = std::max<std::uint64_t>(1, merges.bits / kMergesLookedUpMax);
  std::uint64_t next_looked_up = 0;
  for_each_string(file, merges, [&](std::uint64_t index, std::string_view text, ByteRange where) {
    constexpr std::uint64_t kShort = 16;
    const bool is_short = text.size() <= kShort && where.begin + kShort <= file.window.size();
    const Blanks blanks = is_short ? blanks_of_short(text) : blanks_of(text);
    if (blanks.first == std::string_view::npos || blanks.first + 1 == text.size()) {
      facts.merge_without_separator.note(index, where);
      return true;
    }
    if (blanks.several) facts.merge_with_several.note(index, where);
    if (index < next_looked_up || facts.token_count > kTokensIndexedMax) return true;
    next_looked_up = index + stride;
    ++facts.merges_looked_up;
    if (!parts_are_known(text, blanks.first, tokens)) facts.merge_part_unknown.note(index, where);
    return true;
  });
}

void walk_types(const FileModel& file, VocabularyFacts& facts) {
  const WordArray types(file, facts.pairs.types);
  for (std::uint64_t index = 0; index < types.size(); ++index)
    if (types.at(index) >= kTokenTypeCount) facts.type_unknown.note(index, types.place(index));
}

void walk_scores(const FileModel& file, VocabularyFacts& facts) {
  if (!is_array_of(facts.pairs.scores, ValueType::f32)) return;
  const WordArray scores(file, facts.pairs.scores);
  constexpr std::uint32_t kInfinity = 0x7F800000;
  for (std::uint64_t index = 0; index < scores.size(); ++index)
    if ((scores.at(index) & 0x7FFFFFFF) > kInfinity) facts.score_nan.note(index, scores.place(index));
}

}  // namespace

VocabularyFacts derive_vocabulary(const FileModel& file, const VocabularyPairs& pairs) {
  VocabularyFacts facts;
  facts.pairs = pairs;
  facts.kind = kind_of(pairs.model);
  facts.pairs_of_text = facts.kind == TokenizerKind::byte_pair && pairs.model->text == kPairsOfText;
  facts.has_tokens = is_array_of(pairs.tokens, ValueType::string);
  facts.token_count = facts.has_tokens ? pairs.tokens->bits : 0;
  facts.turn_end_ids.fill(VocabularyFacts::kNoToken);
  walk_types(file, facts);
  walk_scores(file, facts);
  if (!facts.has_tokens) return facts;
  TokenWalk walk(file, facts);
  walk.run();
  if (is_array_of(pairs.merges, ValueType::string)) walk_merges(file, facts, walk.seen());
  return facts;
}

std::optional<std::uint64_t> token_type_at(const FileModel& file, const VocabularyFacts& vocabulary,
                                           std::uint64_t id) {
  const WordArray types(file, vocabulary.pairs.types);
  if (id >= types.size()) return std::nullopt;
  return types.at(id);
}

}  // namespace ggufvet
