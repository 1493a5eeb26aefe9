// One window and many windows agree: a source that hands out exactly what it is asked for, starting from any
// size and growing at any pace, gives the findings that memory gives. The first two bytes choose the windows.
#include <cstddef>
#include <cstdint>

#include "ggufvet/source/exact_source_test.h"
#include "ggufvet/source/memory_source.h"
#include "properties.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ggufvet;
  std::span<const std::byte> bytes = std::as_bytes(std::span(data, size));
  VetOptions options = fuzz::options_for(Profile::publish);
  // The corpus is of whole files, which begin with the magic; for them the choice is fixed.
  std::uint64_t first = 1;
  std::uint64_t growth = 2;
  if (size >= 2 && data[0] != 'G') {
    first = std::uint64_t{data[0]} * 4 + 1;
    growth = data[1] % 4 + 1U;
    bytes = bytes.subspan(2);
  }
  MemorySource memory(bytes);
  const auto wanted = vet(memory, options);
  options.limits.window_bytes_first = first;
  options.limits.window_growth = growth;
  ExactSource windows(bytes);
  const auto seen = vet(windows, options);
  fuzz::check_model(seen->file);
  fuzz::check_report(seen->report, options, bytes.size());
  fuzz::check_equal(seen->report, wanted->report);
  return 0;
}
