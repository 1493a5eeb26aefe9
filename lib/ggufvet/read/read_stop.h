// Why a reader could not go on. There is at most one stop for a file; judging it is a rule's job.
#pragma once

#include <cstdint>

#include "ggufvet/base/byte_range.h"

namespace ggufvet {

enum class StopReason : std::uint8_t {
  none,
  need_more,  // the window ends, the file does not: never leaves read_model

  // The bytes cannot be walked.
  file_empty,
  magic_other,          // value: ForeignFormat
  version_unsupported,  // value: the version
  version_1,
  file_ends,              // a fixed-size field is cut by the end of the file; value: bytes wanted
  pair_count_impossible,  // value: the count; allowed: how many could fit
  tensor_count_impossible,
  string_past_end,     // value: the length; allowed: bytes left
  array_past_end,      // value: the count; allowed: elements that could fit
  value_type_unknown,  // value: the type id
  element_type_unknown,
  array_too_deep,  // value: the depth; allowed: kArrayDepthMax
  rank_too_large,  // value: the rank; allowed: 4

  // Our limits.
  directory_limit,  // value: bytes wanted; allowed: limits.directory_bytes_max
  pairs_limit,
  tensors_limit,

  // The world.
  io_failed,  // value: errno
};

struct ReadStop {
  StopReason reason = StopReason::none;
  ByteRange where;
  std::uint64_t wanted_end = 0;  // how far the reader wanted to see, for need_more
  std::uint64_t value = 0;
  std::uint64_t allowed = 0;
};

}  // namespace ggufvet
