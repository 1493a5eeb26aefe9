// Limits on how far a quantised tensor may be from its reference: TYPE:MEASURE=NUMBER, "*" for every type.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ggufvet/vet/statistics.h"

namespace ggufvet::tool {

class CompareLimits {
 public:
  // From the command line and from a file of one limit a line, # beginning a comment. False with `problem` set when
  // one of them is not understood.
  [[nodiscard]] bool load(const std::vector<std::string>& words, const std::string& file, std::string& problem);

  // The limits that a tensor of this type is over, in words.
  [[nodiscard]] std::vector<std::string> exceeded(std::string_view type, const TensorDifference& difference) const;

 private:
  enum class Measure : std::uint8_t { rmse, max_error, relative, cosine, snr };
  struct Limit {
    std::string type;
    Measure measure{};
    double bound = 0;
  };

  [[nodiscard]] bool add(std::string_view word);

  std::vector<Limit> limits_;
};

}  // namespace ggufvet::tool
