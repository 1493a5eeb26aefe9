#include "ggufvet/types/types_markdown.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "ggufvet/types/file_types.h"
#include "ggufvet/types/layout_drawing.h"
#include "ggufvet/types/type_registry.h"

namespace ggufvet {
namespace {

// Notes are our own words, but a bar or a star in them would still break a table.
void append_escaped(std::string_view text, std::string& out) {
  for (const char c : text) {
    if (c == '|' || c == '*' || c == '<') out += '\\';
    out += c;
  }
}

void append_code(std::string_view text, std::string& out) {
  out += '`';
  out += text;
  out += '`';
}

void append_cell(std::string_view text, std::string& out) {
  out += ' ';
  append_escaped(text, out);
  out += " |";
}

void append_cell(std::uint64_t number, std::string& out) { append_cell(std::to_string(number), out); }

void append_code_cell(std::string_view text, std::string& out) {
  out += ' ';
  append_code(text, out);
  out += " |";
}

std::string geometry(const TypeLayout& layout) {
  std::string text;
  append_geometry(layout, text);
  return text;
}

// ---- Types ----

constexpr std::string_view kTypeColumns =
    "| id | name | layout | size | status | in files | note |\n"
    "| ---: | --- | --- | --- | --- | --- | --- |\n";

void append_type_row(const TypeInfo& type, std::string& out) {
  out += '|';
  append_cell(type.id, out);
  append_code_cell(type.name, out);
  append_code_cell(type.layout->label, out);
  append_cell(geometry(*type.layout), out);
  append_cell(status_word(type.status), out);
  append_cell(seen_words(type.seen_in_file), out);
  append_cell(type.note, out);
  out += '\n';
}

std::string inherited_ids(const Dialect& row) {
  std::string ids;
  for (const IdRange& range : row.inherited) {
    if (range.empty()) continue;
    if (!ids.empty()) ids += ", ";
    ids += std::to_string(range.first);
    if (range.last != range.first) ids += " to " + std::to_string(range.last);
  }
  return ids;
}

void append_inheritance(const Dialect& row, std::string& out) {
  if (row.inherited[0].empty()) return;
  out += "Also knows the ids ";
  out += inherited_ids(row);
  out += " of ";
  append_code(dialect(row.parent).slug, out);
  out += ", where it has no row of its own.\n\n";
}

void append_heading(const Dialect& row, std::string& out) {
  out += "### ";
  append_code(row.slug, out);
  out += ": ";
  out += row.title;
  out += "\n\n";
  if (!row.span.empty()) {
    out += "Time: ";
    append_escaped(row.span, out);
    out += ". ";
  }
  out += "Read in: ";
  append_escaped(row.source, out);
  out += ".\n\n";
}

void append_dialect(const Dialect& row, std::string& out) {
  append_heading(row, out);
  append_inheritance(row, out);
  out += kTypeColumns;
  for (const TypeInfo& type : own_types(row.id)) append_type_row(type, out);
  out += '\n';
}

void append_dialects(DialectStatus status, std::string& out) {
  for (const Dialect& row : dialects())
    if (row.id != DialectId::ggml && row.status == status && !own_types(row.id).empty())
      append_dialect(row, out);
}

// Programs that have no type of their own know a part of mainline.
void append_readers(std::string& out) {
  out += "| dialect | what it is | ids of mainline | read in |\n| --- | --- | --- | --- |\n";
  for (const Dialect& row : dialects()) {
    if (!own_types(row.id).empty()) continue;
    out += '|';
    append_code_cell(row.slug, out);
    append_cell(row.title, out);
    append_cell(inherited_ids(row), out);
    append_cell(row.source, out);
    out += '\n';
  }
  out += '\n';
}

// ---- Conflicts ----

std::vector<const TypeLayout*> claimed_layouts(std::span<const TypeInfo* const> claims) {
  std::vector<const TypeLayout*> distinct;
  for (const TypeInfo* claim : claims)
    if (std::ranges::find(distinct, claim->layout) == distinct.end()) distinct.push_back(claim->layout);
  return distinct;
}

void append_conflict_row(std::uint32_t id, const TypeLayout& layout,
                         std::span<const TypeLayout* const> distinct, std::string& out) {
  out += '|';
  append_cell(id, out);
  append_code_cell(layout.label, out);
  append_cell(geometry(layout), out);
  std::string claimants;
  for (const TypeInfo* claim : claims_of(id)) {
    if (claim->layout != &layout) continue;
    if (!claimants.empty()) claimants += ", ";
    claimants += claim->name;
    claimants += " in ";
    append_code(dialect(claim->dialect).slug, claimants);
  }
  append_cell(claimants, out);
  std::string twins;
  for (const TypeLayout* other : distinct) {
    if (other == &layout || !sizes_agree(*other, layout)) continue;
    if (!twins.empty()) twins += ", ";
    append_code(other->label, twins);
  }
  append_cell(twins, out);
  out += '\n';
}

void append_conflicts(std::string& out) {
  out += "| id | layout | size | claimed as | same size, so offsets do not tell |\n";
  out += "| ---: | --- | --- | --- | --- |\n";
  for (const std::uint32_t id : conflicts()) {
    const auto distinct = claimed_layouts(claims_of(id));
    for (const TypeLayout* layout : distinct) append_conflict_row(id, *layout, distinct, out);
  }
  out += '\n';
}

// ---- File types ----

void append_file_types(std::string& out) {
  out +=
      "| value | dialect | name | mostly made of | status | note |\n| ---: | --- | --- | --- | --- | --- |\n";
  for (const FileType& row : file_types()) {
    out += '|';
    append_cell(row.value, out);
    append_code_cell(dialect(row.dialect).slug, out);
    append_code_cell(row.name, out);
    std::string types;
    for (const std::string_view name : row.main_type_names()) {
      if (!types.empty()) types += ", ";
      types += name;
    }
    append_cell(types, out);
    append_cell(status_word(row.status), out);
    append_cell(row.note, out);
    out += '\n';
  }
  std::vector<std::uint32_t> values;
  for (const FileType& row : file_types())
    if (is_conflicting_file_type(row.value)) values.push_back(row.value);
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  out += "\nDialects disagree on these values:";
  for (const std::uint32_t value : values) out += ' ' + std::to_string(value);
  out += ".\n\n";
}

}  // namespace

std::string types_markdown() {
  std::string out;
  out +=
      "# Tensor types\n\n"
      "<!-- Generated by regen from the tables. Edit those, then run regen. -->\n\n"
      "A type id means something only together with a dialect. Two rows with one layout hold identical "
      "bytes. Sizes are blocks of a row; rows follow one another without a gap.\n\n"
      "## Mainline\n\n";
  out += kTypeColumns;
  for (const TypeInfo& type : own_types(DialectId::ggml)) append_type_row(type, out);
  out += "\n## Other dialects of today\n\n";
  append_dialects(DialectStatus::current, out);
  out += "## Proposals\n\n";
  append_dialects(DialectStatus::proposal, out);
  out += "## Programs that know a part of mainline\n\n";
  append_readers(out);
  out += "## Ids that mean different bytes in different dialects\n\n";
  append_conflicts(out);
  out += "## File types (`general.file_type`)\n\n";
  append_file_types(out);
  out += "## Long gone\n\nDialects that nothing writes any more; their files may still be around.\n\n";
  append_dialects(DialectStatus::historical, out);
  out.pop_back();  // every part ends in an empty line, the file does not
  return out;
}

}  // namespace ggufvet
