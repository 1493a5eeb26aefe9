#include "compare_limits.h"

#include <array>
#include <charconv>
#include <fstream>

#include <fmt/format.h>

#include "ggufvet/base/text.h"

namespace ggufvet::tool {
namespace {

constexpr std::array<std::string_view, 5> kMeasures{"rmse", "max", "relative", "cosine", "snr"};

[[nodiscard]] bool same_name(std::string_view a, std::string_view b) {
  const auto lower = [](char letter) { return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter + 32) : letter; };
  if (a.size() != b.size()) return false;
  for (std::size_t at = 0; at < a.size(); ++at)
    if (lower(a[at]) != lower(b[at])) return false;
  return true;
}

[[nodiscard]] std::string_view trimmed(std::string_view text) {
  text = text.substr(0, text.find('#'));
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

}  // namespace

bool CompareLimits::add(std::string_view word) {
  const std::size_t colon = word.find(':');
  const std::size_t equals = word.find('=', colon == std::string_view::npos ? 0 : colon);
  if (colon == std::string_view::npos || colon == 0 || equals == std::string_view::npos) return false;
  const std::string_view measure = word.substr(colon + 1, equals - colon - 1);
  const std::string_view number = word.substr(equals + 1);
  Limit limit{std::string(word.substr(0, colon)), {}, 0};
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), limit.bound);
  if (error != std::errc{} || end != number.data() + number.size()) return false;
  for (std::size_t index = 0; index < kMeasures.size(); ++index) {
    if (measure != kMeasures[index]) continue;
    limit.measure = static_cast<Measure>(index);
    limits_.push_back(std::move(limit));
    return true;
  }
  return false;
}

bool CompareLimits::load(const std::vector<std::string>& words, const std::string& file, std::string& problem) {
  const std::string form = "; a limit is TYPE:MEASURE=NUMBER with rmse, max, relative, cosine or snr, as in Q4_0:relative=0.12";
  for (const std::string& word : words)
    if (!add(word)) {
      problem = "\"" + escaped(word, 200) + "\" is no limit" + form;
      return false;
    }
  if (file.empty()) return true;
  std::ifstream lines(file);
  std::string line;
  for (std::size_t number = 1; std::getline(lines, line); ++number) {
    const std::string_view word = trimmed(line);
    if (word.empty() || add(word)) continue;
    problem = fmt::format("{}:{}: \"{}\" is no limit{}", escaped(file, 4096), number, escaped(word, 200), form);
    return false;
  }
  if (lines.eof()) return true;
  problem = escaped(file, 4096) + " cannot be read";
  return false;
}

std::vector<std::string> CompareLimits::exceeded(std::string_view type, const TensorDifference& difference) const {
  const std::array<double, 5> figures{difference.root_mean_square(), difference.largest, difference.relative(),
                                      difference.cosine(), difference.signal_to_noise()};
  std::vector<std::string> over;
  for (const Limit& limit : limits_) {
    if (limit.type != "*" && !same_name(limit.type, type)) continue;
    const auto index = static_cast<std::size_t>(limit.measure);
    const bool at_least = limit.measure == Measure::cosine || limit.measure == Measure::snr;
    // Written so that NaN is over any limit.
    const bool within = at_least ? figures[index] >= limit.bound : figures[index] <= limit.bound;
    if (!within)
      over.push_back(fmt::format("{} {:.6g} is {} {:.6g}", kMeasures[index], figures[index], at_least ? "below" : "above", limit.bound));
  }
  return over;
}

}  // namespace ggufvet::tool
