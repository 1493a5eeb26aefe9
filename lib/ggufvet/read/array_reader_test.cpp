#include "ggufvet/read/array_reader.h"

#include <string>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "ggufvet/read/read_model.h"
#include "ggufvet/source/memory_source.h"
#include "ggufvet/write/gguf_builder.h"

namespace ggufvet {
namespace {

// The array as the reader left it, and whether reading came to its end.
struct Outcome {
  MetadataPair pair;
  ReadStop stop;
};

[[nodiscard]] Outcome read_array_of(const BuiltFile& file) {
  MemorySource source(file.bytes);
  const FileModel model = read_model(source, Limits{});
  return {model.pairs.empty() ? MetadataPair{} : model.pairs[0], model.stop};
}

[[nodiscard]] BuiltFile file_with(ValueSpec value, ByteOrder order) {
  return GgufBuilder{}.byte_order(order).pair("a", std::move(value)).build();
}

[[nodiscard]] BuiltFile file_of_strings(const std::vector<std::string>& texts, ByteOrder order) {
  std::vector<ValueSpec> elements;
  for (const std::string& text : texts) elements.push_back(string_value(text));
  return file_with(array_value(ValueType::string, std::move(elements)), order);
}

// Arrays in arrays, `depth` levels in all, the innermost holding one u8.
[[nodiscard]] ValueSpec nested(std::uint32_t depth) {
  ValueSpec value = array_value(ValueType::u8, {number_value(ValueType::u8, 7)});
  for (std::uint32_t level = 1; level < depth; ++level)
    value = array_value(ValueType::array, {std::move(value)});
  return value;
}

const std::size_t kLengths[] = {0, 1, 7, 8, 126, 127, 128, 129, 255, 256, 257, 1000};

}  // namespace

TEST_CASE("strings of every length near a boundary, in every order of lengths, are plain text") {
  const auto order = GENERATE(ByteOrder::little, ByteOrder::big);
  for (const std::size_t first : kLengths)
    for (const std::size_t second : kLengths) {
      const auto [pair, stop] = read_array_of(file_of_strings(
          {std::string(first, 'a'), std::string(second, 'b'), "c", std::string(first, 'd')}, order));
      INFO(first << ' ' << second);
      REQUIRE(stop.reason == StopReason::none);
      REQUIRE_FALSE(pair.text_has_nul);
      REQUIRE_FALSE(pair.text_invalid_utf8);
    }
}

TEST_CASE("one NUL is found in strings of every length, wherever it stands") {
  const auto order = GENERATE(ByteOrder::little, ByteOrder::big);
  for (const std::size_t length : kLengths)
    for (const std::size_t other : kLengths)
      for (const std::size_t at : {std::size_t{0}, length / 2, length - 1}) {
        if (at >= length) continue;
        std::string text(length, 'a');
        text[at] = '\0';
        const std::string plain(other, 'b');
        INFO(length << ' ' << other << ' ' << at);
        for (const auto& texts :
             {std::vector{text, plain, plain}, {plain, text, plain}, {plain, plain, text}}) {
          const auto [pair, stop] = read_array_of(file_of_strings(texts, order));
          REQUIRE(stop.reason == StopReason::none);
          REQUIRE(pair.text_has_nul);
          REQUIRE_FALSE(pair.text_invalid_utf8);
        }
      }
}

TEST_CASE("one malformed sequence is found in strings of every length, at their ends too") {
  const auto order = GENERATE(ByteOrder::little, ByteOrder::big);
  for (const std::size_t length : kLengths)
    for (const std::size_t other : kLengths) {
      if (length == 0) continue;
      const std::string plain(other, 'b');
      for (const std::string_view bad : {"\x80", "\xc3", "\xe2\x82", "\xf0\x9f\x98"}) {
        if (bad.size() > length) continue;
        const std::string at_end = std::string(length - bad.size(), 'a') + std::string(bad);
        const std::string at_begin = std::string(bad) + std::string(length - bad.size(), 'a');
        INFO(length << ' ' << other);
        for (const auto& texts :
             {std::vector{at_end, plain}, {plain, at_end}, {at_begin, plain}, {plain, at_begin}}) {
          const auto [pair, stop] = read_array_of(file_of_strings(texts, order));
          REQUIRE(stop.reason == StopReason::none);
          REQUIRE(pair.text_invalid_utf8);
          REQUIRE_FALSE(pair.text_has_nul);
        }
      }
    }
}

TEST_CASE("a sequence is not completed by the length of the next string, nor by the next string") {
  const auto order = GENERATE(ByteOrder::little, ByteOrder::big);
  // 0xC3 at the end of one string; 0x80 and 0xA9 = 169 as the low byte of the next one's length, then its
  // text.
  for (const std::size_t next : {std::size_t{0x80}, std::size_t{0xA9}, std::size_t{0x81}}) {
    const auto split = read_array_of(file_of_strings({"\xc3", std::string(next, 'a')}, order));
    CHECK(split.pair.text_invalid_utf8);
    const auto halves = read_array_of(file_of_strings({"\xc3", "\xa9"}, order));
    CHECK(halves.pair.text_invalid_utf8);
    const auto whole = read_array_of(file_of_strings({"\xc3\xa9", std::string(next, 'a')}, order));
    CHECK_FALSE(whole.pair.text_invalid_utf8);
  }
}

TEST_CASE("bools other than 0 and 1 are noticed anywhere in an array") {
  const auto order = GENERATE(ByteOrder::little, ByteOrder::big);
  for (const std::uint64_t value : {0U, 1U, 2U, 128U, 255U}) {
    std::vector<ValueSpec> elements(33, number_value(ValueType::boolean, 1));
    elements[17] = number_value(ValueType::boolean, value);
    const auto [pair, stop] = read_array_of(file_with(array_value(ValueType::boolean, elements), order));
    CHECK(stop.reason == StopReason::none);
    CHECK(pair.bool_out_of_range == (value > 1));
  }
}

TEST_CASE("arrays nest as deep as the limit says, and not one level deeper") {
  const auto order = GENERATE(ByteOrder::little, ByteOrder::big);
  for (const std::uint32_t depth : {1U, 2U, 4U, 63U, 64U}) {
    const BuiltFile file = file_with(nested(depth), order);
    const auto [pair, stop] = read_array_of(file);
    INFO(depth);
    CHECK(stop.reason == StopReason::none);
    CHECK(pair.depth == depth);
    CHECK(pair.bits == 1);
    CHECK(pair.element_type_id == static_cast<std::uint32_t>(ValueType::u8));
    CHECK(pair.record() == file.at("metadata[0]"));
  }
  const BuiltFile too_deep = file_with(nested(65), order);
  const auto [pair, stop] = read_array_of(too_deep);
  CHECK(stop.reason == StopReason::array_too_deep);
  CHECK(stop.value == 65);
  CHECK(stop.allowed == kArrayDepthMax);
  // The element type that asks for the 65th level: that of the 64th array, each head being 12 bytes.
  const std::uint64_t begin = too_deep.at("metadata[0].element_type").begin + 63 * 12;
  CHECK(stop.where == ByteRange{begin, begin + 4});
}

TEST_CASE("nested arrays with several children, empty ones too, are walked to their end") {
  const auto order = GENERATE(ByteOrder::little, ByteOrder::big);
  const ValueSpec empty = array_value(ValueType::string, {});
  const ValueSpec texts =
      array_value(ValueType::string, {string_value("x"), string_value(std::string("y\0", 2))});
  const ValueSpec inner = array_value(ValueType::array, {empty, texts, empty});
  const ValueSpec outer = array_value(ValueType::array, {inner, empty, inner});
  const BuiltFile file = GgufBuilder{}.byte_order(order).pair("a", outer).pair("b", u32_value(5)).build();
  MemorySource source(file.bytes);
  const FileModel model = read_model(source, Limits{});
  REQUIRE(model.complete());
  CHECK(model.pairs[0].depth == 3);
  CHECK(model.pairs[0].bits == 3);
  CHECK(model.pairs[0].text_has_nul);
  CHECK(model.pairs[0].record() == file.at("metadata[0]"));
  CHECK(model.pairs[1].bits == 5);
}

TEST_CASE("every string is visited with its place, and a visitor may stop") {
  const auto order = GENERATE(ByteOrder::little, ByteOrder::big);
  const BuiltFile file = file_of_strings({"", "one", std::string(300, 'x'), "three"}, order);
  MemorySource source(file.bytes);
  const FileModel model = read_model(source, Limits{});
  REQUIRE(model.complete());
  std::vector<ByteRange> places;
  for_each_string(model, model.pairs[0], [&](std::uint64_t index, std::string_view text, ByteRange where) {
    CHECK(index == places.size());
    CHECK(text.size() == where.size());
    places.push_back(where);
    return index < 2;
  });
  REQUIRE(places.size() == 3);
  CHECK(places[1] == file.at("metadata[0].value[1]"));
  CHECK(places[2] == file.at("metadata[0].value[2]"));
}

TEST_CASE("a count or a length that the file cannot hold stops before anything is done with it") {
  const auto order = GENERATE(ByteOrder::little, ByteOrder::big);
  for (const std::uint64_t count : {std::uint64_t{3}, std::uint64_t{1} << 61, ~std::uint64_t{0}}) {
    ValueSpec value =
        array_value(ValueType::u64, {number_value(ValueType::u64, 1), number_value(ValueType::u64, 2)});
    value.count = count;
    const BuiltFile file = file_with(value, order);
    const auto [pair, stop] = read_array_of(file);
    CHECK(stop.reason == StopReason::array_past_end);
    CHECK(stop.where == file.at("metadata[0].count"));
    CHECK(stop.value == count);
    CHECK(stop.allowed == 2);
  }
  ValueSpec texts = array_value(ValueType::string, {string_value("ab"), string_value(TextSpec("cd", 3))});
  const BuiltFile cut = file_with(texts, order);
  const auto [pair, stop] = read_array_of(cut);
  CHECK(stop.reason == StopReason::string_past_end);
  CHECK(stop.where == cut.at("metadata[0].value[1].length"));
}

TEST_CASE("an element type that does not exist stops at the type") {
  const auto order = GENERATE(ByteOrder::little, ByteOrder::big);
  for (const std::uint32_t type : {13U, 255U, 0x7FFFFFFFU, 0xFFFFFFFFU}) {
    ValueSpec value = array_value(ValueType::u8, {});
    value.element_type_id = type;
    const BuiltFile file = file_with(value, order);
    const auto [pair, stop] = read_array_of(file);
    CHECK(stop.reason == StopReason::element_type_unknown);
    CHECK(stop.where == file.at("metadata[0].element_type"));
    CHECK(stop.value == type);
  }
}

}  // namespace ggufvet
