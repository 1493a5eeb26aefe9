// The shards of a split set vetted as one model: each by itself, then what they say together, then the rules
// about meaning over the union of their tensors. Opens nothing: the caller finds the files and gives their
// sources.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ggufvet/rules/split_set_facts.h"
#include "ggufvet/vet/vet.h"

namespace ggufvet {

// A set keeps every shard open and mapped at once. The largest published ones have some 200 shards.
inline constexpr std::size_t kShardsMax = 1024;

struct ShardSource {
  std::string_view file_name;  // without folder
  ByteSource* source = nullptr;
};

// A place in the set, and in which file that is.
struct PlaceInShard {
  std::uint32_t shard = 0;  // index of VettedSplitSet::shards
  ByteRange where;
};

// Views in it point into the sources' windows and the file names: both must outlive it.
struct VettedSplitSet {
  std::vector<std::unique_ptr<Vetted>> shards;  // in order of their numbers, each with its own report
  SplitSetFacts facts;
  std::unique_ptr<ModelFacts> merged;  // of facts.merged: the model that a loader sees
  // What only the set as a whole shows; its ranges are places in the set. The verdict is of everything:
  // reject when a shard or the set is rejected, undecided when any of them is. Counts are of the set's own
  // findings.
  Report report;

  [[nodiscard]] PlaceInShard place(ByteRange in_set) const;
};

// `shards`: 1 to kShardsMax files whose names follow the pattern and share prefix and count. `opened`: the
// file name that the user gave.
[[nodiscard]] std::unique_ptr<VettedSplitSet> vet_split_set(std::span<const ShardSource> shards,
                                                            std::string_view opened,
                                                            const VetOptions& options);

}  // namespace ggufvet
