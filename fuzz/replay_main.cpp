// A plain main for a fuzz target: runs it over every file named, and every file in the folders named, in a
// fixed order. Finding no file is a failure, since a replay of nothing proves nothing.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

namespace fs = std::filesystem;

// Hidden files (.gitkeep and the like) are no inputs.
bool is_input(const fs::directory_entry& entry) {
  std::error_code error;
  return entry.is_regular_file(error) && entry.path().filename().string().front() != '.';
}

// Empty when the path, or a folder below it, cannot be listed.
std::optional<std::vector<fs::path>> find_inputs(const fs::path& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    if (!fs::is_regular_file(path, error)) return std::nullopt;
    return std::vector<fs::path>{path};
  }
  std::vector<fs::path> inputs;
  fs::recursive_directory_iterator entry(path, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error))
    if (is_input(*entry)) inputs.push_back(entry->path());
  if (error) return std::nullopt;
  std::sort(inputs.begin(), inputs.end());
  return inputs;
}

bool replay(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<char> content{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file.good() && !file.eof()) return false;
  content.shrink_to_fit();  // so that a sanitizer sees a read past the end
  // Said before the run: whoever sees a crash sees the input that caused it.
  std::printf("%s\n", path.string().c_str());
  std::fflush(stdout);
  const std::vector<std::uint8_t> bytes(content.begin(), content.end());
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
  return true;
}

}  // namespace

int main(int argument_count, char** arguments) {
  std::size_t input_count = 0;
  for (int index = 1; index < argument_count; ++index) {
    const std::optional<std::vector<fs::path>> inputs = find_inputs(arguments[index]);
    if (!inputs) {
      std::fprintf(stderr, "cannot list %s\n", arguments[index]);
      return 1;
    }
    for (const fs::path& input : *inputs) {
      if (!replay(input)) {
        std::fprintf(stderr, "cannot read %s\n", input.string().c_str());
        return 1;
      }
    }
    input_count += inputs->size();
  }
  std::printf("%zu inputs\n", input_count);
  return input_count == 0 ? 1 : 0;
}
