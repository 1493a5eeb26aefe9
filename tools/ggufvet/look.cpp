// show and bytes: what is in a file, whatever its verdict.
#include "commands.h"
#include "ggufvet/render/byte_map.h"
#include "ggufvet/render/show.h"
#include "inputs.h"
#include "output.h"

namespace ggufvet::tool {
namespace {

template <class Print>
[[nodiscard]] int with_vetted(const FileOptions& options, const Print& print) {
  const OpenedSource opened = open_input(options.path);
  if (!opened.source) return world_error(options.path + ": " + opened.problem);
  const auto vetted = vet(*opened.source, options.vet);
  Output output(options.output);
  if (!output.ok()) return world_error(output.problem());
  print(*opened.source, *vetted, output);
  // What was printed was read after the verdict; it may have changed since.
  if (const auto intact = opened.source->verify(); !intact)
    return world_error(options.path + ": " + words_of(intact.error()));
  if (!output.finish()) return world_error(output.problem());
  return vetted->report.verdict == Verdict::undecided ? kExitUndecided : kExitAccepted;
}

}  // namespace

int run_show(const FileOptions& options) {
  const ShowOptions show{
      .metadata = !options.tensors_only, .tensors = !options.metadata_only, .full = options.full};
  return with_vetted(options, [&](ByteSource&, const Vetted& vetted, Output& output) {
    if (options.format == "json")
      output.write(show_json(options.path, vetted, show, GGUFVET_VERSION));
    else
      output.write(show_text(options.path, vetted, show, output.style()));
  });
}

int run_bytes(const FileOptions& options) {
  const ByteMapOptions map{.elements_max = options.full ? 0U : ByteMapOptions{}.elements_max};
  return with_vetted(options, [&](ByteSource& source, const Vetted& vetted, Output& output) {
    const auto write = [&output](std::string_view text) { output.write(text); };
    if (options.format == "json")
      bytes_json(options.path, source, vetted, map, GGUFVET_VERSION, write);
    else
      bytes_text(source, vetted, map, output.style(), write);
  });
}

}  // namespace ggufvet::tool
