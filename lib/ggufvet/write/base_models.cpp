#include "ggufvet/write/base_models.h"

#include <array>

namespace ggufvet {
namespace {

constexpr std::array<BaseModel, 6> kModels{{
    {"tiny-llama-pieces", R"(pair "general.architecture" string "llama"
pair "general.type" string "model"
pair "general.name" string "tiny"
pair "general.author" string "nobody"
pair "general.license" string "cc0-1.0"
pair "general.languages" array:string ["en"]
pair "general.base_model.count" u32 0
pair "general.quantization_version" u32 2
pair "general.file_type" u32 1
pair "llama.context_length" u32 64
pair "llama.embedding_length" u32 8
pair "llama.block_count" u32 1
pair "llama.feed_forward_length" u32 16
pair "llama.attention.head_count" u32 2
pair "llama.attention.head_count_kv" u32 2
pair "llama.rope.dimension_count" u32 4
pair "llama.attention.layer_norm_rms_epsilon" f32 1e-5
pair "tokenizer.ggml.model" string "llama"
pair "tokenizer.ggml.tokens" array:string ["<unk>" "<s>" "</s>" "a"]
pair "tokenizer.ggml.scores" array:f32 [0 0 0 -1]
pair "tokenizer.ggml.token_type" array:i32 [2 3 3 1]
pair "tokenizer.ggml.bos_token_id" u32 1
pair "tokenizer.ggml.eos_token_id" u32 2
tensor "token_embd.weight" F16 [8 4]
tensor "output_norm.weight" F32 [8]
tensor "output.weight" F16 [8 4]
tensor "blk.0.attn_norm.weight" F32 [8]
tensor "blk.0.attn_q.weight" F16 [8 8]
tensor "blk.0.attn_k.weight" F16 [8 8]
tensor "blk.0.attn_v.weight" F16 [8 8]
tensor "blk.0.attn_output.weight" F16 [8 8]
tensor "blk.0.ffn_norm.weight" F32 [8]
tensor "blk.0.ffn_gate.weight" F16 [8 16]
tensor "blk.0.ffn_up.weight" F16 [8 16]
tensor "blk.0.ffn_down.weight" F16 [16 8]
)"},
    {"tiny-llama", R"(pair "general.architecture" string "llama"
pair "general.type" string "model"
pair "general.name" string "tiny"
pair "general.author" string "nobody"
pair "general.license" string "cc0-1.0"
pair "general.languages" array:string ["en"]
pair "general.base_model.count" u32 0
pair "general.quantization_version" u32 2
pair "general.file_type" u32 1
pair "llama.context_length" u32 64
pair "llama.embedding_length" u32 8
pair "llama.block_count" u32 1
pair "llama.feed_forward_length" u32 16
pair "llama.attention.head_count" u32 2
pair "llama.attention.head_count_kv" u32 2
pair "llama.rope.dimension_count" u32 4
pair "llama.attention.layer_norm_rms_epsilon" f32 1e-5
pair "tokenizer.ggml.model" string "gpt2"
pair "tokenizer.ggml.pre" string "gpt-2"
pair "tokenizer.ggml.tokens" array:string ["a" "b" "ab" "<|end|>"]
pair "tokenizer.ggml.token_type" array:i32 [1 1 1 3]
pair "tokenizer.ggml.merges" array:string ["a b"]
pair "tokenizer.ggml.bos_token_id" u32 3
pair "tokenizer.ggml.eos_token_id" u32 3
tensor "token_embd.weight" F16 [8 4]
tensor "output_norm.weight" F32 [8]
tensor "output.weight" F16 [8 4]
tensor "blk.0.attn_norm.weight" F32 [8]
tensor "blk.0.attn_q.weight" F16 [8 8]
tensor "blk.0.attn_k.weight" F16 [8 8]
tensor "blk.0.attn_v.weight" F16 [8 8]
tensor "blk.0.attn_output.weight" F16 [8 8]
tensor "blk.0.ffn_norm.weight" F32 [8]
tensor "blk.0.ffn_gate.weight" F16 [8 16]
tensor "blk.0.ffn_up.weight" F16 [8 16]
tensor "blk.0.ffn_down.weight" F16 [16 8]
)"},
    {"tiny-qwen3moe", R"(pair "general.architecture" string "qwen3moe"
pair "general.type" string "model"
pair "general.name" string "tiny"
pair "general.author" string "nobody"
pair "general.license" string "cc0-1.0"
pair "general.languages" array:string ["en"]
pair "general.base_model.count" u32 0
pair "general.quantization_version" u32 2
pair "general.file_type" u32 1
pair "qwen3moe.context_length" u32 64
pair "qwen3moe.embedding_length" u32 8
pair "qwen3moe.block_count" u32 1
pair "qwen3moe.feed_forward_length" u32 16
pair "qwen3moe.attention.head_count" u32 2
pair "qwen3moe.attention.head_count_kv" u32 2
pair "qwen3moe.rope.dimension_count" u32 4
pair "qwen3moe.attention.layer_norm_rms_epsilon" f32 1e-5
pair "qwen3moe.expert_count" u32 4
pair "qwen3moe.expert_used_count" u32 2
pair "qwen3moe.expert_feed_forward_length" u32 6
pair "tokenizer.ggml.model" string "gpt2"
pair "tokenizer.ggml.pre" string "gpt-2"
pair "tokenizer.ggml.tokens" array:string ["a" "b" "ab" "<|end|>"]
pair "tokenizer.ggml.token_type" array:i32 [1 1 1 3]
pair "tokenizer.ggml.merges" array:string ["a b"]
pair "tokenizer.ggml.bos_token_id" u32 3
pair "tokenizer.ggml.eos_token_id" u32 3
tensor "token_embd.weight" F16 [8 4]
tensor "output_norm.weight" F32 [8]
tensor "output.weight" F16 [8 4]
tensor "blk.0.attn_norm.weight" F32 [8]
tensor "blk.0.attn_q.weight" F16 [8 8]
tensor "blk.0.attn_k.weight" F16 [8 8]
tensor "blk.0.attn_v.weight" F16 [8 8]
tensor "blk.0.attn_output.weight" F16 [8 8]
tensor "blk.0.ffn_norm.weight" F32 [8]
tensor "blk.0.attn_q_norm.weight" F32 [4]
tensor "blk.0.attn_k_norm.weight" F32 [4]
tensor "blk.0.ffn_gate_inp.weight" F32 [8 4]
tensor "blk.0.ffn_gate_exps.weight" F16 [8 6 4]
tensor "blk.0.ffn_up_exps.weight" F16 [8 6 4]
tensor "blk.0.ffn_down_exps.weight" F16 [6 8 4]
)"},
    {"tiny-phi3", R"(pair "general.architecture" string "phi3"
pair "general.type" string "model"
pair "general.name" string "tiny"
pair "general.author" string "nobody"
pair "general.license" string "cc0-1.0"
pair "general.languages" array:string ["en"]
pair "general.base_model.count" u32 0
pair "general.quantization_version" u32 2
pair "general.file_type" u32 1
pair "phi3.context_length" u32 64
pair "phi3.embedding_length" u32 8
pair "phi3.block_count" u32 1
pair "phi3.feed_forward_length" u32 16
pair "phi3.attention.head_count" u32 2
pair "phi3.attention.head_count_kv" u32 2
pair "phi3.rope.dimension_count" u32 4
pair "phi3.attention.layer_norm_rms_epsilon" f32 1e-5
pair "phi3.attention.sliding_window" u32 32
pair "tokenizer.ggml.model" string "gpt2"
pair "tokenizer.ggml.pre" string "gpt-2"
pair "tokenizer.ggml.tokens" array:string ["a" "b" "ab" "<|end|>"]
pair "tokenizer.ggml.token_type" array:i32 [1 1 1 3]
pair "tokenizer.ggml.merges" array:string ["a b"]
pair "tokenizer.ggml.bos_token_id" u32 3
pair "tokenizer.ggml.eos_token_id" u32 3
tensor "token_embd.weight" F16 [8 4]
tensor "output_norm.weight" F32 [8]
tensor "output.weight" F16 [8 4]
tensor "blk.0.attn_norm.weight" F32 [8]
tensor "blk.0.attn_qkv.weight" F16 [8 24]
tensor "blk.0.attn_output.weight" F16 [8 8]
tensor "blk.0.ffn_norm.weight" F32 [8]
tensor "blk.0.ffn_up.weight" F16 [8 32]
tensor "blk.0.ffn_down.weight" F16 [16 8]
)"},
    {"tiny-projector", R"(pair "general.architecture" string "clip"
pair "general.type" string "mmproj"
pair "clip.projector_type" string "mlp"
pair "clip.has_vision_encoder" bool true
pair "clip.vision.image_size" u32 32
pair "clip.vision.patch_size" u32 16
pair "clip.vision.embedding_length" u32 8
pair "clip.vision.attention.head_count" u32 2
pair "clip.vision.image_mean" array:f32 [0.5 0.5 0.5]
pair "clip.vision.image_std" array:f32 [0.5 0.5 0.5]
tensor "mm.0.weight" F32 [8 8]
)"},
    {"tiny-adapter", R"(pair "general.architecture" string "llama"
pair "general.type" string "adapter"
pair "adapter.type" string "lora"
pair "adapter.lora.alpha" f32 16
tensor "blk.0.attn_q.weight.lora_a" F32 [8 2]
tensor "blk.0.attn_q.weight.lora_b" F32 [2 8]
)"},
}};

}  // namespace

std::span<const BaseModel> base_models() { return kModels; }

const BaseModel* find_base_model(std::string_view name) {
  for (const BaseModel& model : kModels)
    if (model.name == name) return &model;
  return nullptr;
}

}  // namespace ggufvet
