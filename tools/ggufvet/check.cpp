#include "commands.h"
#include "ggufvet/render/json_report.h"
#include "ggufvet/render/text_report.h"
#include "inputs.h"
#include "output.h"

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
    if (options_.format == "text")
      output_.write(text_report(path, vetted, style_));
    else
      element(json_file(path, vetted));
  }

  void unreadable(const std::string& path, const std::string& why) {
    if (options_.format == "text")
      output_.write(text_unreadable(path, why, style_));
    else
      element(
          json_unreadable(path, why, options_.vet.profile, options_.vet.dialect.value_or(DialectId::ggml)));
  }

  void end() {
    if (options_.format == "json") output_.write(json_end());
  }

 private:
  void element(const std::string& file) {
    if (options_.format == "jsonl") {
      output_.write(json_line(GGUFVET_VERSION, file));
      return;
    }
    if (count_++ > 0) output_.write(",\n");
    output_.write(file);
  }

  Output& output_;
  const CheckOptions& options_;
  TextStyle style_;
  int count_ = 0;
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
  const auto vetted = vet(*opened.source, options.vet);
  writer.vetted(input.path, *vetted);
  return status_of(vetted->report, options);
}

}  // namespace

int run_check(const CheckOptions& options) {
  Output output(options.output);
  if (!output.ok()) return world_error(output.problem());
  ReportWriter writer(output, options);
  int status = kExitAccepted;
  for (const Input& input : expand_inputs(options.paths))
    status = worse(status, check_one(input, options, writer));
  writer.end();
  return output.finish() ? status : world_error(output.problem());
}

}  // namespace ggufvet::tool
