#!/usr/bin/env python3
"""Writes the inputs of our own decode vectors; conformance_verify --regen then fills in what our decoders make of them.

These vectors aim at one mistake each (see the flags), and cover the types no reference was measured for. They rest on
decoders that pass the measured vectors; shapes are taken from the measured files and layouts.json beside this script.
Run: make_derived.py && conformance_verify --regen .
"""
import json
import pathlib

HERE = pathlib.Path(__file__).resolve().parent

NOTES = {
    "scale_subnormal": "A subnormal fp16 scale: catches a conversion that flushes it to zero or treats it as normal.",
    "scale_negative_zero": "Scale -0: every product is a zero whose sign is the code's sign turned round.",
    "scale_negative": "A negative scale is legal: catches scales read as magnitudes.",
    "scale_nan": "A NaN scale makes every value NaN; nothing may be skipped or replaced.",
    "scale_infinite": "An infinite scale: code 0 gives NaN, other codes infinities.",
    "minimum_alone": "Scale 0 and a minimum of 1.5: catches a minimum added where it is subtracted, or not scaled.",
    "element_order": "Every code value in a known place: catches nibble, crumb or bit order.",
    "every_scale": "Every value of the first scale field, once.",
    "finite_sane": "Scales of ordinary size, random codes.",
    "any_bits": "Random bytes, scales included.",
    "grid_rows": "Every row of the grid in turn, all signs plus: catches a grid of another revision, row by row.",
    "sign_parity": "All 128 sign indices: the eighth sign is the parity of the other seven.",
    "sign_bytes": "All 256 sign bytes: every sign is stored, none follows from the others.",
    "trit_noncanonical": "All 256 values of a base-3 byte, the 13 that no encoder writes included.",
    "code_3": "A ternary type in 2-bit codes: code 3 is twice the scale, not an error and not 0.",
    "e8m0_ends": "E8M0 bytes 0, 1, 254 and 255: two subnormal scales, and 2^127 (MXFP4) or infinity (OCP) at the top.",
    "ue4m3_ends": "UE4M3 bytes 0x00, 0x01, 0x7E, 0x7F, 0x80 and 0xFF: zero, a subnormal, the largest, and two ways of 0x7F.",
    "e4m3_bytes": "All 256 E4M3FN bytes: subnormals, -0, and NaN at 0x7F and 0xFF only.",
    "row_header": "Several rows, each with another row scale: catches a header skipped, or rows stepped by blocks alone.",
    "flush_to_zero": "Results are float32 subnormals: catches flush-to-zero modes.",
    "tensor_scale": "One scale for the tensor after all codes: catches it looked for in every row or at the front.",
    "pair_order": "Adjacent elements share a byte, where the other reading of the name keeps them half a block apart.",
    "same_bytes_two_readings": "The same input bytes are decoded differently by another type of this file.",
    "largest_integers": "Integers at both ends of their range, and ties that round to even.",
}


def load(name):
    return json.loads((HERE / name).read_text())


def measured_groups():
    groups = {}
    for path in sorted(HERE.glob("decode_measured_*.json")):
        for group in load(path.name)["groups"]:
            kept = {k: v for k, v in group.items() if k not in ("vectors", "reference_name")}
            family = "ik" if "_ik_" in path.name else "codebook" if "codebook" in path.name else "mainline"
            groups.setdefault(group["type"], (kept, family))
    return groups


LAYOUTS = {group["type"]: group for group in load("layouts.json")["groups"]}
MEASURED = measured_groups()


def wide_fields(label):
    return [[f["begin"], f["unit"], f["bytes"] // f["unit"]] for f in LAYOUTS[label]["vectors"] if f["unit"] > 1]


def group_of(label, type_id, elements, scales, **more):
    layout = LAYOUTS[label]
    return {"type": label, "type_id": type_id, "block_elements": elements, "block_bytes": layout["block_bytes"],
            "row_header_bytes": 0, "scales": scales, "wide_fields": wide_fields(label), **more}


def plain(label, bytes_, swapped):
    fields = [[0, bytes_, 1]] if swapped else []
    return {"type": label, "type_id": 0, "block_elements": 1, "block_bytes": bytes_, "row_header_bytes": 0,
            "scales": [], "wide_fields": fields}


OTHERS = [
    group_of("q1_0_g32", 40, 32, [[0, "f16"]]),
    group_of("q2_0_g128", 142, 128, [[0, "f16"]]),
    group_of("ptq1_0", 143, 128, [[26, "f16"]]),
    group_of("stq1_0", 43, 256, [[40, "f16"]]),
    group_of("f8_e4m3_b128", 42, 128, [[0, "e8m0"]]),
    group_of("e4m3_b32", 42, 32, [[0, "f16"]]),
    group_of("rocmfp2_dual", 107, 32, [[8, "ue4m3"], [9, "ue4m3"]]),
    group_of("rocmfp2_affine", 107, 32, [[8, "ue4m3"], [9, "ue4m3"]]),
    group_of("mxfp4_ollama", 4, 32, [[0, "e8m0"]]),
    group_of("q8_k_ik", 15, 256, [[0, "f32"]]),
    group_of("iq1_bn", 134, 64, [], row_scale="f16"),
    group_of("iq2_bn", 135, 64, [], row_scale="f32"),
]
for bare in OTHERS[-2:]:
    bare["row_header_bytes"] = 2 if bare["row_scale"] == "f16" else 4
PLAIN = [plain("f32", 4, True), plain("f64", 8, True), plain("i8", 1, False), plain("i16", 2, True),
         plain("i32", 4, True), plain("i64", 8, True)]
I2_S = [{"type": f"i2_s_{order}", "type_id": 36, "block_elements": 4, "block_bytes": 1, "row_header_bytes": 0,
         "tensor_trailer_bytes": 32, "tensor_scale": "f32", "scales": [], "wide_fields": []}
        for order in ("x86", "arm", "1x4")]


def vector(group, name, class_, rows, blocks, flags, data=None, seed=None):
    entry = {"id": f"{group['type']}-{name}", "class": class_}
    if seed is not None:
        entry["seed"] = seed
    entry.update({"rows": rows, "blocks": blocks, "flags": flags})
    if data is not None:
        entry["input"] = bytes(data).hex()
    group.setdefault("vectors", []).append(entry)


def coded_block(group):
    return bytearray((17 * index) & 255 for index in range(group["block_bytes"]))


def put(block, begin, value, size):
    block[begin : begin + size] = value.to_bytes(size, "little")


def put_scale(block, begin, kind, half, single):
    """One fp16 value, or the same in the form the field has."""
    if kind == "f16":
        put(block, begin, half, 2)
    elif kind == "f32":
        put(block, begin, single, 4)
    elif kind == "f16_scattered":
        for j in range(4):
            at = begin + 2 * j + 1
            block[at] = (block[at] & 15) | (((half >> (4 * j)) & 15) << 4)


SPECIAL_SCALES = [
    ("subnormal", 0x0001, 0x00000001, ["scale_subnormal"]),
    ("subnormal-large", 0x03FF, 0x007FFFFF, ["scale_subnormal"]),
    ("negative-zero", 0x8000, 0x80000000, ["scale_negative_zero"]),
    ("negative", 0xB955, 0xBF2AAAAA, ["scale_negative"]),
    ("nan", 0x7E01, 0x7FC00001, ["scale_nan"]),
    ("infinite", 0x7C00, 0x7F800000, ["scale_infinite"]),
]


def special_scales(group):
    kinds = {kind for _, kind in group["scales"]}
    if kinds & {"f16", "f32", "f16_scattered"}:
        for name, half, single, flags in SPECIAL_SCALES:
            block = coded_block(group)
            for begin, kind in group["scales"]:
                put_scale(block, begin, kind, half, single)
            vector(group, f"scale-{name}", "bytes", 1, 1, flags, block)
    if len(group["scales"]) == 2 and kinds == {"f16"}:
        block = coded_block(group)
        put(block, group["scales"][0][0], 0, 2)
        put(block, group["scales"][1][0], 0x3E00, 2)
        vector(group, "minimum-alone", "bytes", 1, 1, ["minimum_alone"], block)
    if "e8m0" in kinds:
        for exponent in (0, 1, 254, 255):
            block = coded_block(group)
            block[group["scales"][0][0]] = exponent
            vector(group, f"e8m0-{exponent:02x}", "bytes", 1, 1, ["e8m0_ends"], block)
    if "ue4m3" in kinds:
        for value in (0x00, 0x01, 0x7E, 0x7F, 0x80, 0xFF):
            block = coded_block(group)
            for begin, _ in group["scales"]:
                block[begin] = value
            vector(group, f"ue4m3-{value:02x}", "bytes", 1, 1, ["ue4m3_ends"], block)


def row_headers(group):
    size = group["row_header_bytes"]
    values = {2: (0x3C00, 0xC000, 0x0001, 0x7E00), 4: (0x3F800000, 0xC0490FDB, 0x00000400, 0x7FC00000)}[size]
    data = bytearray()
    for value in values:
        data += value.to_bytes(size, "little")
        data += coded_block(group) * 2
    vector(group, "row-scales", "bytes", len(values), 2, ["row_header", "flush_to_zero"], data)


def grid_vectors(group):
    """One block per 256 elements; indices count up, scales and signs as small as the format allows."""
    label = group["type"]
    size = group["block_bytes"]

    def block():
        empty = bytearray(size)
        if label == "iq1_m":
            put_scale(empty, 48, "f16_scattered", 0x3C00, 0)
        else:
            put(empty, 0, 0x3C00, 2)
        return empty

    def many(count, fill, name, flags):
        data = bytearray()
        for index in range(count):
            one = block()
            fill(one, index)
            data += one
        vector(group, name, "bytes", 1, count, flags, data)

    def iq2_xxs_rows(b, n):
        for k in range(32):
            b[2 + 8 * (k // 4) + k % 4] = (32 * n + k) & 255

    def iq2_xxs_signs(b, n):
        for g in range(8):
            word = sum(((32 * n + 4 * g + l) & 127) << (7 * l) for l in range(4))
            put(b, 2 + 8 * g + 4, word, 4)

    def iq2_xs_rows(b, n):
        for k in range(32):
            put(b, 2 + 2 * k, 32 * n + k, 2)

    def iq2_xs_signs(b, n):
        for k in range(32):
            put(b, 2 + 2 * k, ((32 * n + k) & 127) << 9, 2)

    def iq2_s_rows(b, n):
        for k in range(32):
            row = 32 * n + k
            b[2 + k] = row & 255
            b[66 + k // 4] |= (row >> 8) << (2 * (k % 4))

    def iq2_s_signs(b, n):
        b[34:66] = bytes(32 * n + k for k in range(32))

    def iq3_xxs_rows(b, n):
        for k in range(64):
            b[2 + k] = 64 * n + k

    def iq3_xxs_signs(b, n):
        for g in range(8):
            put(b, 66 + 4 * g, sum(((32 * n + 4 * g + l) & 127) << (7 * l) for l in range(4)), 4)

    def iq3_s_rows(b, n):
        for k in range(64):
            row = 64 * n + k
            b[2 + k] = row & 255
            b[66 + k // 8] |= (row >> 8) << (k % 8)

    def iq3_s_signs(b, n):
        b[74:106] = bytes(32 * n + k for k in range(32))

    def iq1_s_rows(b, n):
        for g in range(8):
            word = 0
            for l in range(4):
                row = 32 * n + 4 * g + l
                b[2 + 4 * g + l] = row & 255
                word |= (row >> 8) << (3 * l)
            put(b, 34 + 2 * g, word | ((g & 1) << 15), 2)

    def iq1_m_rows(b, n):
        for k in range(32):
            row = 32 * n + k
            b[k] = row & 255
            b[32 + k // 2] |= ((row >> 8) | ((k & 1) << 3)) << (4 * (k & 1))

    plans = {
        "iq2_xxs": [(8, iq2_xxs_rows, "grid"), (4, iq2_xxs_signs, "sign_parity")],
        "iq2_xs": [(16, iq2_xs_rows, "grid"), (4, iq2_xs_signs, "sign_parity")],
        "iq2_s": [(32, iq2_s_rows, "grid"), (8, iq2_s_signs, "sign_bytes")],
        "iq3_xxs": [(4, iq3_xxs_rows, "grid"), (4, iq3_xxs_signs, "sign_parity")],
        "iq3_s": [(8, iq3_s_rows, "grid"), (8, iq3_s_signs, "sign_bytes")],
        "iq1_s": [(64, iq1_s_rows, "grid")],
        "iq1_m": [(64, iq1_m_rows, "grid")],
    }
    for count, fill, what in plans.get(label, []):
        flag = "grid_rows" if what == "grid" else what
        many(count, fill, f"every-{'row' if what == 'grid' else 'sign'}", [flag])


def every_byte(group, begin, count, name, flags):
    """Blocks whose `count` bytes from `begin` run through all 256 values."""
    data = bytearray()
    blocks = -(-256 // count)
    for n in range(blocks):
        block = coded_block(group)
        for at, kind in group["scales"]:
            put_scale(block, at, kind, 0x3C00, 0x3F800000)
            if kind == "e8m0":
                block[at] = 127
        block[begin : begin + count] = bytes((n * count + k) & 255 for k in range(count))
        data += block
    vector(group, name, "bytes", 1, blocks, flags, data)


def without_reference(group):
    rows, blocks = (4, 16) if group["row_header_bytes"] else (1, 64)
    extra = ["row_header"] if group["row_header_bytes"] else []
    for seed in (1, 2):
        vector(group, f"random-{seed}", "random", rows, blocks, ["any_bits"] + extra, seed=seed)
        vector(group, f"sane-{seed}", "sane", rows, blocks, ["finite_sane"] + extra, seed=seed)
    vector(group, "codes-17", "codes_17", 1, 2, ["element_order"])
    for pattern in ("00", "ff", "80", "7f"):
        vector(group, f"fill-{pattern}", f"fill_{pattern}", 1, 1, ["any_bits"])
    if group["scales"] and group["scales"][0][1] == "f16":
        vector(group, "scale-sweep", "scale_sweep", 1, 65536, ["every_scale"])
    if group["scales"] and group["scales"][0][1] == "e8m0":
        vector(group, "scale-sweep", "scale_sweep", 1, 256, ["every_scale"])


def integers(group):
    size = group["block_bytes"]
    top = 1 << (8 * size - 1)
    values = [0, 1, 2 * top - 1, top, top - 1, top + 1]
    if size >= 4:
        values += [16777217, 16777219, 2 * top - 16777217]
    data = b"".join(value.to_bytes(size, "little") for value in values)
    vector(group, "ends", "bytes", 1, len(values), ["largest_integers"], data)


def doubles(group):
    values = [0, 1 << 63, 0x3FF0000010000000, 0x3FF0000030000000, 0x7FF0000000000000, 0x7FF8000000000001,
              0x36A0000000000000, 0x3690000000000000, 0x3690000000000001, 0x47EFFFFFF0000000, 0x47EFFFFFEFFFFFFF]
    data = b"".join(value.to_bytes(8, "little") for value in values)
    vector(group, "rounding", "bytes", 1, len(values), ["flush_to_zero"], data)


def write(name, groups):
    used = {flag for group in groups for entry in group["vectors"] for flag in entry["flags"]}
    assert used <= set(NOTES), used - set(NOTES)
    file = {"schema": "ggufvet.golden/1", "kind": "decode", "origin": "derived",
            "notes": {flag: text for flag, text in NOTES.items() if flag in used}, "groups": groups}
    (HERE / name).write_text(json.dumps(file))


def main():
    aimed = [(dict(group), family) for _, (group, family) in sorted(MEASURED.items())]
    for group, _ in aimed:
        special_scales(group)
        grid_vectors(group)
        if group["row_header_bytes"]:
            row_headers(group)
        if group["type"] == "tq1_0":
            every_byte(group, 0, 52, "every-byte", ["trit_noncanonical"])
        if group["type"] == "iq1_bn_v0":
            every_byte(group, 0, 13, "every-byte", ["trit_noncanonical"])
        if group["type"] in ("tq2_0", "q2_0_g64", "iq2_bn_v0"):
            vector(group, "code-3", "fill_ff" if group["type"] == "iq2_bn_v0" else "codes_17", 1, 1, ["code_3"])
    for family in ("mainline", "codebook", "ik"):
        write(f"decode_derived_aimed_{family}.json",
              [group for group, of in aimed if of == family and group.get("vectors")])

    for group in OTHERS:
        without_reference(group)
        special_scales(group)
        if group["row_header_bytes"]:
            row_headers(group)
        if group["type"] == "ptq1_0":
            every_byte(group, 0, 26, "every-byte", ["trit_noncanonical"])
        if group["type"] in ("f8_e4m3_b128", "e4m3_b32"):
            every_byte(group, LAYOUTS[group["type"]]["vectors"][1]["begin"], 32, "every-byte", ["e4m3_bytes"])
        for entry in group["vectors"]:
            if group["type"].startswith("rocmfp2") and entry["class"] != "bytes":
                entry["flags"].append("same_bytes_two_readings")
            if group["type"] == "mxfp4_ollama" and entry["class"] == "codes_17":
                entry["flags"].append("pair_order")
    for group in PLAIN:
        for seed in (1, 2):
            vector(group, f"random-{seed}", "random", 1, 4096, ["any_bits"], seed=seed)
        if group["type"].startswith("i"):
            integers(group)
        if group["type"] == "f64":
            doubles(group)
    for group in I2_S:
        for seed in (1, 2):
            vector(group, f"sane-{seed}", "sane", 8, 64, ["finite_sane", "tensor_scale"], seed=seed)
            vector(group, f"random-{seed}", "random", 8, 64, ["any_bits", "code_3"], seed=seed)
        vector(group, "codes-17", "codes_17", 4, 32, ["element_order", "tensor_scale", "same_bytes_two_readings"])
    write("decode_derived_without_reference.json", OTHERS + PLAIN + I2_S)


if __name__ == "__main__":
    main()
