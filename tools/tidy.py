#!/usr/bin/env python3
"""What every file of this repository keeps to and no compiler checks.

usage: tidy.py [ROOT]        reports each breach as file:line: [check] message; exit status 1 if there is one
       tidy.py --self-test   plants each fault in a scratch tree and sees it reported
       tidy.py --format      clang-format over all C++ files; exit status 77 (skipped) without version 14
"""
import posixpath
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

# A layer may include itself and these.
LAYERS = {
    "base": [],
    "source": ["base"],
    "types": ["base"],
    "read": ["source", "types", "base"],
    "rules": ["read", "source", "types", "base"],
    "vet": ["rules", "read", "source", "types", "base"],
    "write": ["read", "source", "types", "base"],
    "render": ["vet", "rules", "read", "source", "types", "base"],
}
TOP_LEVEL = {"lib", "fuzz", "conformance", "corpus", "tools", "CMakeLists.txt", "README.md", "LICENSE", "SECURITY.md",
             "CMakePresets.json", "action.yml"}
BINARY_FOLDERS = ("corpus/blobs/", "corpus/regress/", "fuzz/seeds/")
SOURCE_LINES_MAX = 600
FORBIDDEN_WORDS = ["TO" + "DO", "FIX" + "ME"]  # in halves, so that this file may hold them
# The files of types/ see bytes as structs of bytes, of alignment 1 and without padding, which the language allows.
CAST_ALLOWED = re.compile(r"lib/ggufvet/(source/|base/byte_order\.h|base/(utf8|text)|read/cursor\.h|"
                          r"types/(simd_|scan_|block_layouts\.h|decoders_iq\.cpp|quantize_blocks\.h))")
FORMAT_VERSION = "14"
SKIPPED = 77

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^">]+)[">]', re.M)
NOT_CODE = re.compile(r"""//[^\n]*|/\*.*?\*/|R"([^()\s]*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])'""", re.S)


class Tree:
    """The files of the repository, by path relative to its root."""

    def __init__(self, root):
        self.root = Path(root)
        self.paths = sorted(self.find_paths())
        self.texts = {path: text for path in self.paths if (text := self.read_text(path)) is not None}

    def find_paths(self):
        """What git tracks or would track; without git (an unpacked archive), what lies there, build trees aside."""
        git = ["git", "-C", str(self.root), "ls-files", "-z", "-co", "--exclude-standard"]
        if (self.root / ".git").exists() and shutil.which("git"):
            listing = subprocess.run(git, capture_output=True, check=False)
            if listing.returncode == 0:
                names = {name for name in listing.stdout.decode().split("\0") if name}
                return [name for name in names if (self.root / name).is_file()]
        names = [file.relative_to(self.root).as_posix() for file in self.root.rglob("*") if file.is_file()]
        return [name for name in names if not re.match(r"(build|\.git|\.cache)/|.*__pycache__/", name)]

    def read_text(self, path):
        if path.startswith(BINARY_FOLDERS):
            return None
        content = (self.root / path).read_bytes()
        return None if b"\0" in content else content.decode("utf-8", "replace")

    def select(self, pattern):
        return [(path, text) for path, text in self.texts.items() if re.fullmatch(pattern, path)]


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def code_only(text):
    """Comments and string contents blanked, lines kept."""
    return NOT_CODE.sub(lambda match: '""' * match[0].endswith('"') + "\n" * match[0].count("\n"), text)


def find_in_code(files, pattern, message):
    for path, text in files:
        code = code_only(text)
        for match in re.finditer(pattern, code):
            yield path, line_of(code, match.start()), message


def library_code(tree):
    """Tests may throw, cast and look up or down the layers; what they test may not."""
    return [(path, text) for path, text in tree.select(r"lib/.*\.(h|cpp)") if not re.search(r"_test\.(h|cpp)$", path)]


def check_layers(tree):
    for path, text in tree.select(r"lib/.*\.(h|cpp)"):
        is_test = re.search(r"_test\.(h|cpp)$", path)
        inside = re.fullmatch(r"lib/ggufvet/([^/]+)/.*", path)
        layer = inside[1] if inside else None
        if inside and layer not in LAYERS:
            yield path, 1, f"{layer} is not one of the layers {', '.join(LAYERS)}"
            continue
        for match in INCLUDE.finditer(text):
            line, name = line_of(text, match.start()), match[2]
            if re.match(r"(tools|fuzz|conformance|corpus)/", name):
                yield path, line, f"the library includes {name}"
                continue
            if name.startswith("ggufvet/"):
                target = "lib/" + name
            elif match[1] == '"':
                target = posixpath.normpath(posixpath.join(posixpath.dirname(path), name))
            else:
                continue
            if not target.startswith("lib/ggufvet/"):
                yield path, line, f"the library includes {name}"
                continue
            below = target.split("/")[2]
            if layer and not is_test and below != layer and below not in LAYERS[layer]:
                yield path, line, f"{layer} may not include {name}"


def check_type_switches(tree):
    """Tensor types alone: the format fixes the metadata value types, ValueType, and no dialect adds to them."""
    yield from find_in_code(library_code(tree), r"\bswitch\s*\((?!\s*static_cast<ValueType>)[^{};]*"
                            r"(\btype_id\b|\btype(_info)?(\.|->)id\b)[^{};]*\{",
                            "switch on a tensor type id: ask its row instead")


def check_casts(tree):
    files = [(path, text) for path, text in library_code(tree) if not CAST_ALLOWED.match(path)]
    yield from find_in_code(files, r"\breinterpret_cast\b", "reinterpret_cast: bytes are copied out, never cast")


def check_exceptions(tree):
    for pattern, word in [(r"\bthrow\b", "throw"), (r"\btry\s*\{", "try"), (r"\bcatch\s*\(", "catch"),
                          (r"\bdynamic_cast\b", "dynamic_cast"), (r"\bstd::c(out|err)\b", "standard stream")]:
        yield from find_in_code(library_code(tree), pattern, f"{word} in the library")


def check_expected(tree):
    files = [(path, text) for path, text in library_code(tree) if re.match(r"lib/ggufvet/(read|rules)/", path)]
    yield from find_in_code(files, r"\btl::expected\b|#\s*include\s*<tl/", "tl::expected belongs to the I/O edge")


def check_lengths(tree):
    for path, text in tree.select(r".*\.(h|cpp|py)|.*CMakeLists\.txt|tools/[a-z]+"):
        if (count := len(text.splitlines())) > SOURCE_LINES_MAX:
            yield path, count, f"{count} lines, more than {SOURCE_LINES_MAX}"


def check_blanks(tree):
    for path, text in tree.texts.items():
        for match in re.finditer(r"\t|[ \r]+$", text, re.M):
            yield path, line_of(text, match.start()), "tab" if match[0] == "\t" else "trailing blank"


def check_words(tree):
    for path, text in tree.texts.items():
        for match in re.finditer(r"\b(" + "|".join(FORBIDDEN_WORDS) + r")\b", text):
            yield path, line_of(text, match.start()), f"{match[0]}: do it, or open an issue"


def check_rules(tree):
    first_seen = {}
    for path, text in tree.select(r"lib/ggufvet/rules/.*\.cpp"):
        if path.endswith("_test.cpp"):
            continue
        for match in re.finditer(r'\.(slug) = "([^"]+)"|\.(id) = RuleId\{(\d+)\}', text):
            key = (match[1] or match[3], match[2] or match[4])
            line = line_of(text, match.start())
            if key in first_seen:
                yield path, line, f"rule {key[0]} {key[1]} is taken by {first_seen[key]}"
            first_seen.setdefault(key, f"{path}:{line}")


def check_recipes(tree):
    for path, text in tree.select(r".*\.gguft"):
        stem = posixpath.basename(path)[: -len(".gguft")]
        cases = re.findall(r"^case\s+(.*?)\s*$", text, re.M)
        if cases != [stem]:
            yield path, 1, f"the recipe's one case line must say {stem}, not {' and '.join(cases) or 'nothing'}"


def check_top_level(tree):
    for path in tree.paths:
        first = path.split("/")[0]
        if first not in TOP_LEVEL and not first.startswith("."):
            yield path, 1, f"{first} has no place at the top level"


CHECKS = {name[len("check_"):]: check for name, check in list(globals().items()) if name.startswith("check_")}


def report(tree):
    return [f"{path}:{line}: [{name}] {message}"
            for name, check in CHECKS.items() for path, line, message in check(tree)]


def run_format(tree):
    for program in ["clang-format-" + FORMAT_VERSION, "clang-format"]:
        if not shutil.which(program):
            continue
        version = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
        if re.search(rf"version {FORMAT_VERSION}\.", version):
            files = [path for path, _ in tree.select(r".*\.(h|cpp)")]
            command = [program, "--dry-run", "-Werror", "--ferror-limit=3", "--style=file", *files]
            status = subprocess.run(command, cwd=tree.root, check=False).returncode
            if status != 0:
                print(f"to mend: git ls-files '*.h' '*.cpp' | xargs {program} -i")
            return status
    print(f"skipped: versions of clang-format differ in taste, and {FORMAT_VERSION} is not here")
    return SKIPPED


# --- self-test -------------------------------------------------------------------------------------------------------

SOUND = {
    "CMakeLists.txt": "project(x)\n",
    ".gitignore": "/build/\n",
    "lib/ggufvet/ggufvet.h": '#include "ggufvet/render/text.h"\n#include "ggufvet/write/writer.h"\n',
    "lib/ggufvet/base/byte_order.h": "auto* p = reinterpret_cast<char*>(q);\n",
    "lib/ggufvet/read/model.h": '#include <vector>\n#include "ggufvet/types/type_info.h"\n// never: throw, try {, switch\n',
    "lib/ggufvet/read/model_test.cpp": '#include "ggufvet/write/writer.h"\nvoid f() { throw 1; }\n',
    "lib/ggufvet/rules/header.cpp": '{.id = RuleId{1}, .slug = "bad-magic"}\n{.id = RuleId{2}, .slug = "bad-version"}\n',
    "lib/ggufvet/types/types.cpp": 'const char* kText = "throw try { reinterpret_cast";\nswitch (type.status) {}\n',
    "corpus/recipes/header/y_tiny.gguft": "case    y_tiny\nnote    a case of its own\n",
    "corpus/blobs/header/y_tiny.gguf": "GGUF\tTO" + "DO \n",
}

# check, path, content, part of the message
FAULTS = [
    ("layers", "lib/ggufvet/base/up.h", '#include "ggufvet/read/model.h"\n', "base may not include"),
    ("layers", "lib/ggufvet/types/sideways.h", "#include <ggufvet/source/file.h>\n", "types may not include"),
    ("layers", "lib/ggufvet/write/beside.cpp", '#include "ggufvet/rules/rule.h"\n', "write may not include"),
    ("layers", "lib/ggufvet/render/beside.cpp", '#include "ggufvet/write/writer.h"\n', "render may not include"),
    ("layers", "lib/ggufvet/read/relative.cpp", '#include "../vet/vet.h"\n', "read may not include"),
    ("layers", "lib/ggufvet/read/all.cpp", '#include "ggufvet/ggufvet.h"\n', "read may not include"),
    ("layers", "lib/ggufvet/read/out_test.cpp", '#include "fuzz/properties.h"\n', "the library includes fuzz"),
    ("layers", "lib/ggufvet/vet/out.cpp", '#include "../../../tools/x.h"\n', "the library includes .."),
    ("layers", "lib/ggufvet/extra/new.h", "\n", "not one of the layers"),
    ("type_switches", "lib/ggufvet/rules/a.cpp", "switch (tensor.type_id) {\n", "switch on a tensor type id"),
    ("type_switches", "lib/ggufvet/types/b.cpp", "switch (static_cast<int>(\n    type->id)) {\n", "switch on a tensor type id"),
    ("casts", "lib/ggufvet/read/cast.cpp", "auto* p = reinterpret_cast<int*>(q);\n", "reinterpret_cast"),
    ("exceptions", "lib/ggufvet/vet/a.cpp", "throw 1;\n", "throw in"),
    ("exceptions", "lib/ggufvet/vet/b.cpp", "try {\n", "try in"),
    ("exceptions", "lib/ggufvet/vet/c.cpp", "catch (...) {\n", "catch in"),
    ("exceptions", "lib/ggufvet/vet/d.cpp", "dynamic_cast<T*>(p);\n", "dynamic_cast in"),
    ("exceptions", "lib/ggufvet/vet/e.cpp", "f('\"', 1); throw 1; g(\"\");\n", "throw in"),
    ("exceptions", "lib/ggufvet/render/e.cpp", "// fine\nstd::cout << 1;\n", "e.cpp:2: [exceptions] standard stream"),
    ("expected", "lib/ggufvet/read/e.h", "tl::expected<int, IoError> f();\n", "I/O edge"),
    ("expected", "lib/ggufvet/rules/e.h", "#include <tl/expected.hpp>\n", "I/O edge"),
    ("lengths", "tools/ggufvet/long.cpp", "\n" * 601, "601 lines"),
    ("blanks", "tools/a.cpp", "int a;\n\tint b;\n", "a.cpp:2: [blanks] tab"),
    ("blanks", "README.md", "text \n", "trailing blank"),
    ("blanks", "README.md", "text\r\n", "trailing blank"),
    ("words", "tools/b.cpp", "// TO" + "DO later\n", "open an issue"),
    ("words", "conformance/c.py", "# FIX" + "ME\n", "open an issue"),
    ("rules", "lib/ggufvet/rules/slug.cpp", '{.id = RuleId{3}, .slug = "bad-magic"}\n', "slug bad-magic is taken by"),
    ("rules", "lib/ggufvet/rules/number.cpp", '{.id = RuleId{2}, .slug = "new"}\n', "id 2 is taken by"),
    ("recipes", "corpus/recipes/x/n_other.gguft", "case n_another\n", "must say n_other, not n_another"),
    ("recipes", "corpus/recipes/x/n_prefix.gguft", "case prefix\n", "must say n_prefix"),
    ("recipes", "corpus/recipes/x/i_none.gguft", "note none\n", "not nothing"),
    ("top_level", "scratch/notes.txt", "x\n", "scratch has no place"),
]


def write_tree(folder, files):
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content.encode())


def self_test():
    failures = []
    if unplanted := set(CHECKS) - {fault[0] for fault in FAULTS}:
        failures.append(f"no fault is planted for {', '.join(sorted(unplanted))}")
    for name, path, content, message in [(None, "", "", ""), *FAULTS]:
        with tempfile.TemporaryDirectory() as folder:
            write_tree(Path(folder), SOUND if name is None else {**SOUND, path: content})
            found = report(Tree(folder))
        if name is None:
            failures += [f"a sound tree is blamed: {line}" for line in found]
        elif len(found) != 1 or not found[0].startswith(f"{path}:") or f"[{name}]" not in found[0] or message not in found[0]:
            failures.append(f"planted {message!r} in {path}, found {found}")
    print("\n".join(failures) if failures else f"{len(FAULTS)} planted faults seen")
    return 1 if failures else 0


def main(arguments):
    if arguments == ["--self-test"]:
        return self_test()
    home = Path(__file__).resolve().parent.parent
    if arguments == ["--format"]:
        return run_format(Tree(home))
    if len(arguments) > 1 or any(argument.startswith("-") for argument in arguments):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    tree = Tree(arguments[0] if arguments else home)
    found = report(tree)
    print("\n".join(found) if found else f"{len(tree.paths)} files are tidy")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
