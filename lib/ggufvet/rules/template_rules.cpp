// What can be wrong with chat templates. They are never rendered: what cannot be told without rendering is
// said in each rule's sources.
#include <algorithm>

#include "ggufvet/read/array_reader.h"
#include "ggufvet/rules/meaning_levels.h"
#include "ggufvet/rules/rule_families.h"
#include "ggufvet/rules/template_facts.h"

namespace ggufvet {
namespace {

// Some four times the largest template in use.
constexpr std::uint64_t kTemplateBytesUsual = 64 << 10;

constexpr std::string_view kDoNotRender =
    "Do not load it with anything that renders the template. Take the template of the original model "
    "instead, and tell "
    "whoever published the file.";
constexpr std::string_view kCompare =
    "Compare the template with the one of the original model before you use it; `ggufvet show --full` prints "
    "it.";
constexpr std::string_view kReplace =
    "The model loads, but chats need another template: take the one of the original model.";
constexpr std::string_view kBlindSpots =
    "The template is parsed, not rendered. Not seen: names built in one place and used as a key in another, "
    "and what a "
    "loader that is not sandboxed adds to templates. Python loaders since CVE-2024-34359 render in a sandbox "
    "that "
    "refuses underscored attributes; older ones run them.";

// One finding for a template and a kind of mark: its first place, how many there are, and the mark's number.
void raise_mark(const ModelFacts& facts, const Raise& raise, TemplateMark mark) {
  for (const TemplateFacts& each : facts.templates) {
    const auto& marks = each.scan.marks;
    const auto first = std::find_if(marks.begin(), marks.end(),
                                    [mark](const MarkedPlace& place) { return place.mark == mark; });
    if (first == marks.end()) continue;
    raise(TemplateFacts::place(facts.file.pairs[each.pair], first->begin, first->end),
          each.scan.counts[static_cast<std::size_t>(mark)], first->value);
  }
}

template <TemplateMark kMark>
void check_mark(const ModelFacts& facts, const Raise& raise) {
  raise_mark(facts, raise, kMark);
}

enum class ProblemKind : std::uint8_t { none, go, balance, syntax, depth, size };

[[nodiscard]] constexpr ProblemKind kind_of(TemplateProblem problem) {
  switch (problem) {
    case TemplateProblem::none:
      return ProblemKind::none;
    case TemplateProblem::go_template:
      return ProblemKind::go;
    case TemplateProblem::comment_open:
    case TemplateProblem::raw_open:
    case TemplateProblem::span_open:
    case TemplateProblem::bracket_mismatch:
    case TemplateProblem::bracket_open:
    case TemplateProblem::tag_without_begin:
    case TemplateProblem::tag_unclosed:
      return ProblemKind::balance;
    case TemplateProblem::too_deep:
      return ProblemKind::depth;
    case TemplateProblem::too_large:
    case TemplateProblem::too_many_tokens:
      return ProblemKind::size;
    default:
      return ProblemKind::syntax;
  }
}

template <ProblemKind kKind>
void check_problem(const ModelFacts& facts, const Raise& raise) {
  for (const TemplateFacts& each : facts.templates) {
    if (kind_of(each.scan.problem) != kKind) continue;
    const MetadataPair& pair = facts.file.pairs[each.pair];
    const auto bytes =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(pair.text.size(), kTemplateBytesMax));
    // What is missing at the end is blamed on the last byte.
    const std::uint32_t at = std::min(each.scan.problem_at, bytes > 0 ? bytes - 1 : 0);
    raise(TemplateFacts::place(pair, at, std::min(at + 1, bytes)),
          static_cast<std::uint64_t>(each.scan.problem), pair.text.size());
  }
}

[[nodiscard]] bool is_string_list(const MetadataPair& pair) {
  return pair.depth == 1 && pair.element_type_id == static_cast<std::uint32_t>(ValueType::string);
}

// The named templates of a file and the list of their names, which a publisher keeps in step. Both are few;
// past this many they are not matched, for a file can hold a million.
constexpr std::size_t kNamesMatchedMax = 256;

struct NameList {
  void add(std::string_view name, ByteRange where) {
    if (count < names.size()) names[count] = {name, where};
    ++count;
  }
  [[nodiscard]] bool too_many() const { return count > names.size(); }
  [[nodiscard]] bool holds(std::string_view name) const {
    return std::any_of(names.begin(), end(), [name](const Name& each) { return each.text == name; });
  }

  struct Name {
    std::string_view text;
    ByteRange where;
  };
  [[nodiscard]] const Name* end() const { return names.begin() + std::min(count, names.size()); }
  std::array<Name, kNamesMatchedMax> names{};
  std::size_t count = 0;
};

[[nodiscard]] NameList named_templates(const FileModel& file) {
  NameList list;
  for (const MetadataPair& pair : file.pairs)
    if (pair.key.starts_with(kTemplateNamedPrefix))
      list.add(pair.key.substr(kTemplateNamedPrefix.size()), pair.key_field());
  return list;
}

[[nodiscard]] NameList listed_templates(const FileModel& file) {
  NameList list;
  const MetadataPair* const pair = find_pair(file, kTemplateListKey);
  if (pair != nullptr && is_string_list(*pair))
    for_each_string(file, *pair, [&list](std::uint64_t, std::string_view name, ByteRange where) {
      list.add(name, where);
      return !list.too_many();
    });
  return list;
}

// Raises for the first of `these` that `those` lack, with how many there are.
void raise_unmatched(const NameList& these, const NameList& those, std::string_view excepted,
                     const Raise& raise) {
  if (these.too_many() || those.too_many()) return;
  std::uint64_t count = 0;
  ByteRange first;
  for (const NameList::Name* each = these.names.begin(); each != these.end(); ++each) {
    if (each->text == excepted || those.holds(each->text)) continue;
    if (count++ == 0) first = each->where;
  }
  if (count > 0) raise(first, count);
}

void check_listed_missing(const ModelFacts& facts, const Raise& raise) {
  // gguf-py lists the one without a name as "default".
  const bool has_default = find_pair(facts.file, kTemplateKey) != nullptr;
  raise_unmatched(listed_templates(facts.file), named_templates(facts.file), has_default ? "default" : "",
                  raise);
}

void check_unlisted(const ModelFacts& facts, const Raise& raise) {
  raise_unmatched(named_templates(facts.file), listed_templates(facts.file), {}, raise);
}

constexpr Rule kRows[] = {
    {.id = {3701},
     .slug = "chat-template-too-large",
     .stage = Stage::meaning,
     .levels = kLoadError,
     .text = "a chat template of {1} bytes has {0:template_problem}; it was not looked into",
     .why = "What is too large to be looked into can hold anything, and keeps a renderer busy.",
     .advice = kDoNotRender,
     .sources = "Our own bounds: 512 KiB and 65,536 tokens. The largest of the templates that llama.cpp "
                "tests has 17 KB.",
     .check_file = check_problem<ProblemKind::size>},
    {.id = {3702},
     .slug = "chat-template-large",
     .stage = Stage::meaning,
     .levels = kWarning,
     .text = "a chat template of {0} bytes; those in use stay below {1}",
     .why = "Every request renders it, and in so much text something is easily hidden.",
     .advice = kCompare,
     .check_pair =
         [](const PairSubject& subject, const ModelFacts&, const Raise& raise) {
           const std::uint64_t bytes = subject.pair.text.size();
           const bool is_template = subject.pair.is(ValueType::string) && is_template_key(subject.pair.key);
           if (is_template && bytes > kTemplateBytesUsual && bytes <= kTemplateBytesMax)
             raise({subject.pair.value_begin, subject.pair.value_begin + 8}, bytes, kTemplateBytesUsual);
         }},
    {.id = {3703},
     .slug = "chat-template-too-deep",
     .stage = Stage::meaning,
     .levels = kLoadError,
     .text = "the chat template has {0:template_problem} here",
     .why = "Parsers that recurse overflow their stack on it and take the program down.",
     .advice = kDoNotRender,
     .sources = "Our own bound is 100 levels of brackets, signs and conditions in one expression, and 100 of "
                "blocks. "
                "Jinja2 gives up near 60 brackets and 20 loops; loaders in C++ have no bound of their own.",
     .check_file = check_problem<ProblemKind::depth>},
    {.id = {3710},
     .slug = "chat-template-in-go-syntax",
     .stage = Stage::meaning,
     .levels = kPublishError,
     .text = "the chat template is written in the template language of Go",
     .why = "Loaders of GGUF files take Jinja; they fail on it, or print parts of it into the conversation.",
     .advice = "Ollama's templates are no use here: take the Jinja template of the original model.",
     .sources = "Told by the first words of a span: a dot, a dollar sign, or if, range and with before one.",
     .check_file = check_problem<ProblemKind::go>},
    {.id = {3711},
     .slug = "chat-template-unbalanced",
     .stage = Stage::meaning,
     .levels = kPublishError,
     .text = "the chat template has {0:template_problem} here",
     .why = "No Jinja engine takes it; loaders fall back to another template or refuse to chat.",
     .advice = kReplace,
     .check_file = check_problem<ProblemKind::balance>},
    {.id = {3712},
     .slug = "chat-template-unparsable",
     .stage = Stage::meaning,
     .levels = kPublishError,
     .text = "the chat template does not parse: {0:template_problem}",
     .why = "Jinja engines refuse it; loaders fall back to another template or refuse to chat.",
     .advice = kReplace,
     .sources =
         "Parsed by Jinja2's grammar with the tags that loaders add: break, continue, generation. Engines "
         "with "
         "extensions of their own may take more. Letters outside ASCII in names are told by blocks, not by "
         "Unicode's tables.",
     .check_file = check_problem<ProblemKind::syntax>},
    {.id = {3720},
     .slug = "chat-template-private-attribute",
     .stage = Stage::meaning,
     .levels = kLoadError,
     .text = "the chat template reaches for {text} ({0} such places)",
     .why = "From an object's inner attributes a template gets to Python's builtins and runs any program.",
     .advice = kDoNotRender,
     .sources = kBlindSpots,
     .check_file = check_mark<TemplateMark::private_attribute>},
    {.id = {3721},
     .slug = "chat-template-hidden-attribute",
     .stage = Stage::meaning,
     .levels = kLoadError,
     .text = "the chat template computes the name of an attribute: {text} ({0} such places)",
     .why = "A name that is put together while rendering is meant not to be found; no harmless template "
            "needs it.",
     .advice = kDoNotRender,
     .sources = kBlindSpots,
     .check_file = check_mark<TemplateMark::hidden_attribute>},
    {.id = {3722},
     .slug = "chat-template-code-call",
     .stage = Stage::meaning,
     .levels = kLoadError,
     .text = "the chat template calls or enters {text}, which it does not define ({0} such places)",
     .why = "It names a function or module that runs programs or reads files.",
     .advice = kDoNotRender,
     .sources = "Known by name only: eval, exec, open, getattr, os, subprocess and the like. Loaders that "
                "offer such "
                "functions under other names are not seen.",
     .check_file = check_mark<TemplateMark::code_call>},
    {.id = {3723},
     .slug = "chat-template-import",
     .stage = Stage::meaning,
     .levels = kLoadError,
     .text = "the chat template has the tag {text}, which reads another file ({0} such places)",
     .why = "A template in a model has no files beside it; a renderer that follows the tag reads the host's.",
     .advice = kDoNotRender,
     .check_file = check_mark<TemplateMark::import_tag>},
    {.id = {3724},
     .slug = "chat-template-endless-loop",
     .stage = Stage::meaning,
     .levels = kLoadError,
     .text = "the chat template makes a renderer go on for {1} turns or bytes ({0} such places)",
     .why = "It blocks whoever renders it, or takes all memory.",
     .advice = kDoNotRender,
     .sources =
         "Told by numbers that are written out: range() and repeated text past 100,000 and 1,000,000, nested "
         "ranges by their product, powers. Numbers that are computed or come with a request, macros that "
         "call "
         "themselves and recursive loops are not seen. Jinja2's sandbox stops range() at 100,000.",
     .check_file = check_mark<TemplateMark::endless_loop>},
    {.id = {3730},
     .slug = "chat-template-content-condition",
     .stage = Stage::meaning,
     .levels = kWarning,
     .text = "the chat template says a sentence of its own when a message has certain words: {text} ({0} "
             "such places)",
     .why = "Instructions that appear on a trigger word change what the model answers, and no one sees them.",
     .advice = kCompare,
     .sources =
         "Told by shape: a condition that compares a message's content with text that is written out, and "
         "four "
         "words or more on its branch. What the words want is not judged, and a trigger that is computed, or "
         "passed through a macro, is not seen. A template's sentences that depend on nothing are not "
         "reported. None of the templates that llama.cpp tests has such a branch.",
     .check_file = check_mark<TemplateMark::content_condition>},
    {.id = {3731},
     .slug = "chat-template-date-condition",
     .stage = Stage::meaning,
     .levels = kWarning,
     .text = "the chat template decides by today's date: {text} ({0} such places)",
     .why = "What it says before a day is no proof of what it says after it.",
     .advice = kCompare,
     .sources = "Told by strftime_now, and names set from it, in a comparison with a text or number. "
                "Printing the date "
                "is common and harmless.",
     .check_file = check_mark<TemplateMark::date_condition>},
    {.id = {3732},
     .slug = "chat-template-reordered-text",
     .stage = Stage::meaning,
     .levels = kPublishError,
     .text = "the chat template has a character that reorders text or carries it unseen: U+{1:code_point} "
             "({0} such "
             "characters)",
     .why = "People read another template than the one that is there; the model reads all of it.",
     .advice = kCompare,
     .sources = "Bidirectional controls and tag characters, anywhere in the template. Their escaped "
                "spellings inside "
                "strings are visible and not reported.",
     .check_file = check_mark<TemplateMark::reordered_text>},
    {.id = {3733},
     .slug = "chat-template-hidden-character",
     .stage = Stage::meaning,
     .levels = kWarning,
     .text = "the chat template has a character that cannot be seen: U+{1:code_point} ({0} such characters)",
     .why = "It changes what a word or a name is without changing how it looks.",
     .advice = kCompare,
     .sources = "Zero-width characters, soft hyphens, byte order marks and control characters. Joiners "
                "between letters "
                "outside ASCII belong to scripts and emoji and are not reported.",
     .check_file = check_mark<TemplateMark::hidden_character>},
    {.id = {3734},
     .slug = "chat-template-unknown-filter",
     .stage = Stage::meaning,
     .levels = kNoteOrPublishWarning,
     .text = "the chat template uses the filter {text}, which neither Jinja2 nor a common loader has ({0} "
             "such places)",
     .why = "Rendering fails in loaders that do not have it.",
     .advice = "It works with the program it was written for only. A publisher replaces the filter.",
     .sources = "DeepSeek's templates use from_json, which only their own renderer has.",
     .check_file = check_mark<TemplateMark::unknown_filter>},
    {.id = {3735},
     .slug = "chat-template-unknown-test",
     .stage = Stage::meaning,
     .levels = kNoteOrPublishWarning,
     .text = "the chat template asks whether something is {text}, a test that Jinja2 does not have ({0} such "
             "places)",
     .why = "Rendering fails in loaders that do not have it.",
     .advice = "It works with the program it was written for only. A publisher replaces the test.",
     .check_file = check_mark<TemplateMark::unknown_test>},
    {.id = {3740},
     .slug = "chat-template-listed-missing",
     .stage = Stage::meaning,
     .levels = kNoteOrPublishWarning,
     .text = "the list of chat templates names {text}, and there is no such template ({0} such names)",
     .why = "Tools that follow the list ask for a key that is not there.",
     .advice = "Harmless to loaders. A publisher mends the list.",
     .sources = "gguf-py writes the list and the keys together.",
     .check_file = check_listed_missing},
    {.id = {3741},
     .slug = "chat-template-unlisted",
     .stage = Stage::meaning,
     .levels = kNoteOrPublishWarning,
     .text = "the chat template {text} is not in the list tokenizer.chat_templates ({0} such templates)",
     .why =
         "Tools and scanners that follow the list do not see it; loaders that are asked for it by name do.",
     .advice = "It is checked like any other here. A publisher adds it to the list or takes it out.",
     .sources = "gguf-py writes the list and the keys together; llama.cpp asks for the key by name.",
     .check_file = check_unlisted},
    {.id = {3742},
     .slug = "chat-template-empty",
     .stage = Stage::meaning,
     .levels = kNoteOrPublishWarning,
     .text = "the chat template is empty",
     .why = "Loaders differ on whether that means none, a default one, or that nothing is sent to the model.",
     .advice = "Name a template when you chat. A publisher leaves the key out.",
     .check_pair =
         [](const PairSubject& subject, const ModelFacts&, const Raise& raise) {
           if (subject.pair.is(ValueType::string) && is_template_key(subject.pair.key) &&
               subject.pair.text.empty())
             raise({subject.pair.value_begin, subject.pair.value_begin + 8});
         }},
};

}  // namespace

std::span<const Rule> template_rules() { return kRows; }

}  // namespace ggufvet
