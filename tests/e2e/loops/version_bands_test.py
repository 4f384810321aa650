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


FRAME = """
transform Frame
param steps
from Start[w, h]
through T<0..steps>[w, h]
to End[w, h]
{{
  T<0>.cell(x, y) from (Start.cell(x, y) s) {{ return s; }}
  {rules}
  End.cell(x, y) from (T<steps>.cell(x, y) t) {{ return t; }}
}}
"""
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
}


class Test:
    def __init__(self, tools, work):
        self.tools, self.work = tools, work
        self.rng = np.random.default_rng(polybricks.seed())

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
            launches += "#1" in site
            wanted = "opencl" if "#1" in site else "cpu"
            choices.setdefault(transform, {})[site] = next(each for each in alternatives if each[1] == wanted)
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
        self.fixed(name, program, files, want, 70)
        checked = self.compile(f"{name}_checked", text, "--checked")
        self.agrees(name, checked, shape_of(least + 5), 7, reference)


def main():
    args = polybricks.arguments(__doc__).parse_args()
    tools, work = polybricks.Tools(args.dist), polybricks.fresh_folder(args.work / "version_bands")
    test = Test(tools, work)
    for name, (rules, least, reference) in PROGRAMS.items():
        def shape_of(n):
            return test.rng.integers(-9, 10, (n, n + 1)).astype("float64")
        test.run(name, FRAME.format(rules=rules), least, shape_of, reference)
    for name, (text, _, _, reference) in version_programs.PROGRAMS.items():
        test.run(name, text, 1, lambda n, name=name: version_programs.start_of(name, n, test.rng), reference)
    print(f"{len(PROGRAMS) + len(version_programs.PROGRAMS)} programs in bands of {ROWS} rows")
    return 0


if __name__ == "__main__":
    sys.exit(main())
