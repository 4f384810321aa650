# SPDX-License-Identifier: MIT
"""Includes follow the folders of docs/architecture.md; nothing but tests uses what is for tests; each file names its licence; headers have
names of their own."""

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


LOWER = ["clgen/lower", *(f"clgen/lower/{name}" for name in ("tree", "analysis", "loops", "accesses", "schedule"))]


def lowering(names):
    """What a folder in clgen/lower may include from outside of it: the folders of these names beside it, too."""
    return ["lang", "choicegraph", "clgen/names.h", "clgen/numbering.h", "clgen/rule_facts.h", *(f"clgen/lower/{name}" for name in names.split())]


def printers(names=""):
    """What a folder in clgen/cpp may include from outside of it: the folders of these names beside it, too."""
    shared = [f"clgen/{path.name}" for path in sorted((ROOT / "clgen").glob("*.h"))]
    return ["lang", "choicegraph", "runtime/config", "clgen/writer", "clgen/opencl/kernel.h", *shared, *LOWER,
            *(f"clgen/cpp/{name}" for name in names.split())]


# Folder -> folders it may include from, besides itself and `base`. Longest prefix of a path decides.
MAY_USE = {
    "base": [],
    "lang": ["lang"],
    "lang/body": ["lang/check.h", "lang/operators.h", "lang/span.h", "lang/store.h", "lang/types.h"],
    "lang/index": ["lang/check.h"],
    "lang/region": ["lang"],
    "frontend": ["lang"],
    "frontend/driver": ["lang", "frontend", "choicegraph", "clgen", "runtime/config"],
    "choicegraph/plan": ["lang"],
    "choicegraph/passes/analysis": passes(),
    "choicegraph/passes/segments": passes("analysis"),
    "choicegraph/passes/loops": passes("analysis"),
    "choicegraph/passes/steps": passes("analysis loops"),
    "choicegraph/passes/choices": passes("analysis loops steps"),
    "choicegraph/passes/device": passes("analysis"),
    "choicegraph/passes/checks": passes("analysis segments"),
    "choicegraph/passes": [*passes(), "choicegraph/passes"],
    "choicegraph/testing": ["lang", "choicegraph", "frontend/infer_regions"],
    "clgen": ["lang", "choicegraph", "runtime/config", "clgen/writer", *LOWER],
    "clgen/writer": ["lang/check.h"],
    "clgen/cpp/context": printers(),
    "clgen/cpp/rules": printers("context"),
    "clgen/cpp/boxes": printers("context rules"),
    "clgen/cpp/loops": printers("context rules boxes"),
    "clgen/cpp/steps": printers("context rules boxes loops"),
    "clgen/cpp/calls": printers("context"),
    "clgen/cpp": [*printers("context rules boxes loops steps calls"), "clgen/info"],
    "clgen/opencl": printers(),
    "clgen/info": printers("context"),
    "clgen/lower": lowering("tree analysis loops accesses schedule"),
    "clgen/lower/accesses": lowering("tree analysis"),
    "clgen/lower/schedule": lowering("tree analysis"),
    "clgen/lower/loops": lowering("tree analysis"),
    "clgen/lower/analysis": lowering("tree"),
    "clgen/lower/tree": ["lang", "choicegraph/plan", "clgen/names.h"],
    "clgen/testing": ["lang", "choicegraph", "clgen"],
    "runtime/config": [],
    "runtime/config/formats": ["runtime/config"],
    "runtime/matrix": ["runtime/config"],
    "runtime/matrix/files": ["runtime/config", "runtime/matrix"],
    "runtime/sched": ["runtime/config"],
    "runtime/sched/loops": ["runtime/config", "runtime/sched"],
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
    "runtime": ["runtime"],
    "autotuner/space": ["runtime/config"],
    "autotuner/search": ["runtime/config", "autotuner/space"],
    "autotuner/measure": ["runtime/config", "autotuner/space", "autotuner/search"],
    "autotuner/report": ["runtime/config", "autotuner/space", "autotuner/search", "autotuner/measure"],
    "autotuner/tune": ["runtime/config", "autotuner/space", "autotuner/search", "autotuner/measure", "autotuner/report"],
    "autotuner/migrate": ["runtime/config", "autotuner/space", "autotuner/search", "autotuner/measure", "autotuner/report"],
    "autotuner": ["runtime/config", "autotuner"],
}
# Files beside the product that only tests use.
FOR_TESTS = ("runtime/gpu/fake_device.", "runtime/gpu/fake_fixture.h", "runtime/gpu/manager/manual_manager.h")
INCLUDE = re.compile(r'^\s*#include "([^"]+)"', re.M)


def folder_of(path):
    """The entry of MAY_USE that a repository path belongs to, or None."""
    best = [f for f in MAY_USE if path == f or path.startswith(f + "/")]
    return max(best, key=len) if best else None


def is_within(target, allowed):
    return any(target == a or target.startswith(a + "/") for a in allowed)


def is_for_tests(path):
    return path.startswith("tests/") or "/testing/" in path or path.startswith(FOR_TESTS)


def faults_of(path):
    relative = path.relative_to(ROOT).as_posix()
    text = path.read_text()
    if "SPDX-License-Identifier: MIT" not in text.split("\n", 1)[0]:
        yield f"{relative}: the first line has no licence"
    if path.name.endswith(("_test.cpp", "_bench.cpp")) or relative.startswith(("tests/", "benchmarks/")):
        return
    own = folder_of(relative)
    if own is None:
        yield f"{relative}: MAY_USE does not say what its folder may include"
        return
    for included in INCLUDE.findall(text):
        if is_for_tests(included) and not is_for_tests(relative):
            yield f"{relative}: includes {included}, which is for tests"
            continue
        target = folder_of(included)
        if target in (None, "base", own) or is_within(included, MAY_USE[own]):
            continue
        yield f"{relative}: includes {included}, but {own} may use only {', '.join(MAY_USE[own]) or 'nothing else'}"


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
    faults += twins_among(files)
    print("\n".join(faults) if faults else f"{len(files)} files keep the layers")
    return 1 if faults or not files else 0


if __name__ == "__main__":
    sys.exit(main())
