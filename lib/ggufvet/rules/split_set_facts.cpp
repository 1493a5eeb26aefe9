#include "ggufvet/rules/split_set_facts.h"

#include <algorithm>
#include <cstring>

#include "ggufvet/base/duplicates.h"

namespace ggufvet {
namespace {

[[nodiscard]] std::uint32_t number_of(const ShardFacts& shard) { return shard.name ? shard.name->number : 0; }

void place_shards(SplitSetFacts& set, std::span<const ShardInput> inputs, std::string_view opened) {
  for (const ShardInput& input : inputs)
    set.shards.push_back({input.file_name, parse_shard_name(input.file_name), input.model,
                          find_split_keys(input.model->file)});
  std::stable_sort(set.shards.begin(), set.shards.end(),
                   [](const ShardFacts& a, const ShardFacts& b) { return number_of(a) < number_of(b); });
  std::uint64_t begin = 0;
  std::uint32_t expected = 1;
  for (std::uint32_t index = 0; index < set.shards.size(); ++index) {
    ShardFacts& shard = set.shards[index];
    shard.begin = begin;
    begin += shard.model->file.file_bytes;
    if (shard.file_name == opened) set.opened = index;
    if (!shard.name) continue;
    set.count = shard.name->count;
    if (shard.name->number > expected) {
      if (set.missing_count == 0) set.missing_first = expected;
      set.missing_count += shard.name->number - expected;
    }
    expected = shard.name->number + 1;
  }
  if (expected <= set.count) {
    if (set.missing_count == 0) set.missing_first = expected;
    set.missing_count += set.count + 1 - expected;
  }
}

void merge_models(SplitSetFacts& set) {
  const FileModel& first = set.first().model->file;
  FileModel& merged = set.merged;
  merged.window = first.window;
  merged.header = first.header;
  merged.pairs = first.pairs;
  merged.alignment_pair = first.alignment_pair;
  bool complete = true;
  for (const ShardFacts& shard : set.shards) {
    const FileModel& file = shard.model->file;
    complete &= file.complete();
    set.tensor_count += file.tensors.size();
    for (TensorEntry entry : file.tensors) {
      entry.begin += shard.begin;
      merged.tensors.push_back(entry);
    }
    merged.directory_end = shard.begin + file.directory_end;
    merged.file_bytes += file.file_bytes;
  }
  merged.header.tensor_count = set.tensor_count;
  merged.stage = complete ? ReadStage::done : ReadStage::directory;
  set.merged_is_model = complete && set.missing_count == 0;
  if (!set.merged_is_model) return;
  for (MetadataPair& pair : merged.pairs)
    if (pair.key == kSplitCountKey && whole_number(&pair)) pair.bits = 0;
}

void find_repeated_names(SplitSetFacts& set) {
  const auto& tensors = set.merged.tensors;
  set.repeated_names =
      find_duplicates(tensors.size(), [&tensors](std::uint32_t index) { return tensors[index].name; });
  // Twice in one shard is that shard's own trouble.
  std::erase_if(set.repeated_names, [&](const DuplicatePair& pair) {
    return set.shard_of(tensors[pair.first].begin) == set.shard_of(tensors[pair.again].begin);
  });
}

[[nodiscard]] std::span<const std::byte> value_bytes(const FileModel& file, const MetadataPair& pair) {
  // With its type, which stands before the value.
  const std::uint64_t begin = pair.value_begin - 4;
  if (pair.end > file.window.size() || begin > pair.end) return {};
  return file.window.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(pair.end - begin));
}

[[nodiscard]] bool equal_values(const FileModel& a, const MetadataPair& in_a, const FileModel& b,
                                const MetadataPair& in_b) {
  // In two byte orders one value has two spellings; numbers compare by what they say, the rest is not
  // compared.
  if (a.header.byte_order != b.header.byte_order) {
    if (in_a.type_id != in_b.type_id || in_a.depth != in_b.depth) return false;
    return in_a.depth > 0 || (in_a.bits == in_b.bits && in_a.text == in_b.text);
  }
  const auto bytes_a = value_bytes(a, in_a);
  const auto bytes_b = value_bytes(b, in_b);
  return bytes_a.size() == bytes_b.size() &&
         (bytes_a.empty() || std::memcmp(bytes_a.data(), bytes_b.data(), bytes_a.size()) == 0);
}

void compare_metadata(SplitSetFacts& set) {
  const FileModel& first = set.first().model->file;
  std::vector<std::uint32_t> order(first.pairs.size());
  for (std::uint32_t index = 0; index < order.size(); ++index) order[index] = index;
  std::stable_sort(order.begin(), order.end(), [&first](std::uint32_t a, std::uint32_t b) {
    return first.pairs[a].key < first.pairs[b].key;
  });
  for (std::uint32_t shard = 1; shard < set.shards.size(); ++shard) {
    const FileModel& file = set.shards[shard].model->file;
    for (std::uint32_t index = 0; index < file.pairs.size(); ++index) {
      const MetadataPair& pair = file.pairs[index];
      if (pair.key.starts_with("split.") || pair.key == kAlignmentKey) continue;
      const auto found = std::lower_bound(
          order.begin(), order.end(), pair.key,
          [&first](std::uint32_t at, std::string_view key) { return first.pairs[at].key < key; });
      SharedKey shared{shard, index, std::nullopt, false};
      if (found != order.end() && first.pairs[*found].key == pair.key) {
        shared.in_first = *found;
        shared.differs = !equal_values(first, first.pairs[*found], file, pair);
      }
      if (!shared.in_first || shared.differs) set.later_keys.push_back(shared);
    }
  }
}

}  // namespace

std::uint32_t SplitSetFacts::shard_of(std::uint64_t place) const {
  const auto after =
      std::upper_bound(shards.begin(), shards.end(), place,
                       [](std::uint64_t at, const ShardFacts& shard) { return at < shard.begin; });
  return after == shards.begin() ? 0 : static_cast<std::uint32_t>(after - shards.begin() - 1);
}

SplitSetFacts derive_split_set(std::span<const ShardInput> shards, std::string_view opened) {
  SplitSetFacts set;
  place_shards(set, shards, opened);
  merge_models(set);
  find_repeated_names(set);
  // Without the first shard there is nothing to compare with.
  if (number_of(set.first()) == 1) compare_metadata(set);
  return set;
}

}  // namespace ggufvet
