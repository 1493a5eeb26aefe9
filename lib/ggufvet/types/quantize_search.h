// Scale searches of the K-quants: each tries a few scales around the obvious one and keeps the best weighted
// least-squares fit. Sums run in element order, each operation rounded: the bytes depend on it. For the
// quantiser files only.
#pragma once

#include "ggufvet/types/quantize_numbers.h"

namespace ggufvet {

struct ScaleSearch {
  float first = 0;  // offset of the first trial from the number of levels
  float step = 0;
  int steps = 0;
  bool absolute_error = false;  // else squared
};

struct ScaleOffset {
  float scale = 0;
  float offset = 0;  // subtracted; never negative
};

// Codes 0 .. levels for scale * code - offset. count: at most 32.
[[nodiscard]] ScaleOffset search_scale_offset(const float* values, const float* weights, int count,
                                              int levels, ScaleSearch search, std::uint8_t* codes);

// Codes -levels .. levels - 1, stored with `levels` added, for scale * code; weights are squares. count: any.
[[nodiscard]] float search_scale(const float* values, int count, int levels, std::int8_t* codes);

// As search_scale, improving one code at a time instead of trying scales. Q3_K.
[[nodiscard]] float search_codes(const float* values, int count, int levels, std::int8_t* codes);

}  // namespace ggufvet
