// What stands in the file beside the directory and the tensors' own bytes: padding and what follows the last
// tensor.
#include <algorithm>
#include <string_view>

#include "ggufvet/base/text.h"
#include "ggufvet/rules/rule_families.h"

namespace ggufvet {
namespace {

using namespace std::string_view_literals;

[[nodiscard]] bool begins_with_gguf(std::span<const std::byte> bytes) {
  return as_text(bytes).starts_with("GGUF"sv);
}

constexpr Rule kRows[] = {
    {.id = {2201},
     .slug = "padding-not-zero",
     .stage = Stage::data,
     .levels = {.spec = Severity::error,
                .hardened = Severity::warning,
                .publish = Severity::error,
                .ggml = Severity::off},
     .text = "padding has a byte of {0:hex}; it should be zeros",
     .why = "Bytes that nobody looks at: memory of the writing process, or something hidden.",
     .advice =
         "Harmless to loaders. A publisher rewrites the file so that it does not carry what was not meant.",
     .sources = "The format document says 0x00; no reader looks.",
     .check_data =
         [](const DataSubject& subject, const ModelFacts&, const Raise& raise) {
           if (subject.kind != DataSubject::Kind::padding) return;
           const auto bad = std::find_if(subject.bytes.begin(), subject.bytes.end(),
                                         [](std::byte byte) { return byte != std::byte{0}; });
           if (bad == subject.bytes.end()) return;
           const std::uint64_t at =
               subject.where.begin + static_cast<std::uint64_t>(bad - subject.bytes.begin());
           raise.with_related({at, at + 1}, subject.where, static_cast<std::uint64_t>(*bad));
         }},
    {.id = {2202},
     .slug = "trailing-bytes",
     .stage = Stage::data,
     .levels = {.spec = Severity::warning,
                .hardened = Severity::warning,
                .publish = Severity::error,
                .ggml = Severity::off},
     .text = "{0} bytes follow the last tensor",
     .why = "No reader looks at them: a failed resume of a download, two files joined, or something carried "
            "along.",
     .advice = "Compare the file's size with what its source states; fetch it again if they differ.",
     .sources = "No reader refuses it; the format document ends a file with its tensor data.",
     .check_data =
         [](const DataSubject& subject, const ModelFacts&, const Raise& raise) {
           if (subject.kind == DataSubject::Kind::tail && !begins_with_gguf(subject.bytes))
             raise(subject.where, subject.where.size());
         }},
    {.id = {2203},
     .slug = "second-gguf-appended",
     .stage = Stage::data,
     .levels = {.spec = Severity::warning,
                .hardened = Severity::error,
                .publish = Severity::error,
                .ggml = Severity::off},
     .text = "another GGUF file of {0} bytes follows the last tensor",
     .why = "Shards joined end to end: readers see the first only, so the model they load is a part.",
     .advice =
         "Do not load it. Fetch the shards as single files, or merge them with a tool that knows the format.",
     .check_data =
         [](const DataSubject& subject, const ModelFacts&, const Raise& raise) {
           if (subject.kind == DataSubject::Kind::tail && begins_with_gguf(subject.bytes))
             raise(subject.where, subject.where.size());
         }},
};

}  // namespace

std::span<const Rule> data_rules() { return kRows; }

}  // namespace ggufvet
