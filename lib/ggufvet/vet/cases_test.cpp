// The verdicts recorded for files made after public bug reports, where that collection is at hand: in the
// folder named by the environment variable GGUFVET_CASES, by the CMake variable of that name, or in
// ../shared/cases.
#include <array>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <sstream>

#include <nlohmann/json.hpp>

#include "ggufvet/vet/split_set.h"
#include "ggufvet/vet/support_test.h"

namespace ggufvet {
namespace {

namespace fs = std::filesystem;

// A recorded verdict that is not ours. `level` is parse, load, publish or ggml.
struct Exception {
  std::string_view id;
  std::string_view level;
  std::string_view reason;
};

// Disagreements that stay, each judged.
constexpr auto kDisagreements = std::to_array<Exception>({
    {"B063", "parse",
     "a zero dimension is walked safely, but the warning that load gives is given here as well"},
    {"B064", "ggml",
     "this shape slips past the reader's own check of the product, which wraps; the profile refuses what the "
     "check is there to refuse"},
    {"B093", "parse",
     "bytes after the last tensor are walked past safely, but the warning that load gives is given here as "
     "well"},
    {"B139", "parse",
     "a second file after the last tensor is walked past safely, but what load says of it is said here as "
     "well"},
    {"B082", "publish",
     "recorded for the order of the directory, which is fine; the file also has layers and no architecture"},
    {"B100", "publish",
     "recorded for the number of experts, which is fine; the file also has no tensors and lacks required "
     "keys"},
    {"B162", "publish",
     "recorded for the number of tensors, which is fine; the file also has no general.architecture"},
});

// Not decided yet, by name; an entry that has come to agree must be taken out.
constexpr std::array<Exception, 0> kPending{};

std::string cases_folder() {
  if (const char* const named = std::getenv("GGUFVET_CASES"); named != nullptr && *named != '\0')
    return named;
#ifdef GGUFVET_CASES
  if (const std::string_view configured = GGUFVET_CASES; !configured.empty()) return std::string(configured);
#endif
  return std::string(GGUFVET_ROOT) + "/../shared/cases";
}

// What one case is judged by: the report of its file, or those of its shards and of the set.
using Reports = std::vector<Report>;

std::string word(const Reports& reports) {
  bool warns = false;
  for (const Report& report : reports) {
    if (report.verdict == Verdict::reject) return "reject";
    warns = warns || report.counts.warning > 0;
  }
  return warns ? "warn" : "accept";
}

// Can any generic tool walk the file safely? What keys and names mean to a loader, and what the weights are,
// does not enter into it.
std::string parse_word(const Reports& reports) {
  std::string word = "accept";
  for (const Report& report : reports) {
    for (const Finding& finding : report.findings) {
      const Rule& rule = *find_rule(finding.rule);
      const bool of_content = rule.stage == Stage::meaning || rule.slug.starts_with("payload-") ||
                              rule.slug.starts_with("split-");
      if (of_content || finding.severity < Severity::warning) continue;
      if (finding.severity == Severity::error && rule.kind == FindingClass::malformed) return "reject";
      word = "warn";
    }
  }
  return word;
}

struct CaseFile {
  std::string name;
  Bytes bytes;
};

// One file of the case's name, or a folder of that name with what lies beside each other.
std::vector<CaseFile> case_files(const std::string& folder, const std::string& id) {
  if (auto text = read_text_file(folder + "/" + id + ".gguf")) return {{id + ".gguf", bytes_of(*text)}};
  std::vector<CaseFile> files;
  for (const auto& entry : fs::directory_iterator(folder + "/" + id)) {
    const auto text = read_text_file(entry.path().string());
    REQUIRE(text.has_value());
    files.push_back({entry.path().filename().string(), bytes_of(*text)});
  }
  std::sort(files.begin(), files.end(), [](const CaseFile& a, const CaseFile& b) { return a.name < b.name; });
  return files;
}

// As the command line does it: a set when the first name follows the pattern, else each file by itself.
Reports vet_case(const std::vector<CaseFile>& files, VetOptions options) {
  std::vector<std::unique_ptr<MemorySource>> sources;
  std::vector<ShardSource> shards;
  for (const CaseFile& file : files) {
    sources.push_back(std::make_unique<MemorySource>(file.bytes));
    shards.push_back({file.name, sources.back().get()});
  }
  Reports reports;
  if (files.size() > 1 && parse_shard_name(files[0].name)) {
    const auto set = vet_split_set(shards, files[0].name, options);
    for (const auto& shard : set->shards) reports.push_back(shard->report);
    reports.push_back(set->report);
    return reports;
  }
  for (const ShardSource& file : shards) {
    options.file_name = file.file_name;
    reports.push_back(vet(*file.source, options)->report);
  }
  return reports;
}

template <std::size_t kCount>
const Exception* find_exception(const std::array<Exception, kCount>& list, std::string_view id,
                                std::string_view level) {
  for (const Exception& each : list)
    if (each.id == id && each.level == level) return &each;
  return nullptr;
}

void check_verdict(std::string_view id, std::string_view level, const std::string& ours,
                   const std::string& recorded) {
  INFO(id << " at " << level);
  if (find_exception(kPending, id, level) != nullptr) {
    INFO("agrees by now: take it out of the list");
    CHECK(ours != recorded);
  } else if (find_exception(kDisagreements, id, level) != nullptr) {
    INFO("agrees by now: take it out of the list");
    CHECK(ours != recorded);
  } else {
    CHECK(ours == recorded);
  }
}

void check_case(const nlohmann::json& row, const std::string& folder) {
  const auto id = row["id"].get<std::string>();
  INFO(id);
  const std::vector<CaseFile> files = case_files(folder + "/files", id);
  REQUIRE_FALSE(files.empty());
  // A report about tensor data asks a check that was told to look at them; without --deep no check reads
  // them.
  VetOptions at_load = options_for(Profile::hardened);
  at_load.deep.scan = row["class"] == "tensor-data";
  const Reports hardened = vet_case(files, at_load);
  check_verdict(id, "parse", parse_word(hardened), row["verdicts"]["parse"]);
  check_verdict(id, "load", word(hardened), row["verdicts"]["load"]);
  VetOptions at_publication = options_for(Profile::publish);
  at_publication.deep.scan = true;
  check_verdict(id, "publish", word(vet_case(files, at_publication)), row["verdicts"]["publish"]);
  // What mainline's container reader says of the file that is opened first.
  const auto reference = row["ref_ggml"].get<std::string>();
  const Report ggml = vet_bytes(files[0].bytes, options_for(Profile::ggml));
  check_verdict(id, "ggml", std::string(verdict_name(ggml.verdict)),
                reference.substr(0, reference.find(' ')));
}

}  // namespace

TEST_CASE("files after public reports get their recorded verdicts") {
  const std::string folder = cases_folder();
  const auto text = read_text_file(folder + "/public_reports.jsonl");
  if (!text) SKIP("no public_reports.jsonl in the folder of GGUFVET_CASES or ../shared/cases");
  std::set<std::string> seen;
  std::istringstream lines(*text);
  for (std::string line; std::getline(lines, line);) {
    const auto row = nlohmann::json::parse(line, nullptr, false);
    REQUIRE_FALSE(row.is_discarded());
    check_case(row, folder);
    seen.insert(row["id"].get<std::string>());
  }
  CHECK(seen.size() >= 109);
  for (const Exception& each : kPending) CHECK(seen.contains(std::string(each.id)));
  for (const Exception& each : kDisagreements) CHECK(seen.contains(std::string(each.id)));
}

}  // namespace ggufvet
