#!/usr/bin/env python3
"""Compares our decoders with pip's gguf (gguf.quants.dequantize) on 10,000 random blocks of every type it supports.

usage: dequant_against_gguf_py.py DECODE_BLOCKS

DECODE_BLOCKS is a program `DECODE_BLOCKS LABEL` that reads blocks on standard input and writes little-endian float32
(decode_blocks.cpp beside this script). Needs gguf and numpy. Fails on any differing float, NaN compared as NaN.
"""
import subprocess
import sys
import warnings

import gguf
import numpy
from gguf.constants import GGML_QUANT_SIZES, GGMLQuantizationType

BLOCKS = 10_000
LABELS = {"Q1_0": "q1_0_g128", "Q2_0": "q2_0_g64"}


def compare(program, kind, block_bytes):
    label = LABELS.get(kind.name, kind.name.lower())
    blocks = numpy.random.default_rng(20261130 + kind.value).integers(0, 256, (BLOCKS, block_bytes), dtype=numpy.uint8)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # overflow and NaN are the point of random scales
        theirs = gguf.quants.dequantize(blocks, kind).astype(numpy.float32).ravel()
    answer = subprocess.run([program, label], input=blocks.tobytes(), capture_output=True, check=True)
    ours = numpy.frombuffer(answer.stdout, dtype="<f4")
    if ours.size != theirs.size:
        return ours.size, max(ours.size, theirs.size)
    same = (ours.view(numpy.uint32) == theirs.view(numpy.uint32)) | (numpy.isnan(ours) & numpy.isnan(theirs))
    return ours.size, int((~same).sum())


def main():
    program = sys.argv[1]
    failed = compared = 0
    for kind, (_, block_bytes) in GGML_QUANT_SIZES.items():
        try:
            floats, different = compare(program, kind, block_bytes)
        except NotImplementedError:
            print(f"  {kind.name}: gguf does not decode it")
            continue
        except subprocess.CalledProcessError:
            print(f"  {kind.name}: we do not decode it")
            continue
        compared += 1
        failed += different != 0
        print(f"  {kind.name}: {floats} floats, {different} differ")
    print(f"{compared} types compared, {failed} differ")
    sys.exit(1 if failed or not compared else 0)


if __name__ == "__main__":
    main()
