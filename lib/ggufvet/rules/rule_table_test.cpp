#include "ggufvet/rules/rule_table.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "ggufvet/render/message.h"
#include "ggufvet/vet/profile.h"

namespace ggufvet {
namespace {

template <class Visit>
void for_each_rule(const Visit& visit) {
  for (const std::span<const Rule> family : rule_families())
    for (const Rule& rule : family) {
      INFO(rule.slug);
      visit(rule);
    }
}

[[nodiscard]] bool is_slug(std::string_view slug) {
  const bool letters = std::all_of(slug.begin(), slug.end(), [](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9') || letter == '-';
  });
  return letters && !slug.empty() && slug.front() != '-' && slug.back() != '-' &&
         slug.find("--") == std::string_view::npos;
}

// Every word in braces, in order; a lone brace gives a word that nobody knows.
[[nodiscard]] std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  while (true) {
    const std::size_t open = text.find_first_of("{}");
    if (open == std::string_view::npos) return words;
    const std::size_t close = text[open] == '{' ? text.find('}', open) : std::string_view::npos;
    if (close == std::string_view::npos) {
      words.emplace_back("unpaired brace");
      return words;
    }
    words.emplace_back(text.substr(open + 1, close - open - 1));
    text = text.substr(close + 1);
  }
}

[[nodiscard]] int checks_of(const Rule& rule) {
  return (rule.check_file != nullptr) + (rule.check_pair != nullptr) + (rule.check_tensor != nullptr) +
         (rule.check_data != nullptr) + (rule.check_set != nullptr) + (rule.check_meaning != nullptr) +
         (rule.check_payload != nullptr) + (rule.stop != StopReason::none);
}

// Raised by vet itself: a source that failed after reading, a scan that was interrupted.
constexpr std::array kRaisedByVet{RuleId{9102}, RuleId{9103}};

[[nodiscard]] bool raised_by_vet(const Rule& rule) {
  return std::find(kRaisedByVet.begin(), kRaisedByVet.end(), rule.id) != kRaisedByVet.end();
}

}  // namespace

TEST_CASE("numbers ascend over all families and slugs are unique") {
  std::uint16_t last = 0;
  std::set<std::string_view> slugs;
  for_each_rule([&](const Rule& rule) {
    CHECK(rule.id.number > last);
    last = rule.id.number;
    CHECK(slugs.insert(rule.slug).second);
    CHECK(is_slug(rule.slug));
    CHECK(find_rule(rule.id) == &rule);
    // What is not about the file has numbers from 9000 on; a full report keeps those.
    const bool is_about_us = rule.kind == FindingClass::limit || rule.kind == FindingClass::io;
    CHECK(is_about_us == (rule.id.number >= 9000));
    CHECK(find_rule(rule.slug) == &rule);
  });
  CHECK(slugs.size() >= 50);
  CHECK(find_rule(RuleId{1}) == nullptr);
  CHECK(find_rule("no-such-rule") == nullptr);
  CHECK(find_stop_rule(StopReason::none) == nullptr);
}

TEST_CASE("every reason for a stop has exactly one rule, of the class that fits it") {
  std::set<StopReason> taken;
  for_each_rule([&](const Rule& rule) {
    if (rule.stop == StopReason::none) return;
    CHECK(taken.insert(rule.stop).second);
    CHECK(rule.stage == Stage::structure);
    CHECK(find_stop_rule(rule.stop) == &rule);
    const bool is_limit = rule.stop >= StopReason::directory_limit && rule.stop <= StopReason::tensors_limit;
    const bool is_world = rule.stop == StopReason::io_failed;
    CHECK(rule.kind == (is_limit   ? FindingClass::limit
                        : is_world ? FindingClass::io
                                   : FindingClass::malformed));
    for (const ProfileInfo& profile : kProfiles) CHECK(level_of(rule, profile.profile) == Severity::error);
  });
  // need_more never leaves the reader; io_failed is the last reason.
  for (std::size_t number = 1; number <= static_cast<std::size_t>(StopReason::io_failed); ++number) {
    const auto reason = static_cast<StopReason>(number);
    CHECK((find_stop_rule(reason) != nullptr) == (reason != StopReason::need_more));
  }
}

TEST_CASE("a rule is raised in one way only") {
  for_each_rule([](const Rule& rule) { CHECK(checks_of(rule) == (raised_by_vet(rule) ? 0 : 1)); });
}

TEST_CASE("every word in a message's braces is one that can be filled in") {
  for_each_rule([](const Rule& rule) {
    for (const std::string& word : words_of(rule.text)) {
      INFO(word);
      CHECK(is_known_word(word));
    }
    for (const std::string_view text : {rule.why, rule.advice, rule.sources}) CHECK(words_of(text).empty());
  });
  for (const std::string_view word :
       {"", "4", "0:", "0:nothing", "tensor", "tensor:", "tensor:4", "tensor:00", "Text"})
    CHECK_FALSE(is_known_word(word));
}

TEST_CASE("every rule says what, why and what to do, as sentences without stray blanks") {
  for_each_rule([](const Rule& rule) {
    CHECK_FALSE(rule.text.empty());
    for (const std::string_view text : {rule.why, rule.advice}) {
      REQUIRE_FALSE(text.empty());
      CHECK(text.back() == '.');
    }
    if (!rule.sources.empty()) CHECK(rule.sources.back() == '.');
    for (const std::string_view text : {rule.text, rule.why, rule.advice, rule.sources}) {
      CHECK(text.find("  ") == std::string_view::npos);
      CHECK(text.find('\n') == std::string_view::npos);
      if (!text.empty()) CHECK((text.front() != ' ' && text.back() != ' '));
    }
    CHECK(rule.text.back() != '.');
  });
}

TEST_CASE("levels make sense: what cannot be walked is an error, publishers get no less than users") {
  for_each_rule([](const Rule& rule) {
    // Says in mainline's arithmetic what the other profiles have said at half the size.
    const bool of_mainline_alone = rule.slug == "tensor-sum-wraps";
    if (rule.kind == FindingClass::malformed && !of_mainline_alone) {
      CHECK(rule.levels.hardened == Severity::error);
      CHECK(rule.levels.publish == Severity::error);
    }
    // A file may be right to publish and still be the wrong one to hand to a loader by itself.
    const bool wrong_to_load_alone = rule.slug == "file-is-adapter" ||
                                     rule.slug == "split-later-shard-alone" ||
                                     rule.slug == "split-first-shard-alone";
    if (!wrong_to_load_alone) CHECK(rule.levels.publish >= rule.levels.hardened);
    CHECK(std::any_of(kProfiles.begin(), kProfiles.end(), [&rule](const ProfileInfo& profile) {
      return level_of(rule, profile.profile) != Severity::off;
    }));
  });
}

TEST_CASE("enumerators have names, each another") {
  std::set<std::string_view> names;
  for (const Severity severity : {Severity::off, Severity::info, Severity::warning, Severity::error})
    names.insert(severity_name(severity));
  CHECK(names == std::set<std::string_view>{"off", "info", "warning", "error"});
  names.clear();
  for (const FindingClass kind :
       {FindingClass::malformed, FindingClass::invalid, FindingClass::limit, FindingClass::io})
    names.insert(class_name(kind));
  CHECK(names == std::set<std::string_view>{"malformed", "invalid", "limit", "io"});
  names.clear();
  for (const Stage stage :
       {Stage::structure, Stage::metadata, Stage::meaning, Stage::directory, Stage::layout, Stage::data})
    names.insert(stage_name(stage));
  CHECK(names ==
        std::set<std::string_view>{"structure", "metadata", "meaning", "directory", "layout", "data"});
  for (const ProfileInfo& info : kProfiles) {
    CHECK(profile_name(info.profile) == info.name);
    CHECK(find_profile(info.name) == info.profile);
  }
  CHECK_FALSE(find_profile("Hardened").has_value());
}

}  // namespace ggufvet
