// The report of one file as plain text.
#pragma once

#include <string>
#include <string_view>

#include "ggufvet/render/style.h"
#include "ggufvet/vet/vet.h"

namespace ggufvet {

[[nodiscard]] std::string text_report(std::string_view path, const Vetted& vetted, const TextStyle& style);

// A file that could not even be opened: a report of its own kind, so that nothing is passed over in silence.
[[nodiscard]] std::string text_unreadable(std::string_view path, std::string_view why,
                                          const TextStyle& style);

// "GGUF v3, little-endian, 12 metadata pairs, 201 tensors, 1.2 GiB"
[[nodiscard]] std::string text_summary(const FileModel& file);

}  // namespace ggufvet
