// A vocabulary with the measures of real ones: words are runs of five syllables or characters of one script;
// every part of a word is a token, so that every place where a token can be cut is a merge, about two for
// each token.
#include <algorithm>
#include <array>
#include <string>
#include <unordered_set>

#include "sample_files.h"
#include "sample_writer.h"

namespace ggufvet::bench {
namespace {

constexpr std::size_t kTokens = 262144;
constexpr std::size_t kMerges = 500000;
constexpr std::size_t kUnitsInWord = 5;
constexpr std::int32_t kTokenNormal = 1;
constexpr std::int32_t kTokenControl = 3;
constexpr std::int32_t kTokenByte = 6;

using Units = std::vector<std::string>;

void append_code_point(std::string& out, std::uint32_t code_point) {
  if (code_point < 0x800) {
    out += static_cast<char>(0xC0 | (code_point >> 6));
  } else {
    out += static_cast<char>(0xE0 | (code_point >> 12));
    out += static_cast<char>(0x80 | ((code_point >> 6) & 0x3F));
  }
  out += static_cast<char>(0x80 | (code_point & 0x3F));
}

// Consonant and vowel, most of them closed by another consonant.
[[nodiscard]] Units latin_syllables(Draw& draw) {
  constexpr std::string_view kConsonants = "bcdfghjklmnprstvwz";
  constexpr std::string_view kVowels = "aeiou";
  Units units;
  for (std::size_t count = 0; count < 1200; ++count) {
    std::string unit(1, kConsonants[draw.below(kConsonants.size())]);
    unit += kVowels[draw.below(kVowels.size())];
    if (draw.below(5) < 3) unit += kConsonants[draw.below(kConsonants.size())];
    units.push_back(unit);
  }
  return units;
}

[[nodiscard]] Units characters(Draw& draw, std::uint32_t first, std::uint32_t last, std::size_t in_unit) {
  Units units;
  for (std::size_t count = 0; count < 2500; ++count) {
    std::string unit;
    for (std::size_t index = 0; index < in_unit; ++index)
      append_code_point(unit, first + static_cast<std::uint32_t>(draw.below(last - first)));
    units.push_back(unit);
  }
  return units;
}

class Vocabulary {
 public:
  Vocabulary() {
    add_special();
    const std::array<Units, 4> scripts{latin_syllables(draw_), characters(draw_, 0x4E00, 0x6E00, 1),
                                       characters(draw_, 0x430, 0x44F, 2),
                                       characters(draw_, 0x905, 0x939, 1)};
    while (tokens_.size() < kTokens) {
      const std::uint64_t percent = draw_.below(100);
      const std::size_t script = percent < 65 ? 0 : percent < 82 ? 1 : percent < 94 ? 2 : 3;
      add_word(scripts[script]);
    }
    find_merges();
  }

  [[nodiscard]] const std::vector<std::string>& tokens() const { return tokens_; }
  [[nodiscard]] const std::vector<std::int32_t>& types() const { return types_; }
  [[nodiscard]] const std::vector<std::string>& merges() const { return merges_; }

 private:
  struct Cut {
    std::string left, right;
  };

  void add(std::string token, std::int32_t type = kTokenNormal) {
    if (tokens_.size() == kTokens || !known_.insert(token).second) return;
    tokens_.push_back(std::move(token));
    types_.push_back(type);
  }

  void add_special() {
    for (const char* const token : {"<unk>", "<s>", "</s>"}) add(token, kTokenControl);
    for (int byte = 0; byte < 256; ++byte) {
      constexpr std::string_view kDigits = "0123456789ABCDEF";
      add(std::string("<0x") + kDigits[static_cast<std::size_t>(byte / 16)] +
              kDigits[static_cast<std::size_t>(byte % 16)] + ">",
          kTokenByte);
    }
    // Runs of spaces, some of them long: most real vocabularies have them.
    for (const std::size_t spaces : {1U, 2U, 3U, 4U, 8U, 16U, 31U, 32U, 64U, 128U, 192U, 255U})
      add(std::string(spaces, ' '));
  }

  void add_word(const Units& units) {
    std::array<std::string, kUnitsInWord> word;
    for (std::string& unit : word) unit = units[draw_.below(units.size())];
    if (draw_.below(3) == 0) word[0] = "▁";  // how tokenizers write the space before a word
    for (std::size_t length = 1; length <= kUnitsInWord; ++length)
      for (std::size_t first = 0; first + length <= kUnitsInWord; ++first) {
        add(joined(word, first, first + length));
        for (std::size_t cut = first + 1; cut < first + length; ++cut)
          cuts_.push_back({joined(word, first, cut), joined(word, cut, first + length)});
      }
  }

  [[nodiscard]] static std::string joined(const std::array<std::string, kUnitsInWord>& word,
                                          std::size_t begin, std::size_t end) {
    std::string text;
    for (std::size_t unit = begin; unit < end; ++unit) text += word[unit];
    return text;
  }

  void find_merges() {
    std::unordered_set<std::string> seen;
    for (const Cut& cut : cuts_) {
      if (merges_.size() == kMerges) return;
      if (!known_.contains(cut.left) || !known_.contains(cut.right) || !known_.contains(cut.left + cut.right))
        continue;
      std::string merge = cut.left + " " + cut.right;
      if (seen.insert(merge).second) merges_.push_back(std::move(merge));
    }
  }

  Draw draw_{5};
  std::vector<std::string> tokens_;
  std::vector<std::int32_t> types_;
  std::vector<Cut> cuts_;
  std::vector<std::string> merges_;
  std::unordered_set<std::string> known_;
};

void write_strings(SampleWriter& out, std::string_view key, const std::vector<std::string>& strings) {
  out.begin_array_pair(key, ValueType::string, strings.size());
  for (const std::string& string : strings) out.string(string);
}

}  // namespace

SampleFile vocabulary_file() {
  const Vocabulary vocabulary;
  constexpr std::uint32_t kPairs = 40;
  constexpr std::uint32_t kTokenizerPairs = 10;
  SampleWriter out(0, kPairs);
  write_model_pairs(out, kPairs - kTokenizerPairs);
  out.string_pair("tokenizer.ggml.model", "gpt2");
  out.string_pair("tokenizer.ggml.pre", "default");
  write_strings(out, "tokenizer.ggml.tokens", vocabulary.tokens());
  out.begin_array_pair("tokenizer.ggml.scores", ValueType::f32, vocabulary.tokens().size());
  for (std::size_t index = 0; index < vocabulary.tokens().size(); ++index)
    out.number(-static_cast<float>(index));
  out.begin_array_pair("tokenizer.ggml.token_type", ValueType::i32, vocabulary.types().size());
  for (const std::int32_t type : vocabulary.types()) out.number(type);
  write_strings(out, "tokenizer.ggml.merges", vocabulary.merges());
  out.u32_pair("tokenizer.ggml.unknown_token_id", 0);
  out.u32_pair("tokenizer.ggml.bos_token_id", 1);
  out.u32_pair("tokenizer.ggml.eos_token_id", 2);
  out.bool_pair("tokenizer.ggml.add_bos_token", true);
  out.pad_to(32);
  return {out.take(), 0};
}

}  // namespace ggufvet::bench
