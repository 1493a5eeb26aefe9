#include "ggufvet/write/recipe.h"

#include <algorithm>
#include <array>
#include <utility>

#include "ggufvet/types/type_registry.h"
#include "ggufvet/write/base_models.h"
#include "ggufvet/write/recipe_scanner.h"
#include "ggufvet/write/recipe_values.h"

namespace ggufvet {
namespace {

constexpr std::size_t kRecipeBytesMax = 1 << 20;
// Each looks up a label among all.
constexpr std::size_t kEditsMax = 64;
constexpr std::size_t kExpectedFindingsMax = 1000;
constexpr std::uint64_t kIdMax = 0xFFFFFFFF;

constexpr std::array<std::string_view, 5> kResults{"valid", "warning", "invalid", "malformed", "undecided"};

class Assembler {
 public:
  Assembler(std::string_view text, RecipeOptions options) : text_(text), options_(options) {
    if (options.byte_order) recipe_.spec.byte_order = *options.byte_order;
  }

  [[nodiscard]] tl::expected<Recipe, RecipeError> assemble() {
    if (text_.size() > kRecipeBytesMax) return refuse(1, "a recipe has at most a megabyte");
    std::string line;
    while (next_line(line)) {
      RecipeScanner in(line, recipe_.spec.byte_order, budget_);
      if (!in.at_end()) directive(in);
      in.end();
      if (!in.ok()) return refuse(line_, in.error());
    }
    if (recipe_.name.empty()) return refuse(line_, "the recipe has no case line");
    if (!has_file_) return refuse(line_, "the recipe has neither a gguf nor a raw line");
    return build();
  }

 private:
  [[nodiscard]] static tl::unexpected<RecipeError> refuse(std::size_t line, std::string message) {
    return tl::unexpected(RecipeError{line, std::move(message)});
  }

  // A line that ends in a backslash goes on in the next.
  [[nodiscard]] bool next_line(std::string& line) {
    line.clear();
    if (text_.empty()) return false;
    line_ = next_line_;
    bool more = true;
    while (more && !text_.empty()) {
      ++next_line_;
      const std::size_t end = std::min(text_.find('\n'), text_.size());
      std::string_view part = text_.substr(0, end);
      text_.remove_prefix(std::min(end + 1, text_.size()));
      more = part.ends_with('\\');
      if (more) part.remove_suffix(1);
      line += part;
    }
    return true;
  }

  void directive(RecipeScanner& in) {
    using Handler = void (Assembler::*)(RecipeScanner&);
    struct Row {
      std::string_view name;
      Handler handler;
    };
    static constexpr std::array kRows{
        Row{"case", &Assembler::case_line},
        Row{"note", &Assembler::note_line},
        Row{"flags", &Assembler::flags_line},
        Row{"neighbour", &Assembler::neighbour_line},
        Row{"dialect", &Assembler::dialect_line},
        Row{"raw", &Assembler::raw_line},
        Row{"gguf", &Assembler::gguf_line},
        Row{"header", &Assembler::header_line},
        Row{"pair", &Assembler::pair_line},
        Row{"tensor", &Assembler::tensor_line},
        Row{"alignment", &Assembler::align_line},
        Row{"padding", &Assembler::padding_line},
        Row{"data", &Assembler::data_line},
        Row{"patch", &Assembler::patch_line},
        Row{"append", &Assembler::append_line},
        Row{"truncate", &Assembler::truncate_line},
        Row{"expect", &Assembler::expect_line},
        Row{"base", &Assembler::base_line},
        Row{"set", &Assembler::set_line},
        Row{"drop", &Assembler::drop_line},
        Row{"set-tensor", &Assembler::set_tensor_line},
        Row{"drop-tensor", &Assembler::drop_tensor_line},
    };
    const std::string_view name = in.word();
    const auto row =
        std::find_if(kRows.begin(), kRows.end(), [name](const Row& each) { return each.name == name; });
    if (row == kRows.end())
      in.fail("there is no line " + std::string(name));
    else
      (this->*row->handler)(in);
  }

  void case_line(RecipeScanner& in) {
    if (!recipe_.name.empty()) in.fail("a recipe has one case line");
    recipe_.name = std::string(in.word());
  }

  void note_line(RecipeScanner& in) { recipe_.notes.emplace_back(in.take_rest()); }

  void flags_line(RecipeScanner& in) {
    while (in.ok() && !in.at_end()) recipe_.flags.emplace_back(in.word());
  }

  void neighbour_line(RecipeScanner& in) { recipe_.neighbour = std::string(in.word()); }

  void dialect_line(RecipeScanner& in) {
    const std::string slug(in.word());
    const auto dialect = find_dialect(slug);
    if (!dialect) in.fail("there is no dialect " + slug);
    recipe_.spec.dialect = dialect.value_or(DialectId::ggml);
  }

  // Raw lines add up.
  void raw_line(RecipeScanner& in) {
    if (has_file_ && !recipe_.spec.raw) in.fail("a file is either raw or gguf");
    has_file_ = true;
    if (!recipe_.spec.raw) recipe_.spec.raw.emplace();
    if (in.at_end()) return;  // an empty file
    add(in.bytes(), *recipe_.spec.raw);
  }

  void gguf_line(RecipeScanner& in) {
    if (has_file_) in.fail("a file is either raw or gguf, and has one such line");
    has_file_ = true;
    const std::string version(in.word());
    if (version != "v1" && version != "v2" && version != "v3") in.fail("gguf takes v1, v2 or v3");
    if (!in.ok()) return;
    recipe_.spec.version = static_cast<std::uint32_t>(version[1] - '0');
    recipe_.spec.counts_are_32_bits = version == "v1";
    const bool big = in.take_word("big");
    if (!big) static_cast<void>(in.take_word("little"));
    if (!options_.byte_order) recipe_.spec.byte_order = big ? ByteOrder::big : ByteOrder::little;
  }

  // Lines that say what is in a GGUF file come after the one that says it is one.
  [[nodiscard]] bool in_gguf(RecipeScanner& in) const {
    if (!has_file_ || recipe_.spec.raw) in.fail("this belongs behind a gguf line");
    return in.ok();
  }

  void header_line(RecipeScanner& in) {
    if (!in_gguf(in)) return;
    FileSpec& spec = recipe_.spec;
    while (in.ok() && !in.at_end()) {
      if (in.take_attribute("magic"))
        spec.magic = bytes_of(in.text());
      else if (in.take_attribute("version"))
        spec.version = static_cast<std::uint32_t>(in.number_at_most(kIdMax));
      else if (in.take_attribute("tensors"))
        spec.tensor_count = in.number();
      else if (in.take_attribute("pairs"))
        spec.pair_count = in.number();
      else
        in.fail("header takes magic=, version=, tensors= and pairs=");
    }
  }

  void pair_line(RecipeScanner& in) {
    if (!in_gguf(in) || !in.spend(sizeof(PairSpec))) return;
    PairSpec pair;
    pair.key = in.counted_text();
    pair.value = scan_value(in);
    recipe_.spec.pairs.push_back(std::move(pair));
  }

  // The lines of a model that stands ready, as if they stood here.
  void base_line(RecipeScanner& in) {
    const std::string name(in.word());
    const BaseModel* const base = find_base_model(name);
    if (base == nullptr) in.fail("there is no base " + name);
    if (!in_gguf(in)) return;
    std::string_view rest = base->lines;
    while (in.ok() && !rest.empty()) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      RecipeScanner line(rest.substr(0, end), recipe_.spec.byte_order, budget_);
      if (!line.at_end()) directive(line);
      line.end();
      if (!line.ok()) in.fail("base " + name + ": " + line.error());
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }

  // The pair or tensor of a name that was written before; end() after a failure.
  [[nodiscard]] auto pair_named(RecipeScanner& in) {
    const std::string key = in.text();
    auto& pairs = recipe_.spec.pairs;
    const auto pair = std::find_if(pairs.begin(), pairs.end(),
                                   [&key](const PairSpec& each) { return each.key.bytes == key; });
    if (pair == pairs.end()) in.fail("there is no pair " + key);
    return pair;
  }
  [[nodiscard]] auto tensor_named(RecipeScanner& in) {
    const std::string name = in.text();
    auto& tensors = recipe_.spec.tensors;
    const auto tensor = std::find_if(tensors.begin(), tensors.end(),
                                     [&name](const TensorSpec& each) { return each.name.bytes == name; });
    if (tensor == tensors.end()) in.fail("there is no tensor " + name);
    return tensor;
  }

  void set_line(RecipeScanner& in) {
    const auto pair = pair_named(in);
    if (in.ok()) pair->value = scan_value(in);
  }

  void drop_line(RecipeScanner& in) {
    const auto pair = pair_named(in);
    if (in.ok()) recipe_.spec.pairs.erase(pair);
  }

  void set_tensor_line(RecipeScanner& in) {
    const auto tensor = tensor_named(in);
    if (!in.ok()) return;
    TensorSpec changed;
    changed.name = tensor->name;
    scan_tensor(in, changed);
    *tensor = std::move(changed);
  }

  void drop_tensor_line(RecipeScanner& in) {
    const auto tensor = tensor_named(in);
    if (in.ok()) recipe_.spec.tensors.erase(tensor);
  }

  // NAME, type:N, or DIALECT/NAME.
  [[nodiscard]] std::uint32_t tensor_type(RecipeScanner& in) const {
    if (in.take_prefix("type:")) return static_cast<std::uint32_t>(in.number_at_most(kIdMax));
    const std::string word(in.word());
    std::string_view name = word;
    DialectId dialect = recipe_.spec.dialect;
    if (const std::size_t slash = name.find('/'); slash != std::string_view::npos) {
      const auto named = find_dialect(name.substr(0, slash));
      if (!named) in.fail("there is no dialect " + std::string(name.substr(0, slash)));
      dialect = named.value_or(dialect);
      name = name.substr(slash + 1);
    }
    const TypeInfo* const type = find_type(dialect, name);
    if (type == nullptr) in.fail("there is no tensor type " + word);
    return type == nullptr ? 0 : type->id;
  }

  void tensor_line(RecipeScanner& in) {
    if (!in_gguf(in) || !in.spend(sizeof(TensorSpec))) return;
    TensorSpec tensor;
    tensor.name = in.counted_text();
    scan_tensor(in, tensor);
    recipe_.spec.tensors.push_back(std::move(tensor));
  }

  // What follows the name.
  void scan_tensor(RecipeScanner& in, TensorSpec& tensor) const {
    tensor.type_id = tensor_type(in);
    in.expect('[');
    while (in.ok() && !in.take(']')) {
      tensor.shape.push_back(in.number());
      static_cast<void>(in.take(','));
    }
    while (in.ok() && !in.at_end()) {
      if (in.take_attribute("rank"))
        tensor.rank = static_cast<std::uint32_t>(in.number_at_most(kIdMax));
      else if (in.take_attribute("offset"))
        tensor.offset = in.number();
      else if (in.take_attribute("bytes"))
        tensor.bytes = in.number();
      else
        in.fail("a tensor takes rank=, offset= and bytes=");
    }
  }

  void align_line(RecipeScanner& in) {
    if (in_gguf(in)) recipe_.spec.alignment = in.number();
  }

  static void add(const Bytes& more, Bytes& bytes) { bytes.insert(bytes.end(), more.begin(), more.end()); }

  void padding_line(RecipeScanner& in) {
    if (!in_gguf(in)) return;
    if (!recipe_.spec.padding) recipe_.spec.padding.emplace();
    if (!in.take_word("none")) add(in.bytes(), *recipe_.spec.padding);
  }

  void data_line(RecipeScanner& in) {
    if (!in_gguf(in)) return;
    if (!recipe_.spec.data) recipe_.spec.data.emplace();
    if (!in.take_word("none")) add(in.bytes(), *recipe_.spec.data);
  }

  [[nodiscard]] std::string label(RecipeScanner& in) {
    in.expect('@');
    return in.ok() ? in.label() : std::string();
  }

  void add_edit(RecipeScanner& in, Edit edit) {
    if (!has_file_) in.fail("this belongs behind a gguf or raw line");
    if (recipe_.spec.edits.size() == kEditsMax) in.fail("a recipe has at most 64 edits");
    if (!in.ok()) return;
    recipe_.spec.edits.push_back(std::move(edit));
    edit_lines_.push_back(line_);
  }

  void patch_line(RecipeScanner& in) {
    Edit edit{Edit::Kind::patch, label(in), {}};
    edit.bytes = in.bytes();
    add_edit(in, std::move(edit));
  }

  void append_line(RecipeScanner& in) {
    if (in.take_word("self"))
      add_edit(in, {Edit::Kind::append_self, {}, {}});
    else
      add_edit(in, {Edit::Kind::append, {}, in.bytes()});
  }

  void truncate_line(RecipeScanner& in) { add_edit(in, {Edit::Kind::truncate, label(in), {}}); }

  void expect_line(RecipeScanner& in) {
    Expectation expectation;
    do expectation.profiles.emplace_back(in.word());
    while (in.take(','));
    const std::string_view result = in.word();
    const auto known = std::find(kResults.begin(), kResults.end(), result);
    if (known == kResults.end()) in.fail("expected valid, warning, invalid, malformed or undecided");
    expectation.result = static_cast<ExpectedResult>(known - kResults.begin());
    while (in.ok() && !in.at_end()) {
      if (++expected_findings_ > kExpectedFindingsMax) in.fail("a recipe expects at most 1000 findings");
      const std::string slug(in.word());
      expectation.findings.push_back({slug, label(in), {}});
    }
    recipe_.expectations.push_back(std::move(expectation));
    expectation_lines_.push_back(line_);
  }

  [[nodiscard]] tl::expected<Recipe, RecipeError> build() {
    auto built = build_file(recipe_.spec);
    if (!built) return refuse(edit_lines_[built.error().edit], built.error().message);
    recipe_.file = std::move(*built);
    for (std::size_t index = 0; index < recipe_.expectations.size(); ++index) {
      for (ExpectedFinding& finding : recipe_.expectations[index].findings) {
        const auto where = recipe_.file.labels.find(finding.label);
        if (!where) return refuse(expectation_lines_[index], "no such place: " + finding.label);
        finding.where = *where;
      }
    }
    return std::move(recipe_);
  }

  std::string_view text_;
  RecipeOptions options_;
  RecipeBudget budget_;
  Recipe recipe_;
  bool has_file_ = false;
  std::size_t line_ = 1;
  std::size_t next_line_ = 1;
  std::size_t expected_findings_ = 0;
  std::vector<std::size_t> edit_lines_;
  std::vector<std::size_t> expectation_lines_;
};

}  // namespace

std::string_view expected_result_name(ExpectedResult result) {
  return kResults[static_cast<std::size_t>(result)];
}

bool Recipe::has_flag(std::string_view flag) const {
  return std::find(flags.begin(), flags.end(), flag) != flags.end();
}

const Expectation* Recipe::find_expectation(std::string_view profile) const {
  for (const Expectation& expectation : expectations)
    for (const std::string& named : expectation.profiles)
      if (named == profile || named == kAllProfiles) return &expectation;
  return nullptr;
}

tl::expected<Recipe, RecipeError> assemble_recipe(std::string_view text, RecipeOptions options) {
  return Assembler(text, options).assemble();
}

}  // namespace ggufvet
