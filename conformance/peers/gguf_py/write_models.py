#!/usr/bin/env python3
"""Writes a small random model of each architecture that ggufvet has rules for, with pip's gguf.

usage: write_models.py FOLDER [ARCHITECTURE…]

Which tensors an architecture has comes from gguf's own tables (MODEL_TENSORS, TENSOR_NAMES), names of keys from its
writer; shapes and biases are stated here and owe nothing to ggufvet's tables. Needs gguf and numpy.
"""
import pathlib
import sys

import gguf
import numpy
from gguf.constants import MODEL_ARCH_NAMES, MODEL_TENSORS, TENSOR_NAMES

E, HEADS, KV_HEADS, HEAD, FF, LAYERS, CONTEXT = 32, 4, 2, 8, 64, 2, 128
Q, K = HEADS * HEAD, KV_HEADS * HEAD
EXPERTS, USED, EXPERT_FF, SHARED_FF = 4, 2, 16, 24
INNER, STATE, KERNEL, RANK, GROUPS = 32, 8, 4, 4, 2
Q_RANK, KV_RANK, ROPE = 12, 16, 4
RNG = numpy.random.default_rng(20261130)

ARCHITECTURES = """llama llama-moe mistral3 llama4 qwen2 qwen2vl qwen2moe qwen3 qwen3vl qwen3moe qwen3vlmoe qwen3next qwen35
qwen35moe gemma gemma2 gemma3 phi2 phi3 gpt2 gptneox falcon bloom mpt starcoder starcoder2 baichuan deepseek2
deepseek2-lite glm4 command-r granite granitemoe olmo2 mamba rwkv6 rwkv7 t5 t5encoder bert nomic-bert minicpm gpt-oss
mmproj""".split()
LAYER_NORM = "phi2 gpt2 gptneox falcon bloom mpt starcoder starcoder2 command-r bert nomic-bert".split()
BYTE_PAIR = """qwen2 qwen2vl qwen2moe qwen3 qwen3vl qwen3moe qwen3vlmoe qwen3next qwen35 qwen35moe phi2 gpt2 gptneox falcon
bloom mpt starcoder starcoder2 deepseek2 deepseek2-lite glm4 command-r granite granitemoe olmo2 llama4 gpt-oss mamba
""".split()
MIXTURES = """llama-moe llama4 qwen2moe qwen3moe qwen3vlmoe qwen3next qwen35moe deepseek2 deepseek2-lite granitemoe
gpt-oss""".split()
HYBRIDS = "qwen3next qwen35 qwen35moe".split()
# Tensors that gguf lists and that a converted model does not have.
NEVER = "rope_freqs rope_factors_long rope_factors_short attn_rot_embd ffn".split()

SHAPES = {
    "token_embd": (E, 0), "output": (E, 0), "position_embd": (E, CONTEXT), "token_types": (E, 2),
    "attn_q": (E, Q), "attn_k": (E, K), "attn_v": (E, K), "attn_output": (Q, E), "attn_o": (Q, E),
    "attn_qkv": (E, Q + 2 * K), "cross_attn_q": (E, Q), "cross_attn_k": (E, K), "cross_attn_v": (E, K),
    "cross_attn_o": (Q, E), "attn_q_norm": (HEAD,), "attn_k_norm": (HEAD,), "attn_sinks": (HEADS,),
    "attn_rel_b": (HEADS, 8), "ffn_gate": (E, FF), "ffn_up": (E, FF), "ffn_down": (FF, E),
    "ffn_gate_inp": (E, EXPERTS), "ffn_gate_exps": (E, EXPERT_FF, EXPERTS), "ffn_up_exps": (E, EXPERT_FF, EXPERTS),
    "ffn_down_exps": (EXPERT_FF, E, EXPERTS), "ffn_gate_inp_shexp": (E,), "ffn_gate_shexp": (E, SHARED_FF),
    "ffn_up_shexp": (E, SHARED_FF), "ffn_down_shexp": (SHARED_FF, E), "exp_probs_b": (EXPERTS,),
    "attn_q_a": (E, Q_RANK), "attn_q_b": (Q_RANK, HEADS * (HEAD + ROPE)), "attn_kv_a_mqa": (E, KV_RANK + ROPE),
    "attn_kv_b": (KV_RANK, HEADS * 2 * HEAD), "attn_q_a_norm": (Q_RANK,), "attn_kv_a_norm": (KV_RANK,),
    "ssm_in": (E, 2 * INNER), "ssm_conv1d": (KERNEL, INNER), "ssm_x": (INNER, RANK + 2 * STATE),
    "ssm_dt": (RANK, INNER), "ssm_a": (STATE, INNER), "ssm_d": (INNER,), "ssm_out": (INNER, E),
    "time_mix_w1": (E, 8), "time_mix_w2": (8, E), "time_mix_lerp_fused": (E, 1, 1, 6), "time_mix_first": (8, E // 8),
    "time_mix_decay_w1": (E, 16), "time_mix_decay_w2": (16, E), "time_mix_a1": (E, 4), "time_mix_a2": (4, E),
    "time_mix_v1": (E, 6), "time_mix_v2": (6, E), "time_mix_g1": (E, 10), "time_mix_g2": (10, E),
    "time_mix_r_k": (8, E // 8), "channel_mix_key": (E, FF), "channel_mix_value": (FF, E),
}
for square in "key value receptance gate output".split():
    SHAPES["time_mix_" + square] = (E, E)
SHAPES["channel_mix_receptance"] = (E, E)
HYBRID_SHAPES = {
    "attn_q": (E, 2 * Q), "attn_qkv": (E, 2 * STATE * GROUPS + INNER), "attn_gate": (E, INNER),
    "ssm_conv1d": (KERNEL, 2 * STATE * GROUPS + INNER), "ssm_dt": (RANK,), "ssm_a": (RANK,),
    "ssm_norm": (INNER // RANK,), "ssm_beta": (E, RANK), "ssm_alpha": (E, RANK), "ssm_ba": (E, 2 * RANK),
    "ssm_out": (INNER, E),
}
OWN_SHAPES = {
    "phi3": {"ffn_up": (E, 2 * FF)}, "glm4": {"ffn_up": (E, 2 * FF)},
    "olmo2": {"attn_q_norm": (Q,), "attn_k_norm": (K,)},
    "deepseek2": {"attn_output": (HEADS * HEAD, E), "ffn_gate_shexp": (E, 2 * EXPERT_FF),
                  "ffn_up_shexp": (E, 2 * EXPERT_FF), "ffn_down_shexp": (2 * EXPERT_FF, E)},
    "llama4": {"ffn_gate_shexp": (E, EXPERT_FF), "ffn_up_shexp": (E, EXPERT_FF), "ffn_down_shexp": (EXPERT_FF, E)},
    "rwkv6": {"time_mix_w1": (E, 5 * 8), "time_mix_w2": (8, E, 5), "time_mix_lerp_fused": (E, 1, 1, 5)},
    "mpt": {"attn_q_norm": (E,), "attn_k_norm": (E,)},
}
OWN_SHAPES["deepseek2-lite"] = dict(OWN_SHAPES["deepseek2"], attn_q=(E, HEADS * (HEAD + ROPE)))
WITHOUT = {
    "gpt2": [], "phi2": ["attn_q", "attn_k", "attn_v", "ffn_norm"], "phi3": ["attn_q", "attn_k", "attn_v"],
    "glm4": ["attn_qkv"], "bert": ["attn_qkv", "cls", "cls.output", "output_norm"],
    "nomic-bert": ["position_embd", "output_norm"], "deepseek2": ["attn_q", "attn_k", "attn_v", "attn_k_b", "attn_v_b"],
    "deepseek2-lite": ["attn_q_a", "attn_q_b", "attn_q_a_norm", "attn_k", "attn_v", "attn_k_b", "attn_v_b"],
    "rwkv6": ["time_mix_lerp_" + each for each in "kvrgw"], "mpt": ["attn_q_norm", "attn_k_norm", "position_embd"],
    "command-r": ["attn_q_norm", "attn_k_norm"], "qwen3next": ["ssm_in", "ffn_gate_up_exps"],
    "qwen35moe": ["ffn_gate_up_exps"], "granitemoe": ["ffn_gate_shexp", "ffn_up_shexp", "ffn_down_shexp"],
    "t5": ["cross_attn_rel_b"], "falcon": ["attn_norm_2"], "gemma3": ["output"],
}
EVERYTHING = "attn_norm attn_qkv attn_output ffn_norm ffn_up ffn_down output_norm".split()
BIASES = {
    "gpt2": EVERYTHING, "starcoder": EVERYTHING, "gptneox": EVERYTHING, "bloom": EVERYTHING + ["token_embd_norm"],
    "phi2": EVERYTHING + ["output"], "falcon": ["attn_norm", "output_norm"], "qwen2": ["attn_q", "attn_k", "attn_v"],
    "qwen2vl": ["attn_q", "attn_k", "attn_v"], "qwen2moe": ["attn_q", "attn_k", "attn_v"],
    "starcoder2": "attn_norm attn_q attn_k attn_v attn_output ffn_norm ffn_up ffn_down output_norm".split(),
    "bert": """token_embd_norm attn_q attn_k attn_v attn_output attn_output_norm ffn_up ffn_down
            layer_output_norm""".split(),
    "nomic-bert": ["token_embd_norm", "attn_output_norm", "layer_output_norm"],
    "glm4": ["attn_q", "attn_k", "attn_v"], "mamba": ["ssm_conv1d", "ssm_dt"],
    "gpt-oss": "attn_q attn_k attn_v attn_output ffn_gate_inp ffn_gate_exps ffn_up_exps ffn_down_exps".split(),
    "rwkv6": ["token_embd_norm", "output_norm", "attn_norm", "attn_norm_2", "time_mix_ln"],
    "rwkv7": ["token_embd_norm", "output_norm", "attn_norm", "attn_norm_2", "time_mix_ln"],
}
ONLY_BIAS = {"exp_probs_b": MIXTURES, "ssm_dt": HYBRIDS}
NO_SUFFIX = ["ssm_a", "ssm_d"]


def base_architecture(name):
    return {"llama-moe": "llama", "deepseek2-lite": "deepseek2"}.get(name, name)


def add_vocabulary(writer, name):
    """Returns the number of tokens."""
    control, byte, normal = gguf.TokenType.CONTROL, gguf.TokenType.BYTE, gguf.TokenType.NORMAL
    if name in ("bert", "nomic-bert"):
        tokens = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"] + ["▁w%d" % n for n in range(60)]
        types = [control] * 5 + [normal] * 60
        writer.add_tokenizer_model("bert")
        writer.add_token_type_count(2)
        writer.add_sep_token_id(3)
        writer.add_pad_token_id(0)
        writer.add_mask_token_id(4)
        writer.add_unk_token_id(1)
    elif name in ("rwkv6", "rwkv7"):
        tokens = ["<s>"] + ["\\x%02x" % n for n in range(1, 128)] + ["w%d" % n for n in range(100)]
        types = [control] + [normal] * (len(tokens) - 1)
        writer.add_tokenizer_model("rwkv")
        writer.add_eos_token_id(0)
    elif name in BYTE_PAIR:
        letters = [chr(n) for n in range(33, 127)]
        tokens = letters + ["ab", "cd", "abcd", "<|endoftext|>"]
        types = [normal] * (len(tokens) - 1) + [control]
        writer.add_tokenizer_model("gpt2")
        writer.add_tokenizer_pre("gpt-2")
        writer.add_token_merges(["a b", "c d", "ab cd"])
        writer.add_bos_token_id(len(tokens) - 1)
        writer.add_eos_token_id(len(tokens) - 1)
    else:
        unigram = name in ("t5", "t5encoder")
        head = ["<pad>", "</s>", "<unk>"] if unigram else ["<unk>", "<s>", "</s>"]
        tokens = head + ["<0x%02X>" % n for n in range(256)] + ["▁w%d" % n for n in range(40)]
        kinds = [control, control, gguf.TokenType.UNKNOWN] if unigram else [gguf.TokenType.UNKNOWN, control, control]
        types = kinds + [byte] * 256 + [normal] * 40
        writer.add_tokenizer_model("t5" if unigram else "llama")
        writer.add_token_scores([0.0] * 259 + [-float(n) for n in range(40)])
        if unigram:
            writer.add_eos_token_id(1)
            writer.add_add_bos_token(False)
            writer.add_add_eos_token(True)
        else:
            writer.add_bos_token_id(1)
            writer.add_eos_token_id(2)
            writer.add_add_bos_token(True)
    writer.add_token_list(tokens)
    writer.add_token_types(types)
    return len(tokens)


def add_hyper_parameters(writer, name):
    layers = 4 if name in HYBRIDS else LAYERS
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(E)
    writer.add_block_count(layers)
    writer.add_feed_forward_length(FF)
    recurrent = name in ("mamba", "rwkv6", "rwkv7")
    writer.add_head_count(0 if recurrent else HEADS)
    if not recurrent:
        writer.add_head_count_kv(KV_HEADS)
        writer.add_rope_freq_base(10000.0)
    if name in LAYER_NORM or name.startswith("rwkv"):
        writer.add_layer_norm_eps(1e-5)
    if name not in LAYER_NORM and not name.startswith("rwkv"):
        writer.add_layer_norm_rms_eps(1e-6)
    if name in MIXTURES:
        writer.add_expert_count(EXPERTS)
        writer.add_expert_used_count(USED)
        writer.add_expert_feed_forward_length(EXPERT_FF)
    if name in ("qwen2moe", "qwen3next", "qwen35moe"):
        writer.add_expert_shared_feed_forward_length(SHARED_FF)
    if name == "mamba" or name in HYBRIDS:
        writer.add_ssm_conv_kernel(KERNEL)
        writer.add_ssm_inner_size(INNER)
        writer.add_ssm_state_size(STATE)
        writer.add_ssm_time_step_rank(RANK)
    if name in HYBRIDS:
        writer.add_ssm_group_count(GROUPS)
        writer.add_full_attention_interval(4)
        writer.add_key_length(HEAD)
        writer.add_value_length(HEAD)
    if name in ("qwen2vl", "qwen3vl", "qwen3vlmoe", "qwen35", "qwen35moe"):
        writer.add_rope_dimension_sections([1, 2, 1, 0])
    own = {
        "gptneox": lambda: writer.add_parallel_residual(True),
        "phi3": lambda: writer.add_sliding_window(64),
        "gemma2": lambda: writer.add_sliding_window(64),
        "gemma3": lambda: writer.add_sliding_window(64),
        "llama4": lambda: writer.add_interleave_moe_layer_step(2),
        "mpt": lambda: writer.add_max_alibi_bias(8.0),
        "t5": lambda: writer.add_relative_attn_buckets_count(8),
        "t5encoder": lambda: writer.add_relative_attn_buckets_count(8),
        "nomic-bert": lambda: writer.add_causal_attention(False),
        "bert": lambda: writer.add_causal_attention(False),
    }.get(name)
    if own:
        own()
    if name in ("granite", "granitemoe", "minicpm"):
        writer.add_logit_scale(2.0)
        writer.add_embedding_scale(12.0)
        writer.add_residual_scale(0.5)
    if name == "gpt-oss":
        writer.add_sliding_window(64)
    if name.startswith("deepseek2"):
        writer.add_leading_dense_block_count(1)
        writer.add_expert_shared_count(2)
        writer.add_kv_lora_rank(KV_RANK)
        if name == "deepseek2":
            writer.add_q_lora_rank(Q_RANK)
        writer.add_key_length(HEAD + ROPE)
        writer.add_value_length(HEAD)
        writer.add_rope_dimension_count(ROPE)
    if name == "rwkv6":
        writer.add_wkv_head_size(8)
        writer.add_time_mix_extra_dim(8)
        writer.add_time_decay_extra_dim(16)
    if name == "rwkv7":
        writer.add_wkv_head_size(8)
        writer.add_decay_lora_rank(8)
        writer.add_iclr_lora_rank(4)
        writer.add_value_residual_mix_lora_rank(6)
        writer.add_gate_lora_rank(10)
    return layers


def has_in_layer(kind, name, layer):
    """Whether a tensor that only some layers have is in this one."""
    expert = "exps" in kind or "shexp" in kind or kind in ("ffn_gate_inp", "exp_probs_b")
    dense = kind in ("ffn_gate", "ffn_up", "ffn_down")
    if expert and name not in MIXTURES:
        return False
    if name in MIXTURES and (expert or dense):
        mixture = {"llama4": (layer + 1) % 2 == 0}.get(name, not name.startswith("deepseek2") or layer >= 1)
        if expert != mixture:
            return False
    if name in HYBRIDS:
        attends = (layer + 1) % 4 == 0
        if kind in ("attn_q", "attn_k", "attn_v", "attn_output", "attn_q_norm", "attn_k_norm"):
            return attends
        if kind.startswith("ssm_") or kind in ("attn_qkv", "attn_gate"):
            return not attends
    return kind != "attn_rel_b" or layer == 0


def shape_of(kind, name, tokens):
    shapes = dict(SHAPES)
    if name in HYBRIDS:
        shapes.update(HYBRID_SHAPES)
    shapes.update(OWN_SHAPES.get(name, {}))
    return tuple(tokens if size == 0 else size for size in shapes.get(kind, (E,)))


def add_tensor(writer, tensor_name, shape):
    kind = numpy.float32 if len(shape) == 1 else numpy.float16
    writer.add_tensor(tensor_name, RNG.standard_normal(tuple(reversed(shape))).astype(kind))


def add_tensors(writer, name, layers, tokens):
    architecture = {value: key for key, value in MODEL_ARCH_NAMES.items()}[base_architecture(name)]
    for tensor in MODEL_TENSORS[architecture]:
        pattern = TENSOR_NAMES[tensor]
        kind = pattern.split(".")[-1] if "{bid}" in pattern else pattern
        if kind in NEVER or kind in WITHOUT.get(name, []):
            continue
        for layer in range(layers) if "{bid}" in pattern else [0]:
            if "{bid}" in pattern and not has_in_layer(kind, name, layer):
                continue
            full, shape = pattern.format(bid=layer), shape_of(kind, name, tokens)
            only_bias = name in ONLY_BIAS.get(kind, [])
            if kind in NO_SUFFIX:
                add_tensor(writer, full, shape)
            elif not only_bias:
                add_tensor(writer, full + ".weight", shape)
            if only_bias or kind in BIASES.get(name, []):
                add_tensor(writer, full + ".bias", shape[1:] if len(shape) > 1 and not only_bias else shape)


def write_projector(path):
    writer = gguf.GGUFWriter(path, "clip")
    writer.add_type("mmproj")
    writer.add_clip_has_vision_encoder(True)
    writer.add_clip_projector_type("mlp")
    writer.add_vision_image_size(32)
    writer.add_vision_patch_size(16)
    writer.add_vision_embedding_length(E)
    writer.add_vision_feed_forward_length(FF)
    writer.add_vision_block_count(1)
    writer.add_vision_head_count(HEADS)
    writer.add_vision_attention_layernorm_eps(1e-5)
    writer.add_vision_projection_dim(E)
    writer.add_vision_image_mean([0.5, 0.5, 0.5])
    writer.add_vision_image_std([0.5, 0.5, 0.5])
    add_tensor(writer, "mm.0.weight", (E, E))
    add_tensor(writer, "mm.0.bias", (E,))
    add_tensor(writer, "v.patch_embd.weight", (16, 16, 3, E))
    return writer


def write_model(path, name):
    writer = gguf.GGUFWriter(path, base_architecture(name))
    writer.add_type("model")
    writer.add_name("small random " + name)
    writer.add_file_type(gguf.LlamaFileType.MOSTLY_F16)
    writer.add_quantization_version(gguf.GGML_QUANT_VERSION)
    layers = add_hyper_parameters(writer, name)
    add_tensors(writer, name, layers, add_vocabulary(writer, name))
    return writer


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[2:] or ARCHITECTURES:
        path = folder / (name + ".gguf")
        writer = write_projector(path) if name == "mmproj" else write_model(path, name)
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
        writer.close()


if __name__ == "__main__":
    main()
