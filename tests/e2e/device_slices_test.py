# SPDX-License-Identifier: MIT
"""Versions and other nests in slices, of which a device runs a launch per slice.

    device_slices_test.py --dist BUILD/dist --work FOLDER

Each program runs all of its rules on the CPU, all of them on a device, and in mixtures, in which data goes to and fro between slices.
Results agree with NumPy. With all rules on a device, what they compute stays there: only inputs and results are copied.
"""

import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import arrays  # noqa: E402
import polybricks  # noqa: E402

NUM_MIXED = 12 if polybricks.is_nightly() else 2  # mixtures per program and size
VERSIONS = "main transform Main\nparam steps\nfrom Start[{dims}]\nthrough T<0..steps>[{dims}]\nto End[{dims}]\n"

LINE = VERSIONS.format(dims="n") + """{
  T<0>.cell(x) from (Start.cell(x) s) { return s; }
  T<k>.cell(x) from (T<k-1>.cell(x-1) l, T<k-1>.cell(x) c, T<k-1>.cell(x+1) r) { return c + 0.25 * (l - 2 * c + r); }
  secondary T<k>.cell(0) from (T<k-1>.cell(0) c) { return c / 2; }
  secondary T<k>.cell(n-1) from (T<k-1>.cell(0) c) { return c + k; }
  End.cell(x) from (T<steps>.cell(x) t) { return t; }
}
"""
PLATE = VERSIONS.format(dims="w, h") + """{
  T<0>.cell(x, y) from (Start.cell(x, y) s) { return s; }
  T<k>.cell(x, y) from (T<k-1>.region(x-1, y-1, x+2, y+2) t) {
    return t.cell(1, 1) + 0.2 * (t.cell(0, 1) + t.cell(2, 1) + t.cell(1, 0) + t.cell(1, 2) - 4 * t.cell(1, 1));
  }
  secondary T<k>.cell(x, y) from (T<k-1>.cell(x, y) c) { return c; }
  End.cell(x, y) from (T<steps>.cell(x, y) t) { return t; }
}
"""
TORUS = VERSIONS.format(dims="w, h") + """{
  T<0>.cell(x, y) from (Start.cell(x, y) s) { return s; }
  T<k+1>.cell(x, y) from (T<k>.cell(x-1, y) a = wrap, T<k>.cell(x, y+1) b = wrap, T<k>.row(y) row, Start.cell(x, y) s) {
    ElementT sum = 0;
    for (int i = 0; i < w; i++) sum += row.cell(i);
    return 0.5 * (a + b) + sum / w / 8 + k * s;
  }
  End.cell(x, y) from (T<steps>.cell(w-1-x, y) t, Start.cell(x, y) s) { return t - s; }
}
"""
SOLID = VERSIONS.format(dims="w, h, d") + """{
  T<0>.cell(x, y, z) from (Start.cell(x, y, z) s) { return s; }
  T<k>.cell(x, y, z) from (T<k-1>.cell(x, y, z) c, T<k-1>.cell(x-1, y, z) a = clamp, T<k-1>.cell(x, y+1, z) b = clamp,
                           T<k-1>.cell(x, y, z-1) e = clamp) {
    return (c + a + b + e) / 4;
  }
  End.cell(x, y, z) from (T<steps>.cell(x, y, z) t) { return t; }
}
"""
# Two temporaries that need each other, and rows that a body fills.
WAVES = """main transform Main
param steps
from Start[w, h]
through P<0..steps>[w, h], V<0..steps>[w, h]
to End[w, h]
{
  P<0>.cell(x, y) from (Start.cell(x, y) s) { return s; }
  V<0>.cell(x, y) from () { return x - y; }
  to (V<k>.row(y) v) from (V<k-1>.row(y) old, P<k-1>.row(y) p) {
    for (int x = 0; x < w; x++) v.cell(x) = old.cell(x) / 2 + p.cell(w-1-x);
  }
  P<k>.cell(x, y) from (P<k-1>.cell(x, y) p, V<k>.cell(x, h-1-y) v) { return 0.5 * p - 0.25 * v; }
  End.cell(x, y) from (P<steps>.cell(x, y) p, V<steps>.cell(x, y) v) { return p + 2 * v; }
}
"""
# Outputs whose slices all have memory: along a dimension, backwards, in a matrix that is stored otherwise.
CONE = """main transform Main
from Start[n], Force[n, steps]
to Up[n, steps], Down[n, steps]
{
  Up.cell(x, 0) from (Start.cell(x) s) { return s; }
  Up.cell(x, t) from (Up.cell(x-1, t-1) l, Up.cell(x, t-1) c, Up.cell(x+1, t-1) r, Force.cell(x, t) f) { return (l + c + r) / 3 + f; }
  secondary Up.cell(x, t) from (Up.cell(x, t-1) c) { return c; }
  Down.cell(x, steps-1) from (Start.cell(x) s) { return -s; }
  Down.cell(x, t) from (Down.cell(x, t+1) c, Down.cell(n-1-x, t+1) l, Force.cell(x, t) f) { return c / 2 - l / 4 + f; }
}
"""


def line(start, steps):
    t = start.copy()
    for k in range(1, steps + 1):
        new = t.copy()
        new[1:-1] = t[1:-1] + 0.25 * (t[:-2] - 2 * t[1:-1] + t[2:])
        if t.size > 0:
            new[-1] = t[0] + k
            new[0] = t[0] / 2 if t.size > 1 else new[0]
        t = new
    return t


def plate(start, steps):
    t = start.copy()
    for _ in range(steps):
        t[1:-1, 1:-1] = t[1:-1, 1:-1] + 0.2 * (t[1:-1, :-2] + t[1:-1, 2:] + t[:-2, 1:-1] + t[2:, 1:-1] - 4 * t[1:-1, 1:-1])
    return t


def torus(start, steps):
    t = start
    for k in range(steps):
        t = 0.5 * (np.roll(t, 1, 1) + np.roll(t, -1, 0)) + t.mean(1, keepdims=True) / 8 + k * start
    return t[:, ::-1] - start


def solid(start, steps):
    t = start
    for _ in range(steps):
        padded = np.pad(t, 1, "edge")
        t = (t + padded[1:-1, 1:-1, :-2] + padded[1:-1, 2:, 1:-1] + padded[:-2, 1:-1, 1:-1]) / 4
    return t


def waves(start, steps):
    p, v = start, np.subtract.outer(-np.arange(start.shape[0]), -np.arange(start.shape[1])).astype(float)
    for _ in range(steps):
        v = v / 2 + p[:, ::-1]
        p = 0.5 * p - 0.25 * v[::-1]
    return p + 2 * v


def cone(start, force):
    steps = force.shape[0]
    up, down = np.empty_like(force), np.empty_like(force)
    if steps > 0:
        up[0], down[-1] = start, -start
    for t in range(1, steps):
        up[t] = up[t - 1]
        up[t, 1:-1] = (up[t - 1, :-2] + up[t - 1, 1:-1] + up[t - 1, 2:]) / 3 + force[t, 1:-1]
        b = steps - 1 - t
        down[b] = down[b + 1] / 2 - down[b + 1, ::-1] / 4 + force[b]
    return up, down


def of_versions(function, *shapes):
    """Inputs, options and results for each pair of a shape and a number of steps."""
    def draw(rng):
        for shape, steps in shapes:
            start = rng.uniform(-1, 1, shape)
            yield [start], ["--set", f"steps={steps}"], [function(start, steps)], steps
    return draw


def draw_cone(rng):
    for n, steps in ((1, 1), (1, 5), (37, 2), (130, 41)):
        start, force = rng.uniform(-1, 1, n), rng.uniform(-1, 1, (steps, n))
        yield [start, force], [], cone(start, force), steps - 1


PLANES = (((1, 1), 0), ((1, 7), 3), ((4, 5), 1), ((21, 37), 2), ((33, 40), 7), ((67, 131), 100))
# The text, its inputs and results, and the rules that run in slices.
PROGRAMS = {
    "line": (LINE, of_versions(line, ((1,), 0), ((2,), 3), ((3,), 4), ((37,), 1), ((1009,), 100)), 3),
    "plate": (PLATE, of_versions(plate, *PLANES), 2),
    "torus": (TORUS, of_versions(torus, *PLANES[:-1]), 1),
    "solid": (SOLID, of_versions(solid, ((1, 1, 1), 2), ((5, 4, 3), 1), ((11, 13, 17), 8)), 1),
    "waves": (WAVES, of_versions(waves, *PLANES[:-1]), 2),
    "cone": (CONE, draw_cone, 2),  # the borders of `Up` are a scan
}


class Check:
    def __init__(self, program, work):
        self.program, self.work, self.num_runs = program, work, 0
        self.inputs, self.outputs = [], []

    def config(self, choose):
        choices = {}
        for transform, site, alternatives in self.program.sites():
            choices.setdefault(transform, {})[site] = choose(alternatives)
        config = self.program.configuration(choices, {}, sequential_cutoff=0, threads=2)
        return choices, config

    def run(self, case, choose, *options):
        """Runs the program and returns its statistics."""
        matrices, sets, expected, _ = case
        choices, config = self.config(choose)
        names = [f"out{i}" for i in range(len(expected))]
        got, statistics = arrays.run(self.program, self.work, arrays.save(self.work, matrices), names, *sets, *options, entry=config)
        self.num_runs += 1
        for found, value in zip(got.values(), expected):
            polybricks.check(np.allclose(found, value, 1e-12, 1e-12),
                             f"{self.program.path.name}, {[m.shape for m in matrices]}, {sets} {options}, {choices}, seed {polybricks.seed()}: {found} is not {value}")
        return statistics


def on_cpu(alternatives):
    return next(a for a in alternatives if a[1] == "cpu")


def on_device(version):
    return lambda alternatives: next((a for a in reversed(alternatives) if a[1] in ("opencl", version)), alternatives[0])


def main():
    args = polybricks.arguments(__doc__).parse_args()
    work = polybricks.fresh_folder(args.work / "device_slices")
    tools = polybricks.Tools(args.dist)
    rng = np.random.default_rng(polybricks.seed())
    num_runs = 0
    for name, (text, draw, num_sliced) in PROGRAMS.items():
        (work / f"{name}.pbcc").write_text(text)
        explained = polybricks.run_tool([tools.pbc, work / f"{name}.pbcc", "--explain"]).stdout
        polybricks.check(explained.count("a launch per slice along") == num_sliced, f"{name}: {explained}")
        for options in ([], ["--checked", "--checked-copies"]):
            check = Check(tools.compile(work / f"{name}.pbcc", work / (name + "".join(options)), *options), work)
            for case in draw(rng):
                if options and case[3] > 50:
                    continue
                check.run(case, on_cpu)
                for version in ("opencl", "opencl_local"):
                    statistics = check.run(case, on_device(version), "--strict", "--device-copies")
                    device = statistics["devices"][0]
                    # A body that stores the cells of a row may leave some as they are, so the row is copied first.
                    most = sum(each.nbytes for each in case[0]) * (case[3] + 1 if name == "waves" else 1)
                    polybricks.check(device["bytes_to_device"] <= most, f"{name}, {version}: {device} of {most} bytes to the device")
                    launches = sum(entry["count"] for _, entry in polybricks.ran_of(statistics) if entry["on"] != "cpu")
                    polybricks.check(launches >= case[3], f"{name}, {version}: {launches} launches for {case[3]} slices")
                for _ in range(NUM_MIXED):
                    check.run(case, lambda alternatives: alternatives[rng.integers(len(alternatives))], "--device-copies")
            num_runs += check.num_runs
    print(f"{num_runs} runs agree")
    return 0


if __name__ == "__main__":
    sys.exit(main())
