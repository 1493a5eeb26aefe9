#include "ggufvet/render/statistics.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "ggufvet/base/text.h"
#include "ggufvet/render/json_text.h"
#include "ggufvet/render/message.h"

namespace ggufvet {
namespace {

constexpr std::size_t kNameShownMax = 96;

void append_tensor(std::string& out, const NamedStatistics& tensor, const TextStyle& style) {
  out += fmt::format("{}  {}\n", inked(escaped(tensor.name, kNameShownMax), Ink::bold, style), tensor.type);
  if (!tensor.statistics) {
    out += "  cannot be decoded\n";
    return;
  }
  const TensorStatistics& figures = *tensor.statistics;
  out += fmt::format("  min {:.6g}  max {:.6g}  mean {:.6g}  sd {:.6g}  absmax {:.6g}\n", figures.minimum,
                     figures.maximum, figures.mean, figures.deviation, figures.absolute_maximum);
  out += fmt::format("  {}  zeros {}  outliers {}", histogram_bars(figures), with_separators(figures.zeros),
                     with_separators(figures.outliers));
  if (figures.nan > 0) out += fmt::format("  {}", inked("NaN " + with_separators(figures.nan), Ink::red, style));
  if (figures.infinite > 0)
    out += fmt::format("  {}", inked("infinite " + with_separators(figures.infinite), Ink::red, style));
  out += "\n";
}

[[nodiscard]] Json json_statistics(const TensorStatistics& figures) {
  Json json{{"elements", figures.elements},
            {"nan", figures.nan},
            {"infinite", figures.infinite},
            {"zeros", figures.zeros},
            {"outliers", figures.outliers},
            {"min", figures.minimum},
            {"max", figures.maximum},
            {"mean", figures.mean},
            {"sd", figures.deviation},
            {"absmax", figures.absolute_maximum}};
  json["histogram"] = figures.histogram;
  return json;
}

}  // namespace

std::string histogram_bars(const TensorStatistics& statistics) {
  constexpr std::array<std::string_view, 9> kBars{" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  const std::uint64_t most = *std::max_element(statistics.histogram.begin(), statistics.histogram.end());
  std::string bars;
  for (const std::uint64_t count : statistics.histogram) {
    const double share = most == 0 ? 0.0 : std::sqrt(static_cast<double>(count) / static_cast<double>(most));
    bars += kBars[static_cast<std::size_t>(std::ceil(share * 8.0))];
  }
  return bars;
}

std::string statistics_text(const std::vector<NamedStatistics>& tensors, const TextStyle& style) {
  std::string out;
  for (const NamedStatistics& tensor : tensors) append_tensor(out, tensor, style);
  return out;
}

std::string statistics_json(std::string_view path, const std::vector<NamedStatistics>& tensors,
                            std::string_view tool_version) {
  Json json{{"schema", "ggufvet.statistics/1"},
            {"tool", {{"name", "ggufvet"}, {"version", std::string(tool_version)}}},
            {"path", std::string(path)},
            {"outlier_deviations", TensorStatistics::kOutlierDeviations}};
  json["tensors"] = Json::array();
  for (const NamedStatistics& tensor : tensors) {
    Json row{{"name", capped(tensor.name, 256)}, {"type", tensor.type}};
    if (tensor.statistics) row["statistics"] = json_statistics(*tensor.statistics);
    json["tensors"].push_back(std::move(row));
  }
  return dumped(json) + "\n";
}

}  // namespace ggufvet
