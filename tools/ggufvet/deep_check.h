// Vetting with a deep scan: progress on a terminal, an interrupt that ends it in good order, and a digest of
// the bytes that were vetted, taken in the same read.
#pragma once

#include <memory>
#include <string>

#include "ggufvet/vet/vet.h"

namespace ggufvet::tool {

// hash: the name of a digest, or empty for none.
[[nodiscard]] std::unique_ptr<Vetted> vet_deeply(ByteSource& source, const std::string& path,
                                                 VetOptions options, const std::string& hash);

}  // namespace ggufvet::tool
