# SPDX-License-Identifier: MIT
"""Runs the inside of matrices and their borders in one launch: outputs are those of the CPU, bit by bit, and launches are counted.

    joint_launch_test.py --dist BUILD/dist --work FOLDER
"""

import pathlib
import sys

import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import arrays  # noqa: E402
import polybricks  # noqa: E402
from device_programs import on_device, shapes  # noqa: E402

SIZES = (1, 2, 3, 4, 7, 16, 61)

# Sums of small whole numbers are exact, whatever is contracted.
PROGRAMS = {
    # Rules with other names of variables, a number as a value, several outputs, inputs that only some rules read.
    "two_outputs": ("""
transform Two
from A[w, h], B[w, h], K
to P[w, h], Q[w, h]
{
  to (P.cell(x, y) p, Q.cell(x, y) q) from (A.cell(x-1, y) a, A.cell(x+2, y-1) b, K k) {
    p = a + 2 * b;
    q = b > 0 ? k : a;
  }
  secondary to (P.cell(i, j) p, Q.cell(i, j) q) from (A.cell(i, j) a, B.cell(i, j) b, K k) {
    p = a - k;
    q = a > 0 ? b : p;
  }
}
""", lambda rng, n: [rng.integers(-9, 10, (n + 2, n)).astype(float), rng.integers(-9, 10, (n + 2, n)).astype(float), np.array(3.0)], ["P", "Q"]),
    # Three rules, the second of which has two boxes.
    "three_rules": ("""
transform Three
from A[n]
to B[n]
{
  B.cell(i) from (A.region(i-3, i+3) near) {
    ElementT sum = 0;
    for (int k = 0; k < 6; k++) {
      if (near.cell(k) > 8) return k;
      sum += near.cell(k);
    }
    return sum;
  }
  secondary B.cell(i) from (A.cell(i-1) before, A.cell(i+1) after) {
    for (int k = 0; k < 3; k++)
      if (before > k) return k - 2 * after;
    return before;
  }
  priority(3) B.cell(i) from (A.cell(i) a) { return -a; }
}
""", lambda rng, n: [rng.integers(-9, 10, n).astype(float)], ["B"]),
    # A rule with a long loop has a launch of its own, beside that of the others.
    "left_out": ("""
transform LeftOut
from A[n]
to B[n]
{
  B.cell(i) from (A.cell(i-1) l, A.cell(i+1) r) { return l + 2*r; }
  secondary B.cell(i) from (A.cell(i-1) l) { return -l; }
  priority(3) B.cell(i) from (A.cell(i) a) {
    ElementT v = a;
    while (v > 1) v -= 2;
    return v;
  }
}
""", lambda rng, n: [rng.integers(-9, 10, n).astype(float)], ["B"]),
    # Along three dimensions.
    "cube": ("""
transform Cube
from A[w, h, d]
to B[w, h, d]
{
  B.cell(x, y, z) from (A.cell(x-1, y, z) l, A.cell(x, y+1, z) u, A.cell(x, y, z-2) f, A.cell(x, y, z) c) { return l + u + f - 3*c; }
  secondary B.cell(x, y, z) from (A.cell(x, y, z) c) { return c; }
}
""", lambda rng, n: [rng.integers(-9, 10, (n, n + 1, n)).astype(float)], ["B"]),
}


class Test:
    def __init__(self, tools, work):
        self.tools, self.work = tools, work
        self.rng = np.random.default_rng(polybricks.seed())

    def agrees(self, name, program, is_watched, inputs, outputs):
        """All ways to run it give the same bits. Returns the statistics of the run in which nothing keeps the steps apart."""
        files = arrays.save(self.work, inputs)
        want, _ = arrays.run(program, self.work, files, outputs, "--strict", "--device=none")
        # Shapes of launches, some of which the manager chooses.
        drawn = shapes(program, lambda _, count: [int(value) for value in self.rng.integers(0, 5, count)])
        half = {transform: {"device_eighths": 3} for transform in program.info["transforms"]}
        two = {"POCL_DEVICES": "pthread pthread"}
        # A run without a device announces nothing, so one that is repeated has no watched accesses.
        faults = {} if is_watched else {"POLYBRICKS_DEVICE_FAULTS": "fail:0"}
        statistics = {}
        for words, tunables, environment in ((("--strict",), {}, None), (("--strict", "--device-copies", "--fill-nan"), {}, None),
                                             (("--strict", "--verify-device"), {}, None), (("--strict",), drawn, None),
                                             (("--strict",), half, None), (("--strict", "--device=0,1", "--device-copies"), {}, two),
                                             (("--device-memory=1K",), {}, None), ((), {}, faults)):
            got, statistics[words] = arrays.run(program, self.work, files, outputs, *words, entry=on_device(program, tunables=tunables), env=environment)
            for output in outputs:
                polybricks.check(np.array_equal(got[output], want[output]), f"{name} {words} {tunables}: {output} is\n{got[output]}\nnot\n{want[output]}")
        verified = statistics["--strict", "--verify-device"]["devices"][0]
        polybricks.check(verified["launches_differing"] == 0, f"{name}: {verified}")
        return statistics["--strict", "--device-copies", "--fill-nan"]["devices"][0]

    def run(self, name):
        text, inputs_of, outputs = PROGRAMS[name]
        for options in ((), ("--checked-copies",)):
            program = self.tools.compile(self.source(name, text), self.work / name, *options)
            for n in SIZES:
                device = self.agrees(f"{name} {options} at {n}", program, bool(options), inputs_of(self.rng, n), outputs)
                alone = 1 if name == "left_out" and n > 1 else 0
                polybricks.check(device["launches"] == 1 + alone, f"{name} at {n}: {device}")

    def source(self, name, text):
        source = self.work / f"{name}.pbcc"
        source.write_text(text)
        return source


def main():
    args = polybricks.arguments(__doc__).parse_args()
    tools, work = polybricks.Tools(args.dist), polybricks.fresh_folder(args.work / "joint_launches")
    test = Test(tools, work)
    for name in PROGRAMS:
        test.run(name)
    print(f"{len(PROGRAMS)} programs, {len(SIZES)} sizes each")
    return 0


if __name__ == "__main__":
    sys.exit(main())
