#include "ggufvet/rules/model_facts.h"

#include <algorithm>
#include <numeric>

#include "ggufvet/base/checked.h"
#include "ggufvet/types/type_registry.h"

namespace ggufvet {
namespace {

[[nodiscard]] std::optional<std::uint64_t> usable_alignment(const FileModel& file) {
  if (!file.alignment_pair) return kAlignmentDefault;
  const MetadataPair& pair = file.pairs[*file.alignment_pair];
  if (!pair.is(ValueType::u32) || pair.bits == 0) return std::nullopt;
  return pair.bits;
}

[[nodiscard]] SizeProblem element_problem(const TensorEntry& entry) {
  for (const std::uint64_t dimension : entry.shape)
    if (dimension > kSignedMax) return SizeProblem::dimension_above_signed;
  std::uint64_t elements = 1;
  bool has_zero = false;  // so far: a product that is 0 stays 0, one that overflowed before does not mend
  for (const std::uint64_t dimension : entry.shape) {
    has_zero |= dimension == 0;
    // A zero dimension must not hide that the others overflow on the way.
    const std::uint64_t factor = std::max<std::uint64_t>(dimension, 1);
    if (elements > kSignedMax / factor)
      return has_zero ? SizeProblem::elements_overflow_beside_zero : SizeProblem::elements_overflow;
    elements *= factor;
  }
  return SizeProblem::none;
}

[[nodiscard]] TensorFacts size_facts(const TensorEntry& entry, DialectId dialect) {
  TensorFacts facts;
  facts.type = find_type(dialect, entry.type_id);
  facts.size_problem = element_problem(entry);
  if (facts.size_problem != SizeProblem::none) return facts;
  // A retired id may be the mark of another dialect, so the size it once had proves nothing.
  if (facts.type == nullptr || !is_current(*facts.type, dialect) || !facts.type->layout->known()) {
    facts.size_problem = SizeProblem::type_unknown;
    return facts;
  }
  const TypeLayout& layout = *facts.type->layout;
  if (layout.formula == SizeFormula::none && !blocks_exact(entry.shape[0], layout.block_elements)) {
    facts.size_problem = SizeProblem::partial_block;
    return facts;
  }
  const auto bytes = tensor_bytes(layout, entry.shape);
  if (!bytes)
    facts.size_problem = SizeProblem::bytes_overflow;
  else if (*bytes > kSignedMax)
    facts.size_problem = SizeProblem::bytes_above_signed;
  facts.bytes = bytes.value_or(0);
  return facts;
}

// The running sum that mainline demands every offset to equal. Mainline holds it in 64 bits without a sign.
void expect_offsets(ModelFacts& facts) {
  std::uint64_t sum = 0;
  for (std::uint32_t index = 0; index < facts.tensors.size(); ++index) {
    TensorFacts& tensor = facts.tensors[index];
    tensor.expected_offset = sum;
    tensor.expected_known = true;
    if (tensor.size_problem != SizeProblem::none && tensor.size_problem != SizeProblem::bytes_above_signed)
      return;
    const auto end = checked_add(sum, tensor.bytes);
    const auto padded = end ? pad_to_multiple(*end, *facts.alignment) : std::nullopt;
    const bool has_size = tensor.size_problem == SizeProblem::none;
    if (has_size && !facts.sum_overflow_at && (!padded || *padded > kSignedMax))
      facts.sum_overflow_at = index;
    if (!padded) {
      facts.sum_wrap_at = index;
      return;
    }
    sum = *padded;
  }
}

[[nodiscard]] std::vector<std::uint32_t> order_by_offset(const FileModel& file) {
  std::vector<std::uint32_t> order(file.tensors.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto before = [&file](std::uint32_t a, std::uint32_t b) {
    return file.tensors[a].offset < file.tensors[b].offset;
  };
  if (!std::is_sorted(order.begin(), order.end(), before))
    std::stable_sort(order.begin(), order.end(), before);
  return order;
}

void find_ends(ModelFacts& facts) {
  for (std::uint32_t index = 0; index < facts.tensors.size(); ++index) {
    TensorFacts& tensor = facts.tensors[index];
    if (tensor.size_problem != SizeProblem::none) continue;
    const auto begin = checked_add(*facts.data_begin, facts.file.tensors[index].offset);
    const auto end = begin ? checked_add(*begin, tensor.bytes) : std::nullopt;
    tensor.end_overflows = !end || *end > kSignedMax;
  }
}

// In directory order: an offset below an earlier one.
void find_steps_back(ModelFacts& facts) {
  std::uint32_t highest = 0;
  for (std::uint32_t index = 1; index < facts.tensors.size(); ++index) {
    TensorFacts& tensor = facts.tensors[index];
    if (facts.file.tensors[index].offset >= facts.file.tensors[highest].offset) {
      highest = index;
    } else {
      tensor.offset_problem = OffsetProblem::out_of_order;
      tensor.neighbour = highest;
    }
  }
}

[[nodiscard]] std::uint64_t bytes_without_row_headers(const TensorEntry& entry, const TypeInfo& type) {
  TypeLayout bare = *type.layout;
  bare.row_header_bytes = 0;
  return tensor_bytes(bare, entry.shape).value_or(0);
}

// A tensor of a type with row headers whose place ends exactly where it would without them. Its rows would be
// read from their neighbours, and the last ones from the next tensor.
void find_short_rows(ModelFacts& facts, const std::vector<std::uint32_t>& order) {
  const std::uint64_t present =
      facts.file.file_bytes < *facts.data_begin ? 0 : facts.file.file_bytes - *facts.data_begin;
  for (std::size_t place = 0; place < order.size(); ++place) {
    TensorFacts& tensor = facts.tensors[order[place]];
    if (tensor.size_problem != SizeProblem::none || tensor.type->layout->row_header_bytes == 0) continue;
    const TensorEntry& entry = facts.file.tensors[order[place]];
    const bool last = place + 1 == order.size();
    const std::uint64_t next = last ? present : facts.file.tensors[order[place + 1]].offset;
    if (next < entry.offset) continue;
    const std::uint64_t reserved = next - entry.offset;
    const std::uint64_t bare = bytes_without_row_headers(entry, *tensor.type);
    const std::uint64_t bare_padded = pad_to_multiple(bare, *facts.alignment).value_or(bare);
    const bool is_bare = last ? reserved >= bare && reserved <= bare_padded : reserved == bare_padded;
    if (!is_bare || reserved >= tensor.bytes) continue;
    tensor.offset_problem = OffsetProblem::rows_short;
    tensor.bytes = bare;  // what is there
  }
}

// In order of offsets: what reaches into the next, and what leaves room before it. A tensor whose size is not
// known covers nothing, and no gap can be told after it.
void find_overlaps_and_gaps(ModelFacts& facts, const std::vector<std::uint32_t>& order) {
  std::uint64_t covered_end = 0;  // relative to data_begin
  std::uint32_t covered_by = 0;
  bool covered_known = true;
  for (const std::uint32_t index : order) {
    TensorFacts& tensor = facts.tensors[index];
    const std::uint64_t begin = facts.file.tensors[index].offset;
    const bool has_bytes = tensor.size_problem == SizeProblem::none && tensor.bytes > 0;
    if (has_bytes && begin < covered_end) {
      tensor.offset_problem = OffsetProblem::overlap;
      tensor.neighbour = covered_by;
    } else if (tensor.offset_problem == OffsetProblem::none && covered_known &&
               begin % *facts.alignment == 0) {
      const auto padded = pad_to_multiple(covered_end, *facts.alignment);
      if (padded && begin > *padded) {
        tensor.offset_problem = OffsetProblem::gap;
        tensor.neighbour = covered_by;
      }
    }
    // What ends past 63 bits covers the bytes before its end all the same, as long as 64 bits hold them.
    const auto end =
        tensor.size_problem == SizeProblem::none ? checked_add(begin, tensor.bytes) : std::nullopt;
    if (!end) {
      covered_known = false;
      continue;
    }
    if (*end >= covered_end) {
      covered_end = *end;
      covered_by = index;
      if (tensor.bytes > 0) covered_known = true;
    }
  }
}

void find_extent(ModelFacts& facts, const std::vector<std::uint32_t>& order) {
  facts.data_end = *facts.data_begin;
  facts.in_sequence = true;
  facts.extent_known = true;
  for (const std::uint32_t index : order) {
    const TensorFacts& tensor = facts.tensors[index];
    facts.in_sequence &= tensor.expected_known && tensor.expected_offset == facts.file.tensors[index].offset;
    if (tensor.size_problem != SizeProblem::none || tensor.end_overflows) {
      facts.in_sequence = false;
      facts.extent_known = false;
      continue;
    }
    const std::uint64_t end = *facts.data_begin + facts.file.tensors[index].offset + tensor.bytes;
    facts.data_end = std::max(facts.data_end, end);
    if (end <= facts.file.file_bytes) continue;
    if (facts.outside_count == 0) facts.outside_first = index;
    ++facts.outside_count;
  }
  // Offsets are padded from the start of the data, which is itself a multiple of the alignment.
  facts.data_end_padded = pad_to_multiple(facts.data_end, *facts.alignment).value_or(facts.data_end);
}

// The layout of an ordinary file: every offset is the running sum, so nothing overlaps, steps back or leaves
// a gap, and ends ascend, so that the last one speaks for all. False, and nothing said, when the file is
// another or reaches past its end.
[[nodiscard]] bool derive_ordinary_layout(ModelFacts& facts) {
  if (facts.sum_overflow_at || facts.sum_wrap_at) return false;
  for (std::uint32_t index = 0; index < facts.tensors.size(); ++index) {
    const TensorFacts& tensor = facts.tensors[index];
    if (tensor.size_problem != SizeProblem::none || !tensor.expected_known) return false;
    if (tensor.expected_offset != facts.file.tensors[index].offset) return false;
  }
  std::uint64_t data_end = *facts.data_begin;
  if (!facts.tensors.empty()) {
    const auto end = checked_add(data_end, facts.file.tensors.back().offset + facts.tensors.back().bytes);
    if (!end || *end > kSignedMax || *end > facts.file.file_bytes) return false;
    data_end = *end;
  }
  facts.data_end = data_end;
  facts.data_end_padded = pad_to_multiple(data_end, *facts.alignment).value_or(data_end);
  facts.in_sequence = true;
  facts.extent_known = true;
  return true;
}

void derive_layout(ModelFacts& facts) {
  facts.sum_overflow_at.reset();
  facts.sum_wrap_at.reset();
  facts.outside_count = 0;
  expect_offsets(facts);
  if (derive_ordinary_layout(facts)) return;
  const std::vector<std::uint32_t> order = order_by_offset(facts.file);
  find_ends(facts);
  find_steps_back(facts);
  find_short_rows(facts, order);
  find_overlaps_and_gaps(facts, order);
  find_extent(facts, order);
}

[[nodiscard]] bool sizes_fit(const ModelFacts& facts) {
  return facts.extent_known && facts.in_sequence && facts.outside_count == 0 &&
         facts.file.file_bytes <= facts.data_end_padded;
}

// Mainline's sizes do not fit and another dialect's do: what the contested tensors take is not known.
void distrust_contested_sizes(ModelFacts& facts) {
  for (TensorFacts& tensor : facts.tensors) {
    if (tensor.type != nullptr && is_conflicting(tensor.type->id)) {
      tensor.size_problem = SizeProblem::type_unknown;
      tensor.bytes = 0;
    }
    tensor.offset_problem = OffsetProblem::none;
    tensor.expected_known = false;
    tensor.end_overflows = false;
  }
  derive_layout(facts);
}

void settle_dialect(ModelFacts& facts) {
  DialectFacts& dialects = facts.dialects;
  bool disputed = false;
  dialects.mainline_knows = true;
  for (const DialectFacts::UsedId& entry : dialects.used) {
    const TypeInfo* const type = find_type(DialectId::ggml, entry.id);
    dialects.mainline_knows &= type != nullptr && is_current(*type, DialectId::ggml);
    disputed |= is_conflicting(entry.id);
  }
  // A file of mainline types that nobody else claims has nothing to settle.
  if (facts.dialect_named || (dialects.mainline_knows && !disputed)) return;
  ask_dialects(facts.file, *facts.alignment, *facts.data_begin, dialects);
  facts.mainline_explains = dialects.mainline_knows && (sizes_fit(facts) || dialects.exact_count() == 0);
  if (dialects.mainline_knows && !facts.mainline_explains) distrust_contested_sizes(facts);
}

}  // namespace

ByteRange ModelFacts::data_range(std::uint32_t index) const {
  const TensorFacts& tensor = tensors[index];
  if (!data_begin || tensor.size_problem != SizeProblem::none || tensor.end_overflows) return {};
  const std::uint64_t begin = *data_begin + file.tensors[index].offset;
  return {begin, begin + tensor.bytes};
}

std::vector<ByteRange> padding_ranges(const ModelFacts& facts) {
  std::vector<ByteRange> ranges;
  if (!facts.extent_known) return ranges;
  const auto add = [&](std::uint64_t begin, std::uint64_t end) {
    end = std::min(end, facts.file.file_bytes);
    if (begin < end) ranges.push_back({begin, end});
  };
  add(facts.file.directory_end, *facts.data_begin);
  std::uint64_t covered_end = *facts.data_begin;
  if (facts.in_sequence && facts.outside_count == 0) {
    for (std::uint32_t index = 0; index < facts.tensors.size(); ++index) {
      const std::uint64_t begin = *facts.data_begin + facts.file.tensors[index].offset;
      add(covered_end, begin);
      covered_end = begin + facts.tensors[index].bytes;
    }
    add(covered_end, facts.data_end_padded);
    return ranges;
  }
  for (const std::uint32_t index : order_by_offset(facts.file)) {
    const ByteRange data = facts.data_range(index);
    const std::uint64_t padded =
        pad_to_multiple(covered_end - *facts.data_begin, *facts.alignment).value_or(0);
    add(covered_end, std::min(data.begin, *facts.data_begin + padded));
    covered_end = std::max(covered_end, data.end);
  }
  add(covered_end, facts.data_end_padded);
  return ranges;
}

ModelFacts derive_facts(const FileModel& file, std::optional<DialectId> dialect) {
  ModelFacts facts(file);
  facts.dialect = dialect.value_or(DialectId::ggml);
  facts.dialect_named = dialect.has_value();
  facts.duplicate_keys =
      find_duplicates(file.pairs.size(), [&file](std::uint32_t index) { return file.pairs[index].key; });
  facts.duplicate_names =
      find_duplicates(file.tensors.size(), [&file](std::uint32_t index) { return file.tensors[index].name; });
  facts.templates = derive_templates(file);
  facts.alignment = usable_alignment(file);
  facts.tensors.reserve(file.tensors.size());
  for (const TensorEntry& entry : file.tensors) facts.tensors.push_back(size_facts(entry, facts.dialect));
  facts.dialects.used = used_ids(file);
  if (!file.complete() || !facts.alignment) return facts;
  facts.data_begin = pad_to_multiple(file.directory_end, *facts.alignment);
  if (!facts.data_begin) return facts;
  derive_layout(facts);
  settle_dialect(facts);
  return facts;
}

}  // namespace ggufvet
