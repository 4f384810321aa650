# SPDX-License-Identifier: MIT
"""Folders, files, functions and classes keep their limits: C++ files of a folder, lines of a file and of a function, member functions of
a class.

LARGE_FOLDERS and LARGE_CLASSES are those of today that are larger. They may not grow, and when one shrinks its number here must follow. A file
or function that says `Flat by design` may be longer: a table or a switch reads best in one piece.
"""

import ast
import collections
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import sources  # noqa: E402

FLAT = "Flat by design"
MAX_FOLDER_FILES = 40
MAX_FILE_LINES = 600
MAX_FUNCTION_LINES = 75
MAX_MEMBER_FUNCTIONS = 25

# Folder -> its own C++ files, without those of folders in it.
LARGE_FOLDERS = {}

# Path and name -> member functions.
LARGE_CLASSES = {}


def cpp_measures(path):
    """(functions: name -> lines, classes: name -> member functions) of a C++ file; of those with one name the largest."""
    functions, classes = {}, {}
    text = path.read_text()
    lines = text.split("\n")
    for scope in sources.scopes(text):
        if scope.kind == "function" and any(FLAT in line for line in lines[max(0, scope.first_line - 2):scope.first_line + scope.num_lines]):
            continue
        table, size = (functions, scope.num_lines) if scope.kind == "function" else (classes, scope.num_functions)
        table[scope.name] = max(size, table.get(scope.name, 0))
    return functions, classes


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
    faults, functions, classes = [], {}, {}
    paths = sources.files(".h", ".cpp", ".py")
    for path in paths:
        relative = path.relative_to(sources.ROOT).as_posix()
        text = path.read_text()
        num_lines = text.count("\n")
        if num_lines > MAX_FILE_LINES and FLAT not in text:
            faults.append(f"{relative}: {num_lines} lines (limit {MAX_FILE_LINES})")
        for table, measured in zip((functions, classes), python_measures(path) if path.suffix == ".py" else cpp_measures(path)):
            table.update({f"{relative} {name}": size for name, size in measured.items()})
    folders = collections.Counter(path.relative_to(sources.ROOT).parent.as_posix() for path in paths if path.suffix != ".py")
    faults += beyond(folders, MAX_FOLDER_FILES, LARGE_FOLDERS, "C++ files")
    faults += beyond(functions, MAX_FUNCTION_LINES, {}, "lines")
    faults += beyond(classes, MAX_MEMBER_FUNCTIONS, LARGE_CLASSES, "member functions")
    print("\n".join(faults))
    print(f"{len(folders)} folders, {len(paths)} files, {len(functions)} functions, {len(classes)} classes, {len(faults)} faults")
    return 1 if faults or not functions or not classes else 0


if __name__ == "__main__":
    sys.exit(main())
