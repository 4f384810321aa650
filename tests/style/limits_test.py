# SPDX-License-Identifier: MIT
"""Folders, files, functions and classes keep their limits: files of a folder, lines of a file and of a function, member functions and
files of a class.

LARGE_FOLDERS and LARGE_CLASSES are those of today that are larger. They may not grow, and when one shrinks its number here must follow. A file
or function that says `Flat by design` may be longer: a table or a switch reads best in one piece.
"""

import ast
import collections
import functools
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import sources  # noqa: E402

FLAT = "Flat by design"
MAX_FOLDER_FILES = 40
MAX_FILE_LINES = 600
MAX_FUNCTION_LINES = 75
MAX_MEMBER_FUNCTIONS = 25
# A header and one source file.
MAX_CLASS_FILES = 2

# Folder -> its own files, without those of folders in it.
LARGE_FOLDERS = {"docs/decisions": 76}

# Path and name -> member functions.
LARGE_CLASSES = {}


def cpp_measures(text, scopes):
    """(functions: name -> lines, classes: name -> member functions) of a C++ file; of those with one name the largest."""
    functions, classes = {}, {}
    lines = text.split("\n")
    for scope in scopes:
        if scope.kind == "function" and any(FLAT in line for line in lines[max(0, scope.first_line - 2):scope.first_line + scope.num_lines]):
            continue
        table, size = (functions, scope.num_lines) if scope.kind == "function" else (classes, scope.num_functions)
        table[scope.name] = max(size, table.get(scope.name, 0))
    return functions, classes


@functools.lru_cache(maxsize=None)
def includes(name):
    """The files of the repository that a C++ file includes, itself or through others, with the file itself."""
    found, left = set(), [name]
    while left:
        current = left.pop()
        if current in found or not (sources.ROOT / current).is_file():
            continue
        found.add(current)
        left += re.findall(r'^#include "([^"]+)"', (sources.ROOT / current).read_text(), re.M)
    return frozenset(found)


def class_files(scopes_of):
    """Class and the file that declares it -> the number of files in which it or a member function of it is defined."""
    declared = collections.defaultdict(set)
    for name, scopes in scopes_of.items():
        for scope in scopes:
            if scope.kind == "class":
                declared[scope.name.split("::")[-1]].add(name)
    out = collections.defaultdict(set)
    for name, scopes in scopes_of.items():
        for scope in scopes:
            parts = scope.name.split("::")
            if scope.kind != "function" or len(parts) < 2 or parts[-2] not in declared:
                continue
            places = declared[parts[-2]]
            for place in {name} & places or includes(name) & places:
                out[f"{place} {parts[-2]}"] |= {place, name}
    return {key: len(names) for key, names in out.items()}


def python_measures(path):
    functions, classes = {}, {}
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef):
            functions[node.name] = max(node.end_lineno - node.lineno + 1, functions.get(node.name, 0))
        elif isinstance(node, ast.ClassDef):
            classes[node.name] = sum(isinstance(item, ast.FunctionDef) for item in node.body)
    return functions, classes


def beyond(measured, limit, exceptions, what):
    """A line for each of `measured` that is over `limit` and over what `exceptions` grants it, and for each exception that is out of date."""
    for name, size in sorted(measured.items()):
        if size > max(limit, exceptions.get(name, 0)):
            yield f"{name}: {size} {what} (limit {exceptions.get(name, limit)})"
    for name, granted in sorted(exceptions.items()):
        size = measured.get(name, 0)
        if size < granted:
            yield f"{name}: has {size} {what} now; its exception here, {granted}, shrinks with it" + ("" if size > limit else " and goes")


def main():
    faults, functions, classes, scopes_of = [], {}, {}, {}
    paths = sources.files(".h", ".cpp", ".py")
    for path in paths:
        relative = path.relative_to(sources.ROOT).as_posix()
        text = path.read_text()
        num_lines = text.count("\n")
        if num_lines > MAX_FILE_LINES and FLAT not in text:
            faults.append(f"{relative}: {num_lines} lines (limit {MAX_FILE_LINES})")
        if path.suffix != ".py":
            scopes_of[relative] = sources.scopes(text)
        for table, measured in zip((functions, classes), python_measures(path) if path.suffix == ".py" else cpp_measures(text, scopes_of[relative])):
            table.update({f"{relative} {name}": size for name, size in measured.items()})
    folders = collections.Counter(path.relative_to(sources.ROOT).parent.as_posix() for path in sources.all_files())
    faults += beyond(folders, MAX_FOLDER_FILES, LARGE_FOLDERS, "files")
    faults += beyond(functions, MAX_FUNCTION_LINES, {}, "lines")
    faults += beyond(classes, MAX_MEMBER_FUNCTIONS, LARGE_CLASSES, "member functions")
    of_classes = class_files(scopes_of)
    faults += beyond(of_classes, MAX_CLASS_FILES, {}, "files with its definitions")
    print("\n".join(faults))
    print(f"{len(folders)} folders, {len(paths)} files, {len(functions)} functions, {len(classes)} classes, {len(faults)} faults")
    return 1 if faults or not folders or not functions or not classes or not of_classes else 0


if __name__ == "__main__":
    sys.exit(main())
