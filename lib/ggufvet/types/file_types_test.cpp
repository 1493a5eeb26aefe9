#include "ggufvet/types/file_types.h"

#include <set>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "ggufvet/types/type_registry.h"

namespace ggufvet {

TEST_CASE("a file type is looked up in its dialect") {
  CHECK(find_file_type(DialectId::ggml, 15)->name == "MOSTLY_Q4_K_M");
  CHECK(find_file_type(DialectId::ggml, 15)->main_type_names()[0] == "Q4_K");
  CHECK(find_file_type(DialectId::ggml, 42) == nullptr);
  CHECK(find_file_type(DialectId::ggml, 0xFFFFFFFFU) == nullptr);
  CHECK(find_file_type(static_cast<DialectId>(255), 0) == nullptr);
  CHECK(find_file_type(DialectId::bitnet, 40)->name == "MOSTLY_I2_S");
  CHECK(find_file_type(DialectId::ik_llama, 145)->name == "MOSTLY_IQ4_KS");
  CHECK(find_file_type(DialectId::prism, 143)->name == "MOSTLY_PTQ1_0");
  CHECK(find_file_type(DialectId::ggml, 1024)->main_type_names().empty());
}

TEST_CASE("a file type is inherited where its tensor types are") {
  CHECK(find_file_type(DialectId::ik_llama, 15) == find_file_type(DialectId::ggml, 15));
  CHECK(find_file_type(DialectId::ik_llama, 38)->name == "MOSTLY_MXFP4");  // its own
  CHECK(find_file_type(DialectId::ik_llama, 40) == nullptr);               // Q1_0 is not its name
  CHECK(find_file_type(DialectId::ik_llama, 36) == nullptr);               // TQ1_0 it does not know
  CHECK(find_file_type(DialectId::bitnet_arm, 40) == nullptr);
  CHECK(find_file_type(DialectId::ollama, 40)->dialect == DialectId::ggml);
  CHECK(find_file_type(DialectId::prism_v7, 41)->dialect == DialectId::ggml);
  CHECK(find_file_type(DialectId::prism_legacy, 41)->dialect == DialectId::prism_legacy);
  CHECK(find_file_type(DialectId::atomic, 41)->dialect == DialectId::ggml);
  CHECK(find_file_type(DialectId::candle, 15)->name == "MOSTLY_Q4_K_M");
  CHECK(find_file_type(DialectId::candle, 19) == nullptr);
}

TEST_CASE("dialects disagree on these file types and no others") {
  std::set<std::uint32_t> conflicting;
  for (const FileType& row : file_types())
    if (is_conflicting_file_type(row.value)) conflicting.insert(row.value);
  CHECK(conflicting == std::set<std::uint32_t>{4, 38, 39, 40, 41, 141});
  CHECK_FALSE(is_conflicting_file_type(9999));
}

TEST_CASE("one name for two layouts is a disagreement") {
  const FileType& mainline = *find_file_type(DialectId::ggml, 41);
  const FileType& prism = *find_file_type(DialectId::prism_legacy, 41);
  CHECK(mainline.name == prism.name);
  CHECK_FALSE(file_types_agree(mainline, prism));
  CHECK(file_types_agree(mainline, mainline));
}

TEST_CASE("claims are complete and in order") {
  std::size_t claims = 0;
  std::set<std::uint32_t> values;
  for (const FileType& row : file_types()) values.insert(row.value);
  for (const std::uint32_t value : values) {
    const auto rows = file_type_claims_of(value);
    claims += rows.size();
    for (std::size_t index = 1; index < rows.size(); ++index)
      CHECK(rows[index - 1]->dialect < rows[index]->dialect);
    for (const FileType* row : rows) CHECK(find_file_type(row->dialect, value) == row);
  }
  CHECK(claims == file_types().size());
  CHECK(file_type_claims_of(41).size() == 6);
}

TEST_CASE("main types are types of their dialect") {
  std::set<std::string> unknown;
  for (const FileType& row : file_types())
    for (const std::string_view name : row.main_type_names())
      if (find_type(row.dialect, name) == nullptr)
        unknown.insert(std::string(dialect(row.dialect).slug) + ' ' + std::string(name));
  // turbo-tan's TQ3_0 is known by its file type only: its id was never read first-hand.
  CHECK(unknown == std::set<std::string>{"turbo-tan TQ3_0"});
}

}  // namespace ggufvet
