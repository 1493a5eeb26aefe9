#!/usr/bin/env python3
"""Compares `ggufvet check --as ggml` with the reader it speaks for.

Every file is given to gguf_init_from_file (no_alloc) of a real ggml library and to ggufvet; both must accept or both
must refuse. Files where they are known to differ stand in known_differences.txt with the reason; an unlisted
difference fails, and so does a listed one that is gone.

  compare.py [--library FILE.so] [--ggufvet PATH] FILE|DIRECTORY...

Without --library the one inside the Python package xllamacpp is used (`pip install xllamacpp`). With --mutate N each
file is also tried with N random changes of one to eight bytes, seeded, so that a run can be repeated.
"""
import argparse
import ctypes
import glob
import importlib.util
import json
import os
import random
import subprocess
import sys
import tempfile


class InitParameters(ctypes.Structure):
    _fields_ = [("no_alloc", ctypes.c_bool), ("context", ctypes.c_void_p)]


def load_library(path):
    if not path:
        spec = importlib.util.find_spec("xllamacpp")
        if spec is None:
            sys.exit("compare.py: no ggml library: give --library, or pip install xllamacpp")
        import xllamacpp  # noqa: F401  (its shared object needs the interpreter's symbols)

        found = glob.glob(os.path.join(os.path.dirname(spec.origin), "*.so"))
        if not found:
            sys.exit("compare.py: xllamacpp holds no shared object")
        path = found[0]
    library = ctypes.CDLL(path)
    library.gguf_init_from_file.restype = ctypes.c_void_p
    library.gguf_init_from_file.argtypes = [ctypes.c_char_p, InitParameters]
    library.gguf_free.argtypes = [ctypes.c_void_p]
    return library


def library_accepts(library, path):
    """In a child process: a crash is an answer too."""
    child = os.fork()
    if child == 0:
        silence = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silence, 1)
        os.dup2(silence, 2)
        context = library.gguf_init_from_file(os.fsencode(path), InitParameters(True, None))
        os._exit(0 if context else 1)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return "crash"
    return "accept" if os.WEXITSTATUS(status) == 0 else "reject"


def ggufvet_accepts(program, paths):
    result = subprocess.run([program, "check", "--as", "ggml", "--format", "json", *paths],
                            capture_output=True, check=False)
    report = json.loads(result.stdout)
    return {entry["path"]: (entry["verdict"], [finding["rule"] for finding in entry["findings"]])
            for entry in report["files"]}


def read_known(path):
    known = {}
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            line = line.strip()
            if line and not line.startswith("#"):
                name, _, reason = line.partition(" ")
                known[name] = reason.strip()
    return known


def find_files(paths):
    for path in paths:
        if os.path.isdir(path):
            for folder, _, names in sorted(os.walk(path)):
                for name in sorted(names):
                    if name.endswith(".gguf"):
                        yield os.path.join(folder, name)
        else:
            yield path


def mutate(data, count, seed):
    generator = random.Random(seed)
    interesting = [0, 1, 2, 3, 4, 7, 8, 9, 12, 13, 31, 32, 64, 127, 128, 255]
    for _ in range(count):
        changed = bytearray(data)
        for _ in range(generator.randint(1, 8)):
            if not changed:
                break
            place = generator.randrange(min(len(changed), 4096))
            changed[place] = generator.choice(interesting) if generator.random() < 0.7 else generator.randrange(256)
        if generator.random() < 0.1:
            del changed[generator.randrange(len(changed) + 1):]
        yield bytes(changed)


def compare(library, program, files, known):
    seen = set()
    failures = 0
    ours = ggufvet_accepts(program, files)
    for path in files:
        name = os.path.basename(path)
        verdict, rules = ours[path]
        theirs = library_accepts(library, path)
        differs = verdict != theirs
        if differs and name in known:
            seen.add(name)
        elif differs:
            failures += 1
            print(f"DIFFERS {path}: ggml {theirs}, ggufvet {verdict} {rules}")
        elif name in known:
            failures += 1
            print(f"AGREES NOW {path}: take it off known_differences.txt")
    return failures, len(files), len(seen)


def compare_mutants(library, program, files, count, keep):
    failures = total = 0
    for number, path in enumerate(files):
        with open(path, "rb") as stream:
            data = stream.read()
        if len(data) > 1 << 20:
            continue
        with tempfile.TemporaryDirectory() as folder:
            names = []
            for index, mutant in enumerate(mutate(data, count, number)):
                name = os.path.join(folder, f"{os.path.basename(path)}.{index}")
                with open(name, "wb") as stream:
                    stream.write(mutant)
                names.append(name)
            ours = ggufvet_accepts(program, names)
            for name in names:
                total += 1
                verdict, rules = ours[name]
                theirs = library_accepts(library, name)
                if verdict != theirs:
                    failures += 1
                    kept = ""
                    if keep:
                        kept = os.path.join(keep, os.path.basename(name))
                        os.makedirs(keep, exist_ok=True)
                        with open(name, "rb") as source, open(kept, "wb") as target:
                            target.write(source.read())
                    print(f"DIFFERS {os.path.basename(name)}: ggml {theirs}, ggufvet {verdict} {rules} {kept}")
    return failures, total


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    root = os.path.normpath(os.path.join(here, "..", "..", ".."))
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--library")
    parser.add_argument("--ggufvet", default=os.path.join(root, "build", "release", "tools", "ggufvet"))
    parser.add_argument("--mutate", type=int, default=0, metavar="N")
    parser.add_argument("--keep", help="folder for mutants on which they differ")
    parser.add_argument("paths", nargs="*", default=[os.path.join(root, "corpus", "blobs")])
    options = parser.parse_args()
    library = load_library(options.library)
    files = list(find_files(options.paths))
    if not files:
        sys.exit("compare.py: no files to compare")
    failures, count, excused = compare(library, options.ggufvet, files,
                                       read_known(os.path.join(here, "known_differences.txt")))
    print(f"{count} files, {failures} unexplained differences, {excused} known")
    if options.mutate:
        more, total = compare_mutants(library, options.ggufvet, files, options.mutate, options.keep)
        print(f"{total} mutants, {more} differences")
        failures += more
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
