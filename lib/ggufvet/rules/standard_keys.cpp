#include "ggufvet/rules/standard_keys.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>

#include "ggufvet/rules/key_ids.h"

namespace ggufvet {

using key_rows::kRows;

namespace {

// Longest key that is compared with the patterns that have a free part.
constexpr std::size_t kNormalisedBytesMax = 96;

consteval bool rows_ascend() {
  for (std::size_t index = 1; index < std::size(kRows); ++index)
    if (kRows[index - 1].pattern >= kRows[index].pattern) return false;
  return true;
}
static_assert(rows_ascend(), "rows are looked up by bisection");

// `head` followed by `tail` against a pattern, without joining them.
[[nodiscard]] int compare_joined(std::string_view pattern, std::string_view head, std::string_view tail) {
  const int first = pattern.substr(0, head.size()).compare(head);
  return first != 0 ? first : pattern.substr(std::min(head.size(), pattern.size())).compare(tail);
}

[[nodiscard]] KeyId find_row(std::string_view head, std::string_view tail) {
  const auto row = std::lower_bound(std::begin(kRows), std::end(kRows), tail,
                                    [head](const StandardKey& each, std::string_view wanted) {
                                      return compare_joined(each.pattern, head, wanted) < 0;
                                    });
  if (row == std::end(kRows) || compare_joined(row->pattern, head, tail) != 0) return KeyId::none;
  return static_cast<KeyId>(row - std::begin(kRows));
}

// What follows "ARCHITECTURE." in a key; empty when it does not begin so.
[[nodiscard]] std::string_view behind_architecture(std::string_view key, std::string_view architecture) {
  if (architecture.empty() || !key.starts_with(architecture) || key.size() <= architecture.size()) return {};
  const std::string_view rest = key.substr(architecture.size());
  return rest.front() == '.' ? rest : std::string_view{};
}

// general.base_model.12.name -> general.base_model.{id}.name
[[nodiscard]] KeyId find_numbered(std::string_view key, std::string_view head) {
  std::string_view rest = key.substr(head.size());
  const std::size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
  if (digits == 0 || rest.size() > kNormalisedBytesMax) return KeyId::none;
  rest.remove_prefix(digits);
  std::array<char, 2 * kNormalisedBytesMax> joined{};
  constexpr std::string_view kId = "{id}";
  std::size_t bytes = 0;
  for (const std::string_view part : {head, kId, rest}) {
    std::memcpy(joined.data() + bytes, part.data(), part.size());
    bytes += part.size();
  }
  return find_row({}, {joined.data(), bytes});
}

[[nodiscard]] KeyId find_free_pattern(std::string_view key, std::string_view tail) {
  for (const std::string_view head :
       {std::string_view("general.base_model."), std::string_view("general.dataset.")})
    if (key.starts_with(head)) return find_numbered(key, head);
  if (key.starts_with("tokenizer.chat_template.")) return find_row({}, "tokenizer.chat_template.{name}");
  if (tail.ends_with("_feat_in")) return find_row({}, "{arch}.{dense}_feat_in");
  if (tail.ends_with("_feat_out")) return find_row({}, "{arch}.{dense}_feat_out");
  return KeyId::none;
}

// One edit apart: a letter more, less, other, or two swapped.
[[nodiscard]] bool is_near(std::string_view a, std::string_view b) {
  if (a.size() > b.size()) std::swap(a, b);
  if (b.size() - a.size() > 1) return false;
  const auto differ = std::mismatch(a.begin(), a.end(), b.begin());
  std::string_view rest_a(differ.first, a.end());
  std::string_view rest_b(differ.second, b.end());
  if (a.size() < b.size()) return rest_a == rest_b.substr(1);
  if (rest_a.empty()) return false;  // equal
  if (rest_a.substr(1) == rest_b.substr(1)) return true;
  return rest_a.size() > 1 && rest_a[0] == rest_b[1] && rest_a[1] == rest_b[0] &&
         rest_a.substr(2) == rest_b.substr(2);
}

}  // namespace

std::span<const StandardKey> standard_keys() { return kRows; }

const StandardKey& standard_key(KeyId id) { return kRows[static_cast<std::size_t>(id) % std::size(kRows)]; }

KeyId find_standard_key(std::string_view key, std::string_view architecture) {
  if (const KeyId plain = find_row({}, key); plain != KeyId::none) return plain;
  const std::string_view tail = behind_architecture(key, architecture);
  if (!tail.empty())
    if (const KeyId id = find_row(kArchitectureMark, tail); id != KeyId::none) return id;
  return find_free_pattern(key, tail);
}

KeyId find_near_standard_key(std::string_view key, std::string_view architecture) {
  constexpr std::size_t kKeyBytesMin =
      8;  // no standard key is much shorter; what is, is not worth 300 comparisons
  if (key.size() < kKeyBytesMin) return KeyId::none;
  const std::string_view tail = behind_architecture(key, architecture);
  for (std::size_t index = 0; index < std::size(kRows); ++index) {
    const std::string_view pattern = kRows[index].pattern;
    const bool of_architecture = pattern.starts_with(kArchitectureMark);
    const bool near = of_architecture
                          ? !tail.empty() && is_near(tail, pattern.substr(kArchitectureMark.size()))
                          : is_near(key, pattern);
    if (near) return static_cast<KeyId>(index);
  }
  return KeyId::none;
}

}  // namespace ggufvet
