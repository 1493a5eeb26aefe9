#include "manifest.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "ggufvet/base/text.h"

namespace ggufvet::tool {
namespace {

[[nodiscard]] bool is_hexadecimal(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char letter) {
    return (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'f') || (letter >= 'A' && letter <= 'F');
  });
}

[[nodiscard]] std::string lower(std::string_view text) {
  std::string lowered(text);
  for (char& letter : lowered)
    if (letter >= 'A' && letter <= 'F') letter = static_cast<char>(letter + 32);
  return lowered;
}

[[nodiscard]] std::string_view take_token(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  const std::string_view token = line.substr(0, line.find(' '));
  line.remove_prefix(token.size());
  return token;
}

// sha256sum marks a name it had to escape with a backslash in front of the line.
[[nodiscard]] std::string unescaped(std::string_view name) {
  std::string plain;
  for (std::size_t at = 0; at < name.size(); ++at) {
    if (name[at] != '\\' || at + 1 == name.size()) {
      plain += name[at];
      continue;
    }
    ++at;
    plain += name[at] == 'n' ? '\n' : name[at] == 'r' ? '\r' : name[at];
  }
  return plain;
}

[[nodiscard]] bool parse_checksum(std::string_view line, ManifestEntry& entry) {
  const bool marked = !line.empty() && line[0] == '\\';
  if (marked) line.remove_prefix(1);
  constexpr std::size_t kHexDigits = 64;
  if (line.size() < kHexDigits + 3 || !is_hexadecimal(line.substr(0, kHexDigits)) || line[kHexDigits] != ' ') return false;
  const std::string_view name = line.substr(kHexDigits + 2);
  entry = {Algorithm::sha256, lower(line.substr(0, kHexDigits)), marked ? unescaped(name) : std::string(name), {}, true};
  return true;
}

[[nodiscard]] bool parse_line(std::string_view line, ManifestEntry& entry) {
  if (parse_checksum(line, entry)) return true;
  const auto algorithm = find_algorithm(take_token(line));
  const std::string_view hex = take_token(line);
  const std::size_t begin = line.find_first_not_of(' ');
  if (!algorithm || hex.empty() || begin == std::string_view::npos) return false;
  entry = {*algorithm, lower(hex), std::string(line.substr(begin)), {}, false};
  return true;
}

[[nodiscard]] bool ends_like_a_model(std::string_view name) { return name.ends_with(".gguf"); }

void split_names(std::vector<ManifestEntry>& entries) {
  std::set<std::string, std::less<>> models;
  for (const ManifestEntry& entry : entries)
    if (!entry.whole_file && ends_like_a_model(entry.path)) models.insert(entry.path);
  for (ManifestEntry& entry : entries) {
    if (entry.whole_file || models.contains(entry.path)) continue;
    std::size_t colon = std::string::npos;
    for (std::size_t at = entry.path.find(':'); at != std::string::npos; at = entry.path.find(':', at + 1)) {
      const std::string_view name = std::string_view(entry.path).substr(0, at);
      if (models.contains(name)) colon = at;
      else if (colon == std::string::npos && ends_like_a_model(name)) colon = at;
    }
    if (colon == std::string::npos) colon = entry.path.rfind(':');
    if (colon == std::string::npos) continue;
    entry.tensor = entry.path.substr(colon + 1);
    entry.path.resize(colon);
  }
}

}  // namespace

// Control characters of a hostile name must not make a line of their own; other bytes stay as mainline prints them.
std::string manifest_line(std::string_view algorithm, std::string_view hex, const std::string& what) {
  const bool plain = std::none_of(what.begin(), what.end(), [](char letter) {
    return static_cast<unsigned char>(letter) < 0x20 || letter == 0x7F;
  });
  return fmt::format("{:<8}  {}  {}\n", algorithm, hex, plain ? what : escaped(what, what.size()));
}

std::string checksum_line(std::string_view hex, const std::string& path) {
  std::string name;
  for (const char letter : path) name += letter == '\\' ? "\\\\" : letter == '\n' ? "\\n" : letter == '\r' ? "\\r" : std::string(1, letter);
  return fmt::format("{}{}  {}\n", name == path ? "" : "\\", hex, name);
}

Manifest parse_manifest(std::string_view text) {
  Manifest manifest;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.find_first_not_of(' ') == std::string_view::npos || line[0] == '#') continue;
    ManifestEntry entry;
    if (parse_line(line, entry))
      manifest.entries.push_back(std::move(entry));
    else
      ++manifest.lines_not_understood;
  }
  split_names(manifest.entries);
  return manifest;
}

}  // namespace ggufvet::tool
