#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs pbc on a program and compares what it prints with the `// CHECK:` lines at the end of the same file.

    file_test.py --pbc BUILD/bin/pbc [--update] FILE_OR_FOLDER...

Lines at the top of a file:
    // MODE: check|ast|program|graph|plan|lowered|cpp|header|opencl|cuda|info|status|explain|compile
    // ARGS: --element=float …        more options of pbc
    // FROM: REGEX   // TO: REGEX     only the lines from the first match of FROM up to before the next match of TO
Messages come first, then what `--emit` prints. A file is named fail_… if and only if pbc must end with status 1.
"""

import argparse
import difflib
import pathlib
import re
import subprocess
import sys
import tempfile

MARK = "// CHECK:"


class Case:
    def __init__(self, path):
        self.path = path
        self.text = path.read_text()
        head = dict(re.findall(r"^// (MODE|ARGS|FROM|TO): (.*?)\s*$", self.text, re.M))
        self.mode = head.get("MODE", "check")
        self.args = head.get("ARGS", "").split()
        self.begin, self.end = head.get("FROM"), head.get("TO")

    def expected(self):
        return [line[len(MARK):].removeprefix(" ") for line in self.text.splitlines() if line.startswith(MARK)]

    def command(self, pbc, folder):
        how = {"check": ["--check"], "explain": ["--explain"], "compile": ["-o", f"{folder}/prog"]}
        return [pbc, self.path.name, *how.get(self.mode, [f"--emit={self.mode}"]), *self.args]

    def run(self, pbc):
        """Returns the printed lines and the exit status."""
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(self.command(pbc, folder), capture_output=True, text=True, cwd=self.path.parent, timeout=120)
            text = (done.stderr + done.stdout).replace(folder, "FOLDER")
        return [line.rstrip() for line in self.part(text.splitlines())], done.returncode

    def part(self, lines):
        if self.begin:
            first = next((i for i, line in enumerate(lines) if re.search(self.begin, line)), len(lines))
            lines = lines[first:]
        if self.end:
            last = next((i for i, line in enumerate(lines) if i and re.search(self.end, line)), len(lines))
            lines = lines[:last]
        return lines

    def update(self, lines):
        kept = [line for line in self.text.splitlines() if not line.startswith(MARK)]
        while kept and not kept[-1].strip():
            kept.pop()
        kept += [""] + [f"{MARK} {line}".rstrip() for line in lines] if lines else []
        text = "\n".join(kept) + "\n"
        if text != self.text:
            self.path.write_text(text)
            print(f"updated {self.path}")


def check(case, pbc, update):
    lines, status = case.run(pbc)
    wanted = 1 if case.path.name.startswith("fail_") else 0
    if status != wanted:
        print(f"{case.path}: exit status {status}, expected {wanted}")
        print("\n".join(lines))
        return False
    if update:
        case.update(lines)
        return True
    if lines == case.expected():
        return True
    print(f"{case.path}: the output differs (rewrite with --update after reading this)")
    print("\n".join(difflib.unified_diff(case.expected(), lines, "expected", "printed", lineterm="")))
    return False


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pbc", required=True)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    pbc = str(pathlib.Path(options.pbc).resolve())
    files = [file for path in options.files for file in (sorted(path.rglob("*.pbcc")) if path.is_dir() else [path])]
    results = [check(Case(path), pbc, options.update) for path in files]
    print(f"{sum(results)} of {len(results)} files pass")
    return 0 if all(results) and results else 1


if __name__ == "__main__":
    sys.exit(main())
