# SPDX-License-Identifier: MIT
"""What several modules of the harness and several benchmarks use: the tools, times and tables as text."""

import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))
import polybricks  # noqa: E402,F401


def first_entry(config):
    """Returns the first entry of a configuration file without machine and provenance, as `--serve` takes it."""
    entry = json.loads(config.read_text())["entries"][0]
    return {key: entry[key] for key in ("global", "transforms") if key in entry}


def milliseconds(ns):
    """Returns a time in ns as text in ms, of three digits below 1 ms; a dash for NaN and infinity."""
    if ns != ns or ns == float("inf"):
        return "-"
    return f"{ns / 1e6:.2f}" if ns >= 1e6 else f"{ns / 1e6:.3g}"


def table(headings, rows):
    """Returns a table as text. The first column is aligned to the left, the others to the right."""
    cells = [list(map(str, headings))] + [list(map(str, row)) for row in rows]
    widths = [max(len(row[i]) for row in cells) for i in range(len(headings))]
    lines = []
    for number, row in enumerate(cells):
        lines.append("  ".join(c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths))).rstrip())
        if number == 0:
            lines.append("  ".join("-" * w for w in widths))
    return "\n".join(lines)
