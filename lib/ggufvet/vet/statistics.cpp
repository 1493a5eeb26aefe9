#include "ggufvet/vet/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ggufvet/base/assert.h"

namespace ggufvet {
namespace {

[[nodiscard]] bool is_set(const std::atomic<bool>* stop) {
  return stop != nullptr && stop->load(std::memory_order_relaxed);
}

// Runs `visit` over all tiles. Empty when stopped.
template <class Visit>
[[nodiscard]] IoResult<bool> for_each_tile(TensorValues& values, const std::atomic<bool>* stop, const Visit& visit) {
  values.rewind();
  for (;;) {
    if (is_set(stop)) return false;
    const auto tile = values.next();
    if (!tile) return tl::unexpected<IoError>(tile.error());
    if (tile->empty()) return true;
    visit(*tile);
  }
}

// Mean and squared deviations of tiles, joined so that no digits are lost to a large mean.
class Moments {
 public:
  void add(double count, double mean, double squares) {
    if (count == 0) return;
    const double difference = mean - mean_;
    const double total = count_ + count;
    squares_ += squares + difference * difference * (count_ * count / total);
    mean_ += difference * (count / total);
    count_ = total;
  }
  [[nodiscard]] double mean() const { return mean_; }
  [[nodiscard]] double deviation() const { return count_ == 0 ? 0 : std::sqrt(squares_ / count_); }

 private:
  double count_ = 0;
  double mean_ = 0;
  double squares_ = 0;
};

void take_tile(std::span<const float> tile, TensorStatistics& statistics, Moments& moments) {
  double sum = 0;
  std::uint64_t finite = 0;
  for (const float value : tile) {
    if (!std::isfinite(value)) {
      ++(std::isnan(value) ? statistics.nan : statistics.infinite);
      continue;
    }
    const double wide = double{value};
    statistics.zeros += value == 0 ? 1U : 0U;
    statistics.minimum = std::min(statistics.minimum, wide);
    statistics.maximum = std::max(statistics.maximum, wide);
    sum += wide;
    ++finite;
  }
  statistics.elements += tile.size();
  if (finite == 0) return;
  const double mean = sum / static_cast<double>(finite);
  double squares = 0;
  for (const float value : tile)
    if (std::isfinite(value)) squares += (double{value} - mean) * (double{value} - mean);
  moments.add(static_cast<double>(finite), mean, squares);
}

void count_tile(std::span<const float> tile, TensorStatistics& statistics) {
  const double width = statistics.maximum - statistics.minimum;
  const double per_bin = width > 0 ? static_cast<double>(TensorStatistics::kBins) / width : 0;
  const double far = TensorStatistics::kOutlierDeviations * statistics.deviation;
  for (const float value : tile) {
    if (!std::isfinite(value)) continue;
    const double wide = double{value};
    statistics.outliers += std::fabs(wide - statistics.mean) > far ? 1U : 0U;
    const auto bin = static_cast<std::size_t>((wide - statistics.minimum) * per_bin);
    ++statistics.histogram[std::min(bin, TensorStatistics::kBins - 1)];
  }
}

}  // namespace

IoResult<std::optional<TensorStatistics>> measure(TensorValues& values, const std::atomic<bool>* stop) {
  TensorStatistics statistics;
  Moments moments;
  statistics.minimum = std::numeric_limits<double>::infinity();
  statistics.maximum = -statistics.minimum;
  const auto first =
      for_each_tile(values, stop, [&](std::span<const float> tile) { take_tile(tile, statistics, moments); });
  if (!first) return tl::unexpected<IoError>(first.error());
  if (!*first) return std::nullopt;
  if (statistics.minimum > statistics.maximum) statistics.minimum = statistics.maximum = 0;
  statistics.mean = moments.mean();
  statistics.deviation = moments.deviation();
  statistics.absolute_maximum = std::max(std::fabs(statistics.minimum), std::fabs(statistics.maximum));
  const auto second = for_each_tile(values, stop, [&](std::span<const float> tile) { count_tile(tile, statistics); });
  if (!second) return tl::unexpected<IoError>(second.error());
  if (!*second) return std::nullopt;
  return statistics;
}

void TensorDifference::add(const TensorDifference& more) {
  elements += more.elements;
  reference_not_finite += more.reference_not_finite;
  other_not_finite += more.other_not_finite;
  largest = std::max(largest, more.largest);
  squares_of_difference += more.squares_of_difference;
  squares_of_reference += more.squares_of_reference;
  squares_of_other += more.squares_of_other;
  products += more.products;
}

double TensorDifference::root_mean_square() const {
  return elements == 0 ? 0 : std::sqrt(squares_of_difference / static_cast<double>(elements));
}

double TensorDifference::relative() const {
  if (squares_of_difference == 0) return 0;
  return std::sqrt(squares_of_difference / squares_of_reference);
}

double TensorDifference::cosine() const {
  if (squares_of_reference == 0 && squares_of_other == 0) return 1;
  const double norms = std::sqrt(squares_of_reference) * std::sqrt(squares_of_other);
  return norms == 0 ? 0 : products / norms;
}

double TensorDifference::signal_to_noise() const {
  if (squares_of_difference == 0) return std::numeric_limits<double>::infinity();
  return 10.0 * std::log10(squares_of_reference / squares_of_difference);
}

double TensorDifference::scale() const {
  return squares_of_reference == 0 ? 1 : products / squares_of_reference;
}

namespace {

void compare_tile(std::span<const float> a, std::span<const float> b, TensorDifference& difference) {
  TensorDifference tile;
  tile.elements = a.size();
  for (std::size_t index = 0; index < a.size(); ++index) {
    const bool finite_a = std::isfinite(a[index]), finite_b = std::isfinite(b[index]);
    tile.reference_not_finite += finite_a ? 0U : 1U;
    tile.other_not_finite += finite_b ? 0U : 1U;
    if (!finite_a || !finite_b) continue;
    const double wide_a = double{a[index]}, wide_b = double{b[index]};
    const double error = wide_a - wide_b;
    tile.largest = std::max(tile.largest, std::fabs(error));
    tile.squares_of_difference += error * error;
    tile.squares_of_reference += wide_a * wide_a;
    tile.squares_of_other += wide_b * wide_b;
    tile.products += wide_a * wide_b;
  }
  difference.add(tile);
}

// What has been decoded and not yet compared.
class Stream {
 public:
  explicit Stream(TensorValues& values) : values_(values) { values_.rewind(); }
  [[nodiscard]] IoResult<std::span<const float>> rest() {
    if (!rest_.empty()) return rest_;
    const auto next = values_.next();
    if (next) rest_ = *next;
    return next;
  }
  void pass(std::size_t count) { rest_ = rest_.subspan(count); }

 private:
  TensorValues& values_;
  std::span<const float> rest_;
};

}  // namespace

IoResult<std::optional<TensorDifference>> compare(TensorValues& reference, TensorValues& other,
                                                  const std::atomic<bool>* stop) {
  GGUFVET_ASSERT(reference.elements() == other.elements());
  TensorDifference difference;
  Stream a(reference), b(other);
  for (;;) {
    if (is_set(stop)) return std::nullopt;
    const auto of_a = a.rest();
    if (!of_a) return tl::unexpected<IoError>(of_a.error());
    const auto of_b = b.rest();
    if (!of_b) return tl::unexpected<IoError>(of_b.error());
    const std::size_t count = std::min(of_a->size(), of_b->size());
    if (count == 0) return difference;
    compare_tile(of_a->first(count), of_b->first(count), difference);
    a.pass(count);
    b.pass(count);
  }
}

}  // namespace ggufvet
