// The recipe language: what it says, what it refuses and on which line, and that it cannot be made to ask for
// much.
#include "ggufvet/write/recipe.h"

#include <catch2/catch_test_macros.hpp>

namespace ggufvet {
namespace {

Bytes built(std::string_view text) {
  const auto recipe = assemble_recipe("case x\n" + std::string(text));
  INFO(text << ": " << (recipe ? "" : recipe.error().message));
  REQUIRE(recipe.has_value());
  return recipe->file.bytes;
}

// The line of the refusal, 0 when there is none.
std::size_t refused_line(std::string_view text) {
  const auto recipe = assemble_recipe(text);
  if (recipe) return 0;
  CHECK_FALSE(recipe.error().message.empty());
  return recipe.error().line;
}

std::string refusal(std::string_view line) {
  const auto recipe = assemble_recipe("case x\ngguf v3\n" + std::string(line) + "\n");
  if (recipe) return {};
  CHECK(recipe.error().line == 3);
  return recipe.error().message;
}

}  // namespace

TEST_CASE("bytes are said in hexadecimal, text, zeros, fills and numbers") {
  CHECK((built("raw hex 00ff 1a zeros 2 fill 0xAB 2") == Bytes{std::byte{0}, std::byte{0xff}, std::byte{0x1a},
                                                               std::byte{0}, std::byte{0}, std::byte{0xab},
                                                               std::byte{0xab}}));
  CHECK((built("raw text \"a\\x00\\u{e9}\"{2}+\"z\"") == bytes_of(std::string("a\0\xc3\xa9"
                                                                              "a\0\xc3\xa9z",
                                                                              9))));
  CHECK((built("raw u16 258 i8 -1") == Bytes{std::byte{2}, std::byte{1}, std::byte{0xff}}));
  CHECK((built("raw hex 01\nraw hex 02") == Bytes{std::byte{1}, std::byte{2}}));
  CHECK(built("raw").empty());
}

TEST_CASE("numbers are decimal, hexadecimal, powers of two and sums of these") {
  const auto value = [](const std::string& number) {
    return load<std::uint64_t>(built("raw u64 " + number).data(), ByteOrder::little);
  };
  CHECK(value("0") == 0);
  CHECK(value("0xff") == 255);
  CHECK(value("2^63") == 0x8000000000000000);
  CHECK(value("2^63-1") == 0x7fffffffffffffff);
  CHECK(value("2^64-1") == 0xffffffffffffffff);
  CHECK(value("2^62+2^61+1") == 0x6000000000000001);
  CHECK(value("1-1") == 0);
  CHECK_FALSE(refusal("data u64 2^64").empty());
  CHECK_FALSE(refusal("data u64 1-2").empty());
  CHECK_FALSE(refusal("data u64 2^65").empty());
  CHECK_FALSE(refusal("data u64 18446744073709551616").empty());
  CHECK_FALSE(refusal("data u8 256").empty());
  CHECK_FALSE(refusal("data i8 -129").empty());
}

TEST_CASE("a header is laid out as the version has it, in either byte order") {
  CHECK((built("gguf v3").size() == 24));
  CHECK((built("gguf v1").size() == 16));
  const Bytes big = built("gguf v3 big\npair \"k\" u16 258");
  CHECK(load<std::uint32_t>(big.data() + 4, ByteOrder::big) == 3);
  CHECK(load<std::uint64_t>(big.data() + 16, ByteOrder::big) == 1);
  CHECK(load<std::uint16_t>(big.data() + big.size() - 2, ByteOrder::big) == 258);
  CHECK(load<std::uint32_t>(big.data(), ByteOrder::little) == 0x46554747);
}

TEST_CASE("labels are where the fields are") {
  const auto recipe = assemble_recipe(
      "case x\ngguf v3\npair \"a key\" array:string [\"ab\" \"c\"]\ntensor \"w\" F32 [2 3]\nappend hex 01 "
      "02\n");
  REQUIRE(recipe.has_value());
  const BuiltFile& file = recipe->file;
  CHECK(file.at("header.pair_count") == ByteRange{16, 24});
  CHECK(file.at("metadata[0].key") == ByteRange{32, 37});
  CHECK(file.at("metadata[\"a key\"].type") == ByteRange{37, 41});
  CHECK(file.at("metadata[0].element_type") == ByteRange{41, 45});
  CHECK(file.at("metadata[0].count") == ByteRange{45, 53});
  CHECK(file.at("metadata[0].value[0].length") == ByteRange{53, 61});
  CHECK(file.at("metadata[0].value[1]") == ByteRange{71, 72});
  CHECK(file.at("tensor[0].shape[1]") == ByteRange{93, 101});
  CHECK(file.at("tensor[0].offset") == ByteRange{105, 113});
  CHECK(file.at("padding") == ByteRange{113, 128});
  CHECK(file.at("tensor[0].data") == ByteRange{128, 152});
  CHECK(file.at("tensor[0].padding") == ByteRange{152, 160});
  CHECK(file.at("tail") == ByteRange{160, 162});
  CHECK(file.at("tail+1:1") == ByteRange{161, 162});
  CHECK(file.at("eof-2:2") == ByteRange{160, 162});
  CHECK(file.at("tensor[0].padding..eof") == ByteRange{152, 162});
  CHECK_FALSE(file.labels.find("tail+3").has_value());
  CHECK_FALSE(file.labels.find("tensor[1].name").has_value());
  CHECK_FALSE(file.labels.find("metadata[\"other\"].value").has_value());
}

TEST_CASE("a range is named by the narrowest field that holds it, and the name finds it again") {
  const auto recipe = assemble_recipe("case x\ngguf v3\npair \"k\" string \"abc\"\ntensor \"w\" F32 [2 3]\n");
  REQUIRE(recipe.has_value());
  const Labels& labels = recipe->file.labels;
  for (std::uint64_t begin = 0; begin <= recipe->file.bytes.size(); ++begin)
    for (std::uint64_t end = begin; end <= recipe->file.bytes.size(); ++end) {
      const std::string name = labels.name_of({begin, end});
      INFO(name);
      CHECK(labels.find(name) == ByteRange{begin, end});
    }
  CHECK(labels.name_of(recipe->file.at("tensor[0].type")) == "tensor[0].type");
}

TEST_CASE("false counts, lengths, ranks and offsets are written as they are given") {
  const auto recipe = assemble_recipe(
      "case x\ngguf v3\nheader version=7 tensors=9 pairs=2^63 magic=\"ABCD\"\n"
      "pair \"k\" length=99 array:u8 [1] count=5\ntensor \"w\" length=98 type:77 [4] rank=6 offset=33\n");
  REQUIRE(recipe.has_value());
  const BuiltFile& file = recipe->file;
  const auto number = [&file](std::string_view label) {
    const std::byte* const at = file.bytes.data() + file.at(label).begin;
    return file.at(label).size() == 4 ? load<std::uint32_t>(at, ByteOrder::little)
                                      : load<std::uint64_t>(at, ByteOrder::little);
  };
  CHECK(number("header.version") == 7);
  CHECK(number("header.tensor_count") == 9);
  CHECK(number("header.pair_count") == 0x8000000000000000);
  CHECK(number("metadata[0].key_length") == 99);
  CHECK(number("metadata[0].count") == 5);
  CHECK(number("tensor[0].name_length") == 98);
  CHECK(number("tensor[0].rank") == 6);
  CHECK(number("tensor[0].type") == 77);
  CHECK(number("tensor[0].offset") == 33);
}

TEST_CASE("patches, truncations and repetitions are done in order") {
  CHECK((built("raw zeros 4\npatch @file+1 hex 0a0b\ntruncate @file+3\nappend self") ==
         Bytes{std::byte{0}, std::byte{10}, std::byte{11}, std::byte{0}, std::byte{10}, std::byte{11}}));
}

TEST_CASE("a refusal names its line") {
  CHECK(refused_line("") == 1);
  CHECK(refused_line("case x\n") == 1);
  CHECK(refused_line("gguf v3\n") == 1);
  CHECK(refused_line("case x\ngguf v4\n") == 2);
  CHECK(refused_line("# a comment\n\ncase x\nnonsense\n") == 4);
  CHECK(refused_line("case x\npair \"k\" u8 1\n") == 2);
  CHECK(refused_line("case x\ngguf v3\nraw hex 00\n") == 3);
  CHECK(refused_line("case x\ngguf v3\nexpect all invalid some-rule @tensor[0].name\n") == 3);
  CHECK(refused_line("case x\ngguf v3\npatch @nowhere hex 00\npair \"k\" u8 1\n") == 3);
  CHECK(refused_line("case x\ngguf v3\npair \"a\" \\\n  u8 1\npair \"b\" u9 1\n") == 5);
}

TEST_CASE("what a line cannot mean is refused") {
  for (const char* const line : {"pair \"k\"",
                                 "pair \"k\" u8",
                                 "pair \"k\" array:u8 [1",
                                 "pair \"k\" array:u8 1",
                                 "pair \"k\" u8 1 2",
                                 "pair \"unfinished u8 1",
                                 "pair \"k\" string \"\\q\"",
                                 "pair \"k\" nest:0:u8 1",
                                 "pair \"k\" nest:2000:u8 1",
                                 "pair \"k\" array:nothing []",
                                 "pair \"k\" array [1]",
                                 "pair \"k\" type:4294967296 hex 00",
                                 "tensor \"x\" F33 [1]",
                                 "tensor \"x\" type:4294967296 [1]",
                                 "tensor \"x\" nowhere/F32 [1]",
                                 "tensor \"x\" F32 [1",
                                 "tensor \"x\" F32 [1] colour=3",
                                 "header size=4",
                                 "data hex 0",
                                 "data fill 256 1",
                                 "data",
                                 "patch @file+0",
                                 "patch header.magic hex 00",
                                 "truncate @header.magic-1",
                                 "expect all fine",
                                 "expect all valid slug",
                                 "append",
                                 "dialect martian",
                                 "gguf v3",
                                 "case y"}) {
    INFO(line);
    CHECK_FALSE(refusal(line).empty());
  }
}

TEST_CASE("no recipe asks for more than a few megabytes") {
  CHECK_FALSE(refusal("data zeros 2^40").empty());
  CHECK_FALSE(refusal("pair \"k\"{2^60} u8 1").empty());
  CHECK_FALSE(refusal("pair \"k\" array:u8 [1*2^63]").empty());
  CHECK_FALSE(refusal("pair \"k\" array:string [\"a\"{1000000}*1000000]").empty());
  CHECK(refusal("pair \"k\" array:array:u8 [[]*2^40]").find("more bytes") != std::string::npos);
  std::string doubling = "case x\nraw zeros 1000000\n";
  for (int line = 0; line < 64; ++line) doubling += "append self\n";
  CHECK(refused_line(doubling) > 0);
  CHECK(built("gguf v3\ntensor \"x\" I8 [2^62]").size() < 1000);
}

}  // namespace ggufvet
