// The files that benchmarks read, made from numbers alone, so that every machine measures the same bytes.
// Real vocabularies are not shipped; the made ones have their measures (lengths, scripts, how tokens join).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ggufvet/write/gguf_spec.h"

namespace ggufvet::bench {

// `bytes`, then `hole_bytes` zeros that take no room on a disk that knows holes.
struct SampleFile {
  Bytes bytes;
  std::uint64_t hole_bytes = 0;
};

// 262,144 tokens with scores and types, 500,000 merges, 40 pairs. Each merge joins two tokens into a third.
[[nodiscard]] SampleFile vocabulary_file();

// How names of tensors or keys are drawn.
enum class NameKind : std::uint8_t {
  ordinary,     // blk.7.ffn_gate_exps.3.weight
  random,       // 63 bytes that nothing orders
  same_prefix,  // 63 bytes, the first 60 of them the same
};

// 60 pairs and `count` tensors of a mixture of experts, one after the other; their data are a hole.
[[nodiscard]] SampleFile tensors_file(std::uint32_t count, NameKind names = NameKind::ordinary);
// `count` pairs with a u32 each, no tensors.
[[nodiscard]] SampleFile keys_file(std::uint32_t count, NameKind names = NameKind::ordinary);
// 300 tensors whose data are a hole of 40 GB.
[[nodiscard]] SampleFile large_file();

// An ordinary file of a kilobyte, and files of at most that size whose counts and lengths are as large as the
// format can write.
[[nodiscard]] SampleFile small_file();
struct HostileHeader {
  std::string name;
  Bytes bytes;
};
[[nodiscard]] std::vector<HostileHeader> hostile_headers();

[[nodiscard]] std::vector<std::string> make_names(std::uint32_t count, NameKind kind);

// The same file with one fault in its last item: the last tensor's offset, else the last string of the last
// array of strings, else the last key, which becomes the first one again. What a benchmark times must still
// report it.
struct Damaged {
  SampleFile file;
  std::string_view rule;  // the slug that has to be among the findings
};
[[nodiscard]] Damaged damaged(const SampleFile& file);

}  // namespace ggufvet::bench
