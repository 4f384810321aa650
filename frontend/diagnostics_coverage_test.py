#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every kind of message has a test, and docs/status.md is what pbc makes of the table.

    diagnostics_coverage_test.py --pbc BUILD/bin/pbc

A kind counts as tested if its text stands in a `// CHECK:` line of a testdata file, or if a unit test names it.
"""

import argparse
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "support"))
from diagnostics import kinds_of_table  # noqa: E402


def untested():
    checks = "\n".join(line for path in ROOT.glob("*/testdata/**/*.pbcc") for line in path.read_text().splitlines()
                       if line.startswith("// CHECK:"))
    unit_tests = "\n".join(path.read_text() for path in ROOT.rglob("*_test.cpp"))
    for kind in kinds_of_table():
        if re.search(rf"\bDiagKind::{kind.name}\b", unit_tests):
            continue
        if kind.num_letters == 0 or not kind.pattern.search(checks):
            yield kind.name


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pbc", required=True)
    options = parser.parse_args()
    faults = [f"no test triggers {kind}" for kind in untested()]
    page = subprocess.run([options.pbc, "--emit=status"], capture_output=True, text=True, check=True).stdout
    status = ROOT / "docs" / "status.md"
    if not status.exists() or status.read_text() != page:
        faults.append("docs/status.md is out of date: pbc --emit=status > docs/status.md")
    print("\n".join(faults) or "every kind of message has a test")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
