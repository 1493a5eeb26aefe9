#include "ggufvet/source/mapped_source.h"

#include <algorithm>
#include <memory>

#include <catch2/catch_test_macros.hpp>

#include "ggufvet/base/text.h"
#include "ggufvet/source/scratch_file_test.h"

namespace ggufvet {
namespace {

[[nodiscard]] std::unique_ptr<MappedSource> mapped(const ScratchFile& scratch) {
  FileHandle file = scratch.open();
  const auto state = stamp_of(file.get());
  REQUIRE(state.has_value());
  return std::make_unique<MappedSource>(std::move(file), *state);
}

[[nodiscard]] std::size_t count_of(std::span<const std::byte> bytes, char wanted) {
  return static_cast<std::size_t>(
      std::count(bytes.begin(), bytes.end(), static_cast<std::byte>(static_cast<unsigned char>(wanted))));
}

}  // namespace

TEST_CASE("a mapping shows the file and copies nothing for it") {
  REQUIRE(install_mapping_guard());
  REQUIRE(install_mapping_guard());  // a second time changes nothing
  const std::string bytes(70000, 'm');
  const ScratchFile scratch(bytes);
  const auto source = mapped(scratch);
  REQUIRE(source->map().has_value());
  const auto window = source->window(1);
  REQUIRE(window.has_value());
  CHECK(as_text(*window) == bytes);
  CHECK(source->bytes_read() == 0);
  std::array<std::byte, 4> part{};
  REQUIRE(source->read(69996, part).has_value());
  CHECK(as_text(part) == "mmmm");
  CHECK(source->bytes_read() == 4);
  CHECK(source->verify().has_value());
}

TEST_CASE("pages that go away underneath read as zeros, verify fails, the process lives") {
  REQUIRE(install_mapping_guard());
  constexpr std::size_t kBytes = 64 << 12;
  const ScratchFile scratch(std::string(kBytes, 'm'));
  const auto source = mapped(scratch);
  REQUIRE(source->map().has_value());
  const auto window = source->window(kBytes);
  REQUIRE(window.has_value());
  REQUIRE(count_of(*window, 'm') == kBytes);
  scratch.resize(16 << 12);
  CHECK(count_of(*window, 'm') == 16 << 12);  // the pages that are left; the rest was patched
  CHECK(count_of(*window, '\0') == kBytes - (16 << 12));
  const auto intact = source->verify();
  REQUIRE_FALSE(intact.has_value());
  CHECK(intact.error().operation == IoError::Operation::shrunk);
  std::array<std::byte, 4> part{};
  const auto read = source->read(kBytes - 4, part);
  REQUIRE_FALSE(read.has_value());
  CHECK(read.error().operation == IoError::Operation::shrunk);
}

TEST_CASE("a fault is remembered even when the file is whole again") {
  REQUIRE(install_mapping_guard());
  constexpr std::size_t kBytes = 8 << 12;
  const ScratchFile scratch(std::string(kBytes, 'm'));
  const auto source = mapped(scratch);
  REQUIRE(source->map().has_value());
  const auto window = source->window(kBytes);
  scratch.resize(0);
  CHECK(window->back() == std::byte{0});
  scratch.resize(kBytes);
  CHECK_FALSE(source->verify().has_value());
}

TEST_CASE("a mapped file that grew is not the file that was read") {
  REQUIRE(install_mapping_guard());
  const ScratchFile scratch("GGUF and so on");
  const auto source = mapped(scratch);
  REQUIRE(source->map().has_value());
  scratch.append("more");
  CHECK_FALSE(source->verify().has_value());
}

TEST_CASE("an empty file cannot be mapped and keeps its handle for a file source") {
  REQUIRE(install_mapping_guard());
  const ScratchFile scratch("");
  const auto source = mapped(scratch);
  const auto done = source->map();
  REQUIRE_FALSE(done.has_value());
  CHECK(done.error().operation == IoError::Operation::map);
  CHECK(source->take_file().get() >= 0);
}

TEST_CASE("when all guards are taken a mapping is refused, and one is free again after its end") {
  REQUIRE(install_mapping_guard());
  const ScratchFile scratch("GGUF and so on");
  std::vector<std::unique_ptr<MappedSource>> sources;
  constexpr std::size_t kMoreThanThereAre = 1000;
  while (sources.size() < kMoreThanThereAre) {
    auto source = mapped(scratch);
    if (!source->map()) break;
    sources.push_back(std::move(source));
  }
  REQUIRE(sources.size() >= 8);
  REQUIRE(sources.size() < kMoreThanThereAre);
  sources.pop_back();
  CHECK(mapped(scratch)->map().has_value());
}

}  // namespace ggufvet
