#include "ggufvet/write/corpus_folder.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <system_error>

namespace ggufvet {
namespace {

namespace fs = std::filesystem;

struct CloseFile {
  void operator()(std::FILE* file) const { static_cast<void>(std::fclose(file)); }
};

}  // namespace

std::optional<std::string> read_text_file(const std::string& path) {
  const std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path.c_str(), "rb"));
  if (!file) return std::nullopt;
  std::string text;
  std::array<char, 1 << 16> buffer{};
  std::size_t count = 0;
  while ((count = std::fread(buffer.data(), 1, buffer.size(), file.get())) > 0)
    text.append(buffer.data(), count);
  if (std::ferror(file.get()) != 0) return std::nullopt;
  return text;
}

tl::expected<std::vector<RecipeFile>, std::string> load_recipes(const std::string& folder,
                                                                std::string_view extension) {
  std::vector<RecipeFile> recipes;
  std::error_code error;
  fs::recursive_directory_iterator entry(folder, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    const fs::path path = entry->path();
    if (path.extension() != extension) continue;
    auto text = read_text_file(path.string());
    if (!text) return tl::unexpected("cannot read " + path.string());
    recipes.push_back(
        {path.parent_path().filename().string(), path.stem().string(), path.string(), std::move(*text)});
  }
  if (error) return tl::unexpected("cannot list " + folder);
  std::sort(recipes.begin(), recipes.end(), [](const RecipeFile& a, const RecipeFile& b) {
    return a.family != b.family ? a.family < b.family : a.stem < b.stem;
  });
  return recipes;
}

}  // namespace ggufvet
