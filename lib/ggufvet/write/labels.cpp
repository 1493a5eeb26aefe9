#include "ggufvet/write/labels.h"

#include <algorithm>
#include <charconv>

#include "ggufvet/base/checked.h"
#include "ggufvet/write/quoted_text.h"

namespace ggufvet {
namespace {

constexpr std::string_view kPairs = "metadata";
constexpr std::string_view kToEnd = "..eof";

// A label cut into its parts; the sign of the step and the size are empty when they are not there.
struct LabelParts {
  std::string_view path;
  bool step_back = false;
  std::optional<std::uint64_t> step;
  std::optional<std::uint64_t> bytes;
  bool to_end = false;
};

[[nodiscard]] std::optional<std::uint64_t> parse_decimal(std::string_view digits) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

// Arithmetic stands behind the last bracket or word of the path; a key in quotes may hold any character.
[[nodiscard]] std::size_t path_length(std::string_view label) {
  bool quoted = false;
  for (std::size_t at = 0; at < label.size(); ++at) {
    if (quoted && label[at] == '\\') {
      ++at;
      continue;
    }
    if (label[at] == '"') quoted = !quoted;
    if (!quoted && (label[at] == '+' || label[at] == '-' || label[at] == ':')) return at;
  }
  return label.size();
}

[[nodiscard]] std::optional<LabelParts> parse_label(std::string_view label) {
  LabelParts parts;
  parts.to_end = label.ends_with(kToEnd);
  if (parts.to_end) label.remove_suffix(kToEnd.size());
  parts.path = label.substr(0, path_length(label));
  std::string_view rest = label.substr(parts.path.size());
  const std::size_t colon = rest.find(':');
  if (colon != std::string_view::npos) {
    parts.bytes = parse_decimal(rest.substr(colon + 1));
    if (!parts.bytes) return std::nullopt;
    rest = rest.substr(0, colon);
  }
  if (rest.empty()) return parts;
  parts.step_back = rest.front() == '-';
  parts.step = parse_decimal(rest.substr(1));
  if (!parts.step) return std::nullopt;
  return parts;
}

}  // namespace

void Labels::add(std::string path, ByteRange range) {
  index_.emplace(path, labels_.size());
  labels_.push_back({std::move(path), range});
}

std::optional<ByteRange> Labels::find_path(std::string_view path) const {
  constexpr std::string_view kByKey = "metadata[\"";
  if (path.starts_with(kByKey)) {
    std::string_view rest = path.substr(kByKey.size() - 1);
    const auto key = take_quoted(rest);
    const auto place = key ? std::find(keys_.begin(), keys_.end(), *key) : keys_.end();
    if (place == keys_.end()) return std::nullopt;
    return find_path(std::string(kPairs) + '[' + std::to_string(place - keys_.begin()) + std::string(rest));
  }
  const auto found = index_.find(path);
  if (found == index_.end()) return std::nullopt;
  return labels_[found->second].range;
}

std::optional<ByteRange> Labels::find(std::string_view label) const {
  const auto parts = parse_label(label);
  const auto range = parts ? find_path(parts->path) : std::nullopt;
  if (!range) return std::nullopt;
  ByteRange place = *range;
  if (parts->step && parts->step_back) {
    if (*parts->step > place.begin) return std::nullopt;
    place.begin -= *parts->step;
  } else if (parts->step) {
    const auto begin = checked_add(place.begin, *parts->step);
    if (!begin) return std::nullopt;
    place = {*begin, std::max(place.end, *begin)};
  }
  if (parts->bytes) {
    const auto end = checked_add(place.begin, *parts->bytes);
    if (!end) return std::nullopt;
    place.end = *end;
  }
  if (parts->to_end) place.end = file_bytes_;
  if (place.begin > place.end) return std::nullopt;
  if (place.end > file_bytes_) return std::nullopt;
  return place;
}

std::string Labels::name_of(ByteRange range) const {
  if (range.empty() && range.begin == file_bytes_) return "eof";
  const Label* best = nullptr;
  for (const Label& label : labels_) {
    // Of equal ranges the later one is the more specific: a record is added before its fields.
    if (label.range.contains(range) && (best == nullptr || label.range.size() <= best->range.size()))
      best = &label;
  }
  if (best == nullptr) return "file+" + std::to_string(range.begin) + ':' + std::to_string(range.size());
  if (best->range == range) return best->path;
  if (range.end == file_bytes_) {
    const auto beginning = std::find_if(labels_.rbegin(), labels_.rend(), [&range](const Label& label) {
      return label.range.begin == range.begin && !label.range.empty();
    });
    if (beginning != labels_.rend() && best->path == "file") return beginning->path + std::string(kToEnd);
  }
  std::string name = best->path;
  if (range.begin != best->range.begin) name += '+' + std::to_string(range.begin - best->range.begin);
  if (range.end != best->range.end) name += ':' + std::to_string(range.size());
  return name;
}

void Labels::finish(std::uint64_t file_bytes) {
  file_bytes_ = file_bytes;
  for (Label& label : labels_)
    label.range = {std::min(label.range.begin, file_bytes), std::min(label.range.end, file_bytes)};
  // First, so that any field is preferred to it.
  for (auto& entry : index_) ++entry.second;
  labels_.insert(labels_.begin(), {"file", {0, file_bytes}});
  index_.emplace("file", 0);
  add("eof", {file_bytes, file_bytes});
}

}  // namespace ggufvet
