// Words for what findings about meaning name by number: standard keys, and tensors an architecture has.
// Internal to the render layer.
#pragma once

#include <cstdint>
#include <string>

#include "ggufvet/read/file_model.h"

namespace ggufvet {

// The standard key of a row, with the file's architecture in its place.
[[nodiscard]] std::string key_word(std::uint64_t key, const FileModel& file);
// "u32 or an array of u32 or i32": what a standard key holds.
[[nodiscard]] std::string accepts_word(std::uint64_t key);
// "blk.3.attn_q.weight": a tensor of the file's architecture by its row and layer.
[[nodiscard]] std::string layer_tensor_word(std::uint64_t row, std::uint64_t layer, const FileModel& file);

}  // namespace ggufvet
