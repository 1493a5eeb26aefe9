// A finding is small, flat data: which rule, where, how bad, and the numbers its message needs. Words come
// later, in render, so text from the file is never copied about and never reaches a terminal raw.
#pragma once

#include <array>
#include <cstdint>

#include "ggufvet/base/byte_range.h"

namespace ggufvet {

// Never reused, never renumbered.
struct RuleId {
  std::uint16_t number = 0;
  friend constexpr bool operator==(RuleId, RuleId) = default;
  friend constexpr auto operator<=>(RuleId, RuleId) = default;
};

enum class Severity : std::uint8_t { off, info, warning, error };

// malformed: the bytes do not determine a model. The reader had to stop, or what it read has no single
// meaning (two
//            values under one key, no place where the data begins) or no bytes (data that is not in the file,
//            or that two tensors claim).
// invalid:   it can be read, and breaks a rule.
// limit, io: we stopped looking; never counted against the file.
enum class FindingClass : std::uint8_t { malformed, invalid, limit, io };

struct Finding {  // trivially copyable, no strings
  RuleId rule{};
  Severity severity{};
  ByteRange where;                      // the bytes to blame
  ByteRange related;                    // the other party: an overlap, a first duplicate; empty if none
  std::array<std::uint64_t, 4> args{};  // numbers for the message template
  friend bool operator==(const Finding&, const Finding&) = default;
};

enum class Flow : std::uint8_t { go, stop };

class FindingSink {
 public:
  virtual ~FindingSink() = default;
  virtual Flow add(const Finding& finding) = 0;
};

}  // namespace ggufvet
