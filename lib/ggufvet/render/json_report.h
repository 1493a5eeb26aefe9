// Reports as JSON, schema "ggufvet.report/1" (lib/ggufvet/render/schemas). All output is ASCII: text from
// files is escaped by the JSON encoding itself, bytes that are not UTF-8 are replaced.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ggufvet/vet/split_set.h"
#include "ggufvet/vet/vet.h"

namespace ggufvet {

// One element of "files", in one line.
[[nodiscard]] std::string json_file(std::string_view path, const Vetted& vetted);
// What a split set shows as a whole, after the elements of its shards; `path` is the shards' with the number
// left out.
[[nodiscard]] std::string json_split_set(std::string_view path, const VettedSplitSet& set);
[[nodiscard]] std::string json_unreadable(std::string_view path, std::string_view why, Profile profile,
                                          DialectId dialect);

// The document around them: json_begin, the elements joined by ",\n", json_end.
[[nodiscard]] std::string json_begin(std::string_view tool_version);
[[nodiscard]] std::string json_end();

// One element as a document of its own in one line, for JSON Lines.
[[nodiscard]] std::string json_line(std::string_view tool_version, std::string_view file);

}  // namespace ggufvet
