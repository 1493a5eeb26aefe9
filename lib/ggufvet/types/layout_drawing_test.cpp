#include "ggufvet/types/layout_drawing.h"

#include <set>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "ggufvet/types/type_registry.h"
#include "ggufvet/types/types_markdown.h"

namespace ggufvet {
namespace {

std::string drawing_of(std::string_view label) {
  const TypeLayout* layout = find_layout(label);
  REQUIRE(layout != nullptr);
  std::string out;
  draw_layout(*layout, out);
  return out;
}

std::string description_of(std::string_view query) {
  std::string out;
  CHECK(describe_type(query, out));
  return out;
}

bool mentions(const std::string& text, std::string_view phrase) {
  return text.find(phrase) != std::string::npos;
}

}  // namespace

TEST_CASE("a block is drawn field by field") {
  CHECK(drawing_of("q4_k") ==
        "q4_k: 256 elements in 144 bytes (4.5 bits per weight)\n"
        "block, 144 bytes\n"
        "  0..1     d       scale, fp16\n"
        "  2..3     dmin    minimum, fp16\n"
        "  4..15    scales  packed scales of sub-blocks\n"
        "  16..143  qs      codes of the elements\n");
  CHECK(drawing_of("mxfp4") ==
        "mxfp4: 32 elements in 17 bytes (4.25 bits per weight)\n"
        "block, 17 bytes\n"
        "  0      e   scale, E8M0 (a power of two)\n"
        "  1..16  qs  codes of the elements\n");
}

TEST_CASE("row headers and trailers are drawn beside the block") {
  CHECK(drawing_of("iq2_ks") ==
        "iq2_ks: 256 elements in 70 bytes (2.1875 bits per weight) after a row header of 2 bytes\n"
        "row header, before the first block of each row, 2 bytes\n"
        "  0..1  d  scale, fp16\n"
        "block, 70 bytes\n"
        "  0..1   extra   bits that choose a table or a shift\n"
        "  2..5   scales  packed scales of sub-blocks\n"
        "  6..69  qs      codes of the elements\n");
  CHECK(drawing_of("i2_s_arm") ==
        "i2_s_arm: elements / 4 + 32 bytes in all\n"
        "trailer, once behind the whole tensor, 32 bytes\n"
        "  0..3   d       scale, f32\n"
        "  4..31  unused  padding\n");
}

TEST_CASE("what is not documented is said to be so") {
  CHECK(drawing_of("q4_0_r8") ==
        "q4_0_r8: 32 elements in 18 bytes (4.5 bits per weight), 8 rows interleaved\n"
        "block, 18 bytes, not documented field by field\n");
  CHECK(drawing_of("eoq") == "eoq: size not known\n  not documented\n");
  CHECK(drawing_of("tbq3_3") == "tbq3_3: 64 elements in a block of unknown size\n  not documented\n");
}

TEST_CASE("every layout can be drawn and every row described") {
  for (const TypeLayout& layout : layouts()) {
    std::string out;
    draw_layout(layout, out);
    CHECK(out.starts_with(layout.label));
    CHECK(out.ends_with('\n'));
  }
  for (const TypeInfo& type : all_types()) {
    std::string query(dialect(type.dialect).slug);
    query += ':';
    query += std::to_string(type.id);
    const auto found = find_types(query);
    REQUIRE(found.size() == 1);
    CHECK(found[0] == &type);
  }
}

TEST_CASE("an id is described by every claim") {
  const std::string text = description_of("42");
  CHECK(text.starts_with("20 claims, "));
  CHECK(mentions(text, "42 Q2_0 in ggml: mainline ggml and llama.cpp (current)"));
  CHECK(mentions(text, "42 Q2_0 in prism-legacy: PrismML up to prism-v5 (historical, Apr to Aug 2026)"));
  CHECK(mentions(text, "q2_0_g128 and turbo2_0 have equal sizes"));
  CHECK(mentions(description_of("107"), "rocmfp2_dual and rocmfp2_affine have equal sizes"));
}

TEST_CASE("an alias is named, a row's own name is not") {
  const std::string text = description_of("ggml:41");
  CHECK(mentions(text, "same bytes as 41 Q1_0_G128 in ik_llama"));
  CHECK_FALSE(mentions(text, "41 Q1_0 in ollama"));
}

TEST_CASE("queries are ids, names, one dialect's type, or labels") {
  CHECK(find_types("q4_k") == std::vector<const TypeInfo*>{find_type(DialectId::ggml, 12U)});
  CHECK(find_types("Prism:q2_0") == std::vector<const TypeInfo*>{find_type(DialectId::prism, 42U)});
  CHECK(find_types("ik_llama:12") == std::vector<const TypeInfo*>{find_type(DialectId::ggml, 12U)});
  CHECK(find_types("i2_s_arm") == std::vector<const TypeInfo*>{find_type(DialectId::bitnet_arm, 36U)});
  CHECK(find_types("i2_s").size() == 7);
  for (const std::string_view nothing : {"", ":", "42:", ":42", "ggml:", "ggml:43", "no_dialect:2", "Q4_K ",
                                         "-1", "4x", "4294967296", "99999999999999999999999", "400"})
    CHECK(find_types(nothing).empty());
  std::string out = "before";
  CHECK_FALSE(describe_type("no such type", out));
  CHECK(out == "before");
}

TEST_CASE("bits per weight are exact to four decimals") {
  const auto bits = [](std::string_view label) {
    std::string out;
    append_bits_per_weight(*find_layout(label), out);
    return out;
  };
  CHECK(bits("f32") == "32");
  CHECK(bits("q1_0_g128") == "1.125");
  CHECK(bits("iq2_xxs") == "2.0625");
  CHECK(bits("f8_e4m3_b128") == "8.0625");
  CHECK(bits("tbq3_4") == "4.5");
  CHECK(bits("tbqp3_4") == "4.5556");
  CHECK(bits("eoq").empty());
  CHECK(bits("i2_s_x86").empty());
}

TEST_CASE("TYPES.md names every dialect, type and conflict, and its tables are whole") {
  const std::string text = types_markdown();
  for (const Dialect& row : dialects()) CHECK(mentions(text, "`" + std::string(row.slug) + "`"));
  for (const TypeInfo& type : all_types()) {
    const std::string cells = "| " + std::to_string(type.id) + " | `" + std::string(type.name) + "` | `" +
                              std::string(type.layout->label) + "` |";
    CHECK(mentions(text, cells));
  }
  for (const std::uint16_t id : conflicts()) CHECK(mentions(text, "\n| " + std::to_string(id) + " | `"));
  CHECK(mentions(text, "Dialects disagree on these values: 4 38 39 40 41 141.\n"));
  CHECK(text.ends_with("|\n"));
  CHECK_FALSE(text.ends_with("\n\n"));

  // A table has as many cells in each row as in its first.
  std::size_t cells = 0;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = text.find('\n', begin);
    const std::string_view line = std::string_view(text).substr(begin, end - begin);
    begin = end + 1;
    if (!line.starts_with('|')) {
      cells = 0;
      continue;
    }
    std::size_t bars = 0;
    for (std::size_t index = 0; index < line.size(); ++index)
      if (line[index] == '|' && (index == 0 || line[index - 1] != '\\')) ++bars;
    if (cells == 0) cells = bars;
    CHECK(bars == cells);
  }
}

}  // namespace ggufvet
