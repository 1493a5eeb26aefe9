// Manifests: lines of mainline's gguf-hash tool ("sha256    HEX  FILE:TENSOR") and of sha256sum ("HEX  FILE").
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "digests.h"

namespace ggufvet::tool {

[[nodiscard]] std::string manifest_line(std::string_view algorithm, std::string_view hex, const std::string& what);
[[nodiscard]] std::string checksum_line(std::string_view hex, const std::string& path);

struct ManifestEntry {
  Algorithm algorithm{};
  std::string hex;
  std::string path;
  std::string tensor;       // empty: the model
  bool whole_file = false;  // of the file's bytes rather than its tensors'
};

struct Manifest {
  std::vector<ManifestEntry> entries;
  std::size_t lines_not_understood = 0;
};

// Where FILE ends and TENSOR begins is told by what other lines call a file; both may hold colons and blanks.
[[nodiscard]] Manifest parse_manifest(std::string_view text);

}  // namespace ggufvet::tool
