# SPDX-License-Identifier: MIT
"""Includes follow the folders of docs/architecture.md, and no two rooms of the product include one another.

Nothing but tests uses what is for tests. Tests of a folder include what the folder may include, and what is in it; scripts of tests and
benchmarks import what is in their own folder, in those around it, and in tests/support. Each file names its licence. Headers have names of
their own.
"""

import ast
import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]

# What every folder in runtime/main may include from outside of it.
BELOW_MAIN = ("runtime/config", "runtime/matrix", "runtime/sched", "runtime/gpu")
# The folders in runtime/main that its modes rest on.
BELOW_MODES = "program failure inputs machine engine command_line report"


def rooms(names):
    """The folders of these names in runtime/main."""
    return [f"runtime/main/{name}" for name in names.split()]


def passes(names=""):
    """What a folder in choicegraph/passes may include from outside of it: the folders of these names beside it, too."""
    return ["lang", "choicegraph/plan", *(f"choicegraph/passes/{name}" for name in names.split())]


LOWER = ["clgen/lower", *(f"clgen/lower/{name}" for name in ("tree", "analysis", "loops", "accesses", "schedule", "launches"))]


def lowering(names):
    """What a folder in clgen/lower may include from outside of it: the folders of these names beside it, too."""
    return ["lang", "choicegraph", "clgen/facts", *(f"clgen/lower/{name}" for name in names.split())]


def printers(names=""):
    """What a folder in clgen/cpp may include from outside of it: the folders of these names beside it, too."""
    return ["lang", "choicegraph", "runtime/config", "clgen/writer", "clgen/facts", "clgen/body_code_printer.h", "clgen/opencl/kernel.h", *LOWER,
            *(f"clgen/cpp/{name}" for name in names.split())]


# Headers of lang that its folders rest on; the others lie above the folders.
LANG_BELOW = [f"lang/{name}" for name in ("border.h", "check.h", "operators.h", "operators.def", "span.h", "store.h", "types.h")]

# Room -> rooms it may include from, besides itself and `base`. A room is a folder or a file. The longest prefix of a path decides.
MAY_USE = {
    "base": [],
    **{header: LANG_BELOW for header in LANG_BELOW},
    "lang": [*LANG_BELOW, "lang/body", "lang/index", "lang/region"],
    "lang/body": LANG_BELOW,
    "lang/index": LANG_BELOW,
    "lang/region": [*LANG_BELOW, "lang/index"],
    # Formulas of programs as expressions over regions.
    "lang/region/affine.h": ["lang"],
    "lang/region/affine.cpp": ["lang"],
    "frontend": ["lang"],
    "frontend/driver": ["lang", "frontend", "choicegraph", "clgen", "runtime/config"],
    "choicegraph/plan": ["lang"],
    "choicegraph/passes/analysis": passes(),
    "choicegraph/passes/segments": passes("analysis"),
    "choicegraph/passes/loops": passes("analysis"),
    "choicegraph/passes/steps": passes("analysis loops"),
    "choicegraph/passes/choices": passes("analysis loops steps"),
    "choicegraph/passes/computation": passes("analysis"),
    "choicegraph/passes/device": passes("analysis"),
    "choicegraph/passes/checks": passes("analysis segments"),
    "choicegraph/passes": [*passes(), "choicegraph/passes"],
    "choicegraph/testing": ["lang", "choicegraph", "frontend/infer_regions"],
    "clgen": ["lang", "choicegraph", "runtime/config", "clgen/facts", "clgen/writer", *LOWER],
    "clgen/facts": ["lang", "choicegraph/plan", "runtime/config"],
    "clgen/writer": ["lang/check.h"],
    "clgen/cpp/context": printers(),
    "clgen/cpp/rules": printers("context"),
    "clgen/cpp/boxes": printers("context rules"),
    "clgen/cpp/loops": [*printers("context rules boxes"), "clgen/scan_factor.h"],
    "clgen/cpp/steps": printers("context rules boxes loops"),
    "clgen/cpp/calls": printers("context"),
    "clgen/cpp": [*printers("context rules boxes loops steps calls"), "clgen/info"],
    "clgen/opencl": [*printers(), "clgen/scan_factor.h"],
    "clgen/info": ["lang", "choicegraph", "runtime/config", "clgen/facts"],
    "clgen/lower": lowering("tree analysis loops accesses schedule launches"),
    "clgen/lower/launches": lowering("tree analysis loops accesses schedule"),
    "clgen/lower/accesses": lowering("tree analysis"),
    "clgen/lower/schedule": lowering("tree analysis"),
    "clgen/lower/loops": lowering("tree analysis"),
    "clgen/lower/analysis": lowering("tree"),
    "clgen/lower/tree": ["lang", "choicegraph/plan", "clgen/facts"],
    "clgen/testing": ["lang", "choicegraph", "clgen"],
    "runtime/config": [],
    "runtime/config/formats": ["runtime/config"],
    "runtime/matrix": ["runtime/config"],
    "runtime/matrix/files": ["runtime/config", "runtime/matrix"],
    "runtime/sched": ["runtime/config"],
    "runtime/sched/loops": ["runtime/config", "runtime/sched"],
    "runtime/steps": ["runtime/config", "runtime/matrix", "runtime/sched"],
    "runtime/gpu": ["runtime/config", "runtime/matrix", "runtime/sched"],
    "runtime/cl": ["runtime/config", "runtime/matrix", "runtime/gpu"],
    "runtime/main/program": [*BELOW_MAIN, "runtime/body_api.h"],
    "runtime/main/failure": [*BELOW_MAIN, *rooms("program")],
    "runtime/main/inputs": [*BELOW_MAIN, *rooms("program")],
    "runtime/main/machine": [*BELOW_MAIN, "runtime/cl"],
    "runtime/main/engine": [*BELOW_MAIN, *rooms("program inputs machine")],
    "runtime/main/command_line": [*BELOW_MAIN, *rooms("machine engine")],
    "runtime/main/report": [*BELOW_MAIN, *rooms("engine command_line")],
    "runtime/main/modes": [*BELOW_MAIN, *rooms(BELOW_MODES)],
    "runtime/main/serve": [*BELOW_MAIN, *rooms(BELOW_MODES + " modes")],
    "runtime/embed": [*BELOW_MAIN, *rooms("program inputs machine engine command_line")],
    # The C interface, as any host.
    "runtime/python": ["runtime/embed/polybricks.h", "runtime/embed/blocked_signals.h"],
    "runtime/body_api.h": ["runtime/matrix"],
    "runtime": ["runtime"],
    "autotuner/space": ["runtime/config"],
    "autotuner/trials": ["runtime/config", "autotuner/space"],
    "autotuner/search": ["runtime/config", "autotuner/space", "autotuner/trials"],
    "autotuner/measure": ["runtime/config", "autotuner/space", "autotuner/trials", "autotuner/search"],
    "autotuner/report": ["runtime/config", "autotuner/space", "autotuner/trials", "autotuner/search", "autotuner/measure"],
    "autotuner/tune": ["runtime/config", "autotuner/space", "autotuner/trials", "autotuner/search", "autotuner/measure", "autotuner/report"],
    "autotuner/migrate": ["runtime/config", "autotuner/space", "autotuner/trials", "autotuner/search", "autotuner/measure", "autotuner/report"],
    "autotuner": ["runtime/config", "autotuner"],
}
# Room -> what its tests include besides: what lies above it, or beside it.
TESTS_MAY_USE = {
    "choicegraph/passes": ["frontend/infer_regions"],
    "lang/region": ["lang/region/affine.h", "runtime/matrix/index_math.h"],
    "runtime/cl": ["runtime/sched"],
    "runtime/config": ["runtime/config/formats"],
    "runtime/main/program": ["runtime/generated.h"],
    "runtime/sched": ["runtime/sched/loops"],
    "tests": [],
    "tests/fuzz": ["lang", "frontend", "choicegraph", "runtime/config", "runtime/matrix"],
    "benchmarks/tasks": ["runtime/sched"],
    "benchmarks": [],
}
# Folder -> folders from which its scripts import, besides those around it and tests/support.
SCRIPTS_MAY_USE = {"tests/oclgrind": ["tests/conformance"]}
# Files beside the product that only tests use.
FOR_TESTS = ("runtime/gpu/testing/fake_device.", "runtime/gpu/testing/fake_fixture.h", "runtime/gpu/manager/manual_manager.h")
INCLUDE = re.compile(r'^\s*#include "([^"]+)"', re.M)


def room_of(path, rooms_known=MAY_USE):
    """The room that a repository path belongs to, or None."""
    best = [f for f in rooms_known if path == f or path.startswith(f + "/")]
    return max(best, key=len) if best else None


def is_within(target, allowed):
    return any(target == a or target.startswith(a + "/") for a in allowed)


def is_for_tests(path):
    return path.startswith("tests/") or "/testing/" in path or path.startswith(FOR_TESTS)


def is_test(path):
    return path.endswith(("_test.cpp", "_bench.cpp")) or path.startswith(("tests/", "benchmarks/"))


def allowed_of(path):
    """What a C++ file may include besides what belongs to its own room; None if no list names its folder."""
    own = room_of(path)
    of_tests = room_of(path, TESTS_MAY_USE) if is_test(path) else None
    if own is None and of_tests is None:
        return None
    return [*MAY_USE.get(own, []), *TESTS_MAY_USE.get(of_tests, [])]


def faults_of(path):
    relative = path.relative_to(ROOT).as_posix()
    text = path.read_text()
    if "SPDX-License-Identifier: MIT" not in text.split("\n", 1)[0]:
        yield f"{relative}: the first line has no licence"
    own, allowed = room_of(relative), allowed_of(relative)
    if allowed is None:
        yield f"{relative}: neither MAY_USE nor TESTS_MAY_USE says what its folder may include"
        return
    for included in INCLUDE.findall(text):
        if is_for_tests(included):
            if not is_for_tests(relative) and not is_test(relative):
                yield f"{relative}: includes {included}, which is for tests"
            continue
        target = room_of(included)
        if target in (None, "base", own) or is_within(included, allowed):
            continue
        yield f"{relative}: includes {included}, but {own or relative} may use only {', '.join(allowed) or 'nothing else'}"


def opposed_rooms(files):
    """Messages for rooms of the product that include one another."""
    examples = collections.defaultdict(dict)
    for path in files:
        relative = path.relative_to(ROOT).as_posix()
        if is_test(relative) or is_for_tests(relative):
            continue
        own = room_of(relative)
        for included in INCLUDE.findall(path.read_text()):
            target = room_of(included)
            if target not in (None, own):
                examples[own].setdefault(target, f"{relative} includes {included}")
    return [f"{a} and {b} include one another: {examples[a][b]}, and {examples[b][a]}"
            for a in sorted(examples) for b in sorted(examples[a]) if a < b and a in examples.get(b, {})]


def imports_of(path):
    """The modules that a script imports, by the first part of their names."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.split(".")[0]


def script_faults(scripts):
    """Messages for scripts of tests and benchmarks that import another folder's modules."""
    folders = collections.defaultdict(set)
    for path in scripts:
        folders[path.stem].add(path.relative_to(ROOT).parent.as_posix())
    for path in scripts:
        relative = path.relative_to(ROOT)
        own = relative.parent.as_posix()
        for name in imports_of(path):
            near = [folder for folder in folders.get(name, ()) if is_within(own, [folder]) or is_within(folder, [own]) or folder == "tests/support"
                    or folder in SCRIPTS_MAY_USE.get(own, [])]
            if folders.get(name) and not near:
                yield f"{relative.as_posix()}: imports {name} of {', '.join(sorted(folders[name]))}"


def twins_among(files):
    """Messages for headers of one name: a reader of `#include` and of a comment knows which one is meant by its name."""
    by_name = {}
    for path in files:
        if path.suffix == ".h":
            by_name.setdefault(path.name, []).append(path.relative_to(ROOT).as_posix())
    return [f"headers of one name: {', '.join(paths)}" for paths in by_name.values() if len(paths) > 1]


def main():
    files = [p for top in ("base", "lang", "frontend", "choicegraph", "clgen", "runtime", "autotuner", "benchmarks", "tests")
             for ending in ("*.h", "*.cpp") for p in sorted((ROOT / top).rglob(ending)) if "testdata" not in p.parts]
    faults = [fault for path in files for fault in faults_of(path)]
    faults += opposed_rooms(files) + twins_among(files)
    scripts = [p for top in ("benchmarks", "tests") for p in sorted((ROOT / top).rglob("*.py"))]
    faults += script_faults(scripts)
    print("\n".join(faults) if faults else f"{len(files)} files and {len(scripts)} scripts keep the layers")
    return 1 if faults or not files or not scripts else 0


if __name__ == "__main__":
    sys.exit(main())
