// Builds any GGUF file, valid or broken, in either byte order, versions 1 to 3, and says where each of its
// fields stands. Ranges are computed while writing and owe nothing to the reader, so they can judge it.
//
// Labels: header.{magic, version, tensor_count, pair_count}; metadata[i] and its {key_length, key, type,
// value, value.length (of a string), element_type, count, elements, value[j], value[j].length}; tensor[i] and
// its {name_length, name, rank, shape, shape[axis], type, offset, data, padding}; padding (before the data),
// tail (what was appended), file, eof. The value of a string is its text without the length.
#pragma once

#include <tl/expected.hpp>

#include "ggufvet/write/gguf_spec.h"
#include "ggufvet/write/labels.h"

namespace ggufvet {

struct BuiltFile {
  Bytes bytes;
  Labels labels;

  // The label must be there.
  [[nodiscard]] ByteRange at(std::string_view label) const;
};

struct BuildError {
  std::size_t edit = 0;  // the edit that cannot be done
  std::string message;
};

[[nodiscard]] tl::expected<BuiltFile, BuildError> build_file(const FileSpec& spec);

// The same, one call a field: GgufBuilder{}.tensor("x", "F32", {4}).offset(33).build().
class GgufBuilder {
 public:
  GgufBuilder& version(std::uint32_t version);  // 1 brings its layout with it
  GgufBuilder& byte_order(ByteOrder order);
  GgufBuilder& magic(std::string_view bytes);
  GgufBuilder& tensor_count(std::uint64_t false_count);
  GgufBuilder& pair_count(std::uint64_t false_count);
  GgufBuilder& pair(TextSpec key, ValueSpec value);
  // `type` must be the name of one of mainline's types.
  GgufBuilder& tensor(TextSpec name, std::string_view type, std::vector<std::uint64_t> shape);
  GgufBuilder& tensor(TextSpec name, std::uint32_t type_id, std::vector<std::uint64_t> shape);
  // Of the tensor before.
  GgufBuilder& rank(std::uint32_t false_rank);
  GgufBuilder& offset(std::uint64_t offset);
  GgufBuilder& tensor_size(std::uint64_t bytes);
  GgufBuilder& alignment(std::uint64_t alignment);
  GgufBuilder& padding(Bytes bytes);
  GgufBuilder& data(Bytes bytes);
  GgufBuilder& patch(std::string label, Bytes bytes);
  GgufBuilder& append(Bytes bytes);
  GgufBuilder& append_self();
  GgufBuilder& truncate(std::string label);

  [[nodiscard]] const FileSpec& spec() const { return spec_; }
  // Every label of a patch or truncation must be there.
  [[nodiscard]] BuiltFile build() const;

 private:
  FileSpec spec_;
};

}  // namespace ggufvet
