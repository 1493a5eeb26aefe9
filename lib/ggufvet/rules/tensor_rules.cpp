// What can be wrong with one record of the tensor directory, looked at by itself.
#include <algorithm>

#include "ggufvet/base/text.h"
#include "ggufvet/rules/rule_families.h"
#include "ggufvet/types/type_registry.h"

namespace ggufvet {
namespace {

constexpr std::uint64_t kNameBytesMax = 64;  // format document; mainline's buffer of 64 holds 63 and a NUL

constexpr std::string_view kRewrite =
    "Do not load it. Ask its publisher for a file written by a current tool.";

[[nodiscard]] bool is_plain(char letter) { return letter > 0x20 && letter < 0x7F; }

[[nodiscard]] bool is_plain_name(std::string_view name) {
  return std::all_of(name.begin(), name.end(), is_plain);
}

// The first dimension that makes the running product too large, for the narrowest range.
[[nodiscard]] std::uint32_t overflowing_axis(const TensorEntry& entry) {
  std::uint64_t product = 1;
  for (std::uint32_t axis = 0; axis < entry.shape.size(); ++axis) {
    const std::uint64_t dimension = std::max<std::uint64_t>(entry.shape[axis], 1);
    if (product > kSignedMax / dimension) return axis;
    product *= dimension;
  }
  return 0;
}

constexpr std::uint32_t kSignedIdMax =
    0x7FFFFFFF;  // above it an id is negative to readers: a rule of its own

// One finding for an id, at its first use, with how many tensors have it.
void raise_id(const ModelFacts& facts, const DialectFacts::UsedId& used, const Raise& raise) {
  raise(facts.file.tensors[used.first_tensor].type_field(), used.id, used.tensor_count);
}

constexpr Rule kRows[] = {
    {.id = {2001},
     .slug = "tensor-name-empty",
     .stage = Stage::directory,
     .levels = {.spec = Severity::off,
                .hardened = Severity::warning,
                .publish = Severity::error,
                .ggml = Severity::off},
     .text = "the tensor has no name",
     .why = "Loaders find tensors by name, so nobody can use it, and some index past the start of the text.",
     .advice = "Ask its publisher what the tensor is for.",
     .sources = "The format document and mainline set no lower bound.",
     .check_tensor =
         [](const TensorSubject& subject, const ModelFacts&, const Raise& raise) {
           if (subject.entry.name.empty()) raise(subject.entry.name_length_field());
         }},
    {.id = {2002},
     .slug = "tensor-name-too-long",
     .stage = Stage::directory,
     .levels = kErrorEverywhere,
     .text = "the tensor's name has {0} bytes; the format allows {1}",
     .why = "Readers copy names into 64 bytes: they cut it, so that two names become one, or overflow.",
     .advice = kRewrite,
     .sources =
         "The format document says at most 64 bytes; mainline at most 63; stable-diffusion.cpp builds with a "
         "larger buffer.",
     .check_tensor =
         [](const TensorSubject& subject, const ModelFacts&, const Raise& raise) {
           if (subject.entry.name.size() > kNameBytesMax)
             raise(subject.entry.name_length_field(), subject.entry.name.size(), kNameBytesMax);
         }},
    {.id = {2003},
     .slug = "tensor-name-of-64-bytes",
     .stage = Stage::directory,
     .levels = {.spec = Severity::off,
                .hardened = Severity::error,
                .publish = Severity::error,
                .ggml = Severity::error},
     .text = "the tensor's name has 64 bytes; mainline's buffer holds 63 and a NUL",
     .why = "Mainline refuses the whole file.",
     .advice = "Ask its publisher to shorten the name by a byte.",
     .sources =
         "The format document allows 64 bytes; mainline refuses a name that does not leave room for a NUL.",
     .check_tensor =
         [](const TensorSubject& subject, const ModelFacts&, const Raise& raise) {
           if (subject.entry.name.size() == kNameBytesMax) raise(subject.entry.name_length_field());
         }},
    {.id = {2004},
     .slug = "tensor-name-duplicate",
     .kind = FindingClass::malformed,
     .stage = Stage::directory,
     .levels = kErrorEverywhere,
     .text = "the tensor name {text} stands here again; tensor {0} has it already",
     .why = "Readers differ on which one wins, so other weights can be scanned than are loaded.",
     .advice = kRewrite,
     .sources = "Mainline and gguf-py refuse the file; Hugging Face's parser and gguf-parser-go do not look.",
     .check_file =
         [](const ModelFacts& facts, const Raise& raise) {
           for (const DuplicatePair& pair : facts.duplicate_names)
             raise.with_related(facts.file.tensors[pair.again].name_field(),
                                facts.file.tensors[pair.first].name_field(), pair.first);
         }},
    {.id = {2005},
     .slug = "tensor-name-not-utf8",
     .stage = Stage::directory,
     .levels = {.spec = Severity::error,
                .hardened = Severity::error,
                .publish = Severity::error,
                .ggml = Severity::off},
     .text = "the tensor's name is not UTF-8 from here on",
     .why = "gguf-py fails on it; others show another name than the one that is there.",
     .advice = kRewrite,
     .sources = "The format document says UTF-8; mainline does not look.",
     .check_tensor =
         [](const TensorSubject& subject, const ModelFacts&, const Raise& raise) {
           if (is_plain_name(subject.entry.name)) return;
           if (const auto at = find_invalid_utf8(subject.entry.name)) {
             const std::uint64_t begin = subject.entry.name_field().begin + *at;
             raise({begin, begin + 1});
           }
         }},
    {.id = {2006},
     .slug = "tensor-name-unprintable",
     .stage = Stage::directory,
     .levels = {.spec = Severity::off,
                .hardened = Severity::error,
                .publish = Severity::error,
                .ggml = Severity::off},
     .text = "the tensor's name {text} has a NUL, control, bidirectional or invisible character",
     .why = "Readers in C see it end at the NUL, so two names can become one; terminals act on control "
            "characters; "
            "people read another name than the one that is there.",
     .advice = kRewrite,
     .sources = "Valid UTF-8, so the format document allows it; mainline copies it up to the NUL.",
     .check_tensor =
         [](const TensorSubject& subject, const ModelFacts&, const Raise& raise) {
           const std::string_view name = subject.entry.name;
           if (is_plain_name(name)) return;
           if (is_valid_utf8(name) && find_unprintable(name)) raise(subject.entry.name_field());
         }},
    {.id = {2010},
     .slug = "tensor-rank-zero",
     .stage = Stage::directory,
     .levels = {.spec = Severity::off,
                .hardened = Severity::warning,
                .publish = Severity::error,
                .ggml = Severity::off},
     .text = "the tensor has no dimensions",
     .why = "Some readers take it as one element, some refuse it, some look at a first dimension that is not "
            "there.",
     .advice = "Mainline loads it as a single element. A publisher writes [1].",
     .sources =
         "Mainline takes 0 to 4 dimensions, gguf-parser-go 1 to 4; the format document names only the upper "
         "bound.",
     .check_tensor =
         [](const TensorSubject& subject, const ModelFacts&, const Raise& raise) {
           if (subject.entry.rank == 0) raise(subject.entry.rank_field());
         }},
    {.id = {2011},
     .slug = "tensor-dimension-zero",
     .stage = Stage::directory,
     .levels = {.spec = Severity::off,
                .hardened = Severity::warning,
                .publish = Severity::error,
                .ggml = Severity::off},
     .text = "dimension {0} is 0: the tensor has no elements",
     .why = "Readers divide by dimensions, or check a product that is 0 whatever the others are.",
     .advice = "Current mainline loads it. Ask its publisher what it is for.",
     .sources =
         "Current mainline accepts it; the format document is silent; SafeGGUF and modelvet refuse it.",
     .check_tensor =
         [](const TensorSubject& subject, const ModelFacts&, const Raise& raise) {
           for (std::uint32_t axis = 0; axis < subject.entry.rank; ++axis)
             if (subject.entry.shape[axis] == 0) {
               raise(subject.entry.dimension_field(axis), axis);
               return;
             }
         }},
    {.id = {2012},
     .slug = "tensor-dimension-too-large",
     .kind = FindingClass::malformed,
     .stage = Stage::directory,
     .levels = kErrorEverywhere,
     .text = "dimension {0} is {1}, above 2^63-1",
     .why = "Readers hold dimensions in signed 64-bit integers, where this one is negative.",
     .advice = kRewrite,
     .check_tensor =
         [](const TensorSubject& subject, const ModelFacts&, const Raise& raise) {
           for (std::uint32_t axis = 0; axis < subject.entry.rank; ++axis)
             if (subject.entry.shape[axis] > kSignedMax)
               raise(subject.entry.dimension_field(axis), axis, subject.entry.shape[axis]);
         }},
    {.id = {2013},
     .slug = "tensor-elements-overflow",
     .kind = FindingClass::malformed,
     .stage = Stage::directory,
     .levels = kErrorEverywhere,
     .text = "the dimensions multiply to more than 2^63-1 elements",
     .why = "The product wraps around, and a small buffer is filled with a large tensor.",
     .advice = kRewrite,
     .sources =
         "Mainline refuses it since 2026. The check of earlier releases takes some shapes that wrap, such as "
         "[2^32, 2^32], and refuses 2^63-1 elements, which do not.",
     .check_tensor =
         [](const TensorSubject& subject, const ModelFacts&, const Raise& raise) {
           if (subject.facts.size_problem == SizeProblem::elements_overflow)
             raise(subject.entry.dimension_field(overflowing_axis(subject.entry)));
         }},
    {.id = {2014},
     .slug = "tensor-bytes-overflow",
     .kind = FindingClass::malformed,
     .stage = Stage::directory,
     .levels = kErrorEverywhere,
     .text = "the tensor would take 2^64 bytes or more",
     .why = "The size wraps around, and a small buffer is filled with a large tensor.",
     .advice = kRewrite,
     .check_tensor =
         [](const TensorSubject& subject, const ModelFacts&, const Raise& raise) {
           if (subject.facts.size_problem == SizeProblem::bytes_overflow) raise(subject.entry.shape_field());
         }},
    {.id = {2015},
     .slug = "tensor-row-not-whole-blocks",
     .stage = Stage::directory,
     .levels = kErrorEverywhere,
     .text = "a row has {0} elements, not a multiple of {1}, the block size of {2:type}",
     .why = "A size computed from it is too small by part of a block; the last block of each row is read "
            "from the "
            "next.",
     .advice = kRewrite,
     .sources = "Mainline checks the row; candle checks the total, so it takes what others refuse.",
     .check_tensor =
         [](const TensorSubject& subject, const ModelFacts&, const Raise& raise) {
           if (subject.facts.size_problem == SizeProblem::partial_block)
             raise(subject.entry.dimension_field(0), subject.entry.shape[0],
                   subject.facts.type->layout->block_elements, subject.entry.type_id);
         }},
    {.id = {2016},
     .slug = "tensor-bytes-above-signed",
     .kind = FindingClass::malformed,
     .stage = Stage::directory,
     .levels = {.spec = Severity::error,
                .hardened = Severity::error,
                .publish = Severity::error,
                .ggml = Severity::off},
     .text = "the tensor would take {0} bytes, more than 2^63-1",
     .why = "The size is negative where it is held with a sign, as file positions are.",
     .advice = kRewrite,
     .sources =
         "Mainline's reader computes without a sign, so it takes the record; the data cannot be there.",
     .check_tensor =
         [](const TensorSubject& subject, const ModelFacts&, const Raise& raise) {
           if (subject.facts.size_problem == SizeProblem::bytes_above_signed)
             raise(subject.entry.shape_field(), subject.facts.bytes);
         }},
    {.id = {2017},
     .slug = "tensor-elements-overflow-beside-zero",
     .kind = FindingClass::malformed,
     .stage = Stage::directory,
     .levels = {.spec = Severity::error,
                .hardened = Severity::error,
                .publish = Severity::error,
                .ggml = Severity::off},
     .text = "a dimension before it is 0, and the others multiply to more than 2^63-1 elements",
     .why = "A reader that multiplies in another order, or skips the zero, overflows.",
     .advice = kRewrite,
     .sources = "Mainline multiplies in order, sees a product that is 0 and stays 0, and takes it.",
     .check_tensor =
         [](const TensorSubject& subject, const ModelFacts&, const Raise& raise) {
           if (subject.facts.size_problem == SizeProblem::elements_overflow_beside_zero)
             raise(subject.entry.dimension_field(overflowing_axis(subject.entry)));
         }},
    {.id = {2020},
     .slug = "type-id-negative",
     .kind = FindingClass::malformed,
     .stage = Stage::directory,
     .levels = kErrorEverywhere,
     .text = "type id {0:id} is negative in the signed 32-bit integer that readers hold it in",
     .why = "A table indexed with it is read before its beginning.",
     .advice = kRewrite,
     .check_tensor =
         [](const TensorSubject& subject, const ModelFacts&, const Raise& raise) {
           if (subject.entry.type_id > kSignedIdMax) raise(subject.entry.type_field(), subject.entry.type_id);
         }},
    {.id = {2021},
     .slug = "type-id-unknown",
     .stage = Stage::directory,
     .levels = kErrorEverywhere,
     .text = "type id {0:id} is not known in the dialect {dialect} (tensors that have it: {1}){claims}",
     .why = "Its size and meaning are not known; a reader that guesses decodes nonsense.",
     .advice = "If a fork wrote the file, it needs that fork, or `--dialect` to name it here. Otherwise "
               "fetch it again.",
     .check_file =
         [](const ModelFacts& facts, const Raise& raise) {
           for (const auto& used : facts.dialects.used)
             if (find_type(facts.dialect, used.id) == nullptr && used.id <= kSignedIdMax)
               raise_id(facts, used, raise);
         }},
    {.id = {2022},
     .slug = "type-id-retired",
     .stage = Stage::directory,
     .levels = kErrorEverywhere,
     .text = "type id {0:id} was {0:type} and is retired (tensors that have it: {1}){claims}",
     .why = "Current readers refuse it, or read it as the type that took the number over.",
     .advice = "Quantise the model again with a current tool, or fetch a newer file.",
     .check_file =
         [](const ModelFacts& facts, const Raise& raise) {
           for (const auto& used : facts.dialects.used) {
             const TypeInfo* const type = find_type(facts.dialect, used.id);
             if (type != nullptr && !is_current(*type, facts.dialect)) raise_id(facts, used, raise);
           }
         }},
    {.id = {2023},
     .slug = "type-not-for-storage",
     .stage = Stage::directory,
     .levels = {.spec = Severity::warning,
                .hardened = Severity::error,
                .publish = Severity::error,
                .ggml = Severity::off},
     .text = "{0:type} is a type for intermediate results that no tool writes to a file (tensors that have "
             "it: {1})",
     .why = "Readers disagree on its size (36 or 40 bytes for Q8_1), and mainline has no decoder for it.",
     .advice = kRewrite,
     .sources =
         "Mainline's reader takes the header; gguf-py's table gives Q8_1 40 bytes a block, mainline's 36.",
     .check_file =
         [](const ModelFacts& facts, const Raise& raise) {
           for (const auto& used : facts.dialects.used) {
             const TypeInfo* const type = find_type(facts.dialect, used.id);
             if (type != nullptr && !type->storable && is_current(*type, facts.dialect))
               raise_id(facts, used, raise);
           }
         }},
};

}  // namespace

std::span<const Rule> tensor_rules() { return kRows; }

}  // namespace ggufvet
