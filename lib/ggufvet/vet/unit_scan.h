// Scans one unit of a tensor and keeps what was found of its tensor. Internal to the vet layer.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "ggufvet/rules/payload.h"
#include "ggufvet/types/block_scan.h"
#include "ggufvet/vet/scan_units.h"

namespace ggufvet {

// What to look at in tensors of one layout.
struct LayoutScan {
  LayoutScan(const TypeLayout& layout, ByteOrder order);

  BlockScan blocks;         // extremes included
  BlockScan blocks_strict;  // and not
  BlockScan row_header;
  BlockScan trailer;

  // False when nothing is known of what the bytes mean, so that only zeros and repetition can be told.
  [[nodiscard]] bool documented() const { return documented_ || judges(); }
  [[nodiscard]] bool judges() const { return blocks.judges() || row_header.judges() || trailer.judges(); }

 private:
  bool documented_;
};

// Those of a model's layouts, made before threads begin.
class LayoutScans {
 public:
  LayoutScans(const std::vector<TensorGeometry>& tensors, ByteOrder order);
  [[nodiscard]] const LayoutScan& of(const TypeLayout& layout) const;

 private:
  std::vector<std::unique_ptr<LayoutScan>> scans_;  // by place in layouts()
};

// Faults of one tensor, or of one unit of it.
class PayloadTally {
 public:
  void add(PayloadFault fault, const PayloadPlace& place);
  // Units may arrive in any order.
  void merge(const PayloadTally& unit);
  void note_bytes(std::uint64_t begin, std::uint64_t nonzero_end, bool repeats,
                  std::uint64_t first_block_hash);
  void append_to(std::vector<PayloadSubject>& found, std::uint32_t tensor) const;

  [[nodiscard]] std::uint64_t nonzero_end() const { return nonzero_end_; }
  [[nodiscard]] bool repeats() const { return repeats_; }

 private:
  struct Entry {
    std::uint64_t count = 0;
    std::array<PayloadPlace, PayloadSubject::kPlacesMax> first{};
  };
  std::array<std::unique_ptr<Entry>, kPayloadFaultCount> entries_;
  std::uint64_t nonzero_end_ = 0;  // relative to the tensor, of the last byte that is not zero
  bool seen_ = false;
  bool repeats_ = true;
  std::uint64_t block_hash_ = 0;
};

class UnitScanner {
 public:
  UnitScanner(const ModelFacts& facts, const LayoutScans& scans) : facts_(facts), scans_(scans) {}

  // bytes: a part of the unit that splits no block and no header, parts in order. `begin` is relative to the
  // tensor.
  void scan(const TensorGeometry& tensor, std::uint64_t begin, std::span<const std::byte> bytes,
            PayloadTally& tally);

 private:
  void scan_blocks(const LayoutScan& scan, std::uint64_t begin, std::span<const std::byte> bytes);
  void scan_rows(const LayoutScan& scan, std::uint64_t begin, std::span<const std::byte> bytes);
  void examine(const BlockScan& scan, std::uint64_t begin, std::span<const std::byte> bytes);
  [[nodiscard]] PayloadPlace place_of(const FaultSpot& spot, std::uint64_t begin, bool in_blocks) const;

  friend class TallyVisitor;

  const ModelFacts& facts_;
  const LayoutScans& scans_;
  const TensorGeometry* tensor_ = nullptr;
  PayloadTally* tally_ = nullptr;
  bool strict_ = false;
};

// Faults that only a whole tensor can have, told from the merged tally of its units.
void judge_whole(const TensorGeometry& tensor, const ModelFacts& facts, PayloadTally& tally);

}  // namespace ggufvet
