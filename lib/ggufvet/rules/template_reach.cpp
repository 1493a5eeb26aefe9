// Attributes, calls and tags that reach for what lies outside of a template, and the ways to hide them.
#include "ggufvet/rules/template_tokens.h"

namespace ggufvet {
namespace {

using namespace std::string_view_literals;

template <std::size_t kCount>
[[nodiscard]] bool is_one_of(std::string_view name, const std::array<std::string_view, kCount>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Python's own doors out of an object, beside those with underscores.
[[nodiscard]] bool is_private_name(std::string_view name) {
  constexpr std::array kDoors{"mro"sv,        "gi_frame"sv, "gi_code"sv, "gi_yieldfrom"sv, "cr_frame"sv,
                              "cr_code"sv,    "ag_frame"sv, "ag_code"sv, "f_globals"sv,    "f_locals"sv,
                              "f_builtins"sv, "f_back"sv,   "f_code"sv,  "tb_frame"sv,     "func_globals"sv,
                              "func_code"sv,  "im_func"sv,  "co_code"sv};
  return name.starts_with('_') || is_one_of(name, kDoors);
}

[[nodiscard]] bool is_identifier_letter(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
         (letter >= '0' && letter <= '9') || letter == '_';
}

[[nodiscard]] bool is_identifier(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_identifier_letter);
}

// __class__ and the like, as a whole literal.
[[nodiscard]] bool is_double_underscored(std::string_view text) {
  return text.size() > 4 && text.starts_with("__"sv) && text.ends_with("__"sv) && is_identifier(text);
}

// "{0.__class__}" and the like: a format string that walks attributes.
[[nodiscard]] bool holds_known_door(std::string_view text) {
  constexpr std::array kNames{"__class__"sv,  "__globals__"sv, "__builtins__"sv, "__subclasses__"sv,
                              "__import__"sv, "__mro__"sv,     "__bases__"sv,    "__getattribute__"sv,
                              "__base__"sv,   "__loader__"sv,  "__reduce__"sv,   "__code__"sv};
  return std::any_of(kNames.begin(), kNames.end(),
                     [text](std::string_view name) { return text.find(name) != std::string_view::npos; });
}

class ReachScan {
 public:
  ReachScan(const TemplateTokens& tokens, MarkSink& sink) : tokens_(tokens), sink_(sink) {
    for (std::size_t index = 0; index < tokens_.size(); ++index)
      if (tokens_.role(index) == TokenRole::target) own_names_.insert(tokens_.word(index));
  }

  void run() {
    for (std::size_t index = 0; index < tokens_.size(); ++index) {
      if (tokens_.kind(index) == TokenKind::string) string(index);
      switch (tokens_.role(index)) {
        case TokenRole::attribute:
          attribute(index);
          break;
        case TokenRole::variable:
          variable(index);
          break;
        case TokenRole::filter:
          filter(index);
          break;
        case TokenRole::test:
          test(index);
          break;
        case TokenRole::subscript_open:
          subscript(index);
          break;
        case TokenRole::tag:
          tag(index);
          break;
        default:
          break;
      }
    }
  }

 private:
  void attribute(std::size_t index) {
    constexpr std::array kCalls{"popen"sv,      "Popen"sv,         "system"sv,      "check_output"sv,
                                "check_call"sv, "import_module"sv, "load_module"sv, "getoutput"sv,
                                "execv"sv,      "spawn"sv,         "from_pyfile"sv, "from_object"sv};
    const std::string_view name = tokens_.word(index);
    if (is_private_name(name))
      sink_.add(TemplateMark::private_attribute, tokens_[index]);
    else if (tokens_.is_called(index) && is_one_of(name, kCalls))
      sink_.add(TemplateMark::code_call, tokens_[index]);
  }

  void variable(std::size_t index) {
    constexpr std::array kCalls{"eval"sv,    "exec"sv,    "open"sv,    "compile"sv,
                                "getattr"sv, "setattr"sv, "delattr"sv, "globals"sv,
                                "locals"sv,  "vars"sv,    "input"sv,   "breakpoint"sv,
                                "popen"sv,   "system"sv,  "url_for"sv, "get_flashed_messages"sv};
    constexpr std::array kModules{"os"sv,      "sys"sv,    "subprocess"sv, "builtins"sv, "importlib"sv,
                                  "shutil"sv,  "socket"sv, "ctypes"sv,     "pty"sv,      "posix"sv,
                                  "pathlib"sv, "pickle"sv, "codecs"sv,     "runpy"sv};
    const std::string_view name = tokens_.word(index);
    if (is_double_underscored(name)) return sink_.add(TemplateMark::private_attribute, tokens_[index]);
    if (own_names_.contains(name)) return;
    const bool calls = tokens_.is_called(index) && is_one_of(name, kCalls);
    const bool enters = tokens_.is_sign(index + 1, ".") && is_one_of(name, kModules);
    if (calls || enters) sink_.add(TemplateMark::code_call, tokens_[index]);
  }

  void tag(std::size_t index) {
    constexpr std::array kTags{"import"sv, "from"sv, "include"sv, "extends"sv};
    if (is_one_of(tokens_.word(index), kTags)) sink_.add(TemplateMark::import_tag, tokens_[index]);
  }

  void string(std::size_t index) {
    const std::string_view literal = tokens_.word(index);
    if (literal.find('_') == std::string_view::npos && literal.find('\\') == std::string_view::npos) return;
    const std::string value = template_string_value(literal);
    if (is_double_underscored(value) || holds_known_door(value))
      sink_.add(TemplateMark::private_attribute, tokens_[index]);
    else if (is_fragment(value) && is_joined(index))
      sink_.add(TemplateMark::hidden_attribute, tokens_[index]);
  }

  // "__cl" or "ass__": half of such a name. Two underscores alone join the parts of tool names in harmless
  // templates.
  [[nodiscard]] static bool is_fragment(std::string_view value) {
    return value.size() > 2 && is_identifier(value) && (value.starts_with("__"sv) || value.ends_with("__"sv));
  }
  [[nodiscard]] bool is_joined(std::size_t index) const {
    const auto joins = [this](std::size_t at) {
      return tokens_.is_sign(at, "~") || tokens_.is_sign(at, "+");
    };
    return joins(index + 1) || (index > 0 && joins(index - 1));
  }

  // A key built from parts with an underscore in one of them; a plain key with one in front.
  void subscript(std::size_t open) {
    const TokenRange range = tokens_.inside(open);
    bool underscore = false;
    bool built = false;
    for (std::size_t index = range.begin; index < range.end; ++index) {
      if (tokens_.kind(index) == TokenKind::string) {
        const std::string value = template_string_value(tokens_.word(index), 256);
        underscore |= value.find('_') != std::string::npos || value.find("%c"sv) != std::string::npos;
        if (range.end - range.begin == 1 && is_private_name(value) && !is_double_underscored(value))
          sink_.add(TemplateMark::private_attribute, tokens_[index]);
      }
      built |= tokens_.is_sign(index, "~") || tokens_.is_sign(index, "%") || builds_text(index) ||
               (tokens_.is_sign(index, "+") && (tokens_.kind(index - 1) == TokenKind::string ||
                                                tokens_.kind(index + 1) == TokenKind::string));
      // Nested brackets are looked at on their own turn; skipping them keeps this linear.
      if (tokens_.role(index) == TokenRole::subscript_open)
        index = std::max<std::size_t>(tokens_[index].link, index);
    }
    // handler[c]('id'): what is called is chosen while rendering. A slice cannot be called.
    const bool plain = range.end - range.begin == 1 && (tokens_.kind(range.begin) == TokenKind::string ||
                                                        tokens_.kind(range.begin) == TokenKind::integer);
    const bool calls_computed =
        !plain && range.end > range.begin && tokens_.role(range.end + 1) == TokenRole::call_open;
    if ((underscore && built) || calls_computed)
      sink_.add(TemplateMark::hidden_attribute, tokens_[range.begin].begin,
                tokens_[range.end - 1].begin + tokens_[range.end - 1].bytes);
  }

  [[nodiscard]] bool builds_text(std::size_t index) const {
    constexpr std::array kFilters{"join"sv,  "format"sv, "replace"sv, "reverse"sv,
                                  "lower"sv, "trim"sv,   "map"sv};
    return (tokens_.role(index) == TokenRole::filter || tokens_.role(index) == TokenRole::attribute) &&
           is_one_of(tokens_.word(index), kFilters);
  }

  // ---- filters that take an attribute's name

  void filter(std::size_t index) {
    const std::string_view name = tokens_.word(index);
    if (!is_known_filter(name)) sink_.add(TemplateMark::unknown_filter, tokens_[index]);
    if (name == "attr"sv) return attribute_argument(index, first_argument(index));
    if (!tokens_.is_called(index)) return;
    constexpr std::array kFirst{"selectattr"sv, "rejectattr"sv, "groupby"sv};
    if (is_one_of(name, kFirst)) attribute_argument(index, first_argument(index));
    const TokenRange arguments = tokens_.inside(index + 1);
    if (name == "map"sv && tokens_.kind(arguments.begin) == TokenKind::string &&
        template_string_value(tokens_.word(arguments.begin)) == "attr" &&
        tokens_.is_sign(arguments.begin + 1, ","))
      attribute_argument(index, argument_at(arguments.begin + 2, arguments.end));
    constexpr std::array kNamed{"map"sv, "sort"sv, "unique"sv, "sum"sv,
                                "min"sv, "max"sv,  "join"sv,   "groupby"sv};
    if (!is_one_of(name, kNamed)) return;
    for (std::size_t at = arguments.begin; at + 1 < arguments.end; ++at) {
      if (tokens_.role(at) == TokenRole::keyword && tokens_.word(at) == "attribute"sv)
        attribute_argument(index, argument_at(at + 2, arguments.end));
      if (tokens_.role(at) == TokenRole::call_open) at = std::max<std::size_t>(tokens_[at].link, at);
    }
  }

  // The first argument of the call behind `index`, without `name=`; empty when there is none.
  [[nodiscard]] TokenRange first_argument(std::size_t index) const {
    if (!tokens_.is_called(index)) return {};
    const TokenRange arguments = tokens_.inside(index + 1);
    const std::size_t begin = arguments.begin + (tokens_.role(arguments.begin) == TokenRole::keyword ? 2 : 0);
    return argument_at(begin, arguments.end);
  }

  // Up to the comma that ends it.
  [[nodiscard]] TokenRange argument_at(std::size_t begin, std::size_t end) const {
    std::size_t at = begin;
    while (at < end && !tokens_.is_sign(at, ",")) {
      const bool opens = tokens_.is_sign(at, "(") || tokens_.is_sign(at, "[") || tokens_.is_sign(at, "{");
      at = opens && tokens_[at].link > at ? tokens_[at].link + std::size_t{1} : at + 1;
    }
    return {begin, std::min(at, end)};
  }

  // One literal without an underscore in front of any of its parts is harmless; anything else is not known to
  // be.
  void attribute_argument(std::size_t filter, TokenRange argument) {
    const bool single = argument.end == argument.begin + 1;
    if (single && tokens_.kind(argument.begin) == TokenKind::integer) return;
    if (single && tokens_.kind(argument.begin) == TokenKind::string) {
      const std::string value = template_string_value(tokens_.word(argument.begin));
      if (is_double_underscored(value)) return;  // marked as a literal
      bool harmless = !value.empty();
      for (std::size_t part = 0; part != std::string::npos && part <= value.size();) {
        const std::size_t dot = value.find_first_of(".,", part);
        harmless &= !is_private_name(std::string_view(value).substr(part, dot - part));
        part = dot == std::string::npos ? dot : dot + 1;
      }
      if (harmless) return;
    }
    sink_.add(TemplateMark::hidden_attribute, tokens_[filter]);
  }

  [[nodiscard]] static bool is_known_filter(std::string_view name) {
    // Jinja2's own, and what loaders of chat templates add.
    constexpr std::array kFilters{
        "abs"sv,    "attr"sv,       "batch"sv,       "capitalize"sv, "center"sv,   "count"sv,
        "d"sv,      "default"sv,    "dictsort"sv,    "e"sv,          "escape"sv,   "filesizeformat"sv,
        "first"sv,  "float"sv,      "forceescape"sv, "format"sv,     "groupby"sv,  "indent"sv,
        "int"sv,    "items"sv,      "join"sv,        "last"sv,       "length"sv,   "list"sv,
        "lower"sv,  "map"sv,        "max"sv,         "min"sv,        "pprint"sv,   "random"sv,
        "reject"sv, "rejectattr"sv, "replace"sv,     "reverse"sv,    "round"sv,    "safe"sv,
        "select"sv, "selectattr"sv, "slice"sv,       "sort"sv,       "string"sv,   "striptags"sv,
        "sum"sv,    "title"sv,      "tojson"sv,      "trim"sv,       "truncate"sv, "unique"sv,
        "upper"sv,  "urlencode"sv,  "urlize"sv,      "wordcount"sv,  "wordwrap"sv, "xmlattr"sv};
    return is_one_of(name, kFilters);
  }

  void test(std::size_t index) {
    constexpr std::array kTests{
        "boolean"sv, "callable"sv, "defined"sv,  "divisibleby"sv, "eq"sv,       "equalto"sv,     "escaped"sv,
        "even"sv,    "false"sv,    "filter"sv,   "float"sv,       "ge"sv,       "greaterthan"sv, "gt"sv,
        "in"sv,      "integer"sv,  "iterable"sv, "le"sv,          "lessthan"sv, "lower"sv,       "lt"sv,
        "mapping"sv, "ne"sv,       "none"sv,     "number"sv,      "odd"sv,      "sameas"sv,      "sequence"sv,
        "string"sv,  "test"sv,     "true"sv,     "undefined"sv,   "upper"sv};
    if (!is_one_of(tokens_.word(index), kTests)) sink_.add(TemplateMark::unknown_test, tokens_[index]);
  }

  const TemplateTokens& tokens_;
  MarkSink& sink_;
  NameSet own_names_;
};

}  // namespace

void scan_reach(const TemplateTokens& tokens, MarkSink& sink) { ReachScan(tokens, sink).run(); }

}  // namespace ggufvet
