// bench_probe MODE FILE [REPEATS] [LIBRARY]: does one thing with one file and prints what it took, as one
// line of JSON. A new process for each measurement: the first call pays for its page faults, as it does for
// users.
//   nothing    opens and maps the file
//   read       reads header, metadata and directory
//   vet        what `ggufvet check` does before it prints
//   structure  the same without asking what metadata mean
//   names      finds duplicates among the names of tensors, or of keys where there are no tensors
//   hashes     the same, were all hashes equal
//   memcpy     copies header, metadata and directory from one warm buffer to another
//   ggml       gguf_init_from_file of LIBRARY, no_alloc
// Timed is the call alone: loading the library is not in it, and freeing is left out on both sides. With
// REPEATS the call is repeated in the same process, and the time is that of all of them. bench_probe peak
// PROGRAM ARGUMENT…: runs a program and prints the peak of its memory.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <string>
#include <unistd.h>
#include <vector>

#include <sys/resource.h>
#include <sys/wait.h>

#include "../ggufvet/inputs.h"
#include "ggufvet/base/duplicates.h"
#include "ggufvet/read/read_model.h"
#include "ggufvet/rules/rule_table.h"
#include "ggufvet/vet/vet.h"

namespace ggufvet::bench {
namespace {

using Clock = std::chrono::steady_clock;

struct Outcome {
  double nanoseconds = 0;
  std::string words;  // verdict, or what the reader said
  std::string rules;  // slugs of the findings, the last ones
};

template <class Call>
[[nodiscard]] double nanoseconds_of(const Call& call) {
  const auto begin = Clock::now();
  call();
  return std::chrono::duration<double, std::nano>(Clock::now() - begin).count();
}

[[noreturn]] void fail(const std::string& why) {
  std::fprintf(stderr, "bench_probe: %s\n", why.c_str());
  std::exit(2);
}

[[nodiscard]] tool::OpenedSource opened(const char* path) {
  tool::OpenedSource source = tool::open_input(path);
  if (!source.source) fail(std::string(path) + ": " + source.problem);
  return source;
}

[[nodiscard]] Outcome run_vet(const char* path, int repeats, bool with_meaning) {
  VetOptions options;
  options.meaning = with_meaning;
  std::vector<std::unique_ptr<Vetted>> kept;
  std::vector<tool::OpenedSource> sources;
  kept.reserve(static_cast<std::size_t>(repeats));
  sources.reserve(static_cast<std::size_t>(repeats));
  Outcome outcome;
  outcome.nanoseconds = nanoseconds_of([&] {
    for (int turn = 0; turn < repeats; ++turn) {
      sources.push_back(opened(path));
      kept.push_back(vet(*sources.back().source, options));
    }
  });
  const Report& report = kept.back()->report;
  outcome.words = verdict_name(report.verdict);
  constexpr std::size_t kShown = 8;
  for (std::size_t at = report.findings.size() - std::min(kShown, report.findings.size());
       at < report.findings.size(); ++at)
    outcome.rules += std::string(outcome.rules.empty() ? "" : " ") +
                     std::string(find_rule(report.findings[at].rule)->slug);
  return outcome;
}

[[nodiscard]] Outcome run_read(const char* path, bool read) {
  tool::OpenedSource source;
  FileModel file;
  Outcome outcome;
  outcome.nanoseconds = nanoseconds_of([&] {
    source = opened(path);
    if (read) file = read_model(*source.source, Limits{});
  });
  outcome.words = !read ? "opened" : file.complete() ? "read" : "stopped";
  return outcome;
}

[[nodiscard]] Outcome run_names(const char* path, bool hashes_equal) {
  const tool::OpenedSource source = opened(path);
  const FileModel file = read_model(*source.source, Limits{});
  const bool of_tensors = !file.tensors.empty();
  const auto name_of = [&](std::uint32_t index) {
    return of_tensors ? file.tensors[index].name : file.pairs[index].key;
  };
  const std::size_t count = of_tensors ? file.tensors.size() : file.pairs.size();
  std::vector<DuplicatePair> pairs;
  Outcome outcome;
  outcome.nanoseconds = nanoseconds_of([&] {
    pairs = hashes_equal ? find_duplicates(count, name_of, [](std::string_view) { return std::uint64_t{0}; })
                         : find_duplicates(count, name_of);
  });
  outcome.words = std::to_string(pairs.size()) + " duplicates among " + std::to_string(count);
  return outcome;
}

[[nodiscard]] Outcome run_memcpy(const char* path) {
  const tool::OpenedSource source = opened(path);
  const FileModel file = read_model(*source.source, Limits{});
  std::vector<std::byte> from(static_cast<std::size_t>(file.directory_end));
  if (!source.source->read(0, from)) fail("reading failed");
  std::vector<std::byte> to(from.size());
  std::memcpy(to.data(), from.data(), from.size());  // once to have the pages
  Outcome outcome;
  outcome.nanoseconds = nanoseconds_of([&] { std::memcpy(to.data(), from.data(), from.size()); });
  outcome.words = std::memcmp(to.data(), from.data(), from.size()) == 0 ? "copied" : "differs";
  return outcome;
}

// The part of mainline's interface that is called, as its header gguf.h declares it.
struct GgufInitParams {
  bool no_alloc;
  void** context;
};
using GgufInitFromFile = void* (*)(const char*, GgufInitParams);
using GgufCount = std::int64_t (*)(const void*);

template <class Function>
[[nodiscard]] Function symbol(void* library, const char* name) {
  void* const found = ::dlsym(library, name);
  if (found == nullptr) fail(std::string("the library has no ") + name);
  return reinterpret_cast<Function>(found);
}

[[nodiscard]] Outcome run_ggml(const char* path, int repeats, const char* library_path) {
  void* const library = ::dlopen(library_path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) fail(::dlerror());
  const auto init = symbol<GgufInitFromFile>(library, "gguf_init_from_file");
  const auto pairs = symbol<GgufCount>(library, "gguf_get_n_kv");
  const auto tensors = symbol<GgufCount>(library, "gguf_get_n_tensors");
  void* context = nullptr;
  Outcome outcome;
  outcome.nanoseconds = nanoseconds_of([&] {
    for (int turn = 0; turn < repeats; ++turn) context = init(path, {true, nullptr});
  });
  outcome.words = context == nullptr ? "refused"
                                     : "loaded " + std::to_string(pairs(context)) + " pairs, " +
                                           std::to_string(tensors(context)) + " tensors";
  return outcome;
}

// Peak of this program's memory, mapped files included. Not from getrusage: that keeps the peak of the
// process that started this one.
[[nodiscard]] long own_peak_kib() {
  std::ifstream status("/proc/self/status");
  std::string line;
  while (std::getline(status, line))
    if (line.starts_with("VmHWM:")) return std::atol(line.c_str() + 6);
  return 0;
}

// Of another program. What this small process has itself (about 2 MiB) is the least it can tell.
[[nodiscard]] int print_peak_of(char** command) {
  const pid_t child = ::fork();
  if (child < 0) fail("fork failed");
  if (child == 0) {
    if (std::freopen("/dev/null", "w", stdout) != nullptr) ::execv(command[0], command);
    std::_Exit(127);
  }
  int status = 0;
  struct rusage usage {};
  if (::wait4(child, &status, 0, &usage) != child || !WIFEXITED(status) || WEXITSTATUS(status) == 127)
    fail(std::string(command[0]) + " could not be run");
  std::printf("{\"peak_kib\": %ld, \"status\": %d}\n", usage.ru_maxrss, WEXITSTATUS(status));
  return 0;
}

constexpr const char* kUsage =
    "usage: bench_probe nothing|read|vet|structure|names|hashes|memcpy|ggml FILE [REPEATS] [LIBRARY]\n"
    "       bench_probe peak PROGRAM [ARGUMENT]…";

[[nodiscard]] Outcome run(const std::string& mode, const char* path, int repeats, const char* library) {
  if (mode == "vet" || mode == "structure") return run_vet(path, repeats, mode == "vet");
  if (mode == "read" || mode == "nothing") return run_read(path, mode == "read");
  if (mode == "names" || mode == "hashes") return run_names(path, mode == "hashes");
  if (mode == "memcpy") return run_memcpy(path);
  if (mode == "ggml" && library != nullptr) return run_ggml(path, repeats, library);
  fail(kUsage);
}

}  // namespace
}  // namespace ggufvet::bench

int main(int argc, char** argv) {
  using namespace ggufvet::bench;
  if (argc < 3) fail(kUsage);
  if (std::string(argv[1]) == "peak") return print_peak_of(argv + 2);
  const Outcome outcome =
      run(argv[1], argv[2], argc > 3 ? std::max(1, std::atoi(argv[3])) : 1, argc > 4 ? argv[4] : nullptr);
  std::printf("{\"nanoseconds\": %.0f, \"outcome\": \"%s\", \"rules\": \"%s\", \"peak_kib\": %ld}\n",
              outcome.nanoseconds, outcome.words.c_str(), outcome.rules.c_str(), own_peak_kib());
  return 0;
}
