// Where each field of a built file stands, by the path that findings use. The builder fills it as it writes,
// so a range in an expectation never rests on what the reader under test believes. Owns its texts.
//
//   label = path [("+" | "-") number] [":" number | "..eof"]
//
// "tensor[0].name" is the whole name, "tensor[0].name+3" what follows its third byte, "tensor[0].name+3:1"
// its fourth byte, "eof-8:8" the last eight bytes of the file, "padding..eof" all from the padding to the
// file's end. A pair can be named by its key: metadata["general.alignment"].value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ggufvet/base/byte_range.h"

namespace ggufvet {

struct Label {
  std::string path;
  ByteRange range;
};

class Labels {
 public:
  // Records and elements past this index have no labels: no case points at them, and a vocabulary has half a
  // million.
  static constexpr std::size_t kIndexMax = 4096;

  void add(std::string path, ByteRange range);
  // A record is labelled before its fields and ended after them; `index` into all().
  void set_end(std::size_t index, std::uint64_t end) { labels_[index].range.end = end; }
  // The key of the pair at the next index.
  void add_key(std::string key) { keys_.push_back(std::move(key)); }

  // Empty when the path is not there, the arithmetic does not parse or leaves the file.
  [[nodiscard]] std::optional<ByteRange> find(std::string_view label) const;
  // The label for a range: of the narrowest field that contains it, with arithmetic where that is wider.
  [[nodiscard]] std::string name_of(ByteRange range) const;
  // Cuts every range to a file of that many bytes; what lies behind becomes empty at its end. Adds "file" and
  // "eof".
  void finish(std::uint64_t file_bytes);
  [[nodiscard]] const std::vector<Label>& all() const { return labels_; }

 private:
  [[nodiscard]] std::optional<ByteRange> find_path(std::string_view path) const;

  std::vector<Label> labels_;
  std::map<std::string, std::size_t, std::less<>> index_;
  std::vector<std::string> keys_;
  std::uint64_t file_bytes_ = 0;
};

}  // namespace ggufvet
