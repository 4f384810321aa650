# SPDX-License-Identifier: MIT
"""The table of all kinds of messages, lang/diagnostics.def, for tests."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
LINE = re.compile(r'^PB_(ERROR|WARNING|UNSUPPORTED)\((\w+), "((?:[^"\\]|\\.)*)"', re.M)
PLACEHOLDER = re.compile(r"\{\d*\}")


class Kind:
    """One line of the table."""

    def __init__(self, macro, name, text):
        self.name, self.is_unsupported = name, macro == "UNSUPPORTED"
        severity = "warning: " if macro == "WARNING" else "error: "
        ending = " is not supported yet" if self.is_unsupported else ""
        text = severity + text.replace('\\"', '"').replace("\\\\", "\\") + ending
        pieces = [piece.replace("{{", "{").replace("}}", "}") for piece in PLACEHOLDER.split(text)]
        self.shown = "…".join(pieces)
        # A warning ends with its name.
        self.pattern = re.compile(".*".join(map(re.escape, pieces)) + (rf" \[{name}\]" if macro == "WARNING" else ""))
        self.num_letters = sum(map(len, pieces)) - len(severity) - len(ending)


def kinds_of_table():
    return [Kind(*line) for line in LINE.findall((ROOT / "lang" / "diagnostics.def").read_text())]
