// Every number that bounds our work stands here, with the place it comes from. Meeting one of these is never
// "malformed": the verdict becomes undecided, because we stopped looking.
#pragma once

#include <cstdint>

namespace ggufvet {

struct Limits {
  // Bytes of header, metadata and tensor directory together. 1 GiB of metadata is ordinary (mainline's own
  // cap for one string or array); twice that leaves room and still fits a 32-bit size.
  std::uint64_t directory_bytes_max = std::uint64_t{2} << 30;
  // Metadata pairs. The largest published files have a few hundred; a record in memory is six times its
  // smallest size in the file, so the count is bounded as well as the bytes.
  std::uint64_t pairs_max = std::uint64_t{1} << 20;
  // Tensors. 100,000 is ordinary for unmerged mixtures of experts.
  std::uint64_t tensors_max = std::uint64_t{1} << 20;
  // Findings kept in a report. All are counted; the rest is announced as truncated.
  std::uint64_t findings_max = 1000;
  // First window asked of a source, and how much more is asked each time it turns out too small.
  std::uint64_t window_bytes_first = 64 << 10;
  std::uint64_t window_growth = 4;
};

}  // namespace ggufvet
