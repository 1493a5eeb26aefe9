// Which dialects could have written a file. An id is only a number; what is in the file besides are the
// offsets, so each dialect is asked: do all tensors, with the sizes your types have, fit the declared offsets
// and the end of the file exactly? Dialects that read the file's ids as the same layouts give one reading and
// are asked once.
#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <vector>

#include "ggufvet/read/file_model.h"
#include "ggufvet/types/type_info.h"

namespace ggufvet {

enum class ReadingFit : std::uint8_t {
  no,
  exact,
  rows_short,  // exact if the headers before the rows (ik_llama's row scales) are left out
};

inline constexpr std::size_t kDialectsMax = 128;

// One way to read the file: a layout for every id in it.
struct Reading {
  DialectId first{};                   // the first dialect that reads it so, in the order of dialects()
  std::bitset<kDialectsMax> dialects;  // all that do, by index
  ReadingFit fit{};
};

struct DialectFacts {
  // Distinct type ids of the directory, ascending, with where they are first used and how often.
  struct UsedId {
    std::uint32_t id = 0;
    std::uint32_t first_tensor = 0;
    std::uint32_t tensor_count = 0;
  };
  std::vector<UsedId> used;
  bool asked = false;                             // readings were tried: there was something to settle
  bool mainline_knows = false;                    // every id is current in mainline
  std::vector<Reading> readings;                  // of dialects that know every id, and every size
  std::optional<std::uint32_t> contested_tensor;  // the first tensor whose id is what the question is about

  [[nodiscard]] std::uint32_t exact_count() const;
  [[nodiscard]] const Reading* first_with(ReadingFit fit) const;
};

// More distinct ids than any dialect has: nothing is asked about such a file.
inline constexpr std::size_t kUsedIdsMax = 512;

[[nodiscard]] std::vector<DialectFacts::UsedId> used_ids(const FileModel& file);

// Tries every dialect. `alignment` and `data_begin` as in ModelFacts; the directory must be complete.
void ask_dialects(const FileModel& file, std::uint64_t alignment, std::uint64_t data_begin,
                  DialectFacts& facts);

// Whether a dialect's own row may be used to compute sizes: a retired one only where its dialect is itself
// history.
[[nodiscard]] bool is_current(const TypeInfo& type, DialectId dialect);

}  // namespace ggufvet
