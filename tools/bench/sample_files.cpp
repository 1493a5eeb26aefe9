#include "sample_files.h"

#include <array>
#include <cstdio>

#include "sample_writer.h"

namespace ggufvet::bench {
namespace {

constexpr std::uint32_t kTypeF32 = 0;
constexpr std::uint32_t kTypeF16 = 1;
constexpr std::uint32_t kTypeQ4K = 12;
constexpr std::uint32_t kTypeQ6K = 14;
constexpr std::size_t kAlignment = 32;

constexpr std::string_view kNameAlphabet = "abcdefghijklmnopqrstuvwxyz0123456789_";
constexpr std::size_t kLongNameBytes = 63;  // the longest that every reader takes
constexpr std::size_t kOwnBytes = 3;        // 37^3 is a little more than 50,000

[[nodiscard]] std::string random_name(Draw& draw, std::size_t bytes) {
  std::string name;
  for (std::size_t at = 0; at < bytes; ++at) name += kNameAlphabet[draw.below(kNameAlphabet.size())];
  return name;
}

// The number in the digits of the alphabet, so that names differ.
[[nodiscard]] std::string spelled(std::uint32_t number, std::size_t digits) {
  std::string name(digits, kNameAlphabet[0]);
  for (std::size_t at = digits; at-- > 0; number /= static_cast<std::uint32_t>(kNameAlphabet.size()))
    name[at] = kNameAlphabet[number % kNameAlphabet.size()];
  return name;
}

[[nodiscard]] std::string printed(const char* format, std::uint32_t a, std::uint32_t b = 0) {
  std::array<char, 96> text{};
  const int bytes = std::snprintf(text.data(), text.size(), format, a, b);
  return {text.data(), static_cast<std::size_t>(bytes)};
}

struct TensorShape {
  std::string name;
  std::uint32_t type_id = 0;
  std::uint64_t row = 0;
  std::uint64_t rows = 1;
  std::uint64_t bytes = 0;
};

// The n-th tensor of a mixture of experts whose experts were not merged: nine tensors of a layer, then 256
// experts of three each.
[[nodiscard]] TensorShape expert_tensor(std::uint32_t index) {
  constexpr std::uint32_t kDense = 9;
  constexpr std::uint32_t kExperts = 256;
  constexpr std::array<const char*, kDense> kDenseNames{
      "blk.%u.attn_norm.weight",   "blk.%u.ffn_norm.weight",    "blk.%u.ffn_gate_inp.weight",
      "blk.%u.attn_q.weight",      "blk.%u.attn_k.weight",      "blk.%u.attn_v.weight",
      "blk.%u.attn_output.weight", "blk.%u.attn_q_norm.weight", "blk.%u.attn_k_norm.weight"};
  constexpr std::array<const char*, 3> kExpertNames{"blk.%u.ffn_gate.%u.weight", "blk.%u.ffn_up.%u.weight",
                                                    "blk.%u.ffn_down.%u.weight"};
  const std::uint32_t layer = index / (kDense + 3 * kExperts);
  const std::uint32_t place = index % (kDense + 3 * kExperts);
  if (place < kDense) {
    const bool norm = place < 3 || place > 6;
    if (norm) return {printed(kDenseNames[place], layer), kTypeF32, 1024, 1, 4096};
    return {printed(kDenseNames[place], layer), kTypeQ6K, 1024, 16, 4 * 16 * 210};
  }
  const std::uint32_t expert = (place - kDense) / 3;
  const std::uint32_t part = (place - kDense) % 3;
  const bool down = part == 2;
  return {printed(kExpertNames[part], layer, expert), kTypeQ4K, down ? 256U : 1024U, down ? 1024U : 256U,
          1024 * 144};
}

void write_tensor(SampleWriter& out, const TensorShape& tensor, std::uint64_t offset) {
  out.string(tensor.name);
  out.number<std::uint32_t>(2);
  out.number(tensor.row);
  out.number(tensor.rows);
  out.number(tensor.type_id);
  out.number(offset);
}

}  // namespace

void write_model_pairs(SampleWriter& out, std::uint32_t count) {
  out.string_pair("general.architecture", "sample");  // none with rules: shapes here follow no model
  out.string_pair("general.name", "sample");
  out.string_pair("general.type", "model");
  out.string_pair("general.license", "cc0-1.0");
  out.u32_pair("general.file_type", 15);
  out.u32_pair("general.quantization_version", 2);
  out.u32_pair("sample.block_count", 65);
  out.u32_pair("sample.context_length", 8192);
  out.u32_pair("sample.embedding_length", 1024);
  out.u32_pair("sample.feed_forward_length", 4096);
  out.u32_pair("sample.attention.head_count", 16);
  out.u32_pair("sample.attention.head_count_kv", 4);
  out.f32_pair("sample.attention.layer_norm_rms_epsilon", 1e-5F);
  out.f32_pair("sample.rope.freq_base", 500000.0F);
  out.u32_pair("sample.rope.dimension_count", 64);
  out.u32_pair("sample.expert_count", 256);
  out.u32_pair("sample.expert_used_count", 8);
  out.u32_pair("sample.vocab_size", 262144);
  out.bool_pair("sample.flag", true);
  out.string_pair("sample.note", "made for measuring");
  for (std::uint32_t index = 20; index < count; ++index)
    out.u32_pair(printed("sample.setting.%02u", index), index);
}

std::vector<std::string> make_names(std::uint32_t count, NameKind kind) {
  std::vector<std::string> names;
  names.reserve(count);
  Draw draw(7);
  const std::string prefix = random_name(draw, kLongNameBytes - kOwnBytes);
  for (std::uint32_t index = 0; index < count; ++index) {
    if (kind == NameKind::ordinary)
      names.push_back(printed("sample.k.%09u", index));
    else if (kind == NameKind::random)
      names.push_back(random_name(draw, kLongNameBytes));
    else
      names.push_back(prefix + spelled(index, kOwnBytes));
  }
  return names;
}

SampleFile tensors_file(std::uint32_t count, NameKind names) {
  constexpr std::uint32_t kPairs = 60;
  SampleWriter out(count, kPairs);
  write_model_pairs(out, kPairs);
  std::vector<std::string> given;
  if (names != NameKind::ordinary) given = make_names(count, names);
  std::uint64_t offset = 0;
  for (std::uint32_t index = 0; index < count; ++index) {
    TensorShape tensor = expert_tensor(index);
    if (!given.empty()) tensor.name = given[index];
    write_tensor(out, tensor, offset);
    offset += tensor.bytes;  // every one a multiple of the alignment
  }
  out.pad_to(kAlignment);
  return {out.take(), offset};
}

SampleFile keys_file(std::uint32_t count, NameKind names) {
  SampleWriter out(0, count);
  std::uint32_t value = 0;
  for (const std::string& name : make_names(count, names)) out.u32_pair(name, ++value);
  out.pad_to(kAlignment);
  return {out.take(), 0};
}

SampleFile large_file() {
  constexpr std::uint32_t kTensors = 300;
  constexpr std::uint32_t kPairs = 60;
  SampleWriter out(kTensors, kPairs);
  write_model_pairs(out, kPairs);
  std::uint64_t offset = 0;
  for (std::uint32_t index = 0; index < kTensors; ++index) {
    const TensorShape tensor{printed("blk.%u.sample.weight", index), kTypeF16, 4096, 16384, 4096 * 16384 * 2};
    write_tensor(out, tensor, offset);
    offset += tensor.bytes;
  }
  out.pad_to(kAlignment);
  return {out.take(), offset};
}

SampleFile small_file() {
  constexpr std::uint32_t kTensors = 4;
  SampleWriter out(kTensors, 20);
  write_model_pairs(out, 20);
  for (std::uint32_t index = 0; index < kTensors; ++index)
    write_tensor(out, {printed("a.%u", index), kTypeF32, 4, 2, 0}, index * std::uint64_t{32});
  out.pad_to(kAlignment);
  return {out.take(), kTensors * 32};
}

}  // namespace ggufvet::bench
