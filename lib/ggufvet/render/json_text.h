// The one way this layer writes JSON. Internal to render.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace ggufvet {

using Json = nlohmann::ordered_json;

// One line, ASCII only, bytes that are not UTF-8 replaced.
[[nodiscard]] inline std::string dumped(const Json& json) {
  return json.dump(-1, ' ', true, Json::error_handler_t::replace);
}

// At most `bytes_max` bytes of text from a file, not cut inside a character.
[[nodiscard]] inline std::string capped(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return std::string(text);
  std::size_t end = bytes_max;
  while (end > 0 && bytes_max - end < 4 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return std::string(text.substr(0, end));
}

}  // namespace ggufvet
