// What a scan of tensor data found, as payload rules are shown it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "ggufvet/base/byte_range.h"
#include "ggufvet/types/payload_fault.h"

namespace ggufvet {

inline constexpr std::uint64_t kNoExpert = 0xFFFFFFFFFFFFFFFF;

struct PayloadPlace {
  ByteRange where;
  std::uint64_t block = 0;           // in the tensor
  std::uint64_t element = 0;         // the first that is concerned, in the tensor
  std::uint64_t expert = kNoExpert;  // index along the third dimension of a stack of matrices
};

// One kind of fault in one tensor.
struct PayloadSubject {
  static constexpr std::size_t kPlacesMax = 3;

  std::uint32_t tensor = 0;
  PayloadFault fault{};
  std::uint64_t count = 0;
  std::array<PayloadPlace, kPlacesMax> first{};  // by place; as many as `count` says, up to the maximum

  [[nodiscard]] std::span<const PayloadPlace> places() const {
    return std::span(first).first(count < kPlacesMax ? static_cast<std::size_t>(count) : kPlacesMax);
  }
};

}  // namespace ggufvet
