// Uses the library through its public header alone, as its opening comment shows.
#include "ggufvet/ggufvet.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "ggufvet/source/scratch_file_test.h"
#include "ggufvet/write/gguf_builder.h"

// The example of ggufvet.h, word for word; a test below compares the two.
// example begins
bool may_load(const char* path, std::string& why) {
  auto file = ggufvet::FileHandle::open_for_reading(path);
  if (!file) return why = "cannot be opened", false;
  const auto stamp = ggufvet::stamp_of(file->get());
  if (!stamp) return why = "has no size", false;
  ggufvet::FileSource source(std::move(*file), *stamp);
  const auto vetted = ggufvet::vet(source, ggufvet::VetOptions{});
  why = ggufvet::text_report(path, *vetted, ggufvet::TextStyle{});
  return vetted->report.verdict == ggufvet::Verdict::accept;
}
// example ends

namespace ggufvet {
namespace {

[[nodiscard]] BuiltFile sample() {
  return GgufBuilder{}.pair("some.text", string_value("llama")).tensor("output.weight", "F32", {8}).build();
}

[[nodiscard]] std::vector<std::string> lines_of(const std::string& path) {
  std::ifstream file(path);
  REQUIRE(file.is_open());
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

// Memory whose owner finds at the end that it has changed.
class ChangedSource final : public ByteSource {
 public:
  explicit ChangedSource(std::span<const std::byte> bytes) : memory_(bytes) {}
  std::uint64_t size() const override { return memory_.size(); }
  IoResult<std::span<const std::byte>> window(std::uint64_t bytes) override { return memory_.window(bytes); }
  IoResult<void> read(std::uint64_t offset, std::span<std::byte> out) override {
    return memory_.read(offset, out);
  }
  std::uint64_t bytes_read() const override { return 0; }
  IoResult<void> verify() override {
    return tl::unexpected<IoError>(IoError{IoError::Operation::shrunk, 0, 0});
  }

 private:
  MemorySource memory_;
};

}  // namespace

TEST_CASE("the example in the public header is the one that is compiled here") {
  const std::string root = GGUFVET_ROOT;
  std::vector<std::string> compiled;
  bool inside = false;
  for (const std::string& line : lines_of(root + "/lib/ggufvet/ggufvet_test.cpp")) {
    if (line == "// example ends") inside = false;
    if (inside) compiled.push_back("//   " + line);
    if (line == "// example begins") inside = true;
  }
  REQUIRE(compiled.size() > 5);
  const std::vector<std::string> header = lines_of(root + "/lib/ggufvet/ggufvet.h");
  CHECK(std::search(header.begin(), header.end(), compiled.begin(), compiled.end()) != header.end());
}

TEST_CASE("a sound file may be loaded, a cut one and a missing one may not") {
  const BuiltFile built = sample();
  const ScratchFile file(as_text(built.bytes));
  std::string why;
  CHECK(may_load(file.path(), why));
  CHECK(why.find(": accept (no findings") != std::string::npos);
  file.resize(built.bytes.size() - 20);
  CHECK_FALSE(may_load(file.path(), why));
  CHECK(why.find("data-cut-short") != std::string::npos);
  CHECK_FALSE(may_load("/nonexistent/model.gguf", why));
  CHECK(why == "cannot be opened");
}

TEST_CASE("a file that changed while it was read is undecided, whatever else was found") {
  BuiltFile built = sample();
  ChangedSource sound(built.bytes);
  const auto first = vet(sound, VetOptions{});
  CHECK(first->report.verdict == Verdict::undecided);
  built.bytes[0] = std::byte{0};
  ChangedSource broken(built.bytes);
  const auto second = vet(broken, VetOptions{});
  CHECK(second->report.counts.error == 2);
  CHECK(second->report.verdict == Verdict::undecided);
}

TEST_CASE("a mapped file that is cut while it is vetted is undecided and the process lives") {
  REQUIRE(install_mapping_guard());
  GgufBuilder builder;
  for (int index = 0; index < 2000; ++index) builder.pair("key." + std::to_string(index), u32_value(1));
  const BuiltFile built = builder.build();
  for (const std::uint64_t left : {std::uint64_t{0}, std::uint64_t{8192}}) {
    const ScratchFile file(as_text(built.bytes));
    FileHandle handle = file.open();
    const auto stamp = stamp_of(handle.get());
    REQUIRE(stamp.has_value());
    MappedSource source(std::move(handle), *stamp);
    REQUIRE(source.map().has_value());
    file.resize(left);
    const auto vetted = vet(source, VetOptions{});
    CHECK(vetted->report.verdict == Verdict::undecided);
    CHECK(find_rule(vetted->report.findings.back().rule)->slug == "file-changed");
  }
}

TEST_CASE("several files are vetted at the same time") {
  const BuiltFile built = sample();
  std::vector<std::thread> threads;
  std::array<Verdict, 4> verdicts{};
  for (Verdict& verdict : verdicts)
    threads.emplace_back([&built, &verdict] {
      for (int round = 0; round < 20; ++round) {
        MemorySource source(built.bytes);
        verdict = vet(source, VetOptions{})->report.verdict;
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (const Verdict verdict : verdicts) CHECK(verdict == Verdict::accept);
}

}  // namespace ggufvet
