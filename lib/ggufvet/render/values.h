// Metadata values in words and as JSON.
#pragma once

#include <string>

#include "ggufvet/read/file_model.h"

namespace ggufvet {

// A number or bool from its bytes as read (zero-extended).
[[nodiscard]] std::string scalar_text(ValueType type, std::uint64_t bits);

// "u32", "string", "array of 32,000 string".
[[nodiscard]] std::string value_type_text(const MetadataPair& pair);

// The value, long ones shortened: strings escaped and capped, arrays by their first elements.
[[nodiscard]] std::string value_preview(const FileModel& file, const MetadataPair& pair,
                                        std::size_t characters_max);

// One element of an array of scalars; zero when it is not in the window.
[[nodiscard]] std::uint64_t array_element_bits(const FileModel& file, const MetadataPair& pair,
                                               std::uint64_t index);

}  // namespace ggufvet
