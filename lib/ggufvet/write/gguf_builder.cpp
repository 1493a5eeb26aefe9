#include "ggufvet/write/gguf_builder.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "ggufvet/base/assert.h"
#include "ggufvet/base/checked.h"
#include "ggufvet/types/type_registry.h"

namespace ggufvet {
namespace {

constexpr std::uint64_t kAlignmentUnlessSaid = 32;  // format document
// Labels of arrays inside arrays reach this deep; deeper ones are named by arithmetic.
constexpr std::uint32_t kLabelDepthMax = 4;

[[nodiscard]] std::string indexed(std::string_view name, std::size_t index) {
  return std::string(name) + '[' + std::to_string(index) + ']';
}

// The sum of what comes before: where a tensor's data lies when nobody says otherwise.
struct Placement {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

// What offsets and padding are multiples of.
[[nodiscard]] std::uint64_t alignment_of(const FileSpec& spec) {
  if (spec.alignment) return std::max<std::uint64_t>(*spec.alignment, 1);
  for (const PairSpec& pair : spec.pairs) {
    if (pair.key.bytes != "general.alignment") continue;
    const bool usable =
        pair.value.type_id == static_cast<std::uint32_t>(ValueType::u32) && pair.value.bits != 0;
    return usable ? pair.value.bits : kAlignmentUnlessSaid;
  }
  return kAlignmentUnlessSaid;
}

class Writer {
 public:
  explicit Writer(const FileSpec& spec) : spec_(spec), alignment_(alignment_of(spec)) {}

  [[nodiscard]] tl::expected<BuiltFile, BuildError> write() {
    if (spec_.raw) {
      out_.bytes = *spec_.raw;
      label_raw_header();
    } else {
      header();
      for (std::size_t index = 0; index < spec_.pairs.size(); ++index) pair(index);
      place_tensors();
      for (std::size_t index = 0; index < spec_.tensors.size(); ++index) tensor(index);
      data();
    }
    const std::uint64_t end = out_.bytes.size();
    label("tail", {end, end + appended_bytes()});
    for (std::size_t index = 0; index < spec_.edits.size(); ++index)
      if (auto failed = edit(index)) return tl::unexpected(std::move(*failed));
    out_.labels.finish(out_.bytes.size());
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::uint64_t at() const { return out_.bytes.size(); }

  void label(std::string path, ByteRange range) { out_.labels.add(std::move(path), range); }

  void put(std::string_view text) {
    const auto bytes = as_bytes(text);
    out_.bytes.insert(out_.bytes.end(), bytes.begin(), bytes.end());
  }
  void put(const Bytes& bytes) { out_.bytes.insert(out_.bytes.end(), bytes.begin(), bytes.end()); }

  template <class T>
  void put_number(std::uint64_t value) {
    std::array<std::byte, sizeof(T)> bytes{};
    store(bytes.data(), static_cast<T>(value), spec_.byte_order);
    out_.bytes.insert(out_.bytes.end(), bytes.begin(), bytes.end());
  }

  void put_scalar(std::uint64_t bits, std::uint64_t bytes) {
    switch (bytes) {
      case 1:
        put_number<std::uint8_t>(bits);
        break;
      case 2:
        put_number<std::uint16_t>(bits);
        break;
      case 4:
        put_number<std::uint32_t>(bits);
        break;
      default:
        put_number<std::uint64_t>(bits);
    }
  }

  // A count, length or dimension, as wide as the version has it.
  void put_count(std::uint64_t value) { put_scalar(value, count_bytes()); }
  [[nodiscard]] std::uint64_t count_bytes() const { return spec_.counts_are_32_bits ? 4 : 8; }

  // Writes with `write` and labels what was written.
  template <class Write>
  void field(std::string path, const Write& write) {
    const std::uint64_t begin = at();
    write();
    label(std::move(path), {begin, at()});
  }

  void text(const TextSpec& text, std::string length_path, std::string text_path, bool labelled) {
    const std::uint64_t begin = at();
    put_count(text.length.value_or(text.bytes.size()));
    const std::uint64_t text_begin = at();
    put(text.bytes);
    if (!labelled) return;
    label(std::move(length_path), {begin, text_begin});
    label(std::move(text_path), {text_begin, at()});
  }

  void header() {
    field("header.magic", [&] { put(spec_.magic); });
    field("header.version", [&] { put_number<std::uint32_t>(spec_.version); });
    field("header.tensor_count", [&] { put_count(spec_.tensor_count.value_or(spec_.tensors.size())); });
    field("header.pair_count", [&] { put_count(spec_.pair_count.value_or(spec_.pairs.size())); });
  }

  void label_raw_header() {
    label("header.magic", {0, 4});
    label("header.version", {4, 8});
    label("header.tensor_count", {8, 16});
    label("header.pair_count", {16, 24});
  }

  [[nodiscard]] bool has_labels(std::size_t index) const {
    return spec_.labelled && index < Labels::kIndexMax;
  }

  void pair(std::size_t index) {
    const PairSpec& pair = spec_.pairs[index];
    const bool labelled = has_labels(index);
    const std::string path = labelled ? indexed("metadata", index) : std::string();
    const std::uint64_t begin = at();
    const std::size_t record = out_.labels.all().size();
    if (labelled) {
      out_.labels.add_key(pair.key.bytes);
      label(path, {begin, begin});  // its end is known once it is written
    }
    text(pair.key, path + ".key_length", path + ".key", labelled);
    const std::uint64_t type_begin = at();
    put_number<std::uint32_t>(pair.value.type_id);
    if (labelled) label(path + ".type", {type_begin, at()});
    value(pair.value, path, path + ".value", labelled, 0);
    if (labelled) out_.labels.set_end(record, at());
  }

  // `parent` is the path that an array's own fields stand under, `path` the value's.
  void value(const ValueSpec& value, const std::string& parent, const std::string& path, bool labelled,
             std::uint32_t depth) {
    const ValueTypeInfo* const info = find_value_type(value.type_id);
    if (info != nullptr && info->type == ValueType::string) {
      text(value.text, path + ".length", path, labelled);
      return;
    }
    const std::uint64_t begin = at();
    const std::size_t record = out_.labels.all().size();
    if (labelled) label(path, {begin, begin});
    if (info == nullptr)
      put(value.raw);
    else if (info->type == ValueType::array)
      array(value, parent, path, labelled, depth);
    else
      put_scalar(value.bits, info->bytes);
    if (labelled) out_.labels.set_end(record, at());
  }

  void array(const ValueSpec& value, const std::string& parent, const std::string& path, bool labelled,
             std::uint32_t depth) {
    const std::uint64_t begin = at();
    put_number<std::uint32_t>(value.element_type_id);
    const std::uint64_t count_begin = at();
    put_count(value.count.value_or(value.elements.size()));
    const std::uint64_t elements_begin = at();
    const std::size_t record = out_.labels.all().size() + 2;
    if (labelled) {
      label(parent + ".element_type", {begin, count_begin});
      label(parent + ".count", {count_begin, elements_begin});
      label(parent + ".elements", {elements_begin, elements_begin});
    }
    for (std::size_t index = 0; index < value.elements.size(); ++index) {
      const bool element_labelled = labelled && index < Labels::kIndexMax && depth < kLabelDepthMax;
      const std::string element = element_labelled ? indexed(path, index) : std::string();
      this->value(value.elements[index], element, element, element_labelled, depth + 1);
    }
    put(value.raw);
    if (labelled) out_.labels.set_end(record, at());
  }

  [[nodiscard]] std::uint64_t size_of(const TensorSpec& tensor) const {
    if (tensor.bytes) return *tensor.bytes;
    const TypeInfo* const type = find_type(spec_.dialect, tensor.type_id);
    if (type == nullptr || tensor.shape.size() > 4) return 0;
    std::array<std::uint64_t, 4> shape{1, 1, 1, 1};
    std::copy(tensor.shape.begin(), tensor.shape.end(), shape.begin());
    return tensor_bytes(*type->layout, shape).value_or(0);
  }

  // The running sum wraps, as it does in a writer that does not look.
  void place_tensors() {
    std::uint64_t sum = 0;
    for (const TensorSpec& tensor : spec_.tensors) {
      const std::uint64_t bytes = size_of(tensor);
      places_.push_back({tensor.offset.value_or(sum), bytes});
      sum += bytes;
      sum += (alignment_ - sum % alignment_) % alignment_;
    }
  }

  void tensor(std::size_t index) {
    const TensorSpec& tensor = spec_.tensors[index];
    const bool labelled = has_labels(index);
    const std::string path = labelled ? indexed("tensor", index) : std::string();
    const std::size_t record = out_.labels.all().size();
    if (labelled) label(path, {at(), at()});
    text(tensor.name, path + ".name_length", path + ".name", labelled);
    const std::uint64_t rank_begin = at();
    put_number<std::uint32_t>(tensor.rank.value_or(static_cast<std::uint32_t>(tensor.shape.size())));
    const std::uint64_t shape_begin = at();
    for (const std::uint64_t dimension : tensor.shape) put_count(dimension);
    const std::uint64_t type_begin = at();
    put_number<std::uint32_t>(tensor.type_id);
    const std::uint64_t offset_begin = at();
    put_number<std::uint64_t>(places_[index].offset);
    if (!labelled) return;
    label(path + ".rank", {rank_begin, shape_begin});
    label(path + ".shape", {shape_begin, type_begin});
    for (std::size_t axis = 0; axis < tensor.shape.size() && axis < Labels::kIndexMax; ++axis)
      label(indexed(path + ".shape", axis),
            {shape_begin + axis * count_bytes(), shape_begin + (axis + 1) * count_bytes()});
    label(path + ".type", {type_begin, offset_begin});
    label(path + ".offset", {offset_begin, at()});
    out_.labels.set_end(record, at());
  }

  void data() {
    const std::uint64_t directory_end = at();
    const std::uint64_t data_begin = pad_to_multiple(directory_end, alignment_).value_or(directory_end);
    if (spec_.padding)
      put(*spec_.padding);
    else if ((!spec_.tensors.empty() || spec_.data) && data_begin - directory_end <= kAutomaticBytesMax)
      out_.bytes.resize(static_cast<std::size_t>(data_begin));
    label("padding", {directory_end, at()});
    const std::uint64_t begin = at();
    for (std::size_t index = 0; index < places_.size(); ++index) tensor_data(index, begin);
    if (spec_.data) put(*spec_.data);
  }

  // Gives the tensor's bytes a label, and zeros unless the data was written down.
  void tensor_data(std::size_t index, std::uint64_t data_begin) {
    const Placement place = places_[index];
    const auto end = checked_add(place.offset, place.bytes);
    const auto padded = end ? pad_to_multiple(*end, alignment_) : std::nullopt;
    const auto absolute = padded ? checked_add(*padded, data_begin) : std::nullopt;
    if (!absolute) return;
    if (has_labels(index)) {
      const std::string path = indexed("tensor", index);
      label(path + ".data", {data_begin + place.offset, data_begin + *end});
      label(path + ".padding", {data_begin + *end, *absolute});
    }
    if (!spec_.data && *padded <= kAutomaticBytesMax && *absolute > at())
      out_.bytes.resize(static_cast<std::size_t>(*absolute));
  }

  [[nodiscard]] std::uint64_t appended_bytes() const {
    std::uint64_t bytes = 0;
    for (const Edit& edit : spec_.edits) {
      if (edit.kind == Edit::Kind::append) bytes += edit.bytes.size();
      if (edit.kind == Edit::Kind::append_self) bytes += out_.bytes.size() + bytes;
    }
    return bytes;
  }

  // Labels in edits are looked up against the file as it stands at that edit.
  [[nodiscard]] std::optional<BuildError> edit(std::size_t index) {
    const Edit& edit = spec_.edits[index];
    if (edit.kind == Edit::Kind::append) {
      put(edit.bytes);
      return std::nullopt;
    }
    if (edit.kind == Edit::Kind::append_self) {
      const Bytes copy = out_.bytes;
      if (copy.size() > kAutomaticBytesMax)
        return BuildError{index, "the file is too large to be appended to itself"};
      put(copy);
      return std::nullopt;
    }
    Labels labels = out_.labels;
    labels.finish(at());
    const auto range = labels.find(edit.label);
    if (!range) return BuildError{index, "no such place: " + edit.label};
    if (edit.kind == Edit::Kind::truncate) {
      out_.bytes.resize(static_cast<std::size_t>(range->begin));
      return std::nullopt;
    }
    if (edit.bytes.size() > range->size()) return BuildError{index, "more bytes than " + edit.label + " has"};
    std::copy(edit.bytes.begin(), edit.bytes.end(),
              out_.bytes.begin() + static_cast<std::ptrdiff_t>(range->begin));
    return std::nullopt;
  }

  const FileSpec& spec_;
  std::uint64_t alignment_;
  BuiltFile out_;
  std::vector<Placement> places_;
};

}  // namespace

ValueSpec number_value(ValueType type, std::uint64_t bits) {
  ValueSpec value;
  value.type_id = static_cast<std::uint32_t>(type);
  value.bits = bits;
  return value;
}

ValueSpec u32_value(std::uint32_t value) { return number_value(ValueType::u32, value); }

ValueSpec string_value(TextSpec text) {
  ValueSpec value = number_value(ValueType::string, 0);
  value.text = std::move(text);
  return value;
}

ValueSpec array_value(ValueType element_type, std::vector<ValueSpec> elements) {
  ValueSpec value = number_value(ValueType::array, 0);
  value.element_type_id = static_cast<std::uint32_t>(element_type);
  value.elements = std::move(elements);
  return value;
}

ValueSpec raw_value(std::uint32_t type_id, Bytes bytes) {
  ValueSpec value;
  value.type_id = type_id;
  value.raw = std::move(bytes);
  return value;
}

ByteRange BuiltFile::at(std::string_view label) const {
  const auto range = labels.find(label);
  GGUFVET_ASSERT(range.has_value());
  return *range;
}

tl::expected<BuiltFile, BuildError> build_file(const FileSpec& spec) { return Writer(spec).write(); }

GgufBuilder& GgufBuilder::version(std::uint32_t version) {
  spec_.version = version;
  spec_.counts_are_32_bits = version == 1;
  return *this;
}

GgufBuilder& GgufBuilder::byte_order(ByteOrder order) {
  spec_.byte_order = order;
  return *this;
}

GgufBuilder& GgufBuilder::magic(std::string_view bytes) {
  spec_.magic = bytes_of(bytes);
  return *this;
}

GgufBuilder& GgufBuilder::tensor_count(std::uint64_t false_count) {
  spec_.tensor_count = false_count;
  return *this;
}

GgufBuilder& GgufBuilder::pair_count(std::uint64_t false_count) {
  spec_.pair_count = false_count;
  return *this;
}

GgufBuilder& GgufBuilder::pair(TextSpec key, ValueSpec value) {
  spec_.pairs.push_back({std::move(key), std::move(value)});
  return *this;
}

GgufBuilder& GgufBuilder::tensor(TextSpec name, std::string_view type, std::vector<std::uint64_t> shape) {
  const TypeInfo* const info = find_type(spec_.dialect, type);
  GGUFVET_ASSERT(info != nullptr);
  return tensor(std::move(name), info->id, std::move(shape));
}

GgufBuilder& GgufBuilder::tensor(TextSpec name, std::uint32_t type_id, std::vector<std::uint64_t> shape) {
  TensorSpec tensor;
  tensor.name = std::move(name);
  tensor.type_id = type_id;
  tensor.shape = std::move(shape);
  spec_.tensors.push_back(std::move(tensor));
  return *this;
}

GgufBuilder& GgufBuilder::rank(std::uint32_t false_rank) {
  GGUFVET_ASSERT(!spec_.tensors.empty());
  spec_.tensors.back().rank = false_rank;
  return *this;
}

GgufBuilder& GgufBuilder::offset(std::uint64_t offset) {
  GGUFVET_ASSERT(!spec_.tensors.empty());
  spec_.tensors.back().offset = offset;
  return *this;
}

GgufBuilder& GgufBuilder::tensor_size(std::uint64_t bytes) {
  GGUFVET_ASSERT(!spec_.tensors.empty());
  spec_.tensors.back().bytes = bytes;
  return *this;
}

GgufBuilder& GgufBuilder::alignment(std::uint64_t alignment) {
  spec_.alignment = alignment;
  return *this;
}

GgufBuilder& GgufBuilder::padding(Bytes bytes) {
  spec_.padding = std::move(bytes);
  return *this;
}

GgufBuilder& GgufBuilder::data(Bytes bytes) {
  spec_.data = std::move(bytes);
  return *this;
}

GgufBuilder& GgufBuilder::patch(std::string label, Bytes bytes) {
  spec_.edits.push_back({Edit::Kind::patch, std::move(label), std::move(bytes)});
  return *this;
}

GgufBuilder& GgufBuilder::append(Bytes bytes) {
  spec_.edits.push_back({Edit::Kind::append, {}, std::move(bytes)});
  return *this;
}

GgufBuilder& GgufBuilder::append_self() {
  spec_.edits.push_back({Edit::Kind::append_self, {}, {}});
  return *this;
}

GgufBuilder& GgufBuilder::truncate(std::string label) {
  spec_.edits.push_back({Edit::Kind::truncate, std::move(label), {}});
  return *this;
}

BuiltFile GgufBuilder::build() const {
  auto built = build_file(spec_);
  GGUFVET_ASSERT(built.has_value());
  return std::move(*built);
}

}  // namespace ggufvet
