#include "ggufvet/vet/deep_scan.h"

#include <algorithm>
#include <cstring>
#include <random>

#include "ggufvet/types/type_registry.h"
#include "ggufvet/vet/support_test.h"
#include "ggufvet/write/gguf_builder.h"

namespace ggufvet {
namespace {

// A file whose directory is built and whose tensor data are one tile of bytes over and over, with patches: as
// large as a test likes without taking the memory.
class TiledSource final : public ByteSource {
 public:
  TiledSource(Bytes prefix, std::uint64_t data_bytes, Bytes tile)
      : prefix_(std::move(prefix)), tile_(std::move(tile)), size_(prefix_.size() + data_bytes) {}

  void patch(std::uint64_t offset, Bytes bytes) {
    patches_.emplace_back(prefix_.size() + offset, std::move(bytes));
  }
  void fail_at(std::uint64_t offset) { failing_ = prefix_.size() + offset; }

  std::uint64_t size() const override { return size_; }
  IoResult<std::span<const std::byte>> window(std::uint64_t) override {
    return std::span<const std::byte>(prefix_);
  }
  IoResult<void> read(std::uint64_t offset, std::span<std::byte> out) override {
    if (failing_ && offset <= *failing_ && *failing_ < offset + out.size())
      return tl::unexpected<IoError>(IoError{IoError::Operation::read, 5, *failing_});
    for (std::uint64_t at = 0; at < out.size();) {
      const std::uint64_t place = offset + at;
      const bool in_prefix = place < prefix_.size();
      const Bytes& from = in_prefix ? prefix_ : tile_;
      const std::uint64_t begin = in_prefix ? place : (place - prefix_.size()) % tile_.size();
      const std::uint64_t count = std::min<std::uint64_t>(out.size() - at, from.size() - begin);
      std::memcpy(out.data() + at, from.data() + begin, count);
      at += count;
    }
    for (const auto& [begin, bytes] : patches_)
      for (std::size_t byte = 0; byte < bytes.size(); ++byte)
        if (begin + byte >= offset && begin + byte - offset < out.size())
          out[begin + byte - offset] = bytes[byte];
    return {};
  }
  std::uint64_t bytes_read() const override { return 0; }

 private:
  Bytes prefix_, tile_;
  std::uint64_t size_;
  std::vector<std::pair<std::uint64_t, Bytes>> patches_;
  std::optional<std::uint64_t> failing_;
};

TiledSource tiled(const TypeInfo& type, std::vector<std::uint64_t> shape, Bytes tile) {
  const BuiltFile built = GgufBuilder{}.tensor("w", type.id, shape).build();
  Bytes prefix = built.bytes;
  prefix.resize(built.at("padding").end);
  shape.resize(4, 1);
  const std::uint64_t bytes = *tensor_bytes(*type.layout, {shape[0], shape[1], shape[2], shape[3]});
  return {std::move(prefix), (bytes + 31) / 32 * 32, std::move(tile)};
}

VetOptions deep_options(DialectId dialect, unsigned jobs = 1) {
  VetOptions options;
  options.dialect = dialect;
  options.deep.scan = true;
  options.deep.jobs = jobs;
  return options;
}

struct Planted {
  Bytes bytes;
  std::string_view slug;
};

// A bad value of a field, and the rule it must raise; no bytes when the field cannot be bad.
Planted bad_value(const BlockField& field) {
  const auto bytes = [](std::uint64_t bits, std::size_t count) {
    Bytes all(8);
    store(all.data(), bits, ByteOrder::little);
    all.resize(count);
    return all;
  };
  switch (field.role) {
    case Role::element_f16:
      return {bytes(0x7E00, 2), "payload-element-not-finite"};
    case Role::element_bf16:
      return {bytes(0x7F80, 2), "payload-element-not-finite"};
    case Role::element_f32:
      return {bytes(0xFF800000, 4), "payload-element-not-finite"};
    case Role::element_f64:
      return {bytes(0x7FF8000000000000, 8), "payload-element-not-finite"};
    case Role::scale_f16:
      return {bytes(0x7C00, 2), "payload-scale-not-finite"};
    case Role::scale_f32:
      return {bytes(0x7FC00000, 4), "payload-scale-not-finite"};
    case Role::scale_f16_scattered:
      return {bytes(0xF000F000F000F000, 8), "payload-scale-not-finite"};
    case Role::minimum_f16:
    case Role::sum_f16:
      return {bytes(0xFE00, 2), "payload-minimum-not-finite"};
    case Role::sum_f32:
      return {bytes(0x7F800000, 4), "payload-minimum-not-finite"};
    case Role::scale_e8m0:
      return {bytes(0xFF, 1), "payload-scale-e8m0-nan"};
    case Role::scale_ue4m3:
    case Role::minimum_ue4m3:
      return {bytes(0x7F, 1), "payload-scale-ue4m3-nan"};
    default:
      break;
  }
  switch (field.form) {
    case CodeForm::ternary:
      return {bytes(0x03, 1), "payload-code-not-canonical"};
    case CodeForm::trits_5:
      return {bytes(0x01, 1), "payload-code-not-canonical"};
    case CodeForm::trits_4:
      return {bytes(0x02, 1), "payload-code-not-canonical"};
    case CodeForm::e4m3fn:
      return {bytes(0x7F, 1), "payload-element-not-finite"};
    case CodeForm::any:
      break;
  }
  return {};
}

std::vector<PlacedFinding> found_by(TiledSource& source, const VetOptions& options) {
  auto findings = placed(vet(source, options)->report.findings);
  // A tile of zeros is a tensor of zeros but for the fault.
  std::erase_if(findings, [](const PlacedFinding& finding) { return !finding.slug.starts_with("payload-"); });
  return findings;
}

}  // namespace

TEST_CASE("one bad value among a million blocks is found and located, for each field of each type") {
  std::size_t planted = 0;
  for (const TypeInfo& type : all_types()) {
    const TypeLayout& layout = *type.layout;
    if (!layout.known() || layout.formula != SizeFormula::none || layout.row_group != 1) continue;
    if (find_type(type.dialect, type.id) != &type || aliases_of(layout)[0] != &type) continue;
    if (type.status == TypeStatus::retired) continue;
    const std::uint64_t row_blocks = 1000, rows = 1000;
    const std::uint64_t row_size = *row_bytes(layout, row_blocks * layout.block_elements);
    for (const bool header : {false, true})
      for (const BlockField& field : header ? layout.row_header_fields : layout.fields) {
        const Planted bad = bad_value(field);
        if (bad.bytes.empty()) continue;
        INFO(type.name << " " << field.name);
        TiledSource source = tiled(type, {row_blocks * layout.block_elements, rows}, Bytes(row_size));
        const std::uint64_t block = header ? 0 : 723;
        const std::uint64_t at = 481 * row_size +
                                 (header ? 0 : layout.row_header_bytes + block * layout.block_bytes) +
                                 field.begin;
        source.patch(at, bad.bytes);
        source.patch(rows * row_size - 1, {std::byte{1}});  // else it would look cut off
        const std::uint64_t begin = source.size() - (rows * row_size + 31) / 32 * 32 + at;
        const auto findings = found_by(source, deep_options(type.dialect, 2));
        REQUIRE(findings.size() == 1);
        CHECK(findings[0].slug == bad.slug);
        CHECK(findings[0].where == ByteRange{begin, begin + bad.bytes.size()});
        ++planted;
      }
  }
  CHECK(planted > 70);
}

TEST_CASE("block, element, expert and count are told, the first places only") {
  const TypeInfo& q4_k = *find_type(DialectId::ggml, "Q4_K");
  TiledSource source = tiled(q4_k, {512, 3, 5}, Bytes(144));
  const Bytes nan{std::byte{0}, std::byte{0x7E}};
  for (const std::uint64_t block : {7U, 8U, 20U, 21U, 29U}) source.patch(block * 144, nan);
  const auto vetted = vet(source, deep_options(DialectId::ggml));
  REQUIRE(vetted->report.findings.size() == PayloadSubject::kPlacesMax);
  const auto& args = vetted->report.findings[1].args;
  CHECK(args[0] == 8);        // block
  CHECK(args[1] == 8 * 256);  // element
  CHECK(args[2] == 8 / 6);    // expert: six blocks each
  CHECK(args[3] == 5);        // in the tensor
}

TEST_CASE("rows with headers: block and element count through rows") {
  const TypeInfo& type = *find_type(DialectId::ik_llama, "IQ4_KS");
  const std::uint64_t row = 4 + 3 * 136;
  TiledSource source = tiled(type, {768, 10}, Bytes(row));
  source.patch(6 * row, {std::byte{0}, std::byte{0}, std::byte{0x80}, std::byte{0x7F}});
  const auto vetted = vet(source, deep_options(DialectId::ik_llama));
  REQUIRE(vetted->report.findings.size() == 1);
  CHECK(vetted->report.findings[0].args[0] == 18);
  CHECK(vetted->report.findings[0].args[1] == 6 * 768);
  CHECK(vetted->report.findings[0].args[2] == kNoExpert);
}

TEST_CASE("any number of threads finds the same") {
  const TypeInfo& q8_0 = *find_type(DialectId::ggml, "Q8_0");
  TiledSource source = tiled(q8_0, {32 * 1024, 256}, Bytes(34));
  source.patch(34 * 1024 * 256 - 1, {std::byte{1}});
  std::mt19937_64 random(5);
  for (int fault = 0; fault < 40; ++fault)
    source.patch(random() % (1024 * 256) * 34, {std::byte{0}, std::byte{0x7C}});
  const auto one = vet(source, deep_options(DialectId::ggml, 1))->report.findings;
  REQUIRE(one.size() == PayloadSubject::kPlacesMax);
  for (const unsigned jobs : {2U, 5U, 16U})
    CHECK(vet(source, deep_options(DialectId::ggml, jobs))->report.findings == one);
}

namespace {

class Everything final : public ByteSink {
 public:
  void take(std::span<const std::byte> bytes) override { all.insert(all.end(), bytes.begin(), bytes.end()); }
  Bytes all;
};

}  // namespace

TEST_CASE("a byte sink sees every byte once in order, and the scan finds what it finds without one") {
  GgufBuilder builder;
  builder.tensor("a", "Q4_0", {32 * 5000, 3})
      .tensor("b", "F32", {7})
      .tensor("c", "TQ2_0", {256, 900})
      .append({std::byte{1}});
  BuiltFile file = builder.build();
  const std::uint64_t bad = file.at("tensor[2].data").begin + 66 * 333 + 65;
  file.bytes[bad] = std::byte{0x7C};
  MemorySource source(file.bytes);
  VetOptions options = deep_options(DialectId::ggml);
  const auto plain = vet(source, options)->report.findings;
  Everything everything;
  options.deep.bytes = &everything;
  CHECK(vet(source, options)->report.findings == plain);
  CHECK((everything.all == file.bytes));
  CHECK(std::any_of(plain.begin(), plain.end(), [bad](const Finding& finding) {
    return find_rule(finding.rule)->slug == "payload-scale-not-finite" && finding.where.end == bad + 1;
  }));
}

TEST_CASE("a read that fails leaves the verdict undecided, with the place") {
  const TypeInfo& f16 = *find_type(DialectId::ggml, "F16");
  TiledSource source = tiled(f16, {1024, 8192}, Bytes(2, std::byte{1}));
  source.fail_at(9'000'000);
  for (const unsigned jobs : {1U, 3U}) {
    const Report report = vet(source, deep_options(DialectId::ggml, jobs))->report;
    CHECK(report.verdict == Verdict::undecided);
    CHECK_FALSE(report.deep.finished);
    REQUIRE(report.findings.size() == 1);
    CHECK(find_rule(report.findings[0].rule)->slug == "read-failed");
  }
}

TEST_CASE("an interrupted scan is undecided; faults found before still reject where they are errors") {
  const TypeInfo& f16 = *find_type(DialectId::ggml, "F16");
  TiledSource source = tiled(f16, {1024, 8192}, Bytes(2, std::byte{1}));
  std::atomic<bool> stop{true};
  VetOptions options = deep_options(DialectId::ggml);
  options.deep.stop = &stop;
  const Report report = vet(source, options)->report;
  CHECK(report.verdict == Verdict::undecided);
  REQUIRE(report.findings.size() == 1);
  CHECK(find_rule(report.findings[0].rule)->slug == "scan-interrupted");
}

TEST_CASE("tensors that overlap are read once: no file makes us read more than it has") {
  GgufBuilder builder;
  for (int index = 0; index < 50; ++index)
    builder.tensor("t" + std::to_string(index), "F32", {1024}).offset(0);
  const BuiltFile file = builder.data(Bytes(4096, std::byte{1})).build();
  const Report report = vet_bytes(file.bytes, deep_options(DialectId::ggml));
  CHECK(report.deep.bytes_scanned == 4096);
  CHECK(report.deep.tensors_left_out == 49);
}

TEST_CASE("a tensor cut off by the file's end is scanned as far as it goes") {
  BuiltFile file = GgufBuilder{}.tensor("w", "Q8_0", {32, 100}).build();
  const std::uint64_t data = file.at("tensor[0].data").begin;
  file.bytes[data + 34 * 20 + 1] = std::byte{0x7C};
  file.bytes.resize(data + 34 * 50 + 7);
  const Report report = vet_bytes(file.bytes, deep_options(DialectId::ggml));
  CHECK(report.verdict == Verdict::reject);
  CHECK(report.deep.bytes_scanned == 34 * 50 + 7);
  CHECK(std::any_of(report.findings.begin(), report.findings.end(), [](const Finding& finding) {
    return find_rule(finding.rule)->slug == "payload-scale-not-finite";
  }));
}

}  // namespace ggufvet
