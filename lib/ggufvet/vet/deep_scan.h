// Looking at the tensors' own bytes: every tensor whose place is known is read once, in windows, by several
// threads if asked, and its faults are collected with their places. Memory does not grow with the file.
// Judges nothing: payload rules do. Tensors that overlap an earlier one are left out, so that no file makes
// us read more bytes than it has.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "ggufvet/rules/model_facts.h"
#include "ggufvet/rules/payload.h"
#include "ggufvet/source/byte_source.h"

namespace ggufvet {

class ProgressSink {
 public:
  virtual ~ProgressSink() = default;
  // Called now and then by the thread that called deep_scan().
  virtual void advanced(std::uint64_t bytes_done, std::uint64_t bytes_total) = 0;
};

// Sees every byte of the file once, in order, the same bytes that are scanned.
class ByteSink {
 public:
  virtual ~ByteSink() = default;
  virtual void take(std::span<const std::byte> bytes) = 0;
};

struct DeepOptions {
  bool scan = false;
  unsigned jobs = 1;                        // threads that scan; a byte sink is fed by one
  const std::atomic<bool>* stop = nullptr;  // set by a signal handler or another thread: leave off soon
  ProgressSink* progress = nullptr;
  ByteSink* bytes = nullptr;
};

struct DeepOutcome {
  bool finished = false;
  std::uint64_t bytes_scanned = 0;
  std::uint64_t tensors_scanned = 0;
  std::uint64_t tensors_left_out = 0;    // overlapping, outside the file, or of unknown size
  std::uint64_t tensors_not_judged = 0;  // of a layout whose fields are not documented
  std::uint32_t first_not_judged = 0;    // the least index of them
  std::vector<PayloadSubject> found;     // by place of the tensor, then fault
  std::optional<IoError> error;
};

[[nodiscard]] DeepOutcome deep_scan(ByteSource& source, const ModelFacts& facts, const DeepOptions& options);

}  // namespace ggufvet
