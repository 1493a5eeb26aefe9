// Layouts and types in plain words, for people at a terminal: `explain Q4_K`, `explain 42`. Appends to a
// string of the caller's. Prints only what stands in the tables, never a byte of a file or of a query, so
// nothing needs escaping.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ggufvet/types/type_info.h"

namespace ggufvet {

// What a field is for, as in "scale, fp16". Never empty.
[[nodiscard]] std::string_view role_words(Role role);
// "active", "retired", "proposed", "draft".
[[nodiscard]] std::string_view status_word(TypeStatus status);
// As in "files on record".
[[nodiscard]] std::string_view seen_words(SeenInFile seen);

// Bits a weight inside blocks, row headers left out, to four decimals at most: "4.5". Nothing when a block is
// unknown.
void append_bits_per_weight(const TypeLayout& layout, std::string& out);
// One phrase: "256 elements in 136 bytes (4.25 bits per weight) after a row header of 4 bytes".
void append_geometry(const TypeLayout& layout, std::string& out);

// The layout byte by byte: one line with its geometry, then a line for every field (offsets, name, what it
// is). Lines end in '\n'. A layout that is not documented field by field gets its first line and a line that
// says so.
void draw_layout(const TypeLayout& layout, std::string& out);

// The rows a query names: an id in decimal, a name in any dialect ("q4_k"), one dialect's type ("prism:42",
// "prism:Q2_0"), or the label of a layout. At most as many as there are rows; ASCII case is ignored.
[[nodiscard]] std::vector<const TypeInfo*> find_types(std::string_view query);

// Who calls what by this number or name: every claim with its dialect, time, status, geometry and aliases,
// then each layout drawn once. False, and nothing appended, when no dialect knows the query.
bool describe_type(std::string_view query, std::string& out);

}  // namespace ggufvet
