#include "split_inputs.h"

#include <algorithm>
#include <filesystem>

#include <sys/resource.h>

#include "ggufvet/rules/split_keys.h"
#include "ggufvet/vet/split_set.h"

namespace ggufvet::tool {
namespace {

namespace fs = std::filesystem;

[[nodiscard]] std::string folder_of(const std::string& path) {
  return path.substr(0, path.size() - file_name_of(path).size());
}

// One listing instead of a look for each number: a name may claim 99,999 shards.
[[nodiscard]] std::vector<std::string> list_shards(const std::string& folder, const ShardName& wanted) {
  std::vector<std::string> names;
  std::error_code error;
  fs::directory_iterator entry(folder.empty() ? "." : folder, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    std::string name = entry->path().filename().string();
    const auto shard = parse_shard_name(name);
    if (shard && shard->prefix == wanted.prefix && shard->count == wanted.count)
      names.push_back(std::move(name));
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

std::string SplitInput::shown_path() const {
  const auto name = parse_shard_name(opened);
  if (!name) return folder + opened;
  const std::size_t number_begin = name->prefix.size() + 1;
  const std::size_t number_end = opened.find("-of-", number_begin);
  return folder + opened.substr(0, number_begin) + '*' + opened.substr(number_end);
}

SplitInput SplitFinder::find(const Input& input) {
  SplitInput set;
  if (!input.problem.empty() || input.path == "-") return set;
  const std::string_view file_name = file_name_of(input.path);
  const auto name = parse_shard_name(file_name);
  std::error_code error;
  if (!name || name->count < 2 || !fs::exists(input.path, error)) return set;
  set.folder = folder_of(input.path);
  set.opened = file_name;
  set.seen_before = !seen_.insert(set.shown_path()).second;
  if (set.seen_before) return set;
  set.shard_names = list_shards(set.folder, *name);
  if (set.shard_names.empty()) set.shard_names.push_back(set.opened);  // the folder cannot be listed
  if (set.shard_names.size() > kShardsMax) {
    set.shard_names.clear();
    set.problem = "a split set of more than " + std::to_string(kShardsMax) +
                  " shards is not looked at as one; --no-set looks at each alone";
  }
  return set;
}

std::string_view file_name_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

void raise_open_files_limit(std::size_t files) {
  struct rlimit limit {};
  const rlim_t wanted = static_cast<rlim_t>(files) + 64;
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted) return;
  limit.rlim_cur = std::min(wanted, limit.rlim_max);
  static_cast<void>(::setrlimit(RLIMIT_NOFILE, &limit));
}

}  // namespace ggufvet::tool
