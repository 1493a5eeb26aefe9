// conformance_verify: holds the decoders, quantisers and block structs to every golden vector.
//
//   conformance_verify [--regen] [--quiet] GOLDEN_DIRECTORY
//
// Every decode vector is run through the plain decoder, through the form chosen for this CPU, and once more
// with its wide fields swapped as a big-endian file holds them. Exit status: 0 all equal, 1 a mismatch or a
// vector that nothing checks, 2 usage or an unreadable file. --regen writes the outputs of files whose origin
// is "derived" anew; measured files are never written.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <set>

#include "ggufvet/types/decode_table.h"
#include "golden_json.h"
#include "golden_layouts.h"

namespace {

using namespace ggufvet;
using namespace ggufvet::golden;

struct Tally {
  int passed = 0;
  int failed = 0;
  int skipped = 0;  // no quantiser of ours: counted, never silent
};

struct Run {
  bool regen = false;
  bool quiet = false;
  std::map<std::string, Tally> by_type;
  const Json* notes = nullptr;

  Tally total() const {
    Tally sum;
    for (const auto& [type, tally] : by_type) {
      sum.passed += tally.passed;
      sum.failed += tally.failed;
      sum.skipped += tally.skipped;
    }
    return sum;
  }

  void report(const std::string& type, const Json& vector, const std::string& problem) {
    std::cout << "FAIL " << vector.at("id").get<std::string>() << ": " << problem << "\n";
    if (notes != nullptr && !quiet)
      for (const Json& flag : vector.value("flags", Json::array()))
        std::cout << "     " << flag.get<std::string>() << ": "
                  << notes->value(flag.get<std::string>(), std::string("(no note)")) << "\n";
    ++by_type[type].failed;
  }
};

// What the decoders made of one input: the plain one's values (in full when they are few), and whether the
// others agree.
struct Outcome {
  OutputRecord record;
  std::vector<float> values;
  std::string disagreement;
};

constexpr std::size_t kPieceFloatsMax = 16384;
constexpr std::size_t kKeptFloatsMax = 65536;

bool same_values(std::span<const float> a, std::span<const float> b) {
  return std::memcmp(a.data(), b.data(), a.size_bytes()) == 0 || floats_to_hex(a) == floats_to_hex(b);
}

void add_values(Outcome& outcome, std::span<const float> values) {
  outcome.record.add(values);
  if (outcome.values.size() + values.size() <= kKeptFloatsMax)
    outcome.values.insert(outcome.values.end(), values.begin(), values.end());
}

// A row, or a run of blocks of a row without a header, through every form.
void decode_piece(const Codec& codec, std::span<const std::byte> bytes, const BlockShape& shape,
                  std::uint64_t blocks, Outcome& outcome) {
  const std::uint64_t elements = blocks * shape.block_elements;
  std::vector<float> plain(elements), other(elements);
  codec.decode(bytes.data(), elements, ByteOrder::little, plain.data());
  add_values(outcome, plain);
  const DecodeRow chosen = find_decoder(codec.label);
  if (chosen != codec.decode) {
    chosen(bytes.data(), elements, ByteOrder::little, other.data());
    if (!same_values(plain, other)) outcome.disagreement = "the vector form gives other values";
  }
  std::vector<std::byte> swapped(bytes.begin(), bytes.end());
  swap_wide_fields(swapped, shape, {1, blocks});
  chosen(swapped.data(), elements, ByteOrder::big, other.data());
  if (!same_values(plain, other))
    outcome.disagreement = "the big-endian form of the input gives other values";
}

void decode_tensor(const Codec& codec, const std::vector<std::byte>& bytes, const BlockShape& shape,
                   InputSize size, Outcome& outcome) {
  const std::uint64_t row_elements = size.blocks * shape.block_elements;
  std::vector<float> plain(size.rows * row_elements), other(size.rows * row_elements);
  codec.decode_tensor(bytes.data(), row_elements, size.rows, ByteOrder::little, plain.data());
  add_values(outcome, plain);
  std::vector<std::byte> swapped = bytes;
  swap_wide_fields(swapped, shape, size);
  codec.decode_tensor(swapped.data(), row_elements, size.rows, ByteOrder::big, other.data());
  if (!same_values(plain, other))
    outcome.disagreement = "the big-endian form of the input gives other values";
}

void decode_all(const Codec& codec, const std::vector<std::byte>& bytes, const BlockShape& shape,
                InputSize size, Outcome& outcome) {
  if (codec.decode_tensor != nullptr) return decode_tensor(codec, bytes, shape, size, outcome);
  const std::uint64_t row_bytes = row_bytes_of(shape, size);
  const std::uint64_t piece_blocks = shape.row_header_bytes != 0
                                         ? size.blocks
                                         : std::max<std::uint64_t>(1, kPieceFloatsMax / shape.block_elements);
  for (std::uint64_t row = 0; row < size.rows; ++row) {
    for (std::uint64_t begin = 0; begin < size.blocks; begin += piece_blocks) {
      const std::uint64_t blocks = std::min(piece_blocks, size.blocks - begin);
      const std::uint64_t piece_bytes = shape.row_header_bytes + blocks * shape.block_bytes;
      decode_piece(codec, std::span(bytes).subspan(row * row_bytes + begin * shape.block_bytes, piece_bytes),
                   shape, blocks, outcome);
    }
  }
}

std::string compare_output(const Json& vector, const Outcome& outcome) {
  if (vector.contains("output")) {
    const auto expected = vector.at("output").get<std::string>();
    const std::string got = floats_to_hex(outcome.values);
    if (got == expected) return {};
    if (got.size() != expected.size()) return "expected " + std::to_string(expected.size() / 8) + " values";
    const auto at = static_cast<std::size_t>(std::ranges::mismatch(got, expected).in1 - got.begin()) / 8;
    return "element " + std::to_string(at) + " is " + got.substr(at * 8, 8) + ", expected " +
           expected.substr(at * 8, 8);
  }
  const std::string got = outcome.record.hash_hex();
  if (got == vector.value("output_xxh64_contracted", std::string{})) return "multiply and add were fused";
  if (got != vector.at("output_xxh64").get<std::string>())
    return "output hash is " + got + ", expected " + vector.at("output_xxh64").get<std::string>();
  if (vector.value("counts", Json::object()) != outcome.record.counts())
    return "counts of special values differ: " + outcome.record.counts().dump();
  return {};
}

// Fills `bytes`; the answer is empty, or what is wrong with the vector's own account of its input.
std::string make_input(const Json& vector, const BlockShape& shape, InputSize size,
                       std::vector<std::byte>& bytes) {
  const auto class_name = vector.at("class").get<std::string>();
  if (class_name == "bytes") {
    bytes = from_hex(vector.at("input").get<std::string>());
    if (bytes.size() != total_bytes_of(shape, size)) return "input has the wrong length";
    return {};
  }
  bytes = make_blocks(shape, class_name, vector.value("seed", std::uint64_t{0}), size);
  if (bytes.empty()) return "unknown class " + class_name;
  if (vector.contains("input") && to_hex(bytes) != vector.at("input").get<std::string>())
    return "the generator does not make the input";
  if (vector.contains("input_xxh64") && hash_hex(bytes) != vector.at("input_xxh64").get<std::string>())
    return "the generator does not make an input of this hash";
  return {};
}

constexpr std::size_t kOutputFloatsInFullMax = 512;

void regenerate(Json& vector, const Outcome& outcome, std::uint64_t floats,
                std::span<const std::byte> bytes) {
  for (const char* key : {"input_xxh64", "output", "output_xxh64", "counts"}) vector.erase(key);
  if (!vector.contains("input")) vector["input_xxh64"] = hash_hex(bytes);
  if (floats <= kOutputFloatsInFullMax)
    vector["output"] = floats_to_hex(outcome.values);
  else
    vector["output_xxh64"] = outcome.record.hash_hex();
  if (const Json counts = outcome.record.counts(); !counts.empty()) vector["counts"] = counts;
}

void verify_decode_group(Run& run, Json& group) {
  const auto type = group.at("type").get<std::string>();
  const BlockShape shape = read_shape(group);
  const Codec* codec = find_codec(type);
  const bool same_shape = codec != nullptr && codec->block_elements == shape.block_elements &&
                          codec->block_bytes == shape.block_bytes &&
                          codec->row_header_bytes == shape.row_header_bytes &&
                          (codec->decode != nullptr || codec->decode_tensor != nullptr);
  for (Json& vector : group.at("vectors")) {
    if (!same_shape) {
      run.report(type, vector, "no decoder for a block of this shape");
      continue;
    }
    const InputSize size = read_size(vector);
    if (codec->shape_fits != nullptr && !codec->shape_fits(size.blocks * shape.block_elements, size.rows)) {
      run.report(type, vector, "the decoder does not take this shape");
      continue;
    }
    std::vector<std::byte> bytes;
    if (const std::string problem = make_input(vector, shape, size, bytes); !problem.empty()) {
      run.report(type, vector, problem);
      continue;
    }
    Outcome outcome;
    decode_all(*codec, bytes, shape, size, outcome);
    if (run.regen) regenerate(vector, outcome, size.rows * size.blocks * shape.block_elements, bytes);
    std::string problem = compare_output(vector, outcome);
    if (problem.empty()) problem = outcome.disagreement;
    if (!problem.empty())
      run.report(type, vector, problem);
    else
      ++run.by_type[type].passed;
  }
}

// Bytes that the reference leaves as they were in blocks of zeros; ours are zero, the measuring buffer held
// something.
void apply_unwritten_bytes(const Json& vector, const Codec& codec, std::span<const float> values,
                           std::vector<std::byte>& bytes) {
  if (!vector.contains("unwritten_in_zero_blocks")) return;
  const Json& unwritten = vector.at("unwritten_in_zero_blocks");
  const auto begin = unwritten.at("begin").get<std::uint64_t>();
  const auto count = unwritten.at("bytes").get<std::uint64_t>();
  const auto held = static_cast<std::byte>(unwritten.at("held").get<unsigned>());
  for (std::uint64_t block = 0; block < values.size() / codec.block_elements; ++block) {
    const auto from = values.subspan(block * codec.block_elements, codec.block_elements);
    if (std::ranges::all_of(from, [](float value) { return value == 0.0f; }))
      std::ranges::fill(std::span(bytes).subspan(block * codec.block_bytes + begin, count), held);
  }
}

void verify_quantize_group(Run& run, const Json& group) {
  const auto type = group.at("type").get<std::string>();
  const Codec* codec = find_codec(type);
  for (const Json& vector : group.at("vectors")) {
    const bool of_reference =
        vector.contains("output_xxh64") || vector.value("via", std::string{}) == "from_float_ref";
    if (codec == nullptr || codec->quantize == nullptr || !of_reference) {
      ++run.by_type[type].skipped;
      continue;
    }
    const auto row_elements = vector.at("row_elements").get<std::uint64_t>();
    const auto rows = vector.at("rows").get<std::uint64_t>();
    const auto values = make_rows(vector.at("rows_of").get<std::string>(),
                                  vector.at("seed").get<std::uint64_t>(), rows, row_elements);
    if (vector.contains("input_xxh64") &&
        floats_hash_hex(values) != vector.at("input_xxh64").get<std::string>()) {
      run.report(type, vector, "the generator does not make an input of this hash");
      continue;
    }
    const std::uint64_t row_bytes = row_elements / codec->block_elements * codec->block_bytes;
    std::vector<std::byte> bytes(rows * row_bytes);
    for (std::uint64_t row = 0; row < rows; ++row)
      codec->quantize(values.data() + row * row_elements, row_elements, bytes.data() + row * row_bytes);
    apply_unwritten_bytes(vector, *codec, values, bytes);
    const bool equal = vector.contains("output")
                           ? to_hex(bytes) == vector.at("output").get<std::string>()
                           : hash_hex(bytes) == vector.at("output_xxh64").get<std::string>();
    if (equal)
      ++run.by_type[type].passed;
    else
      run.report(type, vector, "other bytes than the reference's");
  }
}

// A layout vector: where a field lies, and what its integers are in one block.
void verify_layout_group(Run& run, const Json& group) {
  const auto type = group.at("type").get<std::string>();
  const std::vector<std::byte> block = from_hex(group.at("block").get<std::string>());
  for (const Json& vector : group.at("vectors")) {
    const auto name = vector.at("field").get<std::string>();
    const auto fields = struct_fields();
    const auto* field = std::ranges::find_if(fields, [&](const StructField& f) {
                          return f.label == type && f.name == name;
                        }).base();
    if (field == fields.data() + fields.size()) {
      run.report(type, vector, "our block struct has no such field");
      continue;
    }
    std::string values;
    for (std::uint64_t at = field->begin; at < field->begin + field->bytes; at += field->unit) {
      auto number = std::vector(block.begin() + static_cast<std::ptrdiff_t>(at),
                                block.begin() + static_cast<std::ptrdiff_t>(at + field->unit));
      std::ranges::reverse(number);
      if (!values.empty()) values += ' ';
      values += to_hex(number);
    }
    if (field->begin != vector.at("begin").get<std::uint64_t>() ||
        field->bytes != vector.at("bytes").get<std::uint64_t>() ||
        field->unit != vector.at("unit").get<std::uint64_t>())
      run.report(type, vector, "our block struct has the field elsewhere or in another size");
    else if (values != vector.at("values").get<std::string>())
      run.report(type, vector, "values are " + values);
    else
      ++run.by_type[type].passed;
  }
}

void verify_file(Run& run, const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(in), {});
  Json file = Json::parse(text);
  if (file.at("schema") != "ggufvet.golden/1") throw std::runtime_error("unknown schema");
  const auto kind = file.at("kind").get<std::string>();
  const bool derived = file.at("origin") == "derived";
  Run part;
  part.quiet = run.quiet;
  part.regen = run.regen && derived && kind == "decode";
  part.notes = &file.at("notes");
  for (Json& group : file.at("groups")) {
    if (kind == "decode")
      verify_decode_group(part, group);
    else if (kind == "quantize")
      verify_quantize_group(part, group);
    else if (kind == "layout")
      verify_layout_group(part, group);
    else
      throw std::runtime_error("unknown kind");
  }
  if (part.regen) std::ofstream(path, std::ios::binary) << write_golden(file);
  std::cout << path.filename().string() << "\n";
  for (const auto& [type, tally] : part.by_type) {
    std::cout << "  " << type << ": " << tally.passed << " passed";
    if (tally.failed != 0) std::cout << ", " << tally.failed << " FAILED";
    if (tally.skipped != 0) std::cout << ", " << tally.skipped << " not checked";
    std::cout << "\n";
    Tally& sum = run.by_type[type];
    sum.passed += tally.passed;
    sum.failed += tally.failed;
    sum.skipped += tally.skipped;
  }
}

int verify_directory(Run& run, const std::filesystem::path& directory) {
  std::set<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(directory))
    if (entry.path().extension() == ".json" && entry.path().filename() != "schema.json")
      paths.insert(entry.path());
  if (paths.empty()) {
    std::cerr << "no golden files in " << directory << "\n";
    return 2;
  }
  for (const auto& path : paths) verify_file(run, path);
  const Tally sum = run.total();
  std::cout << run.by_type.size() << " types, " << sum.passed << " vectors passed, " << sum.failed
            << " failed, " << sum.skipped << " not checked\n";
  return sum.failed == 0 && sum.passed > 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  Run run;
  const char* directory = nullptr;
  for (int index = 1; index < argc; ++index) {
    if (std::strcmp(argv[index], "--regen") == 0)
      run.regen = true;
    else if (std::strcmp(argv[index], "--quiet") == 0)
      run.quiet = true;
    else if (directory == nullptr)
      directory = argv[index];
    else
      directory = "";
  }
  if (directory == nullptr || *directory == '\0') {
    std::cerr << "usage: conformance_verify [--regen] [--quiet] GOLDEN_DIRECTORY\n";
    return 2;
  }
  try {
    return verify_directory(run, directory);
  } catch (const std::exception& problem) {
    std::cerr << "conformance_verify: " << problem.what() << "\n";
    return 2;
  }
}
