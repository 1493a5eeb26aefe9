#include <algorithm>

#include "commands.h"
#include "ggufvet/render/json_report.h"
#include "ggufvet/render/text_report.h"
#include "inputs.h"
#include "output.h"
#include "scanning.h"
#include "split_inputs.h"

namespace ggufvet::tool {
namespace {

// Writes one report after the other in the format asked for.
class ReportWriter {
 public:
  ReportWriter(Output& output, const CheckOptions& options)
      : output_(output), options_(options), style_(output.style()) {
    if (options_.format == "json") output_.write(json_begin(GGUFVET_VERSION));
  }

  void vetted(const std::string& path, const Vetted& vetted) {
    count(vetted.report.verdict);
    if (options_.format == "text")
      output_.write(text_report(path, vetted, style_));
    else
      element(json_file(path, vetted));
  }

  // The shards one by one, then the set. In the totals a shard counts with its set, which may be refused as a
  // whole.
  void vetted(const SplitInput& input, const VettedSplitSet& set) {
    for (std::size_t index = 0; index < set.shards.size(); ++index) {
      const std::string path = input.folder + std::string(set.shards[index]->facts.file_name);
      count(set.report.verdict);
      if (options_.format == "text")
        output_.write(text_report(path, *set.shards[index], style_));
      else
        element(json_file(path, *set.shards[index]));
    }
    if (options_.format == "text")
      output_.write(text_split_set(input.shown_path(), set, style_));
    else
      element(json_split_set(input.shown_path(), set));
  }

  void unreadable(const std::string& path, const std::string& why) {
    count(Verdict::undecided);
    if (options_.format == "text")
      output_.write(text_unreadable(path, why, style_));
    else
      element(
          json_unreadable(path, why, options_.vet.profile, options_.vet.dialect.value_or(DialectId::ggml)));
  }

  void end() {
    if (options_.format == "json") output_.write(json_end());
    const std::uint64_t files = counts_.accept + counts_.reject + counts_.undecided;
    if (options_.format == "text" && files > 1) output_.write(text_totals(counts_, style_));
  }

 private:
  void element(const std::string& file) {
    if (options_.format == "jsonl") {
      output_.write(json_line(GGUFVET_VERSION, file));
      return;
    }
    if (!first_) output_.write(",\n");
    first_ = false;
    output_.write(file);
  }

  void count(Verdict verdict) {
    counts_.accept += verdict == Verdict::accept ? 1 : 0;
    counts_.reject += verdict == Verdict::reject ? 1 : 0;
    counts_.undecided += verdict == Verdict::undecided ? 1 : 0;
  }

  Output& output_;
  const CheckOptions& options_;
  TextStyle style_;
  VerdictCounts counts_;
  bool first_ = true;
};

[[nodiscard]] int status_of(const Report& report, const CheckOptions& options) {
  if (report.verdict == Verdict::reject) return kExitRejected;
  if (report.verdict == Verdict::undecided) return kExitUndecided;
  return options.fail_on == "warning" && report.counts.warning > 0 ? kExitRejected : kExitAccepted;
}

// Over several files a rejection outweighs what could not be decided, and both outweigh acceptance.
[[nodiscard]] int worse(int a, int b) {
  if (a == kExitRejected || b == kExitRejected) return kExitRejected;
  return a == kExitUndecided || b == kExitUndecided ? kExitUndecided : kExitAccepted;
}

[[nodiscard]] int check_one(const Input& input, const CheckOptions& options, ReportWriter& writer) {
  if (!input.problem.empty()) {
    writer.unreadable(input.path, input.problem);
    return kExitUndecided;
  }
  const OpenedSource opened = open_input(input.path);
  if (!opened.source) {
    writer.unreadable(input.path, opened.problem);
    return kExitUndecided;
  }
  ProgressBar progress(input.path);
  VetOptions vet_options = options.vet;
  if (input.path != "-") vet_options.file_name = file_name_of(input.path);
  vet_options.deep.progress = &progress;
  if (vet_options.deep.scan) vet_options.deep.stop = &interrupt_flag();
  const auto vetted = vet(*opened.source, vet_options);
  writer.vetted(input.path, *vetted);
  return status_of(vetted->report, options);
}

// A set of which a shard cannot be opened is not judged as one: what is there is looked at file by file.
[[nodiscard]] int check_apart(const SplitInput& input, const CheckOptions& options, ReportWriter& writer) {
  CheckOptions in_set = options;
  in_set.vet.in_split_set = true;
  int status = kExitAccepted;
  for (const std::string& name : input.shard_names)
    status = worse(status, check_one({input.folder + name, {}}, in_set, writer));
  return status;
}

[[nodiscard]] int check_set(const SplitInput& input, const CheckOptions& options, ReportWriter& writer) {
  std::vector<OpenedSource> opened;
  std::vector<ShardSource> shards;
  raise_open_files_limit(input.shard_names.size());
  for (const std::string& name : input.shard_names) {
    opened.push_back(open_input(input.folder + name));
    if (!opened.back().source) return check_apart(input, options, writer);
    shards.push_back({name, opened.back().source.get()});
  }
  VetOptions vet_options = options.vet;
  if (vet_options.deep.scan) vet_options.deep.stop = &interrupt_flag();
  const auto set = vet_split_set(shards, input.opened, vet_options);
  writer.vetted(input, *set);
  int status = status_of(set->report, options);
  for (const auto& shard : set->shards) status = worse(status, status_of(shard->report, options));
  return status;
}

}  // namespace

int run_check(const CheckOptions& options) {
  if (std::count(options.paths.begin(), options.paths.end(), "-") > 1)
    return usage_error("standard input (-) can be read only once");
  Output output(options.output);
  if (!output.ok()) return world_error(output.problem());
  ReportWriter writer(output, options);
  int status = kExitAccepted;
  SplitFinder finder;
  for (const Input& input : expand_inputs(options.paths)) {
    const SplitInput set = options.alone ? SplitInput{} : finder.find(input);
    if (set.seen_before) continue;
    status = worse(
        status, set.shard_names.empty()
                    ? check_one(set.problem.empty() ? input : Input{input.path, set.problem}, options, writer)
                    : check_set(set, options, writer));
  }
  writer.end();
  return output.finish() ? status : world_error(output.problem());
}

}  // namespace ggufvet::tool
