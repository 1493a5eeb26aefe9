// Digests of bytes that come piece by piece, and several of them computed over the same pieces by several threads.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ggufvet::tool {

enum class Algorithm : std::uint8_t { xxh3_128, xxh64, sha1, sha256, uuid };
inline constexpr std::array<Algorithm, 5> kAlgorithms{Algorithm::xxh3_128, Algorithm::xxh64, Algorithm::sha1,
                                                      Algorithm::sha256, Algorithm::uuid};

// As manifests write them: "xxh3_128", "xxh64", "sha1", "sha256", "uuid".
[[nodiscard]] std::string_view algorithm_name(Algorithm algorithm);
[[nodiscard]] std::optional<Algorithm> find_algorithm(std::string_view name);

class Digest {
 public:
  virtual ~Digest() = default;
  virtual void update(std::span<const std::byte> bytes) = 0;
  // Lower-case hexadecimal, most significant byte first; of a UUID in its usual groups. To be called once.
  [[nodiscard]] virtual std::string finish() = 0;
};

// uuid: version 5 over mainline's namespace for models, as its gguf-hash tool makes it.
[[nodiscard]] std::unique_ptr<Digest> make_digest(Algorithm algorithm);

// Digests that all take the same pieces, shared out among threads that live as long as the crew.
class DigestCrew {
 public:
  explicit DigestCrew(unsigned jobs);
  DigestCrew(const DigestCrew&) = delete;
  DigestCrew& operator=(const DigestCrew&) = delete;
  ~DigestCrew();

  // Returns once every digest has taken the bytes. digests: distinct.
  struct Task {
    Digest* digest = nullptr;
    Algorithm algorithm{};
  };
  void update(std::span<const Task> tasks, std::span<const std::byte> bytes);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ggufvet::tool
