#include "ggufvet/write/set_recipe.h"

#include <algorithm>

#include "ggufvet/write/recipe_scanner.h"

namespace ggufvet {
namespace {

constexpr std::size_t kSetRecipeBytesMax = 1 << 20;
constexpr std::size_t kSetFindingsMax = 200;

struct Section {
  std::string name;
  std::size_t line = 0;  // of its file line
  std::string body;
};

struct ExpectLine {
  std::size_t line = 0;
  std::string text;
};

class SetAssembler {
 public:
  explicit SetAssembler(std::string_view text) : text_(text) {}

  [[nodiscard]] tl::expected<SetRecipe, RecipeError> assemble() {
    if (text_.size() > kSetRecipeBytesMax) return refuse(1, "a recipe has at most a megabyte");
    while (!text_.empty() && problem_.message.empty()) line();
    if (problem_.message.empty() && recipe_.name.empty()) fail("the recipe has no case line");
    if (problem_.message.empty() && sections_.empty()) fail("the recipe has no file line");
    build();
    for (const ExpectLine& each : expects_) expect(each);
    if (!problem_.message.empty()) return tl::unexpected(problem_);
    return std::move(recipe_);
  }

 private:
  [[nodiscard]] static tl::unexpected<RecipeError> refuse(std::size_t line, std::string message) {
    return tl::unexpected(RecipeError{line, std::move(message)});
  }
  void fail(std::string message) {
    if (problem_.message.empty()) problem_ = {line_, std::move(message)};
  }

  void line() {
    ++line_;
    const std::size_t end = std::min(text_.find('\n'), text_.size());
    const std::string_view text = text_.substr(0, end);
    text_.remove_prefix(std::min(end + 1, text_.size()));
    RecipeScanner in(text, ByteOrder::little, budget_);
    const std::string word(in.peek_word());
    if (word == "expect") {
      expects_.push_back({line_, std::string(text)});
    } else if (word == "file") {
      static_cast<void>(in.word());
      sections_.push_back({std::string(in.word()), line_, "case f\n"});
      in.end();
    } else if (!sections_.empty()) {
      sections_.back().body += std::string(text) + '\n';
    } else if (!in.at_end()) {
      head(in);
    }
    if (!in.ok()) fail(in.error());
    if (sections_.size() > kSetRecipeFilesMax) fail("a recipe has at most 64 files");
  }

  void head(RecipeScanner& in) {
    const std::string word(in.word());
    if (word == "case")
      recipe_.name = std::string(in.word());
    else if (word == "note")
      recipe_.notes.emplace_back(in.take_rest());
    else if (word == "neighbour")
      recipe_.neighbour = std::string(in.word());
    else
      in.fail("before the first file line stand case, note, neighbour and expect");
    in.end();
  }

  void build() {
    for (const Section& section : sections_) {
      if (!problem_.message.empty()) return;
      auto file = assemble_recipe(section.body);
      if (!file) {
        // The section's first line is one that was put there, in place of its file line.
        problem_ = {section.line + file.error().line - 1, file.error().message};
        return;
      }
      recipe_.files.push_back({section.name, std::move(file->file)});
    }
    if (!recipe_.files.empty()) recipe_.opened = recipe_.files.front().name;
  }

  [[nodiscard]] const SetRecipeFile* find_file(std::string_view name) const {
    const auto found = std::find_if(recipe_.files.begin(), recipe_.files.end(),
                                    [name](const SetRecipeFile& file) { return file.name == name; });
    return found == recipe_.files.end() ? nullptr : &*found;
  }

  void expect(const ExpectLine& each) {
    line_ = each.line;
    RecipeScanner in(each.text, ByteOrder::little, budget_);
    static_cast<void>(in.word());
    SetExpectation expectation;
    do expectation.profiles.emplace_back(in.word());
    while (in.take(','));
    const std::string_view result = in.word();
    bool known = false;
    for (const auto value : {ExpectedResult::valid, ExpectedResult::warning, ExpectedResult::invalid,
                             ExpectedResult::malformed, ExpectedResult::undecided})
      if (expected_result_name(value) == result) {
        expectation.result = value;
        known = true;
      }
    if (!known) in.fail("expected valid, warning, invalid, malformed or undecided");
    while (in.ok() && !in.at_end() && expectation.findings.size() < kSetFindingsMax) {
      const std::string slug(in.word());
      in.expect('@');
      const std::string label = in.ok() ? in.label() : std::string();
      const std::size_t slash = std::min(label.find('/'), label.size());
      const SetRecipeFile* const file = find_file(std::string_view(label).substr(0, slash));
      const auto where = file == nullptr || slash == label.size()
                             ? std::nullopt
                             : file->built.labels.find(label.substr(slash + 1));
      if (!where)
        in.fail("no such place: " + label);
      else
        expectation.findings.push_back({slug, file->name, *where});
    }
    in.end();
    if (!in.ok()) fail(in.error());
    recipe_.expectations.push_back(std::move(expectation));
  }

  std::string_view text_;
  RecipeBudget budget_;
  SetRecipe recipe_;
  std::vector<Section> sections_;
  std::vector<ExpectLine> expects_;
  std::size_t line_ = 0;
  RecipeError problem_;
};

}  // namespace

const SetExpectation* SetRecipe::find_expectation(std::string_view profile) const {
  for (const SetExpectation& expectation : expectations)
    for (const std::string& named : expectation.profiles)
      if (named == profile || named == kAllProfiles) return &expectation;
  return nullptr;
}

tl::expected<SetRecipe, RecipeError> assemble_set_recipe(std::string_view text) {
  return SetAssembler(text).assemble();
}

}  // namespace ggufvet
