// Walking the values of metadata arrays. Internal to the read layer, but for the element cursor.
#pragma once

#include "ggufvet/read/cursor.h"
#include "ggufvet/read/file_model.h"

namespace ggufvet {

// Reads an array from its element type on; fills element_type_id, depth, bits and the flags of `pair`.
void read_array(Cursor& in, MetadataPair& pair);

// Goes once more over the strings of an array that was read: calls visit(index, text, range of the text)
// until it answers false. Bounds are checked again, since a mapped file may have changed underneath. Depth 1
// only.
template <class Visit>
void for_each_string(const FileModel& file, const MetadataPair& pair, const Visit& visit) {
  if (pair.depth != 1 || pair.element_type_id != static_cast<std::uint32_t>(ValueType::string)) return;
  Cursor in(file.window, file.file_bytes, file.header.byte_order);
  in.skip(pair.elements_field().begin);
  for (std::uint64_t index = 0; in.ok() && index < pair.bits; ++index) {
    const std::string_view text = in.read_string();
    if (!in.ok()) return;
    if (!visit(index, text, ByteRange{in.offset() - text.size(), in.offset()})) return;
  }
}

}  // namespace ggufvet
