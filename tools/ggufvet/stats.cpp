// show --stats: figures about each tensor's decoded values.
#include <algorithm>
#include <mutex>
#include <thread>

#include <fmt/format.h>

#include "commands.h"
#include "ggufvet/base/text.h"
#include "ggufvet/render/statistics.h"
#include "inputs.h"
#include "output.h"
#include "scanning.h"

namespace ggufvet::tool {
namespace {

[[nodiscard]] std::string type_name(const ModelFacts& facts, std::uint32_t index) {
  const TypeInfo* const type = facts.tensors[index].type;
  return type != nullptr ? std::string(type->name) : fmt::format("type {}", facts.file.tensors[index].type_id);
}

// Tensors are taken one by one by whoever is free; progress counts bytes, each of which is read twice.
class StatisticsRun {
 public:
  StatisticsRun(ByteSource& source, const ModelFacts& facts, ProgressSink& progress)
      : source_(source), facts_(facts), progress_(progress), results_(facts.tensors.size()) {
    for (std::uint32_t index = 0; index < results_.size(); ++index) total_ += facts.data_range(index).size();
  }

  [[nodiscard]] bool run(unsigned jobs) {
    std::vector<std::thread> threads;
    for (std::size_t thread = 1; thread < std::min<std::size_t>(jobs, results_.size()); ++thread)
      threads.emplace_back([this] { work(false); });
    work(true);
    for (std::thread& thread : threads) thread.join();
    return problem_.empty();
  }

  [[nodiscard]] const std::vector<NamedStatistics>& results() const { return results_; }
  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  void work(bool reports) {
    for (;;) {
      const std::size_t index = next_.fetch_add(1);
      if (index >= results_.size() || interrupted() || failed_) return;
      measure_one(static_cast<std::uint32_t>(index));
      done_ += facts_.data_range(static_cast<std::uint32_t>(index)).size();
      if (reports) progress_.advanced(done_, total_);
    }
  }

  void measure_one(std::uint32_t index) {
    NamedStatistics& result = results_[index];
    result.name = std::string(facts_.file.tensors[index].name);
    result.type = type_name(facts_, index);
    if (facts_.tensors[index].offset_problem == OffsetProblem::overlap) return;
    auto values = TensorValues::open(source_, facts_, index);
    if (!values) return;
    const auto measured = measure(*values, &interrupt_flag());
    if (measured) {
      result.statistics = *measured;
      return;
    }
    const std::lock_guard lock(mutex_);
    failed_ = true;
    problem_ = words_of(measured.error());
  }

  ByteSource& source_;
  const ModelFacts& facts_;
  ProgressSink& progress_;
  std::vector<NamedStatistics> results_;
  std::atomic<std::size_t> next_{0};
  std::atomic<std::uint64_t> done_{0};
  std::atomic<bool> failed_{false};
  std::uint64_t total_ = 0;
  std::mutex mutex_;
  std::string problem_;
};

}  // namespace

int run_statistics(const FileOptions& options) {
  static_cast<void>(interrupt_flag());
  const OpenedSource opened = open_input(options.path);
  if (!opened.source) return world_error(options.path + ": " + opened.problem);
  const auto vetted = vet(*opened.source, options.vet);
  if (!vetted->file.complete())
    return world_error(options.path + ": its directory cannot be read to the end (`ggufvet check` says why)");
  Output output(options.output);
  if (!output.ok()) return world_error(output.problem());
  {
    ProgressBar progress(options.path);
    StatisticsRun run(*opened.source, vetted->facts, progress);
    if (!run.run(options.jobs)) return world_error(options.path + ": " + run.problem());
    if (interrupted()) return world_error("interrupted");
    if (const auto intact = opened.source->verify(); !intact)
      return world_error(options.path + ": " + words_of(intact.error()));
    output.write(options.format == "json" ? statistics_json(options.path, run.results(), GGUFVET_VERSION)
                                          : statistics_text(run.results(), output.style()));
  }
  return output.finish() ? kExitAccepted : world_error(output.problem());
}

}  // namespace ggufvet::tool
