// compare: how far a quantised model's values are from those it was made of, tensor by tensor, worst first.
#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "compare_limits.h"
#include "ggufvet/base/text.h"
#include "ggufvet/render/message.h"
#include "ggufvet/vet/statistics.h"
#include "models.h"
#include "output.h"
#include "scanning.h"

namespace ggufvet::tool {
namespace {

using Json = nlohmann::ordered_json;

struct TensorPlace {
  const Shard* shard = nullptr;
  std::uint32_t index = 0;

  [[nodiscard]] const TensorEntry& entry() const { return shard->vetted->file.tensors[index]; }
  [[nodiscard]] const TensorFacts& facts() const { return shard->vetted->facts.tensors[index]; }
};
using TensorsByName = std::map<std::string_view, TensorPlace>;

[[nodiscard]] TensorsByName tensors_of(const OpenModel& model) {
  TensorsByName tensors;
  for (const Shard& shard : model.shards)
    for (std::uint32_t index = 0; index < shard.vetted->file.tensors.size(); ++index)
      tensors[shard.vetted->file.tensors[index].name] = {&shard, index};
  return tensors;
}

struct Row {
  std::string name, reference_type, type;
  std::optional<TensorDifference> difference;  // empty: not comparable, and `remarks` says why
  std::vector<std::string> broken;             // what no quantiser does
  std::vector<std::string> over;               // which limits it is over
  std::string remark;
};

// A quantiser that works gives values of the reference's size; one in ten off is a wrong scale, not rounding.
constexpr double kScaleTolerance = 0.1;

void judge(Row& row) {
  const TensorDifference& difference = *row.difference;
  if (difference.other_not_finite > difference.reference_not_finite)
    row.broken.push_back(fmt::format("{} values are not finite", with_separators(difference.other_not_finite)));
  if (difference.squares_of_reference == 0) return;
  if (difference.squares_of_other == 0 && difference.other_not_finite == 0) {
    row.broken.push_back("all zero");
    return;
  }
  if (std::fabs(difference.scale() - 1.0) > kScaleTolerance && difference.cosine() > 0.9)
    row.broken.push_back(fmt::format("wrong scale: {:.4g} times the reference", difference.scale()));
  if (difference.cosine() < 0.5) row.broken.push_back(fmt::format("another tensor: cosine {:.4g}", difference.cosine()));
}

class Comparison {
 public:
  Comparison(const OpenModel& reference, const OpenModel& other, const CompareLimits& limits, ProgressSink& progress)
      : reference_(tensors_of(reference)), other_(tensors_of(other)), limits_(limits), progress_(progress) {
    total_ = reference.data_bytes();
  }

  // False when reading failed or was interrupted.
  [[nodiscard]] bool run() {
    for (const auto& [name, place] : reference_) {
      const auto found = other_.find(name);
      if (found == other_.end()) {
        only_reference.emplace_back(name);
        continue;
      }
      if (!compare_one(place, found->second)) return false;
      done_ += place.facts().bytes;
      progress_.advanced(done_, total_);
    }
    for (const auto& [name, place] : other_)
      if (!reference_.contains(name)) only_other.emplace_back(name);
    std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return badness(a) > badness(b); });
    return true;
  }

  std::vector<Row> rows;
  std::vector<std::string> only_reference, only_other;
  std::string problem;

 private:
  [[nodiscard]] static double badness(const Row& row) {
    constexpr double kBroken = 1e300;
    if (!row.broken.empty()) return kBroken;
    if (!row.difference) return kBroken / 10;
    const double relative = row.difference->relative();
    return std::isfinite(relative) ? relative : kBroken / 100;
  }

  [[nodiscard]] bool compare_one(const TensorPlace& a, const TensorPlace& b) {
    Row row{.name = std::string(a.entry().name),
            .reference_type = std::string(a.facts().type->name),
            .type = std::string(b.facts().type->name),
            .difference = {},
            .broken = {},
            .over = {},
            .remark = {}};
    auto values_a = TensorValues::open(*a.shard->source, a.shard->vetted->facts, a.index);
    auto values_b = TensorValues::open(*b.shard->source, b.shard->vetted->facts, b.index);
    if (a.entry().shape != b.entry().shape) {
      row.remark = "another shape";
      row.broken.push_back(row.remark);
    } else if (!values_a || !values_b) {
      row.remark = fmt::format("{} cannot be decoded", values_a ? row.type : row.reference_type);
    } else {
      const auto difference = compare(*values_a, *values_b, &interrupt_flag());
      if (!difference || !*difference) {
        problem = difference ? "interrupted" : words_of(difference.error());
        return false;
      }
      row.difference = **difference;
      judge(row);
      row.over = limits_.exceeded(row.type, *row.difference);
    }
    rows.push_back(std::move(row));
    return true;
  }

  TensorsByName reference_, other_;
  const CompareLimits& limits_;
  ProgressSink& progress_;
  std::uint64_t done_ = 0, total_ = 0;
};

struct Total {
  std::uint64_t tensors = 0;
  TensorDifference difference;
};

// By type of the quantised model; "" is all of them.
[[nodiscard]] std::map<std::string, Total> totals_of(const std::vector<Row>& rows) {
  std::map<std::string, Total> totals;
  for (const Row& row : rows) {
    if (!row.difference) continue;
    for (const std::string& key : {std::string{}, row.type}) {
      ++totals[key].tensors;
      totals[key].difference.add(*row.difference);
    }
  }
  return totals;
}

[[nodiscard]] std::string figures_text(const TensorDifference& difference) {
  return fmt::format("{:>11.5e} {:>11.5e} {:>11.5e} {:>10.7f} {:>8.2f}", difference.root_mean_square(),
                     difference.largest, difference.relative(), difference.cosine(), difference.signal_to_noise());
}

void write_text(Output& output, const Comparison& comparison) {
  const TextStyle style = output.style();
  std::size_t columns = 6;
  for (const Row& row : comparison.rows) columns = std::max(columns, columns_of(escaped(row.name, 96)));
  const auto line = [&](const std::string& name, const std::string& types, const std::string& rest) {
    output.write(fmt::format("{} {} {}\n", padded_right(name, columns), padded_right(types, 14), rest));
  };
  line("tensor", "types", fmt::format("{:>11} {:>11} {:>11} {:>10} {:>8}", "rmse", "max error", "relative", "cosine", "snr dB"));
  for (const Row& row : comparison.rows) {
    std::string rest = row.difference ? figures_text(*row.difference) : row.remark;
    if (row.difference)
      for (const std::string& broken : row.broken) rest += "  " + inked(broken, Ink::red, style);
    for (const std::string& over : row.over) rest += "  " + inked(over, Ink::yellow, style);
    line(escaped(row.name, 96), row.reference_type + " " + row.type, rest);
  }
  for (const auto& [type, total] : totals_of(comparison.rows))
    line(type.empty() ? "all" : "all of " + type, with_separators(total.tensors), figures_text(total.difference));
  for (const std::string& name : comparison.only_reference) output.write("only in the reference: " + escaped(name) + "\n");
  for (const std::string& name : comparison.only_other) output.write("only in the quantised: " + escaped(name) + "\n");
}

[[nodiscard]] Json json_number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

[[nodiscard]] Json json_figures(const TensorDifference& difference) {
  return {{"elements", difference.elements},
          {"reference_not_finite", difference.reference_not_finite},
          {"quantised_not_finite", difference.other_not_finite},
          {"rmse", json_number(difference.root_mean_square())},
          {"max_error", json_number(difference.largest)},
          {"relative", json_number(difference.relative())},
          {"cosine", json_number(difference.cosine())},
          {"snr_db", json_number(difference.signal_to_noise())},
          {"scale", json_number(difference.scale())}};
}

void write_json(Output& output, const CompareOptions& options, const Comparison& comparison) {
  Json json{{"schema", "ggufvet.compare/1"},
            {"tool", {{"name", "ggufvet"}, {"version", GGUFVET_VERSION}}},
            {"reference", options.reference},
            {"quantised", options.quantised}};
  json["tensors"] = Json::array();
  for (const Row& row : comparison.rows) {
    Json tensor{{"name", row.name}, {"reference_type", row.reference_type}, {"type", row.type}};
    if (row.difference) tensor["figures"] = json_figures(*row.difference);
    if (!row.remark.empty()) tensor["remark"] = row.remark;
    tensor["broken"] = row.broken;
    tensor["over"] = row.over;
    json["tensors"].push_back(std::move(tensor));
  }
  json["totals"] = Json::array();
  for (const auto& [type, total] : totals_of(comparison.rows)) {
    Json row{{"tensors", total.tensors}, {"figures", json_figures(total.difference)}};
    if (!type.empty()) row["type"] = type;
    json["totals"].push_back(std::move(row));
  }
  json["only_reference"] = comparison.only_reference;
  json["only_quantised"] = comparison.only_other;
  output.write(json.dump(1, ' ', true, Json::error_handler_t::replace) + '\n');
}

}  // namespace

int run_compare(const CompareOptions& options) {
  static_cast<void>(interrupt_flag());
  CompareLimits limits;
  std::string problem;
  if (!limits.load(options.limits, options.limits_file, problem)) return usage_error(problem);
  const OpenModel reference = open_model(options.reference, options.vet);
  if (!reference.ok()) return world_error(reference.problem);
  const OpenModel quantised = open_model(options.quantised, options.vet);
  if (!quantised.ok()) return world_error(quantised.problem);
  Output output(options.output);
  if (!output.ok()) return world_error(output.problem());
  ProgressBar progress(options.quantised);
  Comparison comparison(reference, quantised, limits, progress);
  if (!comparison.run()) return world_error(comparison.problem);
  if (!verify_sources(reference, problem) || !verify_sources(quantised, problem)) return world_error(problem);
  if (options.format == "json")
    write_json(output, options, comparison);
  else
    write_text(output, comparison);
  if (!output.finish()) return world_error(output.problem());
  const bool over = std::any_of(comparison.rows.begin(), comparison.rows.end(),
                                [](const Row& row) { return !row.broken.empty() || !row.over.empty(); });
  return over ? kExitRejected : kExitAccepted;
}

}  // namespace ggufvet::tool
