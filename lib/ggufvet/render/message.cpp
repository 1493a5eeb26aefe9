#include "ggufvet/render/message.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <set>

#include <fmt/format.h>

#include "ggufvet/base/text.h"
#include "ggufvet/read/foreign_format.h"
#include "ggufvet/render/locate.h"
#include "ggufvet/render/meaning_words.h"
#include "ggufvet/rules/template_lexer.h"
#include "ggufvet/types/file_types.h"
#include "ggufvet/types/layout_drawing.h"
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

// Every claim, those that agree on name and layout together: "Q2_0 (64 elements in 18 bytes …) in ggml; …".
[[nodiscard]] std::string all_claims_word(std::uint64_t id) {
  std::string words;
  const auto claims = claims_of(static_cast<std::uint32_t>(id));
  for (std::size_t index = 0; index < claims.size(); ++index) {
    const TypeInfo& claim = *claims[index];
    const auto agrees = [&claim](const TypeInfo* other) {
      return other->name == claim.name && other->layout == claim.layout;
    };
    if (std::any_of(claims.begin(), claims.begin() + static_cast<std::ptrdiff_t>(index), agrees)) continue;
    words += fmt::format("{}{} (", words.empty() ? "" : "; ", claim.name);
    append_geometry(*claim.layout, words);
    words += ") in ";
    bool first = true;
    for (const TypeInfo* const other : claims) {
      if (!agrees(other)) continue;
      words += fmt::format("{}{}", first ? "" : ", ", dialect(other->dialect).slug);
      first = false;
    }
  }
  return words;
}

// "Q2_0 in prism-legacy, TURBO2_0 in buun-april": what the contested tensor is in the dialects of a reading.
[[nodiscard]] std::string reading_word(const Reading& reading, std::uint32_t id) {
  constexpr std::size_t kShownMax = 4;
  std::string words;
  std::size_t named = 0;
  for (std::size_t index = 0; index < dialects().size(); ++index) {
    if (!reading.dialects.test(index) || ++named > kShownMax) continue;
    const TypeInfo* const type = find_type(static_cast<DialectId>(index), id);
    words += fmt::format("{}{} in {}", words.empty() ? "" : ", ", type != nullptr ? type->name : "?",
                         dialects()[index].slug);
  }
  if (named > kShownMax) words += fmt::format(" and {} more", named - kShownMax);
  return words;
}

[[nodiscard]] std::string readings_word(const ModelFacts& facts, ReadingFit fit, bool with_mainline) {
  if (!facts.dialects.contested_tensor) return {};
  const std::uint32_t id = facts.file.tensors[*facts.dialects.contested_tensor].type_id;
  std::string words;
  for (const Reading& reading : facts.dialects.readings) {
    if (reading.fit != fit || (!with_mainline && reading.first == DialectId::ggml)) continue;
    words += (words.empty() ? "" : "; or ") + reading_word(reading, id);
  }
  return words;
}

// ": MOSTLY_MXFP4 in ik_llama, …"
[[nodiscard]] std::string file_type_claims_word(std::uint64_t value) {
  constexpr std::size_t kShownMax = 5;
  std::string words;
  std::size_t named = 0;
  if (value > 0xFFFFFFFF) return words;
  for (const FileType* const claim : file_type_claims_of(static_cast<std::uint32_t>(value)))
    if (++named <= kShownMax)
      words +=
          fmt::format("{}{} in {}", words.empty() ? ": " : ", ", claim->name, dialect(claim->dialect).slug);
  if (named > kShownMax) words += fmt::format(" and {} more", named - kShownMax);
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
  if (format == "id") return std::to_string(value);
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
  if (format == "turn_end") return std::string(kTurnEnds[value % kTurnEnds.size()].text);
  if (format == "real") return fmt::format("{:g}", std::bit_cast<double>(value));
  if (format == "expert") return value == kNoExpert ? std::string{} : fmt::format(" of expert {}", value);
  if (format == "more")
    return value < 2 ? std::string{} : fmt::format("; {} such in this tensor", with_separators(value));
  if (format == "others" && value == 0) return {};
  if (format == "others")
    return value == 1 ? " (nor is 1 other)" : fmt::format(" (nor are {} others)", with_separators(value));
  if (format == "errno") return value == 0 ? "the file ended early" : std::strerror(static_cast<int>(value));
  return {};
}

[[nodiscard]] std::string expand(std::string_view word, const Finding& finding, const ModelFacts& facts,
                                 const ModelFacts& model) {
  if (word == "text") return text_word(facts, finding.where);
  if (word == "dialect") return std::string(dialect(facts.dialect).slug);
  if (word == "claims") return claims_word(finding.args[0], facts.dialect);
  if (word == "all_claims") return all_claims_word(finding.args[0]);
  if (word == "key") return escaped(locate(facts, finding.where).name);
  if (word == "readings") return readings_word(facts, ReadingFit::exact, true);
  if (word == "other_readings") return readings_word(facts, ReadingFit::exact, false);
  if (word == "short_readings") return readings_word(facts, ReadingFit::rows_short, true);
  if (word == "file_type_claims") return file_type_claims_word(finding.args[0]);
  if (word == "layer_tensor") return layer_tensor_word(finding.args[0], finding.args[1], model.file);
  const std::size_t colon = word.find(':');
  if (word.starts_with("key:"))
    return key_word(finding.args[static_cast<std::size_t>(word.back() - '0') % 4], model.file);
  if (word.starts_with("accepts:"))
    return accepts_word(finding.args[static_cast<std::size_t>(word.back() - '0') % 4]);
  if (colon != std::string_view::npos && word.substr(0, colon) == "tensor")
    return tensor_word(finding.args[static_cast<std::size_t>(word[colon + 1] - '0') % 4], model);
  const std::size_t index = static_cast<std::size_t>(word[0] - '0') % 4;
  return number_word(colon == std::string_view::npos ? "" : word.substr(colon + 1), finding.args[index],
                     facts);
}

struct Plural {
  std::string_view many;
  std::string_view one;
};

// Templates are written for many; after a 1 the words that follow are put in the singular.
constexpr std::array kPlurals{Plural{" bytes follow", " byte follows"},
                              Plural{" bytes", " byte"},
                              Plural{" strings of this value are", " string of this value is"},
                              Plural{" strings of this value have", " string of this value has"},
                              Plural{" elements", " element"},
                              Plural{" dimensions", " dimension"},
                              Plural{" metadata pairs", " metadata pair"},
                              Plural{" tensors are", " tensor is"},
                              Plural{" tensors", " tensor"},
                              Plural{" levels", " level"},
                              Plural{" are)", " is)"},
                              Plural{" such places", " such place"},
                              Plural{" such characters", " such character"},
                              Plural{" such names", " such name"},
                              Plural{" such templates", " such template"},
                              Plural{" are missing", " is missing"}};

// Whether a number that follows is a name rather than a quantity: "type id 4095", not 4,095.
[[nodiscard]] bool names_something(std::string_view before) {
  constexpr std::array<std::string_view, 5> kNamed{" id ", "version ", "type ", "pair ", "dimension "};
  return std::any_of(kNamed.begin(), kNamed.end(),
                     [before](std::string_view name) { return before.ends_with(name); });
}

// Appends the singular of what `rest` begins with; how many bytes of it that stands for.
[[nodiscard]] std::size_t append_singular(std::string& out, std::string_view rest) {
  for (const Plural& plural : kPlurals)
    if (rest.starts_with(plural.many)) {
      out += plural.one;
      return plural.many.size();
    }
  return 0;
}

}  // namespace

bool is_known_word(std::string_view word) {
  constexpr std::array<std::string_view, 10> kPlain{
      "all_claims", "text",           "dialect",        "claims",           "key",
      "readings",   "other_readings", "short_readings", "file_type_claims", "layer_tensor"};
  for (const std::string_view plain : kPlain)
    if (word == plain) return true;
  constexpr std::array<std::string_view, 3> kNumbered{"tensor:", "key:", "accepts:"};
  for (const std::string_view numbered : kNumbered)
    if (word.starts_with(numbered))
      return word.size() == numbered.size() + 1 && word.back() >= '0' && word.back() <= '3';
  if (word.empty() || word[0] < '0' || word[0] > '3') return false;
  if (word.size() == 1) return true;
  constexpr std::array<std::string_view, 16> kFormats{
      "id",    "hex",  "bytes",    "value_type", "type", "claims", "foreign",          "foreign_advice",
      "errno", "real", "turn_end", "expert",     "more", "others", "template_problem", "code_point"};
  for (const std::string_view format : kFormats)
    if (word[1] == ':' && word.substr(2) == format) return true;
  return false;
}

std::string message_of(const Finding& finding, const Rule& rule, const ModelFacts& facts) {
  return message_of(finding, rule, facts, facts);
}

std::string message_of(const Finding& finding, const Rule& rule, const ModelFacts& facts,
                       const ModelFacts& model) {
  std::string out;
  std::string_view rest = rule.text;
  while (!rest.empty()) {
    const std::size_t open = rest.find('{');
    out += rest.substr(0, open);
    if (open == std::string_view::npos) break;
    const std::size_t close = rest.find('}', open);
    if (close == std::string_view::npos) break;
    std::string word = expand(rest.substr(open + 1, close - open - 1), finding, facts, model);
    if (names_something(out)) std::erase(word, ',');
    out += word;
    rest = rest.substr(close + 1);
    if (word == "1") rest = rest.substr(append_singular(out, rest));
  }
  return out;
}

std::string readable_template(std::string_view text) {
  constexpr std::string_view kNumbers = "NMKL";
  std::string out;
  while (!text.empty()) {
    const std::size_t open = text.find('{');
    out += text.substr(0, open);
    const std::size_t close = open == std::string_view::npos ? open : text.find('}', open);
    if (close == std::string_view::npos) break;
    const std::string_view word = text.substr(open + 1, close - open - 1);
    if (word == "text") {
      out += "\"…\"";
    } else if (word == "dialect") {
      out += "in use";
    } else if (word.starts_with("tensor:")) {
      out += "tensor[N] \"…\"";
    } else if (word.ends_with(":foreign_advice") || word.ends_with("claims")) {
      out += "…";
    } else if (word.ends_with(":foreign")) {
      out += "another format";
    } else if (word.ends_with(":type") || word.ends_with(":value_type")) {
      out += "TYPE";
    } else if (!word.empty() && word[0] >= '0' && word[0] <= '3') {
      out += kNumbers[static_cast<std::size_t>(word[0] - '0')];
    }
    text = text.substr(close + 1);
  }
  return out;
}

std::string with_separators(std::uint64_t value) {
  std::string digits = std::to_string(value);
  for (std::size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, 1, ',');
  }
  return digits;
}

std::string human_bytes(std::uint64_t bytes) {
  constexpr std::array<std::string_view, 6> kUnits{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return bytes == 1 ? "1 byte" : fmt::format("{} bytes", bytes);
  double value = static_cast<double>(bytes) / 1024.0;
  std::size_t unit = 0;
  while (value >= 1024.0 && unit + 1 < kUnits.size()) {
    value /= 1024.0;
    ++unit;
  }
  return fmt::format("{:.2f} {}", value, kUnits[unit]);
}

}  // namespace ggufvet
