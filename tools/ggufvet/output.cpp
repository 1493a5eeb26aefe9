#include "output.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

#include <sys/ioctl.h>
#include <sys/stat.h>

namespace ggufvet::tool {

namespace {

// mkstemp makes files for their owner only; a report is an ordinary file.
[[nodiscard]] unsigned ordinary_mode() {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666 & ~mask;
}

}  // namespace

Output::Output(std::string path) : path_(path == "-" ? std::string{} : std::move(path)) {
  if (path_.empty()) {
    file_ = stdout;
    return;
  }
  struct stat status {};
  if (::stat(path_.c_str(), &status) != 0) {
    open_temporary(ordinary_mode());
    return;
  }
  if (!S_ISREG(status.st_mode)) {
    open_in_place();
    return;
  }
  // Renaming over a link would leave what it points to as it was.
  if (char* const real = ::realpath(path_.c_str(), nullptr); real != nullptr) {
    path_ = real;
    std::free(real);
  }
  open_temporary(status.st_mode & 07777);
}

// Renaming over /dev/null or a pipe would put a file in its place.
void Output::open_in_place() {
  file_ = std::fopen(path_.c_str(), "wb");
  if (file_ == nullptr) fail("cannot be written");
}

void Output::open_temporary(unsigned mode) {
  temporary_path_ = path_ + ".XXXXXX";
  const int descriptor = ::mkstemp(temporary_path_.data());
  if (descriptor < 0) {
    temporary_path_.clear();
    fail("cannot be written");
    return;
  }
  static_cast<void>(::fchmod(descriptor, mode));
  file_ = ::fdopen(descriptor, "wb");
  if (file_ == nullptr) fail("cannot be written");
}

Output::~Output() {
  if (file_ != nullptr && file_ != stdout) std::fclose(file_);
  if (!temporary_path_.empty()) ::unlink(temporary_path_.c_str());
}

void Output::fail(const char* what) {
  if (!problem_.empty()) return;
  const int error_number = errno;
  problem_ = (path_.empty() ? std::string("standard output") : path_) + " " + what + ": " +
             std::strerror(error_number);
}

void Output::write(std::string_view text) {
  if (!ok()) return;
  if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) fail("cannot be written");
}

bool Output::finish() {
  if (!ok()) return false;
  if (std::fflush(file_) != 0) fail("cannot be written");
  if (temporary_path_.empty() || !ok()) return ok();
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
