// What vetting costs: memory in proportion to the file whatever its counts say, work near linear in it.
// Counted, not timed, so that a slow machine cannot fail it and a quadratic step cannot pass.
#include <atomic>
#include <bit>
#include <cstdlib>
#include <new>

#include <catch2/catch_test_macros.hpp>

#include "ggufvet/base/duplicates.h"
#include "ggufvet/source/exact_source_test.h"
#include "ggufvet/vet/support_test.h"
#include "ggufvet/write/gguf_builder.h"

namespace {

std::atomic<std::size_t> allocated_bytes{0};

void* counted_allocation(std::size_t bytes) {
  allocated_bytes.fetch_add(bytes, std::memory_order_relaxed);
  void* const memory = std::malloc(bytes == 0 ? 1 : bytes);
  if (memory == nullptr) std::abort();
  return memory;
}

}  // namespace

// For the whole test program. All forms but the aligned ones, which nothing here uses: a sanitizer's own
// would not fit the others.
void* operator new(std::size_t bytes) { return counted_allocation(bytes); }
void* operator new[](std::size_t bytes) { return counted_allocation(bytes); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return counted_allocation(bytes); }
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept { return counted_allocation(bytes); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { std::free(memory); }

namespace ggufvet {
namespace {

// A buffer for padding, the rules a profile asks, the report: the same for every file.
constexpr std::size_t kFixedBytesMax = 64 << 10;
// A record in memory is several times its smallest size in a file, and vectors of findings double.
constexpr std::size_t kBytesPerFileByteMax = 40;

std::size_t bytes_to_vet(std::span<const std::byte> bytes, const VetOptions& options) {
  MemorySource source(bytes);
  const std::size_t before = allocated_bytes.load();
  static_cast<void>(vet(source, options));
  return allocated_bytes.load() - before;
}

// Length-prefixed strings, packed as in an array.
Bytes packed_strings(std::size_t count, std::string_view stem) {
  Bytes bytes;
  for (std::size_t index = 0; index < count; ++index) {
    const std::string text = std::string(stem) + std::to_string(index);
    std::array<std::byte, 8> length{};
    store(length.data(), std::uint64_t{text.size()}, ByteOrder::little);
    bytes.insert(bytes.end(), length.begin(), length.end());
    const Bytes letters = bytes_of(text);
    bytes.insert(bytes.end(), letters.begin(), letters.end());
  }
  return bytes;
}

ValueSpec many_strings(std::size_t count, std::string_view stem) {
  ValueSpec value = array_value(ValueType::string, {});
  value.count = count;
  value.raw = packed_strings(count, stem);
  return value;
}

BuiltFile many_tensors(std::size_t count) {
  GgufBuilder builder;
  for (std::size_t index = 0; index < count; ++index)
    builder.tensor("expert." + std::to_string(index) + ".gate.weight", "F16", {4, 3});
  return builder.build();
}

// How often a text is looked at to find the duplicates among `count` of them.
template <class Hash>
std::uint64_t looks_at_texts(std::size_t count, const Hash& hash) {
  std::vector<std::string> texts;
  for (std::size_t index = 0; index < count; ++index) texts.push_back("tensor." + std::to_string(index));
  std::uint64_t looks = 0;
  const auto text_of = [&](std::uint32_t index) {
    ++looks;
    return std::string_view(texts[index]);
  };
  CHECK(find_duplicates(count, text_of, hash).empty());
  return looks;
}

}  // namespace

TEST_CASE("no file makes us allocate more than in proportion to its size") {
  for (const CorpusCase& each : corpus_cases())
    for (const ProfileInfo& info : kProfiles) {
      INFO(each.file.path << " under " << info.name);
      const std::size_t file_bytes = each.recipe.file.bytes.size();
      const std::size_t allocated =
          bytes_to_vet(each.recipe.file.bytes, options_for(each.recipe, info.profile));
      CHECK(allocated <= kFixedBytesMax + kBytesPerFileByteMax * file_bytes);
    }
}

TEST_CASE("the largest counts that a file can hold cost a small multiple of it") {
  // Zeros read as empty keys of type u8 and as empty names of rank 0: as many records as there can be.
  constexpr std::size_t kBytes = 1 << 20;
  const BuiltFile pairs = GgufBuilder{}.pair_count(kBytes / kPairBytesMin).append(Bytes(kBytes)).build();
  const BuiltFile tensors =
      GgufBuilder{}.tensor_count(kBytes / kTensorBytesMin).append(Bytes(kBytes)).build();
  CHECK(bytes_to_vet(pairs.bytes, {}) <= kFixedBytesMax + kBytesPerFileByteMax * pairs.bytes.size());
  CHECK(bytes_to_vet(tensors.bytes, {}) <= kFixedBytesMax + kBytesPerFileByteMax * tensors.bytes.size());
}

TEST_CASE("a vocabulary of 262,144 tokens and 500,000 merges is accepted, at less than its own size") {
  const BuiltFile file = GgufBuilder{}
                             .pair("tokenizer.ggml.tokens", many_strings(262'144, "token"))
                             .pair("tokenizer.ggml.merges", many_strings(500'000, "a b"))
                             .tensor("x", "F32", {4})
                             .build();
  const Report report = vet_bytes(file.bytes);
  CHECK(report.verdict == Verdict::accept);
  CHECK(report.counts.warning == 0);
  CHECK(bytes_to_vet(file.bytes, {}) <= file.bytes.size());
  // Mainline's reader asks nothing about what the strings mean, so its profile copies none of them.
  CHECK(bytes_to_vet(file.bytes, options_for(Profile::ggml)) <= kFixedBytesMax);
}

TEST_CASE("windows onto a large vocabulary are read a constant number of times in all") {
  const BuiltFile file = GgufBuilder{}.pair("tokenizer.ggml.tokens", many_strings(262'144, "token")).build();
  ExactSource source(file.bytes);
  CHECK(vet(source, {})->report.verdict == Verdict::accept);
  CHECK(source.window_count <= 8);
  // Each window is a quarter of the next and the last no longer than the file: 1 + 1 + 1/4 + 1/16 …
  CHECK(3 * source.bytes_read() <= 7 * file.bytes.size());
}

TEST_CASE("100,000 tensors are accepted, with few reads and memory in proportion") {
  const BuiltFile file = many_tensors(100'000);
  ExactSource source(file.bytes);
  const auto vetted = vet(source, {});
  CHECK(vetted->report.findings.empty());
  CHECK(vetted->report.verdict == Verdict::accept);
  // Neighbouring paddings are read together, in pieces of kilobytes.
  CHECK(source.read_count <= file.bytes.size() / 4096);
  CHECK(bytes_to_vet(file.bytes, {}) <= kFixedBytesMax + kBytesPerFileByteMax * file.bytes.size());
}

TEST_CASE("looking for duplicates is near linear, even when every hash is equal") {
  const auto equal_hashes = [](std::string_view) { return std::uint64_t{0}; };
  for (const std::size_t count : {std::size_t{1} << 12, std::size_t{1} << 16}) {
    INFO(count << " texts");
    // Honest hashes: each text is hashed once, and next to none are compared.
    CHECK(looks_at_texts(count, hash_text) <= count + count / 16);
    // One hash for all: what sorting costs, two texts a comparison.
    const auto logarithm = static_cast<std::uint64_t>(std::bit_width(count));
    CHECK(looks_at_texts(count, equal_hashes) <= 6 * count * logarithm);
  }
}

}  // namespace ggufvet
