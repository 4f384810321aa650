# SPDX-License-Identifier: MIT
"""The sizes that `benchmarks/run --sizes` takes."""

import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))

from harness.common import polybricks  # noqa: E402
from harness.main import parse_sizes  # noqa: E402

USUAL = [{"n": 64, "kind": "add"}, {"n": 7, "kind": "scan", "values": 5}]


class Sizes(unittest.TestCase):
    def test_each_text_is_a_size(self):
        self.assertEqual(parse_sizes(["n=3,kind=add", "kind=scan,n=4,values=2"], USUAL),
                         [{"n": 3, "kind": "add"}, {"kind": "scan", "n": 4, "values": 2}])

    def test_other_texts_are_answered_with_an_example(self):
        for text in ("1024", "n=3", "n=,kind=add", "n=3,kind=add,m=2", ""):
            with self.subTest(text), self.assertRaisesRegex(polybricks.ToolError, f"found `{text}`, expected something like n=64,kind=add$"):
                parse_sizes([text], USUAL)


if __name__ == "__main__":
    unittest.main()
