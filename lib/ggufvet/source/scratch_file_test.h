// A file for one test: made with the bytes given, removed at the end.
#pragma once

#include <cstdlib>
#include <fcntl.h>
#include <string>
#include <string_view>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>

#include "ggufvet/source/file_source.h"

namespace ggufvet {

class ScratchFile {
 public:
  explicit ScratchFile(std::string_view bytes) {
    const char* const named = std::getenv("TMPDIR");
    path_ = std::string(named != nullptr && *named != '\0' ? named : "/tmp") + "/ggufvet-test-XXXXXX";
    const int descriptor = ::mkstemp(path_.data());
    REQUIRE(descriptor >= 0);
    ::close(descriptor);
    append(bytes);
  }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  ~ScratchFile() { ::unlink(path_.c_str()); }

  [[nodiscard]] const char* path() const { return path_.c_str(); }

  void append(std::string_view bytes) const {
    const int descriptor = ::open(path(), O_WRONLY | O_APPEND | O_CLOEXEC);
    REQUIRE(descriptor >= 0);
    const auto written = ::write(descriptor, bytes.data(), bytes.size());
    ::close(descriptor);
    REQUIRE(written == static_cast<ssize_t>(bytes.size()));
  }

  void resize(std::uint64_t bytes) const { REQUIRE(::truncate(path(), static_cast<off_t>(bytes)) == 0); }

  [[nodiscard]] FileHandle open() const {
    auto file = FileHandle::open_for_reading(path());
    REQUIRE(file.has_value());
    return std::move(*file);
  }

 private:
  std::string path_;
};

}  // namespace ggufvet
