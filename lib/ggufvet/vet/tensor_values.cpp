#include "ggufvet/vet/tensor_values.h"

#include <algorithm>

#include "ggufvet/types/type_registry.h"

namespace ggufvet {
namespace {

// Values decoded at once: 64 KiB of floats stay in the cache.
constexpr std::uint64_t kTileElements = 16384;
constexpr std::uint64_t kPieceBytes = 256 << 10;

[[nodiscard]] constexpr std::uint64_t at_least_one(std::uint64_t count) { return std::max<std::uint64_t>(count, 1); }

// Of BitNet's orders those that go by groups of 128 elements in sequence can be cut anywhere between two.
constexpr std::uint64_t kFormulaGroupBytes = 32;
constexpr std::uint64_t kFormulaElementsPerByte = 4;

}  // namespace

std::optional<TensorValues> TensorValues::open(ByteSource& source, const ModelFacts& facts, std::uint32_t index) {
  const TensorFacts& tensor = facts.tensors[index];
  const ByteRange data = facts.data_range(index);
  if (tensor.size_problem != SizeProblem::none || tensor.type == nullptr || data.end > facts.file.file_bytes)
    return std::nullopt;
  const TypeLayout& layout = *tensor.type->layout;
  const Codec* const codec = find_codec(layout.label);
  if (codec == nullptr || layout.row_group != 1) return std::nullopt;
  TensorValues values(source, geometry_of(facts, index), facts.file.header.byte_order);
  if (layout.formula == SizeFormula::none) {
    values.decode_ = find_decoder(layout.label);
    if (values.decode_ == nullptr) return std::nullopt;
    return values;
  }
  const std::uint64_t elements = values.tensor_.body_bytes * kFormulaElementsPerByte;
  if (codec->decode_tensor == nullptr || !codec->shape_fits(elements, 1) ||
      values.tensor_.body_bytes % kFormulaGroupBytes != 0)
    return std::nullopt;
  values.decode_tensor_ = codec->decode_tensor;
  values.tensor_.row_elements = elements;
  values.tensor_.rows = 1;
  return values;
}

TensorValues::TensorValues(ByteSource& source, TensorGeometry tensor, ByteOrder order)
    : source_(&source), tensor_(tensor), order_(order) {}

void TensorValues::rewind() {
  at_ = 0;
  piece_ = {};
  bytes_ = {};
}

// Shows the bytes from `at_` on; a piece ends where a row header begins.
IoResult<bool> TensorValues::load_piece() {
  if (!piece_.empty())
    source_->release({tensor_.where.begin + piece_.begin, tensor_.where.begin + piece_.end});
  piece_ = {};
  const auto read = [this](std::uint64_t begin, std::uint64_t bytes, std::vector<std::byte>& room) {
    room.resize(static_cast<std::size_t>(bytes));
    return source_->view(tensor_.where.begin + begin, room);
  };
  if (tensor_.header_bytes != 0 && at_ % tensor_.row_bytes == 0 && at_ < tensor_.body_bytes) {
    const auto shown = read(at_, tensor_.header_bytes, header_);
    if (!shown) return tl::unexpected<IoError>(shown.error());
    if (shown->data() != header_.data()) header_.assign(shown->begin(), shown->end());
    at_ += tensor_.header_bytes;
  }
  if (at_ >= tensor_.body_bytes) return false;
  const std::uint64_t unit = decode_tensor_ != nullptr ? kFormulaGroupBytes : tensor_.block_bytes;
  std::uint64_t end = std::min(tensor_.body_bytes, at_ + at_least_one(kPieceBytes / unit) * unit);
  if (tensor_.header_bytes != 0) end = std::min(end, (at_ / tensor_.row_bytes + 1) * tensor_.row_bytes);
  const auto shown = read(at_, end - at_, room_);
  if (!shown) return tl::unexpected<IoError>(shown.error());
  bytes_ = *shown;
  piece_ = {at_, end};
  return true;
}

IoResult<std::span<const float>> TensorValues::next() {
  if (at_ >= piece_.end) {
    if (decode_tensor_ != nullptr && header_.empty()) {  // the trailer, which holds the scale
      header_.resize(static_cast<std::size_t>(tensor_.bytes - tensor_.body_bytes));
      if (const auto done = source_->read(tensor_.where.begin + tensor_.body_bytes, header_); !done)
        return tl::unexpected<IoError>(done.error());
    }
    const auto more = load_piece();
    if (!more) return tl::unexpected<IoError>(more.error());
    if (!*more) return std::span<const float>();
  }
  decode_tile();
  return std::span<const float>(values_);
}

void TensorValues::decode_tile() {
  const auto rest = bytes_.subspan(static_cast<std::size_t>(at_ - piece_.begin));
  const bool by_formula = decode_tensor_ != nullptr;
  const std::uint64_t unit_bytes = by_formula ? kFormulaGroupBytes : tensor_.block_bytes;
  const std::uint64_t unit_elements =
      by_formula ? kFormulaGroupBytes * kFormulaElementsPerByte : tensor_.layout->block_elements;
  const std::uint64_t units = std::min(rest.size() / unit_bytes, at_least_one(kTileElements / unit_elements));
  const auto tile = rest.first(static_cast<std::size_t>(units * unit_bytes));
  const std::uint64_t elements = units * unit_elements;
  values_.resize(static_cast<std::size_t>(elements));
  at_ += tile.size();
  if (header_.empty()) return decode_(tile.data(), elements, order_, values_.data());
  // A row's scale stands before its blocks, a tensor's behind them: a short row, or tensor, of these blocks alone.
  const std::span<const std::byte> header(header_);
  const auto first = by_formula ? tile : header;
  const auto second = by_formula ? header : tile;
  row_.assign(first.begin(), first.end());
  row_.insert(row_.end(), second.begin(), second.end());
  if (by_formula)
    decode_tensor_(row_.data(), elements, 1, order_, values_.data());
  else
    decode_(row_.data(), elements, order_, values_.data());
}

}  // namespace ggufvet
