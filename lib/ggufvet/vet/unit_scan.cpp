#include "ggufvet/vet/unit_scan.h"

#include <algorithm>
#include <cstring>

#include "ggufvet/base/duplicates.h"
#include "ggufvet/base/text.h"
#include "ggufvet/types/type_registry.h"

namespace ggufvet {
namespace {

// What is examined once something in it is suspect; also how much is looked at before the next part is
// touched.
constexpr std::uint64_t kTileBytes = 16 << 10;
// Below this nobody should wonder about zeros; it is also a page, the smallest piece a download leaves out.
constexpr std::uint64_t kZeroBytesMin = 4096;

[[nodiscard]] std::uint64_t place_in_layouts(const TypeLayout& layout) {
  return static_cast<std::uint64_t>(&layout - layouts().data());
}

// End of the last byte that is not zero; 0 when all are.
[[nodiscard]] std::size_t nonzero_end(std::span<const std::byte> bytes) {
  std::size_t end = bytes.size();
  while (end >= 64) {
    std::array<std::uint64_t, 8> words{};
    std::memcpy(words.data(), bytes.data() + end - 64, 64);
    std::uint64_t any = 0;
    for (const std::uint64_t word : words) any |= word;
    if (any != 0) break;
    end -= 64;
  }
  while (end > 0 && bytes[end - 1] == std::byte{0}) --end;
  return end;
}

}  // namespace

LayoutScan::LayoutScan(const TypeLayout& layout, ByteOrder order)
    : blocks(layout.formula == SizeFormula::none ? block_shape(layout) : body_shape(layout), order, true),
      blocks_strict(blocks.shape(), order, false),
      row_header(row_header_shape(layout), order, true),
      trailer(trailer_shape(layout), order, true),
      documented_(!layout.fields.empty()) {}

LayoutScans::LayoutScans(const std::vector<TensorGeometry>& tensors, ByteOrder order)
    : scans_(layouts().size()) {
  for (const TensorGeometry& tensor : tensors) {
    auto& scan = scans_[place_in_layouts(*tensor.layout)];
    if (!scan) scan = std::make_unique<LayoutScan>(*tensor.layout, order);
  }
}

const LayoutScan& LayoutScans::of(const TypeLayout& layout) const {
  return *scans_[place_in_layouts(layout)];
}

void PayloadTally::add(PayloadFault fault, const PayloadPlace& place) {
  auto& entry = entries_[static_cast<std::size_t>(fault)];
  if (!entry) entry = std::make_unique<Entry>();
  if (entry->count < PayloadSubject::kPlacesMax) entry->first[static_cast<std::size_t>(entry->count)] = place;
  ++entry->count;
}

void PayloadTally::merge(const PayloadTally& unit) {
  for (std::size_t fault = 0; fault < kPayloadFaultCount; ++fault) {
    const auto& theirs = unit.entries_[fault];
    if (!theirs) continue;
    auto& ours = entries_[fault];
    if (!ours) {
      ours = std::make_unique<Entry>(*theirs);
      continue;
    }
    const auto held = [](const Entry& entry) {
      return static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(entry.count, PayloadSubject::kPlacesMax));
    };
    const Entry before = *ours;
    std::array<PayloadPlace, 2 * PayloadSubject::kPlacesMax> both{};
    std::merge(before.first.begin(), before.first.begin() + held(before), theirs->first.begin(),
               theirs->first.begin() + held(*theirs), both.begin(),
               [](const PayloadPlace& a, const PayloadPlace& b) { return a.where.begin < b.where.begin; });
    std::copy_n(both.begin(), PayloadSubject::kPlacesMax, ours->first.begin());
    ours->count += theirs->count;
  }
  note_bytes(0, unit.nonzero_end_, unit.repeats_, unit.block_hash_);
}

void PayloadTally::note_bytes(std::uint64_t begin, std::uint64_t nonzero_end, bool repeats,
                              std::uint64_t first_block_hash) {
  if (nonzero_end > 0) nonzero_end_ = std::max(nonzero_end_, begin + nonzero_end);
  repeats_ = repeats_ && repeats && (!seen_ || first_block_hash == block_hash_);
  block_hash_ = first_block_hash;
  seen_ = true;
}

void PayloadTally::append_to(std::vector<PayloadSubject>& found, std::uint32_t tensor) const {
  for (std::size_t fault = 0; fault < kPayloadFaultCount; ++fault)
    if (entries_[fault])
      found.push_back(
          {tensor, static_cast<PayloadFault>(fault), entries_[fault]->count, entries_[fault]->first});
}

// Turns spots in what was examined into places in the tensor.
class TallyVisitor final : public FaultVisitor {
 public:
  TallyVisitor(const UnitScanner& scanner, std::uint64_t begin, bool in_blocks, PayloadTally& tally)
      : scanner_(scanner), begin_(begin), in_blocks_(in_blocks), tally_(tally) {}

  void visit(const FaultSpot& spot) override {
    saw_extreme_ |= spot.fault == PayloadFault::extreme;
    tally_.add(spot.fault, scanner_.place_of(spot, begin_, in_blocks_));
  }
  [[nodiscard]] bool saw_extreme() const { return saw_extreme_; }

 private:
  const UnitScanner& scanner_;
  std::uint64_t begin_;
  bool in_blocks_;
  PayloadTally& tally_;
  bool saw_extreme_ = false;
};

PayloadPlace UnitScanner::place_of(const FaultSpot& spot, std::uint64_t begin, bool in_blocks) const {
  const TensorGeometry& tensor = *tensor_;
  const std::uint64_t block_elements = scans_.of(*tensor.layout).blocks.shape().block_elements;
  PayloadPlace place;
  const std::uint64_t at = tensor.where.begin + begin + spot.at;
  place.where = {at, at + spot.bytes};
  const std::uint64_t row = tensor.header_bytes != 0 ? begin / tensor.row_bytes : 0;
  const std::uint64_t row_begin = row * tensor.row_bytes + tensor.header_bytes;
  const std::uint64_t first = row * (block_elements == 0 ? 0 : tensor.row_elements / block_elements);
  if (in_blocks) {
    place.block = first + (begin - row_begin) / tensor.block_bytes + spot.block;
    place.element =
        row * tensor.row_elements + (begin - row_begin) / tensor.block_bytes * block_elements + spot.element;
  } else {
    place.block = first;
    place.element = row * tensor.row_elements;
  }
  const auto& shape = facts_.file.tensors[tensor.tensor].shape;
  if (shape[2] > 1) place.expert = place.element / (shape[0] * shape[1]) % shape[2];
  return place;
}

void UnitScanner::examine(const BlockScan& scan, std::uint64_t begin, std::span<const std::byte> bytes) {
  TallyVisitor visitor(*this, begin, true, *tally_);
  scan.examine(bytes, visitor);
  // Extremes are worth a remark, not a slow walk over a tensor full of them.
  strict_ |= visitor.saw_extreme();
}

void UnitScanner::scan_blocks(const LayoutScan& scan, std::uint64_t begin, std::span<const std::byte> bytes) {
  const std::uint64_t block = tensor_->block_bytes;
  const std::uint64_t tile = std::max(kTileBytes / block, std::uint64_t{1}) * block;
  const std::uint64_t end = bytes.size() / block * block;
  for (std::uint64_t at = 0; at < end; at += tile) {
    const auto part = bytes.subspan(at, std::min(tile, end - at));
    const BlockScan& used = strict_ ? scan.blocks_strict : scan.blocks;
    if (used.suspects(part)) examine(used, begin + at, part);
  }
}

void UnitScanner::scan_rows(const LayoutScan& scan, std::uint64_t begin, std::span<const std::byte> bytes) {
  const std::uint64_t end = begin + bytes.size();
  for (std::uint64_t at = begin; at < end;) {
    const std::uint64_t row_begin = at / tensor_->row_bytes * tensor_->row_bytes;
    const std::uint64_t row_end = std::min(row_begin + tensor_->row_bytes, end);
    const std::uint64_t body = row_begin + tensor_->header_bytes;
    if (at == row_begin && body <= end) {
      TallyVisitor visitor(*this, at, false, *tally_);
      scan.row_header.examine(bytes.subspan(at - begin, tensor_->header_bytes), visitor);
    }
    at = std::max(at, body);
    if (at < row_end) scan_blocks(scan, at, bytes.subspan(at - begin, row_end - at));
    at = row_end;
  }
}

void UnitScanner::scan(const TensorGeometry& tensor, std::uint64_t begin, std::span<const std::byte> bytes,
                       PayloadTally& tally) {
  tensor_ = &tensor;
  tally_ = &tally;
  strict_ = false;
  const LayoutScan& scan = scans_.of(*tensor.layout);
  const std::uint64_t body_end = std::min(tensor.body_bytes, begin + bytes.size());
  const auto body = begin < body_end ? bytes.first(body_end - begin) : bytes.first(0);
  if (scan.blocks.judges() || scan.row_header.judges()) {
    if (tensor.header_bytes != 0)
      scan_rows(scan, begin, body);
    else
      scan_blocks(scan, begin, body);
  }
  if (scan.trailer.judges() && tensor.whole() && begin + bytes.size() == tensor.bytes &&
      bytes.size() >= tensor.bytes - tensor.body_bytes) {
    TallyVisitor visitor(*this, tensor.body_bytes, false, tally);
    scan.trailer.examine(bytes.subspan(tensor.body_bytes - begin), visitor);
  }
  const std::uint64_t block = std::min<std::uint64_t>(tensor.block_bytes, body.size());
  const auto ahead = body.subspan(block);
  const bool repeats = tensor.header_bytes == 0 && std::memcmp(body.data(), ahead.data(), ahead.size()) == 0;
  tally.note_bytes(begin, nonzero_end(body), repeats, repeats ? hash_text(as_text(body.first(block))) : 0);
}

void judge_whole(const TensorGeometry& tensor, const ModelFacts& facts, PayloadTally& tally) {
  const ByteRange where = tensor.where;
  // A vector of zeros or ones is an ordinary bias or norm.
  if (tensor.rows < 2 || tensor.body_bytes < kZeroBytesMin || !tensor.whole()) return;
  if (tally.nonzero_end() == 0) return tally.add(PayloadFault::all_zero, {.where = where});
  if (tally.repeats()) return tally.add(PayloadFault::block_repeated, {.where = where});
  const std::uint64_t zeros = tensor.body_bytes - tally.nonzero_end();
  if (zeros < kZeroBytesMin || tensor.row_bytes == 0) return;
  // Rows of zeros pad a vocabulary; what is cut off stops inside of one. Zeros that end a row's last block
  // are its own.
  const std::uint64_t into_row = tally.nonzero_end() % tensor.row_bytes;
  const bool padding_rows = into_row == 0 || tensor.row_bytes - into_row <= tensor.block_bytes + 64;
  if (padding_rows) return;
  const std::uint64_t elements = facts.file.tensors[tensor.tensor].shape[0];
  const std::uint64_t rows_before = tally.nonzero_end() / tensor.row_bytes;
  tally.add(PayloadFault::zero_tail,
            {.where = {where.begin + tally.nonzero_end(), where.begin + tensor.body_bytes},
             .block = tally.nonzero_end() / tensor.block_bytes,
             .element = rows_before * elements});
}

}  // namespace ggufvet
