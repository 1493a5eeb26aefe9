// A profile is a name for one column of the rules' levels.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "ggufvet/rules/rule.h"

namespace ggufvet {

enum class Profile : std::uint8_t { hardened, publish, spec, ggml };

struct ProfileInfo {
  Profile profile{};
  std::string_view name;
  std::string_view question;  // what its verdict answers
  bool is_reader = false;     // chosen with --as rather than --profile
};

inline constexpr std::array<ProfileInfo, 4> kProfiles{{
    {Profile::hardened, "hardened", "may a cautious person hand this file to a loader?"},
    {Profile::publish, "publish", "may this file be uploaded for others?"},
    {Profile::spec, "spec", "does the file keep to the letter of the format document?"},
    {Profile::ggml, "ggml", "does mainline's own reader, gguf_init_from_file, take the file?", true},
}};

[[nodiscard]] constexpr std::string_view profile_name(Profile profile) {
  return kProfiles[static_cast<std::size_t>(profile)].name;
}

[[nodiscard]] constexpr std::optional<Profile> find_profile(std::string_view name) {
  for (const ProfileInfo& info : kProfiles)
    if (info.name == name) return info.profile;
  return std::nullopt;
}

[[nodiscard]] constexpr Severity level_of(const Rule& rule, Profile profile) {
  switch (profile) {
    case Profile::hardened:
      return rule.levels.hardened;
    case Profile::publish:
      return rule.levels.publish;
    case Profile::spec:
      return rule.levels.spec;
    case Profile::ggml:
      return rule.levels.ggml;
  }
  return Severity::error;
}

}  // namespace ggufvet
