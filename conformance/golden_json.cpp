#include "golden_json.h"

#include <array>
#include <bit>
#include <cstdio>
#include <stdexcept>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace ggufvet::golden {
namespace {

std::uint32_t canonical_bits(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return (bits & 0x7FFFFFFFu) > 0x7F800000u ? 0x7FC00000u : bits;
}

std::string hex_of_hash(XXH64_hash_t hash) {
  std::array<char, 17> text{};
  std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(hash));
  return text.data();
}

unsigned digit_value(char digit) {
  if (digit >= '0' && digit <= '9') return static_cast<unsigned>(digit - '0');
  if (digit >= 'a' && digit <= 'f') return static_cast<unsigned>(digit - 'a') + 10;
  throw std::invalid_argument("not a lower-case hexadecimal digit");
}

// An array of objects, one a line, under a key.
std::string write_lines(const Json& vectors) {
  std::string text;
  for (const Json& vector : vectors) text.append(text.empty() ? "    " : ",\n    ").append(vector.dump());
  return text;
}

}  // namespace

std::string hash_hex(std::span<const std::byte> bytes) {
  return hex_of_hash(XXH64(bytes.data(), bytes.size(), 0));
}

std::string to_hex(std::span<const std::byte> bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex;
  hex.reserve(bytes.size() * 2);
  for (const std::byte byte : bytes) {
    hex += kDigits[std::to_integer<unsigned>(byte) >> 4];
    hex += kDigits[std::to_integer<unsigned>(byte) & 15];
  }
  return hex;
}

std::vector<std::byte> from_hex(std::string_view hex) {
  if (hex.size() % 2 != 0) throw std::invalid_argument("hexadecimal digits do not make whole bytes");
  std::vector<std::byte> bytes(hex.size() / 2);
  for (std::size_t j = 0; j < bytes.size(); ++j)
    bytes[j] = static_cast<std::byte>((digit_value(hex[2 * j]) << 4) | digit_value(hex[2 * j + 1]));
  return bytes;
}

std::string floats_to_hex(std::span<const float> values) {
  std::string hex;
  hex.reserve(values.size() * 8);
  for (const float value : values) {
    std::array<std::byte, 4> bytes{};
    store<std::uint32_t>(bytes.data(), canonical_bits(value), ByteOrder::big);
    hex += to_hex(bytes);
  }
  return hex;
}

std::string floats_hash_hex(std::span<const float> values) {
  OutputRecord record;
  record.add(values);
  return record.hash_hex();
}

struct OutputRecord::State {
  XXH64_state_t hash;
  std::uint64_t nan = 0, infinite = 0, negative_zero = 0, subnormal = 0;
};

OutputRecord::OutputRecord() : state_(new State) { XXH64_reset(&state_->hash, 0); }

OutputRecord::~OutputRecord() { delete state_; }

void OutputRecord::add(std::span<const float> values) {
  std::uint32_t words[1024];
  std::size_t filled = 0;
  const auto flush = [&] {
    XXH64_update(&state_->hash, words, filled * 4);
    filled = 0;
  };
  for (const float value : values) {
    const std::uint32_t bits = canonical_bits(value);
    const std::uint32_t magnitude = bits & 0x7FFFFFFFu;
    state_->nan += magnitude > 0x7F800000u;
    state_->infinite += magnitude == 0x7F800000u;
    state_->negative_zero += bits == 0x80000000u;
    state_->subnormal += magnitude - 1 < 0x007FFFFFu;
    words[filled++] = std::endian::native == std::endian::little ? bits : swap_bytes(bits);
    if (filled == std::size(words)) flush();
  }
  flush();
}

std::string OutputRecord::hash_hex() const { return hex_of_hash(XXH64_digest(&state_->hash)); }

Json OutputRecord::counts() const {
  Json counts = Json::object();
  if (state_->nan != 0) counts["nan"] = state_->nan;
  if (state_->infinite != 0) counts["infinite"] = state_->infinite;
  if (state_->negative_zero != 0) counts["negative_zero"] = state_->negative_zero;
  if (state_->subnormal != 0) counts["subnormal"] = state_->subnormal;
  return counts;
}

BlockShape read_shape(const Json& group) {
  BlockShape shape;
  shape.type_id = group.value("type_id", std::uint64_t{0});
  shape.block_elements = group.at("block_elements").get<std::uint64_t>();
  shape.block_bytes = group.at("block_bytes").get<std::uint64_t>();
  shape.row_header_bytes = group.value("row_header_bytes", std::uint64_t{0});
  shape.tensor_trailer_bytes = group.value("tensor_trailer_bytes", std::uint64_t{0});
  shape.row_scale = group.value("row_scale", std::string{});
  shape.tensor_scale = group.value("tensor_scale", std::string{});
  for (const Json& scale : group.at("scales"))
    shape.scales.push_back({scale.at(0).get<std::uint64_t>(), scale.at(1).get<std::string>()});
  for (const Json& field : group.at("wide_fields"))
    shape.wide_fields.push_back({field.at(0).get<std::uint64_t>(), field.at(1).get<std::uint64_t>(),
                                 field.at(2).get<std::uint64_t>()});
  return shape;
}

InputSize read_size(const Json& vector) {
  return {vector.at("rows").get<std::uint64_t>(), vector.at("blocks").get<std::uint64_t>()};
}

std::string write_golden(const Json& file) {
  std::string text = "{\n";
  for (const auto& [key, value] : file.items()) {
    if (key == "groups") continue;
    text.append(" ").append(Json(key).dump()).append(": ");
    text.append(key == "notes" ? value.dump(1) : value.dump()).append(",\n");
  }
  text.append(" \"groups\": [");
  bool first = true;
  for (const Json& group : file.at("groups")) {
    Json head = group;
    head.erase("vectors");
    std::string open = head.dump();
    open.pop_back();
    text.append(first ? "\n  " : ",\n  ").append(open).append(",\n   \"vectors\": [\n");
    text.append(write_lines(group.at("vectors"))).append("\n   ]}");
    first = false;
  }
  return text.append("\n ]\n}\n");
}

}  // namespace ggufvet::golden
