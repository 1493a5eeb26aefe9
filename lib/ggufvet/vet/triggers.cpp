#include "ggufvet/vet/triggers.h"

#include <algorithm>

#include "ggufvet/base/checked.h"
#include "ggufvet/base/text.h"

namespace ggufvet {
namespace {

// No rule objects to the length of a key below this, nor to that of a name below the other.
constexpr std::size_t kKeyBytesOrdinary = 256;
constexpr std::size_t kNameBytesOrdinary = 63;

[[nodiscard]] bool is_ordinary_shape(const TensorEntry& entry) {
  // A dimension that is missing counts as 1; 0 wraps around to the largest number.
  return entry.rank != 0 && std::all_of(entry.shape.begin(), entry.shape.end(),
                                        [](std::uint64_t dimension) { return dimension - 1 < kSignedMax; });
}

// Where it should be, and inside the file as far as that can be told for all tensors at once.
[[nodiscard]] bool is_ordinary_place(const TensorSubject& subject, const ModelFacts& facts) {
  if (subject.facts.offset_problem != OffsetProblem::none || subject.facts.end_overflows) return false;
  if (facts.outside_count != 0) return false;
  if (!facts.data_begin) return true;
  return is_power_of_two(*facts.alignment) && (subject.entry.offset & (*facts.alignment - 1)) == 0;
}

}  // namespace

Triggers triggers_of(RuleId rule) {
  switch (rule.number) {
    case 1201:  // key-empty
    case 1202:  // key-too-long
    case 1204:  // key-not-utf8
    case 1205:  // key-unprintable
    case 1206:  // key-outside-alphabet
      return kUnusualKey;
    case 1210:  // array-nested
    case 1211:  // array-empty
      return kUnusualArray;
    case 1212:  // bool-not-0-or-1
      return kUnusualBool;
    case 1213:  // string-not-utf8
    case 1214:  // string-has-nul
      return kUnusualText;
    case 1301:  // alignment-…
    case 1302:
    case 1303:
    case 1304:
    case 1305:
    case 1306:
      return kAlignmentPair;
    case 2509:  // dialect-hint-file-type
    case 2510:  // dialect-hint-writer
      return kDialectAsked;
    case 2001:  // tensor-name-empty
    case 2002:  // tensor-name-too-long
    case 2003:  // tensor-name-of-64-bytes
    case 2005:  // tensor-name-not-utf8
    case 2006:  // tensor-name-unprintable
      return kUnusualName;
    case 2010:  // tensor-rank-zero
    case 2011:  // tensor-dimension-zero
    case 2012:  // tensor-dimension-too-large
      return kUnusualShape;
    case 2013:  // tensor-elements-overflow
    case 2014:  // tensor-bytes-overflow
    case 2015:  // tensor-row-not-whole-blocks
    case 2016:  // tensor-bytes-above-signed
    case 2017:  // tensor-elements-overflow-beside-zero
      return kUnusualSize;
    case 2020:  // type-id-negative
      return kUnusualTypeId;
    case 2101:  // tensor-offset-misaligned
    case 2102:  // tensor-data-overlap
    case 2103:  // tensor-offset-out-of-order
    case 2104:  // tensor-offset-gap
    case 2105:  // tensor-end-overflows
    case 2109:  // tensor-data-outside-file
    case 2506:  // tensor-rows-without-headers
      return kUnusualPlace;
    case 3600:  // split-key-wrong-type
    case 3605:  // split-keys-old
    case 3610:  // split-key-type-tolerated
    case 3702:  // chat-template-large
    case 3742:  // chat-template-empty
      return kSplitOrTemplateKey;
    default:
      return kAlways;
  }
}

Triggers triggers_of(const PairSubject& subject, const ModelFacts& facts) {
  const MetadataPair& pair = subject.pair;
  Triggers triggers = kAlways;
  if (pair.key.empty() || pair.key.size() >= kKeyBytesOrdinary || !has_key_characters_only(pair.key))
    triggers |= kUnusualKey;
  if (pair.depth > 1 || (pair.depth == 1 && pair.bits == 0)) triggers |= kUnusualArray;
  if (pair.bool_out_of_range) triggers |= kUnusualBool;
  if (pair.text_invalid_utf8 || pair.text_has_nul) triggers |= kUnusualText;
  if (facts.file.alignment_pair == subject.index) triggers |= kAlignmentPair;
  if (facts.dialects.asked) triggers |= kDialectAsked;
  if (pair.key.starts_with("split.") || pair.key.starts_with("general.split") || is_template_key(pair.key))
    triggers |= kSplitOrTemplateKey;
  return triggers;
}

Triggers triggers_of(const TensorSubject& subject, const ModelFacts& facts) {
  const TensorEntry& entry = subject.entry;
  Triggers triggers = kAlways;
  if (entry.name.empty() || entry.name.size() > kNameBytesOrdinary || !is_graphic_ascii(entry.name))
    triggers |= kUnusualName;
  if (!is_ordinary_shape(entry)) triggers |= kUnusualShape;
  if (subject.facts.size_problem != SizeProblem::none) triggers |= kUnusualSize;
  if (entry.type_id > 0x7FFFFFFF) triggers |= kUnusualTypeId;
  if (!is_ordinary_place(subject, facts)) triggers |= kUnusualPlace;
  return triggers;
}

}  // namespace ggufvet
