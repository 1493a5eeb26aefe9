// The one way this layer writes JSON. Internal to render.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace ggufvet {

using Json = nlohmann::ordered_json;

// One line, ASCII only, bytes that are not UTF-8 replaced.
[[nodiscard]] inline std::string dumped(const Json& json) {
  return json.dump(-1, ' ', true, Json::error_handler_t::replace);
}

}  // namespace ggufvet
