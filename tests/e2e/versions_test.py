# SPDX-License-Identifier: MIT
"""Temporaries of versions, `T<k>` from `T<k-1>`, of which two have memory at a time.

    versions_test.py --dist BUILD/dist --work FOLDER

Each program runs with all its choices, so that the first and the last version are also made and read on a device, where all versions
have memory. Results agree with NumPy, and a program of many versions takes the memory of two.
"""

import pathlib
import subprocess
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import polybricks  # noqa: E402

NUM_BY_DAY = 4     # assignments of choices per program and size
HEADER = "main transform Main\nparam steps\nfrom Start[w, h]\nthrough T<0..steps>[w, h]\nto End[w, h]\n"
# Borders of rules of their own; neighbours of the same version; rows; a torus; the largest of all cells before.
HEAT = HEADER + """{
  T<0>.cell(x, y) from (Start.cell(x, y) s) { return s; }
  T<k>.cell(x, y) from (T<k-1>.cell(x, y) c, T<k-1>.cell(x-1, y) l, T<k-1>.cell(x+1, y) r, T<k-1>.cell(x, y-1) u, T<k-1>.cell(x, y+1) d) {
    return c + 0.2 * (l + r + u + d - 4 * c);
  }
  secondary T<k>.cell(x, y) from (T<k-1>.cell(x, y) c) { return c; }
  End.cell(x, y) from (T<steps>.cell(x, y) t) { return t; }
}
"""
SWEEPS = HEADER + """{
  T<0>.cell(x, y) from (Start.cell(x, y) s) { return 2 * s; }
  T<k>.cell(x, y) from (T<k-1>.cell(x, y) c, T<k>.cell(x-1, y) l) { return 0.5 * c + 0.25 * l; }
  secondary T<k>.cell(0, y) from () { return y; }
  End.row(y) from (T<steps>.row(y) t) { for (int x = 0; x < w; x++) end.cell(x) = t.cell(x) + 1; }
}
""".replace("End.row(y) from", "to (End.row(y) end) from")
TORUS = HEADER + """{
  T<0>.cell(x, y) from (Start.cell(x, y) s) { return s; }
  T<k>.cell(x, y) from (T<k-1>.cell(x-1, y) a = wrap, T<k-1>.cell(x, y+1) b = wrap, T<k-1>.row(y) row) {
    return 0.5 * (a + b) + row.cell(0) / 8;
  }
  End.cell(x, y) from (T<steps>.cell(w-1-x, y) t, Start.cell(x, y) s) { return t - s; }
}
"""
# The versions are counted by the rule for k + 1.
AHEAD = HEADER + """{
  T<0>.cell(x, y) from (Start.cell(x, y) s) { return s; }
  T<k+1>.cell(x, y) from (T<k>.region(0, 0, w, h) all) {
    ElementT most = all.cell(x, y);
    for (int i = 0; i < w; i++) most = max(most, all.cell(i, y));
    return most - all.cell(x, h-1-y) / 2;
  }
  End.cell(x, y) from (T<steps>.cell(x, y) t) { return t; }
}
"""

# Two temporaries that need each other, with borders of rules of their own: all rules run version by version.
WAVES = HEADER.replace("h]\nto", "h], S<0..steps>[w, h]\nto") + """{
  T<0>.cell(x, y) from (Start.cell(x, y) s) { return s; }
  S<0>.cell(x, y) from (Start.cell(x, y) s) { return -s; }
  S<k>.cell(x, y) from (S<k-1>.cell(x, y) s, T<k-1>.cell(x, y) a, T<k-1>.cell(x-1, y) b) { return s + 0.5 * (a - b); }
  secondary S<k>.cell(x, y) from (S<k-1>.cell(x, y) s) { return s; }
  T<k>.cell(x, y) from (T<k-1>.cell(x, y) t, S<k>.cell(x, y) a, S<k>.cell(x+1, y) b) { return t + 0.25 * (b - a); }
  secondary T<k>.cell(x, y) from (T<k-1>.cell(x, y) t) { return t / 2; }
  End.cell(x, y) from (T<steps>.cell(x, y) t, S<steps>.cell(x, y) s) { return t + 2 * s; }
}
"""
# A matrix without versions needs each version, and each version but the first needs its cells.
NORMS = HEADER.replace("h]\nto", "h], Norm[steps+1]\nto") + """{
  T<0>.cell(x, y) from (Start.cell(x, y) s) { return s; }
  Norm.cell(k) from (T<k>.row(0) t) { ElementT n = 0; for (int i = 0; i < w; i++) n = max(n, abs(t.cell(i))); return n; }
  T<k>.cell(x, y) from (T<k-1>.cell(x, y) t, Norm.cell(k-1) n) { return t / (1 + n) - 0.125; }
  End.cell(x, y) from (T<steps>.cell(x, y) t, Norm.cell(steps) n) { return t + n; }
}
"""

# No rule reads the first version of S unless it is the last one, and it has the place of the others.
UNREAD = HEADER.replace("h]\nto", "h], S<0..steps>[w, h]\nto") + """{
  T<0>.cell(x, y) from (Start.cell(x, y) s) { return s; }
  T<k>.cell(x, y) from (T<k-1>.cell(x, y) t, S<k>.cell(x, y) s) { return t + s; }
  S<0>.cell(x, y) from () { return 100; }
  S<k>.cell(x, y) from (T<k-1>.cell(x, y) t) { return t / 2; }
  End.cell(x, y) from (S<steps>.cell(x, y) s) { return s; }
}
"""
# Triangles of each version, with folds over columns in packs.
FACTORS = HEADER.replace("h]\nto", "h], Factor[w, steps+1]\nto") + """{
  T<0>.cell(x, y) from (Start.cell(x, y) s) { return s; }
  Factor.cell(x, k) from (T<k>.column(x) t, T<k>.column(0) first) where x >= k {
    ElementT sum = 0;
    for (int y = 0; y < h; y++) sum += t.cell(y) * first.cell(y);
    return sum / h;
  }
  Factor.cell(x, k) from () where x < k { return 0; }
  T<k>.cell(x, y) from (T<k-1>.cell(x, y) t, Factor.cell(x, k-1) f) where x >= k { return t - f / 8; }
  T<k>.cell(x, y) from (T<k-1>.cell(x, y) t) where x < k { return t; }
  End.cell(x, y) from (T<steps>.cell(x, y) t) { return t; }
}
"""


def heat(start, steps):
    t = start.copy()
    for _ in range(steps):
        t[1:-1, 1:-1] = t[1:-1, 1:-1] + 0.2 * (t[1:-1, :-2] + t[1:-1, 2:] + t[:-2, 1:-1] + t[2:, 1:-1] - 4 * t[1:-1, 1:-1])
    return t


def sweeps(start, steps):
    t = 2 * start
    for _ in range(steps):
        new = np.empty_like(t)
        new[:, 0] = np.arange(t.shape[0])
        for x in range(1, t.shape[1]):
            new[:, x] = 0.5 * t[:, x] + 0.25 * new[:, x - 1]
        t = new
    return t + 1


def torus(start, steps):
    t = start
    for _ in range(steps):
        t = 0.5 * (np.roll(t, 1, 1) + np.roll(t, -1, 0)) + t[:, :1] / 8
    return t[:, ::-1] - start


def ahead(start, steps):
    t = start
    for _ in range(steps):
        t = t.max(axis=1, keepdims=True) - t[::-1] / 2
    return t


def waves(start, steps):
    t, s = start.copy(), -start
    for _ in range(steps):
        s = s.copy()
        s[:, 1:] += 0.5 * (t[:, 1:] - t[:, :-1])
        t = np.hstack([t[:, :-1] + 0.25 * (s[:, 1:] - s[:, :-1]), t[:, -1:] / 2])
    return t + 2 * s


def norms(start, steps):
    t = start
    for _ in range(steps):
        t = t / (1 + np.abs(t[0]).max()) - 0.125
    return t + np.abs(t[0]).max()


def unread(start, steps):
    return np.full_like(start, 100) if steps == 0 else start * 1.5 ** (steps - 1) / 2


def factors(start, steps):
    t, x = start, np.arange(start.shape[1])
    for k in range(1, steps + 1):
        t = np.where(x >= k, t - (t * t[:, :1]).mean(0) / 8, t)
    return t


PROGRAMS = {"heat": (HEAT, heat), "sweeps": (SWEEPS, sweeps), "torus": (TORUS, torus), "ahead": (AHEAD, ahead), "waves": (WAVES, waves),
            "norms": (NORMS, norms), "unread": (UNREAD, unread), "factors": (FACTORS, factors)}

IN_PLACE = ("sweeps", "waves", "norms", "unread", "factors")   # a version takes the place of the one before


def some_of(assignments, rng):
    """All assignments at night; by day the first, the last, and some between them."""
    if polybricks.is_nightly() or len(assignments) <= NUM_BY_DAY:
        return assignments
    inner = sorted(rng.choice(np.arange(1, len(assignments) - 1), NUM_BY_DAY - 2, replace=False))
    return [assignments[0], *(assignments[i] for i in inner), assignments[-1]]


def try_choices(tools, work, rng):
    """Runs all programs, and returns the number of runs."""
    num_runs = 0
    for name, (text, reference) in PROGRAMS.items():
        (work / f"{name}.pbcc").write_text(text)
        plan = polybricks.run_tool([tools.pbc, work / f"{name}.pbcc", "--emit", "plan"]).stdout
        polybricks.check("two-versions T" in plan and ("two-versions S" in plan or name != "waves"), f"{name}: all versions have memory")
        polybricks.check(("in-place T" in plan) == (name in IN_PLACE), f"{name}: the versions of T do not lie as expected")
        for options in ([], ["--checked"], ["--checked-copies"]):
            program = tools.compile(work / f"{name}.pbcc", work / (name + "".join(options)), *options)
            sizes = ((1, 1, 0), (5, 4, 1), (37, 21, 2), (40, 33, 7), (300, 200, 8))
            # What checked programs do beside does not depend on the size.
            for w, h, steps in sizes if not options or polybricks.is_nightly() else sizes[1:4:2]:
                start = rng.uniform(-1, 1, (h, w))
                np.save(work / "start.npy", start)
                expected = reference(start, steps)
                for choices in some_of(list(program.all_assignments()), rng):
                    for threads in (1, 2):
                        config = program.configuration(choices, {}, sequential_cutoff=0, threads=threads)
                        program.write_configuration(work / "run.cfg", config)
                        program.run(work / "start.npy", work / "end.npy", "--set", f"steps={steps}", config=work / "run.cfg")
                        found = np.load(work / "end.npy")
                        num_runs += 1
                        polybricks.check(np.allclose(found, expected, 1e-12, 1e-12),
                                         f"{name} {options}, {w} x {h}, {steps} steps, {choices}, {threads} threads: {found} is not {expected}")
    return num_runs


def main():
    args = polybricks.arguments(__doc__).parse_args()
    work = polybricks.fresh_folder(args.work / "versions")
    tools = polybricks.Tools(args.dist)
    # 400 versions of 2 MB each. A process of its own has no other children whose memory would count.
    (work / "heat.pbcc").write_text(HEAT)
    program = tools.compile(work / "heat.pbcc", work / "many")
    script = ("import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL);"
              "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)")
    command = [sys.executable, "-c", script, str(program.path), "--n", "512", "--set", "steps=400", "--device", "none"]
    kib = int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    polybricks.check(kib < 300 * 1024, f"400 versions of 2 MB take {kib} KiB")
    num_runs = try_choices(tools, work, np.random.default_rng(polybricks.seed()))
    print(f"{num_runs} runs agree; many versions take {kib // 1024} MiB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
