// How bad findings about meaning are, in the combinations that occur more than once. Mainline's container
// reader ignores all meaning, so its column stays off. Internal to the rules layer.
#pragma once

#include "ggufvet/rules/rule.h"

namespace ggufvet {

// A loader fails on it or is led astray.
inline constexpr Levels kLoadError{
    .spec = Severity::off, .hardened = Severity::error, .publish = Severity::error, .ggml = Severity::off};
// The same, and the format document says so too.
inline constexpr Levels kLoadAndSpecError{
    .spec = Severity::error, .hardened = Severity::error, .publish = Severity::error, .ggml = Severity::off};
// Some loaders live with it; nobody should publish it.
inline constexpr Levels kPublishError{
    .spec = Severity::off, .hardened = Severity::warning, .publish = Severity::error, .ggml = Severity::off};
inline constexpr Levels kWarning{.spec = Severity::off,
                                 .hardened = Severity::warning,
                                 .publish = Severity::warning,
                                 .ggml = Severity::off};
inline constexpr Levels kPublishWarning{
    .spec = Severity::off, .hardened = Severity::off, .publish = Severity::warning, .ggml = Severity::off};
// Worth knowing when loading, worth mending when publishing.
inline constexpr Levels kNoteOrPublishWarning{
    .spec = Severity::off, .hardened = Severity::info, .publish = Severity::warning, .ggml = Severity::off};
inline constexpr Levels kNote{
    .spec = Severity::off, .hardened = Severity::info, .publish = Severity::info, .ggml = Severity::off};
inline constexpr Levels kPublishNote{
    .spec = Severity::off, .hardened = Severity::off, .publish = Severity::info, .ggml = Severity::off};

}  // namespace ggufvet
