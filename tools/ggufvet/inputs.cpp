#include "inputs.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>

#include <sys/stat.h>

#include "ggufvet/source/mapped_source.h"
#include "ggufvet/source/memory_source.h"

namespace ggufvet::tool {
namespace {

namespace fs = std::filesystem;

[[nodiscard]] bool is_gguf_name(const fs::path& path) {
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(), [](char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter + 32) : letter;
  });
  return extension == ".gguf";
}

// What stands in one directory, in order of its names; an error in words when it could not be listed to its
// end.
struct Listing {
  std::vector<fs::path> files;
  std::vector<fs::path> directories;
  std::string problem;
};

// Links to directories are not followed, so no search goes in circles. Whatever else has the name of a model
// is one, a broken link or a pipe too: it is then reported as unreadable instead of being passed over in
// silence.
[[nodiscard]] Listing list_directory(const fs::path& directory) {
  Listing listing;
  std::error_code error;
  for (fs::directory_iterator walk(directory, error); !error && walk != fs::directory_iterator();
       walk.increment(error)) {
    std::error_code kind_error;
    const fs::file_status own = walk->symlink_status(kind_error);
    if (fs::is_directory(own))
      listing.directories.push_back(walk->path());
    else if (is_gguf_name(walk->path()) && !walk->is_directory(kind_error))
      listing.files.push_back(walk->path());
  }
  if (error) listing.problem = "the directory cannot be searched: " + error.message();
  std::sort(listing.files.begin(), listing.files.end());
  std::sort(listing.directories.begin(), listing.directories.end());
  return listing;
}

void search_directory(const std::string& directory, std::vector<Input>& inputs) {
  const std::size_t before = inputs.size();
  std::vector<fs::path> pending{directory};
  while (!pending.empty()) {
    const fs::path next = std::move(pending.back());
    pending.pop_back();
    Listing listing = list_directory(next);
    if (!listing.problem.empty()) inputs.push_back({next.string(), std::move(listing.problem)});
    for (const fs::path& file : listing.files) inputs.push_back({file.string(), {}});
    pending.insert(pending.end(), listing.directories.rbegin(), listing.directories.rend());
  }
  if (inputs.size() == before) inputs.push_back({directory, "there are no *.gguf files in this directory"});
}

// Owns the bytes of a standard input that fitted in memory.
class OwnedMemorySource final : public ByteSource {
 public:
  explicit OwnedMemorySource(std::vector<std::byte> bytes) : bytes_(std::move(bytes)), source_(bytes_) {}
  std::uint64_t size() const override { return source_.size(); }
  IoResult<std::span<const std::byte>> window(std::uint64_t bytes) override { return source_.window(bytes); }
  IoResult<void> read(std::uint64_t offset, std::span<std::byte> out) override {
    return source_.read(offset, out);
  }
  std::uint64_t bytes_read() const override { return source_.bytes_read(); }

 private:
  std::vector<std::byte> bytes_;
  MemorySource source_;
};

[[nodiscard]] OpenedSource open_regular(FileHandle file) {
  const auto stamp = stamp_of(file.get());
  if (!stamp) return {nullptr, words_of(stamp.error())};
  auto mapped = std::make_unique<MappedSource>(std::move(file), *stamp);
  if (install_mapping_guard() && mapped->map()) return {std::move(mapped), {}};
  return {std::make_unique<FileSource>(mapped->take_file(), *stamp), {}};
}

[[nodiscard]] FileHandle temporary_file() {
  const char* const named = std::getenv("TMPDIR");
  const std::string directory = named != nullptr && *named != '\0' ? named : "/tmp";
  FileHandle file(::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (file.get() >= 0) return file;
  std::string pattern = directory + "/ggufvet-XXXXXX";
  FileHandle named_file(::mkstemp(pattern.data()));
  if (named_file.get() >= 0) ::unlink(pattern.c_str());
  return named_file;
}

[[nodiscard]] bool write_all(int descriptor, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return true;
}

[[nodiscard]] OpenedSource spool_standard_input() {
  constexpr std::size_t kMemoryBytesMax = 64 << 20;
  constexpr std::size_t kChunkBytes = 1 << 20;
  std::vector<std::byte> bytes;
  FileHandle spool;
  std::vector<std::byte> chunk(kChunkBytes);
  for (;;) {
    const ssize_t count = ::read(STDIN_FILENO, chunk.data(), chunk.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return {nullptr, std::string("reading standard input failed: ") + std::strerror(errno)};
    if (count == 0) break;
    const auto part = std::span<const std::byte>(chunk).first(static_cast<std::size_t>(count));
    if (spool.get() < 0 && bytes.size() + part.size() <= kMemoryBytesMax) {
      bytes.insert(bytes.end(), part.begin(), part.end());
      continue;
    }
    if (spool.get() < 0) {
      spool = temporary_file();
      if (spool.get() < 0 || !write_all(spool.get(), bytes))
        return {nullptr,
                std::string("keeping standard input in a temporary file failed: ") + std::strerror(errno)};
      std::vector<std::byte>().swap(bytes);
    }
    if (!write_all(spool.get(), part))
      return {nullptr,
              std::string("keeping standard input in a temporary file failed: ") + std::strerror(errno)};
  }
  if (spool.get() >= 0) return open_regular(std::move(spool));
  return {std::make_unique<OwnedMemorySource>(std::move(bytes)), {}};
}

[[nodiscard]] OpenedSource open_standard_input() {
  struct stat status {};
  const bool regular = ::fstat(STDIN_FILENO, &status) == 0 && S_ISREG(status.st_mode);
  if (regular && ::lseek(STDIN_FILENO, 0, SEEK_CUR) == 0)
    return open_regular(FileHandle(::dup(STDIN_FILENO)));
  if (::isatty(STDIN_FILENO) != 0) return {nullptr, "standard input is a terminal; pipe a file into it"};
  return spool_standard_input();
}

}  // namespace

std::string words_of(const IoError& error) {
  if (error.operation == IoError::Operation::shrunk) return "the file changed while it was read";
  if (error.error_number == ESPIPE) return "not a regular file; pipe it into `-` instead";
  if (error.error_number == EISDIR) return "a directory; name a file in it";
  if (error.error_number != 0) return std::strerror(error.error_number);
  return "reading failed";
}

std::vector<Input> expand_inputs(const std::vector<std::string>& paths) {
  std::vector<Input> inputs;
  for (const std::string& path : paths) {
    std::error_code error;
    if (path != "-" && fs::is_directory(path, error))
      search_directory(path, inputs);
    else if (path.starts_with("http://") || path.starts_with("https://"))
      inputs.push_back({path, "this build reads local files only; download it first"});
    else
      inputs.push_back({path, {}});
  }
  return inputs;
}

OpenedSource open_input(const std::string& path) {
  if (path == "-") return open_standard_input();
  auto file = FileHandle::open_for_reading(path.c_str());
  if (!file) return {nullptr, words_of(file.error())};
  return open_regular(std::move(*file));
}

}  // namespace ggufvet::tool
