// Writes the fields of a little-endian GGUF file one after the other. GgufBuilder keeps every value and
// label, which for a million strings is a gigabyte; samples are valid and need neither.
#pragma once

#include <cstring>
#include <string_view>

#include "ggufvet/base/byte_order.h"
#include "ggufvet/write/gguf_spec.h"

namespace ggufvet::bench {

class SampleWriter {
 public:
  SampleWriter(std::uint64_t tensor_count, std::uint64_t pair_count) {
    text("GGUF");
    number<std::uint32_t>(3);
    number(tensor_count);
    number(pair_count);
  }

  template <class T>
  void number(T value) {
    static_assert(std::endian::native == std::endian::little);
    const std::size_t at = bytes_.size();
    bytes_.resize(at + sizeof value);
    std::memcpy(bytes_.data() + at, &value, sizeof value);
  }
  void text(std::string_view text) {
    const std::size_t at = bytes_.size();
    bytes_.resize(at + text.size());
    if (!text.empty()) std::memcpy(bytes_.data() + at, text.data(), text.size());
  }
  void string(std::string_view value) {
    number<std::uint64_t>(value.size());
    text(value);
  }

  void begin_pair(std::string_view key, ValueType type) {
    string(key);
    number(static_cast<std::uint32_t>(type));
  }
  void u32_pair(std::string_view key, std::uint32_t value) {
    begin_pair(key, ValueType::u32);
    number(value);
  }
  void f32_pair(std::string_view key, float value) {
    begin_pair(key, ValueType::f32);
    number(value);
  }
  void bool_pair(std::string_view key, bool value) {
    begin_pair(key, ValueType::boolean);
    number(static_cast<std::uint8_t>(value));
  }
  void string_pair(std::string_view key, std::string_view value) {
    begin_pair(key, ValueType::string);
    string(value);
  }
  void begin_array_pair(std::string_view key, ValueType element, std::uint64_t count) {
    begin_pair(key, ValueType::array);
    number(static_cast<std::uint32_t>(element));
    number(count);
  }

  void pad_to(std::size_t alignment) {
    bytes_.resize((bytes_.size() + alignment - 1) / alignment * alignment);
  }
  [[nodiscard]] std::size_t size() const { return bytes_.size(); }
  [[nodiscard]] Bytes take() { return std::move(bytes_); }

 private:
  Bytes bytes_;
};

// Twenty pairs that any model has, then `count` - 20 that nobody asks for.
void write_model_pairs(SampleWriter& out, std::uint32_t count);

// Numbers that look random and are the same everywhere: splitmix64, whose constants are those of its author,
// S. Vigna.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : state_(seed) {}

  [[nodiscard]] std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15;
    std::uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB;
    return mixed ^ (mixed >> 31);
  }
  [[nodiscard]] std::uint64_t below(std::uint64_t bound) { return next() % bound; }

 private:
  std::uint64_t state_;
};

}  // namespace ggufvet::bench
