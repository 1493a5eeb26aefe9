// A rule is one row, and the row is the rule: its number and slug, how bad each profile finds it, the words,
// the harm, what a user does next, who says what, and a check. A check is a pure function of the model: no
// I/O, no allocation, one idea.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "ggufvet/rules/finding.h"
#include "ggufvet/rules/meaning_facts.h"
#include "ggufvet/rules/model_facts.h"
#include "ggufvet/rules/payload.h"

namespace ggufvet {

// The whole relation of a rule to profiles. `ggml` is mainline's own reader, gguf_init_from_file.
struct Levels {
  Severity spec = Severity::off;
  Severity hardened = Severity::off;
  Severity publish = Severity::off;
  Severity ggml = Severity::off;
};

inline constexpr Levels kErrorEverywhere{.spec = Severity::error,
                                         .hardened = Severity::error,
                                         .publish = Severity::error,
                                         .ggml = Severity::error};

struct Rule;
struct SplitSetFacts;

// Raises findings of one rule; bound to its row by the runner, so a check cannot report under another rule's
// name.
class Raise {
 public:
  Raise(const Rule& rule, Severity severity, FindingSink& sink)
      : rule_(rule), severity_(severity), sink_(sink) {}

  void operator()(ByteRange where, std::uint64_t a = 0, std::uint64_t b = 0, std::uint64_t c = 0,
                  std::uint64_t d = 0) const {
    with_related(where, {}, a, b, c, d);
  }
  void with_related(ByteRange where, ByteRange related, std::uint64_t a = 0, std::uint64_t b = 0,
                    std::uint64_t c = 0, std::uint64_t d = 0) const;

 private:
  const Rule& rule_;
  Severity severity_;
  FindingSink& sink_;
};

// Stages run in this order, each only over what was read; findings are reported in it.
enum class Stage : std::uint8_t { structure, metadata, meaning, directory, layout, data };

struct PairSubject {
  const MetadataPair& pair;
  std::uint32_t index;
};

struct TensorSubject {
  const TensorEntry& entry;
  const TensorFacts& facts;
  std::uint32_t index;
};

// Bytes of the file outside the directory that a data rule is shown.
struct DataSubject {
  enum class Kind : std::uint8_t { padding, tail } kind{};
  ByteRange where;                   // all of the padding or tail
  std::span<const std::byte> bytes;  // its beginning, as far as it was read
};

// A template's words in braces: {0} the number, {0:id} without separators, {0:hex}, {0:bytes} with a human
// unit, {0:value_type}, {0:type} a tensor type of the dialect, {0:foreign} and {0:foreign_advice} a
// ForeignFormat, {0:errno}, {text} the bytes of the range as quoted text, {key} the key of the pair the range
// is in, {tensor:0} the name of a tensor by index, {dialect}, {claims} who else claims the id {0},
// {all_claims} all of them with their sizes, {readings} the readings that fit, {other_readings} those that
// are not mainline's, {short_readings} those that fit without row headers, {file_type_claims} what file type
// {0} is, {key:0} a standard key by its row, {layer_tensor} a tensor that an architecture
// has: args are its row and the layer, {element:0} the text of element {0} of the array that the range lies
// in, {0:expert} " of expert 5" or nothing, {0:others} " (nor are 3 others)" or nothing, {0:more} "; 12 such
// in this tensor" or nothing when it is the only one.
struct Rule {
  RuleId id{};
  std::string_view slug;
  FindingClass kind = FindingClass::invalid;
  Stage stage{};
  Levels levels;
  std::string_view text;          // states values
  std::string_view why;           // states harm
  std::string_view advice = {};   // what a user does next, in plain words
  std::string_view sources = {};  // who says what, where the documents and readers disagree; may be empty

  StopReason stop = StopReason::none;  // raised from a reader's stop instead of by a check
  void (*check_file)(const ModelFacts&, const Raise&) = nullptr;
  void (*check_pair)(const PairSubject&, const ModelFacts&, const Raise&) = nullptr;
  void (*check_tensor)(const TensorSubject&, const ModelFacts&, const Raise&) = nullptr;
  void (*check_data)(const DataSubject&, const ModelFacts&, const Raise&) = nullptr;
  // Asked about all shards of a set together; ranges are places in the set.
  void (*check_set)(const SplitSetFacts&, const Raise&) = nullptr;
  // Only asked about a directory that was read to its end.
  void (*check_meaning)(const MeaningFacts&, const Raise&) = nullptr;
  void (*check_payload)(const PayloadSubject&, const ModelFacts&, const Raise&) = nullptr;
};

inline void Raise::with_related(ByteRange where, ByteRange related, std::uint64_t a, std::uint64_t b,
                                std::uint64_t c, std::uint64_t d) const {
  static_cast<void>(sink_.add({rule_.id, severity_, where, related, {a, b, c, d}}));
}

}  // namespace ggufvet
