// What show and bytes say about files built for the purpose.
#include "ggufvet/render/show.h"

#include <limits>
#include <string>

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "ggufvet/base/text.h"
#include "ggufvet/render/byte_map.h"
#include "ggufvet/render/values.h"
#include "ggufvet/source/memory_source.h"
#include "ggufvet/write/gguf_builder.h"

namespace ggufvet {
namespace {

[[nodiscard]] GgufBuilder sample() {
  return GgufBuilder{}
      .pair("some.text", string_value("llama"))
      .pair("general.file_type", u32_value(7))
      .pair("tokens",
            array_value(ValueType::string, {string_value("<s>"), string_value(""), string_value("hello")}))
      .pair("deep",
            array_value(ValueType::array, {array_value(ValueType::u8, {number_value(ValueType::u8, 1)})}))
      .tensor("a", "Q8_0", {32, 2})
      .tensor("b", "F32", {8});
}

[[nodiscard]] std::vector<ByteField> fields_of(std::span<const std::byte> bytes, std::uint64_t elements_max) {
  MemorySource source(bytes);
  const auto vetted = vet(source, VetOptions{});
  std::vector<ByteField> fields;
  for_each_byte_field(vetted->facts, {.elements_max = elements_max},
                      [&fields](const ByteField& field) { fields.push_back(field); });
  return fields;
}

void check_tiling(const std::vector<ByteField>& fields, std::uint64_t file_bytes) {
  std::uint64_t at = 0;
  for (const ByteField& field : fields) {
    REQUIRE(field.range.begin == at);
    REQUIRE(field.range.end > at);
    CHECK_FALSE(field.path.empty());
    CHECK_FALSE(field.field.empty());
    CHECK_FALSE(field.group.empty());
    CHECK_FALSE(field.meaning.empty());
    at = field.range.end;
  }
  CHECK(at == file_bytes);
}

}  // namespace

TEST_CASE("fields tile a file and every truncation of it") {
  const BuiltFile file = sample().build();
  for (std::size_t size = 0; size <= file.bytes.size(); ++size) {
    const std::vector<std::byte> cut(file.bytes.begin(),
                                     file.bytes.begin() + static_cast<std::ptrdiff_t>(size));
    INFO(size);
    for (const std::uint64_t elements_max : {0U, 1U, 8U}) check_tiling(fields_of(cut, elements_max), size);
  }
}

TEST_CASE("fields tile files whose tensors overlap, leave gaps, stand out of order or are not known") {
  for (const std::uint64_t offset : {0U, 32U, 64U, 4096U}) {
    const BuiltFile file = GgufBuilder{}
                               .tensor("a", "F32", {32})
                               .tensor("b", "F32", {16})
                               .offset(offset)
                               .tensor("c", std::uint32_t{4095}, {8})
                               .offset(256)
                               .data(Bytes(512))
                               .append(bytes_of("tail"))
                               .build();
    check_tiling(fields_of(file.bytes, 8), file.bytes.size());
  }
}

TEST_CASE("each field stands where the builder put it") {
  const BuiltFile file = sample().build();
  std::size_t found = 0;
  for (const ByteField& field : fields_of(file.bytes, 0)) {
    if (!field.path.starts_with("tensor[") && !field.path.starts_with("header.")) continue;
    INFO(field.path);
    CHECK(field.range == file.at(field.path));
    ++found;
  }
  CHECK(found == 4 + 2 * 6 + 1 + 2);  // the header's, each tensor's, a second dimension, each tensor's data
}

TEST_CASE("bytes and their share are counted by type, in whole numbers that cannot wrap") {
  const BuiltFile file = sample().build();
  MemorySource source(file.bytes);
  const auto vetted = vet(source, VetOptions{});
  const auto shares = type_shares(vetted->facts);
  REQUIRE(shares.size() == 2);
  CHECK(shares[0].name == "Q8_0");
  CHECK(shares[0].bytes == 68);
  CHECK(shares[0].elements == 64);
  CHECK(shares[1].bytes == 32);
  CHECK(file_type_text(vetted->facts).starts_with("7 MOSTLY_Q8_0"));

  constexpr std::uint64_t kLarge = std::uint64_t{1} << 60;
  GgufBuilder builder;
  for (int index = 0; index < 20; ++index)
    builder.tensor("t" + std::to_string(index), "F32", {kLarge}).offset(0).tensor_size(0);
  const BuiltFile large = builder.build();
  MemorySource large_source(large.bytes);
  const auto large_shares = type_shares(vet(large_source, VetOptions{})->facts);
  REQUIRE(large_shares.size() == 1);
  CHECK(large_shares[0].bytes == std::numeric_limits<std::uint64_t>::max());
  CHECK(large_shares[0].elements == std::numeric_limits<std::uint64_t>::max());
}

TEST_CASE("scalars are shown with their sign, their words and all their digits") {
  CHECK(scalar_text(ValueType::i8, 0xFF) == "-1");
  CHECK(scalar_text(ValueType::i16, 0x8000) == "-32768");
  CHECK(scalar_text(ValueType::i32, 0xFFFFFFFF) == "-1");
  CHECK(scalar_text(ValueType::i64, 0x8000000000000000) == "-9223372036854775808");
  CHECK(scalar_text(ValueType::u64, 0xFFFFFFFFFFFFFFFF) == "18446744073709551615");
  CHECK(scalar_text(ValueType::f32, 0x3F800000) == "1");
  CHECK(scalar_text(ValueType::f64, 0x7FF0000000000000) == "inf");
  CHECK(scalar_text(ValueType::boolean, 1) == "true");
  CHECK(scalar_text(ValueType::boolean, 2) == "bool of 2");
}

TEST_CASE("hostile text is escaped wherever it is shown, and replaced in JSON where it is not text") {
  const std::string hostile = "\x1b[2J\n\xE2\x80\xAE\xFF";
  const BuiltFile file = GgufBuilder{}
                             .pair(hostile, string_value(hostile))
                             .pair("general.name", string_value(hostile))
                             .pair("list", array_value(ValueType::string, {string_value(hostile)}))
                             .tensor(hostile, "F32", {8})
                             .build();
  MemorySource source(file.bytes);
  const auto vetted = vet(source, VetOptions{});
  std::string text = show_text(hostile, *vetted, ShowOptions{}, TextStyle{});
  bytes_text(source, *vetted, ByteMapOptions{}, TextStyle{},
             [&text](std::string_view line) { text += line; });
  std::string without_line_ends = text;
  std::erase(without_line_ends, '\n');
  CHECK(is_valid_utf8(text));
  CHECK_FALSE(find_unprintable(without_line_ends).has_value());
  const std::string json_text = show_json(hostile, *vetted, ShowOptions{}, "1.2.3");
  const auto json = nlohmann::json::parse(json_text);
  CHECK(json["metadata"][1]["value"].get<std::string>().starts_with("\x1b[2J\n"));
  for (const char letter : json_text) REQUIRE((letter == '\n' || (letter >= 0x20 && letter < 0x7F)));
}

TEST_CASE("a file that is something else is said to be so, without a version made up") {
  const BuiltFile file = GgufBuilder{}.magic("PK\x03\x04").build();
  MemorySource source(file.bytes);
  const auto vetted = vet(source, VetOptions{});
  CHECK(show_text("x", *vetted, ShowOptions{}, TextStyle{}).find("zip archive") != std::string::npos);
  const auto json = nlohmann::json::parse(show_json("x", *vetted, ShowOptions{}, "1.2.3"));
  CHECK_FALSE(json.contains("version"));
  CHECK(json["complete"] == false);
}

}  // namespace ggufvet
