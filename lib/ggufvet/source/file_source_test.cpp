#include "ggufvet/source/file_source.h"

#include <cerrno>

#include <catch2/catch_test_macros.hpp>
#include <sys/stat.h>

#include "ggufvet/base/text.h"
#include "ggufvet/source/memory_source.h"
#include "ggufvet/source/scratch_file_test.h"

namespace ggufvet {
namespace {

[[nodiscard]] std::string numbered_bytes(std::size_t count) {
  std::string bytes(count, '\0');
  for (std::size_t index = 0; index < count; ++index)
    bytes[index] = static_cast<char>(index * 7 + index / 251);
  return bytes;
}

[[nodiscard]] FileStamp stamp(const FileHandle& file) {
  const auto found = stamp_of(file.get());
  REQUIRE(found.has_value());
  return *found;
}

}  // namespace

TEST_CASE("a memory source hands out all of its bytes whatever is asked, and copies any part") {
  const std::string text = "0123456789";
  MemorySource source(as_bytes(text));
  CHECK(source.size() == 10);
  for (const std::uint64_t wanted : {0U, 1U, 10U, 4000000000U}) {
    const auto window = source.window(wanted);
    REQUIRE(window.has_value());
    CHECK(as_text(*window) == text);
  }
  std::array<std::byte, 3> part{};
  REQUIRE(source.read(7, part).has_value());
  CHECK(as_text(part) == "789");
  CHECK(source.read(10, std::span<std::byte>{}).has_value());
  CHECK(source.bytes_read() == 0);
  CHECK(source.verify().has_value());
}

TEST_CASE("a memory source of no bytes is one like any other") {
  MemorySource source({});
  CHECK(source.size() == 0);
  const auto window = source.window(100);
  REQUIRE(window.has_value());
  CHECK(window->empty());
}

TEST_CASE("windows of a file grow, keep what they had, and read each byte once") {
  const std::string bytes = numbered_bytes(300000);
  const ScratchFile scratch(bytes);
  FileHandle file = scratch.open();
  const FileStamp state = stamp(file);
  CHECK(state.bytes == bytes.size());
  FileSource source(std::move(file), state);
  for (const std::uint64_t wanted : {1U, 1U, 4096U, 100000U, 50000U, 300000U, 900000U}) {
    const auto window = source.window(wanted);
    REQUIRE(window.has_value());
    REQUIRE(window->size() >= std::min<std::uint64_t>(wanted, bytes.size()));
    REQUIRE(as_text(*window) == std::string_view(bytes).substr(0, window->size()));
  }
  CHECK(source.bytes_read() == bytes.size());
  std::array<std::byte, 5> part{};
  REQUIRE(source.read(299995, part).has_value());
  CHECK(as_text(part) == bytes.substr(299995));
  CHECK(source.bytes_read() == bytes.size() + 5);
  CHECK(source.verify().has_value());
}

TEST_CASE("a file that is shorter than it was says so, and where") {
  const ScratchFile scratch(numbered_bytes(100000));
  FileHandle file = scratch.open();
  const FileStamp state = stamp(file);
  FileSource source(std::move(file), state);
  REQUIRE(source.window(10).has_value());
  scratch.resize(60000);
  const auto window = source.window(100000);
  REQUIRE_FALSE(window.has_value());
  CHECK(window.error().operation == IoError::Operation::shrunk);
  CHECK(window.error().offset == 60000);
  const auto intact = source.verify();
  REQUIRE_FALSE(intact.has_value());
  CHECK(intact.error().operation == IoError::Operation::shrunk);
}

TEST_CASE("a file that grew is not the file that was read") {
  const ScratchFile scratch(numbered_bytes(1000));
  FileHandle file = scratch.open();
  const FileStamp state = stamp(file);
  FileSource source(std::move(file), state);
  REQUIRE(source.window(1000).has_value());
  scratch.append("more");
  CHECK(source.size() == 1000);
  CHECK_FALSE(source.verify().has_value());
}

TEST_CASE("what has no size and no positions is refused when it is opened") {
  const auto missing = FileHandle::open_for_reading("/nonexistent/model.gguf");
  REQUIRE_FALSE(missing.has_value());
  CHECK(missing.error().error_number == ENOENT);
  const auto directory = FileHandle::open_for_reading("/");
  REQUIRE_FALSE(directory.has_value());
  CHECK(directory.error().error_number == EISDIR);
  const auto device = FileHandle::open_for_reading("/dev/null");
  REQUIRE_FALSE(device.has_value());
  CHECK(device.error().error_number == ESPIPE);
}

TEST_CASE("opening a FIFO that nobody writes to comes back at once") {
  const ScratchFile scratch("");
  const std::string path = std::string(scratch.path()) + ".fifo";
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  const auto fifo = FileHandle::open_for_reading(path.c_str());
  ::unlink(path.c_str());
  REQUIRE_FALSE(fifo.has_value());
  CHECK(fifo.error().error_number == ESPIPE);
}

TEST_CASE("a handle closes what it owns, once") {
  const ScratchFile scratch("x");
  FileHandle first = scratch.open();
  const int descriptor = first.get();
  FileHandle second(std::move(first));
  CHECK(first.get() == -1);  // NOLINT: the moved-from state is what is tested
  CHECK(second.get() == descriptor);
  second = FileHandle();
  CHECK(::fcntl(descriptor, F_GETFD) == -1);
  FileHandle third = scratch.open();
  const int released = third.release();
  CHECK(third.get() == -1);
  CHECK(::fcntl(released, F_GETFD) != -1);
  ::close(released);
}

}  // namespace ggufvet
