#!/usr/bin/env python3
"""The command-line tool as its users meet it: exit statuses, JSON against its schemas, terminals, hostile text.

usage: GGUFVET_TOOL=build/dev/tools/ggufvet cli_test.py [unittest arguments]
"""
import copy
import json
import os
import re
import signal
import stat
import struct
import subprocess
import sys
import threading
import unittest

import jsonschema

from cli_support import (ACCEPTED, ARRAY, BLOBS, F32, REJECTED, SCHEMAS, SOUND, TIMEOUT_SECONDS, TOOL, U32, UNDECIDED, USAGE,
                         SOME_TEXT, Case, Result, broken_files, gguf, pair, run, run_on_terminal, seconds_of_children,
                         strings, tensor, unsafe_in, validator, width_of)


class Usage(Case):
    def test_wrong_usage_is_one_line_and_status_2(self):
        file = self.write("a.gguf")
        for arguments in [[], ["nothing"], [""], ["--nothing"], ["check"], ["check", "--nothing", file], ["show"], ["bytes"],
                          ["show", file, file], ["explain"], ["explain", "no-such-rule"], ["explain", "4000000000"],
                          ["check", "--profile", "ggml", file], ["check", "--profile", "none", file],
                          ["check", "--as", "hardened", file], ["check", "--profile", "spec", "--as", "ggml", file],
                          ["check", "--dialect", "nobody", file], ["types", "--dialect", "nobody"],
                          ["check", "--format", "yaml", file], ["show", "--format", "jsonl", file],
                          ["check", "--findings-max", "0", file], ["check", "--findings-max", "-1", file],
                          ["check", "--tensors-max", "many", file], ["check", "--fail-on", "note", file],
                          ["check", file, "--output"], ["check", "-", "-"], ["show", "--metadata", "--tensors", file],
                          ["types", "--conflicts", "--dialects"], ["check", "--dialect", "\x1b[31m\n\u202e", file],
                          ["\x1b[31m\nfoo"], ["check", "--\x1b[31m\nfoo", file]]:
            with self.subTest(arguments=arguments):
                result = run(*arguments)
                self.assertEqual(result.status, USAGE, result.err)
                self.assertEqual(result.out, b"")
                self.assertEqual(result.err.count(b"\n"), 1)
                self.assertTrue(result.err.startswith(b"ggufvet: ") and result.err.endswith(b"\n"))
                self.assertIsNone(unsafe_in(result.err))

    def test_help_and_version_are_no_errors(self):
        for arguments in [["--help"], ["-h"], ["--version"], *([name, "--help"] for name in
                          ["check", "show", "bytes", "rules", "types", "explain"])]:
            result = run(*arguments)
            self.assertEqual((result.status, result.err), (0, b""), arguments)
            self.assertGreater(len(result.out), 5)
        listed = run("--help").out
        for name in [b"check", b"show", b"bytes", b"rules", b"types", b"explain", b"Exit status"]:
            self.assertIn(name, listed)


class Statuses(Case):
    def test_accepted_rejected_undecided(self):
        sound = self.write("sound.gguf")
        broken = self.write("broken.gguf", SOUND[:40])
        self.check(ACCEPTED, sound)
        self.check(REJECTED, broken)
        self.check(UNDECIDED, "--tensors-max", "1", sound)
        self.check(UNDECIDED, self.folder / "missing.gguf")
        self.check(UNDECIDED, "")
        self.check(UNDECIDED, "https://example.org/model.gguf")

    def test_over_several_files_the_worst_counts_and_none_is_left_out(self):
        sound, broken = self.write("sound.gguf"), self.write("broken.gguf", SOUND[:40])
        missing = self.folder / "missing.gguf"
        for status, paths in [(ACCEPTED, [sound, sound]), (REJECTED, [sound, broken]), (REJECTED, [missing, broken, sound]),
                              (UNDECIDED, [sound, missing]), (UNDECIDED, [missing, sound])]:
            result = self.check(status, "--format", "json", *paths)
            self.assertEqual([file["path"] for file in result.json["files"]], [str(path) for path in paths])
            self.assertEqual(self.check(status, "--format", "jsonl", *paths).out.count(b"\n"), len(paths))
            self.assertIn(b"%d files: " % len(paths), self.check(status, *paths).out.splitlines()[-1])

    def test_warnings_reject_only_when_asked(self):
        file = self.write("tail.gguf", SOUND + b"0123456789")
        self.assertIn(b"1 warning", self.check(ACCEPTED, file).out)
        self.check(REJECTED, "--fail-on", "warning", file)

    def test_profiles_differ(self):
        file = self.write("nested.gguf", broken_files()["nested"])
        self.check(REJECTED, file)
        self.check(ACCEPTED, "--profile", "spec", file)
        self.check(REJECTED, "--as", "ggml", file)

    def test_show_and_bytes_of_what_cannot_be_read(self):
        for command in ["show", "bytes"]:
            for path in [self.folder / "missing", self.folder]:
                result = run(command, path)
                self.assertEqual((result.status, result.out, result.err.count(b"\n")), (UNDECIDED, b"", 1))
            self.assertEqual(run(command, self.write("b", SOUND[:40])).status, ACCEPTED)

    def test_unreadable_file(self):
        file = self.write("secret.gguf")
        file.chmod(0)
        result = self.run_as_nobody("check", file)
        self.assertEqual(result.status, UNDECIDED, result.err)
        self.assertIn(b"Permission denied", result.out)


class Directories(Case):
    def paths(self, status, *arguments):
        return [os.path.relpath(file["path"], self.folder) for file in
                self.check(status, "--format", "json", *arguments).json["files"]]

    def test_models_are_found_in_order_whatever_the_case_of_their_names(self):
        for name in ["b.gguf", "a.GGUF", "sub/c.Gguf", "sub/deep/er/d.gguf", "sub/model.bin", "gguf", "e.gguf.part"]:
            self.write(name)
        self.assertEqual(self.paths(ACCEPTED, self.folder), ["a.GGUF", "b.gguf", "sub/c.Gguf", "sub/deep/er/d.gguf"])

    def test_an_empty_directory_is_not_accepted(self):
        self.check(UNDECIDED, self.folder)
        self.write("readme.txt")
        self.assertIn(b"no *.gguf files", self.check(UNDECIDED, self.folder).out)

    def test_links_neither_loop_nor_vanish(self):
        self.write("models/a.gguf")
        (self.folder / "models" / "loop").symlink_to(self.folder)
        (self.folder / "models" / "b.gguf").symlink_to("a.gguf")
        self.assertEqual(self.paths(ACCEPTED, self.folder), ["models/a.gguf", "models/b.gguf"])
        (self.folder / "models" / "broken.gguf").symlink_to("nowhere")
        (self.folder / "models" / "self.gguf").symlink_to("self.gguf")
        self.assertEqual(len(self.paths(UNDECIDED, self.folder)), 4)
        (self.folder / "ring").symlink_to("ring")
        self.check(UNDECIDED, self.folder / "ring")

    def test_one_directory_that_cannot_be_searched_hides_no_other(self):
        self.write("a/x.gguf")
        self.write("c/y.gguf")
        hidden = self.folder / "b"
        hidden.mkdir()
        hidden.chmod(0)
        result = self.run_as_nobody("check", "--format", "json", self.folder)
        hidden.chmod(0o755)
        self.assertEqual(result.status, UNDECIDED, result.err)
        self.assertEqual([os.path.relpath(file["path"], self.folder) for file in result.json["files"]],
                         ["a/x.gguf", "b", "c/y.gguf"])

    def test_a_pipe_with_a_model_s_name_neither_hangs_nor_vanishes(self):
        os.mkfifo(self.folder / "a.gguf")
        self.assertEqual(self.paths(UNDECIDED, self.folder), ["a.gguf"])
        self.assertIn(b"not a regular file", self.check(UNDECIDED, self.folder / "a.gguf").out)
        self.check(UNDECIDED, "/dev/zero")

    def test_names_of_files_are_untrusted_too(self):
        name = "m\n\x1b[31m\u202e.gguf"
        self.write(name)
        result = self.check(ACCEPTED, self.folder)
        self.assertIsNone(unsafe_in(result.out))
        self.assertIn(b"m\\n\\x1b[31m\\u{202e}.gguf", result.out)
        self.assertEqual(self.check(ACCEPTED, "--format", "json", self.folder).json["files"][0]["path"],
                         str(self.folder / name))
        missing = run("show", self.folder / f"x{name}")
        self.assertEqual(missing.err.count(b"\n"), 1)
        self.assertIsNone(unsafe_in(missing.err))


class StandardInput(Case):
    def test_pipe_file_and_terminal(self):
        self.check(ACCEPTED, "-", input=SOUND)
        self.check(REJECTED, "-", input=SOUND[:40])
        self.check(REJECTED, "-", input=b"")
        with open(self.write("a.gguf"), "rb") as file:
            self.check(ACCEPTED, "-", stdin=file)
        with open(self.write("b.gguf", b"junk" + SOUND), "rb") as file:
            file.seek(4)
            os.lseek(file.fileno(), 4, os.SEEK_SET)
            self.check(ACCEPTED, "-", stdin=file)
        result = run_on_terminal("check", "-", columns=80, stdin=None)
        self.assertEqual(result.status, UNDECIDED)
        self.assertIn(b"standard input is a terminal", result.out)
        for command in ["show", "bytes"]:
            self.assertIn(b"token_embd.weight", run(command, "-", input=SOUND).out)

    def test_long_input_is_kept_in_a_file_without_a_name(self):
        large = gguf([], [tensor("a", [20 << 20], F32, 0)], bytes(80 << 20))
        result = self.check(ACCEPTED, "--format", "json", "-", input=large, env={"TMPDIR": str(self.folder)})
        self.assertEqual(result.json["files"][0]["bytes"], len(large))
        self.assertEqual(os.listdir(self.folder), [])

    def test_closed_input_and_output(self):
        closed = subprocess.run(["sh", "-c", '"$0" check - <&-', TOOL], capture_output=True, timeout=TIMEOUT_SECONDS, check=False)
        self.assertEqual(closed.returncode, UNDECIDED)
        closed = subprocess.run(["sh", "-c", '"$0" check "$1" >&-', TOOL, self.write("a.gguf")], capture_output=True,
                                timeout=TIMEOUT_SECONDS, check=False)
        self.assertEqual(closed.returncode, UNDECIDED)
        self.assertIn(b"standard output", closed.stderr)


class Outputs(Case):
    def test_a_file_appears_whole(self):
        file, out = self.write("a.gguf"), self.folder / "report.json"
        self.assertEqual(self.check(ACCEPTED, file, "--format", "json", "-o", out).out, b"")
        self.assertEqual(json.loads(out.read_bytes())["files"][0]["verdict"], "accept")
        out.chmod(0o640)
        self.check(ACCEPTED, file, "-o", out)
        self.assertIn(b": accept (", out.read_bytes())
        self.assertEqual(stat.S_IMODE(out.stat().st_mode), 0o640)
        self.assertEqual(sorted(os.listdir(self.folder)), ["a.gguf", "report.json"])
        self.assertIn(b": accept (", self.check(ACCEPTED, file, "-o", "-").out)

    def test_what_a_link_points_to_is_written_and_the_link_stays(self):
        file, target, link = self.write("a.gguf"), self.write("target", b"old"), self.folder / "link"
        link.symlink_to("target")
        self.check(ACCEPTED, file, "-o", link)
        self.assertTrue(link.is_symlink())
        self.assertIn(b"accept", target.read_bytes())

    def test_a_device_is_written_to_and_never_replaced(self):
        file = self.write("a.gguf")
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        got = []
        reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
        reader.start()
        self.check(ACCEPTED, file, "-o", pipe)
        reader.join(TIMEOUT_SECONDS)
        self.assertIn(b"accept", got[0])
        self.assertTrue(stat.S_ISFIFO(pipe.stat().st_mode))

    def test_when_nothing_can_be_written_nothing_is_left_and_nothing_is_accepted(self):
        file = self.write("a.gguf")
        for command in [["check", file], ["show", file], ["bytes", file], ["rules"], ["types"], ["explain", "42"]]:
            with open("/dev/full", "wb") as full:
                process = subprocess.run([TOOL, *command], stdout=full, stderr=subprocess.PIPE, timeout=TIMEOUT_SECONDS, check=False)
            self.assertEqual(process.returncode, UNDECIDED, command)
            self.assertIn(b"No space left", process.stderr)
            for place in [self.folder / "nowhere" / "out", self.folder]:
                result = run(*command, "-o", place)
                self.assertEqual((result.status, result.err.count(b"\n")), (UNDECIDED, 1), (command, result.err))
        self.assertEqual(os.listdir(self.folder), ["a.gguf"])

    def test_a_disk_that_fills_up_leaves_the_old_report(self):
        file, out = self.write("a.gguf"), self.write("report", b"old")
        # A limit on file sizes is the full disk that needs no root.
        process = subprocess.run(["sh", "-c", 'ulimit -f 1; exec "$0" rules --format json -o "$1"', TOOL, out],
                                 capture_output=True, timeout=TIMEOUT_SECONDS, check=False,
                                 preexec_fn=lambda: signal.signal(signal.SIGXFSZ, signal.SIG_IGN))
        self.assertEqual(process.returncode, UNDECIDED, process.stderr)
        self.assertEqual(out.read_bytes(), b"old")
        self.assertEqual(sorted(os.listdir(self.folder)), [file.name, "report"])


class Json(Case):
    def test_reports_of_every_blob_and_broken_file(self):
        files = BLOBS + self.write_broken() + [self.folder / "missing.gguf"]
        check = validator("report")
        for profile in [["--deep"], ["--profile", "hardened"], ["--profile", "publish"], ["--profile", "spec"], ["--as", "ggml"]]:
            document = run("check", "--no-set", "--format", "json", *profile, *files)
            check.validate(document.json)
            self.assertEqual(len(document.json["files"]), len(files))
            for file in document.json["files"]:
                severities = [finding["severity"] for finding in file["findings"]]
                self.assertEqual({name: severities.count(name) for name in ("error", "warning", "info")}, file["counts"])
                if profile == ["--deep"] and file["verdict"] == "accept":
                    self.assertTrue(file["deep"]["finished"], file["path"])
                for finding in file["findings"]:
                    self.assertLessEqual(finding["range"]["begin"], finding["range"]["end"])
                    self.assertLessEqual(finding["range"]["end"], max(file["bytes"], 0))
            lines = run("check", "--no-set", "--format", "jsonl", *profile, *files).out.splitlines()
            self.assertEqual([json.loads(line)["files"][0] for line in lines], document.json["files"])

    def test_show_and_bytes_of_every_blob_and_broken_file(self):
        show, tiles = validator("show"), validator("bytes")
        broken = self.write_broken()
        # Two processes a file: under a sanitizer, where each takes ten times as long, a quarter of the files.
        sanitized = "sanitize" in os.environ.get("GGUFVET_BUILD", "")
        for file in BLOBS[::4 if sanitized else 1] + broken:
            for full in [[], ["--full"]] if file in broken else [[]]:
                with self.subTest(file=file.name, full=full):
                    show.validate(run("show", "--format", "json", file, *full).json)
                    document = run("bytes", "--format", "json", file, *full).json
                    tiles.validate(document)
                    self.assert_tiled([(field["begin"], field["end"]) for field in document["fields"]], file)

    def test_advice_names_commands_that_there_are(self):
        commands = set(re.findall(r"^  ([a-z]+) ", run("--help").out.decode(), re.M))
        self.assertIn("check", commands)
        texts = json.dumps(run("rules", "--format", "json").json)
        named = set(re.findall(r"`ggufvet ([a-z-]+)", texts))
        self.assertTrue(named)
        self.assertEqual(named - commands, set())

    def test_catalogues(self):
        for name, arguments in [("rules", ["rules"]), ("types", ["types"]), ("types", ["types", "--dialect", "ik_llama"]),
                                ("conflicts", ["types", "--conflicts"]), ("dialects", ["types", "--dialects"]),
                                ("explain", ["explain", "file-empty"]), ("explain", ["explain", "42"])]:
            document = run(*arguments, "--format", "json").json
            validator(name).validate(document)
            self.assertTrue(any(document[key] for key in document if isinstance(document[key], list)), arguments)

    def test_schemas_are_complete_and_can_say_no(self):
        shipped = {path.name.split(".")[0] for path in SCHEMAS.glob("*.schema.json")}
        self.assertLessEqual({"bytes", "conflicts", "dialects", "explain", "report", "rules", "show", "types"}, shipped)
        for name in shipped:
            schema = validator(name).schema  # which says no to what is no schema
            self.assertTrue(schema["$id"].startswith(f"urn:ggufvet:{name}:"), schema["$id"])
            self.assertTrue(schema["properties"]["schema"]["const"].startswith(f"ggufvet.{name}/"))
        report = run("check", "--format", "json", self.write("a.gguf", SOUND[:40])).json
        spoiled = [lambda r: r.pop("schema"), lambda r: r["files"][0].update(verdict="fine"),
                   lambda r: r["files"][0]["findings"][0].update(severity="off"),
                   lambda r: r["files"][0]["findings"][0]["range"].update(length=1),
                   lambda r: r["files"][0].update(surprise=1)]
        check = validator("report")
        check.validate(report)
        for spoil in spoiled:
            copied = copy.deepcopy(report)
            spoil(copied)
            with self.assertRaises(jsonschema.ValidationError):
                check.validate(copied)

    def assert_tiled(self, ranges, file):
        size = file.stat().st_size
        self.assertEqual([begin for begin, _ in ranges], [0, *(end for _, end in ranges)][:len(ranges)])
        self.assertTrue(all(begin < end for begin, end in ranges))
        self.assertEqual(ranges[-1][1] if ranges else 0, size)

    def test_bytes_of_every_truncation_are_tiled_in_json_and_text(self):
        row = re.compile(r"^  0x([0-9a-f]+) +([\d,]+)  ")
        whole = gguf([SOME_TEXT, pair("t", ARRAY, strings("a", ""))], [tensor("x", [8], F32, 0)], bytes(40))
        for size in range(len(whole) + 1):
            file = self.write("cut.gguf", whole[:size])
            document = run("bytes", "--format", "json", file).json
            ranges = [(field["begin"], field["end"]) for field in document["fields"]]
            self.assert_tiled(ranges, file)
            rows = [row.match(line) for line in run("bytes", file).out.decode().splitlines()]
            shown = [(int(r[1], 16), int(r[1], 16) + int(r[2].replace(",", ""))) for r in rows if r]
            self.assertEqual(shown, ranges)


class Text(Case):
    COMMANDS = [["check"], ["check", "--profile", "publish"], ["show"], ["show", "--full"], ["bytes"], ["bytes", "--full"]]

    def test_nothing_of_a_file_reaches_an_output_raw(self):
        for file in self.write_broken():
            for command in self.COMMANDS:
                for form in [[], ["--format", "json"]]:
                    result = run(*command, *form, file)
                    with self.subTest(file=file.name, command=command, form=form):
                        self.assertIsNone(unsafe_in(result.out))
                        self.assertNotIn(b"\x1b", result.out)
                        self.assertEqual(result.err, b"")
                result = run_on_terminal(*command, file, columns=100)
                self.assertIsNone(unsafe_in(result.out))

    def test_long_names_are_capped(self):
        file = self.write("a.gguf", broken_files()["million_byte_key"])
        for command in [["check"], ["show"], ["bytes"], ["check", "--format", "json"], ["show", "--format", "json"],
                        ["bytes", "--format", "json"]]:
            self.assertLess(len(run(*command, file).out), 40000, command)
        self.assertGreater(len(run("show", "--full", file).out), 1000000)

    def test_lines_end_without_blanks_and_piped_text_has_no_colours(self):
        commands = [[*command, file] for command in self.COMMANDS for file in BLOBS[:40] + self.write_broken()]
        for command in commands + [["rules"], ["types"], ["types", "--conflicts"], ["types", "--dialects"],
                                   ["explain", "file-empty"], ["explain", "42"]]:
            out = run(*command).out
            self.assertIsNone(re.search(rb"[ \t\r]\n", out), command)
            self.assertNotIn(b"\x1b", out)
            self.assertTrue(not out or out.endswith(b"\n"))

    def test_a_terminal_gets_colours_unless_it_says_no(self):
        file = self.write("a.gguf", SOUND[:40])
        self.assertIn(b"\x1b[31m", run_on_terminal("check", file, columns=80).out)
        for name, value in [("NO_COLOR", "1"), ("TERM", "dumb")]:
            result = run_on_terminal("check", file, columns=80, **{name: value})
            self.assertNotIn(b"\x1b", result.out)
            self.assertIn(b": reject (", result.out)
        self.assertIn(b"\x1b", run_on_terminal("check", file, columns=80, NO_COLOR="").out)

    def test_tables_and_words_fit_the_terminal(self):
        files = [self.write("a.gguf"), *self.write_broken()]
        tables = [["rules"], ["types"], ["types", "--conflicts"], ["types", "--dialects"], ["explain", "tensor-offset-gap"]]
        for columns in [60, 80, 133]:
            for command in tables + [[command, file] for command in ["bytes"] for file in files]:
                for line in run_on_terminal(*command, columns=columns).out.splitlines():
                    self.assertLessEqual(width_of(line), columns, (command, line))
            for command in ["check", "show"]:  # but for the first line, which holds the path in whole
                for file in files:
                    for line in run_on_terminal(command, file, columns=columns).out.splitlines()[1:]:
                        self.assertLessEqual(width_of(line), columns, (command, line))
        wide, narrow = (run_on_terminal("bytes", files[0], columns=columns).out for columns in (133, 80))
        self.assertIn(b'"some.text"', narrow)
        self.assertGreater(max(map(width_of, wide.splitlines())), 80)

    def test_words_for_one_and_for_many(self):
        one = self.check(ACCEPTED, self.write("a.gguf", SOUND + b"x")).out
        self.assertIn(b"(1 warning, ", one)
        self.assertIn(b"1 byte follows the last tensor", one)
        two = self.check(ACCEPTED, self.write("a.gguf", SOUND + b"xx")).out
        self.assertIn(b"2 bytes follow the last tensor", two)

    def test_show_tells_how_bytes_are_shared(self):
        out = run("show", self.write("a.gguf")).out.decode()
        self.assertRegex(out, r"Q8_0 +1 tensor +68 bytes +68\.0 %")
        self.assertRegex(out, r"F32 +1 tensor +32 bytes +32\.0 %")
        self.assertIn("72 elements in 100 bytes", out)
        self.assertIn("file type: 7 MOSTLY_Q8_0", out)
        self.assertNotIn("tensors\n", run("show", "--metadata", self.write("a.gguf")).out.decode().split("types\n")[0])


class Scale(Case):
    def test_a_sparse_file_of_40_gb_costs_its_directory_only(self):
        file = self.write("large.gguf", gguf([SOME_TEXT], [tensor("a", [10 << 30], F32, 0)]))
        head = file.stat().st_size
        os.truncate(file, head + (40 << 30))
        began = seconds_of_children()
        report = self.check(ACCEPTED, "--format", "json", file).json["files"][0]
        self.assertLess(report["bytes_read"], 1 << 20)
        self.assertEqual(report["bytes"], head + (40 << 30))
        self.assertLess(seconds_of_children() - began, 5)  # reading 40 GB takes longer on any machine

    def test_findings_are_all_counted_and_some_are_listed(self):
        file = self.write("many.gguf", gguf([pair("k", U32, bytes(4))] * 5000))
        report = self.check(REJECTED, "--format", "json", file).json["files"][0]
        self.assertEqual((report["counts"]["error"], len(report["findings"]), report["truncated"]), (4999, 1000, True))
        report = self.check(REJECTED, "--format", "json", "--findings-max", "4999", file).json["files"][0]
        self.assertEqual((len(report["findings"]), report["truncated"]), (4999, False))
        self.assertIn(b"only 7 of 4,999 errors are shown", self.check(REJECTED, "--findings-max", "7", file).out)


if __name__ == "__main__":
    if not TOOL:
        sys.exit(__doc__.strip())
    os.umask(0o022)
    unittest.main()
