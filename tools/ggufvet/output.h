// Where a command's words go: standard output, or a file that appears whole or not at all.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "ggufvet/render/style.h"

namespace ggufvet::tool {

class Output {
 public:
  // Empty path or "-": standard output. A device or pipe is written to as it is. Otherwise a temporary file
  // beside `path` (beside what it links to), renamed over it by finish().
  explicit Output(std::string path);
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  ~Output();  // what was not finished is removed

  // False when the file could not be made; problem() says why.
  [[nodiscard]] bool ok() const { return file_ != nullptr && problem_.empty(); }
  [[nodiscard]] const std::string& problem() const { return problem_; }

  void write(std::string_view text);
  // Flushes, syncs, renames. False when any of it failed.
  [[nodiscard]] bool finish();

  // Colours and the terminal's width when this goes to a terminal.
  [[nodiscard]] TextStyle style() const;

 private:
  void fail(const char* what);
  void open_in_place();
  void open_temporary(unsigned mode);

  std::string path_;
  std::string temporary_path_;
  std::string problem_;
  std::FILE* file_ = nullptr;
};

}  // namespace ggufvet::tool
