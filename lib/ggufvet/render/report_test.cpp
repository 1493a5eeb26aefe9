// Reports as text and JSON, from files built for the purpose.
#include <memory>
#include <string>

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "ggufvet/base/text.h"
#include "ggufvet/render/json_report.h"
#include "ggufvet/render/locate.h"
#include "ggufvet/render/message.h"
#include "ggufvet/render/text_report.h"
#include "ggufvet/rules/rule_table.h"
#include "ggufvet/source/memory_source.h"
#include "ggufvet/write/gguf_builder.h"

namespace ggufvet {
namespace {

// A file with its report; the views in a report need both.
struct Subject {
  explicit Subject(BuiltFile built, VetOptions options = {})
      : file(std::move(built)), source(file.bytes), vetted(vet(source, options)) {}

  [[nodiscard]] std::string text(std::size_t width = 0) const {
    return text_report("model.gguf", *vetted, {.colour = false, .width = width});
  }
  [[nodiscard]] std::string path_of(std::string_view label) const {
    return locate(vetted->facts, file.at(label)).path;
  }

  BuiltFile file;
  MemorySource source;
  std::unique_ptr<Vetted> vetted;
};

[[nodiscard]] GgufBuilder two_tensors() {
  return GgufBuilder{}
      .pair("some.text", string_value("llama"))
      .pair("list", array_value(ValueType::string, {string_value("a"), string_value("bc")}))
      .pair("numbers",
            array_value(ValueType::u16, {number_value(ValueType::u16, 1), number_value(ValueType::u16, 2)}))
      .tensor("a", "F32", {8})
      .tensor("b", "F32", {8});
}

[[nodiscard]] std::string message_for(std::string_view slug, std::array<std::uint64_t, 4> args,
                                      const Subject& subject) {
  const Rule& rule = *find_rule(slug);
  return message_of({.rule = rule.id, .severity = Severity::error, .where = {}, .related = {}, .args = args},
                    rule, subject.vetted->facts);
}

}  // namespace

TEST_CASE("a sound file takes two lines") {
  const Subject subject(two_tensors().build());
  CHECK(subject.text() ==
        "model.gguf: accept (no findings; profile hardened, dialect ggml)\n"
        "  GGUF v3, little-endian, 3 metadata pairs, 2 tensors, " +
            human_bytes(subject.file.bytes.size()) + "\n");
}

TEST_CASE("a finding says what, where, in which tensor, and what to do") {
  const Subject subject(two_tensors().offset(33).build());
  const ByteRange where = subject.file.at("tensor[1].offset");
  const std::string text = subject.text();
  CHECK(text.starts_with("model.gguf: reject ("));
  CHECK(text.find("\n  error   tensor-offset-misaligned  tensor[1].offset, at byte " +
                  std::to_string(where.begin) +
                  ", 8 bytes\n          offset 33 is not a multiple of the alignment 32\n"
                  "          in tensor \"b\"\n") != std::string::npos);
  CHECK(text.find("\n  next    tensor-offset-misaligned: " +
                  std::string(find_rule("tensor-offset-misaligned")->advice) + "\n") != std::string::npos);
}

TEST_CASE("every line of a report fits the terminal and loses no word") {
  const Subject subject(two_tensors().offset(33).append(bytes_of("tail")).build());
  const auto words_only = [](std::string text) {
    std::erase_if(text, [](char letter) { return letter == ' ' || letter == '\n'; });
    return text;
  };
  for (const std::size_t width : {50U, 64U, 80U, 200U}) {
    const std::string text = subject.text(width);
    CHECK(words_only(text) == words_only(subject.text()));
    std::size_t begin = text.find('\n') + 1;
    while (begin < text.size()) {
      const std::size_t end = text.find('\n', begin);
      INFO(text.substr(begin, end - begin));
      CHECK(columns_of(text.substr(begin, end - begin)) <= width);
      begin = end + 1;
    }
  }
}

TEST_CASE("fields are found again from their ranges") {
  const Subject subject(two_tensors().append(bytes_of("tail")).build());
  for (const std::string_view path :
       {"header.magic", "header.version", "header.tensor_count", "header.pair_count", "tensor[0].name_length",
        "tensor[0].name", "tensor[1].rank", "tensor[1].shape[0]", "tensor[1].type", "tensor[1].offset",
        "tensor[0].data", "tensor[1].data", "padding", "tail"})
    CHECK(subject.path_of(path) == path);
  CHECK(subject.path_of("metadata[0].key_length") == "metadata[\"some.text\"].key_length");
  CHECK(subject.path_of("metadata[0].key") == "metadata[\"some.text\"].key");
  CHECK(subject.path_of("metadata[0].type") == "metadata[\"some.text\"].type");
  CHECK(subject.path_of("metadata[0].value") == "metadata[\"some.text\"].value");
  CHECK(subject.path_of("metadata[1].count") == "metadata[\"list\"].count");
  CHECK(subject.path_of("metadata[1].element_type") == "metadata[\"list\"].element_type");
  CHECK(subject.path_of("metadata[1].value[1]") == "metadata[\"list\"].value[1]");
  CHECK(subject.path_of("metadata[2].value[1]") == "metadata[\"numbers\"].value[1]");
}

TEST_CASE("keys that are not plain, or stand twice, are named by index") {
  const Subject subject(GgufBuilder{}
                            .pair("k", u32_value(1))
                            .pair("\x1b[31m", u32_value(1))
                            .pair("k", u32_value(1))
                            .pair("a\"b", u32_value(1))
                            .build());
  CHECK(pair_path(subject.vetted->facts, 0) == "metadata[\"k\"]");
  CHECK(pair_path(subject.vetted->facts, 1) == "metadata[1]");
  CHECK(pair_path(subject.vetted->facts, 2) == "metadata[2]");
  CHECK(pair_path(subject.vetted->facts, 3) == "metadata[3]");
}

// A look at all duplicates for each pair would make this run for a quarter of an hour.
TEST_CASE("half a million equal keys are named in near linear time") {
  constexpr std::uint32_t kPairs = 500000;
  FileModel file;
  file.pairs.resize(kPairs);
  for (MetadataPair& pair : file.pairs) pair.key = "k";
  ModelFacts facts(file);
  for (std::uint32_t index = 1; index < kPairs; ++index) facts.duplicate_keys.push_back({0, index});
  std::uint32_t named = 0;
  for (std::uint32_t index = 0; index < kPairs; ++index)
    named += pair_path(facts, index).starts_with("metadata[\"");
  CHECK(named == 1);
}

TEST_CASE("a stop inside a record names the record by what could be read of it") {
  const Subject subject(GgufBuilder{}.pair("first", u32_value(1)).pair("second", raw_value(77, {})).build());
  const std::string text = subject.text();
  CHECK(text.find("value-type-unknown  metadata[1]") != std::string::npos);
  CHECK(text.find("in key \"second\"\n") != std::string::npos);
}

TEST_CASE("a 1 is followed by the singular, and what names is not grouped") {
  const Subject subject(two_tensors().build());
  CHECK(message_for("trailing-bytes", {1, 0, 0, 0}, subject) == "1 byte follows the last tensor");
  CHECK(message_for("trailing-bytes", {2000, 0, 0, 0}, subject) == "2,000 bytes follow the last tensor");
  CHECK(message_for("string-past-end", {1, 0, 0, 0}, subject).find("a string of 1 byte is") !=
        std::string::npos);
  CHECK(message_for("type-id-unknown", {4095, 0, 0, 0}, subject).starts_with("type id 4095 "));
  CHECK(message_for("version-unsupported", {65537, 0, 0, 0}, subject).starts_with("version 65537 "));
}

TEST_CASE("templates can be read without a file") {
  for (const std::span<const Rule> family : rule_families())
    for (const Rule& rule : family) {
      INFO(rule.slug);
      const std::string text = readable_template(rule.text);
      CHECK(text.find_first_of("{}") == std::string::npos);
      CHECK_FALSE(text.empty());
    }
  CHECK(readable_template("{0} of {1}, {text}") == "N of M, \"…\"");
}

TEST_CASE("more findings than are kept are counted and announced") {
  GgufBuilder builder;
  for (int index = 0; index < 12; ++index) builder.pair("k", u32_value(1));
  VetOptions options;
  options.limits.findings_max = 3;
  const Subject subject(builder.build(), options);
  CHECK(subject.text().find("… only 3 of 11 errors are shown; --findings-max shows more\n") !=
        std::string::npos);
  const auto json = nlohmann::json::parse(json_file("x", *subject.vetted));
  CHECK(json["truncated"] == true);
  CHECK(json["counts"]["error"] == 11);
  CHECK(json["findings"].size() == 3);
}

TEST_CASE("JSON says the same as the report, in ASCII") {
  const Subject subject(two_tensors().offset(33).build());
  const std::string text = json_file("m\xC3\xB6\xFF\n", *subject.vetted);
  for (const char letter : text) REQUIRE((letter >= 0x20 && letter < 0x7F));
  const auto json = nlohmann::json::parse(text);
  CHECK(json["verdict"] == "reject");
  CHECK(json["profile"] == "hardened");
  CHECK(json["bytes"] == subject.file.bytes.size());
  REQUIRE(json["findings"].size() == subject.vetted->report.findings.size());
  const Finding& finding = subject.vetted->report.findings[0];
  const auto& first = json["findings"][0];
  CHECK(first["rule"] == find_rule(finding.rule)->slug);
  CHECK(first["range"]["begin"] == finding.where.begin);
  CHECK(first["range"]["end"] == finding.where.end);
  CHECK(first["name"] == "b");
  const auto document = nlohmann::json::parse(json_begin("1.2.3") + text + ",\n" + text + json_end());
  CHECK(document["files"].size() == 2);
  CHECK(document["tool"]["version"] == "1.2.3");
  CHECK(nlohmann::json::parse(json_line("1.2.3", text))["files"][0] == json);
}

TEST_CASE("a file that could not be opened has a report of its own") {
  const auto json =
      nlohmann::json::parse(json_unreadable("x", "no such file", Profile::spec, DialectId::ggml));
  CHECK(json["verdict"] == "undecided");
  CHECK(json["findings"][0]["class"] == "io");
  CHECK(json["findings"][0]["message"] == "no such file");
  CHECK(text_unreadable("x\x1b", "no such file", {}) == "x\\x1b: undecided (not checked: no such file)\n");
}

TEST_CASE("totals leave out what did not happen") {
  CHECK(text_totals({.accept = 2, .reject = 0, .undecided = 0}, {}) == "2 files: 2 accepted\n");
  CHECK(text_totals({.accept = 1, .reject = 1200, .undecided = 3}, {}) ==
        "1,204 files: 1 accepted, 1,200 rejected, 3 undecided\n");
}

}  // namespace ggufvet
