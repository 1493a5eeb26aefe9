// A tensor's figures in words: a line and a histogram of bars, or JSON.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ggufvet/render/style.h"
#include "ggufvet/vet/statistics.h"

namespace ggufvet {

struct NamedStatistics {
  std::string name;
  std::string type;
  std::optional<TensorStatistics> statistics;  // empty: the tensor cannot be decoded
};

// "▁▂▅█▅▂▁": one column a bin, height by the square root of its share, so that tails stay visible.
[[nodiscard]] std::string histogram_bars(const TensorStatistics& statistics);

[[nodiscard]] std::string statistics_text(const std::vector<NamedStatistics>& tensors, const TextStyle& style);
[[nodiscard]] std::string statistics_json(std::string_view path, const std::vector<NamedStatistics>& tensors,
                                          std::string_view tool_version);

}  // namespace ggufvet
