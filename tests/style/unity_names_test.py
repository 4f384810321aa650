# SPDX-License-Identifier: MIT
"""Files of one library may be compiled together (`-DPB_UNITY=ON`), so what they keep to themselves has names of its own.

    unity_names_test.py

Looks at what stands in unnamed namespaces: functions with the same parameters, types, and constants. Only names of the same library and
the same namespace can clash. Which files are compiled together changes with every new file.
"""

import collections
import re
import sys

import sources

NAMESPACE = re.compile(r"^(?:inline )?namespace ([\w:]*) ?\{$|^\}  // namespace ?([\w:]*)$", re.MULTILINE)
FUNCTION = re.compile(r"^(?![#/}\s])(?!using |namespace |class |struct |enum |static_assert)[^\n(=]*?(?<!::)\b(\w+)\(([^;{}]*?)\)\s*(?:noexcept )?\{", re.MULTILINE)
TYPE = re.compile(r"^(?:class|struct|enum class|union) (\w+)\b[^;\n]*\{", re.MULTILINE)
CONSTANT = re.compile(r"^(?:static )?(?:constexpr|const) [^\n=;(]*?\b(\w+)(?:\[[^\]]*\])* ?[={]", re.MULTILINE)
NAME_OF_PARAMETER = re.compile(r"\s*\b\w+\s*(?=,|$)|\s*=\s*[^,]*(?=,|$)")


def unnamed_parts(text):
    """Yields (namespace around it, text) of each unnamed namespace."""
    around, begin = [], None
    for match in NAMESPACE.finditer(text):
        opened, is_open = match[1], match[0].endswith("{")
        if is_open and opened:
            around.append(opened)
        elif is_open:
            begin = match.end()
        elif match[2]:
            if around:
                around.pop()
        elif begin is not None:
            yield "::".join(around), text[begin:match.start()]
            begin = None


def names_of(text):
    """Yields a name for each definition at the top of the part; functions with the types of their parameters."""
    for match in FUNCTION.finditer(text):
        types = re.sub(r"\s+", " ", NAME_OF_PARAMETER.sub("", match[2])).strip()
        yield f"{match[1]}({types})"
    for pattern in (TYPE, CONSTANT):
        for match in pattern.finditer(text):
            yield match[1]


def library_of(path):
    """The folder whose CMakeLists.txt names the file."""
    for folder in path.parents:
        lists = folder / "CMakeLists.txt"
        if lists.exists() and re.search(rf"(?<![\w/]){re.escape(str(path.relative_to(folder)))}\b", lists.read_text()):
            return folder.relative_to(sources.ROOT)
    return None


def main():
    places = collections.defaultdict(list)
    for path in sources.files(".cpp"):
        name = path.relative_to(sources.ROOT).as_posix()
        if name.endswith("_test.cpp") or name.startswith(("benchmarks/", "tests/", "examples/", "docs/")):
            continue
        library = library_of(path)
        for namespace, part in unnamed_parts(path.read_text()):
            for defined in names_of(part):
                places[library, namespace, defined].append(name)
    faults = [f"{namespace}::{defined} stands in {' and '.join(sorted(set(where)))}"
              for (_, namespace, defined), where in sorted(places.items(), key=str) if len(set(where)) > 1]
    print("\n".join(faults))
    print(f"{len(places)} names in unnamed namespaces, {len(faults)} stand twice")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
