// hash: digests of tensors and models in the lines of mainline's gguf-hash tool, and of files in those of sha256sum.
#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "ggufvet/base/text.h"
#include "hashing.h"
#include "manifest.h"
#include "output.h"
#include "scanning.h"

namespace ggufvet::tool {
namespace {

using Json = nlohmann::ordered_json;

[[nodiscard]] Json json_digests(const HexDigests& digests) {
  Json json = Json::object();
  for (const auto& [algorithm, hex] : digests) json[std::string(algorithm_name(algorithm))] = hex;
  return json;
}

[[nodiscard]] Json json_model(const std::string& path, const OpenModel& model, const ModelDigests& digests) {
  Json json{{"path", path}, {"digests", json_digests(digests.model)}};
  json["shards"] = Json::array();
  for (std::size_t index = 0; index < model.shards.size(); ++index) {
    Json shard{{"path", model.shards[index].path}};
    if (index < digests.shards.size()) shard["digests"] = json_digests(digests.shards[index]);
    json["shards"].push_back(std::move(shard));
  }
  json["tensors"] = Json::array();
  for (const TensorDigests& tensor : digests.tensors)
    json["tensors"].push_back({{"name", tensor.name},
                               {"shard", tensor.shard},
                               {"bytes", tensor.bytes},
                               {"digests", json_digests(tensor.digests)}});
  return json;
}

void write_lines(Output& output, const HexDigests& digests, const std::string& what) {
  for (const auto& [algorithm, hex] : digests) output.write(manifest_line(algorithm_name(algorithm), hex, what));
}

void write_model(Output& output, const std::string& path, const OpenModel& model, const ModelDigests& digests) {
  for (const TensorDigests& tensor : digests.tensors)
    write_lines(output, tensor.digests, model.shards[tensor.shard].path + ':' + tensor.name);
  for (std::size_t index = 0; index < digests.shards.size(); ++index)
    write_lines(output, digests.shards[index], model.shards[index].path);
  write_lines(output, digests.model, path);
}

[[nodiscard]] int hash_files(const HashOptions& options, Output& output) {
  for (const std::string& path : options.paths) {
    std::string digest, problem;
    if (!hash_file(path, Algorithm::sha256, digest, problem))
      return world_error(escaped(path, 4096) + ": " + problem);
    output.write(checksum_line(digest, path));
  }
  return kExitAccepted;
}

[[nodiscard]] int hash_models(const HashOptions& options, Output& output) {
  HashWish wish{.algorithms = {}, .tensors = options.layers, .jobs = options.jobs};
  for (const std::string& name : options.algorithms) wish.algorithms.push_back(*find_algorithm(name));
  if (wish.algorithms.empty()) wish.algorithms = {Algorithm::xxh3_128};
  Json models = Json::array();
  for (const std::string& path : options.paths) {
    const OpenModel model = open_model(path, options.vet, options.alone);
    if (!model.ok()) return world_error(model.problem);
    ProgressBar progress(path);
    ModelDigests digests;
    std::string problem;
    if (!hash_model(model, wish, progress, digests, problem)) return world_error(problem);
    const std::string name = options.alone ? path : model_path(path);
    if (options.format == "json")
      models.push_back(json_model(name, model, digests));
    else
      write_model(output, name, model, digests);
  }
  if (options.format != "json") return kExitAccepted;
  const Json json{{"schema", "ggufvet.hash/1"},
                  {"tool", {{"name", "ggufvet"}, {"version", GGUFVET_VERSION}}},
                  {"models", std::move(models)}};
  output.write(json.dump(1, ' ', true, Json::error_handler_t::replace) + '\n');
  return kExitAccepted;
}

}  // namespace

int run_hash(const HashOptions& options) {
  static_cast<void>(interrupt_flag());
  Output output(options.output);
  if (!output.ok()) return world_error(output.problem());
  const int status = options.whole_file ? hash_files(options, output) : hash_models(options, output);
  if (status != kExitAccepted) return status;
  return output.finish() ? status : world_error(output.problem());
}

}  // namespace ggufvet::tool
