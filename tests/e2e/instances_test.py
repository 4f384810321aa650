# SPDX-License-Identifier: MIT
"""Transforms that stand for several instances: how they are named, chosen, judged and tuned.

    instances_test.py --dist BUILD/dist --work FOLDER
"""

import argparse
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import polybricks  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]


def check(condition, words):
    if not condition:
        raise AssertionError(words)


class Case:
    """One program in a folder of its own."""

    def __init__(self, tools, work, name, source):
        self.tools, self.work, self.name = tools, work / name, name
        self.work.mkdir(parents=True, exist_ok=True)
        path = self.work / f"{name}.pbcc"
        path.write_text(source)
        self.program = tools.compile(path, self.work / name)

    def run(self, *inputs, options=(), num_outputs=1, expect=0, config="none"):
        """The outputs for the given inputs; with an expected failure, what was printed."""
        words = []
        for i, array in enumerate(inputs):
            np.save(self.work / f"in{i}.npy", np.asarray(array, dtype=float))
            words.append(self.work / f"in{i}.npy")
        outputs = [self.work / f"out{i}.npy" for i in range(num_outputs)]
        done = polybricks.run_tool([self.program.path, *words, *outputs, *options, "--config", config], expect=expect)
        if expect != 0:
            return done.stderr
        self.printed = done.stdout
        arrays = [np.load(path) for path in outputs]
        return arrays[0] if num_outputs == 1 else arrays


def test_names_of_instances(tools, work):
    case = Case(tools, work, "scale", """
transform Scale
template <A(2,3), B(10,11)>
from IN[n]
to OUT[n]
{
  OUT.cell(i) from (IN.cell(i) a) { return a * A + B; }
}
main transform Use
from IN[n], WHICH
to OUT[n]
{
  to (OUT o) from (IN in, WHICH w) { Scale<w, 10>(o, in); }
}
""")
    a = np.arange(5.0)
    for name, expected in {"Scale": a * 2 + 10, "Scale<0>": a * 2 + 10, "Scale<1>": a * 3 + 10, "Scale<2>": a * 2 + 11,
                           "Scale_tmpl_3_11": a * 3 + 11, "Scale<2,11>": a * 2 + 11}.items():
        check(np.array_equal(case.run(a, options=["--transform", name]), expected), f"--transform {name}")
    check(np.array_equal(case.run(a, 3.0), a * 3 + 10), "the instance is chosen at run time")
    words = case.run(a, 4.0, expect=1)
    check("call of Scale: template argument A is 4, which is not from 2 to 3" in words, words)
    words = case.run(a, options=["--transform", "Scale<4>"], expect=1)
    check("Scale_tmpl_3_11" in words, words)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--dist", required=True)
    parser.add_argument("--work", required=True, type=pathlib.Path)
    options = parser.parse_args()
    work = options.work / "instances"
    failures = 0
    for name, test in sorted(globals().items()):
        if not name.startswith("test_"):
            continue
        try:
            test(polybricks.Tools(options.dist), work)
            print(f"{name}: ok")
        except (AssertionError, polybricks.ToolError) as error:
            failures += 1
            print(f"{name}: {error}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
