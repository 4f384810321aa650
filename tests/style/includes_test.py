# SPDX-License-Identifier: MIT
"""No header includes itself through others, and no unit of the product does.

A unit is a header with its source file. The units of each folder are printed by floors, the highest floor first.

A header of ours is included by its path in the repository; programs of benchmarks, which are compiled by themselves, may name it from
their own folder.
"""

import os
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import sources  # noqa: E402

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)
# The folders of the product: their units include one another in one direction alone.
PRODUCT = ("base/", "lang/", "frontend/", "choicegraph/", "clgen/", "runtime/", "autotuner/")
# Of ANTLR, which quotes its own includes: its library's, and the one that it makes in the build folder.
ANTLR = ("antlr4-runtime.h", "PbccParser.h")


def target(name, included):
    """The file of the repository that `name` means by `included`, or None."""
    beside = os.path.normpath(os.path.join(os.path.dirname(name), included))
    for candidate in (included, *([beside] if name.startswith("benchmarks/") else [])):
        if (sources.ROOT / candidate).is_file():
            return candidate
    return None


def cycles(includes):
    """Each cycle of the graph header -> included headers once, as the list of its headers; the first one stands at the end again."""
    done, path, found = set(), [], []

    def visit(header):
        if header in path:
            found.append(path[path.index(header):] + [header])
        elif header not in done:
            path.append(header)
            for included in includes.get(header, ()):
                visit(included)
            path.pop()
            done.add(header)

    for header in sorted(includes):
        visit(header)
    return found


def units(includes, folders):
    """A header and its source file are a unit; the graph of units in `folders`, without tests and benchmarks."""
    def unit(name):
        return os.path.splitext(name)[0]

    out = {}
    for name, targets in includes.items():
        if name.startswith(folders) and not name.endswith(("_test.cpp", "_bench.cpp")):
            out.setdefault(unit(name), set()).update(unit(target) for target in targets if target.startswith(folders) and unit(target) != unit(name))
    return out


def floors(graph):
    """Units by the longest way down from them. Pre: there are no cycles."""
    height = {}

    def of(unit):
        if unit not in height:
            height[unit] = 1 + max(map(of, graph.get(unit, ())), default=0)
        return height[unit]

    out = {}
    for unit in sorted(graph):
        out.setdefault(of(unit), []).append(unit)
    return out


def main():
    faults, includes = [], {}
    for path in sources.files(".h", ".cpp"):
        name = path.relative_to(sources.ROOT).as_posix()
        targets = {included: target(name, included) for included in INCLUDE.findall(path.read_text()) if included not in ANTLR}
        includes[name] = [found for found in targets.values() if found]
        faults += [f"{name}: includes {included}, which is no path from the repository's root" for included, found in targets.items() if not found]
    faults += ["a cycle of includes: " + " -> ".join(cycle) for cycle in cycles(includes)]
    knots = cycles(units(includes, PRODUCT))
    faults += ["a knot of units: " + " -> ".join(knot) for knot in knots]
    for folder in PRODUCT if not knots else ():
        for floor, names in sorted(floors(units(includes, folder)).items(), reverse=True):
            print(f"{folder} floor {floor}: " + " ".join(name.removeprefix(folder) for name in names))
    print("\n".join(faults))
    print(f"{len(includes)} files, {sum(map(len, includes.values()))} includes, {len(faults)} faults")
    return 1 if faults or not includes else 0


if __name__ == "__main__":
    sys.exit(main())
