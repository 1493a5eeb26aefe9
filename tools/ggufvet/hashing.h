// Digests of a model's tensors and of the model as one, each byte read once.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "digests.h"
#include "models.h"

namespace ggufvet::tool {

using HexDigests = std::map<Algorithm, std::string>;

struct TensorDigests {
  std::size_t shard = 0;
  std::string name;
  std::uint64_t bytes = 0;
  HexDigests digests;
};

struct ModelDigests {
  std::vector<TensorDigests> tensors;  // in the order of the directories; empty when not asked for
  std::vector<HexDigests> shards;      // over a shard's tensors
  HexDigests model;                    // over all tensors
};

struct HashWish {
  std::vector<Algorithm> algorithms;  // a UUID is made of the model alone
  bool tensors = true;
  unsigned jobs = 1;
};

// Over the tensors' bytes without padding, as mainline's gguf-hash has it. False with `problem` set when they could not
// all be read.
[[nodiscard]] bool hash_model(const OpenModel& model, const HashWish& wish, ProgressSink& progress, ModelDigests& out,
                              std::string& problem);
// Over all bytes of one file.
[[nodiscard]] bool hash_file(const std::string& path, Algorithm algorithm, std::string& digest, std::string& problem);

}  // namespace ggufvet::tool
