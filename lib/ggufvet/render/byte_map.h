// Every byte of a file accounted for: the ranges tile the file from 0 to its end, each with the field it is
// and what it means. The way one learns the format, and the way to see what stands where in a broken file.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "ggufvet/render/style.h"
#include "ggufvet/source/byte_source.h"
#include "ggufvet/vet/vet.h"

namespace ggufvet {

struct ByteField {
  ByteRange range;
  std::string group;  // the record: header, metadata["…"], tensor[3]; "data" behind the directory, "not read"
                      // behind a stop
  std::string path;     // with the record: tensor[3].offset, padding
  std::string field;    // within the record: offset, padding
  std::string meaning;  // never empty
};

struct ByteMapOptions {
  // Elements of an array listed one by one; the rest of a longer array is one range. 0: all.
  std::uint64_t elements_max = 8;
};

// Calls visit for each field in order; ranges are adjacent, the first begins at 0, the last ends at the
// file's end.
void for_each_byte_field(const ModelFacts& facts, const ByteMapOptions& options,
                         const std::function<void(const ByteField&)>& visit);

// Both write through `write`, a line or element at a time, so that a large file needs no large memory.
void bytes_text(ByteSource& source, const Vetted& vetted, const ByteMapOptions& options,
                const TextStyle& style, const std::function<void(std::string_view)>& write);
void bytes_json(std::string_view path, ByteSource& source, const Vetted& vetted,
                const ByteMapOptions& options, std::string_view tool_version,
                const std::function<void(std::string_view)>& write);

}  // namespace ggufvet
