// The same file told in other ways must be judged in the same way: in the other byte order, cut off anywhere,
// out of other sources, through other windows.
#include <filesystem>
#include <unistd.h>

#include "ggufvet/source/exact_source_test.h"
#include "ggufvet/source/file_source.h"
#include "ggufvet/source/mapped_source.h"
#include "ggufvet/vet/support_test.h"
#include "ggufvet/write/gguf_builder.h"

namespace ggufvet {
namespace {

// Where the parts of a file lie that a cut can fall into.
struct Parts {
  BuiltFile file;
  std::uint64_t directory_end = 0;
  std::uint64_t data_begin = 0;
  std::uint64_t data_end = 0;
};

Parts parts_of(const GgufBuilder& builder) {
  Parts parts{builder.build(), 0, 0, 0};
  parts.directory_end = parts.file.at("padding").begin;
  parts.data_begin = parts.file.at("padding").end;
  const std::size_t last = builder.spec().tensors.size() - 1;
  parts.data_end = parts.file.at("tensor[" + std::to_string(last) + "].data").end;
  return parts;
}

GgufBuilder whole_file() {
  GgufBuilder builder;
  builder.pair("general.name", string_value("whole"))
      .pair("numbers",
            array_value(ValueType::u16, {number_value(ValueType::u16, 1), number_value(ValueType::u16, 2)}))
      .pair("tokens",
            array_value(ValueType::string, {string_value("<s>"), string_value(""), string_value("\xc3\xa9")}))
      .pair("flag", number_value(ValueType::boolean, 1))
      .pair("large", number_value(ValueType::f64, 0x3FF8000000000000))
      .tensor("first.weight", "F32", {5, 3})
      .tensor("second.weight", "Q4_0", {32, 2})
      .tensor("third.weight", "F16", {7});
  return builder;
}

GgufBuilder aligned_file() {
  GgufBuilder builder;
  builder.pair("general.alignment", u32_value(256)).tensor("a", "F32", {3}).tensor("b", "I8", {300});
  return builder;
}

GgufBuilder scalar_file() {
  GgufBuilder builder;
  builder.pair("k", number_value(ValueType::u8, 1)).tensor("x", "I8", {1});
  return builder;
}

void check_cut(const Parts& parts, std::uint64_t cut) {
  const auto bytes = std::span<const std::byte>(parts.file.bytes).first(static_cast<std::size_t>(cut));
  const Report report = vet_bytes(bytes);
  INFO("cut at " << cut);
  REQUIRE(report.findings.size() == 1);
  const Finding& finding = report.findings[0];
  const Rule& rule = *find_rule(finding.rule);
  CHECK(finding.where.begin <= cut);
  CHECK(finding.where.end <= cut);
  if (cut >= parts.data_end) {
    CHECK(rule.slug == "data-final-padding-missing");
    CHECK(finding.severity == Severity::info);
    CHECK(report.verdict == Verdict::accept);
    return;
  }
  CHECK(rule.kind == FindingClass::malformed);
  CHECK(report.verdict == Verdict::reject);
  if (cut < parts.directory_end)
    CHECK(rule.stop != StopReason::none);
  else
    CHECK(rule.slug == (cut < parts.data_begin ? "data-start-past-end" : "data-cut-short"));
}

Report vet_source(ByteSource& source, const VetOptions& options) { return vet(source, options)->report; }

VetOptions with_windows(VetOptions options, std::uint64_t first, std::uint64_t growth) {
  options.limits.window_bytes_first = first;
  options.limits.window_growth = growth;
  return options;
}

void check_same(const Report& report, const Report& wanted) {
  CHECK((report.findings == wanted.findings));
  CHECK(report.verdict == wanted.verdict);
  CHECK(report.counts.error == wanted.counts.error);
  CHECK(report.counts.warning == wanted.counts.warning);
  CHECK(report.counts.info == wanted.counts.info);
}

// A file in the temporary folder that goes away with the test.
class TemporaryFile {
 public:
  explicit TemporaryFile(const Bytes& bytes) {
    std::string name = (std::filesystem::temp_directory_path() / "ggufvet-test-XXXXXX").string();
    const int descriptor = ::mkstemp(name.data());
    REQUIRE(descriptor >= 0);
    path_ = name;
    const auto written = ::write(descriptor, bytes.data(), bytes.size());
    ::close(descriptor);
    REQUIRE(written == static_cast<ssize_t>(bytes.size()));
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() { ::unlink(path_.c_str()); }

  [[nodiscard]] const char* path() const { return path_.c_str(); }

 private:
  std::string path_;
};

struct OpenFile {
  FileHandle handle;
  FileStamp stamp;
};

OpenFile open_file(const char* path) {
  auto handle = FileHandle::open_for_reading(path);
  REQUIRE(handle.has_value());
  const auto stamp = stamp_of(handle->get());
  REQUIRE(stamp.has_value());
  return {std::move(*handle), *stamp};
}

}  // namespace

TEST_CASE("a valid file cut off anywhere gives one finding, at or before the cut") {
  for (const GgufBuilder& builder : {whole_file(), aligned_file(), scalar_file()})
    for (const ByteOrder order : {ByteOrder::little, ByteOrder::big}) {
      const Parts parts = parts_of(GgufBuilder(builder).byte_order(order));
      REQUIRE(vet_bytes(parts.file.bytes).findings.empty());
      for (std::uint64_t cut = 0; cut < parts.file.bytes.size(); ++cut) check_cut(parts, cut);
    }
}

TEST_CASE("a case in the other byte order gives the same findings at the same places") {
  std::size_t compared = 0;
  for (const CorpusCase& each : corpus_cases()) {
    if (each.recipe.spec.raw || each.recipe.has_flag("byte-order")) continue;
    INFO(each.file.path);
    const auto twin = assemble_recipe(each.file.text, {.byte_order = ByteOrder::big});
    REQUIRE(twin.has_value());
    const VetOptions options = options_for(Profile::hardened, each.recipe.spec.dialect);
    const Report little = vet_bytes(each.recipe.file.bytes, options);
    const Report big = vet_bytes(twin->file.bytes, options);
    CHECK(placed(big.findings) == placed(little.findings));
    CHECK(big.verdict == little.verdict);
    ++compared;
  }
  CHECK(compared > 300);
}

TEST_CASE("windows of any size give the same findings") {
  for (const CorpusCase& each : corpus_cases())
    for (const ProfileInfo& info : kProfiles) {
      INFO(each.file.path << " under " << info.name);
      const VetOptions options = options_for(info.profile, each.recipe.spec.dialect);
      const Report wanted = vet_bytes(each.recipe.file.bytes, options);
      for (const std::uint64_t growth : {1U, 2U}) {
        ExactSource source(each.recipe.file.bytes);
        check_same(vet_source(source, with_windows(options, 1, growth)), wanted);
      }
      ExactSource source(each.recipe.file.bytes);
      check_same(vet_source(source, with_windows(options, 100, 4)), wanted);
    }
}

TEST_CASE("memory, file and mapping give the same findings") {
  REQUIRE(install_mapping_guard());
  for (const CorpusCase& each : corpus_cases()) {
    INFO(each.file.path);
    const TemporaryFile on_disk(each.recipe.file.bytes);
    const VetOptions options = options_for(Profile::publish, each.recipe.spec.dialect);
    const Report wanted = vet_bytes(each.recipe.file.bytes, options);
    OpenFile file = open_file(on_disk.path());
    FileSource read(std::move(file.handle), file.stamp);
    check_same(vet_source(read, options), wanted);
    file = open_file(on_disk.path());
    FileSource read_in_pieces(std::move(file.handle), file.stamp);
    check_same(vet_source(read_in_pieces, with_windows(options, 1, 2)), wanted);
    if (each.recipe.file.bytes.empty()) continue;
    file = open_file(on_disk.path());
    MappedSource mapped(std::move(file.handle), file.stamp);
    REQUIRE(mapped.map().has_value());
    check_same(vet_source(mapped, options), wanted);
  }
}

}  // namespace ggufvet
