// Opening what a user named: files, directories searched for *.gguf, standard input.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ggufvet/source/file_source.h"

namespace ggufvet::tool {

// What a command line's path stands for once directories are searched.
struct Input {
  std::string path;     // as shown; "-" is standard input
  std::string problem;  // not empty: why there is nothing to read, in words
};

// Directories become the *.gguf files below them (in any case of letters), in order of their names; one
// without any becomes a problem, and so does one that cannot be searched.
[[nodiscard]] std::vector<Input> expand_inputs(const std::vector<std::string>& paths);

struct OpenedSource {
  std::unique_ptr<ByteSource> source;
  std::string problem;  // not empty: why it could not be opened
};

// Maps regular files under the guard, reads them with pread where that is not possible. Standard input that
// is not a regular file is kept in memory, a long one in a temporary file without a name.
[[nodiscard]] OpenedSource open_input(const std::string& path);

[[nodiscard]] std::string words_of(const IoError& error);

}  // namespace ggufvet::tool
