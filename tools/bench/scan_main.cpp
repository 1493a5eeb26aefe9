// bench_scan: the deep scan beside a real ggml library's row validation, and beside what the machine allows,
// in one run. Everything compared is run in turn, A B A B, and the median of the paired ratios is printed
// with its spread. Before a pair is timed, both sides are shown to notice one bad value in the last block.
//
//   bench_scan file FILE [GIB]            writes a dense model: 57 % Q4_K, 23 % Q6_K, 19 % F32, random finite
//   blocks bench_scan types LIBRARY [MIB [TYPE…]] each type the library validates, streamed from memory, one
//   thread bench_scan model FILE LIBRARY         the whole file in page cache: ways of reading, threads,
//   digests on the way
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <memory>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include <sys/mman.h>

#include "../ggufvet/digests.h"
#include "ggufvet/source/mapped_source.h"
#include "ggufvet/types/block_scan.h"
#include "ggufvet/types/type_registry.h"
#include "ggufvet/vet/scan_units.h"
#include "ggufvet/vet/vet.h"
#include "read_sum.h"
#include "sample_writer.h"

namespace {

using namespace ggufvet;
using namespace ggufvet::bench;
using Clock = std::chrono::steady_clock;
using ValidateRow = bool (*)(int type, const void* data, std::size_t bytes);

constexpr int kRounds = 9;

template <class Work>
double seconds_of(const Work& work) {
  const auto begin = Clock::now();
  work();
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

struct Spread {
  double low = 0, median = 0, high = 0;
};

Spread spread_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return {values.front(), values[values.size() / 2], values.back()};
}

// Time of B over time of A, pair by pair; and the medians of both.
struct Pair {
  Spread ratio;
  double seconds_a = 0, seconds_b = 0;
};

template <class A, class B>
Pair pair_up(const A& a, const B& b) {
  std::vector<double> ratios, of_a, of_b;
  for (int round = 0; round < kRounds; ++round) {
    of_a.push_back(seconds_of(a));
    of_b.push_back(seconds_of(b));
    ratios.push_back(of_b.back() / of_a.back());
  }
  return {spread_of(ratios), spread_of(of_a).median, spread_of(of_b).median};
}

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "bench_scan: %s\n", what);
  std::exit(1);
}

ValidateRow open_library(const char* path) {
  void* const handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  require(handle != nullptr, "the library cannot be opened");
  const auto validate = reinterpret_cast<ValidateRow>(dlsym(handle, "ggml_validate_row_data"));
  require(validate != nullptr, "the library exports no ggml_validate_row_data");
  return validate;
}

// Bits of an ordinary value of a role, near those given; 0 bytes for what may be anything.
struct Ordinary {
  std::uint32_t bytes = 0;
  std::uint64_t bits = 0;
};

Ordinary ordinary_value(Role role, std::uint64_t random) {
  switch (role) {
    case Role::element_f16:
    case Role::scale_f16:
    case Role::minimum_f16:
      return {2, 0x1000 | (random & 0x8FFF)};
    case Role::element_bf16:
      return {2, 0x3C00 | (random & 0x83FF)};
    case Role::element_f32:
    case Role::scale_f32:
      return {4, 0x38000000 | (random & 0x83FFFFFF)};
    case Role::element_f64:
      return {8, 0x3F00000000000000 | (random & 0x800FFFFFFFFFFFFF)};
    case Role::scale_e8m0:
      return {1, 0x70 | (random & 15)};
    case Role::scale_ue4m3:
      return {1, 0x20 | (random & 31)};
    default:
      return {};
  }
}

std::byte ordinary_code(CodeForm form, std::uint64_t random) {
  if (form == CodeForm::ternary) return static_cast<std::byte>(random & 0x55);
  const std::uint64_t trits = form == CodeForm::trits_4 ? random % 81 * 3 : random % 243;
  return static_cast<std::byte>((trits * 256 + 242) / 243);
}

// Random bytes with every value that can be judged made an ordinary one.
void fill_blocks(const TypeLayout& layout, std::byte* bytes, std::uint64_t blocks, Draw& draw) {
  const std::uint64_t size = blocks * layout.block_bytes;
  for (std::uint64_t at = 0; at < size; at += 8) {
    const std::uint64_t random = draw.next();
    std::memcpy(bytes + at, &random, static_cast<std::size_t>(std::min<std::uint64_t>(8, size - at)));
  }
  for (std::uint64_t block = 0; block < blocks; ++block)
    for (const BlockField& field : layout.fields) {
      std::byte* const place = bytes + block * layout.block_bytes + field.begin;
      if (field.role == Role::scale_f16_scattered) place[7] = static_cast<std::byte>(draw.next() & 0x1F);
      if (field.form != CodeForm::any)
        for (std::uint32_t at = 0; at < field.bytes; ++at) place[at] = ordinary_code(field.form, draw.next());
      const std::uint32_t value_bytes = ordinary_value(field.role, 0).bytes;
      for (std::uint32_t at = 0; value_bytes != 0 && at < field.bytes; at += value_bytes) {
        const std::uint64_t bits = ordinary_value(field.role, draw.next()).bits;
        std::memcpy(place + at, &bits, value_bytes);
      }
    }
}

bool scan_tiles(const BlockScan& scan, std::span<const std::byte> blocks) {
  const std::size_t tile = (16 << 10) / scan.shape().block_bytes * scan.shape().block_bytes;
  bool suspect = false;
  for (std::size_t at = 0; at < blocks.size(); at += tile)
    suspect |= scan.suspects(blocks.subspan(at, std::min(tile, blocks.size() - at)));
  return suspect;
}

// A value that both sides must notice, in the last block; false when the type has none.
bool spoil_last(const TypeLayout& layout, std::span<std::byte> blocks, std::vector<std::byte>& kept) {
  const auto last = blocks.last(layout.block_bytes);
  kept.assign(last.begin(), last.end());
  for (const BlockField& field : layout.fields) {
    std::byte* const place = last.data() + field.begin;
    switch (field.role) {
      case Role::element_f16:
      case Role::scale_f16:
        store(place, std::uint16_t{0x7C00}, ByteOrder::little);
        return true;
      case Role::element_bf16:
        store(place, std::uint16_t{0x7F80}, ByteOrder::little);
        return true;
      case Role::element_f32:
      case Role::scale_f32:
        store(place, std::uint32_t{0x7F800000}, ByteOrder::little);
        return true;
      case Role::element_f64:
        store(place, std::uint64_t{0x7FF0000000000000}, ByteOrder::little);
        return true;
      case Role::scale_e8m0:
        *place = std::byte{0xFF};
        return true;
      case Role::scale_f16_scattered:
        std::memset(place, 0xFF, 8);
        return true;
      default:
        break;
    }
  }
  return false;
}

int bench_types(const char* library, std::uint64_t bytes_wanted, std::span<char*> names) {
  const ValidateRow validate = open_library(library);
  Draw draw(1);
  std::unique_ptr<std::byte[]> room(new std::byte[bytes_wanted + 4096]);
  std::printf("%-8s %9s %9s %9s   ratio ours/ggml (low-high)   of read sum\n", "type", "ours GB/s",
              "ggml GB/s", "sum GB/s");
  for (const TypeInfo& type : own_types(DialectId::ggml)) {
    const bool wanted = names.empty() || std::any_of(names.begin(), names.end(),
                                                     [&](const char* name) { return type.name == name; });
    if (!wanted) continue;
    const TypeLayout& layout = *type.layout;
    const BlockScan scan(block_shape(layout), ByteOrder::little, true);
    if (type.status != TypeStatus::active || !layout.known() || !scan.judges()) continue;
    const std::uint64_t blocks = bytes_wanted / layout.block_bytes;
    const std::span<std::byte> all(room.get(), static_cast<std::size_t>(blocks * layout.block_bytes));
    fill_blocks(layout, all.data(), blocks, draw);
    const auto ours = [&] { return !scan_tiles(scan, all); };
    const auto theirs = [&] { return validate(static_cast<int>(type.id), all.data(), all.size()); };
    if (!theirs()) continue;  // the library has no validation for it
    require(ours(), "the clean blocks raise a suspicion");
    std::vector<std::byte> kept;
    if (spoil_last(layout, all, kept)) require(!ours() && !theirs(), "a bad last block was not noticed");
    std::copy(kept.begin(), kept.end(), all.end() - layout.block_bytes);
    const Pair pair = pair_up([&] { require(ours(), "suspicion"); }, [&] { require(theirs(), "refusal"); });
    const Pair limit =
        pair_up([&] { require(ours(), "suspicion"); }, [&] { static_cast<void>(read_sum(all)); });
    const double gigabytes = static_cast<double>(all.size()) / 1e9;
    std::printf("%-8s %9.2f %9.2f %9.2f   %5.2f (%.2f-%.2f)   %5.2f\n", std::string(type.name).c_str(),
                gigabytes / pair.seconds_a, gigabytes / pair.seconds_b, gigabytes / limit.seconds_b,
                pair.ratio.median, pair.ratio.low, pair.ratio.high, limit.ratio.median);
    std::fflush(stdout);
  }
  return 0;
}

int write_model(const char* path, std::uint64_t bytes_wanted) {
  struct Part {
    const char* type;
    std::uint64_t rows, columns, count;
  };
  // Shares as in a mixture of experts of medium size; rows of 4096.
  const std::uint64_t unit = bytes_wanted / 160;
  const Part parts[] = {{"Q4_K", 0, 4096, 91}, {"Q6_K", 0, 4096, 37}, {"F32", 0, 4096, 32}};
  SampleWriter out(160, 1);
  out.string_pair("general.name", "dense");  // no model, so no rule asks what it lacks
  std::uint64_t offset = 0;
  int index = 0;
  for (Part part : parts) {
    const TypeLayout& layout = *find_type(DialectId::ggml, part.type)->layout;
    const std::uint64_t row = *row_bytes(layout, part.columns);
    part.rows = unit / row;
    for (std::uint64_t tensor = 0; tensor < part.count; ++tensor) {
      out.string("matrix." + std::to_string(index++));
      out.number<std::uint32_t>(2);
      out.number(part.columns);
      out.number(part.rows);
      out.number(find_type(DialectId::ggml, part.type)->id);
      out.number(offset);
      offset += (part.rows * row + 31) / 32 * 32;
    }
  }
  out.pad_to(32);
  const Bytes directory = out.take();
  std::FILE* const file = std::fopen(path, "wb");
  require(file != nullptr, "the file cannot be written");
  require(std::fwrite(directory.data(), 1, directory.size(), file) == directory.size(), "writing failed");
  Draw draw(2);
  std::vector<std::byte> tensor;
  for (const Part& part : parts) {
    const TypeLayout& layout = *find_type(DialectId::ggml, part.type)->layout;
    const std::uint64_t row = *row_bytes(layout, part.columns);
    const std::uint64_t bytes = unit / row * row;
    for (std::uint64_t count = 0; count < part.count; ++count) {
      tensor.assign(static_cast<std::size_t>((bytes + 31) / 32 * 32), std::byte{0});
      fill_blocks(layout, tensor.data(), bytes / layout.block_bytes, draw);
      require(std::fwrite(tensor.data(), 1, tensor.size(), file) == tensor.size(), "writing failed");
    }
  }
  require(std::fclose(file) == 0, "writing failed");
  return 0;
}

struct Model {
  FileHandle handle;
  FileStamp stamp;
};

Model open_file(const char* path) {
  auto handle = FileHandle::open_for_reading(path);
  require(handle.has_value(), "the file cannot be opened");
  const auto stamp = stamp_of(handle->get());
  require(stamp.has_value(), "the file has no size");
  return {std::move(*handle), *stamp};
}

void expect_clean(ByteSource& source, const DeepOptions& deep) {
  VetOptions options;
  options.deep = deep;
  options.deep.scan = true;
  const auto vetted = vet(source, options);
  require(
      vetted->report.counts.warning == 0 && vetted->report.counts.error == 0 && vetted->report.deep.finished,
      "the clean model raises findings");
}

void scan_mapped(const char* path, const DeepOptions& deep) {
  Model model = open_file(path);
  MappedSource source(std::move(model.handle), model.stamp);
  require(source.map().has_value(), "the file cannot be mapped");
  expect_clean(source, deep);
}

void scan_with_pread(const char* path, const DeepOptions& deep) {
  Model model = open_file(path);
  FileSource source(std::move(model.handle), model.stamp);
  expect_clean(source, deep);
}

// The file mapped in one piece, as loaders have it; the library is handed tensor by tensor.
class PlainMapping {
 public:
  explicit PlainMapping(const char* path) : model_(open_file(path)) {
    void* const mapped = mmap(nullptr, model_.stamp.bytes, PROT_READ, MAP_PRIVATE, model_.handle.get(), 0);
    require(mapped != MAP_FAILED, "the file cannot be mapped");
    bytes_ = {static_cast<const std::byte*>(mapped), static_cast<std::size_t>(model_.stamp.bytes)};
  }
  ~PlainMapping() { munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size()); }
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  Model model_;
  std::span<const std::byte> bytes_;
};

struct Tensors {
  std::vector<TensorGeometry> list;
  std::vector<int> types;
};

Tensors tensors_of(const char* path) {
  Model model = open_file(path);
  FileSource source(std::move(model.handle), model.stamp);
  const auto vetted = vet(source, {});
  Tensors tensors{readable_tensors(vetted->facts), {}};
  for (const TensorGeometry& tensor : tensors.list)
    tensors.types.push_back(static_cast<int>(vetted->file.tensors[tensor.tensor].type_id));
  return tensors;
}

void validate_mapped(const char* path, const Tensors& tensors, ValidateRow validate, unsigned threads) {
  const PlainMapping mapping(path);
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t index = next++; index < tensors.list.size(); index = next++) {
      const ByteRange where = tensors.list[index].where;
      require(validate(tensors.types[index], mapping.bytes().data() + where.begin, where.size()),
              "ggml refuses the clean model");
    }
  };
  std::vector<std::thread> others;
  for (unsigned thread = 1; thread < threads; ++thread) others.emplace_back(work);
  work();
  for (std::thread& thread : others) thread.join();
}

void sum_mapped(const char* path, unsigned threads) {
  const PlainMapping mapping(path);
  const std::size_t share = mapping.bytes().size() / threads;
  std::vector<std::thread> others;
  for (unsigned thread = 1; thread < threads; ++thread)
    others.emplace_back(
        [&, thread] { static_cast<void>(read_sum(mapping.bytes().subspan(thread * share, share))); });
  static_cast<void>(read_sum(mapping.bytes().first(share)));
  for (std::thread& thread : others) thread.join();
}

class DigestSink final : public ByteSink {
 public:
  explicit DigestSink(tool::Algorithm algorithm) : digest_(tool::make_digest(algorithm)) {}
  void take(std::span<const std::byte> bytes) override { digest_->update(bytes); }

 private:
  std::unique_ptr<tool::Digest> digest_;
};

// The digest alone, over the same windows released in the same way.
void digest_mapped(const char* path, tool::Algorithm algorithm) {
  Model model = open_file(path);
  MappedSource source(std::move(model.handle), model.stamp);
  require(source.map().has_value(), "the file cannot be mapped");
  const auto digest = tool::make_digest(algorithm);
  std::vector<std::byte> room(kUnitBytes);
  for (std::uint64_t at = 0; at < source.size(); at += kUnitBytes) {
    const std::uint64_t end = std::min(source.size(), at + kUnitBytes);
    const auto bytes = source.view(at, std::span(room).first(static_cast<std::size_t>(end - at)));
    digest->update(*bytes);
    source.release({at, end});
  }
  static_cast<void>(digest->finish());
}

void print_pair(const char* what, const Pair& pair, double gigabytes) {
  std::printf("%-58s %6.2f and %6.2f GB/s, second over first %5.2f (%.2f-%.2f)\n", what,
              gigabytes / pair.seconds_a, gigabytes / pair.seconds_b, pair.ratio.median, pair.ratio.low,
              pair.ratio.high);
  std::fflush(stdout);
}

int bench_model(const char* path, const char* library) {
  require(install_mapping_guard(), "no guard for mappings");
  const ValidateRow validate = open_library(library);
  const Tensors tensors = tensors_of(path);
  const double gigabytes = static_cast<double>(open_file(path).stamp.bytes) / 1e9;
  sum_mapped(path, 1);  // into the page cache
  DeepOptions one, two;
  two.jobs = 2;
  const auto ours = [&] { scan_mapped(path, one); };
  print_pair("deep scan, mapped windows released | ggml, plain mapping",
             pair_up(ours, [&] { validate_mapped(path, tensors, validate, 1); }), gigabytes);
  print_pair("deep scan, mapped windows released | pread", pair_up(ours, [&] { scan_with_pread(path, one); }),
             gigabytes);
  print_pair("deep scan | every byte summed, plain mapping", pair_up(ours, [&] { sum_mapped(path, 1); }),
             gigabytes);
  print_pair("sum on two threads | on one",
             pair_up([&] { sum_mapped(path, 2); }, [&] { sum_mapped(path, 1); }), gigabytes);
  print_pair("deep scan on two threads | on one", pair_up([&] { scan_mapped(path, two); }, ours), gigabytes);
  print_pair("ggml on two threads | on one",
             pair_up([&] { validate_mapped(path, tensors, validate, 2); },
                     [&] { validate_mapped(path, tensors, validate, 1); }),
             gigabytes);
  for (const auto algorithm : {tool::Algorithm::xxh3_128, tool::Algorithm::sha256}) {
    const auto both = [&] {
      DigestSink sink(algorithm);
      DeepOptions deep;
      deep.bytes = &sink;
      scan_mapped(path, deep);
    };
    const std::string what = std::string(tool::algorithm_name(algorithm)) + " alone | with the deep scan";
    print_pair(what.c_str(), pair_up([&] { digest_mapped(path, algorithm); }, both), gigabytes);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 2 ? argv[1] : "";
  constexpr std::uint64_t kMebibyte = 1 << 20;
  if (mode == "file")
    return write_model(argv[2], (argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 2) * 1024 * kMebibyte);
  if (mode == "types")
    return bench_types(
        argv[2], (argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 512) * kMebibyte,
        std::span(argv, static_cast<std::size_t>(argc)).subspan(static_cast<std::size_t>(std::min(argc, 4))));
  if (mode == "model" && argc > 3) return bench_model(argv[2], argv[3]);
  std::fprintf(stderr,
               "usage: bench_scan file FILE [GIB] | types LIBRARY [MIB [TYPE...]] | model FILE LIBRARY\n");
  return 2;
}
