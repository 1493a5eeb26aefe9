#include "ggufvet/read/array_reader.h"

#include <algorithm>
#include <array>

#include "ggufvet/base/text.h"

namespace ggufvet {
namespace {

// A run of length-prefixed strings whose lengths are all below 128 is valid UTF-8 as a whole exactly when
// each string is: the prefix is eight ASCII bytes, so no sequence can reach over it. One validation then
// serves thousands of strings. In the same pass zero bytes are counted; a prefix holds seven of them (eight
// for an empty string), and any beyond that are NULs in the text. A longer string's prefix is left out of the
// runs.
class StringRuns {
 public:
  explicit StringRuns(const std::byte* base) : run_begin_(base) {}

  // `prefix`: where the string's length field stands.
  void add(const std::byte* prefix, std::uint64_t length) {
    if (length < 128) {
      zeros_expected_ += length == 0 ? 8 : 7;
      return;
    }
    close(prefix);
    run_begin_ = prefix + sizeof(std::uint64_t);
  }

  void close(const std::byte* end) {
    const TextScan scan = scan_text({run_begin_, static_cast<std::size_t>(end - run_begin_)});
    invalid_utf8_ |= !scan.valid_utf8;
    has_nul_ |= scan.zero_bytes != zeros_expected_;
    zeros_expected_ = 0;
    run_begin_ = end;
  }

  [[nodiscard]] bool invalid_utf8() const { return invalid_utf8_; }
  [[nodiscard]] bool has_nul() const { return has_nul_; }

 private:
  const std::byte* run_begin_;
  std::uint64_t zeros_expected_ = 0;
  bool invalid_utf8_ = false;
  bool has_nul_ = false;
};

// Walks `count` strings. The loop runs on plain locals, because it is where reading a vocabulary spends its
// time; on the first string that does not fit the window it hands back to the cursor, which knows why.
template <ByteOrder kOrder>
void walk_strings(Cursor& in, std::uint64_t count, MetadataPair& pair) {
  const std::span<const std::byte> rest = in.window_rest();
  const std::byte* at = rest.data();
  const std::byte* const end = at + rest.size();
  StringRuns runs(at);
  std::uint64_t left = count;
  for (; left > 0; --left) {
    if (static_cast<std::size_t>(end - at) < sizeof(std::uint64_t)) break;
    const auto length = load<std::uint64_t>(at, kOrder);
    if (length > static_cast<std::size_t>(end - at) - sizeof length) break;
    runs.add(at, length);
    at += sizeof length + static_cast<std::size_t>(length);
  }
  runs.close(at);
  pair.text_invalid_utf8 |= runs.invalid_utf8();
  pair.text_has_nul |= runs.has_nul();
  in.advance(static_cast<std::size_t>(at - rest.data()));
  if (left > 0) static_cast<void>(in.read_string());
}

void read_strings(Cursor& in, std::uint64_t count, MetadataPair& pair) {
  if (in.order() == ByteOrder::little)
    walk_strings<ByteOrder::little>(in, count, pair);
  else
    walk_strings<ByteOrder::big>(in, count, pair);
}

void read_bools(Cursor& in, std::uint64_t count, MetadataPair& pair) {
  std::uint8_t seen = 0;
  for (const std::byte value : in.read_bytes(count)) seen |= static_cast<std::uint8_t>(value);
  pair.bool_out_of_range |= seen > 1;
}

struct ArrayHead {
  std::uint32_t type_id = 0;
  std::uint64_t count = 0;
};

// Element type and count, the count compared with what the file can still hold before anything is done with
// it.
[[nodiscard]] ArrayHead read_array_head(Cursor& in) {
  const std::uint64_t begin = in.offset();
  ArrayHead head;
  head.type_id = in.read<std::uint32_t>();
  if (in.ok() && !is_value_type(head.type_id))
    in.stop(StopReason::element_type_unknown, {begin, begin + 4}, head.type_id);
  head.count = in.read<std::uint64_t>();
  if (!in.ok()) return head;
  const std::uint64_t element_bytes_min = smallest_value_bytes(head.type_id);
  const std::uint64_t fitting = in.remaining() / element_bytes_min;
  if (head.count > fitting) in.stop(StopReason::array_past_end, {begin + 4, begin + 12}, head.count, fitting);
  return head;
}

// The elements of an array that holds no arrays.
void read_elements(Cursor& in, ArrayHead head, MetadataPair& pair) {
  pair.element_type_id = head.type_id;
  const auto type = static_cast<ValueType>(head.type_id);
  if (type == ValueType::string)
    read_strings(in, head.count, pair);
  else if (type == ValueType::boolean)
    read_bools(in, head.count, pair);
  else
    in.skip(head.count * smallest_value_bytes(head.type_id));
}

}  // namespace

void read_array(Cursor& in, MetadataPair& pair) {
  // Arrays still to be read on each level, outermost first; no recursion, so depth costs a writer bytes and
  // us nothing.
  std::array<std::uint64_t, kArrayDepthMax> pending{};
  std::uint32_t depth = 0;
  bool first = true;
  do {
    const std::uint64_t begin = in.offset();
    const ArrayHead head = read_array_head(in);
    if (!in.ok()) return;
    if (first) pair.bits = head.count;
    first = false;
    pair.depth = std::max(pair.depth, depth + 1);
    if (head.type_id == static_cast<std::uint32_t>(ValueType::array)) {
      if (depth + 1 == kArrayDepthMax) {
        in.stop(StopReason::array_too_deep, {begin, begin + 4}, std::uint64_t{depth} + 2, kArrayDepthMax);
        return;
      }
      pair.element_type_id = head.type_id;
      pair.depth = std::max(pair.depth, depth + 2);  // nested by its type, even when it holds no array
      pending[depth++] = head.count;
    } else {
      read_elements(in, head, pair);
    }
    while (depth > 0 && pending[depth - 1] == 0) --depth;
    if (depth > 0)
      --pending[depth - 1];
    else
      break;
  } while (in.ok());
}

}  // namespace ggufvet
