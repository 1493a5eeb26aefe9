#include "ggufvet/vet/scan_units.h"

#include <algorithm>

#include "ggufvet/types/type_registry.h"

namespace ggufvet {
TensorGeometry geometry_of(const ModelFacts& facts, std::uint32_t index) {
  const TensorEntry& entry = facts.file.tensors[index];
  const TypeLayout& layout = *facts.tensors[index].type->layout;
  const ByteRange data = facts.data_range(index);
  TensorGeometry tensor{.layout = &layout,
                        .tensor = index,
                        .where = {data.begin, std::min(data.end, facts.file.file_bytes)},
                        .bytes = data.size()};
  tensor.body_bytes = tensor.bytes - std::min<std::uint64_t>(tensor.bytes, layout.tensor_trailer_bytes);
  tensor.rows = entry.shape[1] * entry.shape[2] * entry.shape[3];
  tensor.block_bytes = std::max<std::uint32_t>(layout.block_bytes, 1);
  const auto row = row_bytes(layout, entry.shape[0]);
  if (layout.formula != SizeFormula::none || !row) return tensor;
  // Rows that are no whole number of groups (a fault of its own) are taken one by one.
  const std::uint64_t group = entry.shape[1] % layout.row_group == 0 ? layout.row_group : 1;
  tensor.row_bytes = *row * group;
  tensor.header_bytes = layout.row_header_bytes * group;
  tensor.row_elements = entry.shape[0] * group;
  return tensor;
}

std::uint64_t TensorGeometry::unit_end(std::uint64_t begin, std::uint64_t unit_bytes) const {
  const std::uint64_t end = where.size();
  if (end - begin <= unit_bytes) return end;
  if (header_bytes == 0) {
    const std::uint64_t cut = begin + std::max(unit_bytes / block_bytes, std::uint64_t{1}) * block_bytes;
    return cut > body_bytes ? end : cut;  // a trailer stays in one piece
  }
  // Units begin at a row or inside the blocks of one.
  if (begin % row_bytes == 0 && row_bytes <= unit_bytes) return begin + unit_bytes / row_bytes * row_bytes;
  const std::uint64_t row_begin = begin / row_bytes * row_bytes;
  const std::uint64_t body = std::max(begin, row_begin + header_bytes);
  const std::uint64_t wanted = body + std::max(unit_bytes / block_bytes, std::uint64_t{1}) * block_bytes;
  return std::min({wanted, row_begin + row_bytes, end});
}

std::vector<TensorGeometry> readable_tensors(const ModelFacts& facts) {
  std::vector<TensorGeometry> tensors;
  for (std::uint32_t index = 0; index < facts.tensors.size(); ++index) {
    const ByteRange data = facts.data_range(index);
    if (data.empty() || data.begin >= facts.file.file_bytes) continue;
    if (facts.tensors[index].offset_problem == OffsetProblem::overlap) continue;
    tensors.push_back(geometry_of(facts, index));
  }
  std::sort(tensors.begin(), tensors.end(),
            [](const TensorGeometry& a, const TensorGeometry& b) { return a.where.begin < b.where.begin; });
  return tensors;
}

bool UnitCursor::next(ScanUnit& unit) {
  while (tensor_ < tensors_.size() && begin_ >= tensors_[tensor_].where.size()) {
    ++tensor_;
    begin_ = 0;
  }
  if (tensor_ == tensors_.size()) return false;
  const TensorGeometry& tensor = tensors_[tensor_];
  unit = {&tensor, begin_, tensor.unit_end(begin_, unit_bytes_)};
  begin_ = unit.end;
  return true;
}

}  // namespace ggufvet
