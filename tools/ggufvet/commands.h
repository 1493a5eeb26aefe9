// The commands, each with the options it was given. Answers are exit statuses: 0 accepted or done, 1
// rejected, 2 wrong usage, 3 undecided.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ggufvet/vet/vet.h"

namespace ggufvet::tool {

inline constexpr int kExitAccepted = 0;
inline constexpr int kExitRejected = 1;
inline constexpr int kExitUsage = 2;
inline constexpr int kExitUndecided = 3;

struct CheckOptions {
  std::vector<std::string> paths;
  VetOptions vet;
  std::string format = "text";
  std::string output;
  std::string fail_on = "error";
  bool alone = false;  // a shard of a split set is looked at by itself
};
[[nodiscard]] int run_check(const CheckOptions& options);

struct FileOptions {  // show, bytes
  std::string path;
  VetOptions vet;
  std::string format = "text";
  std::string output;
  bool full = false;
  bool metadata_only = false;
  bool tensors_only = false;
  bool stats = false;
  unsigned jobs = 1;  // for stats
};
[[nodiscard]] int run_show(const FileOptions& options);
[[nodiscard]] int run_statistics(const FileOptions& options);  // show --stats
[[nodiscard]] int run_bytes(const FileOptions& options);

struct HashOptions {
  std::vector<std::string> paths;
  std::vector<std::string> algorithms;  // names of digests.h
  bool layers = true;                   // a line for each tensor
  bool alone = false;                   // a shard as a model of its own
  bool whole_file = false;              // lines of sha256sum instead
  unsigned jobs = 1;
  VetOptions vet;
  std::string format = "text";
  std::string output;
};
[[nodiscard]] int run_hash(const HashOptions& options);

struct VerifyOptions {
  std::string manifest;
  std::string file;  // what the manifest speaks of, when it goes by another path now
  bool alone = false;
  unsigned jobs = 1;
  VetOptions vet;
  std::string format = "text";
  std::string output;
};
[[nodiscard]] int run_verify(const VerifyOptions& options);

struct DiffOptions {
  std::string a, b;
  VetOptions vet;
  std::string format = "text";
  std::string output;
};
[[nodiscard]] int run_diff(const DiffOptions& options);

struct CompareOptions {
  std::string reference, quantised;
  std::vector<std::string> limits;  // TYPE:MEASURE=NUMBER
  std::string limits_file;
  VetOptions vet;
  std::string format = "text";
  std::string output;
};
[[nodiscard]] int run_compare(const CompareOptions& options);

struct CatalogueOptions {  // rules, types, explain
  std::string subject;
  std::string dialect;
  bool conflicts = false;
  std::string format = "text";
  std::string output;
};
[[nodiscard]] int run_rules(const CatalogueOptions& options);
[[nodiscard]] int run_types(const CatalogueOptions& options);
[[nodiscard]] int run_explain(const CatalogueOptions& options);

struct DecodeOptions {  // decode, quantize
  std::string input;
  std::string tensor;  // of a GGUF file; empty: the input is bare blocks (decode) or floats (quantize)
  std::string type;
  std::optional<DialectId> dialect;
  std::uint64_t row_elements = 0;  // of bare blocks; 0: one row
  std::string output;
};
[[nodiscard]] int run_decode(const DecodeOptions& options);
[[nodiscard]] int run_quantize(const DecodeOptions& options);

// One line on standard error; answers kExitUsage.
int usage_error(const std::string& message);
// The same for what the world did not let us do; answers kExitUndecided.
int world_error(const std::string& message);

}  // namespace ggufvet::tool
