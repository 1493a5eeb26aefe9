// bytes -> FileModel. Reads the header, the metadata and the tensor directory from the beginning of a source,
// growing its window as needed; the tensor data is never touched. A file that cannot be walked to the end
// gives the part that could be, and the stop that ended it.
#pragma once

#include "ggufvet/base/limits.h"
#include "ggufvet/read/file_model.h"
#include "ggufvet/source/byte_source.h"

namespace ggufvet {

[[nodiscard]] FileModel read_model(ByteSource& source, const Limits& limits);

}  // namespace ggufvet
