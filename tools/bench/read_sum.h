// The yardstick of memory bandwidth: every byte read once with the widest loads of AVX2, and added up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace ggufvet::bench {

#if defined(__x86_64__)
__attribute__((target("avx2"), noinline)) inline std::uint64_t read_sum(std::span<const std::byte> bytes) {
  __m256i sums[4] = {};
  std::size_t at = 0;
  for (; at + 128 <= bytes.size(); at += 128) {
    const auto* const place = reinterpret_cast<const __m256i*>(bytes.data() + at);
    for (int vector = 0; vector < 4; ++vector)
      sums[vector] = _mm256_add_epi64(sums[vector], _mm256_loadu_si256(place + vector));
  }
  const __m256i all =
      _mm256_add_epi64(_mm256_add_epi64(sums[0], sums[1]), _mm256_add_epi64(sums[2], sums[3]));
  std::uint64_t parts[4];
  std::memcpy(parts, &all, sizeof parts);
  std::uint64_t sum = parts[0] + parts[1] + parts[2] + parts[3];
  for (; at < bytes.size(); ++at) sum += static_cast<std::uint64_t>(bytes[at]);
  asm volatile("" : "+r"(sum));  // the sum is used, as far as the compiler knows
  return sum;
}
#else
__attribute__((noinline)) inline std::uint64_t read_sum(std::span<const std::byte> bytes) {
  std::uint64_t sum = 0;
  for (std::size_t at = 0; at + 8 <= bytes.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, sizeof word);
    sum += word;
  }
  asm volatile("" : "+r"(sum));
  return sum;
}
#endif

}  // namespace ggufvet::bench
