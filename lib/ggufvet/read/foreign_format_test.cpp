#include "ggufvet/read/foreign_format.h"

#include <set>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "ggufvet/base/text.h"

namespace ggufvet {
namespace {

using namespace std::string_view_literals;

struct Head {
  ForeignFormat format;
  std::string_view bytes;
};

// The beginnings as these formats' own documents give them.
constexpr Head kHeads[] = {
    {ForeignFormat::zeros, "\0\0\0\0\0\0\0\0"sv},
    {ForeignFormat::zeros, "\0"sv},
    {ForeignFormat::reversed_magic, "FUGG\3\0\0\0"sv},
    {ForeignFormat::ggml_legacy, "lmgg\0\x7d\0\0"sv},
    {ForeignFormat::ggmf_legacy, "fmgg\1\0\0\0"sv},
    {ForeignFormat::ggjt_legacy, "tjgg\3\0\0\0"sv},
    {ForeignFormat::ggla_legacy, "algg\1\0\0\0"sv},
    {ForeignFormat::safetensors, "\x40\0\0\0\0\0\0\0{\"__metadata__\":{}}"sv},
    {ForeignFormat::safetensors, "\2\0\0\0\0\0\0\0{}"sv},
    {ForeignFormat::zip, "PK\3\4\x14\0\0\0"sv},
    {ForeignFormat::zip, "PK\5\6\0\0\0\0"sv},
    {ForeignFormat::pickle, "\x80\2}q\0"sv},
    {ForeignFormat::pickle, "\x80\5\x95"sv},
    {ForeignFormat::gzip, "\x1f\x8b\x08\0"sv},
    {ForeignFormat::png, "\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR"sv},
    {ForeignFormat::html, "<!DOCTYPE html>\n<html>"sv},
    {ForeignFormat::html, "\r\n  <!doctype HTML><title>"sv},
    {ForeignFormat::html, "<HTML lang=en>"sv},
    {ForeignFormat::git_lfs_pointer, "version https://git-lfs.github.com/spec/v1\noid sha256:"sv},
    {ForeignFormat::onnx, "\x08\x08\x12\x07pytorch"sv},
    {ForeignFormat::onnx, "\x08\x03\x3a\x80\x01"sv},
    {ForeignFormat::json, "{\"error\":\"Repository not found\"}"sv},
    {ForeignFormat::json, "\n[1, 2]"sv},
    {ForeignFormat::xml, "<?xml version=\"1.0\"?><Error>"sv},
    {ForeignFormat::elf, "\x7f\x45LF\2\1\1\0"sv},
    {ForeignFormat::windows_program, "MZ\x90\0"sv},
    {ForeignFormat::zstd, "\x28\xb5\x2f\xfd\x04"sv},
    {ForeignFormat::xz, "\xfd\x37zXZ\0\0"sv},
    {ForeignFormat::seven_zip, "7z\xbc\xaf\x27\x1c\0\4"sv},
    {ForeignFormat::hdf5, "\x89HDF\r\n\x1a\n"sv},
    {ForeignFormat::numpy, "\x93NUMPY\1\0"sv},
    {ForeignFormat::tflite, "\x1c\0\0\0TFL3"sv},
    {ForeignFormat::pdf, "%PDF-1.7"sv},
    {ForeignFormat::text, "Entry not found"sv},
    {ForeignFormat::text, "404: Not Found\n"sv},
    {ForeignFormat::unknown, "\x01\x02\x03\x04\x05\x06\x07\x08"sv},
    {ForeignFormat::unknown, "GGUX\3\0\0\0"sv},
    // Nearest neighbours of what is told by more than a few fixed bytes.
    {ForeignFormat::unknown, "\x80\x01}q"sv},  // pickle protocols are 2 to 5
    {ForeignFormat::unknown, "\x80\x06}q"sv},
    {ForeignFormat::unknown, "\1\0\0\0\0\0\0\0{"sv},            // a safetensors header has two bytes at least
    {ForeignFormat::unknown, "\xff\xff\xff\xff\xff\0\0\0{"sv},  // and 100 MB at most
    {ForeignFormat::unknown, "\x08\x00\x12\x07"sv},             // IR versions of ONNX begin at 1
    {ForeignFormat::unknown, "short"sv},                        // too little text to be sure of
    {ForeignFormat::unknown, "caf\xc3\xa9 and more of it"sv},
};

}  // namespace

TEST_CASE("every format is recognised by its beginning, and its neighbours are not") {
  std::set<ForeignFormat> seen;
  for (const Head& head : kHeads) {
    INFO(escaped(head.bytes));
    CHECK(recognise_foreign(as_bytes(head.bytes)) == head.format);
    seen.insert(head.format);
  }
  CHECK(seen.size() ==
        static_cast<std::size_t>(ForeignFormat::text) + 1);  // text is the last; none is left out
}

TEST_CASE("a cut beginning is never taken for more than it shows, and never read past") {
  for (const Head& head : kHeads)
    for (std::size_t bytes = 1; bytes < std::min<std::size_t>(head.bytes.size(), 64); ++bytes) {
      const std::string cut(head.bytes.substr(0, bytes));  // a copy, so that a sanitizer sees reads past it
      const ForeignFormat format = recognise_foreign(as_bytes(cut));
      CHECK(static_cast<std::size_t>(format) <= static_cast<std::size_t>(ForeignFormat::text));
    }
  CHECK(recognise_foreign(as_bytes("<?xm")) == ForeignFormat::unknown);
  CHECK(recognise_foreign(as_bytes("\x89PN")) == ForeignFormat::unknown);
}

TEST_CASE("every format has a name of its own and says what to do") {
  std::set<std::string_view> names;
  for (std::size_t number = 0; number <= static_cast<std::size_t>(ForeignFormat::text); ++number) {
    const auto format = static_cast<ForeignFormat>(number);
    CHECK_FALSE(foreign_name(format).empty());
    CHECK_FALSE(foreign_advice(format).empty());
    CHECK(names.insert(foreign_name(format)).second);
  }
}

}  // namespace ggufvet
