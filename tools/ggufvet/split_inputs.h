// Finding the shards of a split set beside the one that was named.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "inputs.h"

namespace ggufvet::tool {

struct SplitInput {
  std::string folder;  // with the slash; empty for the current one
  std::vector<std::string>
      shard_names;           // those that are there, without folder; empty: no split set by its name
  std::string opened;        // the file name that was named first
  std::string problem;       // not empty: why the set cannot be looked at
  bool seen_before = false;  // the set was found through another of its shards

  // folder/<prefix>-*-of-00003.gguf
  [[nodiscard]] std::string shown_path() const;
};

// Each set is found once, however many of its shards are named.
class SplitFinder {
 public:
  [[nodiscard]] SplitInput find(const Input& input);

 private:
  std::set<std::string> seen_;
};

[[nodiscard]] std::string_view file_name_of(std::string_view path);

// Every shard stays open while its set is vetted.
void raise_open_files_limit(std::size_t files);

}  // namespace ggufvet::tool
