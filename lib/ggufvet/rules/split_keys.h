// What a file and its name say about the split set it belongs to. Judges nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "ggufvet/read/file_model.h"

namespace ggufvet {

inline constexpr std::string_view kSplitNumberKey = "split.no";
inline constexpr std::string_view kSplitCountKey = "split.count";
inline constexpr std::string_view kSplitTensorTotalKey = "split.tensors.count";

// <prefix>-00001-of-00003.gguf
struct ShardName {
  std::string_view prefix;
  std::uint32_t number = 0;  // from 1
  std::uint32_t count = 0;
};

// Five digits each, as printf's %05d writes them, more only where five do not suffice; 1 <= number <= count.
// Empty for any other name. `file_name` has no folder.
[[nodiscard]] std::optional<ShardName> parse_shard_name(std::string_view file_name);

// m.gguf.part1of2, m.gguf.part00, m.gguf-split-a, m.gguf.001: a file cut into pieces of bytes, which are no
// GGUF files.
[[nodiscard]] bool is_raw_part_name(std::string_view file_name);

struct SplitKeys {  // null where the key is not there
  const MetadataPair* number = nullptr;
  const MetadataPair* count = nullptr;
  const MetadataPair* tensor_total = nullptr;

  // One shard of several: split.count is a whole number above 1. A merged file keeps its keys with a count of
  // 0.
  [[nodiscard]] bool is_shard() const;
};

[[nodiscard]] SplitKeys find_split_keys(const FileModel& file);

// Of any integer type, whatever the document asks for; empty for a negative number, another type and null.
[[nodiscard]] std::optional<std::uint64_t> whole_number(const MetadataPair* pair);

}  // namespace ggufvet
