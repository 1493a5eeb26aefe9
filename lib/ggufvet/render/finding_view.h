// A finding with its words and places made out, the same for a file and for a split set. Internal to render.
#pragma once

#include <string>
#include <string_view>

#include "ggufvet/render/locate.h"
#include "ggufvet/rules/rule.h"
#include "ggufvet/vet/split_set.h"

namespace ggufvet {

struct PlaceView {
  Place place;
  ByteRange where;        // in the file
  std::string_view file;  // the shard's name; empty in the report of one file
};

struct FindingView {
  const Rule* rule = nullptr;
  Severity severity{};
  std::string message;
  PlaceView at;
  PlaceView related;  // an empty range when there is no other party
};

[[nodiscard]] FindingView view_of(const Finding& finding, const Vetted& vetted);
[[nodiscard]] FindingView view_of(const Finding& finding, const VettedSplitSet& set);

}  // namespace ggufvet
