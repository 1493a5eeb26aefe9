#include "ggufvet/types/quantize_grid.h"

#include <algorithm>
#include <limits>

namespace ggufvet {
namespace {

constexpr int kRowsMax = 1024;

struct Sums {
  float product = 0;
  float square = 0;
};

Sums sums_of(const Group& group, const std::uint8_t* levels) {
  Sums sums;
  for (int j = 0; j < group.count; ++j) {
    const auto level = static_cast<float>(levels[j]);
    sums.product += group.weights[j] * group.magnitudes[j] * level;
    sums.square += group.weights[j] * level * level;
  }
  return sums;
}

std::uint8_t level_of(float value, int level_count) {
  return as_byte(2 * clamp_int(nearest_int(0.5f * (value - 1.0f)), 0, level_count - 1) + 1);
}

// Of the rows in the nearest few distance classes, the one that fits the values best; the nearer, then the
// earlier in a tie. A row at distance zero is taken at once.
int best_row(const LevelGrid& grid, const float* values, const float* roots, float scale,
             const std::uint8_t* levels) {
  int distances[kRowsMax];
  for (int row = 0; row < grid.count; ++row) {
    int distance = 0;
    for (int k = 0; k < grid.width; ++k) {
      const int difference = grid.rows[row * grid.width + k] - levels[k];
      distance += difference * difference;
    }
    if (distance == 0) return row;
    distances[row] = distance;
  }
  int best = 0;
  float best_error = std::numeric_limits<float>::max();
  int seen = 0;
  for (int turn = 0; turn < grid.classes_wanted; ++turn) {
    int next = std::numeric_limits<int>::max();
    for (int row = 0; row < grid.count; ++row)
      if (distances[row] > seen) next = std::min(next, distances[row]);
    for (int row = 0; row < grid.count; ++row) {
      if (distances[row] != next) continue;
      float error = 0;
      for (int k = 0; k < grid.width; ++k) {
        const float difference = scale * static_cast<float>(grid.rows[row * grid.width + k]) - values[k];
        error += roots[k] * difference * difference;
      }
      if (error < best_error) {
        best_error = error;
        best = row;
      }
    }
    seen = next;
  }
  return best;
}

// Levels of one run, moved to the grid. Answers whether they lay on it.
bool place_run(const LevelGrid& grid, const Group& group, const float* roots, int begin, float inverse,
               float scale, std::uint8_t* levels) {
  for (int k = 0; k < grid.width; ++k)
    levels[begin + k] = level_of(inverse * group.magnitudes[begin + k], grid.level_count);
  const int row = best_row(grid, group.magnitudes + begin, roots + begin, scale, levels + begin);
  const std::uint8_t* from = grid.rows + row * grid.width;
  const bool on_grid = std::equal(from, from + grid.width, levels + begin);
  std::copy(from, from + grid.width, levels + begin);
  return on_grid;
}

}  // namespace

int find_row(const LevelGrid& grid, const std::uint8_t* levels) {
  for (int row = 0; row < grid.count; ++row) {
    const std::uint8_t* from = grid.rows + row * grid.width;
    if (std::equal(from, from + grid.width, levels)) return row;
  }
  return -1;
}

float search_group(const LevelGrid& grid, GroupSearch search, Group& group) {
  std::fill(group.levels, group.levels + group.count, std::uint8_t{1});
  const float largest = *std::max_element(group.magnitudes, group.magnitudes + group.count);
  if (!(largest > search.magnitude_min)) return 0;
  float roots[kGridGroupMax];
  for (int j = 0; j < group.count; ++j) roots[j] = std::sqrt(group.weights[j]);
  const int runs = group.count / grid.width;
  const auto top = static_cast<float>(2 * grid.level_count - 1);
  float scale = largest / top;
  float best = 0;
  bool on_grid[8] = {};
  for (int turn = -search.turns; turn <= search.turns; ++turn) {
    const float inverse = (top + static_cast<float>(turn) * search.step) / largest;
    const float trial_scale = 1 / inverse;
    std::uint8_t levels[kGridGroupMax];
    bool trial_on_grid[8] = {};
    for (int run = 0; run < runs; ++run)
      trial_on_grid[run] = place_run(grid, group, roots, run * grid.width, inverse, trial_scale, levels);
    const Sums sums = sums_of(group, levels);
    if (sums.square > 0 && sums.product * sums.product > best * sums.square) {
      scale = sums.product / sums.square;
      best = scale * sums.product;
      std::copy(levels, levels + group.count, group.levels);
      std::copy(trial_on_grid, trial_on_grid + runs, on_grid);
    }
  }
  if (scale > 0 && !std::all_of(on_grid, on_grid + runs, [](bool on) { return on; })) {
    const float inverse = 1 / scale;
    for (int run = 0; run < runs; ++run)
      if (search.refine_all || !on_grid[run])
        static_cast<void>(place_run(grid, group, roots, run * grid.width, inverse, scale, group.levels));
    const Sums sums = sums_of(group, group.levels);
    if (sums.square > 0) scale = sums.product / sums.square;
  }
  return scale;
}

}  // namespace ggufvet
