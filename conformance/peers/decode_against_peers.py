#!/usr/bin/env python3
"""Compares `ggufvet decode` with pip's gguf (quants.dequantize) and with the to_float of a real ggml library, in one run:
10,000 random blocks of every type either of them decodes.

usage: decode_against_peers.py TOOL [GGML_LIBRARY]

TOOL is the built ggufvet; GGML_LIBRARY a shared library that exports ggml_get_type_traits, such as libggml-base.so. Needs
gguf and numpy. Fails on any differing float, NaN compared as NaN, and when one of them decodes a type that we do not.
"""
import ctypes
import pathlib
import subprocess
import sys
import tempfile
import warnings

import gguf
import numpy
from gguf.constants import GGML_QUANT_SIZES, GGMLQuantizationType

BLOCKS = 10_000
# Plain numbers: the library has no to_float for them, and pip's gguf only views them.
PLAIN = {"F32", "F64", "I8", "I16", "I32", "I64"}


class TypeTraits(ctypes.Structure):
    _fields_ = [("type_name", ctypes.c_char_p), ("block_elements", ctypes.c_int64), ("interleaved", ctypes.c_int64),
                ("block_bytes", ctypes.c_size_t), ("is_quantized", ctypes.c_bool), ("to_float", ctypes.c_void_p),
                ("from_float_ref", ctypes.c_void_p)]


class InitParameters(ctypes.Structure):
    _fields_ = [("memory_bytes", ctypes.c_size_t), ("memory", ctypes.c_void_p), ("no_alloc", ctypes.c_bool)]


class Library:
    def __init__(self, path):
        self.library = ctypes.CDLL(path)
        self.library.ggml_init.restype = ctypes.c_void_p
        self.library.ggml_init.argtypes = [InitParameters]
        self.library.ggml_init(InitParameters(1 << 20, None, True))  # fills tables that some releases decode with
        self.library.ggml_get_type_traits.restype = ctypes.POINTER(TypeTraits)
        self.library.ggml_get_type_traits.argtypes = [ctypes.c_int]

    def decode(self, kind, blocks, elements):
        traits = self.library.ggml_get_type_traits(kind.value).contents
        if not traits.to_float:
            return None
        assert traits.block_bytes == blocks.shape[1], kind
        out = numpy.empty(elements, dtype=numpy.float32)
        function = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)(traits.to_float)
        function(blocks.ctypes.data, out.ctypes.data, elements)
        return out


def decode_with_python(kind, blocks):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # overflow and NaN are the point of random scales
        try:
            return gguf.quants.dequantize(blocks, kind).astype(numpy.float32).ravel()
        except NotImplementedError:
            return None


def decode_with_tool(tool, kind, blocks, folder):
    (folder / "blocks").write_bytes(blocks.tobytes())
    done = subprocess.run([tool, "decode", "--type", kind.name, str(folder / "blocks"), "-o", str(folder / "out.f32")],
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return None, done.stderr.strip()
    return numpy.fromfile(folder / "out.f32", dtype="<f4"), ""


def differing(ours, theirs):
    if ours.size != theirs.size:
        return max(ours.size, theirs.size)
    same = (ours.view(numpy.uint32) == theirs.view(numpy.uint32)) | (numpy.isnan(ours) & numpy.isnan(theirs))
    return int((~same).sum())


def main():
    tool = sys.argv[1]
    library = Library(sys.argv[2]) if len(sys.argv) > 2 else None
    failed = 0
    compared = {"gguf": 0, "ggml": 0}
    with tempfile.TemporaryDirectory() as name:
        for kind, (block_elements, block_bytes) in GGML_QUANT_SIZES.items():
            if kind.name in PLAIN:
                continue
            blocks = numpy.random.default_rng(20261130 + kind.value).integers(
                0, 256, (BLOCKS, block_bytes), dtype=numpy.uint8)
            theirs = {"gguf": decode_with_python(kind, blocks),
                      "ggml": library.decode(kind, blocks, BLOCKS * block_elements) if library else None}
            ours, problem = decode_with_tool(tool, kind, blocks, pathlib.Path(name))
            words = []
            for peer, floats in theirs.items():
                if floats is None:
                    words.append(f"{peer} does not decode it")
                    continue
                compared[peer] += 1
                different = floats.size if ours is None else differing(ours, floats)
                failed += different != 0
                words.append(f"{peer}: {different} of {floats.size} differ")
            print(f"  {kind.name}: {'; '.join(words)}{'; we: ' + problem if problem else ''}")
    print(f"types compared: {compared['gguf']} with gguf, {compared['ggml']} with ggml; {failed} comparisons differ")
    sys.exit(1 if failed or not compared["gguf"] or (library and not compared["ggml"]) else 0)


if __name__ == "__main__":
    main()
