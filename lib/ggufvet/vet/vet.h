// One call: bytes -> model -> findings -> verdict. Reads the directory, the paddings between tensors and the
// first bytes after them; the tensors' data only when a deep scan is asked for. Nothing throws; nothing in a file makes it crash, hang, or
// allocate more than the file's size justifies.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "ggufvet/base/limits.h"
#include "ggufvet/read/file_model.h"
#include "ggufvet/rules/meaning_facts.h"
#include "ggufvet/rules/model_facts.h"
#include "ggufvet/source/byte_source.h"
#include "ggufvet/vet/deep_scan.h"
#include "ggufvet/vet/profile.h"
#include "ggufvet/vet/report.h"

namespace ggufvet {

struct VetOptions {
  Profile profile = Profile::hardened;
  std::optional<DialectId>
      dialect;  // what type ids mean; empty: mainline, unless the file's sizes say otherwise
  Limits limits{};
  bool meaning = true;  // also ask what the metadata mean; without it the container alone is judged
  DeepOptions deep{};
  // The file's name without its folder, for rules about names; empty when it has none or it is not known.
  std::string_view file_name = {};
  // A shard that vet_split_set looks at: what can only be said about the whole model is left to it.
  bool in_split_set = false;
};

// What was read and what was found. Views in it point into the source's window: the source must outlive it,
// and must not be asked for another window meanwhile.
struct Vetted {
  Vetted(FileModel model, std::optional<DialectId> dialect)
      : file(std::move(model)), facts(derive_facts(file, dialect)) {}
  Vetted(const Vetted&) = delete;
  Vetted& operator=(const Vetted&) = delete;

  FileModel file;
  ModelFacts facts;                     // refers to `file`
  std::optional<MeaningFacts> meaning;  // refers to `facts`; empty when no rule of the profile asked for it
  Report report;
};

[[nodiscard]] std::unique_ptr<Vetted> vet(ByteSource& source, const VetOptions& options);

}  // namespace ggufvet
