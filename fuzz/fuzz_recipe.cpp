// Any text is a recipe or is refused with a line; what is taken is built, within bounds, and vetted, and
// every finding has a label that leads back to it.
#include <cstddef>
#include <cstdint>
#include <string>

#include "ggufvet/source/memory_source.h"
#include "ggufvet/write/recipe.h"
#include "properties.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ggufvet;
  const std::string text(data, data + size);
  const auto recipe = assemble_recipe(text);
  if (!recipe) {
    GGUFVET_ASSERT(!recipe.error().message.empty());
    GGUFVET_ASSERT(recipe.error().line >= 1 && recipe.error().line <= size + 1);
    return 0;
  }
  const BuiltFile& file = recipe->file;
  constexpr std::uint64_t kBytesMax = 64 << 20;
  GGUFVET_ASSERT(file.bytes.size() <= kBytesMax);
  for (const Label& label : file.labels.all()) {
    GGUFVET_ASSERT(label.range.begin <= label.range.end);
    GGUFVET_ASSERT(label.range.end <= file.bytes.size());
  }
  for (const Expectation& expectation : recipe->expectations)
    for (const ExpectedFinding& finding : expectation.findings)
      GGUFVET_ASSERT(finding.where.end <= file.bytes.size());
  const VetOptions options = fuzz::options_for(Profile::hardened);
  MemorySource source(file.bytes);
  const auto vetted = vet(source, options);
  fuzz::check_report(vetted->report, options, file.bytes.size());
  for (const Finding& finding : vetted->report.findings) {
    const auto found = file.labels.find(file.labels.name_of(finding.where));
    GGUFVET_ASSERT(found == finding.where);
  }
  return 0;
}
