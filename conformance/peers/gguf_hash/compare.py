#!/usr/bin/env python3
"""Manifests of mainline's gguf-hash tool and ours, both ways: each verifies what the other wrote, and both notice a
changed byte.

usage: compare.py GGUFVET GGUF_HASH MODEL...     GGUF_HASH is the command llama-gguf-hash (Debian: llama.cpp-examples)
"""
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path


def run(command, **options):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, **options)


def lines_of(text):
    return sorted(line.rstrip() for line in text.splitlines() if line.strip())


def spoil(path, at):
    with open(path, "r+b") as file:
        file.seek(at)
        byte = file.read(1)[0]
        file.seek(at)
        file.write(bytes([byte ^ 1]))


def check_model(tool, peer, model, folder):
    failures = []
    copy = folder / model.name
    shutil.copyfile(model, copy)
    theirs = run([peer, "--all", copy.name], cwd=folder)
    ours = run([tool, "hash", "--all", copy.name], cwd=folder)
    if theirs.returncode != 0 or ours.returncode != 0:
        return [f"{model}: exit statuses {theirs.returncode} and {ours.returncode}: {ours.stderr}"]
    if lines_of(theirs.stdout) != lines_of(ours.stdout):
        failures.append(f"{model}: the manifests differ")
    uuid = [run([command, *words, copy.name], cwd=folder).stdout for command, words in
            ((peer, ["--no-layer", "--uuid"]), (tool, ["hash", "--no-layer", "--uuid"]))]
    if lines_of(uuid[0]) != lines_of(uuid[1]) or "uuid" not in uuid[0]:
        failures.append(f"{model}: the UUIDs differ: {uuid}")
    (folder / "theirs").write_text(theirs.stdout)
    (folder / "ours").write_text(ours.stdout)
    for spoilt in (False, True):
        if spoilt:
            spoil(copy, copy.stat().st_size - 1 - 31 if copy.stat().st_size > 64 else 0)
        expected = 1 if spoilt else 0
        verified = run([tool, "verify", "theirs"], cwd=folder)
        if verified.returncode != expected:
            failures.append(f"{model}: our verify of their manifest: {verified.returncode}, expected {expected}: {verified.stdout}{verified.stderr}")
        checked = run([peer, "--check", "ours", copy.name], cwd=folder)
        if checked.returncode != expected:
            failures.append(f"{model}: their check of our manifest: {checked.returncode}, expected {expected}")
    return failures


def main(tool, peer, models):
    failures = []
    for model in models:
        with tempfile.TemporaryDirectory() as folder:
            failures += check_model(Path(tool).resolve(), Path(peer).resolve(), Path(model), Path(folder))
    print("\n".join(failures))
    print(f"{len(models)} models, {len(failures)} failures")
    return 1 if failures or not models else 0


if __name__ == "__main__":
    if len(sys.argv) < 4:
        raise SystemExit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
