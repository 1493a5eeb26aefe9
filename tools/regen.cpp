// regen: makes the generated files of the repository. Run in its root, or anywhere below.
//
//   regen            writes what is not as it should be, removes blobs that no recipe makes
//   regen --check    writes nothing; lists what is stale and exits with 1 when anything is
//   regen --bless    first gives recipes without an expect line the ones that describe the present behaviour
#include "regen.h"

#include <cstdio>
#include <filesystem>
#include <system_error>

#include "ggufvet/rules/rule_table.h"

namespace ggufvet::regen {

namespace fs = std::filesystem;

ExpectedResult result_of(const Report& report) {
  auto result = report.counts.warning > 0 ? ExpectedResult::warning : ExpectedResult::valid;
  for (const Finding& finding : report.findings) {
    if (finding.severity != Severity::error) continue;
    const FindingClass kind = find_rule(finding.rule)->kind;
    if (kind == FindingClass::malformed) return ExpectedResult::malformed;
    result = kind == FindingClass::invalid       ? ExpectedResult::invalid
             : result != ExpectedResult::invalid ? ExpectedResult::undecided
                                                 : result;
  }
  return result;
}

bool is_rejection(ExpectedResult result) {
  return result == ExpectedResult::invalid || result == ExpectedResult::malformed;
}

std::optional<std::vector<Case>> load_cases(const std::string& root) {
  auto files = load_recipes(root + "/corpus/recipes");
  if (!files) {
    std::fprintf(stderr, "%s\n", files.error().c_str());
    return std::nullopt;
  }
  std::vector<Case> cases;
  bool ok = true;
  for (RecipeFile& file : *files) {
    auto recipe = assemble_recipe(file.text);
    if (!recipe) {
      std::fprintf(stderr, "%s:%zu: %s\n", file.path.c_str(), recipe.error().line,
                   recipe.error().message.c_str());
      ok = false;
      continue;
    }
    if (recipe->name != file.stem) {
      std::fprintf(stderr, "%s: the case is called %s\n", file.path.c_str(), recipe->name.c_str());
      ok = false;
    }
    cases.push_back({std::move(file), std::move(*recipe)});
  }
  if (!ok) return std::nullopt;
  return cases;
}

bool write_file(const std::string& path, std::string_view content) {
  std::error_code error;
  fs::create_directories(fs::path(path).parent_path(), error);
  const std::string temporary = path + ".new";
  std::FILE* const file = std::fopen(temporary.c_str(), "wb");
  bool ok = file != nullptr && std::fwrite(content.data(), 1, content.size(), file) == content.size();
  if (file != nullptr) ok = std::fclose(file) == 0 && ok;
  if (ok) fs::rename(temporary, path, error);
  if (ok && !error) return true;
  std::fprintf(stderr, "cannot write %s\n", path.c_str());
  fs::remove(temporary, error);
  return false;
}

namespace {

enum class Mode { write, check, bless };

[[nodiscard]] std::optional<std::string> find_root() {
  std::error_code error;
  for (fs::path folder = fs::current_path(error); !folder.empty(); folder = folder.parent_path()) {
    if (fs::is_directory(folder / "corpus" / "recipes", error)) return folder.string();
    if (folder == folder.root_path()) break;
  }
  return std::nullopt;
}

// Files that only this program makes and that nothing made this time.
[[nodiscard]] std::vector<std::string> left_over(const std::string& root, const Outputs& outputs) {
  std::vector<std::string> paths;
  for (const char* const folder : {"corpus/blobs", "corpus/reports"}) {
    std::error_code error;
    fs::recursive_directory_iterator entry(fs::path(root) / folder, error);
    for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
      const std::string path = entry->path().lexically_relative(root).generic_string();
      if (entry->is_regular_file(error) && !outputs.contains(path)) paths.push_back(path);
    }
  }
  return paths;
}

[[nodiscard]] int run(Mode mode) {
  const auto root = find_root();
  if (!root) {
    std::fprintf(stderr, "regen runs inside the repository: corpus/recipes is not above here\n");
    return 2;
  }
  auto cases = load_cases(*root);
  if (cases && mode == Mode::bless) {
    if (!bless(*cases)) return 1;
    cases = load_cases(*root);
  }
  if (!cases) return 1;
  Outputs outputs;
  add_corpus(*cases, outputs);
  if (!add_sets(*root, outputs)) return 1;
  add_documents(*cases, outputs);
  add_dictionary(outputs);
  std::size_t stale = 0;
  for (const auto& [path, content] : outputs) {
    const std::string full = *root + '/' + path;
    if (read_text_file(full) == content) continue;
    ++stale;
    std::printf("%s %s\n", mode == Mode::check ? "stale:" : "wrote", path.c_str());
    if (mode != Mode::check && !write_file(full, content)) return 1;
  }
  for (const std::string& path : left_over(*root, outputs)) {
    ++stale;
    std::printf("%s %s\n", mode == Mode::check ? "left over:" : "removed", path.c_str());
    std::error_code error;
    if (mode != Mode::check && !fs::remove(*root + '/' + path, error)) return 1;
  }
  std::printf("%zu cases, %zu generated files, %zu %s\n", cases->size(), outputs.size(), stale,
              mode == Mode::check ? "stale" : "changed");
  return mode == Mode::check && stale > 0 ? 1 : 0;
}

}  // namespace
}  // namespace ggufvet::regen

int main(int argument_count, char** arguments) {
  using ggufvet::regen::Mode;
  const std::string_view option = argument_count > 1 ? arguments[1] : "";
  if (argument_count > 2 || (!option.empty() && option != "--check" && option != "--bless")) {
    std::fprintf(stderr, "usage: regen [--check | --bless]\n");
    return 2;
  }
  return ggufvet::regen::run(option == "--check"   ? Mode::check
                             : option == "--bless" ? Mode::bless
                                                   : Mode::write);
}
