"""What tests of the command-line tool share: files sound and broken, ways to run it, what is safe to print."""
import copy
import fcntl
import json
import os
import pty
import re
import resource
import select
import shutil
import struct
import subprocess
import tempfile
import termios
import time
import unittest
from pathlib import Path

import jsonschema

ROOT = Path(__file__).resolve().parent.parent
SCHEMAS = ROOT / "lib" / "ggufvet" / "render" / "schemas"
BLOBS = sorted(path for path in (ROOT / "corpus" / "blobs").rglob("*") if path.is_file())
TOOL = os.path.abspath(os.environ["GGUFVET_TOOL"]) if "GGUFVET_TOOL" in os.environ else ""
TIMEOUT_SECONDS = 120
ACCEPTED, REJECTED, USAGE, UNDECIDED = 0, 1, 2, 3

U32, STRING, ARRAY, F32, Q8_0 = 4, 8, 9, 0, 8


# --- files -----------------------------------------------------------------------------------------------------------

def text(value):
    raw = value if isinstance(value, bytes) else value.encode()
    return struct.pack("<Q", len(raw)) + raw


def pair(key, value_type, payload):
    return text(key) + struct.pack("<I", value_type) + payload


def strings(*values):
    return struct.pack("<IQ", STRING, len(values)) + b"".join(text(value) for value in values)


def tensor(name, shape, type_id, offset):
    return text(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, type_id, offset)


def gguf(pairs=(), tensors=(), data=b"", version=3):
    head = b"GGUF" + struct.pack("<IQQ", version, len(tensors), len(pairs)) + b"".join(pairs) + b"".join(tensors)
    return head + bytes(-len(head) % 32) + data


SOME_TEXT = pair("some.text", STRING, text("llama"))
TOKENS = pair("some.list", ARRAY, strings("<s>", "a", "", "hello", *(f"t{i}" for i in range(20))))
SOUND = gguf([SOME_TEXT, pair("general.file_type", U32, struct.pack("<I", 7)), TOKENS],
             [tensor("token_embd.weight", [32, 2], Q8_0, 0), tensor("output_norm.weight", [8], F32, 96)], bytes(128))
ESCAPE, OVERRIDE = b"\x1b[31;1m", "\u202e".encode()
HOSTILE = ESCAPE + b"\n\r\x00\x07" + OVERRIDE + b"\x9b2J\xff\xfe\"\\" + "\u2028\u200b\x85".encode()


def broken_files():
    """Name -> bytes: one for each way text and numbers of a file reach an output."""
    return {
        "empty": b"",
        "not_gguf": b"PK\x03\x04" + HOSTILE,
        "cut_in_header": SOUND[:13],
        "cut_in_value": SOUND[:90],
        "cut_in_data": SOUND[:-100],
        "hostile_key": gguf([pair(HOSTILE, STRING, text(HOSTILE))]),
        "hostile_array": gguf([pair("a", ARRAY, strings(HOSTILE, HOSTILE * 20))]),
        "hostile_tensor": gguf([], [tensor(HOSTILE, [8], F32, 0), tensor(HOSTILE, [8], F32, 0)], bytes(64)),
        "hostile_where_it_stops": gguf([pair(HOSTILE, 77, b"")]),
        "million_byte_key": gguf([pair(b"k" * 1000000 + HOSTILE, STRING, text(b"v" * 1000000))]),
        "alignment_of_its_own": gguf([pair("general.alignment", U32, struct.pack("<I", 48))]),
        "unknown_type": gguf([], [tensor("a", [8], 4095, 0)], bytes(32)),
        "sums_that_overflow": gguf([], [tensor("a", [1 << 62], F32, 0), tensor("b", [1 << 60], F32, 8)], bytes(32)),
        "gap_and_tail": gguf([], [tensor("a", [8], F32, 64)], bytes(64) + b"\x01" * 32 + b"tail" * 9),
        "floats_json_has_no_word_for": gguf([pair("f", 6, struct.pack("<f", float("nan"))),
                                             pair("g", 12, struct.pack("<d", float("-inf")))]),
        "nested": gguf([pair("n", ARRAY, struct.pack("<IQ", ARRAY, 1) + strings("x"))]),
        "big_endian": b"GGUF" + struct.pack(">IQQ", 3, 0, 0),
        "duplicates": gguf([pair("k", U32, bytes(4))] * 3),
    }


# --- running ---------------------------------------------------------------------------------------------------------

class Result:
    def __init__(self, status, out, err=b""):
        self.status, self.out, self.err = status, out, err

    @property
    def json(self):
        return json.loads(self.out)


def run(*arguments, **options):
    environment = {**os.environ, **options.pop("env", {})}
    process = subprocess.run([TOOL, *map(os.fspath, arguments)], capture_output=True, timeout=TIMEOUT_SECONDS,
                             env=environment, stdin=options.pop("stdin", None if "input" in options else subprocess.DEVNULL),
                             check=False, **options)
    return Result(process.returncode, process.stdout, process.stderr)


def run_on_terminal(*arguments, columns, stdin=subprocess.DEVNULL, **environment):
    """Standard output is a terminal of that many columns."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    modes = termios.tcgetattr(slave)
    modes[1] &= ~termios.OPOST  # bytes as they were written
    termios.tcsetattr(slave, termios.TCSANOW, modes)
    variables = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "TERM")}
    process = subprocess.Popen([TOOL, *map(os.fspath, arguments)], stdin=slave if stdin is None else stdin, stdout=slave,
                               stderr=subprocess.PIPE, env={**variables, "TERM": "xterm", **environment})
    os.close(slave)
    out = b""
    deadline = time.monotonic() + TIMEOUT_SECONDS
    while time.monotonic() < deadline:
        if select.select([master], [], [], 0.1)[0]:
            try:
                chunk = os.read(master, 65536)
            except OSError:  # the other end is closed
                break
            if not chunk:
                break
            out += chunk
    os.close(master)
    _, err = process.communicate(timeout=TIMEOUT_SECONDS)
    return Result(process.returncode, out, err)


def strict(schema):
    """Our own output has no field that the schema does not describe."""
    schema = copy.deepcopy(schema)

    def close(node, is_schema=True):
        if isinstance(node, dict):
            if is_schema and "properties" in node and node.get("type") == "object":
                node.setdefault("additionalProperties", False)
            for name, child in node.items():
                close(child, is_schema=name not in ("if", "then"))
        elif isinstance(node, list):
            for child in node:
                close(child)
    close(schema)
    return schema


def validator(name):
    schema = json.loads((SCHEMAS / f"{name}.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(strict(schema))


OWN_COLOURS = re.compile(rb"\x1b\[(0|1|2|31|32|33|36)m")
UNSAFE = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")


def unsafe_in(out):
    """The first thing in an output that a terminal or log would act on; None when there is none."""
    plain = OWN_COLOURS.sub(b"", out)
    try:
        found = UNSAFE.search(plain.decode())
    except UnicodeDecodeError as error:
        return f"not UTF-8: {error}"
    return repr(found) if found else None


def width_of(line):
    return len(OWN_COLOURS.sub(b"", line).decode())


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        os.chmod(self.folder, 0o755)

    def write(self, name, content=SOUND):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        return path

    def write_broken(self):
        return [self.write(f"{name}.gguf", content) for name, content in broken_files().items()]

    def run_as_nobody(self, *arguments):
        """For what root may do and others may not."""
        if os.geteuid() != 0:
            return run(*arguments)
        if not shutil.which("setpriv"):
            self.skipTest("root may do everything, and there is no setpriv to be somebody else")
        folder = tempfile.TemporaryDirectory()  # somewhere that another user can reach
        self.addCleanup(folder.cleanup)
        os.chmod(folder.name, 0o755)
        program = Path(folder.name) / "tool"
        shutil.copy(TOOL, program)
        program.chmod(0o755)
        process = subprocess.run(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", program, *arguments],
                                 capture_output=True, timeout=TIMEOUT_SECONDS, check=False)
        return Result(process.returncode, process.stdout, process.stderr)

    def check(self, status, *arguments, **options):
        result = run("check", *arguments, **options)
        self.assertEqual(result.status, status, (result.out, result.err))
        return result


def seconds_of_children():
    """Of processor time: what a busy machine does not change."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime
