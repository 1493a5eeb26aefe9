// What a file is when it is not GGUF, told by its first bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace ggufvet {

enum class ForeignFormat : std::uint8_t {
  unknown,
  zeros,
  reversed_magic,
  ggml_legacy,
  ggmf_legacy,
  ggjt_legacy,
  ggla_legacy,
  safetensors,
  zip,
  pickle,
  gzip,
  png,
  html,
  git_lfs_pointer,
  onnx,
  json,
  xml,
  elf,
  windows_program,
  zstd,
  xz,
  seven_zip,
  hdf5,
  numpy,
  tflite,
  pdf,
  text,
};

// `head`: the first bytes of the file, 64 or as many as there are.
[[nodiscard]] ForeignFormat recognise_foreign(std::span<const std::byte> head);

// In words that finish "this is …".
[[nodiscard]] std::string_view foreign_name(ForeignFormat format);
// What its owner most likely has to do.
[[nodiscard]] std::string_view foreign_advice(ForeignFormat format);

}  // namespace ggufvet
