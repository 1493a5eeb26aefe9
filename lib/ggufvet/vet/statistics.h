// Figures about a tensor's decoded values, and about how one tensor's differ from another's. Sums are kept in binary64.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>

#include "ggufvet/vet/tensor_values.h"

namespace ggufvet {

struct TensorStatistics {
  static constexpr std::size_t kBins = 24;
  static constexpr double kOutlierDeviations = 6.0;

  std::uint64_t elements = 0;
  std::uint64_t nan = 0;
  std::uint64_t infinite = 0;
  std::uint64_t zeros = 0;
  std::uint64_t outliers = 0;  // finite and more than six standard deviations from the mean
  // Over the finite values; 0 when there are none.
  double minimum = 0;
  double maximum = 0;
  double mean = 0;
  double deviation = 0;  // standard deviation of the population
  double absolute_maximum = 0;
  std::array<std::uint64_t, kBins> histogram{};  // equal bins from minimum to maximum
};

// Two passes over the values. Empty when `stop` was set.
[[nodiscard]] IoResult<std::optional<TensorStatistics>> measure(TensorValues& values, const std::atomic<bool>* stop);

struct TensorDifference {
  std::uint64_t elements = 0;
  std::uint64_t reference_not_finite = 0;
  std::uint64_t other_not_finite = 0;
  double largest = 0;  // |reference - other|
  // Sums over the elements that are finite in both.
  double squares_of_difference = 0;
  double squares_of_reference = 0;
  double squares_of_other = 0;
  double products = 0;

  void add(const TensorDifference& more);
  [[nodiscard]] double root_mean_square() const;
  // Norm of the difference over norm of the reference.
  [[nodiscard]] double relative() const;
  [[nodiscard]] double cosine() const;
  // In decibels; infinite when nothing differs.
  [[nodiscard]] double signal_to_noise() const;
  // What the other has to be multiplied with to come closest to the reference is the inverse of about this.
  [[nodiscard]] double scale() const;
  [[nodiscard]] bool identical() const { return largest == 0 && reference_not_finite == other_not_finite; }
};

// Both must have the same number of elements.
[[nodiscard]] IoResult<std::optional<TensorDifference>> compare(TensorValues& reference, TensorValues& other,
                                                                const std::atomic<bool>* stop);

}  // namespace ggufvet
