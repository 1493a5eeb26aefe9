#include "output.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

#include <sys/ioctl.h>
#include <sys/stat.h>

namespace ggufvet::tool {

Output::Output(std::string path) : path_(std::move(path)) {
  if (path_.empty()) {
    file_ = stdout;
    return;
  }
  temporary_path_ = path_ + ".XXXXXX";
  const int descriptor = ::mkstemp(temporary_path_.data());
  if (descriptor < 0) {
    temporary_path_.clear();
    fail("cannot be written");
    return;
  }
  // mkstemp makes files for their owner only; a report is an ordinary file.
  const mode_t mask = ::umask(0);
  ::umask(mask);
  static_cast<void>(::fchmod(descriptor, 0666 & ~mask));
  file_ = ::fdopen(descriptor, "wb");
  if (file_ == nullptr) fail("cannot be written");
}

Output::~Output() {
  if (file_ != nullptr && file_ != stdout) std::fclose(file_);
  if (!temporary_path_.empty()) ::unlink(temporary_path_.c_str());
}

void Output::fail(const char* what) {
  if (problem_.empty())
    problem_ =
        (path_.empty() ? std::string("standard output") : path_) + " " + what + ": " + std::strerror(errno);
}

void Output::write(std::string_view text) {
  if (!ok()) return;
  if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) fail("cannot be written");
}

bool Output::finish() {
  if (!ok()) return false;
  if (std::fflush(file_) != 0) fail("cannot be written");
  if (path_.empty() || !ok()) return ok();
  if (::fsync(::fileno(file_)) != 0) fail("cannot be synced");
  if (std::fclose(file_) != 0) fail("cannot be closed");
  file_ = nullptr;
  if (!problem_.empty()) return false;
  if (::rename(temporary_path_.c_str(), path_.c_str()) != 0) {
    fail("cannot be put in place");
    return false;
  }
  temporary_path_.clear();
  return true;
}

TextStyle Output::style() const {
  if (!path_.empty() || ::isatty(STDOUT_FILENO) == 0) return {};
  TextStyle style;
  const char* const no_colour = std::getenv("NO_COLOR");
  const char* const terminal = std::getenv("TERM");
  style.colour = (no_colour == nullptr || *no_colour == '\0') &&
                 (terminal == nullptr || std::strcmp(terminal, "dumb") != 0);
  struct winsize size {};
  style.width = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40 ? size.ws_col : 80;
  return style;
}

}  // namespace ggufvet::tool
