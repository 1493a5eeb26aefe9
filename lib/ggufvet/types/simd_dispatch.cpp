#include "ggufvet/types/simd_dispatch.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>

#include "ggufvet/types/simd_avx2.h"
#endif

namespace ggufvet {
#if defined(__x86_64__) || defined(__i386__)

namespace {

DecodeRow find_in(std::span<const VectorDecoder> decoders, std::string_view label) {
  for (const VectorDecoder& decoder : decoders)
    if (decoder.label == label) return decoder.decode;
  return nullptr;
}

}  // namespace

bool has_vector_decoders() {
  // clang 14 has no name for F16C; the AVX2 answer includes that the system saves the wide registers.
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  return __builtin_cpu_supports("avx2") && __get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0 &&
         (ecx & bit_F16C) != 0;
}

DecodeRow find_vector_decoder(std::string_view label) {
  if (!has_vector_decoders()) return nullptr;
  for (const auto decoders : {avx2::small_decoders(), avx2::wide_decoders(), avx2::codebook_decoders(),
                              avx2::ik_decoders(), avx2::ik_row_decoders(), avx2::fork_decoders()})
    if (const DecodeRow decode = find_in(decoders, label)) return decode;
  return nullptr;
}

#else

bool has_vector_decoders() { return false; }

DecodeRow find_vector_decoder(std::string_view) { return nullptr; }

#endif

}  // namespace ggufvet
