#include "ggufvet/vet/vet.h"

#include <algorithm>
#include <cstring>

#include "ggufvet/read/read_model.h"
#include "ggufvet/rules/rule_table.h"
#include "ggufvet/vet/collector.h"
#include "ggufvet/vet/triggers.h"

namespace ggufvet {
namespace {

struct ActiveRule {
  const Rule* rule = nullptr;
  Severity severity{};
  Triggers triggers = kAlways;  // of a rule about pairs or tensors
};

// Rules about records of one kind, with everything that can make one of them fire.
struct RecordRules {
  std::vector<ActiveRule> rules;
  Triggers triggers = 0;

  void push_back(ActiveRule active) {
    active.triggers = triggers_of(active.rule->id);
    triggers |= active.triggers;
    rules.push_back(active);
  }
};

// The rules a profile asks, by what they look at.
struct ActiveRules {
  ActiveRules(Profile profile, bool meaning) {
    for (const std::span<const Rule> family : rule_families())
      for (const Rule& rule : family) {
        const ActiveRule active{&rule, level_of(rule, profile)};
        if (active.severity == Severity::off || (rule.stage == Stage::meaning && !meaning)) continue;
        if (rule.check_file != nullptr) of_file.push_back(active);
        if (rule.check_pair != nullptr) of_pair.push_back(active);
        if (rule.check_tensor != nullptr) of_tensor.push_back(active);
        if (rule.check_data != nullptr) of_data.push_back(active);
        if (rule.check_meaning != nullptr) of_meaning.push_back(active);
        if (rule.check_payload != nullptr) of_payload.push_back(active);
      }
  }

  std::vector<ActiveRule> of_file, of_data, of_meaning, of_payload;
  RecordRules of_pair, of_tensor;
};

class Run {
 public:
  Run(ByteSource& source, const VetOptions& options, Vetted& vetted)
      : source_(source),
        options_(options),
        vetted_(vetted),
        rules_(options.profile, options.meaning),
        sink_(vetted.report, options.limits.findings_max) {}

  void directory_stages() {
    raise_stop();
    for (const ActiveRule& active : rules_.of_file) active.rule->check_file(vetted_.facts, bound(active));
    for (std::uint32_t index = 0; index < vetted_.file.pairs.size(); ++index) {
      const PairSubject subject{vetted_.file.pairs[index], index};
      ask(rules_.of_pair, subject,
          [&](const ActiveRule& active) { active.rule->check_pair(subject, vetted_.facts, bound(active)); });
    }
    for (std::uint32_t index = 0; index < vetted_.file.tensors.size(); ++index) {
      const TensorSubject subject{vetted_.file.tensors[index], vetted_.facts.tensors[index], index};
      ask(rules_.of_tensor, subject, [&](const ActiveRule& active) {
        active.rule->check_tensor(subject, vetted_.facts, bound(active));
      });
    }
  }

  void meaning_stage() {
    // What a shard means, only its set can tell.
    const bool asked = options_.meaning && !options_.in_split_set;
    if (!asked || !vetted_.file.complete() || rules_.of_meaning.empty()) return;
    vetted_.meaning.emplace(derive_meaning(vetted_.facts));
    for (const ActiveRule& active : rules_.of_meaning)
      active.rule->check_meaning(*vetted_.meaning, bound(active));
  }

  void data_stage() {
    const ModelFacts& facts = vetted_.facts;
    const bool has_tensors = !vetted_.file.tensors.empty();
    if (!facts.extent_known || (has_tensors && *facts.data_begin > vetted_.file.file_bytes)) return;
    const std::uint64_t end = has_tensors ? facts.data_end : vetted_.file.directory_end;
    const std::uint64_t appended = second_file_at(end) ? end : facts.data_end_padded;
    paddings(padding_ranges(facts), appended);
    tail(appended);
  }

  // What was not read to its end for any reason leaves the verdict open.
  void deep_stage() {
    if (!options_.deep.scan) return;
    const DeepOutcome outcome = deep_scan(source_, vetted_.facts, options_.deep);
    data_bytes_read_ += outcome.bytes_scanned;
    for (const PayloadSubject& subject : outcome.found) check_payload(subject);
    if (outcome.tensors_not_judged > 0) {
      ByteRange where = vetted_.facts.data_range(outcome.first_not_judged);
      where.end = std::min(where.end, vetted_.file.file_bytes);
      check_payload({.tensor = outcome.first_not_judged,
                     .fault = PayloadFault::not_judged,
                     .count = outcome.tensors_not_judged,
                     .first = {PayloadPlace{.where = where}}});
    }
    if (outcome.error) {
      raise_io(io_rule(*outcome.error), *outcome.error);
    } else if (!outcome.finished) {
      ++not_about_file_;
      Raise(*find_rule(RuleId{9103}), Severity::error, sink_)({0, vetted_.file.file_bytes},
                                                              outcome.bytes_scanned);
    }
    vetted_.report.deep = {.ran = true,
                           .finished = outcome.finished,
                           .bytes_scanned = outcome.bytes_scanned,
                           .tensors_scanned = outcome.tensors_scanned,
                           .tensors_left_out = outcome.tensors_left_out,
                           .tensors_not_judged = outcome.tensors_not_judged};
  }

  void finish() {
    // Said once: what already failed is likely to be told again here.
    if (const auto intact = source_.verify(); !intact) {
      const RuleId id = io_rule(intact.error());
      if (id == RuleId{9102} ? !changed_ : !io_failed_) raise_io(id, intact.error());
    }
    Report& report = vetted_.report;
    report.bytes_read = std::max(source_.bytes_read(), vetted_.file.directory_end + data_bytes_read_);
    sort_findings(report.findings);
    report.verdict = verdict();
  }

 private:
  static Raise bound_to(const ActiveRule& active, FindingSink& sink) {
    return {*active.rule, active.severity, sink};
  }
  [[nodiscard]] Raise bound(const ActiveRule& active) { return bound_to(active, sink_); }

  // Puts the rules to a record that something about it can make fire.
  template <class Subject, class Check>
  void ask(const RecordRules& rules, const Subject& subject, const Check& check) const {
    const Triggers triggers = triggers_of(subject, vetted_.facts);
    if ((triggers & rules.triggers) == 0) return;
    for (const ActiveRule& active : rules.rules)
      if ((triggers & active.triggers) != 0) check(active);
  }

  void raise_stop() {
    const ReadStop& stop = vetted_.file.stop;
    const Rule* const rule = find_stop_rule(stop.reason);
    if (rule == nullptr) return;
    const Severity severity = level_of(*rule, options_.profile);
    if (rule->kind == FindingClass::limit || rule->kind == FindingClass::io) ++not_about_file_;
    Raise(*rule, severity, sink_)(stop.where, stop.value, stop.allowed);
  }

  [[nodiscard]] static RuleId io_rule(const IoError& error) {
    return error.operation == IoError::Operation::shrunk ? RuleId{9102} : RuleId{9101};
  }

  void raise_io(RuleId id, const IoError& error) {
    ++not_about_file_;
    io_failed_ = true;
    changed_ |= id == RuleId{9102};
    const std::uint64_t at = std::min(error.offset, vetted_.file.file_bytes);
    Raise(*find_rule(id), Severity::error, sink_)({at, vetted_.file.file_bytes},
                                                  static_cast<std::uint64_t>(error.error_number));
  }

  [[nodiscard]] bool read_data(ByteRange range, std::span<std::byte> out) {
    data_bytes_read_ += range.size();
    const auto done = source_.read(range.begin, out.first(static_cast<std::size_t>(range.size())));
    if (!done) raise_io(io_rule(done.error()), done.error());
    return done.has_value();
  }

  void check_data(const DataSubject& subject) {
    for (const ActiveRule& active : rules_.of_data)
      active.rule->check_data(subject, vetted_.facts, bound(active));
  }

  void check_payload(const PayloadSubject& subject) {
    for (const ActiveRule& active : rules_.of_payload)
      active.rule->check_payload(subject, vetted_.facts, bound(active));
  }

  // Shards joined by `cat` follow each other without the padding that the first one lacks.
  [[nodiscard]] bool second_file_at(std::uint64_t at) {
    if (at > vetted_.file.file_bytes || vetted_.file.file_bytes - at < kHeaderBytes) return false;
    std::array<std::byte, 4> head{};
    if (!read_data({at, at + head.size()}, head)) return false;
    return load_little<std::uint32_t>(head.data()) == kMagic;
  }

  // Neighbouring paddings are read together, so that many small tensors cost few reads. What stands at `end`
  // and after is not padding but the tail.
  void paddings(const std::vector<ByteRange>& ranges, std::uint64_t end) {
    std::vector<std::byte> buffer(kWindowBytes);
    std::size_t first = 0;
    while (first < ranges.size() && ranges[first].begin < end) {
      const std::uint64_t begin = ranges[first].begin;
      std::size_t last = first;
      while (last + 1 < ranges.size() && ranges[last + 1].end - begin <= kWindowBytes) ++last;
      if (first == last) {
        if (!long_padding({begin, std::min(ranges[first].end, end)}, buffer)) return;
        ++first;
        continue;
      }
      const std::uint64_t read_end = std::min(ranges[last].end, end);
      if (!read_data({begin, read_end}, buffer)) return;
      for (; first <= last && ranges[first].begin < read_end; ++first)
        check_padding({ranges[first].begin, std::min(ranges[first].end, read_end)}, buffer, begin);
    }
  }

  // One padding of any length, in windows, up to the first finding. False when reading failed.
  [[nodiscard]] bool long_padding(ByteRange range, std::span<std::byte> buffer) {
    const std::size_t before = vetted_.report.findings.size();
    for (std::uint64_t begin = range.begin; begin < range.end; begin += kWindowBytes) {
      const std::uint64_t window_end = std::min(range.end, begin + kWindowBytes);
      if (!read_data({begin, window_end}, buffer)) return false;
      check_padding({begin, window_end}, buffer, begin);
      if (vetted_.report.findings.size() != before) break;
    }
    return true;
  }

  void check_padding(ByteRange range, std::span<const std::byte> buffer, std::uint64_t buffer_begin) {
    check_data({DataSubject::Kind::padding, range,
                buffer.subspan(static_cast<std::size_t>(range.begin - buffer_begin),
                               static_cast<std::size_t>(range.size()))});
  }

  void tail(std::uint64_t begin) {
    if (begin >= vetted_.file.file_bytes) return;
    const ByteRange where{begin, vetted_.file.file_bytes};
    std::array<std::byte, 64> head{};
    const std::uint64_t shown = std::min<std::uint64_t>(where.size(), head.size());
    if (!read_data({begin, begin + shown}, head)) return;
    check_data({DataSubject::Kind::tail, where,
                std::span<const std::byte>(head).first(static_cast<std::size_t>(shown))});
  }

  [[nodiscard]] Verdict verdict() const {
    // What was found may be about bytes that never stood side by side, or about zeros where a mapping ended.
    if (changed_) return Verdict::undecided;
    if (vetted_.report.counts.error > not_about_file_) return Verdict::reject;
    return not_about_file_ > 0 ? Verdict::undecided : Verdict::accept;
  }

  static constexpr std::uint64_t kWindowBytes = 16 << 10;

  ByteSource& source_;
  const VetOptions& options_;
  Vetted& vetted_;
  ActiveRules rules_;
  Collector sink_;
  std::uint64_t data_bytes_read_ = 0;
  bool io_failed_ = false;
  bool changed_ = false;
  std::uint64_t not_about_file_ = 0;  // errors that are limits of ours or failed reads
};

}  // namespace

std::unique_ptr<Vetted> vet(ByteSource& source, const VetOptions& options) {
  auto vetted = std::make_unique<Vetted>(read_model(source, options.limits), options.dialect);
  vetted->report.profile = options.profile;
  vetted->report.dialect = vetted->facts.dialect;
  vetted->facts.file_name = options.file_name;
  vetted->facts.in_split_set = options.in_split_set;
  Run run(source, options, *vetted);
  run.directory_stages();
  run.meaning_stage();
  run.data_stage();
  run.deep_stage();
  run.finish();
  return vetted;
}

}  // namespace ggufvet
