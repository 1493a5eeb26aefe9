#include "ggufvet/rules/vocabulary_facts.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>
#include <vector>

#include "ggufvet/read/array_reader.h"
#include "ggufvet/rules/merge_walk.h"
#include "ggufvet/rules/token_set.h"

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

  // visit(index, value) where is(value), which is asked of whole blocks at a time: nearly never is it true.
  template <class Is, class Visit>
  void for_each_where(const Is& is, const Visit& visit) const {
    for (std::uint64_t begin = 0; begin < size(); begin += kBlock) {
      const std::uint64_t end = std::min(size(), begin + kBlock);
      if (end - begin == kBlock && !any_in_block(bytes_.data() + 4 * begin, is)) continue;
      for (std::uint64_t index = begin; index < end; ++index)
        if (const std::uint32_t word = at(index); is(word)) visit(index, word);
    }
  }

 private:
  static constexpr std::uint64_t kBlock = 64;

  template <class Is>
  [[nodiscard]] bool any_in_block(const std::byte* words, const Is& is) const {
    return order_ == ByteOrder::little ? any_in_block<ByteOrder::little>(words, is)
                                       : any_in_block<ByteOrder::big>(words, is);
  }
  template <ByteOrder kOrder, class Is>
  [[nodiscard]] static bool any_in_block(const std::byte* words, const Is& is) {
    std::uint32_t any = 0;
    for (std::uint64_t index = 0; index < kBlock; ++index)
      any |= static_cast<std::uint32_t>(is(load<std::uint32_t>(words + 4 * index, kOrder)));
    return any != 0;
  }

  std::span<const std::byte> bytes_;
  std::uint64_t begin_ = 0;
  ByteOrder order_;
};

class TokenWalk {
 public:
  // `byte_typed`: indices of tokens whose type is byte, ascending.
  TokenWalk(const FileModel& file, VocabularyFacts& facts, std::span<const std::uint64_t> byte_typed)
      : file_(file),
        facts_(facts),
        byte_typed_(byte_typed),
        bytes_in_use_(has_byte_tokens(facts.kind) || facts.pairs_of_text) {}

  void run(TokenSet& tokens) {
    if (file_.header.byte_order == ByteOrder::little)
      run_blocks<ByteOrder::little>(tokens);
    else
      run_blocks<ByteOrder::big>(tokens);
    confirm_duplicate(tokens);
  }

 private:
  static constexpr std::size_t kBlock = 32;
  struct Block {
    std::array<std::uint64_t, kBlock> hashes;
    std::size_t count = 0;
    bool has_special = false;  // a token of which more is to be said
  };

  // By blocks: one short loop that only hashes, one that fills the table, whose lines were on their way
  // meanwhile, and a slow one over the few blocks in which there is something to note.
  template <ByteOrder kOrder>
  void run_blocks(TokenSet& tokens) {
    StringWalk<kOrder> walk(file_, *facts_.pairs.tokens);
    Block block;
    std::uint64_t begin = 0;
    do {
      StringWalk<kOrder> again = walk;
      hash_block(walk, tokens, block);
      const bool has_byte_typed = !byte_typed_.empty() && byte_typed_.front() < begin + block.count;
      if (block.has_special || has_byte_typed) note_block(again, begin, block.count);
      tokens.add(begin, std::span(block.hashes).first(block.count));
      begin += block.count;
    } while (block.count == kBlock);
  }

  template <ByteOrder kOrder>
  static void hash_block(StringWalk<kOrder>& walk, const TokenSet& tokens, Block& block) {
    block.count = 0;
    block.has_special = false;
    hash_into<TextHash::kReadableBytes>(walk, tokens, block);
    hash_into<0>(walk, tokens, block);  // at the end of the window
  }
  template <std::uint64_t kReadable, ByteOrder kOrder>
  static void hash_into(StringWalk<kOrder>& walk, const TokenSet& tokens, Block& block) {
    const TextHash hash = tokens.hash();
    StringWalk<kOrder> local = walk;
    std::string_view text;
    bool has_special = false;
    std::size_t count = block.count;
    while (count < kBlock && local.template next<kReadable>(text)) {
      const std::uint64_t text_hash = hash(text, kReadable != 0 ? kReadable : local.readable(text));
      tokens.prefetch(text_hash);
      block.hashes[count++] = text_hash;
      const bool has_usual_size = text.size() - 1 < kTokenBytesMax;  // and is not empty
      if (!has_usual_size || text.front() == kMark) [[unlikely]]
        has_special = true;
    }
    walk = local;
    block.count = count;
    block.has_special |= has_special;
  }

  template <ByteOrder kOrder>
  void note_block(StringWalk<kOrder> walk, std::uint64_t begin, std::size_t count) {
    std::string_view text;
    for (std::uint64_t index = begin; index < begin + count && walk.next(text); ++index) {
      const bool is_byte_typed = !byte_typed_.empty() && byte_typed_.front() == index;
      if (is_byte_typed) byte_typed_ = byte_typed_.subspan(1);
      if (text.empty()) {
        facts_.empty_token.note(index, walk.range(text));
        continue;
      }
      if (is_byte_typed) note_byte_type(index, text, walk.range(text));
      if (text.front() == kMark) note_marked(index, text);
      if (text.size() > kTokenBytesMax) facts_.long_token.note(index, walk.range(text));
    }
  }

  void note_byte_type(std::uint64_t index, std::string_view text, ByteRange where) {
    if (!bytes_in_use_)
      facts_.byte_token_elsewhere.note(index, where);
    else if (!byte_of_token(text))
      facts_.byte_token_malformed.note(index, where);
  }

  // Tokens whose text has a meaning of its own begin with this.
  static constexpr char kMark = '<';
  void note_marked(std::uint64_t index, std::string_view text) {
    if (const auto byte = byte_of_token(text)) facts_.byte_tokens.set(*byte);
    for (std::size_t at = 0; at < kTurnEnds.size(); ++at)
      if (kTurnEnds[at].text == text && facts_.turn_end_ids[at] == VocabularyFacts::kNoToken)
        facts_.turn_end_ids[at] = index;
  }

  // A text whose fingerprint was there already is nearly always a duplicate. Only then are tokens walked
  // again, for the text and for the earlier one that equals it.
  void confirm_duplicate(const TokenSet& tokens) {
    for (const std::uint64_t candidate : tokens.repeated()) {
      const TokenText repeated = token_text_at(file_, *facts_.pairs.tokens, candidate);
      for_each_string(file_, *facts_.pairs.tokens,
                      [&](std::uint64_t index, std::string_view text, ByteRange at) {
                        if (index >= candidate) return false;
                        if (text != repeated.text) return true;
                        facts_.duplicate_token = {tokens.repeated_count(), candidate, repeated.where, at};
                        return false;
                      });
      if (facts_.duplicate_token) return;
    }
  }

  const FileModel& file_;
  VocabularyFacts& facts_;
  std::span<const std::uint64_t> byte_typed_;
  bool bytes_in_use_;
};

// Answers which tokens are of type byte.
[[nodiscard]] std::vector<std::uint64_t> walk_types(const FileModel& file, VocabularyFacts& facts) {
  constexpr auto kByte = static_cast<std::uint32_t>(TokenType::byte);
  static_assert(kByte + 1 == kTokenTypeCount);
  std::vector<std::uint64_t> byte_typed;
  const WordArray types(file, facts.pairs.types);
  types.for_each_where([](std::uint32_t type) { return type >= kByte; },
                       [&](std::uint64_t index, std::uint32_t type) {
                         if (type == kByte)
                           byte_typed.push_back(index);
                         else
                           facts.type_unknown.note(index, types.place(index));
                       });
  return byte_typed;
}

void walk_scores(const FileModel& file, VocabularyFacts& facts) {
  if (!is_array_of(facts.pairs.scores, ValueType::f32)) return;
  constexpr std::uint32_t kMagnitude = 0x7FFFFFFF, kInfinity = 0x7F800000;
  const WordArray scores(file, facts.pairs.scores);
  scores.for_each_where(
      [](std::uint32_t bits) { return (bits & kMagnitude) > kInfinity; },
      [&](std::uint64_t index, std::uint32_t) { facts.score_nan.note(index, scores.place(index)); });
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
  const std::vector<std::uint64_t> byte_typed = walk_types(file, facts);
  walk_scores(file, facts);
  if (!facts.has_tokens) return facts;
  TokenSet tokens(facts.token_count);
  TokenWalk(file, facts, byte_typed).run(tokens);
  if (is_array_of(pairs.merges, ValueType::string)) walk_merges(file, tokens, facts);
  return facts;
}

TokenText token_text_at(const FileModel& file, const MetadataPair& tokens, std::uint64_t id) {
  TokenText found;
  for_each_string(file, tokens, [&](std::uint64_t index, std::string_view text, ByteRange where) {
    if (index == id) found = {text, where};
    return index < id;
  });
  return found;
}

std::optional<std::uint64_t> token_type_at(const FileModel& file, const VocabularyFacts& vocabulary,
                                           std::uint64_t id) {
  const WordArray types(file, vocabulary.pairs.types);
  if (id >= types.size()) return std::nullopt;
  return types.at(id);
}

}  // namespace ggufvet
