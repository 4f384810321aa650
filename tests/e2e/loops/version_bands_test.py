# SPDX-License-Identifier: MIT
"""The CPU makes versions of a temporary in bands of rows: outputs are NumPy's, bit by bit, for all heights of bands and numbers of threads.

    version_bands_test.py --dist BUILD/dist --work FOLDER
"""

import pathlib
import sys

import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import arrays  # noqa: E402
import polybricks  # noqa: E402
import version_programs  # noqa: E402

ROWS = (0, 1, 2, 7, 1000)
THREADS = (1, 3)


def edges(now, *_):
    """Inside from the version before; the first and the last row from rows of their own version; the other edges stay."""
    out = now.copy()
    out[1:-1, 1:-1] = now[1:-1, :-2] + now[1:-1, 2:] - now[:-2, 1:-1] + now[2:, 1:-1]
    out = np.fmod(out, 64)
    out[0], out[-1] = np.fmod(out[2] + now[0], 64), np.fmod(out[-2] - now[-1], 64)
    return out


def corners_meet(now, *_):
    """Each edge changes its sign, and corners do once, whichever rule makes them."""
    out = -now
    out[1:-1, 1:-1] = now[1:-1, :-2] + now[1:-1, 2:] - now[:-2, 1:-1] + now[2:, 1:-1]
    return np.fmod(out, 64)


def sweep(now, *_):
    """Cells to the left and above have their new values already."""
    out = now.copy()
    for y in range(1, now.shape[0] - 1):
        for x in range(1, now.shape[1] - 1):
            out[y, x] = np.fmod(out[y, x - 1] + out[y - 1, x] + now[y, x + 1] - now[y + 1, x], 32)
    return out


def rows(now, *_):
    """Each cell from its whole row and the one before, but the second column."""
    out = now.copy()
    out[1:] = np.fmod(now[1:].sum(axis=1, keepdims=True) - now[:-1], 64)
    return out


def far(now, *_):
    """Cells of a triangle, from five rows above and four below."""
    out = now.copy()
    for y in range(5, now.shape[0] - 4):
        out[y, y:] = np.fmod(now[y - 5, y:] - now[y + 4, y:], 64)
    return out


def at(size, distance, border):
    """For each place, the one at that distance, as a border word says."""
    places = np.arange(size) + distance
    if border == "wrap":
        return places % size
    if border == "clamp":
        return places.clip(0, size - 1)
    period = max(1, 2 * (size - 1))
    return np.minimum(places % period, -places % period)


def torus(now, *_):
    """Neighbours of edges lie at the other edge, three rows away at most."""
    out = np.roll(now, 1, 1) + np.roll(now, -2, 1) - np.roll(now, 3, 0) + np.roll(now, (-2, -1), (0, 1)) - 3 * now
    return np.fmod(out, 64)


def nearest(now, *_):
    """Cells outside are the nearest one, one that is reflected, a number, or missing."""
    h, w = now.shape
    inside = np.full((h, w), 5.0)
    inside[:-1, :-1] = now[1:, 1:]
    above = np.ones((h, w))
    above[3:] = now[:-3]
    out = now[:, at(w, -1, "clamp")] + now[:, at(w, 2, "mirror")] - now[at(h, -2, "mirror")] + now[at(h, 1, "clamp")]
    return np.fmod(out + inside - above, 64)


def sides(now, *_):
    """The first and the last column read each other, the first and the last row stay."""
    out = now.copy()
    out[1:-1] = (np.roll(now, 1, 1) + np.roll(now, -1, 1))[1:-1] - now[:-2] + now[2:]
    return np.fmod(out, 64)


def ring(now, *_):
    """The first and the last row read each other."""
    return np.fmod(np.roll(now, 1, 0) - 2 * np.roll(now, -1, 0) + now, 64)


def ghosts(now, *_):
    """The first and the last row change by what lies beside the opposite ones in their own version."""
    out = now.copy()
    out[1:-1] = np.fmod((np.roll(now, 1, 1) + np.roll(now, -1, 1))[1:-1] - now[:-2] + now[2:], 64)
    out[0], out[-1] = np.fmod(out[-2] + now[0], 64), np.fmod(out[1] - now[-1], 64)
    return out


def strips(now, *_):
    """Four rows at a time, from the rows around them."""
    out = -now
    for y in range(4, now.shape[0] - 4, 4):
        out[y:y + 4] = now[y - 1:y + 3] - now[y + 1:y + 5]
    return np.fmod(out, 64)


def between(now, *_):
    """Odd rows from the even ones around them, in their own version."""
    out = np.fmod(now + 1, 64)
    out[:-1:2] = np.fmod(now[:-1:2] + 2 * now[1::2], 64)
    out[1:-1:2] = np.fmod(out[:-2:2] - out[2::2] + now[1:-1:2], 64)
    return out


def whole(now, *_):
    """Rows from their neighbours on a ring, each cell with the sum of the cells before it."""
    return np.fmod(np.cumsum(now, axis=1) + np.roll(now, 1, 0) - np.roll(now, -1, 0), 64)


def circle(now, *_):
    return np.fmod(np.roll(now, 2) - np.roll(now, -1) + now, 32)


def shells(now, *_):
    return np.fmod(np.roll(now, 1, 0) + np.roll(now, -1, 0) - np.roll(now, 1, 1) + now[:, :, at(now.shape[2], 1, "clamp")], 64)


FRAME = """
transform Frame
param steps
from Start[{sizes}]
through T<0..steps>[{sizes}]
to End[{sizes}]
{{
  T<0>.cell({cell}) from (Start.cell({cell}) s) {{ return s; }}
  {rules}
  End.cell({cell}) from (T<steps>.cell({cell}) t) {{ return t; }}
}}
"""


def framed(rules, dims=2):
    return FRAME.format(rules=rules, sizes=", ".join("whd"[:dims]), cell=", ".join("xyz"[:dims]))


# Programs beside those of the time tiles of devices, with the smallest sides that their rules are made for.
PROGRAMS = {
    "edges": ("""T<k>.cell(x, y) from (T<k-1>.cell(x-1, y) l, T<k-1>.cell(x+1, y) r, T<k-1>.cell(x, y-1) u, T<k-1>.cell(x, y+1) d) {
    return fmod(l + r - u + d, 64.0);
  }
  primary T<k>.cell(x, 0) from (T<k>.cell(x, 2) a, T<k-1>.cell(x, 0) b) { return fmod(a + b, 64.0); }
  primary T<k>.cell(x, h-1) from (T<k>.cell(x, h-2) a, T<k-1>.cell(x, h-1) b) { return fmod(a - b, 64.0); }
  T<k>.cell(0, y) from (T<k-1>.cell(0, y) c) { return fmod(c, 64.0); }
  T<k>.cell(w-1, y) from (T<k-1>.cell(w-1, y) c) { return fmod(c, 64.0); }""", 4, edges),
    "corners_meet": ("""T<k>.cell(x, y) from (T<k-1>.cell(x-1, y) l, T<k-1>.cell(x+1, y) r, T<k-1>.cell(x, y-1) u, T<k-1>.cell(x, y+1) d) {
    return fmod(l + r - u + d, 64.0);
  }
  T<k>.cell(x, 0) from (T<k-1>.cell(x, 0) c) { return fmod(-c, 64.0); }
  T<k>.cell(x, h-1) from (T<k-1>.cell(x, h-1) c) { return fmod(-c, 64.0); }
  T<k>.cell(0, y) from (T<k-1>.cell(0, y) c) { return fmod(-c, 64.0); }
  T<k>.cell(w-1, y) from (T<k-1>.cell(w-1, y) c) { return fmod(-c, 64.0); }""", 2, corners_meet),
    "sweep": ("""T<k>.cell(x, y) from (T<k>.cell(x-1, y) l, T<k>.cell(x, y-1) u, T<k-1>.cell(x+1, y) r, T<k-1>.cell(x, y+1) d) {
    return fmod(l + u + r - d, 32.0);
  }
  secondary T<k>.cell(x, y) from (T<k-1>.cell(x, y) c) { return c; }""", 1, sweep),
    "rows": ("""T<k>.cell(x, y) from (T<k-1>.row(y) own, T<k-1>.cell(x, y-1) c) {
    ElementT sum = 0;
    for (int i = 0; i < own.width(); i++) sum += own.cell(i);
    return fmod(sum - c, 64.0);
  }
  secondary T<k>.cell(x, y) from (T<k-1>.cell(x, y) c) { return c; }""", 1, rows),
    "far": ("""T<k>.cell(x, y) from (T<k-1>.cell(x, y-5) a, T<k-1>.cell(x, y+4) b) where x >= y { return fmod(a - b, 64.0); }
  secondary T<k>.cell(x, y) from (T<k-1>.cell(x, y) c) { return c; }""", 1, far),
    "torus": ("""T<k>.cell(x, y) from (T<k-1>.cell(x-1, y) l = wrap, T<k-1>.cell(x+2, y) r = wrap, T<k-1>.cell(x, y-3) u = wrap, T<k-1>.cell(x+1, y+2) d = wrap, T<k-1>.cell(x, y) c) {
    return fmod(l + r - u + d - 3 * c, 64.0);
  }""", 1, torus),
    "nearest": ("""T<k>.cell(x, y) from (T<k-1>.cell(x-1, y) l = clamp, T<k-1>.cell(x+2, y) r = mirror, T<k-1>.cell(x, y-2) u = mirror, T<k-1>.cell(x, y+1) d = clamp,
                        T<k-1>.cell(x+1, y+1) inside = 5, T<k-1>.cell(x, y-3) above = OPTIONAL) {
    return fmod(l + r - u + d + inside - (IS_MISSING(above) ? 1 : above), 64.0);
  }""", 1, nearest),
    "sides": ("""T<k>.cell(x, y) from (T<k-1>.cell(x-1, y) l, T<k-1>.cell(x+1, y) r, T<k-1>.cell(x, y-1) u, T<k-1>.cell(x, y+1) d) {
    return fmod(l + r - u + d, 64.0);
  }
  T<k>.cell(0, y) from (T<k-1>.cell(w-1, y) l, T<k-1>.cell(1, y) r, T<k-1>.cell(0, y-1) u, T<k-1>.cell(0, y+1) d) { return fmod(l + r - u + d, 64.0); }
  T<k>.cell(w-1, y) from (T<k-1>.cell(w-2, y) l, T<k-1>.cell(0, y) r, T<k-1>.cell(w-1, y-1) u, T<k-1>.cell(w-1, y+1) d) { return fmod(l + r - u + d, 64.0); }
  secondary T<k>.cell(x, y) from (T<k-1>.cell(x, y) c) { return fmod(c, 64.0); }""", 2, sides),
    "ring": ("""T<k>.cell(x, y) from (T<k-1>.cell(x, y-1) u, T<k-1>.cell(x, y+1) d, T<k-1>.cell(x, y) c) { return fmod(u - 2 * d + c, 64.0); }
  T<k>.cell(x, 0) from (T<k-1>.cell(x, h-1) u, T<k-1>.cell(x, 1) d, T<k-1>.cell(x, 0) c) { return fmod(u - 2 * d + c, 64.0); }
  T<k>.cell(x, h-1) from (T<k-1>.cell(x, h-2) u, T<k-1>.cell(x, 0) d, T<k-1>.cell(x, h-1) c) { return fmod(u - 2 * d + c, 64.0); }""", 2, ring),
    "ghosts": ("""T<k>.cell(x, y) from (T<k-1>.cell(x-1, y) l = wrap, T<k-1>.cell(x+1, y) r = wrap, T<k-1>.cell(x, y-1) u, T<k-1>.cell(x, y+1) d) {
    return fmod(l + r - u + d, 64.0);
  }
  T<k>.cell(x, 0) from (T<k>.cell(x, h-2) c, T<k-1>.cell(x, 0) b) { return fmod(c + b, 64.0); }
  T<k>.cell(x, h-1) from (T<k>.cell(x, 1) c, T<k-1>.cell(x, h-1) b) { return fmod(c - b, 64.0); }""", 3, ghosts),
    "strips": ("""to (T<k>.region(0, 4*y, w, 4*y+4) t) from (T<k-1>.region(0, 4*y-1, w, 4*y+5) near) {
    for (int j = 0; j < 4; j++)
      for (int i = 0; i < w; i++) t.cell(i, j) = fmod(near.cell(i, j) - near.cell(i, j+2), 64.0);
  }
  secondary T<k>.cell(x, y) from (T<k-1>.cell(x, y) c) { return fmod(-c, 64.0); }""", 1, strips),
    "between": ("""T<k>.cell(x, 2*y) from (T<k-1>.cell(x, 2*y) c, T<k-1>.cell(x, 2*y+1) d) { return fmod(c + 2 * d, 64.0); }
  T<k>.cell(x, 2*y+1) from (T<k>.cell(x, 2*y) u, T<k>.cell(x, 2*y+2) d, T<k-1>.cell(x, 2*y+1) c) { return fmod(u - d + c, 64.0); }
  secondary T<k>.cell(x, y) from (T<k-1>.cell(x, y) c) { return fmod(c + 1, 64.0); }""", 1, between),
    "whole": ("""to (T<k>.row(y) t) from (T<k-1>.row(y-1) u, T<k-1>.row(y) c, T<k-1>.row(y+1) d) {
    ElementT sum = 0;
    for (int i = 0; i < w; i++) { sum += c.cell(i); t.cell(i) = fmod(sum + u.cell(i) - d.cell(i), 64.0); }
  }
  to (T<k>.row(0) t) from (T<k-1>.row(h-1) u, T<k-1>.row(0) c, T<k-1>.row(1) d) {
    ElementT sum = 0;
    for (int i = 0; i < w; i++) { sum += c.cell(i); t.cell(i) = fmod(sum + u.cell(i) - d.cell(i), 64.0); }
  }
  to (T<k>.row(h-1) t) from (T<k-1>.row(h-2) u, T<k-1>.row(h-1) c, T<k-1>.row(0) d) {
    ElementT sum = 0;
    for (int i = 0; i < w; i++) { sum += c.cell(i); t.cell(i) = fmod(sum + u.cell(i) - d.cell(i), 64.0); }
  }""", 2, whole),
    "circle": ("""T<k>.cell(x) from (T<k-1>.cell(x-2) l = wrap, T<k-1>.cell(x+1) r = wrap, T<k-1>.cell(x) c) { return fmod(l - r + c, 32.0); }""", 1, circle, 1),
    "shells": ("""T<k>.cell(x, y, z) from (T<k-1>.cell(x, y, z-1) a = wrap, T<k-1>.cell(x, y, z+1) b = wrap, T<k-1>.cell(x, y-1, z) u = wrap,
                           T<k-1>.cell(x+1, y, z) r = clamp) {
    return fmod(a + b - u + r, 64.0);
  }""", 1, shells, 3),
}


class Test:
    def __init__(self, tools, work):
        self.tools, self.work = tools, work
        self.rng = np.random.default_rng(polybricks.seed())
        # Programs that are also compiled as checked ones and with a configuration: by day some, which takes as long as their runs.
        names = [*PROGRAMS, *version_programs.PROGRAMS]
        self.also_compiled = names if polybricks.is_nightly() else self.rng.choice(names, 3, replace=False).tolist()

    def agrees(self, name, program, start, steps, reference):
        files = arrays.save(self.work, [start])
        want = version_programs.stencil(start, steps, reference)
        for rows_of_band in ROWS:
            for threads in THREADS:
                tunables = self.tunables(program, rows_of_band)
                entry = program.configuration({}, tunables, sequential_cutoff=0, threads=threads)
                got, _ = arrays.run(program, self.work, files, ["End"], "--device=none", f"--set=steps={steps}", entry=entry)
                polybricks.check(np.array_equal(got["End"], want),
                                 f"{name} of {start.shape}, {steps} steps, {rows_of_band} rows, {threads} threads: {got['End']}, not {want}")
        return files, want

    def tunables(self, program, rows_of_band):
        out = {}
        for transform, info in program.info["transforms"].items():
            found = [tunable for tunable, details in info["tunables"].items() if details["role"] == "time_rows"]
            polybricks.check(len(found) == 1, f"{transform} has bands: {info['tunables']}")
            out[transform] = {found[0]: rows_of_band}
        return out

    def from_device(self, program, files, want, steps):
        """The device makes the first version where it can, the CPU the others in bands, the device what reads the last one."""
        choices, launches = {}, 0
        for transform, site, alternatives in program.sites():
            on_device = [each for each in alternatives if "#1" in site and each[1] == "opencl"]
            launches += len(on_device)
            choices.setdefault(transform, {})[site] = next(each for each in [*on_device, *alternatives] if on_device or each[1] == "cpu")
        entry = program.configuration(choices, self.tunables(program, 2), sequential_cutoff=0, threads=2)
        got, statistics = arrays.run(program, self.work, files, ["End"], f"--set=steps={steps}", "--device-copies", "--strict",
                                     entry=entry, env={"POCL_DEVICES": "basic"})
        polybricks.check(np.array_equal(got["End"], want), f"{got['End']}, not {want}")
        polybricks.check(statistics["devices"][0]["launches"] == launches > 0, str(statistics["devices"]))

    def compile(self, name, text, *words):
        source = self.work / f"{name}.pbcc"
        source.write_text(text)
        return self.tools.compile(source, self.work / name, *words)

    def fixed(self, name, program, files, want, steps):
        """A configuration that is compiled in fixes all choices to the CPU."""
        choices = {}
        for transform, site, alternatives in program.sites():
            choices.setdefault(transform, {})[site] = next(each for each in alternatives if each[1] == "cpu")
        config = self.work / "fixed.cfg"
        program.write_configuration(config, program.configuration(choices, self.tunables(program, 3)))
        fixed = self.tools.compile(self.work / f"{name}.pbcc", self.work / f"{name}_fixed", "--config", config)
        got, _ = arrays.run(fixed, self.work, files, ["End"], "--device=none", f"--set=steps={steps}", "--config=none")
        polybricks.check(np.array_equal(got["End"], want), f"{got['End']}, not {want}")

    def run(self, name, text, least, shape_of, reference):
        program = self.compile(name, text)
        for n, steps in ((least, 3), (least + 1, 6), (17, 1), (17, 2), (40, 9), (12, 70)):
            files, want = self.agrees(name, program, shape_of(n), steps, reference)
        self.from_device(program, files, want, 70)
        if name not in self.also_compiled:
            return
        self.fixed(name, program, files, want, 70)
        checked = self.compile(f"{name}_checked", text, "--checked")
        self.agrees(name, checked, shape_of(least + 5), 7, reference)


def main():
    args = polybricks.arguments(__doc__).parse_args()
    tools, work = polybricks.Tools(args.dist), polybricks.fresh_folder(args.work / "version_bands")
    test = Test(tools, work)
    # By day the seed draws half of the programs.
    names = list(PROGRAMS) if polybricks.is_nightly() else sorted(test.rng.choice(list(PROGRAMS), len(PROGRAMS) // 2, replace=False).tolist())
    for name in names:
        rules, least, reference, *dims = PROGRAMS[name]

        def shape_of(n, dims=dims):
            return test.rng.integers(-9, 10, [n + d for d in range(*(dims or [2]))]).astype("float64")
        test.run(name, framed(rules, *dims), least, shape_of, reference)
    for name, (text, _, _, reference) in version_programs.PROGRAMS.items():
        test.run(name, text, 1, lambda n, name=name: version_programs.start_of(name, n, test.rng), reference)
    print(f"{len(names) + len(version_programs.PROGRAMS)} programs in bands of {ROWS} rows")
    return 0


if __name__ == "__main__":
    sys.exit(main())
