// Golden files as data: reading the shared parts of a vector file, hexadecimal, and writing a file back in
// its own form (one vector a line, so that a changed vector is a changed line).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "golden_inputs.h"

namespace ggufvet::golden {

using Json = nlohmann::ordered_json;

[[nodiscard]] std::string hash_hex(std::span<const std::byte> bytes);
[[nodiscard]] std::string to_hex(std::span<const std::byte> bytes);
[[nodiscard]] std::vector<std::byte> from_hex(std::string_view hex);

// Floats as the files hold and hash them: every NaN is 7fc00000; most significant digit first in hex, least
// significant byte first in a hash.
[[nodiscard]] std::string floats_to_hex(std::span<const float> values);
[[nodiscard]] std::string floats_hash_hex(std::span<const float> values);

// Hash and counts of a long output that is never held as a whole.
class OutputRecord {
 public:
  OutputRecord();
  ~OutputRecord();
  OutputRecord(const OutputRecord&) = delete;
  OutputRecord& operator=(const OutputRecord&) = delete;

  void add(std::span<const float> values);
  [[nodiscard]] std::string hash_hex() const;
  [[nodiscard]] Json counts() const;  // nan, infinite, negative_zero, subnormal; those that are not 0

 private:
  struct State;
  State* state_;
};

[[nodiscard]] BlockShape read_shape(const Json& group);
[[nodiscard]] InputSize read_size(const Json& vector);

[[nodiscard]] std::string write_golden(const Json& file);

}  // namespace ggufvet::golden
