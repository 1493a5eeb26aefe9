// Headers of at most a kilobyte that ask for as much work or memory as numbers can, and single faults in
// files that are otherwise in order.
#include <algorithm>
#include <limits>

#include "ggufvet/read/array_reader.h"
#include "ggufvet/read/read_model.h"
#include "ggufvet/source/memory_source.h"
#include "sample_files.h"
#include "sample_writer.h"

namespace ggufvet::bench {
namespace {

constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
constexpr std::size_t kHostileBytesMax = 1024;

// A file with `write` after its header, filled up with zeros to a kilobyte.
template <class Write>
[[nodiscard]] HostileHeader header(std::string name, std::uint64_t tensors, std::uint64_t pairs,
                                   const Write& write) {
  SampleWriter out(tensors, pairs);
  write(out);
  out.pad_to(kHostileBytesMax);
  Bytes bytes = out.take();
  bytes.resize(kHostileBytesMax);
  return {std::move(name), std::move(bytes)};
}

void begin_array(SampleWriter& out, ValueType element, std::uint64_t count) {
  out.begin_array_pair("a", element, count);
}

void write_tensor(SampleWriter& out, std::string_view name, std::uint64_t dimension, std::uint64_t offset) {
  out.string(name);
  out.number<std::uint32_t>(4);
  for (int axis = 0; axis < 4; ++axis) out.number(dimension);
  out.number<std::uint32_t>(0);
  out.number(offset);
}

}  // namespace

std::vector<HostileHeader> hostile_headers() {
  std::vector<HostileHeader> files;
  const auto nothing = [](SampleWriter&) {};
  files.push_back(header("tensor-count", kMost, 0, nothing));
  files.push_back(header("pair-count", 0, kMost, nothing));
  files.push_back(header("pair-count-that-fits", 0, 1000 / 13, nothing));
  files.push_back(header("tensor-count-that-fits", 1000 / 24, 0, nothing));
  files.push_back(header("key-length", 0, 1, [](SampleWriter& out) { out.number(kMost); }));
  files.push_back(header("string-length", 0, 1, [](SampleWriter& out) {
    out.begin_pair("a", ValueType::string);
    out.number(kMost);
  }));
  for (const ValueTypeInfo& type : kValueTypes)
    files.push_back(header("array-count-" + std::string(type.name), 0, 1,
                           [&type](SampleWriter& out) { begin_array(out, type.type, kMost); }));
  files.push_back(header("array-of-empty-strings", 0, 1, [](SampleWriter& out) {
    begin_array(out, ValueType::string, (kHostileBytesMax - out.size() - 25) / 8);
  }));
  files.push_back(header("nested-arrays", 0, 1, [](SampleWriter& out) {
    begin_array(out, ValueType::array, 1);
    for (int depth = 0; depth < 80; ++depth) {
      out.number(static_cast<std::uint32_t>(ValueType::array));
      out.number<std::uint64_t>(1);
    }
  }));
  files.push_back(header("wide-nested-arrays", 0, 1, [](SampleWriter& out) {
    begin_array(out, ValueType::array, 80);  // zeros follow: 80 empty arrays of u8
  }));
  files.push_back(header("equal-tensors", 16, 0, [](SampleWriter& out) {
    for (int index = 0; index < 16; ++index) write_tensor(out, "\xFF", kMost, kMost);
  }));
  files.push_back(header("overflowing-tensors", 16, 0, [](SampleWriter& out) {
    for (int index = 0; index < 16; ++index) write_tensor(out, "t", std::uint64_t{1} << 32, kMost - 31);
  }));
  files.push_back(header("equal-keys", 0, 70, [](SampleWriter& out) {
    for (int index = 0; index < 70; ++index) {
      out.begin_pair("\xFF", ValueType::u8);
      out.number<std::uint8_t>(0);
    }
  }));
  return files;
}

namespace {

void put(Bytes& bytes, std::uint64_t at, std::span<const std::byte> value) {
  std::copy(value.begin(), value.end(), bytes.begin() + static_cast<std::ptrdiff_t>(at));
}

// The first byte of the last string that has one.
[[nodiscard]] std::uint64_t last_text(const FileModel& file) {
  std::uint64_t at = 0;
  for (const MetadataPair& pair : file.pairs)
    for_each_string(file, pair, [&at](std::uint64_t, std::string_view text, ByteRange where) {
      if (!text.empty()) at = where.begin;
      return true;
    });
  return at;
}

}  // namespace

Damaged damaged(const SampleFile& sample) {
  MemorySource source(sample.bytes);
  const FileModel file = read_model(source, Limits{});
  Damaged copy{sample, {}};
  Bytes& bytes = copy.file.bytes;
  if (!file.tensors.empty()) {
    const std::uint64_t wrong = file.tensors.back().offset + 1;
    put(bytes, file.tensors.back().offset_field().begin, std::as_bytes(std::span(&wrong, 1)));
    copy.rule = "tensor-offset-misaligned";
  } else if (const std::uint64_t at = last_text(file); at != 0) {
    bytes[at] = std::byte{0xFF};
    copy.rule = "string-not-utf8";
  } else {
    const ByteRange first = file.pairs.front().key_field();
    put(bytes, file.pairs.back().key_field().begin,
        std::span(sample.bytes).subspan(first.begin, first.size()));
    copy.rule = "key-duplicate";
  }
  return copy;
}

}  // namespace ggufvet::bench
