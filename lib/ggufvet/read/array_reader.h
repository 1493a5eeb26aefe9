// Walking the values of metadata arrays. Internal to the read layer, but for the element cursor.
#pragma once

#include "ggufvet/read/cursor.h"
#include "ggufvet/read/file_model.h"

namespace ggufvet {

// Reads an array from its element type on; fills element_type_id, depth, bits and the flags of `pair`.
void read_array(Cursor& in, MetadataPair& pair);

// Goes once more over the strings of an array that was read. Bounds are checked again, since a mapped file
// may have changed underneath. Rules go over half a million strings with it: it is plain values that a
// compiler can keep in registers.
template <ByteOrder kOrder>
class StringWalk {
 public:
  // Nothing to walk over unless the array is one of strings, of depth 1.
  StringWalk(const FileModel& file, const MetadataPair& pair) : window_begin_(file.window.data()) {
    const std::uint64_t begin = pair.elements_field().begin;
    const bool is_list =
        pair.depth == 1 && pair.element_type_id == static_cast<std::uint32_t>(ValueType::string);
    if (!is_list || begin > file.window.size()) return;
    at_ = window_begin_ + begin;
    rest_ = file.window.size() - begin;
    left_ = pair.bits;
    count_ = pair.bits;
  }

  // The next text; false at the end, and at a text that is no longer inside the window. With kReadable also
  // where fewer bytes than that may be read from the text's beginning on: then ask again without.
  template <std::uint64_t kReadable = 0>
  [[nodiscard]] bool next(std::string_view& text) {
    if (left_ == 0 || rest_ < kLengthBytes + kReadable) return false;
    const std::byte* const begin = at_ + kLengthBytes;
    const auto length = load<std::uint64_t>(at_, kOrder);
    const std::uint64_t behind = rest_ - kLengthBytes;
    if (length > behind) return false;
    text = as_text({begin, static_cast<std::size_t>(length)});
    at_ = begin + length;
    rest_ = behind - length;
    --left_;
    return true;
  }

  // How many texts were given.
  [[nodiscard]] std::uint64_t count() const { return count_ - left_; }
  // Of the text that next() gave last.
  [[nodiscard]] ByteRange range(std::string_view text) const {
    const auto end = static_cast<std::uint64_t>(at_ - window_begin_);
    return {end - text.size(), end};
  }
  // How many bytes may be read from the beginning of that text on.
  [[nodiscard]] std::uint64_t readable(std::string_view text) const { return rest_ + text.size(); }

 private:
  static constexpr std::uint64_t kLengthBytes = sizeof(std::uint64_t);

  const std::byte* window_begin_;
  const std::byte* at_ = nullptr;
  std::uint64_t rest_ = 0;
  std::uint64_t left_ = 0;
  std::uint64_t count_ = 0;
};

template <ByteOrder kOrder, class Visit>
void visit_strings(const FileModel& file, const MetadataPair& pair, const Visit& visit) {
  StringWalk<kOrder> walk(file, pair);
  std::string_view text;
  for (std::uint64_t index = 0; walk.next(text); ++index)
    if (!visit(index, text, walk.range(text))) return;
}

// Calls visit(index, text, range of the text) for each string of such an array until it answers false.
template <class Visit>
void for_each_string(const FileModel& file, const MetadataPair& pair, const Visit& visit) {
  if (file.header.byte_order == ByteOrder::little)
    visit_strings<ByteOrder::little>(file, pair, visit);
  else
    visit_strings<ByteOrder::big>(file, pair, visit);
}

}  // namespace ggufvet
