// Opening models whose tensors are all going to be read: one file, or the shards of a split set as one.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ggufvet/vet/vet.h"
#include "inputs.h"

namespace ggufvet::tool {

struct Shard {
  std::string path;
  std::unique_ptr<ByteSource> source;
  std::unique_ptr<Vetted> vetted;
};

struct OpenModel {
  std::vector<Shard> shards;
  std::string problem;  // not empty: why its tensors cannot all be read

  [[nodiscard]] bool ok() const { return problem.empty(); }
  [[nodiscard]] std::uint64_t data_bytes() const;
};

// The paths of the set that `path` is a shard of by its name (x-00001-of-00003.gguf), in order; itself alone otherwise.
[[nodiscard]] std::vector<std::string> shard_paths(const std::string& path);
// What a set is called as one model: x.gguf. A single file is called by its path.
[[nodiscard]] std::string model_path(const std::string& path);
// From 0; empty for a path that is no shard's.
[[nodiscard]] std::optional<std::size_t> shard_index(const std::string& path);

// Opens all shards of a set, or with `alone` just the file named; refuses what is not whole, with words.
[[nodiscard]] OpenModel open_model(const std::string& path, const VetOptions& options, bool alone = false);

// Shows a range of a file piece by piece; false when reading failed or the user interrupted, with `problem` set.
using PieceVisitor = std::function<void(std::span<const std::byte>)>;
[[nodiscard]] bool for_each_piece(ByteSource& source, ByteRange range, const PieceVisitor& visit, std::string& problem);
// Whether what was read can be trusted.
[[nodiscard]] bool verify_sources(const OpenModel& model, std::string& problem);

}  // namespace ggufvet::tool
