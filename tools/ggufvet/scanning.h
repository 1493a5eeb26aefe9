// What a long scan needs from its surroundings: an interrupt that ends it in good order, and a line of
// progress on a terminal.
#pragma once

#include <chrono>
#include <string>

#include "ggufvet/vet/deep_scan.h"

namespace ggufvet::tool {

// From now on SIGINT, SIGTERM and SIGHUP set the flag; a second one ends the process as it would have without
// us.
[[nodiscard]] const std::atomic<bool>& interrupt_flag();
[[nodiscard]] bool interrupted();

// A bar with rate and remaining time on standard error when that is a terminal, nothing otherwise.
class ProgressBar final : public ProgressSink {
 public:
  // label: shown in front; escaped here.
  explicit ProgressBar(const std::string& label);
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  ~ProgressBar() override;  // takes the line away

  void advanced(std::uint64_t bytes_done, std::uint64_t bytes_total) override;

 private:
  using Clock = std::chrono::steady_clock;

  std::string label_;
  Clock::time_point begin_;
  Clock::time_point drawn_;
  bool terminal_ = false;
  bool shown_ = false;
};

// As many threads as this process may run on.
[[nodiscard]] unsigned default_jobs();

}  // namespace ggufvet::tool
