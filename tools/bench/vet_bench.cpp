// The same files in memory, over and over, with Google Benchmark: what parts of vetting cost once everything
// is warm. GGUFVET_REAL names a folder of real files to measure beside the made ones.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>

#include <benchmark/benchmark.h>

#include "ggufvet/base/text.h"
#include "ggufvet/read/read_model.h"
#include "ggufvet/rules/rule_table.h"
#include "ggufvet/source/file_source.h"
#include "ggufvet/source/memory_source.h"
#include "ggufvet/vet/vet.h"
#include "sample_files.h"

namespace ggufvet::bench {
namespace {

// A file whose data are a hole: the bytes that exist, then zeros.
class SampleSource final : public ByteSource {
 public:
  explicit SampleSource(const SampleFile& file) : file_(file) {}
  std::uint64_t size() const override { return file_.bytes.size() + file_.hole_bytes; }
  IoResult<std::span<const std::byte>> window(std::uint64_t) override {
    return std::span<const std::byte>(file_.bytes);
  }
  IoResult<void> read(std::uint64_t offset, std::span<std::byte> out) override {
    std::fill(out.begin(), out.end(), std::byte{0});
    if (offset >= file_.bytes.size()) return {};
    const std::size_t there = std::min(out.size(), file_.bytes.size() - static_cast<std::size_t>(offset));
    std::copy_n(file_.bytes.begin() + static_cast<std::ptrdiff_t>(offset), there, out.begin());
    return {};
  }
  std::uint64_t bytes_read() const override { return 0; }

 private:
  const SampleFile& file_;
};

void count_bytes(benchmark::State& state, const SampleFile& file) {
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(file.bytes.size()));
}

[[nodiscard]] bool raises(const Report& report, std::string_view slug) {
  return std::any_of(report.findings.begin(), report.findings.end(),
                     [slug](const Finding& finding) { return find_rule(finding.rule)->slug == slug; });
}

// Before and after it is timed, the same call has to see a fault in the last item.
[[nodiscard]] bool still_sees_faults(const SampleFile& file) {
  const Damaged twin = damaged(file);
  SampleSource source(twin.file);
  const auto vetted = vet(source, VetOptions{});
  return vetted->report.verdict == Verdict::reject && raises(vetted->report, twin.rule);
}

void run_vet(benchmark::State& state, const SampleFile& file) {
  if (!still_sees_faults(file)) state.SkipWithError("the damaged twin was not rejected");
  SampleSource source(file);
  for (auto turn : state) {
    static_cast<void>(turn);
    const auto vetted = vet(source, VetOptions{});
    if (vetted->report.verdict != Verdict::accept) state.SkipWithError("the file was not accepted");
  }
  if (!still_sees_faults(file)) state.SkipWithError("the damaged twin was not rejected");
  count_bytes(state, file);
}

void run_read(benchmark::State& state, const SampleFile& file) {
  SampleSource source(file);
  for (auto turn : state) {
    static_cast<void>(turn);
    const FileModel model = read_model(source, Limits{});
    if (!model.complete()) state.SkipWithError("the file was not read to its end");
  }
  count_bytes(state, file);
}

void run_scan(benchmark::State& state, const SampleFile& file) {
  for (auto turn : state) {
    static_cast<void>(turn);
    benchmark::DoNotOptimize(scan_text(file.bytes));
  }
  count_bytes(state, file);
}

void run_copy(benchmark::State& state, const SampleFile& file) {
  Bytes copy(file.bytes.size());
  for (auto turn : state) {
    static_cast<void>(turn);
    std::memcpy(copy.data(), file.bytes.data(), copy.size());
    benchmark::ClobberMemory();
  }
  count_bytes(state, file);
}

// One byte changed in a hostile header must not make the work explode: each takes about as long as a valid
// small file.
void run_hostile(benchmark::State& state, const Bytes& bytes) {
  MemorySource source(bytes);
  for (auto turn : state) {
    static_cast<void>(turn);
    const auto vetted = vet(source, VetOptions{});
    if (vetted->report.verdict == Verdict::accept) state.SkipWithError("the file was accepted");
  }
}

using Files = std::map<std::string, SampleFile>;

[[nodiscard]] Files made_files() {
  Files files;
  files["vocabulary"] = vocabulary_file();
  files["tensors-5k"] = tensors_file(5000);
  files["tensors-50k"] = tensors_file(50000);
  files["keys-5k"] = keys_file(5000);
  files["keys-50k"] = keys_file(50000);
  files["small"] = small_file();
  return files;
}

void add_real_files(Files& files, const char* folder) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().extension() != ".gguf") continue;
    auto file = FileHandle::open_for_reading(entry.path().c_str());
    const auto stamp = file ? stamp_of(file->get()) : tl::unexpected<IoError>(file.error());
    if (!stamp) continue;
    SampleFile real{Bytes(static_cast<std::size_t>(stamp->bytes)), 0};
    if (read_exactly(file->get(), 0, real.bytes)) files[entry.path().stem().string()] = std::move(real);
  }
}

void add_benchmarks(const Files& files, const std::vector<HostileHeader>& headers) {
  for (const auto& [name, file] : files) {
    const SampleFile* const sample = &file;
    benchmark::RegisterBenchmark(("vet/" + name).c_str(), [sample](auto& state) { run_vet(state, *sample); });
    benchmark::RegisterBenchmark(("read/" + name).c_str(),
                                 [sample](auto& state) { run_read(state, *sample); });
    benchmark::RegisterBenchmark(("scan_text/" + name).c_str(),
                                 [sample](auto& state) { run_scan(state, *sample); });
    benchmark::RegisterBenchmark(("memcpy/" + name).c_str(),
                                 [sample](auto& state) { run_copy(state, *sample); });
  }
  for (const HostileHeader& header : headers) {
    const Bytes* const bytes = &header.bytes;
    benchmark::RegisterBenchmark(("hostile/" + header.name).c_str(),
                                 [bytes](auto& state) { run_hostile(state, *bytes); });
  }
}

}  // namespace
}  // namespace ggufvet::bench

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  ggufvet::bench::Files files = ggufvet::bench::made_files();
  if (const char* const real = std::getenv("GGUFVET_REAL")) ggufvet::bench::add_real_files(files, real);
  const std::vector<ggufvet::bench::HostileHeader> headers = ggufvet::bench::hostile_headers();
  ggufvet::bench::add_benchmarks(files, headers);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
