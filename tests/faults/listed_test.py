# SPDX-License-Identifier: MIT
"""faults.json, the PB_FAULT places of the sources and the table of docs/testing.md name the same faults."""

import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ("lang", "frontend", "choicegraph", "clgen", "runtime", "autotuner")
LEAST = 20


def main():
    listed = [entry["fault"] for entry in json.loads((ROOT / "tests/faults/faults.json").read_text())]
    placed = [name for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.cpp"))
              for name in re.findall(r"\bPB_FAULT\((\w+)\)", path.read_text())]
    documented = re.findall(r"^\| `(\w+)` \|", (ROOT / "docs/testing.md").read_text(), re.M)
    complaints = []
    for what, names in (("faults.json", listed), ("docs/testing.md", documented)):
        complaints += [f"{what} lacks {name}" for name in sorted(set(placed) - set(names))]
        complaints += [f"{what} names {name}, which no source has" for name in sorted(set(names) - set(placed))]
        complaints += [f"{what} names {name} twice" for name in sorted({n for n in names if names.count(n) > 1})]
    if len(set(placed)) < LEAST:
        complaints.append(f"{len(set(placed))} faults are seeded, at least {LEAST} are wanted")
    print("\n".join(complaints) if complaints else f"{len(placed)} seeded faults are listed")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
