// What about a key or a tensor can make a rule fire, told once, so that the dozens of rules are not put to
// the thousands of records that are as they should be. A trigger may be set too often, never too seldom; a
// rule that is not named here is always asked, so a new rule needs no line in this file.
#pragma once

#include <cstdint>

#include "ggufvet/rules/rule.h"

namespace ggufvet {

// A set of reasons, one bit each.
using Triggers = std::uint32_t;

inline constexpr Triggers kAlways = 1U << 0;  // every record has it
// Of a pair.
inline constexpr Triggers kUnusualKey =
    1U << 1;  // empty, long, or with characters outside the format's alphabet
inline constexpr Triggers kUnusualArray = 1U << 2;  // nested or empty
inline constexpr Triggers kUnusualBool = 1U << 3;
inline constexpr Triggers kUnusualText = 1U << 4;
inline constexpr Triggers kAlignmentPair = 1U << 5;
inline constexpr Triggers kDialectAsked = 1U << 6;
inline constexpr Triggers kSplitOrTemplateKey = 1U << 12;
// Of a tensor.
inline constexpr Triggers kUnusualName = 1U << 7;  // empty, 64 bytes or more, or not plain ASCII
inline constexpr Triggers kUnusualShape = 1U << 8;
inline constexpr Triggers kUnusualSize = 1U << 9;  // one that cannot be computed
inline constexpr Triggers kUnusualTypeId = 1U << 10;
inline constexpr Triggers kUnusualPlace = 1U << 11;

// What a rule about pairs or tensors needs in order to fire.
[[nodiscard]] Triggers triggers_of(RuleId rule);

[[nodiscard]] Triggers triggers_of(const PairSubject& subject, const ModelFacts& facts);
[[nodiscard]] Triggers triggers_of(const TensorSubject& subject, const ModelFacts& facts);

}  // namespace ggufvet
