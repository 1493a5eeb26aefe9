#include "ggufvet/vet/split_set.h"

#include <algorithm>

#include "ggufvet/base/assert.h"
#include "ggufvet/rules/meaning_facts.h"
#include "ggufvet/vet/collector.h"

namespace ggufvet {
namespace {

[[nodiscard]] std::uint32_t number_of(std::string_view file_name) {
  const auto name = parse_shard_name(file_name);
  return name ? name->number : 0;
}

void vet_shards(VettedSplitSet& set, std::span<const ShardSource> shards, const VetOptions& options) {
  std::vector<ShardSource> ordered(shards.begin(), shards.end());
  std::stable_sort(ordered.begin(), ordered.end(), [](const ShardSource& a, const ShardSource& b) {
    return number_of(a.file_name) < number_of(b.file_name);
  });
  for (const ShardSource& shard : ordered) {
    VetOptions shard_options = options;
    shard_options.file_name = shard.file_name;
    shard_options.in_split_set = true;
    set.shards.push_back(vet(*shard.source, shard_options));
  }
}

// The facts of the merged model that do not depend on where data lies: types and sizes of tensors,
// duplicates.
[[nodiscard]] std::unique_ptr<ModelFacts> merged_facts(const VettedSplitSet& set) {
  auto facts = std::make_unique<ModelFacts>(set.facts.merged);
  facts->dialect = set.shards.front()->facts.dialect;
  for (const auto& shard : set.shards)
    facts->tensors.insert(facts->tensors.end(), shard->facts.tensors.begin(), shard->facts.tensors.end());
  facts->alignment = set.shards.front()->facts.alignment;
  facts->duplicate_keys = set.shards.front()->facts.duplicate_keys;
  facts->duplicate_names = set.facts.repeated_names;
  facts->file_name = set.facts.first().file_name;
  return facts;
}

void check_set(VettedSplitSet& set, const VetOptions& options, FindingSink& sink) {
  for (const std::span<const Rule> family : rule_families())
    for (const Rule& rule : family) {
      const Severity severity = level_of(rule, options.profile);
      if (rule.check_set != nullptr && severity != Severity::off)
        rule.check_set(set.facts, Raise(rule, severity, sink));
    }
}

// Over the union, once there is a first shard to take the metadata from.
void check_meaning(VettedSplitSet& set, const VetOptions& options, FindingSink& sink) {
  const ShardFacts& first = set.facts.first();
  const bool has_metadata = first.name && first.name->number == 1 && first.model->file.complete();
  if (!has_metadata || set.facts.merged.stage != ReadStage::done) return;
  const MeaningFacts meaning = derive_meaning(*set.merged);
  for (const std::span<const Rule> family : rule_families())
    for (const Rule& rule : family) {
      const Severity severity = level_of(rule, options.profile);
      if (rule.check_meaning != nullptr && severity != Severity::off)
        rule.check_meaning(meaning, Raise(rule, severity, sink));
    }
}

[[nodiscard]] Verdict verdict_of(const VettedSplitSet& set) {
  Verdict verdict = set.report.counts.error > 0 ? Verdict::reject : Verdict::accept;
  for (const auto& shard : set.shards) {
    if (shard->report.verdict == Verdict::reject) verdict = Verdict::reject;
    if (shard->report.verdict == Verdict::undecided && verdict == Verdict::accept)
      verdict = Verdict::undecided;
  }
  return verdict;
}

}  // namespace

PlaceInShard VettedSplitSet::place(ByteRange in_set) const {
  const std::uint32_t shard = facts.shard_of(in_set.begin);
  const std::uint64_t begin = facts.shards[shard].begin;
  return {shard, {in_set.begin - begin, in_set.end - begin}};
}

std::unique_ptr<VettedSplitSet> vet_split_set(std::span<const ShardSource> shards, std::string_view opened,
                                              const VetOptions& options) {
  GGUFVET_ASSERT(!shards.empty() && shards.size() <= kShardsMax);
  auto set = std::make_unique<VettedSplitSet>();
  vet_shards(*set, shards, options);
  std::vector<ShardInput> inputs;
  for (const auto& shard : set->shards) inputs.push_back({shard->facts.file_name, &shard->facts});
  set->facts = derive_split_set(inputs, opened);
  set->merged = merged_facts(*set);
  set->report.profile = options.profile;
  set->report.dialect = set->merged->dialect;
  Collector sink(set->report, options.limits.findings_max);
  if (options.meaning) {
    check_set(*set, options, sink);
    check_meaning(*set, options, sink);
  }
  sort_findings(set->report.findings);
  for (const auto& shard : set->shards) set->report.bytes_read += shard->report.bytes_read;
  set->report.verdict = verdict_of(*set);
  return set;
}

}  // namespace ggufvet
