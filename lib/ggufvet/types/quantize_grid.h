// The search behind the codebook quantisers: magnitudes are scaled to odd levels 1, 3, 5 …, each run of
// levels is moved to a row of the grid, and the scale with the best weighted fit is kept. For the quantiser
// files only.
#pragma once

#include <cstdint>

#include "ggufvet/types/quantize_numbers.h"

namespace ggufvet {

inline constexpr int kGridGroupMax = 32;

struct LevelGrid {
  const std::uint8_t* rows = nullptr;  // `count` rows of `width` odd levels
  int count = 0;
  int width = 0;
  int level_count = 0;     // 3 or 8
  int classes_wanted = 0;  // how many distances count as neighbourhood
};

struct GroupSearch {
  int turns = 0;  // trials on each side of the plain scale
  float step = 0;
  bool refine_all = false;  // after the search, move the runs that already lie on the grid, too
  float magnitude_min = 0;  // a group whose largest magnitude is not above this is left out
};

struct Group {
  float magnitudes[kGridGroupMax] = {};
  float weights[kGridGroupMax] = {};
  int count = 0;
  std::uint8_t levels[kGridGroupMax] = {};  // the answer: every run is a row of the grid
};

// The row with exactly these levels, or -1.
[[nodiscard]] int find_row(const LevelGrid& grid, const std::uint8_t* levels);

// Fills group.levels and returns the scale; 0 for a group of (nearly) zeros, whose levels are all 1.
[[nodiscard]] float search_group(const LevelGrid& grid, GroupSearch search, Group& group);

}  // namespace ggufvet
