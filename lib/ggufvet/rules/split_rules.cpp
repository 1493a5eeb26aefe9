// What can be wrong with a split set: first what one shard shows, then what all of them show together.
#include <algorithm>

#include "ggufvet/rules/meaning_levels.h"
#include "ggufvet/rules/rule_families.h"
#include "ggufvet/rules/split_keys.h"
#include "ggufvet/rules/split_set_facts.h"

namespace ggufvet {
namespace {

constexpr std::string_view kSplitAgain =
    "Fetch all shards again from one place and one revision. A publisher splits the whole model again with a "
    "current "
    "tool.";
constexpr std::string_view kWhoSplits =
    "Read by llama.cpp's model loader, written by llama-gguf-split and gguf-py; the container reader does "
    "not look.";

[[nodiscard]] std::optional<std::uint64_t> shard_count(const SplitKeys& keys) {
  const auto count = whole_number(keys.count);
  return count && *count > 1 ? count : std::nullopt;
}

void check_number_missing(const ModelFacts& facts, const Raise& raise) {
  const SplitKeys keys = find_split_keys(facts.file);
  if (const auto count = shard_count(keys);
      count && keys.number == nullptr && facts.file.stage > ReadStage::metadata)
    raise(keys.count->key_field(), *count);
}

void check_total_missing(const ModelFacts& facts, const Raise& raise) {
  const SplitKeys keys = find_split_keys(facts.file);
  if (const auto count = shard_count(keys);
      count && keys.tensor_total == nullptr && facts.file.stage > ReadStage::metadata)
    raise(keys.count->key_field(), *count);
}

void check_number_outside(const ModelFacts& facts, const Raise& raise) {
  const SplitKeys keys = find_split_keys(facts.file);
  const auto number = whole_number(keys.number);
  const auto count = whole_number(keys.count);
  // A count of 0 stands in files that were merged again, whose number is 0.
  if (number && count && *number >= std::max<std::uint64_t>(*count, 1))
    raise(keys.number->value_field(), *number, *count);
}

void check_total_impossible(const ModelFacts& facts, const Raise& raise) {
  const SplitKeys keys = find_split_keys(facts.file);
  const auto total = whole_number(keys.tensor_total);
  if (keys.is_shard() && total && *total < facts.file.header.tensor_count)
    raise(keys.tensor_total->value_field(), *total, facts.file.header.tensor_count);
}

[[nodiscard]] bool is_later_shard(const ModelFacts& facts) {
  const SplitKeys keys = find_split_keys(facts.file);
  return keys.is_shard() && whole_number(keys.number).value_or(0) > 0;
}

void check_later_alone(const ModelFacts& facts, const Raise& raise) {
  if (facts.in_split_set || !is_later_shard(facts)) return;
  const SplitKeys keys = find_split_keys(facts.file);
  raise(keys.number->value_field(), *whole_number(keys.number) + 1, *whole_number(keys.count));
}

void check_first_alone(const ModelFacts& facts, const Raise& raise) {
  const SplitKeys keys = find_split_keys(facts.file);
  const bool name_is_other = !facts.file_name.empty() && !parse_shard_name(facts.file_name);
  if (facts.in_split_set || name_is_other || !keys.is_shard() || whole_number(keys.number) != 0) return;
  raise(keys.count->value_field(), *whole_number(keys.count));
}

void check_name_without_pattern(const ModelFacts& facts, const Raise& raise) {
  const SplitKeys keys = find_split_keys(facts.file);
  if (facts.file_name.empty() || !keys.is_shard() || is_later_shard(facts)) return;
  if (!parse_shard_name(facts.file_name)) raise(keys.count->value_field(), *whole_number(keys.count));
}

void check_raw_part(const ModelFacts& facts, const Raise& raise) {
  const bool broken = facts.file.stop.reason != StopReason::none || facts.outside_count > 0;
  const std::uint64_t magic_end = std::min(facts.file.file_bytes, Header::magic_field.end);
  if (broken && is_raw_part_name(facts.file_name)) raise({0, magic_end});
}

void check_old_key(const PairSubject& subject, const ModelFacts&, const Raise& raise) {
  constexpr std::array<std::string_view, 4> kOld{"general.split", "general.split_no", "general.split_count",
                                                 "general.split_tensors_count"};
  if (std::find(kOld.begin(), kOld.end(), subject.pair.key) != kOld.end()) raise(subject.pair.key_field());
}

// What llama.cpp asks for.
[[nodiscard]] std::optional<ValueType> wanted_type(std::string_view key) {
  if (key == kSplitNumberKey || key == kSplitCountKey) return ValueType::u16;
  return key == kSplitTensorTotalKey ? std::optional(ValueType::i32) : std::nullopt;
}

[[nodiscard]] bool is_integer(const MetadataPair& pair) {
  constexpr std::array kIntegers{ValueType::u8,  ValueType::i8,  ValueType::u16, ValueType::i16,
                                 ValueType::u32, ValueType::i32, ValueType::u64, ValueType::i64};
  return std::any_of(kIntegers.begin(), kIntegers.end(), [&pair](ValueType type) { return pair.is(type); });
}

void check_key_type(const PairSubject& subject, const ModelFacts&, const Raise& raise) {
  const auto wanted = wanted_type(subject.pair.key);
  if (wanted && !is_integer(subject.pair))
    raise(subject.pair.type_field(), subject.pair.type_id, static_cast<std::uint64_t>(*wanted));
}

void check_key_tolerated(const PairSubject& subject, const ModelFacts&, const Raise& raise) {
  const auto wanted = wanted_type(subject.pair.key);
  if (wanted && is_integer(subject.pair) && !subject.pair.is(*wanted))
    raise(subject.pair.type_field(), subject.pair.type_id, static_cast<std::uint64_t>(*wanted));
}

// ---- the set as one

// Where a shard is blamed as a whole: at its split.count, else at its first bytes.
[[nodiscard]] ByteRange place_of(const ShardFacts& shard) {
  return shard.in_set(shard.keys.count != nullptr ? shard.keys.count->value_field() : Header::magic_field);
}

void check_shard_missing(const SplitSetFacts& set, const Raise& raise) {
  if (set.missing_count > 0) raise(place_of(set.first()), set.missing_first, set.count, set.missing_count);
}

void check_number_against_name(const SplitSetFacts& set, const Raise& raise) {
  for (const ShardFacts& shard : set.shards) {
    const auto number = whole_number(shard.keys.number);
    if (!shard.name || !number || *number + 1 == shard.name->number) continue;
    raise(shard.in_set(shard.keys.number->value_field()), *number, shard.name->number);
  }
}

void check_keys_missing(const SplitSetFacts& set, const Raise& raise) {
  for (const ShardFacts& shard : set.shards)
    if (shard.model->file.complete() && !shard.keys.is_shard() && set.count > 1)
      raise(place_of(shard), set.count);
}

void check_count_against_name(const SplitSetFacts& set, const Raise& raise) {
  const ShardFacts& first = set.first();
  if (const auto count = shard_count(first.keys); count && *count != set.count)
    raise(first.in_set(first.keys.count->value_field()), *count, set.count);
}

// The later shards' value of a key against the first one's.
void compare_with_first(const SplitSetFacts& set, const MetadataPair* SplitKeys::*key, const Raise& raise) {
  const ShardFacts& first = set.first();
  const auto expected = whole_number(first.keys.*key);
  if (!expected) return;
  for (const ShardFacts& shard : set.shards) {
    const auto value = whole_number(shard.keys.*key);
    if (value && *value != *expected)
      raise.with_related(shard.in_set((shard.keys.*key)->value_field()),
                         first.in_set((first.keys.*key)->value_field()), *value, *expected);
  }
}

void check_counts_disagree(const SplitSetFacts& set, const Raise& raise) {
  compare_with_first(set, &SplitKeys::count, raise);
}

void check_totals_disagree(const SplitSetFacts& set, const Raise& raise) {
  compare_with_first(set, &SplitKeys::tensor_total, raise);
}

void check_total_wrong(const SplitSetFacts& set, const Raise& raise) {
  const ShardFacts& first = set.first();
  const auto total = whole_number(first.keys.tensor_total);
  if (set.merged_is_model && total && *total != set.tensor_count)
    raise(first.in_set(first.keys.tensor_total->value_field()), *total, set.tensor_count);
}

void check_tensor_twice(const SplitSetFacts& set, const Raise& raise) {
  for (const DuplicatePair& pair : set.repeated_names)
    raise.with_related(set.merged.tensors[pair.again].name_field(),
                       set.merged.tensors[pair.first].name_field());
}

enum class KeyTrouble : std::uint8_t { architecture, other, unread };

template <KeyTrouble kTrouble>
void check_later_keys(const SplitSetFacts& set, const Raise& raise) {
  for (const SharedKey& shared : set.later_keys) {
    const ShardFacts& shard = set.shards[shared.shard];
    const MetadataPair& pair = shard.model->file.pairs[shared.pair];
    const KeyTrouble trouble = !shared.in_first                     ? KeyTrouble::unread
                               : pair.key == "general.architecture" ? KeyTrouble::architecture
                                                                    : KeyTrouble::other;
    if (trouble != kTrouble) continue;
    const ByteRange related =
        shared.in_first ? set.first().in_set(set.first().model->file.pairs[*shared.in_first].value_field())
                        : ByteRange{};
    raise.with_related(shard.in_set(pair.key_field()), related);
  }
}

void check_headers_differ(const SplitSetFacts& set, const Raise& raise) {
  const Header& first = set.first().model->file.header;
  for (const ShardFacts& shard : set.shards) {
    const Header& header = shard.model->file.header;
    const bool read =
        shard.model->file.stage != ReadStage::header && set.first().model->file.stage != ReadStage::header;
    if (read && (header.version != first.version || header.byte_order != first.byte_order))
      raise(shard.in_set(Header::version_field), header.version, first.version);
  }
}

void check_opened_later(const SplitSetFacts& set, const Raise& raise) {
  if (set.opened > 0 && set.missing_first != 1)
    raise(place_of(set.shards[set.opened]), set.opened + std::uint64_t{1});
}

constexpr Rule kRows[] = {
    {.id = {3600},
     .slug = "split-key-wrong-type",
     .stage = Stage::meaning,
     .levels = kLoadError,
     .text = "a key of the split set is of type {0:value_type}; it must be {1:value_type}",
     .why = "Loaders that ask for a number refuse the file, or stop with an error of their own.",
     .advice = kSplitAgain,
     .sources =
         "llama-gguf-split and gguf-py write split.no and split.count as u16 and split.tensors.count as i32.",
     .check_pair = check_key_type},
    {.id = {3601},
     .slug = "split-number-missing",
     .stage = Stage::meaning,
     .levels = kLoadError,
     .text = "split.count says {0} shards, and split.no, which says which one this is, is missing",
     .why = "Loaders ask for it and refuse the file.",
     .advice = kSplitAgain,
     .sources = kWhoSplits,
     .check_file = check_number_missing},
    {.id = {3602},
     .slug = "split-tensor-total-missing",
     .stage = Stage::meaning,
     .levels = kLoadError,
     .text = "split.count says {0} shards, and split.tensors.count is missing",
     .why = "Without it a loader cannot tell whether it has all tensors; llama.cpp refuses the set.",
     .advice = kSplitAgain,
     .sources = kWhoSplits,
     .check_file = check_total_missing},
    {.id = {3603},
     .slug = "split-number-outside",
     .stage = Stage::meaning,
     .levels = kLoadError,
     .text = "split.no is {0}, and split.count is {1}; numbers begin with 0",
     .why = "No set has such a shard.",
     .advice = kSplitAgain,
     .sources = "File names count from 1, split.no from 0. A merged file keeps its keys with a count of 0.",
     .check_file = check_number_outside},
    {.id = {3604},
     .slug = "split-tensor-total-impossible",
     .stage = Stage::meaning,
     .levels = kLoadError,
     .text = "split.tensors.count is {0} for the whole set, and this shard alone has {1} tensors",
     .why = "The shards come from different splits, and a loader refuses them.",
     .advice = kSplitAgain,
     .sources = kWhoSplits,
     .check_file = check_total_impossible},
    {.id = {3605},
     .slug = "split-keys-old",
     .stage = Stage::meaning,
     .levels = kPublishError,
     .text = "the key {text} was written by splitters before their release; loaders do not know it",
     .why = "The file is loaded as if it were the whole model, and its tensors are missing.",
     .advice =
         "Merge the shards with the splitter that made them, then split again with a current one; or fetch a "
         "newer file.",
     .sources =
         "llama.cpp's splitter of March 2024, in its first week; the keys became split.no, split.count and "
         "split.tensors.count.",
     .check_pair = check_old_key},
    {.id = {3606},
     .slug = "split-later-shard-alone",
     .stage = Stage::meaning,
     .levels = {.spec = Severity::off,
                .hardened = Severity::error,
                .publish = Severity::off,
                .ggml = Severity::off},
     .text = "this is shard {0} of {1}: a loader must be given the first one",
     .why = "The model's metadata stands in the first shard; a loader that is given another one refuses it.",
     .advice = "Open the file whose name ends in -00001-of-… ; all shards must lie in one folder. To look at "
               "this shard "
               "alone, that is all there is to say.",
     .sources = "As one file of an upload it is what it should be, so `publish` does not mind; handed to a "
                "loader, it is "
                "refused.",
     .check_file = check_later_alone},
    {.id = {3607},
     .slug = "split-first-shard-alone",
     .stage = Stage::meaning,
     .levels =
         {.spec = Severity::off, .hardened = Severity::info, .publish = Severity::off, .ggml = Severity::off},
     .text = "this is the first of {0} shards; the others were not looked at",
     .why = "Whether the model is whole cannot be told from one shard.",
     .advice = "Give `check` the file by its name, with all shards in one folder.",
     .check_file = check_first_alone},
    {.id = {3608},
     .slug = "split-name-without-pattern",
     .stage = Stage::meaning,
     .levels = kLoadError,
     .text = "this is the first of {0} shards, and its name does not end in -00001-of-…: the others cannot "
             "be found",
     .why = "Loaders make the names of the other shards from the first one's; llama.cpp refuses such a name. "
            "Shards that "
            "were joined with `cat` look like this as well.",
     .advice =
         "Give the file its name back: <name>-00001-of-<count>.gguf, five digits each. If it was joined from "
         "several, fetch the shards again or merge them with a tool that knows the format.",
     .sources = kWhoSplits,
     .check_file = check_name_without_pattern},
    {.id = {3609},
     .slug = "split-raw-part",
     .stage = Stage::meaning,
     .levels = kWarning,
     .text = "by its name this is one of several pieces that a file was cut into",
     .why = "The pieces of a file that was cut are no GGUF files; loaders need the whole.",
     .advice =
         "Join the pieces in their order, for instance `cat m.gguf.part1of2 m.gguf.part2of2 > m.gguf`, and "
         "check "
         "the result. Shards whose names end in -00001-of-… are another thing: they are not to be joined.",
     .check_file = check_raw_part},
    {.id = {3610},
     .slug = "split-key-type-tolerated",
     .stage = Stage::meaning,
     .levels = kPublishError,
     .text = "a key of the split set is of type {0:value_type}; {1:value_type} is what writers use",
     .why = "Some readers take any whole number, llama.cpp demands the exact type and refuses the set.",
     .advice = kSplitAgain,
     .sources =
         "llama-gguf-split and gguf-py write split.no and split.count as u16 and split.tensors.count as i32.",
     .check_pair = check_key_tolerated},
    {.id = {3620},
     .slug = "split-shard-missing",
     .stage = Stage::meaning,
     .levels = kLoadError,
     .text = "shard {0} of {1} is not in the folder ({2} are missing)",
     .why = "Tensors are missing; loaders refuse the model.",
     .advice = "Fetch the missing shards into the same folder, under the names they were published with.",
     .check_set = check_shard_missing},
    {.id = {3621},
     .slug = "split-shard-keys-missing",
     .stage = Stage::meaning,
     .levels = kLoadError,
     .text = "the file is named like one of {0} shards, and has no split.count that says so",
     .why = "It is another file under a shard's name, or a whole model under one.",
     .advice =
         "Look at it with `ggufvet show`; if it is a whole model, rename it, else fetch the shard again.",
     .sources = "llama.cpp takes the first file as a whole model then, and refuses a later one.",
     .check_set = check_keys_missing},
    {.id = {3622},
     .slug = "split-number-against-name",
     .stage = Stage::meaning,
     .levels = kLoadError,
     .text = "split.no is {0}, and by its name the file is shard {1}; names count from 1, split.no from 0",
     .why = "A renamed or copied shard: a loader refuses it, or loads one shard twice and misses another.",
     .advice = kSplitAgain,
     .sources = kWhoSplits,
     .check_set = check_number_against_name},
    {.id = {3623},
     .slug = "split-count-against-name",
     .stage = Stage::meaning,
     .levels = kLoadError,
     .text = "split.count is {0}, and by its name the set has {1} shards",
     .why = "Loaders make the shards' names from the count and do not find them.",
     .advice = kSplitAgain,
     .sources = kWhoSplits,
     .check_set = check_count_against_name},
    {.id = {3624},
     .slug = "split-counts-disagree",
     .stage = Stage::meaning,
     .levels = kLoadError,
     .text = "split.count is {0} here and {1} in the first shard",
     .why = "The shards come from different splits of a model, or from different models.",
     .advice = kSplitAgain,
     .check_set = check_counts_disagree},
    {.id = {3625},
     .slug = "split-tensor-totals-disagree",
     .stage = Stage::meaning,
     .levels = kLoadError,
     .text = "split.tensors.count is {0} here and {1} in the first shard",
     .why = "The shards come from different splits of a model, or from different models.",
     .advice = kSplitAgain,
     .check_set = check_totals_disagree},
    {.id = {3626},
     .slug = "split-tensor-total-wrong",
     .stage = Stage::meaning,
     .levels = kLoadError,
     .text = "split.tensors.count is {0}, and the shards have {1} tensors together",
     .why = "Tensors are missing or were added; llama.cpp refuses the set as corrupted.",
     .advice = kSplitAgain,
     .sources = kWhoSplits,
     .check_set = check_total_wrong},
    {.id = {3627},
     .slug = "split-tensor-twice",
     .stage = Stage::meaning,
     .levels = kLoadError,
     .text = "the tensor {text} stands in two shards",
     .why = "Which of the two is used depends on the loader; llama.cpp refuses the set.",
     .advice = kSplitAgain,
     .sources = kWhoSplits,
     .check_set = check_tensor_twice},
    {.id = {3628},
     .slug = "split-architecture-differs",
     .stage = Stage::meaning,
     .levels = kLoadError,
     .text = "general.architecture is another one here than in the first shard",
     .why = "Shards of two models under one name.",
     .advice = kSplitAgain,
     .check_set = check_later_keys<KeyTrouble::architecture>},
    {.id = {3629},
     .slug = "split-metadata-differs",
     .stage = Stage::meaning,
     .levels = kPublishError,
     .text = "the key {text} has another value in the first shard",
     .why = "The shards come from different exports; loaders use the first one's value and say nothing.",
     .advice = kSplitAgain,
     .sources = "Loaders read the metadata of the first shard only. general.alignment is each file's own.",
     .check_set = check_later_keys<KeyTrouble::other>},
    {.id = {3630},
     .slug = "split-metadata-unread",
     .stage = Stage::meaning,
     .levels = kNote,
     .text = "the key {text} stands in a later shard only, where no loader reads it",
     .why = "What it says has no effect.",
     .advice = "Harmless to loaders. A publisher puts it into the first shard.",
     .sources = "Loaders read the metadata of the first shard only.",
     .check_set = check_later_keys<KeyTrouble::unread>},
    {.id = {3631},
     .slug = "split-headers-differ",
     .stage = Stage::meaning,
     .levels = kPublishError,
     .text = "version or byte order differ: version {0} here, {1} in the first shard",
     .why = "The shards were written by different tools or for different machines.",
     .advice = kSplitAgain,
     .check_set = check_headers_differ},
    {.id = {3632},
     .slug = "split-opened-later",
     .stage = Stage::meaning,
     .levels = kNote,
     .text = "the file named is shard {0}; the set was checked from its first shard",
     .why = "A loader must be given the first shard.",
     .advice = "Open the file whose name ends in -00001-of-….",
     .check_set = check_opened_later},
};

}  // namespace

std::span<const Rule> split_rules() { return kRows; }

}  // namespace ggufvet
