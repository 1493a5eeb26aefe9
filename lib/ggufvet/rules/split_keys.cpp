#include "ggufvet/rules/split_keys.h"

#include <algorithm>

namespace ggufvet {
namespace {

using namespace std::string_view_literals;

[[nodiscard]] bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }
[[nodiscard]] char lower(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter + 32) : letter;
}

// The digits at the end of `text`, taken off it; empty when %05d would not have written them.
[[nodiscard]] std::optional<std::uint32_t> take_padded_number(std::string_view& text) {
  constexpr std::size_t kDigits = 5;
  constexpr std::size_t kDigitsMax = 9;
  std::size_t begin = text.size();
  while (begin > 0 && is_digit(text[begin - 1]) && text.size() - begin < kDigitsMax) --begin;
  const std::string_view digits = text.substr(begin);
  if (digits.size() < kDigits || (digits.size() > kDigits && digits[0] == '0')) return std::nullopt;
  std::uint32_t number = 0;
  for (const char digit : digits) number = number * 10 + static_cast<std::uint32_t>(digit - '0');
  text.remove_suffix(digits.size());
  return number;
}

[[nodiscard]] bool take_suffix(std::string_view& text, std::string_view suffix) {
  if (!text.ends_with(suffix)) return false;
  text.remove_suffix(suffix.size());
  return true;
}

// Behind ".gguf": part, split, chunk or nothing, then what cutting tools count with.
[[nodiscard]] bool counts_parts(std::string_view rest) {
  const auto skip_marks = [&rest] {
    while (!rest.empty() && "._-"sv.find(rest[0]) != std::string_view::npos) rest.remove_prefix(1);
  };
  skip_marks();
  bool named = false;
  for (const std::string_view word : {"part"sv, "split"sv, "chunk"sv})
    if (rest.starts_with(word)) {
      rest.remove_prefix(word.size());
      named = true;
      break;
    }
  skip_marks();
  if (rest.empty()) return false;
  constexpr std::size_t kLettersMax = 3;
  const bool letters = rest.size() <= kLettersMax && std::all_of(rest.begin(), rest.end(), [](char letter) {
                         return letter >= 'a' && letter <= 'z';
                       });
  const std::size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
  const bool numbered = digits > 0 && (digits == rest.size() || rest.substr(digits).starts_with("of"sv));
  return (letters && (named || rest[0] == 'a')) || (numbered && (named || digits <= kLettersMax));
}

}  // namespace

std::optional<ShardName> parse_shard_name(std::string_view file_name) {
  if (!take_suffix(file_name, ".gguf")) return std::nullopt;
  const auto count = take_padded_number(file_name);
  if (!count || !take_suffix(file_name, "-of-")) return std::nullopt;
  const auto number = take_padded_number(file_name);
  if (!number || !take_suffix(file_name, "-")) return std::nullopt;
  if (*number == 0 || *number > *count) return std::nullopt;
  return ShardName{file_name, *number, *count};
}

bool is_raw_part_name(std::string_view file_name) {
  constexpr std::string_view kExtension = ".gguf";
  const auto found = std::search(file_name.begin(), file_name.end(), kExtension.begin(), kExtension.end(),
                                 [](char a, char b) { return lower(a) == b; });
  if (found == file_name.end()) return false;
  const auto at = static_cast<std::size_t>(found - file_name.begin());
  return counts_parts(file_name.substr(at + kExtension.size()));
}

bool SplitKeys::is_shard() const { return whole_number(count).value_or(0) > 1; }

SplitKeys find_split_keys(const FileModel& file) {
  return {find_pair(file, kSplitNumberKey), find_pair(file, kSplitCountKey),
          find_pair(file, kSplitTensorTotalKey)};
}

std::optional<std::uint64_t> whole_number(const MetadataPair* pair) {
  if (pair == nullptr) return std::nullopt;
  const auto unless_negative = [pair](std::uint32_t bits) -> std::optional<std::uint64_t> {
    return ((pair->bits >> (bits - 1)) & 1U) != 0 ? std::nullopt : std::optional(pair->bits);
  };
  switch (static_cast<ValueType>(pair->type_id)) {
    case ValueType::u8:
    case ValueType::u16:
    case ValueType::u32:
    case ValueType::u64:
      return pair->bits;
    case ValueType::i8:
      return unless_negative(8);
    case ValueType::i16:
      return unless_negative(16);
    case ValueType::i32:
      return unless_negative(32);
    case ValueType::i64:
      return unless_negative(64);
    default:
      return std::nullopt;
  }
}

}  // namespace ggufvet
