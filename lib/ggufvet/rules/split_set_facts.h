// The shards of a split set seen as one model. Places are kept apart by laying the files end to end: a place
// in shard k is its offset there plus the sizes of the shards before it, so that every range of the set lies
// in exactly one file. Judges nothing. The models of the shards, and what their views point into, must
// outlive it.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "ggufvet/rules/model_facts.h"
#include "ggufvet/rules/split_keys.h"

namespace ggufvet {

struct ShardFacts {
  std::string_view file_name;
  std::optional<ShardName> name;  // empty when the file name does not follow the pattern
  const ModelFacts* model = nullptr;
  SplitKeys keys;
  std::uint64_t begin = 0;  // where its byte 0 lies in the set

  [[nodiscard]] ByteRange in_set(ByteRange range) const { return {range.begin + begin, range.end + begin}; }
};

// A key of a later shard beside the first shard's.
struct SharedKey {
  std::uint32_t shard = 0;
  std::uint32_t pair = 0;                 // of the later shard
  std::optional<std::uint32_t> in_first;  // pair of the first shard with the same key
  bool differs = false;
};

struct SplitSetFacts {
  std::vector<ShardFacts> shards;  // in order of their numbers
  std::uint32_t count = 0;         // how many there should be, by their names
  std::uint32_t opened = 0;        // the shard that the user named
  // What a loader sees: the first shard's metadata and the tensors of all. It is the model when no shard is
  // missing and all could be read to their ends; split.count is 0 then, as merging tools write it. Else it is
  // a part of one.
  FileModel merged;
  bool merged_is_model = false;
  std::uint64_t tensor_count = 0;  // of all shards
  std::uint32_t missing_count = 0;
  std::uint32_t missing_first = 0;            // number, from 1
  std::vector<DuplicatePair> repeated_names;  // indices of merged.tensors, of different shards
  std::vector<SharedKey> later_keys;  // but for split.* and general.alignment, which is each file's own

  [[nodiscard]] std::uint32_t shard_of(std::uint64_t place) const;
  [[nodiscard]] const ShardFacts& first() const { return shards.front(); }
};

struct ShardInput {
  std::string_view file_name;  // without folder
  const ModelFacts* model = nullptr;
};

// `shards`: at least one, all of one set by their names; sorted here.
[[nodiscard]] SplitSetFacts derive_split_set(std::span<const ShardInput> shards, std::string_view opened);

}  // namespace ggufvet
