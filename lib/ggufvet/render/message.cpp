#include "ggufvet/render/message.h"

#include <array>
#include <cstring>
#include <set>

#include <fmt/format.h>

#include "ggufvet/base/text.h"
#include "ggufvet/read/foreign_format.h"
#include "ggufvet/rules/template_lexer.h"
#include "ggufvet/types/type_registry.h"

namespace ggufvet {
namespace {

[[nodiscard]] std::string value_type_word(std::uint64_t id) {
  const ValueTypeInfo* const info =
      id <= 0xFFFFFFFF ? find_value_type(static_cast<std::uint32_t>(id)) : nullptr;
  return info != nullptr ? std::string(info->name) : std::to_string(id);
}

[[nodiscard]] std::string type_word(std::uint64_t id, DialectId dialect_id) {
  const TypeInfo* const info = find_type(dialect_id, static_cast<std::uint32_t>(id));
  return info != nullptr ? std::string(info->name) : "type " + std::to_string(id);
}

// "; ik_llama knows it as IQ4_KS, …": who else claims the id. A fork's own dialect is named once.
[[nodiscard]] std::string claims_word(std::uint64_t id, DialectId dialect_id) {
  constexpr std::size_t kShownMax = 6;
  std::string words;
  std::set<std::string_view> named;
  std::size_t more = 0;
  for (const TypeInfo* const claim : claims_of(static_cast<std::uint32_t>(id))) {
    if (claim->dialect == dialect_id) continue;
    const std::string_view slug = dialect(claim->dialect).slug;
    if (!named.insert(slug).second) continue;
    if (named.size() > kShownMax) {
      ++more;
      continue;
    }
    words += fmt::format("{}{} in {}", words.empty() ? "; it is " : ", ", claim->name, slug);
  }
  if (more > 0) words += fmt::format(" and {} more", more);
  return words;
}

[[nodiscard]] std::string quoted(std::string_view text) { return '"' + escaped(text) + '"'; }

[[nodiscard]] std::string text_word(const ModelFacts& facts, ByteRange where) {
  if (where.end > facts.file.window.size() || where.begin > where.end) return "\"\"";
  const auto bytes = facts.file.window.subspan(static_cast<std::size_t>(where.begin),
                                               static_cast<std::size_t>(where.size()));
  return quoted(as_text(bytes));
}

[[nodiscard]] std::string tensor_word(std::uint64_t index, const ModelFacts& facts) {
  if (index >= facts.file.tensors.size()) return "tensor " + std::to_string(index);
  return fmt::format("tensor[{}] {}", index,
                     quoted(facts.file.tensors[static_cast<std::size_t>(index)].name));
}

[[nodiscard]] std::string number_word(std::string_view format, std::uint64_t value, const ModelFacts& facts) {
  if (format.empty()) return with_separators(value);
  if (format == "hex") return fmt::format("0x{:02x}", value);
  if (format == "bytes") return human_bytes(value);
  if (format == "value_type") return value_type_word(value);
  if (format == "type") return type_word(value, facts.dialect);
  if (format == "claims") return claims_word(value, facts.dialect);
  if (format == "foreign") return std::string(foreign_name(static_cast<ForeignFormat>(value)));
  if (format == "foreign_advice") return std::string(foreign_advice(static_cast<ForeignFormat>(value)));
  if (format == "template_problem")
    return std::string(template_problem_words(static_cast<TemplateProblem>(value)));
  if (format == "code_point") return fmt::format("{:04X}", value);
  if (format == "errno") return value == 0 ? "the file ended early" : std::strerror(static_cast<int>(value));
  return {};
}

[[nodiscard]] std::string expand(std::string_view word, const Finding& finding, const ModelFacts& facts) {
  if (word == "text") return text_word(facts, finding.where);
  if (word == "dialect") return std::string(dialect(facts.dialect).slug);
  if (word == "claims") return claims_word(finding.args[0], facts.dialect);
  const std::size_t colon = word.find(':');
  if (colon != std::string_view::npos && word.substr(0, colon) == "tensor")
    return tensor_word(finding.args[static_cast<std::size_t>(word[colon + 1] - '0') % 4], facts);
  const std::size_t index = static_cast<std::size_t>(word[0] - '0') % 4;
  return number_word(colon == std::string_view::npos ? "" : word.substr(colon + 1), finding.args[index],
                     facts);
}

}  // namespace

bool is_known_word(std::string_view word) {
  constexpr std::array<std::string_view, 3> kPlain{"text", "dialect", "claims"};
  for (const std::string_view plain : kPlain)
    if (word == plain) return true;
  constexpr std::string_view kTensor = "tensor:";
  if (word.starts_with(kTensor))
    return word.size() == kTensor.size() + 1 && word.back() >= '0' && word.back() <= '3';
  if (word.empty() || word[0] < '0' || word[0] > '3') return false;
  if (word.size() == 1) return true;
  constexpr std::array<std::string_view, 10> kFormats{"hex",
                                                      "bytes",
                                                      "value_type",
                                                      "type",
                                                      "claims",
                                                      "foreign",
                                                      "foreign_advice",
                                                      "errno",
                                                      "template_problem",
                                                      "code_point"};
  for (const std::string_view format : kFormats)
    if (word[1] == ':' && word.substr(2) == format) return true;
  return false;
}

std::string message_of(const Finding& finding, const Rule& rule, const ModelFacts& facts) {
  std::string out;
  std::string_view rest = rule.text;
  while (!rest.empty()) {
    const std::size_t open = rest.find('{');
    out += rest.substr(0, open);
    if (open == std::string_view::npos) break;
    const std::size_t close = rest.find('}', open);
    if (close == std::string_view::npos) break;
    out += expand(rest.substr(open + 1, close - open - 1), finding, facts);
    rest = rest.substr(close + 1);
  }
  return out;
}

std::string with_separators(std::uint64_t value) {
  std::string digits = std::to_string(value);
  for (std::size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, ",");
  }
  return digits;
}

std::string human_bytes(std::uint64_t bytes) {
  constexpr std::array<std::string_view, 6> kUnits{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return fmt::format("{} bytes", bytes);
  double value = static_cast<double>(bytes) / 1024.0;
  std::size_t unit = 0;
  while (value >= 1024.0 && unit + 1 < kUnits.size()) {
    value /= 1024.0;
    ++unit;
  }
  return fmt::format("{:.2f} {}", value, kUnits[unit]);
}

}  // namespace ggufvet
