// fuzz/gguf.dict: what a fuzzer would need long to stumble upon, in libFuzzer's format.
#include <array>
#include <set>

#include "ggufvet/base/text.h"
#include "ggufvet/types/type_registry.h"
#include "ggufvet/types/value_type.h"
#include "regen.h"

namespace ggufvet::regen {
namespace {

constexpr std::array<std::string_view, 3> kMagics{"GGUF", "FUGG", "tjgg"};

// Keys that rules or readers look for, and a few every file has.
constexpr std::array<std::string_view, 24> kKeys{"general.alignment",
                                                 "general.architecture",
                                                 "general.file_type",
                                                 "general.name",
                                                 "general.type",
                                                 "general.quantization_version",
                                                 "split.no",
                                                 "split.count",
                                                 "split.tensors.count",
                                                 "llama.block_count",
                                                 "llama.context_length",
                                                 "llama.embedding_length",
                                                 "llama.attention.head_count",
                                                 "tokenizer.ggml.model",
                                                 "tokenizer.ggml.tokens",
                                                 "tokenizer.ggml.scores",
                                                 "tokenizer.ggml.token_type",
                                                 "tokenizer.ggml.merges",
                                                 "tokenizer.ggml.eos_token_id",
                                                 "tokenizer.ggml.add_bos_token",
                                                 "tokenizer.chat_template",
                                                 "tokenizer.ggml.precompiled_charsmap",
                                                 "token_embd.weight",
                                                 "blk.0.attn_q.weight"};

// Where a step of arithmetic goes wrong.
constexpr std::array<std::uint64_t, 24> kIntegers{0,
                                                  1,
                                                  7,
                                                  24,
                                                  32,
                                                  63,
                                                  64,
                                                  65,
                                                  0xFFFF,
                                                  0x10000,
                                                  0x7FFFFFFF,
                                                  0x80000000,
                                                  0xFFFFFFFF,
                                                  0x100000000,
                                                  0x1FFFFFFFFFFFFF,
                                                  0x20000000000000,
                                                  0x1000000000000001,
                                                  0x3FFFFFFFFFFFFFFF,
                                                  0x4000000000000000,
                                                  0x7FFFFFFFFFFFFFFF,
                                                  0x8000000000000000,
                                                  0x8000000000000001,
                                                  0xFFFFFFFFFFFFFFE0,
                                                  0xFFFFFFFFFFFFFFFF};

class Dictionary {
 public:
  void add(std::string_view bytes) {
    if (!seen_.insert(std::string(bytes)).second) return;
    constexpr std::string_view kDigits = "0123456789abcdef";
    text_ += '"';
    for (const char letter : bytes) {
      const auto value = static_cast<unsigned char>(letter);
      const bool plain = value > 0x20 && value < 0x7F && letter != '"' && letter != '\\';
      if (plain)
        text_ += letter;
      else
        text_ += {'\\', 'x', kDigits[value >> 4], kDigits[value & 15]};
    }
    text_ += "\"\n";
  }

  template <class T>
  void add_number(std::uint64_t value) {
    for (const ByteOrder order : {ByteOrder::little, ByteOrder::big}) {
      Bytes bytes(sizeof(T));
      store(bytes.data(), static_cast<T>(value), order);
      add(as_text(bytes));
    }
  }

  void add_counted(std::string_view text) {
    Bytes bytes(sizeof(std::uint64_t));
    store(bytes.data(), std::uint64_t{text.size()}, ByteOrder::little);
    add(std::string(as_text(bytes)) + std::string(text));
  }

  void comment(std::string_view words) { text_ += "\n# " + std::string(words) + '\n'; }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
  std::set<std::string> seen_;
};

}  // namespace

void add_dictionary(Outputs& outputs) {
  Dictionary dictionary;
  dictionary.comment("Magics");
  for (const std::string_view magic : kMagics) dictionary.add(magic);
  dictionary.comment("Versions with the magic, both byte orders");
  for (const std::uint32_t version : {1U, 2U, 3U, 4U})
    for (const ByteOrder order : {ByteOrder::little, ByteOrder::big}) {
      Bytes bytes(4);
      store(bytes.data(), version, order);
      dictionary.add("GGUF" + std::string(as_text(bytes)));
    }
  dictionary.comment("Value types and tensor types");
  for (const ValueTypeInfo& type : kValueTypes)
    dictionary.add_number<std::uint32_t>(static_cast<std::uint32_t>(type.type));
  for (std::size_t index = 0; index < known_type_count(DialectId::ggml); ++index)
    dictionary.add_number<std::uint32_t>(known_type(DialectId::ggml, index).id);
  dictionary.comment("Integers");
  for (const std::uint64_t value : kIntegers) {
    dictionary.add_number<std::uint64_t>(value);
    if (value <= 0xFFFFFFFF) dictionary.add_number<std::uint32_t>(value);
  }
  dictionary.comment("Keys and names, alone and behind their length");
  for (const std::string_view key : kKeys) {
    dictionary.add(key);
    dictionary.add_counted(key);
  }
  outputs["fuzz/gguf.dict"] =
      "# Generated by regen (tools/regen_dictionary.cpp). Edit that, then run regen.\n" + dictionary.text();
}

}  // namespace ggufvet::regen
