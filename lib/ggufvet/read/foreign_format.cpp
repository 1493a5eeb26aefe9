#include "ggufvet/read/foreign_format.h"

#include <algorithm>
#include <array>
#include <string>

#include "ggufvet/base/byte_order.h"
#include "ggufvet/base/text.h"

namespace ggufvet {
namespace {

using namespace std::string_view_literals;

struct Signature {
  ForeignFormat format;
  std::string_view bytes;
  std::size_t offset = 0;
};

// The legacy magics are 32-bit numbers ('ggml', 'ggjt' …) stored little-endian, so they read backwards in a
// file.
constexpr std::array kSignatures{
    Signature{ForeignFormat::reversed_magic, "FUGG"sv},
    Signature{ForeignFormat::ggml_legacy, "lmgg"sv},
    Signature{ForeignFormat::ggmf_legacy, "fmgg"sv},
    Signature{ForeignFormat::ggjt_legacy, "tjgg"sv},
    Signature{ForeignFormat::ggla_legacy, "algg"sv},
    Signature{ForeignFormat::zip, "PK\3\4"sv},
    Signature{ForeignFormat::zip, "PK\5\6"sv},
    Signature{ForeignFormat::gzip, "\x1f\x8b"sv},
    Signature{ForeignFormat::png, "\x89PNG\r\n\x1a\n"sv},
    Signature{ForeignFormat::git_lfs_pointer, "version https://git-lfs"sv},
    Signature{ForeignFormat::elf,
              "\x7f"
              "ELF"sv},
    Signature{ForeignFormat::windows_program, "MZ"sv},
    Signature{ForeignFormat::zstd, "\x28\xb5\x2f\xfd"sv},
    Signature{ForeignFormat::xz,
              "\xfd"
              "7zXZ\0"sv},
    Signature{ForeignFormat::seven_zip, "7z\xbc\xaf\x27\x1c"sv},
    Signature{ForeignFormat::hdf5, "\x89HDF\r\n\x1a\n"sv},
    Signature{ForeignFormat::numpy, "\x93NUMPY"sv},
    Signature{ForeignFormat::tflite, "TFL3"sv, 4},
    Signature{ForeignFormat::pdf, "%PDF-"sv},
    Signature{ForeignFormat::xml, "<?xml"sv},
};

[[nodiscard]] bool has_at(std::string_view head, std::size_t offset, std::string_view bytes) {
  return offset <= head.size() && head.substr(offset).starts_with(bytes);
}

[[nodiscard]] char lower(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

[[nodiscard]] bool starts_with_any_case(std::string_view text, std::string_view prefix) {
  return text.size() >= prefix.size() &&
         std::equal(prefix.begin(), prefix.end(), text.begin(),
                    [](char wanted, char seen) { return wanted == lower(seen); });
}

[[nodiscard]] std::string_view without_leading_space(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  return begin == std::string_view::npos ? std::string_view{} : text.substr(begin);
}

// A safetensors file opens with the length of its JSON header and the header's brace.
[[nodiscard]] bool is_safetensors(std::span<const std::byte> head) {
  if (head.size() < 9) return false;
  const auto header_bytes = load_little<std::uint64_t>(head.data());
  constexpr std::uint64_t kHeaderBytesMax = 100'000'000;  // safetensors' own cap
  return header_bytes >= 2 && header_bytes <= kHeaderBytesMax && head[8] == std::byte{'{'};
}

// An ONNX model is a protobuf message: field 1 is the IR version (a small integer), field 2 the producer's
// name.
[[nodiscard]] bool is_onnx(std::string_view head) {
  constexpr char kIrVersionMax = 32;
  return head.size() >= 4 && head[0] == '\x08' && head[1] > 0 && head[1] <= kIrVersionMax &&
         (head[2] == '\x12' || head[2] == '\x3a');
}

[[nodiscard]] bool is_pickle(std::string_view head) {
  return head.size() >= 2 && head[0] == '\x80' && head[1] >= 2 && head[1] <= 5;
}

[[nodiscard]] ForeignFormat recognise_text(std::string_view head) {
  const std::string_view text = without_leading_space(head);
  if (starts_with_any_case(text, "<!doctype html") || starts_with_any_case(text, "<html"))
    return ForeignFormat::html;
  if (text.starts_with('{') || text.starts_with('[')) return ForeignFormat::json;
  const bool printable = !text.empty() && std::all_of(text.begin(), text.end(), [](char letter) {
    return (letter >= 0x20 && letter < 0x7F) || letter == '\n' || letter == '\r' || letter == '\t';
  });
  return printable && text.size() >= 8 ? ForeignFormat::text : ForeignFormat::unknown;
}

}  // namespace

ForeignFormat recognise_foreign(std::span<const std::byte> head) {
  const std::string_view text = as_text(head);
  if (std::all_of(head.begin(), head.end(), [](std::byte byte) { return byte == std::byte{0}; }))
    return ForeignFormat::zeros;
  for (const Signature& signature : kSignatures)
    if (has_at(text, signature.offset, signature.bytes)) return signature.format;
  if (is_safetensors(head)) return ForeignFormat::safetensors;
  if (is_pickle(text)) return ForeignFormat::pickle;
  if (is_onnx(text)) return ForeignFormat::onnx;
  return recognise_text(text);
}

namespace {

struct ForeignWords {
  std::string_view name;
  std::string_view advice;
};

constexpr std::string_view kConvert =
    "convert it to GGUF with its project's converter, or fetch the GGUF file";
constexpr std::string_view kFetchAgain =
    "the download failed or went to the wrong address; fetch the file again";
constexpr std::string_view kUnpack = "unpack it, and vet what is inside";

[[nodiscard]] constexpr ForeignWords words_of(ForeignFormat format) {
  switch (format) {
    case ForeignFormat::unknown:
      return {"no format known here", "check where the file came from"};
    case ForeignFormat::zeros:
      return {"zeros", "the download reserved the space and did not fill it; fetch it again"};
    case ForeignFormat::reversed_magic:
      return {"a GGUF file with its magic written backwards", "no reader takes it; write the file again"};
    case ForeignFormat::ggml_legacy:
      return {"a legacy GGML model (2023, no version)", kConvert};
    case ForeignFormat::ggmf_legacy:
      return {"a legacy GGMF model (2023)", kConvert};
    case ForeignFormat::ggjt_legacy:
      return {"a legacy GGJT model (2023)", kConvert};
    case ForeignFormat::ggla_legacy:
      return {"a legacy GGLA adapter (2023)", kConvert};
    case ForeignFormat::safetensors:
      return {"a safetensors file", kConvert};
    case ForeignFormat::zip:
      return {"a zip archive (PyTorch checkpoints are zip archives too)", kConvert};
    case ForeignFormat::pickle:
      return {"a Python pickle, which can run code when it is loaded",
              "do not load it; look for a GGUF file"};
    case ForeignFormat::gzip:
      return {"a gzip archive", kUnpack};
    case ForeignFormat::png:
      return {"a PNG picture", "check where the file came from"};
    case ForeignFormat::html:
      return {"a web page, most likely an error or a log-in page", kFetchAgain};
    case ForeignFormat::git_lfs_pointer:
      return {"a Git LFS pointer, not the file it stands for", "run `git lfs pull` in the clone"};
    case ForeignFormat::onnx:
      return {"an ONNX model", kConvert};
    case ForeignFormat::json:
      return {"JSON text, maybe an error message or an index", kFetchAgain};
    case ForeignFormat::xml:
      return {"XML text, maybe an error message", kFetchAgain};
    case ForeignFormat::elf:
      return {"a Linux program (ELF)", "do not run it; check where it came from"};
    case ForeignFormat::windows_program:
      return {"a Windows program", "do not run it; check where it came from"};
    case ForeignFormat::zstd:
      return {"a zstd archive", kUnpack};
    case ForeignFormat::xz:
      return {"an xz archive", kUnpack};
    case ForeignFormat::seven_zip:
      return {"a 7-Zip archive", kUnpack};
    case ForeignFormat::hdf5:
      return {"an HDF5 file", kConvert};
    case ForeignFormat::numpy:
      return {"a NumPy array", kConvert};
    case ForeignFormat::tflite:
      return {"a TensorFlow Lite model", kConvert};
    case ForeignFormat::pdf:
      return {"a PDF document", "check where the file came from"};
    case ForeignFormat::text:
      return {"plain text, maybe an error message", kFetchAgain};
  }
  return {"no format known here", "check where the file came from"};
}

}  // namespace

std::string_view foreign_name(ForeignFormat format) { return words_of(format).name; }
std::string_view foreign_advice(ForeignFormat format) { return words_of(format).advice; }

}  // namespace ggufvet
