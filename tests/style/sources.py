# SPDX-License-Identifier: MIT
"""The files of the repository, and the functions and classes of C++ files, as the tests of style read them."""

import dataclasses
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Inputs of tests: their lines are what the tests are about.
LEFT_OUT = ("testdata",)
# Its headers are of programs in the language, not in C++.
PROGRAMS = "tests/conformance/"

LITERALS = re.compile(r'//[^\n]*|/\*.*?\*/|R"(?P<mark>\w*)\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"|(?<![0-9A-Fa-f])\'(?:\\.|[^\'\\\n])+\'', re.S)
DIRECTIVES = re.compile(r"^[ \t]*#(?:[^\n\\]|\\.)*", re.M | re.S)
TYPE_HEAD = re.compile(r"\b(class|struct|union)\s+(?:\[\[.*?\]\]\s*|alignas\s*\([^)]*\)\s*)*([A-Za-z_][\w:]*)[^()]*$", re.S)
FUNCTION_NAME = re.compile(r"(operator\s*(?:\(\)|[^\s\w(]+|[\w ]+)|~?[A-Za-z_][\w:~]*)\s*\(")


def all_files():
    """Those that git knows; all of the tree in an unpacked archive."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode == 0 and listed.stdout:
        paths = [ROOT / name for name in listed.stdout.splitlines()]
    else:
        paths = [path for path in sorted(ROOT.rglob("*")) if "build" not in path.parts]
    return [path for path in paths if path.is_file()]


def files(*endings):
    """Our own files with one of the endings, without inputs of tests."""
    return [path for path in all_files() if path.suffix in endings and is_ours(path.relative_to(ROOT))]


def is_ours(path):
    return not any(part in LEFT_OUT for part in path.parts) and not (path.suffix == ".h" and path.as_posix().startswith(PROGRAMS))


@dataclasses.dataclass
class Scope:
    """A pair of braces outside of all functions and initialisers."""

    kind: str  # function, class, or open: a namespace or the like
    name: str
    first_line: int
    num_lines: int = 0
    num_functions: int = 0  # of a class: declared or defined in it, without `= default` and `= delete`


def without_literals(text):
    """`text` with comments, literals and directives blanked; lines stay."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match.group(0))
    return DIRECTIVES.sub(blank, LITERALS.sub(blank, text))


def without_nested(text, opening, closing):
    """`text` without what stands between the brackets, the outermost of which stay."""
    depth, out = 0, []
    for char in text:
        depth -= char == closing and depth > 0
        if depth == 0:
            out.append(char)
        depth += char == opening
    return "".join(out)


def is_function(head):
    """Whether what ends before a brace or a semicolon, outside of functions, declares a function."""
    head = re.sub(r"->|<=>|<<|>>|operator\s*\S+?(?=\s*\()", " operator_ " if "operator" in head else " ", head)
    flat = without_nested(without_nested(head, "(", ")"), "<", ">")
    return "(" in flat and "=" not in flat.split("(")[0] and not re.match(r"\s*(using|typedef|friend|static_assert|extern\s*$)", flat)


def scopes(text):
    """The functions and classes of a C++ file, outer ones first; what lies in functions belongs to them."""
    code = without_literals(text)
    found, stack = [], []
    start = position = 0
    while position < len(code):
        char = code[position]
        if char in ";}" or (char == ":" and re.search(r"\b(public|private|protected)\s*$", code[start:position])):
            inside = stack[-1] if stack else None
            head = code[start:position]
            if char == ";" and inside and inside.kind == "class" and is_function(head) and not re.search(r"=\s*(default|delete)\s*$", head):
                inside.num_functions += 1
            if char == "}" and stack:
                end_scope(stack.pop(), code, position)
            start = position + 1
        elif char == "{":
            head, line = code[start:position], line_of(code, start)
            scope = opened(head, line)
            if scope.kind in ("function", "initialiser"):
                position = end_of_body(code, position)
                if scope.kind == "function":
                    end_scope(scope, code, position)
                    if stack and stack[-1].kind == "class":
                        stack[-1].num_functions += 1
                    found.append(scope)
                    start = position + 1
            else:
                stack.append(scope)
                if scope.kind == "class":
                    found.append(scope)
                start = position + 1
        position += 1
    return found


def line_of(code, start):
    """The line of the first character at or behind `start` that is not blank."""
    while start < len(code) and code[start].isspace():
        start += 1
    return code.count("\n", 0, start) + 1


def end_scope(scope, code, position):
    scope.num_lines = code.count("\n", 0, position) + 2 - scope.first_line


def end_of_body(code, position):
    """Where the brace at `position` closes. Initialisers of members may have braces, too: `: size_{size} {`."""
    while True:
        depth = 0
        while position < len(code):
            depth += (code[position] == "{") - (code[position] == "}")
            if depth == 0:
                break
            position += 1
        rest = re.match(r"\s*(,[^;{}]*)?\{", code[position + 1:])
        if not rest:
            return position
        position += rest.end()


def opened(head, line):
    """The scope that begins behind `head`."""
    flat = without_nested(head, "<", ">")
    named = TYPE_HEAD.search(flat)
    if named and not re.search(r"\benum\s+(class|struct)\b", flat) and "=" not in flat:
        return Scope("class", named.group(2), line)
    if re.search(r"\bnamespace\b|\bextern\s*$", head):
        return Scope("open", "", line)
    if is_function(head):
        names = FUNCTION_NAME.findall(flat)
        return Scope("function", names[0].strip() if names else "?", line)
    return Scope("initialiser", "", line)
