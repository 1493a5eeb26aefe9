#!/usr/bin/env python3
"""Figures of `ggufvet compare` and `show --stats` against numpy, on a model made here with gguf-py and its quantiser.

usage: compare.py GGUFVET     needs the Python packages gguf and numpy; exit status 1 when a figure differs in the
                              first six digits, 0 when none does
"""
import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path

import gguf
import numpy

DIGITS = 1e-6
SHAPES = {"token_embd.weight": (1000, 512), "blk.0.ffn_up.weight": (768, 512), "blk.0.ffn_down_exps.weight": (4, 96, 256),
          "output_norm.weight": (512,)}
FORMS = {"Q8_0": gguf.GGMLQuantizationType.Q8_0, "Q4_0": gguf.GGMLQuantizationType.Q4_0,
         "Q5_1": gguf.GGMLQuantizationType.Q5_1, "F16": gguf.GGMLQuantizationType.F16,
         "BF16": gguf.GGMLQuantizationType.BF16}


def make_values():
    generator = numpy.random.default_rng(7)
    values = {}
    for name, shape in SHAPES.items():
        tensor = generator.standard_normal(shape) * generator.uniform(0.01, 0.2)
        tensor.flat[::997] *= 12  # a few outliers
        tensor.flat[5:60:7] = 0
        values[name] = tensor.astype(numpy.float32)
    return values


def write_model(path, values, form=None):
    """form: of the matrices; vectors stay F32, as quantisers have it. Answers what the file's values decode to."""
    writer = gguf.GGUFWriter(path, "sample")
    decoded = {}
    for name, tensor in values.items():
        if form is None or tensor.ndim == 1:
            writer.add_tensor(name, tensor)
            decoded[name] = tensor
        else:
            blocks = gguf.quants.quantize(tensor, form)
            writer.add_tensor(name, blocks, raw_dtype=form)
            decoded[name] = gguf.quants.dequantize(blocks, form).reshape(tensor.shape)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return decoded


def run(tool, *arguments):
    result = subprocess.run([tool, *map(str, arguments), "--format", "json"], capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise SystemExit(f"{arguments}: exit status {result.returncode}: {result.stderr}")
    return json.loads(result.stdout)


def differences(reference, other):
    a, b = reference.astype(numpy.float64).ravel(), other.astype(numpy.float64).ravel()
    error = a - b
    with numpy.errstate(divide="ignore"):
        return {"rmse": math.sqrt(numpy.mean(error ** 2)), "max_error": numpy.max(numpy.abs(error)),
                "relative": numpy.linalg.norm(error) / numpy.linalg.norm(a),
                "cosine": numpy.dot(a, b) / (numpy.linalg.norm(a) * numpy.linalg.norm(b)),
                "snr_db": 10 * numpy.log10(numpy.sum(a ** 2) / numpy.sum(error ** 2))}


def statistics(tensor):
    values = tensor.astype(numpy.float64).ravel()
    mean, deviation = numpy.mean(values), numpy.std(values)
    return {"min": values.min(), "max": values.max(), "mean": mean, "sd": deviation, "absmax": numpy.abs(values).max(),
            "zeros": int(numpy.sum(values == 0)), "outliers": int(numpy.sum(numpy.abs(values - mean) > 6 * deviation))}


def agree(ours, theirs):
    if ours is None:  # JSON has no infinity
        return math.isinf(theirs)
    return ours == theirs or abs(ours - theirs) <= DIGITS * max(abs(ours), abs(theirs))


def main(tool):
    compared, failures = 0, []

    def check(what, ours, theirs):
        nonlocal compared
        for key, value in theirs.items():
            compared += 1
            if not agree(ours[key], value):
                failures.append(f"{what} {key}: ours {ours[key]!r}, numpy {value!r}")

    with tempfile.TemporaryDirectory() as folder:
        values = make_values()
        reference = Path(folder) / "reference.gguf"
        write_model(reference, values)
        for row in run(tool, "compare", reference, reference)["tensors"]:
            figures = row["figures"]
            compared += 1
            if figures["rmse"] != 0 or figures["max_error"] != 0 or figures["relative"] != 0 or figures["snr_db"] is not None:
                failures.append(f"{row['name']} against itself: {figures}")
        for form, kind in FORMS.items():
            model = Path(folder) / f"{form}.gguf"
            decoded = write_model(model, values, kind)
            rows = run(tool, "compare", reference, model)["tensors"]
            if sorted(row["name"] for row in rows) != sorted(values):
                failures.append(f"{form}: other tensors")
            for row in rows:
                check(f"{form} {row['name']}", row["figures"], differences(values[row["name"]], decoded[row["name"]]))
            for row in run(tool, "show", "--stats", model)["tensors"]:
                check(f"{form} {row['name']}", row["statistics"], statistics(decoded[row["name"]]))
                if sum(row["statistics"]["histogram"]) != decoded[row["name"]].size:
                    failures.append(f"{form} {row['name']}: the histogram does not hold every value")
            # What a quantiser that works writes must not alarm a deep scan.
            report = run(tool, "check", "--deep", model)["files"][0]
            alarms = [finding["rule"] for finding in report["findings"] if finding["rule"].startswith("payload-")]
            if alarms or not report["deep"]["finished"]:
                failures.append(f"{form}: the deep scan says {alarms}")
    print("\n".join(failures))
    print(f"{compared} figures compared, {len(failures)} failures")
    return 1 if failures or compared < 200 else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    sys.exit(main(sys.argv[1]))
