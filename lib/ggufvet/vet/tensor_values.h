// The values of a tensor, decoded tile by tile in element order, in constant memory whatever the tensor's size. The
// source must outlive it; several may read one source at a time.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "ggufvet/rules/model_facts.h"
#include "ggufvet/source/byte_source.h"
#include "ggufvet/types/decode_table.h"
#include "ggufvet/vet/scan_units.h"

namespace ggufvet {

class TensorValues {
 public:
  // Empty when the tensor cannot be decoded: no decoder for its layout, or its bytes are not all there.
  [[nodiscard]] static std::optional<TensorValues> open(ByteSource& source, const ModelFacts& facts,
                                                        std::uint32_t tensor);

  // The next values, at most some thousands; empty at the end. Valid until the next call.
  [[nodiscard]] IoResult<std::span<const float>> next();
  // From the first value again.
  void rewind();
  [[nodiscard]] std::uint64_t elements() const { return tensor_.rows * tensor_.row_elements; }

 private:
  TensorValues(ByteSource& source, TensorGeometry tensor, ByteOrder order);

  [[nodiscard]] IoResult<bool> load_piece();
  void decode_tile();

  ByteSource* source_;
  TensorGeometry tensor_;
  ByteOrder order_;
  DecodeRow decode_ = nullptr;
  DecodeTensor decode_tensor_ = nullptr;
  std::uint64_t at_ = 0;          // in the tensor, of what comes next
  ByteRange piece_;               // in the tensor, what `bytes_` shows
  std::span<const std::byte> bytes_;
  std::vector<std::byte> room_, row_, header_;
  std::vector<float> values_;
};

}  // namespace ggufvet
