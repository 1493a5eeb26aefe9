#!/usr/bin/env python3
"""Deep scan, hashes and comparisons as users meet them: faults planted and found, manifests, interrupts, files that
change, memory that does not grow.

usage: GGUFVET_TOOL=build/dev/tools/ggufvet deep_test.py [unittest arguments]
"""
import hashlib
import os
import shutil
import signal
import struct
import subprocess
import sys
import time
import unittest

from cli_support import (ACCEPTED, SOME_TEXT, F32, Q8_0, REJECTED, TIMEOUT_SECONDS, TOOL, U32, UNDECIDED, USAGE, Case,
                         broken_files, gguf, pair, run, strings, tensor, text, unsafe_in, validator)

F16, ARRAY, STRING = 1, 9, 8
Q8_0_BYTES = 34
RSS_MAX = 16 << 20


def q8_0(blocks, scale=0x2C00, first=1):
    return b"".join(struct.pack("<H", scale) + bytes((first + block + index) % 256 for index in range(32))
                    for block in range(blocks))


def model(matrix=None, norm=1.0, pairs=(SOME_TEXT,), name="blk.0.weight"):
    matrix = q8_0(64) if matrix is None else matrix
    data = matrix + bytes(-len(matrix) % 32)
    return gguf(list(pairs), [tensor(name, [256, len(matrix) // Q8_0_BYTES // 8], Q8_0, 0), tensor("norm", [8], F32, len(data))],
                data + struct.pack("<8f", *[norm] * 8))


def sparse(path, gibibytes, type_id=F16):
    """A model of about that size that takes no room on the disk, ordinary at both ends."""
    row = {F16: b"\x01\x3c" * 1024, Q8_0: q8_0(32)}[type_id]
    rows = (gibibytes << 30) // len(row)
    head = gguf([], [tensor("w", [1024, rows], type_id, 0)])
    with open(path, "wb") as file:
        file.write(head + row)
        file.truncate(len(head) + rows * len(row))
        file.seek(-len(row), os.SEEK_END)
        file.write(row)
    return len(head)


class DeepScan(Case):
    def test_a_planted_fault_is_found_where_it_is(self):
        schema = validator("report")
        matrix = bytearray(q8_0(64))
        matrix[Q8_0_BYTES * 41:Q8_0_BYTES * 41 + 2] = b"\x00\x7c"
        clean, bad = self.write("clean.gguf", model()), self.write("bad.gguf", model(bytes(matrix)))
        result = self.check(ACCEPTED, "--deep", "--profile", "publish", clean, "--format", "json")
        schema.validate(result.json)
        self.assertEqual([f for f in result.json["files"][0]["findings"] if f["rule"].startswith("payload")], [])
        self.assertTrue(result.json["files"][0]["deep"]["finished"])
        self.check(ACCEPTED, "--deep", bad)  # hardened warns
        result = self.check(REJECTED, "--deep", "--profile", "publish", bad, "--format", "json")
        schema.validate(result.json)
        found = [f for f in result.json["files"][0]["findings"] if f["rule"] == "payload-scale-not-finite"]
        self.assertEqual(len(found), 1)
        self.assertEqual((found[0]["path"], found[0]["name"]), ("tensor[0].data", "blk.0.weight"))
        begin = bad.read_bytes().index(b"\x00\x7c" + matrix[Q8_0_BYTES * 41 + 2:Q8_0_BYTES * 41 + 12])
        self.assertEqual(found[0]["range"], {"begin": begin, "end": begin + 2})
        self.assertIn("block 41 ", found[0]["message"])

    def test_without_deep_no_tensor_is_read(self):
        path = self.folder / "huge.gguf"
        sparse(path, 2048)
        started = time.monotonic()
        self.check(ACCEPTED, path)
        self.assertLess(time.monotonic() - started, TIMEOUT_SECONDS / 2)

    def test_the_digest_is_that_of_the_file(self):
        path = self.write("a.gguf", model())
        for algorithm in ["sha256", "sha1"]:
            result = self.check(ACCEPTED, "--deep", "--hash", algorithm, path, "--format", "json")
            validator("report").validate(result.json)
            self.assertEqual(result.json["files"][0]["digest"],
                             {"algorithm": algorithm, "hex": hashlib.new(algorithm, path.read_bytes()).hexdigest()})
        self.check(USAGE, "--hash", "sha256", path)

    def test_memory_does_not_grow_with_the_file(self):
        # Q8_0: blocks of 34 bytes, so that pieces of work meet inside a page.
        path, unaligned = self.folder / "sparse.gguf", self.folder / "unaligned.gguf"
        sparse(path, 3)
        sparse(unaligned, 3, Q8_0)
        for path, *options in [(path, "--jobs", "1"), (path, "--jobs", "2"), (unaligned, "--jobs", "1"),
                               (unaligned, "--jobs", "2"), (unaligned, "--jobs", "8"), (path, "--hash", "xxh3_128")]:
            result = subprocess.run(["/usr/bin/env", "python3", "-c", "import resource, subprocess, sys\n"
                                     "status = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode\n"
                                     "print(status, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)",
                                     TOOL, "check", "--deep", *options, str(path)],
                                    capture_output=True, text=True, timeout=TIMEOUT_SECONDS, check=True)
            status, kibibytes = map(int, result.stdout.split())
            self.assertEqual(status, ACCEPTED)
            if "sanitize" not in os.environ.get("GGUFVET_BUILD", ""):
                self.assertLess(kibibytes << 10, RSS_MAX, options)

    def interrupt(self, *arguments):
        process = subprocess.Popen([TOOL, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=TIMEOUT_SECONDS)
        return process.returncode, out, err

    def test_an_interrupt_is_undecided_and_leaves_no_partial_file(self):
        path, output = self.folder / "sparse.gguf", self.folder / "out"
        sparse(path, 4096)
        status, out, _ = self.interrupt("check", "--deep", "--format", "json", path)
        self.assertEqual(status, UNDECIDED)
        self.assertIn(b"scan-interrupted", out)
        for command in [["hash", path], ["show", "--stats", path], ["compare", path, path], ["diff", path, path]]:
            status, _, err = self.interrupt(*command, "-o", output)
            self.assertEqual((command, status), (command, UNDECIDED), err)
            self.assertIn(b"interrupted", err)
            self.assertEqual([each.name for each in self.folder.iterdir()], ["sparse.gguf"], command)

    def test_a_killed_run_leaves_no_partial_file(self):
        path, output = self.folder / "sparse.gguf", self.folder / "out"
        sparse(path, 4096)
        process = subprocess.Popen([TOOL, "hash", "--all", str(path), "-o", str(output)])
        time.sleep(0.5)
        process.kill()
        process.wait()
        self.assertFalse(output.exists())

    def test_a_file_that_shrinks_while_it_is_scanned_is_undecided(self):
        path = self.folder / "sparse.gguf"
        for arguments in [["check", "--deep"], ["hash"]]:
            sparse(path, 4096)
            process = subprocess.Popen([TOOL, *arguments, str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            time.sleep(0.5)
            os.truncate(path, 1 << 20)
            out, err = process.communicate(timeout=TIMEOUT_SECONDS)
            self.assertEqual(process.returncode, UNDECIDED, (out, err))
            self.assertIn(b"changed while it was read", out + err)


class Hashes(Case):
    def test_manifests_verify_and_name_what_changed(self):
        path = self.write("a model: 1.gguf", model())
        for options in [[], ["--all"], ["--xxh64", "--uuid"], ["--sha256", "--no-layer"]]:
            manifest = self.folder / "manifest"
            self.assertEqual(run("hash", *options, path.name, "-o", manifest, cwd=self.folder).status, ACCEPTED)
            self.assertEqual(run("verify", manifest, cwd=self.folder).status, ACCEPTED)
        self.assertEqual(run("hash", "--all", path.name, "-o", manifest, cwd=self.folder).status, ACCEPTED)
        path.write_bytes(model(norm=2.0))
        result = run("verify", manifest, "--format", "json", cwd=self.folder)
        self.assertEqual(result.status, REJECTED)
        validator("verify").validate(result.json)
        changed = {row.get("tensor") for row in result.json["results"] if row["result"] == "different"}
        self.assertEqual(changed, {"norm", None})
        text_result = run("verify", manifest, cwd=self.folder)
        self.assertIn(b"norm: sha256 different", text_result.out)
        path.write_bytes(model(name="another"))
        self.assertIn(b"missing", run("verify", manifest, cwd=self.folder).out)
        path.unlink()
        self.assertEqual(run("verify", manifest, cwd=self.folder).status, UNDECIDED)

    def test_the_digests_are_those_of_the_bytes(self):
        matrix = q8_0(64)
        path = self.write("a.gguf", model(matrix))
        result = run("hash", "--sha256", "--sha1", path, "--format", "json")
        validator("hash").validate(result.json)
        both = matrix + struct.pack("<8f", *[1.0] * 8)
        for name in ["sha256", "sha1"]:
            self.assertEqual(result.json["models"][0]["digests"][name], hashlib.new(name, both).hexdigest())
            self.assertEqual(result.json["models"][0]["tensors"][0]["digests"][name], hashlib.new(name, matrix).hexdigest())

    def test_lines_for_files_are_those_of_sha256sum(self):
        for name in ["a.gguf", "b c.gguf", "back\\slash.gguf", "new\nline.gguf"]:
            path = self.write(name, model())
            ours = run("hash", "--file", path.name, cwd=self.folder)
            self.assertEqual(ours.status, ACCEPTED)
            self.write("sums", ours.out)
            if shutil.which("sha256sum"):
                theirs = subprocess.run(["sha256sum", path.name], cwd=self.folder, capture_output=True, check=True)
                self.assertEqual(ours.out, theirs.stdout)
            self.assertEqual(run("verify", "sums", cwd=self.folder).status, ACCEPTED)

    def test_a_split_set_is_one_model(self):
        whole = self.write("whole.gguf", model())
        matrix = q8_0(64)
        self.write("set-00001-of-00002.gguf", gguf([SOME_TEXT], [tensor("blk.0.weight", [256, 8], Q8_0, 0)], matrix))
        self.write("set-00002-of-00002.gguf", gguf([], [tensor("norm", [8], F32, 0)], struct.pack("<8f", *[1.0] * 8)))
        first = self.folder / "set-00001-of-00002.gguf"
        of_set = run("hash", first, "--format", "json").json["models"][0]
        of_whole = run("hash", whole, "--format", "json").json["models"][0]
        self.assertEqual(of_set["digests"], of_whole["digests"])
        self.assertEqual(len([shard for shard in of_set["shards"] if "digests" in shard]), 2)
        manifest = self.folder / "manifest"
        self.assertEqual(run("hash", first, "-o", manifest).status, ACCEPTED)
        self.assertEqual(run("verify", manifest).status, ACCEPTED, manifest.read_text())
        self.assertEqual(run("diff", first, whole).status, ACCEPTED)
        (self.folder / "set-00002-of-00002.gguf").unlink()
        self.assertEqual(run("hash", first).status, UNDECIDED)
        self.assertEqual(run("hash", "--alone", first).status, ACCEPTED)

    def test_manifests_that_are_none(self):
        for content in [b"", b"\n# nothing\n", b"no digest here\n", b"\xff" * 300, b"sha256\n", b"sha256 00\n"]:
            self.assertEqual(run("verify", self.write("manifest", content)).status, UNDECIDED, content)
        self.assertEqual(run("verify", self.folder / "missing").status, UNDECIDED)


class Comparisons(Case):
    def test_diff_says_what_differs(self):
        a = self.write("a.gguf", model(pairs=[SOME_TEXT, pair("k", U32, bytes(4)), pair("tokens", ARRAY, strings("a", "b", "c"))]))
        b = self.write("b.gguf", model(norm=2.0, pairs=[SOME_TEXT, pair("tokens", ARRAY, strings("a", "x", "c", "d"))]))
        self.assertEqual(run("diff", a, a).status, ACCEPTED)
        result = run("diff", a, b, "--format", "json")
        self.assertEqual(result.status, REJECTED)
        validator("diff").validate(result.json)
        self.assertEqual([(row["name"], row["change"]) for row in result.json["metadata"]], [("k", "removed"), ("tokens", "changed")])
        self.assertIn("1 of the first 3 elements differ", result.json["metadata"][1]["details"])
        self.assertEqual([row["name"] for row in result.json["tensors"]], ["norm"])
        self.assertEqual(result.json["same_tensors"], 1)

    def test_order_and_alignment_are_no_difference(self):
        first, second = pair("a", U32, bytes(4)), pair("b", STRING, text("x"))
        a = self.write("a.gguf", model(pairs=[first, second]))
        b = self.write("b.gguf", model(pairs=[second, first, pair("general.alignment", U32, struct.pack("<I", 32))]))
        result = run("diff", a, b, "--format", "json")
        self.assertEqual((result.status, result.json["same"]), (ACCEPTED, True))
        self.assertEqual(len(result.json["layout"]), 2)

    def test_compare_finds_broken_tensors_and_limits(self):
        schema = validator("compare")
        good = self.write("good.gguf", model())
        result = run("compare", good, good, "--format", "json")
        schema.validate(result.json)
        self.assertEqual(result.status, ACCEPTED)
        self.assertTrue(all(row["figures"]["rmse"] == 0 for row in result.json["tensors"]))
        for name, matrix in {"nan": q8_0(64, 0x7E00), "zero": q8_0(64, 0), "scale": q8_0(64, 0x3000)}.items():
            result = run("compare", good, self.write(f"{name}.gguf", model(matrix)), "--format", "json")
            schema.validate(result.json)
            self.assertEqual(result.status, REJECTED, name)
            self.assertEqual(result.json["tensors"][0]["name"], "blk.0.weight")
            self.assertTrue(result.json["tensors"][0]["broken"], name)
        near = self.write("near.gguf", model(q8_0(64, 0x2C08)))
        self.assertEqual(run("compare", good, near).status, ACCEPTED)
        self.assertEqual(run("compare", good, near, "--limit", "Q8_0:relative=0.001").status, REJECTED)
        self.assertEqual(run("compare", good, near, "--limit", "Q4_0:relative=0.001").status, ACCEPTED)
        self.assertEqual(run("compare", good, near, "--limits", self.write("limits", b"# all\n*:snr=100\n")).status, REJECTED)
        self.assertEqual(run("compare", good, near, "--limit", "nonsense").status, USAGE)

    def test_statistics(self):
        path = self.write("a.gguf", model(norm=float("nan")))
        result = run("show", "--stats", path, "--format", "json")
        validator("statistics").validate(result.json)
        self.assertEqual([row["statistics"]["nan"] for row in result.json["tensors"]], [0, 8])
        self.assertEqual(run("show", "--stats", path).status, ACCEPTED)

    def test_broken_files_are_refused_in_words(self):
        good = self.write("good.gguf", model())
        for name in broken_files():
            path = self.write(f"{name}.gguf", broken_files()[name])
            for command in [["hash", path], ["diff", path, good], ["compare", good, path], ["show", "--stats", path]]:
                result = run(*command)
                self.assertIn(result.status, (ACCEPTED, REJECTED, UNDECIDED), (command, result.err))
                self.assertIsNone(unsafe_in(result.out), command)
                self.assertIsNone(unsafe_in(result.err), command)
                if result.status == UNDECIDED:
                    self.assertEqual(result.err.count(b"\n"), 1, command)


if __name__ == "__main__":
    if not TOOL:
        sys.exit("GGUFVET_TOOL names the program to test")
    unittest.main()
