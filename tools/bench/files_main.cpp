// bench_files FOLDER [REAL…]: writes the files that are measured into FOLDER, each with a damaged twin beside
// it, and FOLDER/damage.txt: one line a twin with the rule that must be raised. REAL: real files that get
// such a twin too.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <unistd.h>

#include "ggufvet/base/text.h"
#include "ggufvet/read/array_reader.h"
#include "ggufvet/read/read_model.h"
#include "ggufvet/source/file_source.h"
#include "ggufvet/source/memory_source.h"
#include "sample_files.h"

namespace ggufvet::bench {
namespace {

namespace fs = std::filesystem;

[[nodiscard]] bool write_file(const fs::path& path, const SampleFile& file) {
  std::FILE* const out = std::fopen(path.c_str(), "wb");
  if (out == nullptr) return false;
  bool ok = std::fwrite(file.bytes.data(), 1, file.bytes.size(), out) == file.bytes.size();
  ok &= std::fclose(out) == 0;
  return ok && ::truncate(path.c_str(), static_cast<off_t>(file.bytes.size() + file.hole_bytes)) == 0;
}

class Folder {
 public:
  explicit Folder(fs::path path)
      : path_(std::move(path)), damage_(std::fopen((path_ / "damage.txt").c_str(), "w")) {}
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    if (damage_ != nullptr) std::fclose(damage_);
  }

  [[nodiscard]] bool ok() const { return ok_ && damage_ != nullptr; }

  void add(const std::string& name, const SampleFile& file) {
    ok_ &= write_file(path_ / (name + ".gguf"), file);
    add_twin(name, file);
  }
  void add_twin(const std::string& name, const SampleFile& file) {
    const Damaged twin = damaged(file);
    ok_ &= write_file(path_ / (name + ".damaged.gguf"), twin.file);
    if (ok()) std::fprintf(damage_, "%s %s\n", name.c_str(), std::string(twin.rule).c_str());
  }
  void add_alone(const std::string& name, const Bytes& bytes) {
    ok_ &= write_file(path_ / (name + ".gguf"), {bytes, 0});
  }

 private:
  fs::path path_;
  std::FILE* damage_;
  bool ok_ = true;
};

// What the made vocabulary is to resemble: 10.5 bytes a string, 41 % of them not ASCII.
void print_measures(const SampleFile& file) {
  MemorySource source(file.bytes);
  const FileModel model = read_model(source, Limits{});
  std::uint64_t strings = 0, bytes = 0, not_ascii = 0;
  for (const MetadataPair& pair : model.pairs)
    for_each_string(model, pair, [&](std::uint64_t, std::string_view text, ByteRange) {
      ++strings;
      bytes += text.size();
      not_ascii += static_cast<std::uint64_t>(std::count_if(
          text.begin(), text.end(), [](char byte) { return static_cast<unsigned char>(byte) > 127; }));
      return true;
    });
  std::printf("vocabulary: %.2f MB, %llu strings, %.2f bytes each, %.0f %% of them not ASCII\n",
              static_cast<double>(file.bytes.size()) / 1e6, static_cast<unsigned long long>(strings),
              static_cast<double>(bytes) / static_cast<double>(strings),
              100 * static_cast<double>(not_ascii) / static_cast<double>(bytes));
}

[[nodiscard]] bool add_real(Folder& folder, const char* path) {
  auto file = FileHandle::open_for_reading(path);
  if (!file) return false;
  const auto stamp = stamp_of(file->get());
  if (!stamp) return false;
  SampleFile real{Bytes(static_cast<std::size_t>(stamp->bytes)), 0};
  if (!read_exactly(file->get(), 0, real.bytes)) return false;
  folder.add_twin(fs::path(path).stem().string(), real);
  return true;
}

[[nodiscard]] bool write_all(const fs::path& path, int real_count, char** real) {
  Folder folder(path);
  const SampleFile vocabulary = vocabulary_file();
  print_measures(vocabulary);
  folder.add("vocabulary", vocabulary);
  folder.add("tensors-5k", tensors_file(5000));
  folder.add("tensors-50k", tensors_file(50000));
  folder.add("keys-5k", keys_file(5000));
  folder.add("keys-50k", keys_file(50000));
  folder.add("tensors-50k-random", tensors_file(50000, NameKind::random));
  folder.add("tensors-50k-same-prefix", tensors_file(50000, NameKind::same_prefix));
  folder.add("keys-50k-random", keys_file(50000, NameKind::random));
  folder.add("keys-50k-same-prefix", keys_file(50000, NameKind::same_prefix));
  folder.add("large", large_file());
  folder.add("small", small_file());
  for (const HostileHeader& header : hostile_headers())
    folder.add_alone("hostile-" + header.name, header.bytes);
  for (int index = 0; index < real_count; ++index)
    if (!add_real(folder, real[index])) return false;
  return folder.ok();
}

}  // namespace
}  // namespace ggufvet::bench

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: bench_files FOLDER [REAL…]\n");
    return 2;
  }
  std::error_code error;
  std::filesystem::create_directories(argv[1], error);
  if (ggufvet::bench::write_all(argv[1], argc - 2, argv + 2)) return 0;
  std::perror("bench_files");
  return 1;
}
