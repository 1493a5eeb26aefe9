// Block scan and deep scan. An input that begins with GGUF is vetted with its tensor data: every finding lies
// in the file, and one thread, three threads and a digest on the way agree. Any other input is a layout,
// options and blocks: what is examined as wrong was suspected by vector and by plain code, and every place
// lies where it must.
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "ggufvet/rules/rule_table.h"
#include "ggufvet/source/memory_source.h"
#include "ggufvet/types/block_scan.h"
#include "ggufvet/types/type_registry.h"
#include "ggufvet/vet/vet.h"

namespace {

using namespace ggufvet;

void require(bool holds) {
  if (!holds) std::abort();
}

class Places final : public FaultVisitor {
 public:
  Places(const ScanShape& shape, std::size_t bytes) : shape_(shape), bytes_(bytes) {}
  void visit(const FaultSpot& spot) override {
    require(spot.at < bytes_ && spot.bytes > 0 && spot.bytes <= bytes_ - spot.at);
    require(spot.at >= last_);
    require(spot.at / shape_.block_bytes == spot.block);
    require(spot.element >= spot.block * shape_.block_elements);
    last_ = spot.block * shape_.block_bytes;  // fields of one block may come in any order
    ++count;
  }
  std::uint64_t count = 0;

 private:
  const ScanShape& shape_;
  std::size_t bytes_;
  std::uint64_t last_ = 0;
};

void scan_blocks(std::span<const std::byte> input) {
  if (input.size() < 3) return;
  const auto number = [&input](std::size_t at) { return static_cast<std::size_t>(input[at]); };
  const TypeLayout& layout = layouts()[(number(0) | number(1) << 8) % layouts().size()];
  const std::size_t options = number(2);
  const ScanShape shape = (options & 4) != 0                    ? row_header_shape(layout)
                          : (options & 8) != 0                  ? trailer_shape(layout)
                          : layout.formula != SizeFormula::none ? body_shape(layout)
                                                                : block_shape(layout);
  if (shape.block_bytes == 0) return;
  const BlockScan scan(shape, (options & 1) != 0 ? ByteOrder::big : ByteOrder::little, (options & 2) != 0);
  const std::size_t bytes = (input.size() - 3) / shape.block_bytes * shape.block_bytes;
  const std::vector<std::byte> blocks(input.begin() + 3,
                                      input.begin() + 3 + static_cast<std::ptrdiff_t>(bytes));
  Places places(shape, bytes);
  scan.examine(blocks, places);
  const bool suspect = scan.suspects(blocks);
  const bool suspect_portable = scan.suspects_portable(blocks);
  if (places.count > 0) require(suspect && suspect_portable);
  if (!scan.judges()) require(!suspect && !suspect_portable);
}

class Counter final : public ByteSink {
 public:
  void take(std::span<const std::byte> bytes) override { count += bytes.size(); }
  std::uint64_t count = 0;
};

void scan_file(std::span<const std::byte> input) {
  MemorySource source(input);
  VetOptions options;
  options.profile = Profile::publish;
  options.deep.scan = true;
  const Report one = vet(source, options)->report;
  for (const Finding& finding : one.findings) {
    require(find_rule(finding.rule) != nullptr);
    require(finding.where.begin <= finding.where.end && finding.where.end <= input.size());
  }
  require(one.deep.bytes_scanned <= input.size());
  options.deep.jobs = 3;
  require(vet(source, options)->report.findings == one.findings);
  Counter counter;
  options.deep.bytes = &counter;
  require(vet(source, options)->report.findings == one.findings);
  require(counter.count == input.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto input = std::as_bytes(std::span(data, size));
  if (size >= 4 && data[0] == 'G' && data[1] == 'G' && data[2] == 'U' && data[3] == 'F')
    scan_file(input);
  else
    scan_blocks(input);
  return 0;
}
