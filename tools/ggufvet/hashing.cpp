#include "hashing.h"

#include "ggufvet/base/text.h"
#include "scanning.h"

namespace ggufvet::tool {
namespace {

// Digests of one thing, by algorithm.
class DigestGroup {
 public:
  DigestGroup(const std::vector<Algorithm>& algorithms, bool with_uuid) {
    for (const Algorithm algorithm : algorithms)
      if (algorithm != Algorithm::uuid || with_uuid) digests_.emplace_back(algorithm, make_digest(algorithm));
  }
  void append_tasks(std::vector<DigestCrew::Task>& tasks) const {
    for (const auto& [algorithm, digest] : digests_) tasks.push_back({digest.get(), algorithm});
  }
  [[nodiscard]] HexDigests finish() {
    HexDigests all;
    for (const auto& [algorithm, digest] : digests_) all[algorithm] = digest->finish();
    return all;
  }

 private:
  std::vector<std::pair<Algorithm, std::unique_ptr<Digest>>> digests_;
};

}  // namespace

bool hash_model(const OpenModel& model, const HashWish& wish, ProgressSink& progress, ModelDigests& out,
                std::string& problem) {
  DigestCrew crew(wish.jobs);
  DigestGroup whole(wish.algorithms, true);
  const bool split = model.shards.size() > 1;
  const std::uint64_t total = model.data_bytes();
  std::uint64_t done = 0;
  for (std::size_t index = 0; index < model.shards.size(); ++index) {
    const Shard& shard = model.shards[index];
    DigestGroup of_shard(split ? wish.algorithms : std::vector<Algorithm>{}, false);
    const auto& tensors = shard.vetted->file.tensors;
    for (std::uint32_t tensor = 0; tensor < tensors.size(); ++tensor) {
      DigestGroup of_tensor(wish.tensors ? wish.algorithms : std::vector<Algorithm>{}, false);
      std::vector<DigestCrew::Task> tasks;
      whole.append_tasks(tasks);
      of_shard.append_tasks(tasks);
      of_tensor.append_tasks(tasks);
      const auto take = [&](std::span<const std::byte> piece) {
        crew.update(tasks, piece);
        done += piece.size();
        progress.advanced(done, total);
      };
      const ByteRange data = shard.vetted->facts.data_range(tensor);
      if (!for_each_piece(*shard.source, data, take, problem)) {
        problem = escaped(shard.path, 4096) + ": " + problem;
        return false;
      }
      if (wish.tensors)
        out.tensors.push_back({index, std::string(tensors[tensor].name), data.size(), of_tensor.finish()});
    }
    if (split) out.shards.push_back(of_shard.finish());
  }
  out.model = whole.finish();
  return verify_sources(model, problem);
}

bool hash_file(const std::string& path, Algorithm algorithm, std::string& digest, std::string& problem) {
  const OpenedSource opened = open_input(path);
  if (!opened.source) {
    problem = opened.problem;
    return false;
  }
  ProgressBar progress(path);
  const auto state = make_digest(algorithm);
  std::uint64_t done = 0;
  const std::uint64_t total = opened.source->size();
  const auto take = [&](std::span<const std::byte> piece) {
    state->update(piece);
    done += piece.size();
    progress.advanced(done, total);
  };
  if (!for_each_piece(*opened.source, {0, total}, take, problem)) return false;
  if (const auto intact = opened.source->verify(); !intact) {
    problem = words_of(intact.error());
    return false;
  }
  digest = state->finish();
  return true;
}

}  // namespace ggufvet::tool
