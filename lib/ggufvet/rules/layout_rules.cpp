// Where the tensors' data lies: offsets against the running sum that readers expect, against each other and
// against the end of the file.
#include <algorithm>

#include "ggufvet/rules/rule_families.h"

namespace ggufvet {
namespace {

constexpr std::string_view kRewrite =
    "Do not load it. Ask its publisher for a file written by a current tool.";
constexpr std::string_view kFetchAgain =
    "Fetch the file again, and compare its size with what the source states.";

[[nodiscard]] bool has_offset_problem(const TensorSubject& subject, OffsetProblem problem) {
  return subject.facts.offset_problem == problem;
}

// A place inside the file to blame for data that is missing from its end.
[[nodiscard]] ByteRange missing_from(const ModelFacts& facts, std::uint64_t begin) {
  return {std::min(begin, facts.file.file_bytes), facts.file.file_bytes};
}

constexpr Rule kRows[] = {
    {.id = {2101},
     .slug = "tensor-offset-misaligned",
     .stage = Stage::layout,
     .levels = kErrorEverywhere,
     .text = "offset {0} is not a multiple of the alignment {1}",
     .why =
         "Loaders map tensor data in place; a misaligned start shifts every block or faults on wide loads.",
     .advice = kRewrite,
     .sources =
         "The format document asks for a multiple of the alignment; mainline refuses the file; gguf-py, "
         "Hugging Face's parser and gguf-parser-go use the offset as it is.",
     .check_tensor =
         [](const TensorSubject& subject, const ModelFacts& facts, const Raise& raise) {
           if (facts.data_begin && subject.entry.offset % *facts.alignment != 0)
             raise(subject.entry.offset_field(), subject.entry.offset, *facts.alignment);
         }},
    {.id = {2102},
     .slug = "tensor-data-overlap",
     .kind = FindingClass::malformed,
     .stage = Stage::layout,
     .levels = kErrorEverywhere,
     .text = "the tensor's data begins at offset {0}, inside the data of {tensor:1}",
     .why = "Two tensors claim the same bytes, so at least one of them is not what its writer meant.",
     .advice = kRewrite,
     .sources = "Mainline refuses it as an offset out of sequence; other readers do not look.",
     .check_tensor =
         [](const TensorSubject& subject, const ModelFacts& facts, const Raise& raise) {
           if (has_offset_problem(subject, OffsetProblem::overlap))
             raise.with_related(subject.entry.offset_field(),
                                facts.file.tensors[subject.facts.neighbour].offset_field(),
                                subject.entry.offset, subject.facts.neighbour);
         }},
    {.id = {2103},
     .slug = "tensor-offset-out-of-order",
     .stage = Stage::layout,
     .levels = {.spec = Severity::off,
                .hardened = Severity::error,
                .publish = Severity::error,
                .ggml = Severity::error},
     .text = "offset {0} is below that of {tensor:1}, which stands before it in the directory",
     .why = "Mainline refuses a file whose data does not follow the order of its directory.",
     .advice = "Write the file anew, for example with gguf-py's `gguf-new-metadata`; its data is all there.",
     .sources = "The format document allows any order; mainline demands the running sum of padded sizes.",
     .check_tensor =
         [](const TensorSubject& subject, const ModelFacts& facts, const Raise& raise) {
           if (has_offset_problem(subject, OffsetProblem::out_of_order))
             raise.with_related(subject.entry.offset_field(),
                                facts.file.tensors[subject.facts.neighbour].offset_field(),
                                subject.entry.offset, subject.facts.neighbour);
         }},
    {.id = {2104},
     .slug = "tensor-offset-gap",
     .stage = Stage::layout,
     .levels = {.spec = Severity::off,
                .hardened = Severity::error,
                .publish = Severity::error,
                .ggml = Severity::error},
     .text = "{0} bytes before offset {1} belong to no tensor",
     .why = "Mainline refuses the file. Bytes that nothing describes are not looked at by anyone.",
     .advice = "Write the file anew, for example with gguf-py's `gguf-new-metadata`; its data is all there.",
     .sources = "The format document allows gaps; mainline demands the running sum of padded sizes.",
     .check_tensor =
         [](const TensorSubject& subject, const ModelFacts& facts, const Raise& raise) {
           if (!has_offset_problem(subject, OffsetProblem::gap)) return;
           const TensorEntry& before = facts.file.tensors[subject.facts.neighbour];
           const bool first = subject.facts.neighbour == subject.index ||
                              facts.tensors[subject.facts.neighbour].size_problem != SizeProblem::none ||
                              before.offset >= subject.entry.offset;
           const std::uint64_t covered =
               first ? 0 : before.offset + facts.tensors[subject.facts.neighbour].bytes;
           const std::uint64_t rest = covered % *facts.alignment;
           const std::uint64_t padded = rest == 0 ? covered : covered + (*facts.alignment - rest);
           raise(subject.entry.offset_field(), subject.entry.offset - padded, subject.entry.offset);
         }},
    {.id = {2105},
     .slug = "tensor-end-overflows",
     .kind = FindingClass::malformed,
     .stage = Stage::layout,
     .levels = {.spec = Severity::error,
                .hardened = Severity::error,
                .publish = Severity::error,
                .ggml = Severity::off},
     .text = "offset {0} and the tensor's size add up to more than 2^63-1",
     .why = "The sum wraps around to a place inside the file, and a check against its end passes.",
     .advice = kRewrite,
     .sources = "Mainline's reader does not compare tensors with the end of the file.",
     .check_tensor =
         [](const TensorSubject& subject, const ModelFacts& facts, const Raise& raise) {
           const bool sum_said_it = facts.sum_overflow_at && *facts.sum_overflow_at == subject.index;
           if (subject.facts.end_overflows && !sum_said_it)
             raise(subject.entry.offset_field(), subject.entry.offset);
         }},
    {.id = {2106},
     .slug = "tensor-sum-overflows",
     .kind = FindingClass::malformed,
     .stage = Stage::layout,
     .levels = {.spec = Severity::error,
                .hardened = Severity::error,
                .publish = Severity::error,
                .ggml = Severity::off},
     .text = "the padded sizes up to this tensor add up to more than 2^63-1 bytes",
     .why = "Readers allocate one buffer by this sum; where it is held with a sign it is negative.",
     .advice = kRewrite,
     .sources = "Mainline's reader holds the sum without a sign and refuses it from 2^64 on.",
     .check_file =
         [](const ModelFacts& facts, const Raise& raise) {
           if (facts.sum_overflow_at) raise(facts.file.tensors[*facts.sum_overflow_at].shape_field());
         }},
    {.id = {2107},
     .slug = "data-start-past-end",
     .kind = FindingClass::malformed,
     .stage = Stage::layout,
     .levels = kErrorEverywhere,
     .text = "the tensor data would begin at {0}; the file ends at {1}",
     .why = "None of the data is there; a reader that does not look maps or reads past the end.",
     .advice = kFetchAgain,
     .sources = "Mainline needs the start of the data to lie in the file when there are tensors.",
     .check_file =
         [](const ModelFacts& facts, const Raise& raise) {
           if (!facts.data_begin || facts.file.tensors.empty()) return;
           if (*facts.data_begin > facts.file.file_bytes)
             raise(missing_from(facts, facts.file.directory_end), *facts.data_begin, facts.file.file_bytes);
         }},
    {.id = {2108},
     .slug = "data-cut-short",
     .kind = FindingClass::malformed,
     .stage = Stage::layout,
     .levels = {.spec = Severity::error,
                .hardened = Severity::error,
                .publish = Severity::error,
                .ggml = Severity::warning},
     .text = "the file is cut short: {0} bytes are missing, {1} tensors are not whole, from {tensor:2} on",
     .why = "The download or copy stopped early. Loaders that map the file read past its end.",
     .advice = kFetchAgain,
     .sources = "Mainline's reader does not compare tensors with the end of the file; llama.cpp's model "
                "loader does.",
     .check_file =
         [](const ModelFacts& facts, const Raise& raise) {
           if (!facts.data_begin || *facts.data_begin > facts.file.file_bytes) return;
           if (facts.outside_count == 0 || !facts.in_sequence) return;
           const ByteRange data = facts.data_range(facts.outside_first);
           raise.with_related(
               missing_from(facts, data.begin), facts.file.tensors[facts.outside_first].offset_field(),
               facts.data_end - facts.file.file_bytes, facts.outside_count, facts.outside_first);
         }},
    {.id = {2109},
     .slug = "tensor-data-outside-file",
     .kind = FindingClass::malformed,
     .stage = Stage::layout,
     .levels = {.spec = Severity::error,
                .hardened = Severity::error,
                .publish = Severity::error,
                .ggml = Severity::warning},
     .text = "the tensor's data ends at {0}; the file ends at {1}",
     .why = "Loaders that map the file read past its end: a crash at best.",
     .advice = kRewrite,
     .sources = "Mainline's reader does not compare tensors with the end of the file; llama.cpp's model "
                "loader does.",
     .check_tensor =
         [](const TensorSubject& subject, const ModelFacts& facts, const Raise& raise) {
           if (facts.outside_count == 0 || facts.in_sequence) return;
           if (*facts.data_begin > facts.file.file_bytes) return;
           const ByteRange data = facts.data_range(subject.index);
           if (data.end > facts.file.file_bytes)
             raise(subject.entry.offset_field(), data.end, facts.file.file_bytes);
         }},
    {.id = {2110},
     .slug = "data-final-padding-missing",
     .stage = Stage::layout,
     .levels = {.spec = Severity::off,
                .hardened = Severity::info,
                .publish = Severity::warning,
                .ggml = Severity::info},
     .text = "the padding after the last tensor is missing: {0} of {1} bytes are there",
     .why = "Mainline counts it when it loads the data itself, and then reads past the end of the file.",
     .advice = "No weight is missing. Loaders that map the file take it; a publisher writes the padding.",
     .sources =
         "Mainline and gguf-py write it; mainline's reader needs it only when it loads the data itself.",
     .check_file =
         [](const ModelFacts& facts, const Raise& raise) {
           if (!facts.data_begin || facts.file.tensors.empty() || facts.outside_count != 0) return;
           if (facts.data_end > facts.file.file_bytes || facts.data_end_padded <= facts.file.file_bytes)
             return;
           raise({facts.data_end, facts.file.file_bytes}, facts.file.file_bytes - facts.data_end,
                 facts.data_end_padded - facts.data_end);
         }},
    {.id = {2111},
     .slug = "no-tensors",
     .stage = Stage::layout,
     .levels = {.spec = Severity::off,
                .hardened = Severity::off,
                .publish = Severity::warning,
                .ggml = Severity::off},
     .text = "the file has metadata only, no tensors",
     .why = "A vocabulary or the first shard of a set may be so; a model may not.",
     .advice = "Fine for a vocabulary. A publisher of a model looks whether the right file was uploaded.",
     .check_file =
         [](const ModelFacts& facts, const Raise& raise) {
           if (facts.file.complete() && facts.file.tensors.empty()) raise(Header::tensor_count_field);
         }},
    {.id = {2112},
     .slug = "tensor-sum-wraps",
     .kind = FindingClass::malformed,
     .stage = Stage::layout,
     .levels = {.spec = Severity::off,
                .hardened = Severity::off,
                .publish = Severity::off,
                .ggml = Severity::error},
     .text = "the padded sizes up to this tensor add up to 2^64 bytes or more",
     .why = "When the sum wraps, the buffer is small and the copies are large.",
     .advice = kRewrite,
     .sources =
         "The other profiles have said so at 2^63 already (tensor-sum-overflows, tensor-bytes-above-signed).",
     .check_file =
         [](const ModelFacts& facts, const Raise& raise) {
           if (facts.sum_wrap_at) raise(facts.file.tensors[*facts.sum_wrap_at].shape_field());
         }},
};

}  // namespace

std::span<const Rule> layout_rules() { return kRows; }

}  // namespace ggufvet
