// Our own limits and a failing world: never a fault of the file, so the verdict is undecided unless the file
// has an error of its own. These are the witnesses of the limit and io rules.
#include <catch2/catch_test_macros.hpp>

#include "ggufvet/source/exact_source_test.h"
#include "ggufvet/vet/support_test.h"
#include "ggufvet/write/gguf_builder.h"

namespace ggufvet {
namespace {

BuiltFile pairs_and_tensors(std::size_t pairs, std::size_t tensors) {
  GgufBuilder builder;
  for (std::size_t index = 0; index < pairs; ++index)
    builder.pair("k." + std::to_string(index), u32_value(1));
  for (std::size_t index = 0; index < tensors; ++index)
    builder.tensor("t." + std::to_string(index), "F32", {8});
  return builder.build();
}

Report vet_limited(const BuiltFile& file, const Limits& limits) {
  VetOptions options;
  options.limits = limits;
  const Report from_memory = vet_bytes(file.bytes, options);
  ExactSource source(file.bytes);
  const Report from_windows = vet(source, options)->report;
  CHECK((from_windows.findings == from_memory.findings));
  CHECK(from_windows.verdict == from_memory.verdict);
  return from_memory;
}

void check_undecided(const Report& report, std::string_view slug, ByteRange where) {
  CHECK(placed(report.findings) == std::vector<PlacedFinding>{{std::string(slug), where}});
  CHECK(report.verdict == Verdict::undecided);
  CHECK(find_rule(slug)->kind == FindingClass::limit);
}

// Fails in the way it is told to.
class FailingSource final : public ByteSource {
 public:
  enum class Failure { window, read, verify };
  FailingSource(std::span<const std::byte> bytes, Failure failure) : bytes_(bytes), failure_(failure) {}

  [[nodiscard]] std::uint64_t size() const override { return bytes_.size(); }
  [[nodiscard]] IoResult<std::span<const std::byte>> window(std::uint64_t) override {
    if (failure_ == Failure::window) return tl::unexpected(IoError{IoError::Operation::read, 5, 3});
    return bytes_;
  }
  [[nodiscard]] IoResult<void> read(std::uint64_t offset, std::span<std::byte> out) override {
    if (failure_ == Failure::read) return tl::unexpected(IoError{IoError::Operation::read, 5, offset});
    std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(offset), out.size(), out.begin());
    return {};
  }
  [[nodiscard]] std::uint64_t bytes_read() const override { return 0; }
  [[nodiscard]] IoResult<void> verify() override {
    if (failure_ == Failure::verify) return tl::unexpected(IoError{IoError::Operation::shrunk, 0, 1});
    return {};
  }

 private:
  std::span<const std::byte> bytes_;
  Failure failure_;
};

}  // namespace

TEST_CASE("as many pairs as the limit are fine, one more is undecided") {
  Limits limits;
  limits.pairs_max = 5;
  CHECK(vet_limited(pairs_and_tensors(5, 1), limits).findings.empty());
  const BuiltFile file = pairs_and_tensors(6, 1);
  check_undecided(vet_limited(file, limits), "limit-pairs", file.at("header.pair_count"));
}

TEST_CASE("as many tensors as the limit are fine, one more is undecided") {
  Limits limits;
  limits.tensors_max = 5;
  CHECK(vet_limited(pairs_and_tensors(1, 5), limits).findings.empty());
  const BuiltFile file = pairs_and_tensors(1, 6);
  check_undecided(vet_limited(file, limits), "limit-tensors", file.at("header.tensor_count"));
}

TEST_CASE("a directory as long as the limit is fine, one byte more is undecided") {
  const BuiltFile file = pairs_and_tensors(3, 3);
  const std::uint64_t directory_end = file.at("padding").begin;
  Limits limits;
  limits.directory_bytes_max = directory_end;
  CHECK(vet_limited(file, limits).findings.empty());
  limits.directory_bytes_max = directory_end - 1;
  check_undecided(vet_limited(file, limits), "limit-directory-bytes", file.at("tensor[2].offset"));
  for (std::uint64_t bytes = 1; bytes < directory_end; ++bytes) {
    limits.directory_bytes_max = bytes;
    CHECK(vet_limited(file, limits).verdict == Verdict::undecided);
  }
}

TEST_CASE("a count that the file cannot hold is its fault even when it is above our limit") {
  Limits limits;
  limits.pairs_max = 5;
  limits.tensors_max = 5;
  const BuiltFile file = GgufBuilder{}.pair_count(1000).build();
  const Report report = vet_limited(file, limits);
  CHECK(report.verdict == Verdict::reject);
  CHECK(placed(report.findings) ==
        std::vector<PlacedFinding>{{"pair-count-impossible", file.at("header.pair_count")}});
}

TEST_CASE("an error of the file outweighs a limit of ours") {
  Limits limits;
  limits.tensors_max = 1;
  const BuiltFile file = GgufBuilder{}
                             .pair("k", number_value(ValueType::boolean, 2))
                             .tensor("a", "F32", {8})
                             .tensor("b", "F32", {8})
                             .build();
  const Report report = vet_limited(file, limits);
  CHECK(placed(report.findings) ==
        std::vector<PlacedFinding>{{"limit-tensors", file.at("header.tensor_count")},
                                   {"bool-not-0-or-1", file.at("metadata[0].value")}});
  CHECK(report.verdict == Verdict::reject);
}

TEST_CASE("findings above the limit are counted, not kept") {
  GgufBuilder builder;
  for (int index = 0; index < 10; ++index)
    builder.pair("k." + std::to_string(index), number_value(ValueType::boolean, 7));
  const BuiltFile file = builder.build();
  Limits limits;
  limits.findings_max = 10;
  Report report = vet_limited(file, limits);
  CHECK(report.findings.size() == 10);
  CHECK_FALSE(report.truncated);
  limits.findings_max = 9;
  report = vet_limited(file, limits);
  CHECK(report.findings.size() == 9);
  CHECK(report.truncated);
  CHECK(report.counts.error == 10);
  CHECK(report.verdict == Verdict::reject);
  limits.findings_max = 0;
  report = vet_limited(file, limits);
  CHECK(report.findings.empty());
  CHECK(report.verdict == Verdict::reject);
}

TEST_CASE("the largest alignment that is taken is taken, twice that is not") {
  const auto aligned = [](std::uint32_t alignment) {
    return GgufBuilder{}.pair("general.alignment", u32_value(alignment)).tensor("x", "F32", {8}).build();
  };
  CHECK(vet_bytes(aligned(static_cast<std::uint32_t>(kAlignmentMax)).bytes).findings.empty());
  const BuiltFile twice = aligned(static_cast<std::uint32_t>(2 * kAlignmentMax));
  CHECK(placed(vet_bytes(twice.bytes).findings) ==
        std::vector<PlacedFinding>{{"alignment-absurd", twice.at("metadata[0].value")}});
}

TEST_CASE("a source that fails makes the verdict undecided, whatever failed") {
  const BuiltFile file = pairs_and_tensors(1, 1);
  using Failure = FailingSource::Failure;
  for (const Failure failure : {Failure::window, Failure::read, Failure::verify}) {
    FailingSource source(file.bytes, failure);
    const Report report = vet(source, {})->report;
    INFO("failure " << static_cast<int>(failure));
    CHECK(report.verdict == Verdict::undecided);
    REQUIRE(report.findings.size() == 1);
    const Rule& rule = *find_rule(report.findings[0].rule);
    CHECK(rule.slug == (failure == Failure::verify ? "file-changed" : "read-failed"));
    CHECK(rule.kind == FindingClass::io);
    CHECK(report.findings[0].where.end <= file.bytes.size());
  }
}

}  // namespace ggufvet
