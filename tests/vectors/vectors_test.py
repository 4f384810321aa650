# SPDX-License-Identifier: MIT
"""Generated loops are vector code: the compilers say so themselves.

core.pbcc is generated once. Of each step only the loops over unit strides are kept, so that the report speaks of those; then
g++, and clang++ where there is one, list the loops that they vectorised. Each transform marked `vector` must be among them, by the
lines of its loops or of its bodies; one marked `packs` must have packs. Both compilers must take the whole of it without a warning.
"""

import argparse
import pathlib
import platform
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "tests" / "support"))
import polybricks  # noqa: E402

# A vector unit that every compiler knows, whatever this machine has.
ARCHITECTURE = ["-march=x86-64-v3"] if platform.machine() == "x86_64" else ["-march=native"]
FLAGS = ["-std=c++20", "-O3", *ARCHITECTURE, "-fno-math-errno", "-Wall", "-Werror", "-Wno-unused-function", f"-I{ROOT}", "-c"]
COMPILERS = {
    "g++": (["-fopt-info-vec-optimized"], r"^(\S+):(\d+):\d+: optimized: +loop vectorized"),
    "clang++": (["-Rpass=loop-vectorize"], r"^(\S+):(\d+):\d+: remark: vectorized loop"),
}


def find_compiler(name):
    candidates = [name] + [f"{name}-{version}" for version in range(20, 12, -1)]
    return next((path for path in map(shutil.which, candidates) if path), None)


def marked_transforms(source):
    """Name, mark, first and last line of each transform of the program."""
    found = []
    lines = source.splitlines()
    for number, line in enumerate(lines, 1):
        mark = re.fullmatch(r"// (vector|packs)", line)
        if mark:
            name = re.match(r"transform (\w+)", lines[number]).group(1)
            end = next(i for i in range(number, len(lines)) if lines[i].endswith("}") and not lines[i].startswith(" "))
            found.append((name, mark.group(1), number, end + 1))
    return found


def lines_of_loops(generated, name):
    """Line numbers of the functions `loops_NAME…` of the generated file."""
    lines = generated.splitlines()
    found = set()
    for number, line in enumerate(lines, 1):
        if re.match(rf"PB_LOOPS void loops_T?{name}_", line):
            end = next(i for i in range(number, len(lines)) if lines[i] == "}")
            found.update(range(number, end + 1))
    return found


def check(compiler, path, source, generated, work):
    options, pattern = COMPILERS[compiler]
    done = subprocess.run([path, *FLAGS, *options, "core.cpp", "-o", "core.o"], cwd=work, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return [f"{path} refuses the generated code:\n{done.stdout}{done.stderr}"]
    vectorised = {(pathlib.Path(m.group(1)).name, int(m.group(2))) for m in re.finditer(pattern, done.stderr, re.MULTILINE)}
    failures = []
    for name, mark, first, last in marked_transforms(source):
        if mark == "packs":
            if f"lanes_{name}_" not in generated:
                failures.append(f"{name} does not run on packs")
            continue
        own = {("core.cpp", line) for line in lines_of_loops(generated, name)}
        own |= {("core.pbcc", line) for line in range(first, last + 1)}
        if not own & vectorised:
            failures.append(f"{path} does not vectorise the loops of {name}")
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pbc", required=True, type=pathlib.Path)
    parser.add_argument("--work", required=True, type=pathlib.Path)
    args = parser.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)
    source = (HERE / "core.pbcc").read_text(encoding="utf-8")
    generated = polybricks.run_tool([args.pbc, HERE / "core.pbcc", "--emit=cpp"]).stdout
    # Text is blanked and not removed, so that the numbers of the lines stay.
    generated = re.sub(r"^ +loops_\w+\((?!.*(unit|apart)_view).*\.view\(\).*\);$", "", generated, flags=re.MULTILINE)
    (args.work / "core.cpp").write_text(generated, encoding="utf-8")
    failures = []
    for compiler in COMPILERS:
        path = find_compiler(compiler)
        if path is None:
            print(f"skipped: there is no {compiler} here")
            continue
        failures += check(compiler, path, source, generated, args.work)
    print("\n".join(failures) or "all loops are vector code")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
