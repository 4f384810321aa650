# SPDX-License-Identifier: MIT
"""Makes several versions of a temporary per launch: outputs are those of the CPU and of NumPy, bit by bit, and launches are counted.

    time_tiles_test.py --dist BUILD/dist --work FOLDER
"""

import pathlib
import sys

import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import arrays  # noqa: E402
import polybricks  # noqa: E402
from device_programs import on_device, shapes  # noqa: E402

DEPTHS = (1, 3, 5, 7)
BASIC = {"POCL_DEVICES": "basic"}


def stencil(start, steps, inside):
    """Steps in which `inside(c, at)` gives new values where all of its cells exist, and others stay; at(dx, dy) is a neighbour."""
    now = start.copy()
    for step in range(1, steps + 1):
        now = inside(now, step)
    return now


def heat(now, _):
    """As the rules of `heat`; NumPy indexes rows first."""
    out = now.copy()
    if min(now.shape) > 2:
        out[1:-1, 1:-1] = now[1:-1, :-2] + now[1:-1, 2:] + now[:-2, 1:-1] + now[2:, 1:-1] - 3 * now[1:-1, 1:-1]
    return np.fmod(out, 64)


def line(now, step):
    out = -now
    n = len(now)
    if n > 3:
        out[2:n - 1] = now[:n - 3] - now[3:] + step
    return np.fmod(out, 32)


def cube(now, _):
    out = now.copy()
    if now.shape[0] > 2 and now.shape[2] > 1:
        out[1:-1, :, 1:] = now[:-2, :, 1:] + now[2:, :, 1:] - now[1:-1, :, :-1]
    return np.fmod(out, 64)


def corners(now, _):
    """Nine cells inside, other rules at the four edges, and another one in the corners."""
    out = -now
    h, w = now.shape
    if h > 2 and w > 2:
        out[1:-1, 1:-1] = sum((1 + dx + 2 * dy) * now[dy:h - 2 + dy, dx:w - 2 + dx] for dy in range(3) for dx in range(3))
    if w > 2:
        for y in (0, h - 1):
            out[y, 1:-1] = now[y, :-2] + now[y, 2:]
    if h > 2:
        for x in (0, w - 1):
            out[1:-1, x] = now[:-2, x] - now[2:, x]
    return np.fmod(out, 16)


# Whole numbers stay small and exact, so that all orders and contractions give the same bits.
PROGRAMS = {
    # Versions and columns have each other's names in another rule.
    "heat": ("""
transform Heat
param steps
from float Start[w, h]
through float T<0..steps>[w, h]
to float End[w, h]
{
  T<0>.cell(x, y) from (Start.cell(x, y) s) { return s; }
  T<k>.cell(x, y) from (T<k-1>.cell(x, y) c, T<k-1>.cell(x-1, y) l, T<k-1>.cell(x+1, y) r, T<k-1>.cell(x, y-1) u, T<k-1>.cell(x, y+1) d) {
    return fmod(l + r + u + d - 3 * c, 64.0f);
  }
  secondary T<x>.cell(k, y) from (T<x-1>.cell(k, y) c) { return fmod(c, 64.0f); }
  End.cell(x, y) from (T<steps>.cell(x, y) t) { return t; }
}
""", 2, "float32", heat),
    # The version is a value of the body; cells are not as far on both sides; another rule names other variables.
    "line": ("""
transform Line
param steps
from Start[n]
through T<0..steps>[n]
to End[n]
{
  T<0>.cell(i) from (Start.cell(i) s) { return s; }
  T<k>.cell(i) from (T<k-1>.cell(i-2) l, T<k-1>.cell(i+1) r) { return fmod(l - r + k, 32.0); }
  secondary to (T<m>.cell(j) t) from (T<m-1>.cell(j) c) { t = fmod(-c, 32.0); }
  End.cell(i) from (T<steps>.cell(i) t) { return t; }
}
""", 1, "float64", line),
    # Two of three dimensions have neighbours; integers.
    "cube": ("""
transform Cube
param steps
from int Start[w, h, d]
through int T<0..steps>[w, h, d]
to int End[w, h, d]
{
  T<0>.cell(x, y, z) from (Start.cell(x, y, z) s) { return s; }
  T<k>.cell(x, y, z) from (T<k-1>.cell(x, y, z-1) l, T<k-1>.cell(x, y, z+1) r, T<k-1>.cell(x-1, y, z) u) { return (l + r - u) % 64; }
  secondary T<k>.cell(x, y, z) from (T<k-1>.cell(x, y, z) c) { return c % 64; }
  End.cell(x, y, z) from (T<steps>.cell(x, y, z) t) { return t; }
}
""", 3, "int32", cube),
    # A region, whose body has loops, and rules of edges and corners.
    "corners": ("""
transform Corners
param steps
from int Start[w, h]
through int T<0..steps>[w, h]
to int End[w, h]
{
  T<0>.cell(x, y) from (Start.cell(x, y) s) { return s; }
  T<k>.cell(x, y) from (T<k-1>.region(x-1, y-1, x+2, y+2) near) {
    int sum = 0;
    for (int j = 0; j < 3; j++)
      for (int i = 0; i < 3; i++) sum += (1 + i + 2 * j) * near.cell(i, j);
    return sum % 16;
  }
  secondary T<k>.cell(x, y) from (T<k-1>.cell(x-1, y) l, T<k-1>.cell(x+1, y) r) { return (l + r) % 16; }
  priority(3) T<k>.cell(x, y) from (T<k-1>.cell(x, y-1) u, T<k-1>.cell(x, y+1) d) { return (u - d) % 16; }
  priority(4) T<k>.cell(x, y) from (T<k-1>.cell(x, y) c) { return -c % 16; }
  End.cell(x, y) from (T<steps>.cell(x, y) t) { return t; }
}
""", 2, "int32", corners),
}


class Test:
    def __init__(self, tools, work):
        self.tools, self.work = tools, work
        self.rng = np.random.default_rng(polybricks.seed())

    def start(self, name, n):
        """Sides differ, so that no axis stands for another."""
        _, num_dims, kind, _ = PROGRAMS[name]
        sides = [max(0, n + d) if n > 0 else 0 for d in range(num_dims)]
        return self.rng.integers(-9, 10, sides[::-1]).astype(kind)

    def tunables(self, program, depth, draw):
        """What a configuration says of launches in time tiles of that depth. `draw` gives the values of shapes."""
        out = shapes(program, lambda _, count: draw(count))
        for transform, info in program.info["transforms"].items():
            deep = {tunable: depth for tunable, details in info["tunables"].items() if details["role"] == "time_tile"}
            polybricks.check(len(deep) == 1, f"{transform} has one depth: {info['tunables']}")
            out[transform] = {**out.get(transform, {}), **deep}
        return out

    def runs(self, program, files, steps, depth, *words, env=None, draw=lambda count: [0] * count):
        entry = on_device(program, tunables=self.tunables(program, depth, draw))
        got, statistics = arrays.run(program, self.work, files, ["End"], *words, f"--set=steps={steps}", entry=entry, env=env)
        return got["End"], statistics

    def agrees(self, name, program, n, steps, depths=DEPTHS):
        start = self.start(name, n)
        files = arrays.save(self.work, [start])
        want = stencil(start, steps, PROGRAMS[name][3])
        cpu, _ = arrays.run(program, self.work, files, ["End"], "--device=none", f"--set=steps={steps}")

        def check(got, words):
            polybricks.check(np.array_equal(got, want), f"{name} of {start.shape}, {steps} steps, {words}: End is\n{got}\nnot\n{want}")

        check(cpu["End"], "on the CPU")
        for depth in depths:
            got, statistics = self.runs(program, files, steps, depth, "--strict", "--device-copies", env=BASIC)
            check(got, f"depth {depth}")
            device = statistics["devices"][0]
            if start.size > 0 and steps > 0:
                rest = steps if depth == 1 else steps // depth + steps % depth
                polybricks.check(device["launches"] == 2 + rest, f"{name} of {start.shape}, {steps} steps, depth {depth}: {device}")
        return files, check

    def ways(self, name, program, n, steps, depth):
        """Other ways to run it: shapes of all kinds, verified, with faults, on several devices, in the text of GPUs."""
        files, check = self.agrees(name, program, n, steps, (depth,))

        def drawn(count):
            return [int(value) for value in self.rng.integers(1, 9, count)]
        for words, options in ((("--device-copies", "--fill-nan"), {}), (("--strict", "--verify-device"), {}),
                               (("--device-memory=1K",), {}), ((), {"draw": drawn}), ((), {"draw": drawn}),
                               (("--device=0,1", "--device-copies"), {"env": {"POCL_DEVICES": "basic basic"}}),
                               ((), {"env": {"POLYBRICKS_DEVICE_FAULTS": "fail:1"}}),
                               (("--strict",), {"env": {"POLYBRICKS_RUN_AS_GPU": "1"}}),
                               ((), {"env": {"POLYBRICKS_RUN_AS_GPU": "1"}, "draw": drawn})):
            got, statistics = self.runs(program, files, steps, depth, *words, **options)
            check(got, f"depth {depth}, {words}, {options}")
            if "--verify-device" in words:
                device = statistics["devices"][0]
                polybricks.check(device["launches_differing"] == 0 and device["launches_verified"] > steps // depth, str(device))

    def source(self, name, text):
        source = self.work / f"{name}.pbcc"
        source.write_text(text)
        return source

    def run(self, name):
        program = self.tools.compile(self.source(name, PROGRAMS[name][0]), self.work / name)
        for n in (0, 1, 2, 5, 17):
            self.agrees(name, program, n, 7)
        for steps in (0, 1, 2, 3, 4, 5, 6, 8):
            self.agrees(name, program, 19, steps, [depth for depth in DEPTHS[1:] if abs(depth - steps) < 2] or [3])
        for depth in DEPTHS[1:]:
            self.ways(name, program, 23, 16, depth)

    def watched(self, name):
        """Programs that check copies keep all versions, and find no access of what was not announced."""
        program = self.tools.compile(self.source(name, PROGRAMS[name][0]), self.work / f"{name}_watched", "--checked-copies")
        self.agrees(name, program, 21, 9)

    def falls_back(self):
        """Groups that margins fill run nothing: each version has a launch then, on the device."""
        program = self.tools.compile(self.source("heat", PROGRAMS["heat"][0]), self.work / "heat")
        start = self.start("heat", 12)
        files = arrays.save(self.work, [start])
        got, statistics = self.runs(program, files, 10, 5, "--strict", draw=lambda count: [2] * count)
        polybricks.check(np.array_equal(got, stencil(start, 10, heat)), str(got))
        polybricks.check(not statistics["fallbacks"], str(statistics["fallbacks"]))
        polybricks.check(statistics["devices"][0]["launches"] == 2 + 10, str(statistics["devices"]))


def main():
    args = polybricks.arguments(__doc__).parse_args()
    tools, work = polybricks.Tools(args.dist), polybricks.fresh_folder(args.work / "time_tiles")
    test = Test(tools, work)
    for name in PROGRAMS:
        test.run(name)
        test.watched(name)
    test.falls_back()
    print(f"{len(PROGRAMS)} programs in time tiles of depths {DEPTHS}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
