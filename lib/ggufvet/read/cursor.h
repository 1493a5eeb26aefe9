// A cursor over a window of a file. It fails once and stays failed: after the first failure every read gives
// zero and nothing moves. Callers ask ok() once a record, at every loop turn, and before they trust a count.
// Positions are positions in the whole file; bounds are compared with what remains, so no sum can wrap. There
// is no unchecked seek.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "ggufvet/base/byte_order.h"
#include "ggufvet/base/byte_range.h"
#include "ggufvet/base/text.h"
#include "ggufvet/read/read_stop.h"

namespace ggufvet {

class Cursor {
 public:
  // `window` is the bytes [window_begin, window_begin + size) of a file of `file_bytes` bytes.
  Cursor(std::span<const std::byte> window, std::uint64_t file_bytes, ByteOrder order,
         std::uint64_t window_begin = 0)
      : window_(window), window_begin_(window_begin), file_bytes_(file_bytes), order_(order) {}

  [[nodiscard]] bool ok() const { return stop_.reason == StopReason::none; }
  [[nodiscard]] const ReadStop& stopped() const { return stop_; }
  [[nodiscard]] std::uint64_t offset() const { return window_begin_ + at_; }
  // Bytes left in the file, not in the window: what a count may be compared with.
  [[nodiscard]] std::uint64_t remaining() const { return file_bytes_ - offset(); }
  [[nodiscard]] ByteOrder order() const { return order_; }
  void set_order(ByteOrder order) { order_ = order; }

  template <class T>
  [[nodiscard]] T read() {
    if (!has(sizeof(T))) return T{};
    const T value = load<T>(window_.data() + at_, order_);
    at_ += sizeof(T);
    return value;
  }

  // `bytes` bytes as a view; empty after a failure.
  [[nodiscard]] std::span<const std::byte> read_bytes(std::uint64_t bytes) {
    if (!has(bytes)) return {};
    const auto view = window_.subspan(at_, static_cast<std::size_t>(bytes));
    at_ += static_cast<std::size_t>(bytes);
    return view;
  }

  // A length-prefixed string. A length that runs past the end of the file stops with the range of the length.
  [[nodiscard]] std::string_view read_string() {
    const std::uint64_t field = offset();
    const auto length = read<std::uint64_t>();
    if (!ok()) return {};
    if (length > remaining()) {
      stop(StopReason::string_past_end, {field, field + sizeof length}, length, remaining());
      return {};
    }
    return as_text(read_bytes(length));
  }

  void skip(std::uint64_t bytes) {
    if (has(bytes)) at_ += static_cast<std::size_t>(bytes);
  }

  // The first stop counts, later ones are ignored.
  void stop(StopReason reason, ByteRange where, std::uint64_t value = 0, std::uint64_t allowed = 0) {
    if (!ok()) return;
    stop_ = {.reason = reason, .where = where, .wanted_end = where.end, .value = value, .allowed = allowed};
  }

  // What is left of the window, for loops that walk many small fields; `advance` takes back how far they
  // came.
  [[nodiscard]] std::span<const std::byte> window_rest() const { return window_.subspan(at_); }
  void advance(std::size_t bytes) { at_ += std::min(bytes, window_.size() - at_); }

 private:
  [[nodiscard]] bool has(std::uint64_t bytes) {
    if (ok() && bytes <= window_.size() - at_) [[likely]]
      return true;
    fail(bytes);
    return false;
  }

  void fail(std::uint64_t bytes) {
    if (!ok()) return;
    if (bytes > remaining()) {
      stop(StopReason::file_ends, {offset(), file_bytes_}, bytes, remaining());
      return;
    }
    stop(StopReason::need_more, {offset(), offset() + bytes}, bytes);
  }

  std::span<const std::byte> window_;
  std::size_t at_ = 0;
  std::uint64_t window_begin_ = 0;
  std::uint64_t file_bytes_ = 0;
  ByteOrder order_ = ByteOrder::little;
  ReadStop stop_;
};

}  // namespace ggufvet
