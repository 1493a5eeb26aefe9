#!/usr/bin/env python3
"""Asks ggufvet about the models of write_models.py: none may be found at fault.

usage: check_models.py GGUFVET

GGUFVET is the command-line tool. Fails on any error or warning under the profile hardened, and on any error under
publish. Needs gguf and numpy.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import write_models

# Findings under publish that these models earn: their vocabulary is made up.
EXPECTED_WARNINGS = set()


def findings(tool, profile, paths):
    command = [tool, "check", "--format", "json", "--profile", profile, *map(str, paths)]
    answer = json.loads(subprocess.run(command, capture_output=True, text=True).stdout)
    for file in answer["files"]:
        for finding in file["findings"]:
            yield pathlib.Path(file["path"]).stem, finding
    if len(answer["files"]) != len(paths):
        sys.exit("not every file was reported on")


def main():
    tool = sys.argv[1]
    faults = 0
    with tempfile.TemporaryDirectory() as folder:
        sys.argv = ["write_models.py", folder]
        write_models.main()
        paths = sorted(pathlib.Path(folder).glob("*.gguf"))
        if len(paths) != len(write_models.ARCHITECTURES):
            sys.exit("not every architecture was written")
        for profile in ("hardened", "publish"):
            for name, finding in findings(tool, profile, paths):
                at_fault = finding["severity"] == "error" or finding["severity"] == "warning"
                if not at_fault or finding["rule"] in EXPECTED_WARNINGS:
                    continue
                faults += 1
                print(name, profile, finding["severity"], finding["rule"], finding["message"])
    print(len(paths), "models,", faults, "unexpected findings")
    sys.exit(faults != 0)


if __name__ == "__main__":
    main()
