#include "ggufvet/render/finding_view.h"

#include "ggufvet/render/message.h"
#include "ggufvet/rules/rule_table.h"

namespace ggufvet {

FindingView view_of(const Finding& finding, const Vetted& vetted) {
  const Rule& rule = *find_rule(finding.rule);
  FindingView view{&rule, finding.severity, message_of(finding, rule, vetted.facts), {}, {}};
  view.at = {locate(vetted.facts, finding.where), finding.where, {}};
  if (!finding.related.empty()) view.related = {locate(vetted.facts, finding.related), finding.related, {}};
  return view;
}

FindingView view_of(const Finding& finding, const VettedSplitSet& set) {
  const Rule& rule = *find_rule(finding.rule);
  const auto place_of = [&set](ByteRange in_set) -> PlaceView {
    const PlaceInShard place = set.place(in_set);
    const Vetted& shard = *set.shards[place.shard];
    return {locate(shard.facts, place.where), place.where, shard.facts.file_name};
  };
  const PlaceInShard place = set.place(finding.where);
  Finding local = finding;
  local.where = place.where;
  FindingView view{
      &rule, finding.severity, message_of(local, rule, set.shards[place.shard]->facts, *set.merged), {}, {}};
  view.at = place_of(finding.where);
  if (!finding.related.empty()) view.related = place_of(finding.related);
  return view;
}

}  // namespace ggufvet
