#!/usr/bin/env python3
"""Does our reading of chat templates agree with Jinja2's on what parses?

usage: compare.py GGUFVET FOLDER [--mutations N] [--seed S] [--rate-max R] [--show K]

Every file of FOLDER is taken as a template, wrapped into a GGUF file of one key and checked by the program GGUFVET; the
same text goes to Jinja2's own parser, in the sandbox and with the tags that Hugging Face's loader adds. Then N damaged
copies of each. A template as it is must be judged alike by both; of the damaged ones at most the share R may differ.
Exit status 1 when either is not so, 2 when nothing was compared.
"""
import argparse
import json
import random
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import jinja2
import jinja2.ext
import jinja2.sandbox

SYNTAX_RULES = {"chat-template-in-go-syntax", "chat-template-unbalanced", "chat-template-unparsable",
                "chat-template-too-deep", "chat-template-too-large"}
BATCH = 400
PIECES = ["{{", "}}", "{%", "%}", "{#", "#}", "{%- ", " -%}", "(", ")", "[", "]", "{", "}", "'", '"', "|", ".", ",", ":", "=",
          "==", "~", "+", "-", "*", "**", "/", "//", "%", "<", ">=", "!", "\\", "\\x", "$", "@", "1", "0x1f", "1.5", "1e3",
          " if ", " else ", " not ", " in ", " is ", " is not ", " and ", " or ", " x ", " none ", " loop.index0 ",
          "{% if x %}", "{% endif %}", "{% else %}", "{% elif y %}", "{% for a in b %}", "{% endfor %}", "{% set a = 1 %}",
          "{% set a %}", "{% endset %}", "{% break %}", "{% macro m(a, b=1) %}", "{% endmacro %}", "{% raw %}",
          "{% endraw %}", "{% generation %}", "{% endgeneration %}", "|tojson", "|map(attribute='x')", "[1:]", "[::-1]",
          " is divisibleby 3", "\u2028", "\u00e9", "\uff5c", "_", "1_000", "**kw", "*args", "k=v"]


class Generation(jinja2.ext.Extension):
    """{% generation %} … {% endgeneration %}, as Hugging Face's loader has it."""
    tags = {"generation"}

    def parse(self, parser):
        line = next(parser.stream).lineno
        return jinja2.nodes.Scope(parser.parse_statements(("name:endgeneration",), drop_needle=True), lineno=line)


ENVIRONMENT = jinja2.sandbox.ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True,
                                                           extensions=[Generation, jinja2.ext.loopcontrols])


def peer_parses(text):
    """Whether Jinja2 takes it, and what it says if not. Names of filters are no matter of syntax."""
    try:
        ENVIRONMENT.compile(text)
    except jinja2.TemplateAssertionError as error:
        return ("No filter" in error.message or "No test" in error.message), error.message
    except jinja2.TemplateSyntaxError as error:
        return False, error.message
    except (SyntaxError, RecursionError, ValueError, MemoryError) as error:  # from the Python that Jinja2 writes
        return False, str(error)
    return True, ""


KEY = b"tokenizer.chat_template"
TEXT_BEGIN = 24 + 8 + len(KEY) + 4 + 8  # header, key, type, length


def wrapped(text):
    """A GGUF file whose only key is the template."""
    value = text.encode()
    return (struct.pack("<IIQQ", 0x46554747, 3, 0, 1) + struct.pack("<Q", len(KEY)) + KEY +
            struct.pack("<IQ", 8, len(value)) + value)


def our_findings(program, texts):
    """For each text what the first finding about its syntax says, and where, or None."""
    found = []
    for begin in range(0, len(texts), BATCH):
        batch = texts[begin:begin + BATCH]
        with tempfile.TemporaryDirectory() as folder:
            for index, text in enumerate(batch):
                Path(folder, f"{index:05}.gguf").write_bytes(wrapped(text))
            run = subprocess.run([program, "check", "--format", "jsonl", folder], capture_output=True, check=False)
            lines = run.stdout.decode().splitlines()
            if len(lines) != len(batch):
                sys.exit(f"{program} reported on {len(lines)} of {len(batch)} files: {run.stderr.decode()[:500]}")
            for line in lines:
                findings = json.loads(line)["files"][0]["findings"]
                places = [(each["message"], each["range"]["begin"] - TEXT_BEGIN) for each in findings
                          if each["rule"] in SYNTAX_RULES]
                found.append(places[0] if places else None)
    return found


def damaged(text, random_source):
    """One to three small accidents, most of them inside spans."""
    for _ in range(random_source.choice((1, 1, 1, 2, 3))):
        at = random_source.randrange(len(text) + 1)
        if random_source.random() < 0.8:
            opening = text.find("{", at)
            at = min(len(text), (opening if opening >= 0 else at) + random_source.randrange(30))
        kind = random_source.randrange(5)
        if kind == 0:
            text = text[:at] + text[at + random_source.randrange(1, 4):]
        elif kind in (1, 2):
            text = text[:at] + random_source.choice(PIECES) + text[at:]
        elif kind == 3:
            text = text[:at] + random_source.choice(PIECES) + text[at + random_source.randrange(1, 6):]
        else:
            other = random_source.randrange(len(text) + 1)
            text = text[:at] + text[other:other + random_source.randrange(1, 40)] + text[at:]
    return text


def compare(program, texts):
    """The texts on which the two differ, as (text, our words, its words), and how many it refuses."""
    differing = []
    refused = 0
    for text, ours in zip(texts, our_findings(program, texts)):
        parses, words = peer_parses(text)
        refused += not parses
        if parses != (ours is None):
            differing.append((text, ours, words))
    return differing, refused


def show(differing, count):
    for text, ours, words in differing[:count]:
        message, at = ours or ("parses", 0)
        near = text.encode()[max(0, at - 120):at + 60].decode("utf-8", "replace")
        print(f"  ours: {message}\n  Jinja2: {words or 'parses'}\n  text: {near!r}\n")


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("program")
    options.add_argument("folder")
    options.add_argument("--mutations", type=int, default=40)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--rate-max", type=float, default=0.005)
    options.add_argument("--show", type=int, default=5)
    given = options.parse_args()
    files = sorted(path for path in Path(given.folder).rglob("*") if path.is_file())
    texts = [path.read_bytes().decode("utf-8", "replace") for path in files]
    if not texts:
        print("no templates there")
        return 2
    whole, _ = compare(given.program, texts)
    print(f"{len(texts)} templates as they are: {len(whole)} judged differently")
    show(whole, given.show)
    random_source = random.Random(given.seed)
    broken = [damaged(text, random_source) for text in texts for _ in range(given.mutations)]
    differing, refused = compare(given.program, broken)
    stricter = sum(ours is not None for _, ours, _ in differing)
    rate = len(differing) / max(1, len(broken))
    print(f"{len(broken)} damaged copies, {refused} of them refused by Jinja2 {jinja2.__version__}: {len(differing)} "
          f"judged differently ({rate:.3%}); {stricter} refused by us alone, {len(differing) - stricter} by it alone")
    show(differing, given.show)
    return 1 if whole or rate > given.rate_max else 0


if __name__ == "__main__":
    sys.exit(main())
