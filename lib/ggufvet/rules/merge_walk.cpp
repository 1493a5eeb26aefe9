#include "ggufvet/rules/merge_walk.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include "ggufvet/base/blanks.h"
#include "ggufvet/base/text.h"
#include "ggufvet/read/array_reader.h"

namespace ggufvet {
namespace {

// Where a merge is cut: at its first blank behind the first character, as mainline does.
struct Cut {
  std::size_t at = 0;
  bool has_parts = false;
  bool several = false;  // blanks at which it could be cut
};

[[nodiscard]] Cut cut_of(std::string_view merge) {
  Cut cut;
  const std::size_t first = merge.size() < 2 ? std::string_view::npos : merge.find(' ', 1);
  if (first == std::string_view::npos || first + 1 == merge.size()) return cut;
  return {first, true, merge.find(' ', first + 1) != std::string_view::npos};
}

// Looks up merges' parts, and what they make, some merges later than it is told of them: the table is far
// from the processor, and the way to it is walked meanwhile.
class MergeLookUp {
 public:
  MergeLookUp(const TokenSet& tokens, VocabularyFacts& facts) : tokens_(tokens), facts_(facts) {}

  // `readable`: as TextHash takes it.
  void add(std::uint64_t index, std::string_view merge, std::size_t cut, std::uint64_t readable,
           ByteRange where) {
    ++facts_.merges_looked_up;
    if (merge.size() > kMergeBytesMax) return;
    const std::string_view left = merge.substr(0, cut);
    const std::string_view right = merge.substr(cut + 1);
    std::array<char, kMergeBytesMax> joined;
    std::memcpy(joined.data(), left.data(), left.size());
    std::memcpy(joined.data() + left.size(), right.data(), right.size());
    const TextHash& hash = tokens_.hash();
    Merge& place = ahead_[added_ % ahead_.size()];
    if (added_++ >= ahead_.size()) look_up(place);
    place = {index, where,
             std::array{hash(left, readable), hash(right, readable - cut - 1),
                        hash({joined.data(), left.size() + right.size()}, joined.size())}};
    for (const std::uint64_t part : place.parts) tokens_.prefetch(part);
  }
  // After the last.
  void finish() {
    for (std::uint64_t left = std::min<std::uint64_t>(added_, ahead_.size()); left > 0; --left)
      look_up(ahead_[(added_ - left) % ahead_.size()]);
  }

 private:
  struct Merge {
    std::uint64_t index = 0;
    ByteRange where;
    std::array<std::uint64_t, 3> parts{};  // hashes of left, right and both
  };

  void look_up(const Merge& merge) {
    const bool known = std::all_of(merge.parts.begin(), merge.parts.end(),
                                   [this](std::uint64_t part) { return tokens_.seen().contains(part); });
    if (!known) facts_.merge_part_unknown.note(merge.index, merge.where);
  }

  const TokenSet& tokens_;
  VocabularyFacts& facts_;
  std::array<Merge, 16> ahead_{};
  std::uint64_t added_ = 0;
};

// Whether a merge of 1 to 31 bytes has exactly one blank behind its first character and before its last.
// Nearly all are like that, and it is seen without a branch that depends on where the blank stands: half a
// million of those would be guessed wrongly. 32 bytes are there to be read.
[[nodiscard]] inline bool is_plain(std::string_view merge) {
  const std::uint32_t blanks = blanks_of_32(as_bytes(merge).data()) & ~std::uint32_t{1};
  // The last character at the top bit, what is behind it gone.
  const auto inner = static_cast<std::int32_t>(blanks << (32 - merge.size()));
  return inner > 0 && (inner & (inner - 1)) == 0;
}

template <ByteOrder kOrder>
class MergeWalk {
 public:
  MergeWalk(const FileModel& file, const TokenSet& tokens, VocabularyFacts& facts)
      : facts_(facts),
        look_up_(tokens, facts),
        walk_(file, *facts.pairs.merges),
        stride_(std::max<std::uint64_t>(1, facts.pairs.merges->bits / kMergesLookedUpMax)) {}

  void run() {
    std::string_view text;
    StringWalk<kOrder> walk = walk_;  // a local of its own stays in registers
    while (walk.template next<kPlainReadable>(text)) {
      const bool is_short = text.size() - 1 < kPlainReadable - 1;
      if (is_short && is_plain(text) && walk.count() <= next_looked_up_) [[likely]]
        continue;
      walk_ = walk;
      note(text);
    }
    for (walk_ = walk; walk_.next(text);) note(text);  // at the end of the window
    look_up_.finish();
  }

 private:
  static constexpr std::uint64_t kPlainReadable = 32;

  void note(std::string_view text) {
    const std::uint64_t index = walk_.count() - 1;
    const Cut cut = cut_of(text);
    if (!cut.has_parts) return facts_.merge_without_separator.note(index, walk_.range(text));
    if (cut.several) facts_.merge_with_several.note(index, walk_.range(text));
    if (index < next_looked_up_) return;
    next_looked_up_ = index + stride_;
    look_up_.add(index, text, cut.at, walk_.readable(text), walk_.range(text));
  }

  VocabularyFacts& facts_;
  MergeLookUp look_up_;
  StringWalk<kOrder> walk_;
  std::uint64_t stride_;
  std::uint64_t next_looked_up_ = 0;
};

}  // namespace

void walk_merges(const FileModel& file, const TokenSet& tokens, VocabularyFacts& facts) {
  if (file.header.byte_order == ByteOrder::little)
    MergeWalk<ByteOrder::little>(file, tokens, facts).run();
  else
    MergeWalk<ByteOrder::big>(file, tokens, facts).run();
}

}  // namespace ggufvet
