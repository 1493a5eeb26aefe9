// What the numbers in general.file_type mean: a summary of the types a file is mostly made of, written by the
// program that quantised it. As with tensor types, a number alone means nothing; dialects reuse them. The key
// is a hint, never proof: the directory says what a file really holds.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "ggufvet/types/type_info.h"

namespace ggufvet {

struct FileType {
  DialectId dialect{};
  std::uint32_t value = 0;
  std::string_view name{};
  TypeStatus status = TypeStatus::active;
  // Names of the tensor types such a file is expected to be mostly made of, in the same dialect; empty at the
  // end.
  std::array<std::string_view, 5> main_types{};
  std::string_view note{};

  [[nodiscard]] constexpr std::span<const std::string_view> main_type_names() const {
    std::size_t count = 0;
    while (count < main_types.size() && !main_types[count].empty()) ++count;
    return std::span(main_types).first(count);
  }
};

// Every row, grouped by dialect in the order of dialects(), values ascending within one.
[[nodiscard]] std::span<const FileType> file_types();

// What `value` means in a dialect: its own row, or the one of its parent when every main type of that row is
// the same type in both (a fork that gave a type's number away does not speak of that type). Null when it
// means nothing there.
[[nodiscard]] const FileType* find_file_type(DialectId dialect, std::uint32_t value);

// Every row with this value, mainline first.
[[nodiscard]] std::span<const FileType* const> file_type_claims_of(std::uint32_t value);

// Whether two claims mean the same: equal names, and main types that hold the same bytes.
[[nodiscard]] bool file_types_agree(const FileType& a, const FileType& b);
// Whether dialects disagree on what `value` means.
[[nodiscard]] bool is_conflicting_file_type(std::uint32_t value);

}  // namespace ggufvet
