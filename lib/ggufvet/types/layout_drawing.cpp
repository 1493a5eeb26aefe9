#include "ggufvet/types/layout_drawing.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <span>
#include <system_error>

#include "ggufvet/types/type_registry.h"

namespace ggufvet {
namespace {

void append_number(std::uint64_t value, std::string& out) { out += std::to_string(value); }

void append_padded(std::string_view text, std::size_t width, std::string& out) {
  out += text;
  if (text.size() < width) out.append(width - text.size(), ' ');
}

void append_count(std::uint64_t count, std::string_view one, std::string_view many, std::string& out) {
  append_number(count, out);
  out += ' ';
  out += count == 1 ? one : many;
}

std::string offsets_of(const BlockField& field) {
  std::string text = std::to_string(field.begin);
  if (field.bytes > 1) {
    text += "..";
    text += std::to_string(field.begin + field.bytes - 1);
  }
  return text;
}

void append_fields(std::span<const BlockField> fields, std::string& out) {
  std::size_t offsets_width = 0;
  std::size_t name_width = 0;
  for (const BlockField& field : fields) {
    offsets_width = std::max(offsets_width, offsets_of(field).size());
    name_width = std::max(name_width, field.name.size());
  }
  for (const BlockField& field : fields) {
    out += "  ";
    append_padded(offsets_of(field), offsets_width + 2, out);
    append_padded(field.name, name_width + 2, out);
    out += role_words(field.role);
    out += '\n';
  }
}

// A part of the layout other than the block: its title, then its fields or that they are not documented.
void append_part(std::string_view title, std::uint32_t bytes, std::span<const BlockField> fields,
                 std::string& out) {
  out += title;
  append_count(bytes, "byte", "bytes", out);
  out += fields.empty() ? ", not documented field by field\n" : "\n";
  append_fields(fields, out);
}

std::string_view formula_words(SizeFormula formula) {
  switch (formula) {
    case SizeFormula::quarter_plus_32:
      return "elements / 4 + 32 bytes in all";
    case SizeFormula::tl2:
      return "(columns - 256) * rows in five bits for three, 256 columns in four bits for "
             "two, padded to 32, and 32 bytes";
    case SizeFormula::t5b:
      return "32 bytes for each 160 elements of a row, and 32 bytes";
    case SizeFormula::none:
      break;
  }
  return "size not known";
}

// ---- Words about types ----

void append_claim_name(const TypeInfo& type, std::string& out) {
  append_number(type.id, out);
  out += ' ';
  out += type.name;
  out += " in ";
  out += dialect(type.dialect).slug;
}

std::string_view dialect_status_word(DialectStatus status) {
  switch (status) {
    case DialectStatus::current:
      return "current";
    case DialectStatus::historical:
      return "historical";
    case DialectStatus::proposal:
      return "proposal";
  }
  return "unknown";
}

// Dialects that read the row by inheritance: named when few, counted when many.
void append_heirs(const TypeInfo& type, std::string& out) {
  constexpr std::size_t kNamesMax = 6;
  std::vector<std::string_view> heirs;
  for (const Dialect& row : dialects())
    if (row.id != type.dialect && find_type(row.id, type.id) == &type) heirs.push_back(row.slug);
  if (heirs.empty()) return;
  out += "  inherited by ";
  if (heirs.size() > kNamesMax) {
    append_number(heirs.size(), out);
    out += " dialects\n";
    return;
  }
  for (std::size_t index = 0; index < heirs.size(); ++index) {
    if (index != 0) out += ", ";
    out += heirs[index];
  }
  out += '\n';
}

void append_aliases(const TypeInfo& type, std::string& out) {
  bool first = true;
  for (const TypeInfo* other : aliases_of(*type.layout)) {
    if (other == &type || (other->id == type.id && other->name == type.name)) continue;
    out += first ? "  same bytes as " : ", ";
    append_claim_name(*other, out);
    first = false;
  }
  if (!first) out += '\n';
}

void append_claim(const TypeInfo& type, std::string& out) {
  const Dialect& home = dialect(type.dialect);
  append_claim_name(type, out);
  out += ": ";
  out += home.title;
  out += " (";
  out += dialect_status_word(home.status);
  if (!home.span.empty()) {
    out += ", ";
    out += home.span;
  }
  out += ")\n  ";
  out += status_word(type.status);
  if (!type.storable && type.seen_in_file != SeenInFile::never_written) out += "; not for files";
  out += "; ";
  out += seen_words(type.seen_in_file);
  out += "\n  layout ";
  out += type.layout->label;
  out += ": ";
  append_geometry(*type.layout, out);
  out += '\n';
  append_aliases(type, out);
  append_heirs(type, out);
  if (!type.note.empty()) {
    out += "  note: ";
    out += type.note;
    out += '\n';
  }
}

std::vector<const TypeLayout*> layouts_of(std::span<const TypeInfo* const> types) {
  std::vector<const TypeLayout*> distinct;
  for (const TypeInfo* type : types)
    if (std::ranges::find(distinct, type->layout) == distinct.end()) distinct.push_back(type->layout);
  return distinct;
}

// Two layouts of one size under one number are the case no offset can settle.
void append_ambiguities(std::span<const TypeLayout* const> distinct, std::string& out) {
  for (std::size_t later = 1; later < distinct.size(); ++later)
    for (std::size_t index = 0; index < later; ++index) {
      if (!sizes_agree(*distinct[index], *distinct[later])) continue;
      out += distinct[index]->label;
      out += " and ";
      out += distinct[later]->label;
      out += " have equal sizes: no offset in a file tells them apart.\n";
    }
}

bool all_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

std::optional<std::uint32_t> parse_id(std::string_view text) {
  std::uint32_t id = 0;
  if (!all_digits(text)) return std::nullopt;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), id);
  return parsed.ec == std::errc{} ? std::optional(id) : std::nullopt;
}

const TypeInfo* find_in_dialect(DialectId id, std::string_view type) {
  if (!all_digits(type)) return find_type(id, type);
  const auto number = parse_id(type);
  return number ? find_type(id, *number) : nullptr;
}

std::string lower_case(std::string_view text) {
  std::string lowered(text);
  for (char& c : lowered)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lowered;
}

std::vector<const TypeInfo*> to_vector(std::span<const TypeInfo* const> types) {
  return {types.begin(), types.end()};
}

}  // namespace

std::string_view role_words(Role role) {
  switch (role) {
    case Role::element_f16:
      return "the value, fp16";
    case Role::element_bf16:
      return "the value, bf16";
    case Role::element_f32:
      return "the value, f32";
    case Role::element_f64:
      return "the value, f64";
    case Role::element_integer:
      return "the value, a signed integer";
    case Role::scale_f16:
      return "scale, fp16";
    case Role::scale_f32:
      return "scale, f32";
    case Role::scale_e8m0:
      return "scale, E8M0 (a power of two)";
    case Role::scale_ue4m3:
      return "scales, UE4M3, one a byte";
    case Role::scale_f16_scattered:
      return "packed scales, and a scale in fp16 spread over their high nibbles";
    case Role::minimum_f16:
      return "minimum, fp16";
    case Role::minimum_ue4m3:
      return "minimum, UE4M3";
    case Role::sum_f16:
      return "cached sum, fp16";
    case Role::sum_f32:
      return "cached sum, f32";
    case Role::sum_integer:
      return "cached sums, integers";
    case Role::scales_packed:
      return "packed scales of sub-blocks";
    case Role::scales_int8:
      return "scales of sub-blocks, a signed byte each";
    case Role::codes:
      return "codes of the elements";
    case Role::codes_high:
      return "high bits of the codes or indices";
    case Role::signs:
      return "signs of the elements";
    case Role::grid_index:
      return "indices into a codebook";
    case Role::selector:
      return "bits that choose a table or a shift";
    case Role::padding:
      return "padding";
  }
  return "not described";
}

std::string_view status_word(TypeStatus status) {
  switch (status) {
    case TypeStatus::active:
      return "active";
    case TypeStatus::retired:
      return "retired";
    case TypeStatus::proposed:
      return "proposed";
    case TypeStatus::draft:
      return "draft";
  }
  return "unknown";
}

std::string_view seen_words(SeenInFile seen) {
  switch (seen) {
    case SeenInFile::unknown:
      return "not known whether any file holds it";
    case SeenInFile::seen:
      return "files on record";
    case SeenInFile::tools_write:
      return "its tools can write it, no file on record";
    case SeenInFile::never_written:
      return "never written to files";
  }
  return "unknown";
}

void append_bits_per_weight(const TypeLayout& layout, std::string& out) {
  if (layout.block_elements == 0 || layout.block_bytes == 0) return;
  constexpr std::uint64_t kUnit = 10000;
  const std::uint64_t elements = layout.block_elements;
  const std::uint64_t scaled = (std::uint64_t{layout.block_bytes} * 8 * kUnit + elements / 2) / elements;
  append_number(scaled / kUnit, out);
  std::uint64_t rest = scaled % kUnit;
  if (rest == 0) return;
  out += '.';
  for (std::uint64_t unit = kUnit / 10; rest != 0; unit /= 10) {
    append_number(rest / unit, out);
    rest %= unit;
  }
}

void append_geometry(const TypeLayout& layout, std::string& out) {
  if (layout.formula != SizeFormula::none || layout.block_elements == 0) {
    out += formula_words(layout.formula);
    return;
  }
  append_count(layout.block_elements, "element", "elements", out);
  out += " in ";
  if (layout.block_bytes == 0) {
    out += "a block of unknown size";
    return;
  }
  append_count(layout.block_bytes, "byte", "bytes", out);
  out += " (";
  append_bits_per_weight(layout, out);
  out += " bits per weight)";
  if (layout.row_header_bytes != 0) {
    out += " after a row header of ";
    append_count(layout.row_header_bytes, "byte", "bytes", out);
  }
  if (layout.row_group > 1) {
    out += ", ";
    append_number(layout.row_group, out);
    out += " rows interleaved";
  }
}

void draw_layout(const TypeLayout& layout, std::string& out) {
  out += layout.label;
  out += ": ";
  append_geometry(layout, out);
  out += '\n';
  if (layout.row_header_bytes != 0)
    append_part(layout.row_group > 1 ? "row header, those of a group of rows together in front of it, "
                                     : "row header, before the first block of each row, ",
                layout.row_header_bytes, layout.row_header_fields, out);
  if (layout.block_bytes != 0) append_part("block, ", layout.block_bytes, layout.fields, out);
  if (layout.tensor_trailer_bytes != 0)
    append_part("trailer, once behind the whole tensor, ", layout.tensor_trailer_bytes,
                layout.tensor_trailer_fields, out);
  if (layout.block_bytes == 0 && layout.tensor_trailer_bytes == 0) out += "  not documented\n";
}

std::vector<const TypeInfo*> find_types(std::string_view query) {
  if (all_digits(query)) {
    const auto id = parse_id(query);
    return id ? to_vector(claims_of(*id)) : std::vector<const TypeInfo*>{};
  }
  if (const auto colon = query.find(':'); colon != std::string_view::npos) {
    const auto home = find_dialect(query.substr(0, colon));
    const TypeInfo* type = home ? find_in_dialect(*home, query.substr(colon + 1)) : nullptr;
    return type != nullptr ? std::vector{type} : std::vector<const TypeInfo*>{};
  }
  const std::string wanted = lower_case(query);
  std::vector<const TypeInfo*> named;
  for (const TypeInfo& type : all_types())
    if (lower_case(type.name) == wanted) named.push_back(&type);
  if (!named.empty()) return named;
  const TypeLayout* layout = find_layout(wanted);
  return layout != nullptr ? to_vector(aliases_of(*layout)) : named;
}

bool describe_type(std::string_view query, std::string& out) {
  const auto types = find_types(query);
  if (types.empty()) return false;
  const auto distinct = layouts_of(types);
  if (types.size() > 1) {
    append_count(types.size(), "claim", "claims", out);
    out += ", ";
    append_count(distinct.size(), "layout", "layouts", out);
    out += ".\n";
    append_ambiguities(distinct, out);
    out += '\n';
  }
  for (const TypeInfo* type : types) append_claim(*type, out);
  for (const TypeLayout* layout : distinct) {
    out += '\n';
    draw_layout(*layout, out);
  }
  return true;
}

}  // namespace ggufvet
