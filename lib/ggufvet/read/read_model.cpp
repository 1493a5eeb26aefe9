#include "ggufvet/read/read_model.h"

#include <algorithm>

#include "ggufvet/base/text.h"
#include "ggufvet/read/array_reader.h"
#include "ggufvet/read/cursor.h"
#include "ggufvet/read/foreign_format.h"

namespace ggufvet {
namespace {

constexpr std::uint64_t kForeignHeadBytes = 64;

void read_magic(Cursor& in, const FileModel& file) {
  const std::uint64_t magic_bytes = std::min<std::uint64_t>(file.file_bytes, 4);
  if (file.window.size() < magic_bytes) {
    in.stop(StopReason::need_more, {0, magic_bytes});
    return;
  }
  if (magic_bytes == 4 && load_little<std::uint32_t>(file.window.data()) == kMagic) {
    in.skip(4);
    return;
  }
  // Only what is not GGUF needs a longer look.
  const std::uint64_t head_bytes = std::min(file.file_bytes, kForeignHeadBytes);
  if (file.window.size() < head_bytes) {
    in.stop(StopReason::need_more, {0, head_bytes});
    return;
  }
  const auto head = file.window.first(static_cast<std::size_t>(head_bytes));
  constexpr std::string_view kText = "GGUF";
  if (file.file_bytes < 4 && kText.starts_with(as_text(head))) {
    in.stop(StopReason::file_ends, {0, magic_bytes}, 4, magic_bytes);
    return;
  }
  in.stop(StopReason::magic_other, {0, magic_bytes}, static_cast<std::uint64_t>(recognise_foreign(head)));
}

// There is no flag for the byte order. Versions are small numbers, so a version whose low half is zero was
// written by a machine of the other kind; mainline, gguf-py and Hugging Face's parser decide the same way.
void read_version(Cursor& in, Header& header) {
  header.version = in.read<std::uint32_t>();
  if (!in.ok()) return;
  if ((header.version & 0xFFFF) == 0 && header.version != 0) {
    header.byte_order = ByteOrder::big;
    header.version = swap_bytes(header.version);
    in.set_order(ByteOrder::big);
  }
  if (header.version == 1)
    in.stop(StopReason::version_1, Header::version_field, 1);
  else if (header.version != 2 && header.version != 3)
    in.stop(StopReason::version_unsupported, Header::version_field, header.version);
}

void check_count(Cursor& in, StopReason reason, ByteRange field, std::uint64_t count,
                 std::uint64_t record_bytes_min) {
  const std::uint64_t fitting = in.remaining() / record_bytes_min;
  if (count > fitting) in.stop(reason, field, count, fitting);
}

void read_header(Cursor& in, FileModel& file) {
  if (file.file_bytes == 0) {
    in.stop(StopReason::file_empty, {0, 0});
    return;
  }
  read_magic(in, file);
  read_version(in, file.header);
  file.header.tensor_count = in.read<std::uint64_t>();
  file.header.pair_count = in.read<std::uint64_t>();
  if (!in.ok()) return;
  check_count(in, StopReason::tensor_count_impossible, Header::tensor_count_field, file.header.tensor_count,
              kTensorBytesMin);
  check_count(in, StopReason::pair_count_impossible, Header::pair_count_field, file.header.pair_count,
              kPairBytesMin);
}

[[nodiscard]] std::uint64_t read_scalar(Cursor& in, std::uint64_t bytes) {
  switch (bytes) {
    case 1:
      return in.read<std::uint8_t>();
    case 2:
      return in.read<std::uint16_t>();
    case 4:
      return in.read<std::uint32_t>();
    default:
      return in.read<std::uint64_t>();
  }
}

void read_value(Cursor& in, MetadataPair& pair) {
  switch (static_cast<ValueType>(pair.type_id)) {
    case ValueType::string: {
      pair.text = in.read_string();
      const TextScan scan = scan_text(as_bytes(pair.text));
      pair.text_invalid_utf8 = !scan.valid_utf8;
      pair.text_has_nul = scan.zero_bytes != 0;
      break;
    }
    case ValueType::array:
      read_array(in, pair);
      break;
    case ValueType::boolean:
      pair.bits = in.read<std::uint8_t>();
      pair.bool_out_of_range = pair.bits > 1;
      break;
    default:
      pair.bits = read_scalar(in, smallest_value_bytes(pair.type_id));
  }
}

[[nodiscard]] MetadataPair read_pair(Cursor& in) {
  MetadataPair pair;
  pair.begin = in.offset();
  pair.key = in.read_string();
  const std::uint64_t type_begin = in.offset();
  pair.type_id = in.read<std::uint32_t>();
  if (in.ok() && !is_value_type(pair.type_id))
    in.stop(StopReason::value_type_unknown, {type_begin, type_begin + 4}, pair.type_id);
  pair.value_begin = in.offset();
  if (in.ok()) read_value(in, pair);
  pair.end = in.offset();
  return pair;
}

[[nodiscard]] TensorEntry read_tensor(Cursor& in) {
  TensorEntry tensor;
  tensor.begin = in.offset();
  tensor.name = in.read_string();
  const std::uint64_t rank_begin = in.offset();
  tensor.rank = in.read<std::uint32_t>();
  if (in.ok() && tensor.rank > tensor.shape.size())
    in.stop(StopReason::rank_too_large, {rank_begin, rank_begin + 4}, tensor.rank, tensor.shape.size());
  for (std::uint32_t axis = 0; in.ok() && axis < tensor.rank; ++axis)
    tensor.shape[axis] = in.read<std::uint64_t>();
  tensor.type_id = in.read<std::uint32_t>();
  tensor.offset = in.read<std::uint64_t>();
  return tensor;
}

void read_metadata(Cursor& in, FileModel& file, const Limits& limits) {
  if (file.header.pair_count > limits.pairs_max) {
    in.stop(StopReason::pairs_limit, Header::pair_count_field, file.header.pair_count, limits.pairs_max);
    return;
  }
  file.pairs.reserve(
      static_cast<std::size_t>(file.header.pair_count));  // compared with the file in read_header
  for (std::uint64_t index = 0; in.ok() && index < file.header.pair_count; ++index) {
    const MetadataPair pair = read_pair(in);
    if (!in.ok()) return;
    if (!file.alignment_pair && pair.key == kAlignmentKey)
      file.alignment_pair = static_cast<std::uint32_t>(file.pairs.size());
    file.pairs.push_back(pair);
    file.directory_end = in.offset();
  }
}

void read_directory(Cursor& in, FileModel& file, const Limits& limits) {
  const std::uint64_t count = file.header.tensor_count;
  // Metadata may have used up what the header's count was compared with.
  check_count(in, StopReason::tensor_count_impossible, Header::tensor_count_field, count, kTensorBytesMin);
  if (count > limits.tensors_max)
    in.stop(StopReason::tensors_limit, Header::tensor_count_field, count, limits.tensors_max);
  if (!in.ok()) return;
  file.tensors.reserve(static_cast<std::size_t>(count));
  for (std::uint64_t index = 0; in.ok() && index < count; ++index) {
    const TensorEntry tensor = read_tensor(in);
    if (!in.ok()) return;
    file.tensors.push_back(tensor);
    file.directory_end = in.offset();
  }
}

[[nodiscard]] FileModel read_window(std::span<const std::byte> window, std::uint64_t file_bytes,
                                    const Limits& limits) {
  FileModel file;
  file.file_bytes = file_bytes;
  file.window = window;
  Cursor in(window, file_bytes, ByteOrder::little);
  read_header(in, file);
  if (in.ok()) {
    file.stage = ReadStage::metadata;
    file.directory_end = in.offset();
    read_metadata(in, file, limits);
  }
  if (in.ok()) {
    file.stage = ReadStage::directory;
    read_directory(in, file, limits);
  }
  if (in.ok()) file.stage = ReadStage::done;
  file.stop = in.stopped();
  return file;
}

[[nodiscard]] FileModel stopped_model(std::uint64_t file_bytes, const ReadStop& stop) {
  FileModel file;
  file.file_bytes = file_bytes;
  file.stop = stop;
  return file;
}

}  // namespace

FileModel read_model(ByteSource& source, const Limits& limits) {
  const std::uint64_t file_bytes = source.size();
  std::uint64_t wanted = limits.window_bytes_first;
  for (;;) {
    const auto window = source.window(wanted);
    if (!window) {
      const IoError& error = window.error();
      return stopped_model(file_bytes, {.reason = StopReason::io_failed,
                                        .where = {std::min(error.offset, file_bytes), file_bytes},
                                        .value = static_cast<std::uint64_t>(error.error_number)});
    }
    const std::uint64_t usable = std::min<std::uint64_t>(window->size(), limits.directory_bytes_max);
    FileModel file = read_window(window->first(static_cast<std::size_t>(usable)), file_bytes, limits);
    if (file.stop.reason != StopReason::need_more) return file;
    if (file.stop.wanted_end > limits.directory_bytes_max) {
      file.stop.reason = StopReason::directory_limit;
      file.stop.value = file.stop.wanted_end;
      file.stop.allowed = limits.directory_bytes_max;
      return file;
    }
    // Every turn reads again from the start, so windows grow by a factor: the work stays linear in the
    // directory.
    wanted = std::max(file.stop.wanted_end, std::max<std::uint64_t>(usable, 1) * limits.window_growth);
    wanted = std::min(wanted, limits.directory_bytes_max);
  }
}

const MetadataPair* find_pair(const FileModel& file, std::string_view key) {
  for (const MetadataPair& pair : file.pairs)
    if (pair.key == key) return &pair;
  return nullptr;
}

}  // namespace ggufvet
