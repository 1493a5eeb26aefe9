#include "ggufvet/vet/triggers.h"

#include <random>
#include <set>

#include "ggufvet/read/read_model.h"
#include "ggufvet/vet/support_test.h"

namespace ggufvet {
namespace {

class CountingSink final : public FindingSink {
 public:
  Flow add(const Finding&) override {
    ++count_;
    return Flow::go;
  }
  [[nodiscard]] int count() const { return count_; }

 private:
  int count_ = 0;
};

struct Seen {
  std::set<std::uint16_t> fired;    // rules that did
  std::set<std::uint16_t> skipped;  // rules that vet would not have asked at least once
};

template <class Subject, class Check>
void check_rule(const Rule& rule, const Subject& subject, const ModelFacts& facts, const Check& check,
                Seen& seen) {
  CountingSink sink;
  check(Raise(rule, Severity::error, sink));
  const bool asked = (triggers_of(rule.id) & triggers_of(subject, facts)) != 0;
  if (!asked) seen.skipped.insert(rule.id.number);
  if (sink.count() == 0) return;
  seen.fired.insert(rule.id.number);
  INFO(rule.slug << " fires on record " << subject.index << " and would not be asked");
  CHECK(asked);
}

// Puts every rule to every record, also those that vet would leave out.
void check_file(std::span<const std::byte> bytes, std::optional<DialectId> dialect, Seen& seen) {
  MemorySource source(bytes);
  const FileModel file = read_model(source, Limits{});
  const ModelFacts facts = derive_facts(file, dialect);
  for (const std::span<const Rule> family : rule_families())
    for (const Rule& rule : family) {
      for (std::uint32_t index = 0; rule.check_pair != nullptr && index < file.pairs.size(); ++index) {
        const PairSubject subject{file.pairs[index], index};
        check_rule(
            rule, subject, facts, [&](const Raise& raise) { rule.check_pair(subject, facts, raise); }, seen);
      }
      for (std::uint32_t index = 0; rule.check_tensor != nullptr && index < file.tensors.size(); ++index) {
        const TensorSubject subject{file.tensors[index], facts.tensors[index], index};
        check_rule(
            rule, subject, facts, [&](const Raise& raise) { rule.check_tensor(subject, facts, raise); },
            seen);
      }
    }
}

}  // namespace

TEST_CASE("a rule that fires on a record is one that the record's triggers ask") {
  Seen seen;
  std::mt19937 random(3);
  for (const CorpusCase& each : corpus_cases()) {
    INFO(each.file.path);
    Bytes bytes = each.recipe.file.bytes;
    check_file(bytes, each.recipe.spec.dialect, seen);
    check_file(bytes, std::nullopt, seen);
    // And what bytes that nobody meant make of them, in the directory more often than not.
    for (int turn = 0; turn < 40 && !bytes.empty(); ++turn) {
      const std::size_t at = random() % std::min<std::size_t>(bytes.size(), 600);
      const std::byte before = bytes[at];
      bytes[at] = turn % 3 == 0 ? std::byte{0xFF} : static_cast<std::byte>(random() & 0xFF);
      check_file(bytes, std::nullopt, seen);
      if (turn % 2 == 0) bytes[at] = before;
    }
  }
  // Every rule about records has been seen to fire, and each that has a trigger has been left out elsewhere.
  for (const std::span<const Rule> family : rule_families())
    for (const Rule& rule : family) {
      if (rule.check_pair == nullptr && rule.check_tensor == nullptr) continue;
      INFO(rule.slug);
      CHECK(seen.fired.contains(rule.id.number));
      CHECK((triggers_of(rule.id) == kAlways || seen.skipped.contains(rule.id.number)));
    }
}

TEST_CASE("a rule that has no trigger of its own is always asked") {
  CHECK(triggers_of(RuleId{65535}) == kAlways);
  const FileModel file;
  const MetadataPair pair;
  const TensorEntry entry;
  const TensorFacts tensor;
  const ModelFacts facts(file);
  CHECK((triggers_of(PairSubject{pair, 0}, facts) & kAlways) != 0);
  CHECK((triggers_of(TensorSubject{entry, tensor, 0}, facts) & kAlways) != 0);
}

}  // namespace ggufvet
