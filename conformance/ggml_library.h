// A real ggml shared library opened at run time, for side-by-side checks and benchmarks: its type traits
// table and quantisers, looked up by name. The table's layout is ggml's public one since 2024-10 (older ones
// order it differently; the names are checked before anything is called).
#pragma once

#include <cstdint>
#include <dlfcn.h>
#include <stdexcept>
#include <string>
#include <string_view>

namespace ggufvet::golden {

struct GgmlTypeTraits {
  const char* name;
  std::int64_t block_elements;
  std::int64_t block_elements_interleaved;
  std::size_t block_bytes;
  bool quantized;
  void (*to_float)(const void* blocks, float* out, std::int64_t elements);
  void (*from_float_reference)(const float* values, void* blocks, std::int64_t elements);
};

class GgmlLibrary {
 public:
  // Throws std::runtime_error when the file cannot be opened or is no ggml.
  explicit GgmlLibrary(const std::string& path) : handle_(dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL)) {
    if (handle_ == nullptr) throw std::runtime_error(dlerror());
    traits_ = reinterpret_cast<const GgmlTypeTraits* (*)(int)>(dlsym(handle_, "ggml_get_type_traits"));
    if (traits_ == nullptr) throw std::runtime_error(path + " exports no ggml_get_type_traits");
    if (std::string_view(traits_(2)->name) != "q4_0" || traits_(2)->block_bytes != 18)
      throw std::runtime_error(path + " has a traits table of another layout");
    if (auto* init = reinterpret_cast<void (*)(int)>(dlsym(handle_, "ggml_quantize_init")))
      for (const int grid_type : {16, 17, 18, 19, 21, 22}) init(grid_type);
  }

  // Null when the library has no such type.
  [[nodiscard]] const GgmlTypeTraits* find(std::string_view name) const {
    constexpr int kMainlineTypes = 43;
    for (int id = 0; id < kMainlineTypes; ++id) {
      const GgmlTypeTraits* traits = traits_(id);
      if (traits != nullptr && traits->name != nullptr && name == traits->name && traits->block_bytes != 0)
        return traits;
    }
    return nullptr;
  }

 private:
  void* handle_ = nullptr;  // stays open for the life of the process
  const GgmlTypeTraits* (*traits_)(int) = nullptr;
};

// ggml's name for a layout label, empty when mainline has no such type.
[[nodiscard]] inline std::string ggml_name(std::string_view label) {
  if (label == "q1_0_g128") return "q1_0";
  if (label == "q2_0_g64") return "q2_0";
  std::string name(label);
  if (name.size() == 4 && name.ends_with("_k")) name[3] = 'K';  // q4_K, q8_K
  return name;
}

}  // namespace ggufvet::golden
