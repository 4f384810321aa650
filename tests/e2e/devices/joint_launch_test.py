# SPDX-License-Identifier: MIT
"""Runs the inside of matrices and their borders in one launch: outputs are those of the CPU, bit by bit, and launches are counted. For
some programs the CPU's are compared with NumPy's.

    joint_launch_test.py --dist BUILD/dist --work FOLDER
"""

import pathlib
import sys

import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import arrays  # noqa: E402
import polybricks  # noqa: E402
from device_programs import on_device, shapes  # noqa: E402

SIZES = (1, 2, 3, 4, 7, 16, 61) if polybricks.is_nightly() else (1, 2, 7, 16)

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
    # Along three dimensions; tunables of both types.
    "cube": ("""
transform Cube
from A[w, h, d]
to B[w, h, d]
tunable weight(3, 1, 8)
tunable double half(0.5, 0.0, 2.0)
tunable array(2) offsets(4, 0, 9)
{
  B.cell(x, y, z) from (A.cell(x-1, y, z) l, A.cell(x, y+1, z) u, A.cell(x, y, z-2) f, A.cell(x, y, z) c) { return half * (l + u) + f - weight*c; }
  secondary B.cell(x, y, z) from (A.cell(x, y, z) c) { return c + offsets[1]; }
}
""", lambda rng, n: [rng.integers(-9, 10, (n, n + 1, n)).astype(float)], ["B"]),
    # Rules that name their row or column, beside one with a condition; one reads nothing.
    "edges": ("""
transform Edges
from A[w, h], C[w, h]
to B[w, h]
{
  B.cell(x, y) from (A.cell(x-1, y) l, A.cell(x+1, y) r, A.cell(x, y-1) u, A.cell(x, y+1) d) { return l + r + u - d; }
  priority(2) B.cell(x, 0) from (A.cell(x, 1) below) { return -below; }
  priority(3) B.cell(y, h-1) from () { return 3; }
  priority(4) to (B.cell(0, x) b) from (A.cell(0, x) a, C.cell(0, x-1) c) { b = a + 2 * c; }
  priority(5) B.cell(i, j) from (A.cell(i, j) a) where i == w-1 { return a + 1; }
}
""", lambda rng, n: [rng.integers(-9, 10, (n + 2, n)).astype(float), rng.integers(-9, 10, (n + 2, n)).astype(float)], ["B"]),
    "ends": ("""
transform Faces
from int A[w, h, d]
to int B[w, h, d]
{
  B.cell(x, y, z) from (A.cell(x, y, z-1) l, A.cell(x, y, z+1) r) { return l + 2 * r; }
  priority(2) B.cell(x, y, 0) from (A.cell(x, y, 0) a) { return 5 * a; }
  priority(3) B.cell(x, y, d-1) from (A.cell(0, y, d-1) a) { return -a; }
}
""", lambda rng, n: [rng.integers(-9, 10, (n, 3, n + 1)).astype("int32")], ["B"]),
}


def edges(a, c):
    """As the rules of `edges`: the one with the least number that has all of its cells wins."""
    h, w = a.shape
    out = np.zeros_like(a)
    out[:, w - 1] = a[:, w - 1] + 1
    out[1:, 0] = a[1:, 0] + 2 * c[:-1, 0]
    out[h - 1, :] = 3
    out[0, :] = -a[1, :]
    if w > 2:
        out[1:-1, 1:-1] = a[1:-1, :-2] + a[1:-1, 2:] + a[:-2, 1:-1] - a[2:, 1:-1]
    return [out]


def ends(a):
    out = np.zeros_like(a)
    out[-1] = -a[-1, :, :1]
    out[0] = 5 * a[0]
    out[1:-1] = a[:-2] + 2 * a[2:]
    return [out]


REFERENCES = {"edges": edges, "ends": ends}


class Test:
    def __init__(self, tools, work):
        self.tools, self.work = tools, work
        self.rng = np.random.default_rng(polybricks.seed())

    def agrees(self, rules, name, program, is_watched, inputs, outputs):
        """All ways to run it give the same bits. Returns the statistics of the run in which nothing keeps the steps apart."""
        files = arrays.save(self.work, inputs)
        want, _ = arrays.run(program, self.work, files, outputs, "--strict", "--device=none")
        for output, value in zip(outputs, REFERENCES[rules](*inputs) if rules in REFERENCES else []):
            polybricks.check(np.array_equal(want[output], value), f"{name}: {output} is\n{want[output]}\nnot\n{value}")
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
        for options in ((), ("--checked-copies",)) if polybricks.is_nightly() or name in ("three_rules", "edges") else ((),):
            program = self.tools.compile(self.source(name, text), self.work / name, *options)
            for n in SIZES:
                device = self.agrees(name, f"{name} {options} at {n}", program, bool(options), inputs_of(self.rng, n), outputs)
                alone = 1 if name == "left_out" and n > 1 else 0
                polybricks.check(device["launches"] == 1 + alone, f"{name} at {n}: {device}")

    def counts_once(self):
        """A launch of which a piece is refused is repeated by the steps' own launches. Each step counts once all the same."""
        text, inputs_of, outputs = PROGRAMS["cube"]
        program, inputs = self.tools.compile(self.source("cube", text), self.work / "cube"), inputs_of(self.rng, 16)
        files, entry = arrays.save(self.work, inputs), on_device(program)
        memory = f"--device-memory={3 * inputs[0].nbytes // 2}"
        want, whole = arrays.run(program, self.work, files, outputs, memory, "--strict", entry=entry)
        polybricks.check(whole["devices"][0]["launches_in_windows"] == 2, f"the launch has two pieces: {whole['devices']}")
        got, repeated = arrays.run(program, self.work, files, outputs, memory, "--strict", entry=entry, env={"POLYBRICKS_DEVICE_FAULTS": "refuse:1"})
        polybricks.check(np.array_equal(got["B"], want["B"]), f"a piece is refused: B is\n{got['B']}\nnot\n{want['B']}")
        polybricks.check(repeated["devices"][0]["launches"] > 2, f"the steps have launches of their own: {repeated['devices']}")
        polybricks.check(repeated["ran"] == whole["ran"], f"{repeated['ran']} is not {whole['ran']}")

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
    test.counts_once()
    print(f"{len(PROGRAMS)} programs, {len(SIZES)} sizes each")
    return 0


if __name__ == "__main__":
    sys.exit(main())
