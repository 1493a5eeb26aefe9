// What the walks over a vocabulary tell, beside what a plain walk with a map tells.
#include "ggufvet/rules/vocabulary_facts.h"

#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "ggufvet/read/read_model.h"
#include "ggufvet/source/memory_source.h"
#include "ggufvet/write/gguf_builder.h"

namespace ggufvet {
namespace {

struct Vocabulary {
  std::vector<std::string> tokens, merges;
  std::vector<std::uint32_t> types, scores;
};

// Short texts of few letters, so that some are equal; some empty, some marked, some longer than a word.
[[nodiscard]] Vocabulary draw(std::mt19937& random, std::size_t token_count, std::size_t merge_count) {
  const auto below = [&random](std::uint32_t count) { return static_cast<std::uint32_t>(random() % count); };
  const auto text = [&](std::uint32_t length, std::string_view letters) {
    std::string drawn;
    for (std::uint32_t at = 0; at < length; ++at)
      drawn += letters[below(static_cast<std::uint32_t>(letters.size()))];
    return drawn;
  };
  Vocabulary made;
  for (std::size_t index = 0; index < token_count; ++index) {
    const std::uint32_t kind = below(100);
    made.tokens.push_back(kind == 0   ? ""
                          : kind == 1 ? "<0x" + text(2, "0123456789abcdefABCDEFxyz") + ">"
                          : kind == 2 ? text(60 + below(100), "ab")
                          : kind == 3 ? "<|im_end|>"
                                      : text(1 + below(24), "abcdefgh"));
    made.types.push_back(below(40) == 0 ? 7 + below(3) : below(7));
    made.scores.push_back(below(50) == 0 ? 0x7FC00000 : below(0x7F800000));
  }
  for (std::size_t index = 0; index < merge_count; ++index) {
    const std::uint32_t kind = below(8);
    const std::string left = made.tokens[below(static_cast<std::uint32_t>(token_count))];
    const std::string right = made.tokens[below(static_cast<std::uint32_t>(token_count))];
    made.merges.push_back(kind < 4 ? left + " " + right : text(below(40), "ab  "));
  }
  return made;
}

[[nodiscard]] ValueSpec strings(const std::vector<std::string>& texts) {
  std::vector<ValueSpec> elements;
  for (const std::string& text : texts) elements.push_back(string_value(text));
  return array_value(ValueType::string, std::move(elements));
}
[[nodiscard]] ValueSpec words(ValueType type, const std::vector<std::uint32_t>& values) {
  std::vector<ValueSpec> elements;
  for (const std::uint32_t value : values) elements.push_back(number_value(type, value));
  return array_value(type, std::move(elements));
}

// Count and index of the first, told one by one.
struct Count {
  std::uint64_t count = 0, index = 0;
  void note(std::uint64_t at) {
    if (count++ == 0) index = at;
  }
};
void check_equal(const Fault& fault, const Count& expected) {
  CHECK(fault.count == expected.count);
  CHECK(fault.index == expected.index);
}

[[nodiscard]] bool is_byte_token(const std::string& text) {
  return text.size() == 6 && text.starts_with("<0x") && text[5] == '>' &&
         text.substr(3, 2).find_first_not_of("0123456789abcdefABCDEF") == std::string::npos;
}

void check_tokens(const Vocabulary& made, const VocabularyFacts& facts, const BuiltFile& file) {
  Count empty, duplicate, malformed, unknown_type, not_a_number;
  std::map<std::string, std::uint64_t> first_of;
  std::uint64_t earlier = 0;
  std::set<std::string> bytes;
  std::optional<std::uint64_t> turn_end;
  for (std::uint64_t id = 0; id < made.tokens.size(); ++id) {
    const std::string& text = made.tokens[id];
    if (made.types[id] > 6) unknown_type.note(id);
    if (made.scores[id] == 0x7FC00000) not_a_number.note(id);
    if (text.empty()) {
      empty.note(id);
      continue;
    }
    if (is_byte_token(text)) bytes.insert(text);
    if (made.types[id] == 6 && !is_byte_token(text)) malformed.note(id);
    if (text == "<|im_end|>" && !turn_end) turn_end = id;
    const auto [place, is_new] = first_of.emplace(text, id);
    if (!is_new && duplicate.count == 0) earlier = place->second;
    if (!is_new) duplicate.note(id);
  }
  check_equal(facts.empty_token, empty);
  check_equal(facts.duplicate_token, duplicate);
  check_equal(facts.byte_token_malformed, malformed);
  check_equal(facts.type_unknown, unknown_type);
  check_equal(facts.score_nan, not_a_number);
  CHECK(facts.turn_end_ids[1] == turn_end.value_or(VocabularyFacts::kNoToken));
  if (duplicate.count != 0) {
    const auto place = [](std::uint64_t id) { return "metadata[1].value[" + std::to_string(id) + "]"; };
    CHECK(facts.duplicate_token.where.size() == made.tokens[duplicate.index].size());
    CHECK(facts.duplicate_token.where.end == file.at(place(duplicate.index)).end);
    CHECK(facts.duplicate_token.related.end == file.at(place(earlier)).end);
  }
  for (const std::string& text : bytes)
    CHECK(facts.byte_tokens.test(std::stoul(text.substr(3, 2), nullptr, 16)));
}

void check_merges(const Vocabulary& made, const VocabularyFacts& facts) {
  const std::set<std::string> tokens(made.tokens.begin(), made.tokens.end());
  Count no_parts, several, unknown;
  std::uint64_t next = 0;
  const std::uint64_t stride = std::max<std::uint64_t>(1, made.merges.size() / kMergesLookedUpMax);
  for (std::uint64_t index = 0; index < made.merges.size(); ++index) {
    const std::string& merge = made.merges[index];
    const std::size_t cut = merge.find(' ', 1);
    if (merge.empty() || cut == std::string::npos || cut + 1 == merge.size()) {
      no_parts.note(index);
      continue;
    }
    const std::string left = merge.substr(0, cut), right = merge.substr(cut + 1);
    if (right.find(' ') != std::string::npos) several.note(index);
    if (index < next) continue;
    next = index + stride;
    if (!tokens.contains(left) || !tokens.contains(right) || !tokens.contains(left + right))
      unknown.note(index);
  }
  check_equal(facts.merge_without_separator, no_parts);
  check_equal(facts.merge_with_several, several);
  check_equal(facts.merge_part_unknown, unknown);
}

}  // namespace

TEST_CASE("walks over a vocabulary tell what plain ones tell, in both byte orders", "[meaning]") {
  const auto order = GENERATE(ByteOrder::little, ByteOrder::big);
  const auto tokens = GENERATE(std::size_t{1}, std::size_t{31}, std::size_t{32}, std::size_t{33},
                               std::size_t{1000}, std::size_t{5000});
  std::mt19937 random(static_cast<std::uint32_t>(tokens));
  // The last list ends where the file ends, so that nothing may be read behind it.
  const Vocabulary made = draw(random, tokens, tokens < 5000 ? tokens : 9000);
  const BuiltFile file = GgufBuilder{}
                             .byte_order(order)
                             .pair("tokenizer.ggml.model", string_value("llama"))
                             .pair("tokenizer.ggml.tokens", strings(made.tokens))
                             .pair("tokenizer.ggml.token_type", words(ValueType::i32, made.types))
                             .pair("tokenizer.ggml.scores", words(ValueType::f32, made.scores))
                             .pair("tokenizer.ggml.merges", strings(made.merges))
                             .build();
  MemorySource source(file.bytes);
  const FileModel model = read_model(source, Limits{});
  REQUIRE(model.complete());
  const VocabularyFacts facts = derive_vocabulary(model, {.model = &model.pairs[0],
                                                          .tokens = &model.pairs[1],
                                                          .scores = &model.pairs[3],
                                                          .types = &model.pairs[2],
                                                          .merges = &model.pairs[4]});
  check_tokens(made, facts, file);
  check_merges(made, facts);
}

}  // namespace ggufvet
