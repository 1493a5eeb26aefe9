// What can be wrong with metadata pairs whatever their keys mean, and with the header's version and byte
// order.
#include <algorithm>
#include <optional>

#include "ggufvet/base/text.h"
#include "ggufvet/read/array_reader.h"
#include "ggufvet/rules/rule_families.h"

namespace ggufvet {
namespace {

constexpr std::uint64_t kKeyBytesMax = 65535;  // format document

constexpr std::string_view kRewrite = "Ask its publisher for a file written by a current tool.";

// The document asks for lower_snake_case segments joined by dots; "-" is in the architecture names of widely
// used files (gpt-oss, nomic-bert-moe), so it is taken as well.
[[nodiscard]] bool is_key_character(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9') || letter == '_' ||
         letter == '.' || letter == '-';
}

// One finding for a value, at its first fault, with how many more there are.
template <class IsFaulty>
void raise_text_fault(const MetadataPair& pair, const ModelFacts& facts, const Raise& raise,
                      const IsFaulty& faulty_at) {
  if (pair.is(ValueType::string)) {
    if (const auto at = faulty_at(pair.text)) {
      const std::uint64_t begin = pair.text_field().begin + *at;
      raise({begin, begin + 1}, 1, 0);
    }
    return;
  }
  std::uint64_t count = 0;
  ByteRange first_where;
  std::uint64_t first_index = 0;
  for_each_string(facts.file, pair, [&](std::uint64_t index, std::string_view text, ByteRange where) {
    if (const auto at = faulty_at(text)) {
      if (count++ == 0) {
        first_where = {where.begin + *at, where.begin + *at + 1};
        first_index = index;
      }
    }
    return true;
  });
  // Inside nested arrays the value as a whole is blamed.
  if (count == 0) first_where = pair.elements_field();
  raise(first_where, std::max<std::uint64_t>(count, 1), first_index);
}

[[nodiscard]] std::optional<std::size_t> find_nul(std::string_view text) {
  const std::size_t at = text.find('\0');
  return at == std::string_view::npos ? std::nullopt : std::optional(at);
}

constexpr Rule kRows[] = {
    {.id = {1101},
     .slug = "byte-order-big",
     .stage = Stage::structure,
     .levels = {.spec = Severity::off,
                .hardened = Severity::off,
                .publish = Severity::warning,
                .ggml = Severity::error},
     .text = "the file is big-endian; a loader on an ordinary machine refuses it",
     .why = "Nothing in the file says so but the version's byte order; readers that do not look see huge "
            "counts.",
     .advice = "Use it on a big-endian machine, or convert it with gguf-py's `gguf-convert-endian`.",
     .sources =
         "The format document allows it from version 3; mainline reads its own machine's order only; gguf-py "
         "and Hugging Face's parser read both; gguf-parser-go looks for a reversed magic instead.",
     .check_file =
         [](const ModelFacts& facts, const Raise& raise) {
           if (facts.file.stage != ReadStage::header && facts.file.header.byte_order == ByteOrder::big)
             raise(Header::version_field);
         }},
    {.id = {1102},
     .slug = "byte-order-big-version-2",
     .stage = Stage::structure,
     .levels = {.spec = Severity::error,
                .hardened = Severity::warning,
                .publish = Severity::error,
                .ggml = Severity::error},
     .text = "a big-endian file of version 2: the format has big-endian files from version 3 on",
     .why = "What the numbers mean rests on a guess.",
     .advice = kRewrite,
     .check_file =
         [](const ModelFacts& facts, const Raise& raise) {
           if (facts.file.stage != ReadStage::header && facts.file.header.byte_order == ByteOrder::big &&
               facts.file.header.version < 3)
             raise(Header::version_field);
         }},
    {.id = {1201},
     .slug = "key-empty",
     .kind = FindingClass::malformed,
     .stage = Stage::metadata,
     .levels = kErrorEverywhere,
     .text = "the key is empty",
     .why = "No reader can ask for it; mainline refuses the file.",
     .advice = kRewrite,
     .check_pair =
         [](const PairSubject& subject, const ModelFacts&, const Raise& raise) {
           if (subject.pair.key.empty()) raise(subject.pair.key_length_field());
         }},
    {.id = {1202},
     .slug = "key-too-long",
     .stage = Stage::metadata,
     .levels = {.spec = Severity::error,
                .hardened = Severity::error,
                .publish = Severity::error,
                .ggml = Severity::off},
     .text = "the key has {0} bytes; the format allows {1}",
     .why = "Readers with a 16-bit length or a fixed buffer cut it or overflow.",
     .advice = kRewrite,
     .sources = "The format document says at most 65,535 bytes; mainline takes any length up to 1 GiB.",
     .check_pair =
         [](const PairSubject& subject, const ModelFacts&, const Raise& raise) {
           if (subject.pair.key.size() > kKeyBytesMax)
             raise(subject.pair.key_length_field(), subject.pair.key.size(), kKeyBytesMax);
         }},
    {.id = {1203},
     .slug = "key-duplicate",
     .kind = FindingClass::malformed,
     .stage = Stage::metadata,
     .levels = kErrorEverywhere,
     .text = "the key {text} stands here again; pair {0} has it already",
     .why = "Readers differ on which one wins, so a value can be shown to a scanner that no loader uses.",
     .advice = kRewrite,
     .sources = "Mainline and gguf-py refuse the file; in Hugging Face's parser the last wins, in "
                "gguf-parser-go the "
                "first.",
     .check_file =
         [](const ModelFacts& facts, const Raise& raise) {
           for (const DuplicatePair& pair : facts.duplicate_keys)
             raise.with_related(facts.file.pairs[pair.again].key_field(),
                                facts.file.pairs[pair.first].key_field(), pair.first);
         }},
    {.id = {1204},
     .slug = "key-not-utf8",
     .stage = Stage::metadata,
     .levels = {.spec = Severity::error,
                .hardened = Severity::error,
                .publish = Severity::error,
                .ggml = Severity::off},
     .text = "the key is not UTF-8 from here on",
     .why = "gguf-py fails on it; others show another key than the one that is there.",
     .advice = kRewrite,
     .check_pair =
         [](const PairSubject& subject, const ModelFacts&, const Raise& raise) {
           const std::string_view key = subject.pair.key;
           if (std::all_of(key.begin(), key.end(), is_key_character)) return;
           if (const auto at = find_invalid_utf8(key)) {
             const std::uint64_t begin = subject.pair.key_field().begin + *at;
             raise({begin, begin + 1});
           }
         }},
    {.id = {1205},
     .slug = "key-unprintable",
     .stage = Stage::metadata,
     .levels = {.spec = Severity::error,
                .hardened = Severity::error,
                .publish = Severity::error,
                .ggml = Severity::off},
     .text = "the key {text} has a NUL, control or invisible character",
     .why = "Readers in C see it end at the NUL, terminals act on control characters, people read another "
            "name than "
            "the one that is there.",
     .advice = kRewrite,
     .check_pair =
         [](const PairSubject& subject, const ModelFacts&, const Raise& raise) {
           const std::string_view key = subject.pair.key;
           if (std::all_of(key.begin(), key.end(), is_key_character)) return;
           if (is_valid_utf8(key) && find_unprintable(key)) raise(subject.pair.key_field());
         }},
    {.id = {1206},
     .slug = "key-outside-alphabet",
     .stage = Stage::metadata,
     .levels = {.spec = Severity::warning,
                .hardened = Severity::warning,
                .publish = Severity::warning,
                .ggml = Severity::off},
     .text = "the key {text} has characters other than a-z, 0-9, \"_\", \".\" and \"-\"",
     .why = "Tools that follow the format document's alphabet do not find it.",
     .advice = "Harmless to loaders. A publisher renames the key.",
     .sources =
         "The format document asks for lower_snake_case segments joined by dots; no reader refuses others.",
     .check_pair =
         [](const PairSubject& subject, const ModelFacts&, const Raise& raise) {
           const std::string_view key = subject.pair.key;
           if (std::all_of(key.begin(), key.end(), is_key_character)) return;
           if (is_valid_utf8(key) && !find_unprintable(key)) raise(subject.pair.key_field());
         }},
    {.id = {1210},
     .slug = "array-nested",
     .stage = Stage::metadata,
     .levels = {.spec = Severity::off,
                .hardened = Severity::error,
                .publish = Severity::error,
                .ggml = Severity::error},
     .text = "an array of arrays ({0} levels)",
     .why = "Mainline refuses the file; other readers flatten it, or recurse.",
     .advice = kRewrite,
     .sources = "The format document allows nesting. Mainline refuses it, gguf-py flattens it, Hugging "
                "Face's parser "
                "takes 4 levels, gguf-parser-go panics when it skips one.",
     .check_pair =
         [](const PairSubject& subject, const ModelFacts&, const Raise& raise) {
           if (subject.pair.depth > 1) raise(subject.pair.element_type_field(), subject.pair.depth);
         }},
    {.id = {1211},
     .slug = "array-empty",
     .stage = Stage::metadata,
     .levels = {.spec = Severity::off,
                .hardened = Severity::off,
                .publish = Severity::warning,
                .ggml = Severity::off},
     .text = "the array has no elements",
     .why = "gguf-py cannot write it back, and some readers take the element type from the first element.",
     .advice = "Harmless to loaders. A publisher leaves the key out.",
     .sources = "Empty arrays are legal to the format document and mainline; gguf-py's writer refuses them.",
     .check_pair =
         [](const PairSubject& subject, const ModelFacts&, const Raise& raise) {
           if (subject.pair.depth == 1 && subject.pair.bits == 0) raise(subject.pair.count_field());
         }},
    {.id = {1212},
     .slug = "bool-not-0-or-1",
     .stage = Stage::metadata,
     .levels = {.spec = Severity::error,
                .hardened = Severity::error,
                .publish = Severity::error,
                .ggml = Severity::off},
     .text = "a bool of {0}; only 0 and 1 are bools",
     .why = "A byte other than 0 or 1 in a bool is undefined behaviour in C, C++ and Rust: such a value can "
            "be true "
            "and false at once.",
     .advice = kRewrite,
     .sources =
         "The format document says 0 or 1 only; mainline, gguf-parser-go and Hugging Face's parser take any "
         "byte but 0 as true.",
     .check_pair =
         [](const PairSubject& subject, const ModelFacts& facts, const Raise& raise) {
           const MetadataPair& pair = subject.pair;
           if (!pair.bool_out_of_range) return;
           if (pair.depth == 0) {
             raise(pair.value_field(), pair.bits);
             return;
           }
           if (pair.depth > 1) {
             raise(pair.elements_field(), 2);
             return;
           }
           const auto bytes =
               facts.file.window.subspan(static_cast<std::size_t>(pair.elements_field().begin),
                                         static_cast<std::size_t>(pair.elements_field().size()));
           const auto bad =
               std::find_if(bytes.begin(), bytes.end(), [](std::byte b) { return b > std::byte{1}; });
           if (bad == bytes.end()) return;
           const std::uint64_t at =
               pair.elements_field().begin + static_cast<std::uint64_t>(bad - bytes.begin());
           raise({at, at + 1}, static_cast<std::uint64_t>(*bad));
         }},
    {.id = {1213},
     .slug = "string-not-utf8",
     .stage = Stage::metadata,
     .levels = {.spec = Severity::error,
                .hardened = Severity::error,
                .publish = Severity::error,
                .ggml = Severity::off},
     .text = "a string is not UTF-8 from here on ({0} strings of this value are not)",
     .why = "Readers fail on it (gguf-py), replace it (Hugging Face's parser) or pass it on (mainline): "
            "three texts "
            "from one file.",
     .advice = kRewrite,
     .sources = "The format document says UTF-8; mainline does not look.",
     .check_pair =
         [](const PairSubject& subject, const ModelFacts& facts, const Raise& raise) {
           if (subject.pair.text_invalid_utf8)
             raise_text_fault(subject.pair, facts, raise,
                              [](std::string_view text) { return find_invalid_utf8(text); });
         }},
    {.id = {1214},
     .slug = "string-has-nul",
     .stage = Stage::metadata,
     .levels = {.spec = Severity::off,
                .hardened = Severity::warning,
                .publish = Severity::error,
                .ggml = Severity::off},
     .text = "a string has a NUL here ({0} strings of this value have one)",
     .why = "Readers in C see the string end there; others see all of it.",
     .advice = kRewrite,
     .sources = "NUL is valid UTF-8, so the format document allows it.",
     .check_pair =
         [](const PairSubject& subject, const ModelFacts& facts, const Raise& raise) {
           if (subject.pair.text_has_nul) raise_text_fault(subject.pair, facts, raise, find_nul);
         }},
};

[[nodiscard]] bool is_the_alignment(const PairSubject& subject, const ModelFacts& facts) {
  return facts.file.alignment_pair == subject.index;
}

// The alignment's value when it is one that can be judged further.
[[nodiscard]] std::optional<std::uint64_t> alignment_value(const PairSubject& subject,
                                                           const ModelFacts& facts) {
  return is_the_alignment(subject, facts) ? facts.alignment : std::nullopt;
}

constexpr std::string_view kAlignmentAdvice =
    "Do not load it. A publisher leaves general.alignment out: 32 is meant.";

constexpr Rule kAlignmentRows[] = {
    {.id = {1301},
     .slug = "alignment-wrong-type",
     .kind = FindingClass::malformed,
     .stage = Stage::metadata,
     .levels = kErrorEverywhere,
     .text = "general.alignment is of type {0:value_type}; it must be u32",
     .why = "Readers that take four bytes whatever the type place all tensors elsewhere.",
     .advice = kAlignmentAdvice,
     .sources = "The format document and mainline say u32; Hugging Face's parser takes any integer.",
     .check_pair =
         [](const PairSubject& subject, const ModelFacts& facts, const Raise& raise) {
           if (is_the_alignment(subject, facts) && !subject.pair.is(ValueType::u32))
             raise(subject.pair.type_field(), subject.pair.type_id);
         }},
    {.id = {1302},
     .slug = "alignment-zero",
     .kind = FindingClass::malformed,
     .stage = Stage::metadata,
     .levels = kErrorEverywhere,
     .text = "general.alignment is 0",
     .why = "A division by zero in every reader that does not look.",
     .advice = kAlignmentAdvice,
     .check_pair =
         [](const PairSubject& subject, const ModelFacts& facts, const Raise& raise) {
           if (is_the_alignment(subject, facts) && subject.pair.is(ValueType::u32) && subject.pair.bits == 0)
             raise(subject.pair.value_field());
         }},
    {.id = {1303},
     .slug = "alignment-not-power-of-two",
     .kind = FindingClass::malformed,
     .stage = Stage::metadata,
     .levels = {.spec = Severity::off,
                .hardened = Severity::error,
                .publish = Severity::error,
                .ggml = Severity::error},
     .text = "general.alignment is {0}, not a power of two",
     .why = "Readers pad with a bit mask, which places the data elsewhere when the alignment is no power of "
            "two.",
     .advice = kAlignmentAdvice,
     .sources =
         "The format document asks for a multiple of 8 (so 24 is fine to it); mainline and gguf-py demand a "
         "power of two.",
     .check_pair =
         [](const PairSubject& subject, const ModelFacts& facts, const Raise& raise) {
           const auto value = alignment_value(subject, facts);
           if (value && (*value & (*value - 1)) != 0) raise(subject.pair.value_field(), *value);
         }},
    {.id = {1304},
     .slug = "alignment-not-multiple-of-8",
     .stage = Stage::metadata,
     .levels = {.spec = Severity::error,
                .hardened = Severity::warning,
                .publish = Severity::error,
                .ggml = Severity::off},
     .text = "general.alignment is {0}, not a multiple of 8",
     .why = "Readers that map the file hand out pointers that the machine's wide loads may not take.",
     .advice = kAlignmentAdvice,
     .sources = "The format document asks for a multiple of 8; mainline takes 1, 2 and 4 as powers of two.",
     .check_pair =
         [](const PairSubject& subject, const ModelFacts& facts, const Raise& raise) {
           const auto value = alignment_value(subject, facts);
           if (value && *value % 8 != 0) raise(subject.pair.value_field(), *value);
         }},
    {.id = {1305},
     .slug = "alignment-absurd",
     .kind = FindingClass::malformed,
     .stage = Stage::metadata,
     .levels = {.spec = Severity::warning,
                .hardened = Severity::error,
                .publish = Severity::error,
                .ggml = Severity::off},
     .text = "general.alignment is {0:bytes}; nothing aligns to more than {1:bytes}",
     .why = "Each tensor is padded to it: sums overflow, or a small file asks for gigabytes.",
     .advice = kAlignmentAdvice,
     .sources = "The format document and mainline name no upper bound.",
     .check_pair =
         [](const PairSubject& subject, const ModelFacts& facts, const Raise& raise) {
           const auto value = alignment_value(subject, facts);
           if (value && *value > kAlignmentMax) raise(subject.pair.value_field(), *value, kAlignmentMax);
         }},
    {.id = {1306},
     .slug = "alignment-unusual",
     .stage = Stage::metadata,
     .levels = {.spec = Severity::off,
                .hardened = Severity::off,
                .publish = Severity::warning,
                .ggml = Severity::off},
     .text = "general.alignment is {0}; some tools know only 32",
     .why = "Tools that ignore the key look for the data in the wrong place.",
     .advice = "Fine to the usual loaders. A publisher who wants every tool to read it leaves the key out.",
     .sources =
         "gguf-guard has 32 built in; gguf-parser-go's padding differs when a position is aligned already.",
     .check_pair =
         [](const PairSubject& subject, const ModelFacts& facts, const Raise& raise) {
           const auto value = alignment_value(subject, facts);
           const bool in_order =
               value && *value % 8 == 0 && (*value & (*value - 1)) == 0 && *value <= kAlignmentMax;
           if (in_order && *value != kAlignmentDefault) raise(subject.pair.value_field(), *value);
         }},
};

}  // namespace

std::span<const Rule> metadata_rules() { return kRows; }
std::span<const Rule> alignment_rules() { return kAlignmentRows; }

}  // namespace ggufvet
