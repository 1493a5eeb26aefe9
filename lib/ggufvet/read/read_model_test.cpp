#include "ggufvet/read/read_model.h"

#include <algorithm>
#include <memory>
#include <string>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "ggufvet/base/text.h"
#include "ggufvet/read/foreign_format.h"
#include "ggufvet/source/memory_source.h"
#include "ggufvet/write/gguf_builder.h"

namespace ggufvet {
namespace {

// Hands out exactly what is asked for, from a buffer of exactly that size, so that a sanitizer sees any read
// past it.
class NarrowSource final : public ByteSource {
 public:
  explicit NarrowSource(std::span<const std::byte> bytes) : bytes_(bytes) {}
  std::uint64_t size() const override { return bytes_.size(); }
  IoResult<std::span<const std::byte>> window(std::uint64_t wanted) override {
    const auto part = bytes_.first(std::min<std::size_t>(wanted, bytes_.size()));
    buffer_ = std::make_unique<std::byte[]>(part.size());
    std::copy(part.begin(), part.end(), buffer_.get());
    ++windows;
    return std::span<const std::byte>(buffer_.get(), part.size());
  }
  IoResult<void> read(std::uint64_t, std::span<std::byte>) override {
    FAIL("reading a model asks for windows only");
    return {};
  }
  std::uint64_t bytes_read() const override { return 0; }

  int windows = 0;

 private:
  std::span<const std::byte> bytes_;
  std::unique_ptr<std::byte[]> buffer_;
};

class FailingSource final : public ByteSource {
 public:
  std::uint64_t size() const override { return 1000; }
  IoResult<std::span<const std::byte>> window(std::uint64_t) override {
    return tl::unexpected<IoError>(IoError{IoError::Operation::read, 5, 64});
  }
  IoResult<void> read(std::uint64_t, std::span<std::byte>) override { return {}; }
  std::uint64_t bytes_read() const override { return 0; }
};

[[nodiscard]] BuiltFile sample(ByteOrder order) {
  return GgufBuilder{}
      .byte_order(order)
      .pair("general.architecture", string_value("llama"))
      .pair("general.alignment", u32_value(64))
      .pair("b", number_value(ValueType::boolean, 1))
      .pair("tokens", array_value(ValueType::string, {string_value("<s>"), string_value("a")}))
      .pair("f", number_value(ValueType::f64, 0x3FF0000000000000))
      .tensor("token_embd.weight", "F32", {4, 3})
      .tensor("output.weight", "Q8_0", {32, 1})
      .build();
}

[[nodiscard]] Limits narrow_limits(std::uint64_t first, std::uint64_t growth) {
  Limits limits;
  limits.window_bytes_first = first;
  limits.window_growth = growth;
  return limits;
}

}  // namespace

TEST_CASE("every field of a file is read, with the place the builder gave it") {
  const auto order = GENERATE(ByteOrder::little, ByteOrder::big);
  const BuiltFile file = sample(order);
  MemorySource source(file.bytes);
  const FileModel model = read_model(source, Limits{});
  REQUIRE(model.complete());
  CHECK(model.stop.reason == StopReason::none);
  CHECK(model.header.byte_order == order);
  CHECK(model.header.version == 3);
  REQUIRE(model.pairs.size() == 5);
  CHECK(model.pairs[0].text == "llama");
  CHECK(model.pairs[0].text_field() == file.at("metadata[0].value"));
  CHECK(model.alignment_pair == 1U);
  CHECK(model.pairs[1].bits == 64);
  CHECK(model.pairs[1].value_field() == file.at("metadata[1].value"));
  CHECK(model.pairs[2].type_field() == file.at("metadata[2].type"));
  CHECK(model.pairs[3].count_field() == file.at("metadata[3].count"));
  CHECK(model.pairs[3].elements_field() == file.at("metadata[3].elements"));
  CHECK(model.pairs[4].bits == 0x3FF0000000000000);
  for (std::size_t index = 0; index < model.pairs.size(); ++index) {
    const std::string path = "metadata[" + std::to_string(index) + "]";
    CHECK(model.pairs[index].record() == file.at(path));
    CHECK(model.pairs[index].key_field() == file.at(path + ".key"));
    CHECK(model.pairs[index].key_length_field() == file.at(path + ".key_length"));
  }
  REQUIRE(model.tensors.size() == 2);
  CHECK(model.tensors[0].name == "token_embd.weight");
  CHECK(model.tensors[0].shape == std::array<std::uint64_t, 4>{4, 3, 1, 1});
  CHECK(model.tensors[0].dimension_field(1) == file.at("tensor[0].shape[1]"));
  CHECK(model.tensors[1].name_field() == file.at("tensor[1].name"));
  CHECK(model.tensors[1].rank_field() == file.at("tensor[1].rank"));
  CHECK(model.tensors[1].type_field() == file.at("tensor[1].type"));
  CHECK(model.tensors[1].offset_field() == file.at("tensor[1].offset"));
  CHECK(model.tensors[1].record() == file.at("tensor[1]"));
  CHECK(model.tensors[1].offset == 64);
  CHECK(model.directory_end == file.at("tensor[1]").end);
}

TEST_CASE("windows of every first size and growth give the same model") {
  const BuiltFile file = sample(ByteOrder::little);
  for (const std::uint64_t first : {1U, 3U, 24U, 25U, 64U, 100000U})
    for (const std::uint64_t growth : {1U, 2U, 4U}) {
      NarrowSource source(file.bytes);
      const FileModel model = read_model(source, narrow_limits(first, growth));
      INFO(first << ' ' << growth);
      REQUIRE(model.complete());
      CHECK(model.pairs[3].end == file.at("metadata[3]").end);
      CHECK(model.tensors[1].name == "output.weight");
      CHECK(model.directory_end == file.at("tensor[1]").end);
    }
}

TEST_CASE("what a foreign file is does not depend on the size of windows") {
  std::string page(40, ' ');
  page += "<!doctype html><title>Sign in</title>";
  for (const std::uint64_t first : {1U, 3U, 4U, 24U, 63U, 64U, 100000U}) {
    NarrowSource source(as_bytes(page));
    const FileModel model = read_model(source, narrow_limits(first, 1));
    INFO(first);
    CHECK(model.stop.reason == StopReason::magic_other);
    CHECK(model.stop.where == Header::magic_field);
    CHECK(model.stop.value == static_cast<std::uint64_t>(ForeignFormat::html));
  }
}

TEST_CASE("the number of windows grows with the logarithm of the directory") {
  GgufBuilder builder;
  for (int index = 0; index < 2000; ++index) builder.pair("key." + std::to_string(index), u32_value(1));
  const BuiltFile file = builder.build();
  NarrowSource source(file.bytes);
  REQUIRE(read_model(source, narrow_limits(64, 4)).complete());
  CHECK(source.windows <= 8);
}

TEST_CASE("every truncation gives one stop, at or before the cut") {
  const auto order = GENERATE(ByteOrder::little, ByteOrder::big);
  const BuiltFile file = sample(order);
  const std::uint64_t directory_end = file.at("tensor[1]").end;
  for (std::uint64_t cut = 0; cut < directory_end; ++cut) {
    const std::vector<std::byte> bytes(file.bytes.begin(),
                                       file.bytes.begin() + static_cast<std::ptrdiff_t>(cut));
    MemorySource source(bytes);
    const FileModel model = read_model(source, Limits{});
    INFO(cut);
    REQUIRE_FALSE(model.complete());
    CHECK(model.stop.reason != StopReason::none);
    CHECK(model.stop.reason != StopReason::need_more);
    CHECK(model.stop.where.begin <= cut);
    CHECK(model.stop.where.end <= cut);
    CHECK(model.directory_end <= cut);
  }
}

TEST_CASE("counts in the header are compared with the file before anything is allocated") {
  const auto order = GENERATE(ByteOrder::little, ByteOrder::big);
  for (const std::uint64_t count : {std::uint64_t{1000}, std::uint64_t{1} << 62, ~std::uint64_t{0}}) {
    const BuiltFile tensors = GgufBuilder{}.byte_order(order).tensor_count(count).build();
    MemorySource tensor_source(tensors.bytes);
    const FileModel first = read_model(tensor_source, Limits{});
    CHECK(first.stop.reason == StopReason::tensor_count_impossible);
    CHECK(first.stop.where == Header::tensor_count_field);
    CHECK(first.stop.value == count);
    const BuiltFile pairs = GgufBuilder{}.byte_order(order).pair_count(count).build();
    MemorySource pair_source(pairs.bytes);
    const FileModel second = read_model(pair_source, Limits{});
    CHECK(second.stop.reason == StopReason::pair_count_impossible);
    CHECK(second.stop.where == Header::pair_count_field);
    CHECK(second.pairs.capacity() == 0);
  }
}

TEST_CASE("our limits have stops of their own") {
  const BuiltFile file = sample(ByteOrder::little);
  MemorySource source(file.bytes);
  Limits pairs;
  pairs.pairs_max = 4;
  CHECK(read_model(source, pairs).stop.reason == StopReason::pairs_limit);
  pairs.pairs_max = 5;
  CHECK(read_model(source, pairs).complete());
  Limits tensors;
  tensors.tensors_max = 1;
  const FileModel stopped = read_model(source, tensors);
  CHECK(stopped.stop.reason == StopReason::tensors_limit);
  CHECK(stopped.stop.value == 2);
  CHECK(stopped.stop.allowed == 1);
  CHECK(stopped.pairs.size() == 5);
  Limits bytes;
  bytes.directory_bytes_max = file.at("tensor[1]").end - 1;
  const FileModel cut = read_model(source, bytes);
  CHECK(cut.stop.reason == StopReason::directory_limit);
  CHECK(cut.tensors.size() == 1);
  bytes.directory_bytes_max = file.at("tensor[1]").end;
  CHECK(read_model(source, bytes).complete());
}

TEST_CASE("a failed read is the world's fault and says which") {
  FailingSource source;
  const FileModel model = read_model(source, Limits{});
  CHECK(model.stop.reason == StopReason::io_failed);
  CHECK(model.stop.where == ByteRange{64, 1000});
  CHECK(model.stop.value == 5);
}

TEST_CASE("pairs are found by key, the first of equal ones") {
  const BuiltFile file = GgufBuilder{}.pair("k", u32_value(1)).pair("k", u32_value(2)).build();
  MemorySource source(file.bytes);
  const FileModel model = read_model(source, Limits{});
  REQUIRE(find_pair(model, "k") != nullptr);
  CHECK(find_pair(model, "k")->bits == 1);
  CHECK(find_pair(model, "K") == nullptr);
}

}  // namespace ggufvet
