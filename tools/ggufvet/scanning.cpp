#include "scanning.h"

#include <csignal>
#include <cstdio>
#include <sched.h>
#include <unistd.h>

#include <fmt/format.h>
#include <sys/ioctl.h>

#include "ggufvet/base/text.h"
#include "ggufvet/render/message.h"
#include "ggufvet/render/style.h"

namespace ggufvet::tool {
namespace {

constinit std::atomic<bool> interrupt_seen{false};

void on_interrupt(int signal) {
  interrupt_seen.store(true, std::memory_order_relaxed);
  struct sigaction plain {};
  plain.sa_handler = SIG_DFL;
  static_cast<void>(::sigaction(signal, &plain, nullptr));
}

[[nodiscard]] std::string time_text(double seconds) {
  const auto whole = static_cast<unsigned long long>(seconds < 0 ? 0 : seconds);
  if (whole >= 3600) return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

[[nodiscard]] std::string bar_text(double share, std::size_t columns) {
  std::string bar;
  const auto full = static_cast<std::size_t>(share * static_cast<double>(columns));
  for (std::size_t column = 0; column < columns; ++column) bar += column < full ? "█" : "░";
  return bar;
}

}  // namespace

const std::atomic<bool>& interrupt_flag() {
  // Once: a handler put back after the first interrupt would keep a second one from ending the process.
  static const bool installed = [] {
    struct sigaction action {};
    action.sa_handler = on_interrupt;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
      struct sigaction before {};
      if (::sigaction(signal, nullptr, &before) == 0 && before.sa_handler != SIG_IGN)
        static_cast<void>(::sigaction(signal, &action, nullptr));
    }
    return true;
  }();
  static_cast<void>(installed);
  return interrupt_seen;
}

bool interrupted() { return interrupt_seen.load(std::memory_order_relaxed); }

ProgressBar::ProgressBar(const std::string& label)
    : label_(escaped(label, 200)),
      begin_(Clock::now()),
      drawn_(begin_),
      terminal_(::isatty(STDERR_FILENO) != 0) {}

ProgressBar::~ProgressBar() {
  if (shown_) std::fputs("\r\x1b[K", stderr);
}

void ProgressBar::advanced(std::uint64_t bytes_done, std::uint64_t bytes_total) {
  constexpr auto kQuiet = std::chrono::milliseconds(300);  // a file that takes less needs no bar
  constexpr auto kPause = std::chrono::milliseconds(100);
  const Clock::time_point now = Clock::now();
  if (!terminal_ || bytes_total == 0 || now - drawn_ < (shown_ ? kPause : kQuiet)) return;
  drawn_ = now;
  shown_ = true;
  const double seconds = std::chrono::duration<double>(now - begin_).count();
  const double share = static_cast<double>(bytes_done) / static_cast<double>(bytes_total);
  const double rate = static_cast<double>(bytes_done) / seconds;
  const double left = rate > 0 ? static_cast<double>(bytes_total - bytes_done) / rate : 0;
  struct winsize size {};
  const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 20;
  const std::size_t columns = known ? size.ws_col : 80;
  const std::string numbers = fmt::format(" {:3.0f} %  {}/s  {} left", 100 * share,
                                          human_bytes(static_cast<std::uint64_t>(rate)), time_text(left));
  const std::string line = fitted(label_, columns / 3) + ' ' + bar_text(share, columns / 4) + numbers;
  std::fprintf(stderr, "\r%s\x1b[K", fitted(line, columns - 1).c_str());
  std::fflush(stderr);
}

unsigned default_jobs() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  const int count = CPU_COUNT(&set);
  return count > 0 ? static_cast<unsigned>(count) : 1;
}

}  // namespace ggufvet::tool
