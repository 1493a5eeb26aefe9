// What follows from a model once it is known which dialect its type ids belong to: sizes, expected offsets,
// places, duplicates. Computed once in near linear time, so that every rule is a look-up. Judges nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ggufvet/base/duplicates.h"
#include "ggufvet/read/file_model.h"
#include "ggufvet/rules/dialect_facts.h"
#include "ggufvet/rules/template_facts.h"
#include "ggufvet/types/type_info.h"

namespace ggufvet {

// Dimensions and element counts are held in signed 64-bit integers by mainline and most readers.
inline constexpr std::uint64_t kSignedMax = 0x7FFFFFFFFFFFFFFF;
// Nothing maps tensors at more than huge-page granularity; past this an alignment only serves to overflow a
// sum.
inline constexpr std::uint64_t kAlignmentMax = std::uint64_t{2} << 20;

// The first step of the size computation that fails.
enum class SizeProblem : std::uint8_t {
  none,
  dimension_above_signed,
  elements_overflow,
  elements_overflow_beside_zero,  // the product is 0, but only because one dimension is
  type_unknown,                   // no size can be computed
  partial_block,                  // the row is not a whole number of blocks
  bytes_above_signed,             // more than 2^63-1
  bytes_overflow,                 // more than 64 bits
};

// At most one for a tensor: how an offset departs from the running sum of padded sizes. That it is misaligned
// can be told from the offset alone; a misaligned tensor has no gap before it.
// rows_short: what is reserved holds the tensor's blocks, but not the headers before its rows.
enum class OffsetProblem : std::uint8_t { none, overlap, out_of_order, gap, rows_short };

struct TensorFacts {
  const TypeInfo* type = nullptr;     // null when the dialect does not have the id
  std::uint64_t bytes = 0;            // valid when size_problem is none; without row headers if rows_short
  std::uint64_t expected_offset = 0;  // valid when expected_known
  std::uint32_t neighbour = 0;        // the overlapped tensor, or the one before the gap or the step back
  SizeProblem size_problem{};
  OffsetProblem offset_problem{};
  bool expected_known = false;
  bool end_overflows = false;  // data begin + offset + bytes does not fit 63 bits
};

struct ModelFacts {
  explicit ModelFacts(const FileModel& model) : file(model) {}

  const FileModel& file;
  DialectId dialect{};         // mainline where none was named
  bool dialect_named = false;  // by the user, so that nothing has to be found out
  // Every id is current in mainline, and its sizes fit or at least nobody else's do.
  bool mainline_explains = true;
  DialectFacts dialects;
  std::string_view file_name;                    // without folder; empty when the caller did not tell
  bool in_split_set = false;                     // the other shards are looked at as well
  std::optional<std::uint64_t> alignment;        // empty when general.alignment gives none that can be used
  std::optional<std::uint64_t> data_begin;       // empty as well when the directory was not read to its end
  std::vector<TensorFacts> tensors;              // one for each file.tensors
  std::optional<std::uint32_t> sum_overflow_at;  // the tensor at which the running sum leaves 63 bits
  std::optional<std::uint32_t> sum_wrap_at;      // and 64 bits
  std::vector<DuplicatePair> duplicate_keys;
  std::vector<DuplicatePair> duplicate_names;
  std::vector<TemplateFacts> templates;  // those with something to say
  // Over the tensors whose place is known and inside 63 bits:
  std::uint64_t data_end = 0;         // end of the last one, absolute
  std::uint64_t data_end_padded = 0;  // with its padding
  std::uint32_t outside_count = 0;    // how many do not end inside the file
  std::uint32_t outside_first = 0;    // the first of them by offset
  bool in_sequence = false;           // every offset is the running sum: what is outside was cut off
  bool extent_known = false;  // every tensor's place is known, so what lies between and after them is too

  // Absolute place of a tensor's data; empty range at 0 when it is not known.
  [[nodiscard]] ByteRange data_range(std::uint32_t index) const;
};

// The paddings that lie inside the file, ascending, empty ones left out: before the data, between tensors,
// after the last one. None when the extent is not known.
[[nodiscard]] std::vector<ByteRange> padding_ranges(const ModelFacts& facts);

// No dialect: mainline is assumed, and where that leaves something unexplained the others are asked.
[[nodiscard]] ModelFacts derive_facts(const FileModel& file, std::optional<DialectId> dialect);

}  // namespace ggufvet
