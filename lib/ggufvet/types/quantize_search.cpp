#include "ggufvet/types/quantize_search.h"

namespace ggufvet {
namespace {

struct Largest {
  float magnitude = 0;
  float value = 0;
};

Largest largest_of(const float* values, int count) {
  Largest largest;
  for (int j = 0; j < count; ++j) {
    const float magnitude = std::fabs(values[j]);
    if (magnitude > largest.magnitude) largest = {magnitude, values[j]};
  }
  return largest;
}

float error_of(float difference, bool absolute) {
  return absolute ? std::fabs(difference) : difference * difference;
}

// Least squares of values = scale * code + minimum over weighted codes.
struct Fit {
  float scale = 0;
  float minimum = 0;
  bool solvable = false;
};

struct Sums {
  float weight = 0;
  float value = 0;  // weight * value
};

Fit fit_codes(const float* values, const float* weights, const std::uint8_t* codes, int count, Sums sums) {
  float sum_code = 0, sum_code_square = 0, sum_product = 0;
  for (int j = 0; j < count; ++j) {
    const auto code = static_cast<float>(codes[j]);
    sum_code += weights[j] * code;
    sum_code_square += weights[j] * code * code;
    sum_product += weights[j] * code * values[j];
  }
  const float determinant = sums.weight * sum_code_square - sum_code * sum_code;
  if (!(determinant > 0)) return {};
  Fit fit{.scale = (sums.weight * sum_product - sums.value * sum_code) / determinant,
          .minimum = (sum_code_square * sums.value - sum_code * sum_product) / determinant,
          .solvable = true};
  if (fit.minimum > 0) {
    fit.minimum = 0;
    fit.scale = sum_product / sum_code_square;
  }
  return fit;
}

float total_error(const float* values, const float* weights, const std::uint8_t* codes, int count,
                  float scale, float minimum, bool absolute) {
  float error = 0;
  for (int j = 0; j < count; ++j)
    error += weights[j] * error_of(scale * static_cast<float>(codes[j]) + minimum - values[j], absolute);
  return error;
}

void code_values(const float* values, int count, float minimum, float inverse, int levels,
                 std::uint8_t* codes) {
  for (int j = 0; j < count; ++j)
    codes[j] = as_byte(clamp_int(nearest_int(inverse * (values[j] - minimum)), 0, levels));
}

}  // namespace

ScaleOffset search_scale_offset(const float* values, const float* weights, int count, int levels,
                                ScaleSearch search, std::uint8_t* codes) {
  float minimum = values[0], maximum = values[0];
  Sums sums{weights[0], weights[0] * values[0]};
  for (int j = 1; j < count; ++j) {
    if (values[j] < minimum) minimum = values[j];
    if (values[j] > maximum) maximum = values[j];
    sums.weight += weights[j];
    sums.value += weights[j] * values[j];
  }
  if (minimum > 0) minimum = 0;
  if (maximum == minimum) {
    for (int j = 0; j < count; ++j) codes[j] = 0;
    return {0, -minimum};
  }
  const float inverse = static_cast<float>(levels) / (maximum - minimum);
  float scale = 1 / inverse;
  code_values(values, count, minimum, inverse, levels, codes);
  float best_error = total_error(values, weights, codes, count, scale, minimum, search.absolute_error);
  std::uint8_t trial[32];
  for (int step = 0; step <= search.steps; ++step) {
    const float trial_inverse =
        (search.first + search.step * static_cast<float>(step) + static_cast<float>(levels)) /
        (maximum - minimum);
    code_values(values, count, minimum, trial_inverse, levels, trial);
    const Fit fit = fit_codes(values, weights, trial, count, sums);
    if (!fit.solvable) continue;
    const float error =
        total_error(values, weights, trial, count, fit.scale, fit.minimum, search.absolute_error);
    if (error < best_error) {
      for (int j = 0; j < count; ++j) codes[j] = trial[j];
      best_error = error;
      scale = fit.scale;
      minimum = fit.minimum;
    }
  }
  return {scale, -minimum};
}

float search_scale(const float* values, int count, int levels, std::int8_t* codes) {
  const Largest largest = largest_of(values, count);
  if (largest.magnitude < kGroupMagnitudeMin) {
    for (int j = 0; j < count; ++j) codes[j] = 0;
    return 0;
  }
  float scale = 0, best = 0;
  const auto code_of = [&](float inverse, float value) {
    return clamp_int(nearest_int(inverse * value), -levels, levels - 1);
  };
  for (int turn = -10; turn <= 9; ++turn) {  // the plain scale first, then ten per cent of a level at a time
    if (turn == 0) continue;
    const bool plain = turn == -10;
    const float inverse =
        plain ? -static_cast<float>(levels) / largest.value
              : -(static_cast<float>(levels) + 0.1f * static_cast<float>(turn)) / largest.value;
    float sum_product = 0, sum_square = 0;
    for (int j = 0; j < count; ++j) {
      const auto code = static_cast<float>(code_of(inverse, values[j]));
      const float weight = values[j] * values[j];
      sum_product += weight * values[j] * code;
      sum_square += weight * code * code;
    }
    const bool better = plain || (sum_square > 0 && sum_product * sum_product > best * sum_square);
    if (!better) continue;
    for (int j = 0; j < count; ++j) codes[j] = static_cast<std::int8_t>(levels + code_of(inverse, values[j]));
    scale = sum_square != 0.0f ? sum_product / sum_square : 0.0f;
    best = scale * sum_product;
  }
  return scale;
}

float search_codes(const float* values, int count, int levels, std::int8_t* codes) {
  const Largest largest = largest_of(values, count);
  if (largest.magnitude < kGroupMagnitudeMin) {
    for (int j = 0; j < count; ++j) codes[j] = 0;
    return 0;
  }
  const float inverse = -static_cast<float>(levels) / largest.value;
  float sum_product = 0, sum_square = 0;
  for (int j = 0; j < count; ++j) {
    const int code = clamp_int(nearest_int(inverse * values[j]), -levels, levels - 1);
    codes[j] = static_cast<std::int8_t>(code);
    const float weight = values[j] * values[j];
    sum_product += weight * values[j] * static_cast<float>(code);
    sum_square += weight * static_cast<float>(code) * static_cast<float>(code);
  }
  constexpr int kTurnsMax = 5;
  for (int turn = 0; turn < kTurnsMax; ++turn) {
    bool changed = false;
    for (int j = 0; j < count; ++j) {
      const float weight = values[j] * values[j];
      const auto old_code = static_cast<float>(codes[j]);
      float product = sum_product - weight * values[j] * old_code;
      if (!(product > 0)) continue;
      float square = sum_square - weight * old_code * old_code;
      const int code = clamp_int(nearest_int(values[j] * square / product), -levels, levels - 1);
      if (code == codes[j]) continue;
      const auto new_code = static_cast<float>(code);
      product += weight * values[j] * new_code;
      square += weight * new_code * new_code;
      if (square > 0 && product * product * sum_square > sum_product * sum_product * square) {
        codes[j] = static_cast<std::int8_t>(code);
        sum_product = product;
        sum_square = square;
        changed = true;
      }
    }
    if (!changed) break;
  }
  for (int j = 0; j < count; ++j) codes[j] = static_cast<std::int8_t>(codes[j] + levels);
  return sum_square > 0 ? sum_product / sum_square : 0.0f;
}

}  // namespace ggufvet
