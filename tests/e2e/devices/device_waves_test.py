# SPDX-License-Identifier: MIT
"""Wavefronts, of which a device runs a launch per anti-diagonal of blocks.

    device_waves_test.py --dist BUILD/dist --work FOLDER

Rules read their own output along two or three loops: forwards and backwards in each, at distances of more than one, along skewed rows,
with further loops that are parallel, and several outputs together. Blocks have given and random extents, which need not divide those of
the matrices. Results have the bits of a reference that runs cell by cell. With all rules on a device, only inputs are copied to it.
"""

import itertools
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import launch_shapes  # noqa: E402
import polybricks  # noqa: E402

EDIT = """main transform Main
from int A[n], int B[m]
to int T[n+1, m+1]
{
  T.cell(0, 0) from () { return 0; }
  T.cell(i, 0) from (T.cell(i-1, 0) l) { return l + 1; }
  T.cell(0, j) from (T.cell(0, j-1) u) { return u + 1; }
  T.cell(i, j) from (T.cell(i-1, j) l, T.cell(i, j-1) u, T.cell(i-1, j-1) d, A.cell(i-1) a, B.cell(j-1) b) {
    return min(min(l, u) + 1, d + (a == b ? 0 : 1));
  }
}
"""
# Each output begins in another corner. The other cells of a border are copies.
CORNERS = """main transform Main
from int A[w, h]
to int Q[w, h], int R[w, h], int S[w, h]
{
  primary Q.cell(w-1, y) from (A.cell(w-1, y) a) { return a; }
  primary Q.cell(x, 0) from (A.cell(x, 0) a) { return a; }
  Q.cell(x, y) from (Q.cell(x+1, y) r, Q.cell(x, y-1) u, A.cell(x, y) a) { return (2 * r + 3 * u + a) % 1009; }
  primary R.cell(0, y) from (A.cell(0, y) a) { return a; }
  primary R.cell(x, h-1) from (A.cell(x, h-1) a) { return a; }
  R.cell(x, y) from (R.cell(x-1, y) l, R.cell(x, y+1) d, A.cell(x, y) a) { return (2 * l + 3 * d + a) % 1009; }
  primary S.cell(w-1, y) from (A.cell(w-1, y) a) { return a; }
  primary S.cell(x, h-1) from (A.cell(x, h-1) a) { return a; }
  S.cell(x, y) from (S.cell(x+1, y+1) b, S.cell(x+1, y) r, S.cell(x, y+1) d, A.cell(x, y) a) { return (2 * r + 3 * d + 5 * b + a) % 1009; }
}
"""
# Scores of alignments with gaps: three outputs together, of which the body reads regions.
GAPS = """main transform Main
from int A[n], int B[m]
to int H[n+1, m+1], int E[n+1, m+1], int F[n+1, m+1]
{
  primary to (H.cell(0, y) h, E.cell(0, y) e, F.cell(0, y) f) from () { h = 0; e = -1000; f = -1000; }
  primary to (H.cell(x, 0) h, E.cell(x, 0) e, F.cell(x, 0) f) from () { h = 0; e = -1000; f = -1000; }
  to (H.cell(x, y) h, E.cell(x, y) e, F.cell(x, y) f)
  from (H.region(x-1, y-1, x+1, y+1) near, E.cell(x-1, y) left, F.cell(x, y-1) up, A.cell(x-1) a, B.cell(y-1) b) {
    const int gap_in_a = max(left - 1, near.cell(0, 1) - 3);
    const int gap_in_b = max(up - 1, near.cell(1, 0) - 3);
    e = gap_in_a;
    f = gap_in_b;
    h = max(max(0, near.cell(0, 0) + (a == b ? 2 : -1)), max(gap_in_a, gap_in_b));
  }
}
"""
FAR = """main transform Main
from int A[w, h]
to int D[w, h]
{
  secondary D.cell(x, y) from (A.cell(x, y) a) { return a; }
  D.cell(x, y) from (D.cell(x-3, y) l, D.cell(x-2, y-1) b, D.cell(x, y-2) u, A.cell(x, y) a) { return (2 * l + 3 * u + 5 * b + a) % 1009; }
}
"""
SKEWED = """main transform Main
from int A[w, h]
to int D[w, h]
{
  secondary D.cell(x, y) from (A.cell(x, y) a) { return a; }
  D.cell(x, y) from (D.cell(x-1, y) l, D.cell(x+1, y-1) r, D.cell(x-1, y-1) b, A.cell(x, y) a) { return (2 * l + 3 * r + 5 * b + a) % 1009; }
}
"""
# Each output has its parallel loop elsewhere.
DEEP = """main transform Main
from int A[w, h, d]
to int P[w, h, d], int Q[w, h, d], int R[w, h, d]
{
  secondary P.cell(x, y, z) from (A.cell(x, y, z) a) { return a; }
  P.cell(x, y, z) from (P.cell(x, y-1, z) u, P.cell(x, y, z-1) f, A.cell(x, y, z) a) { return (2 * u + 3 * f + a) % 1009; }
  secondary Q.cell(x, y, z) from (A.cell(x, y, z) a) { return a; }
  Q.cell(x, y, z) from (Q.cell(x+1, y, z) r, Q.cell(x, y, z-1) f, A.cell(x, y, z) a) { return (2 * r + 3 * f + a) % 1009; }
  secondary R.cell(x, y, z) from (A.cell(x, y, z) a) { return a; }
  R.cell(x, y, z) from (R.cell(x-1, y, z) l, R.cell(x, y+1, z) b, A.cell(x, y, z) a) { return (2 * l + 3 * b + a) % 1009; }
}
"""
# The longest common subsequence of three sequences.
CUBE = """main transform Main
from int A[n], int B[m], int C[k]
to int L[n+1, m+1, k+1]
{
  secondary L.cell(x, y, z) from () { return 0; }
  L.cell(x, y, z) from (L.cell(x-1, y-1, z-1) all, L.cell(x-1, y, z) p, L.cell(x, y-1, z) q, L.cell(x, y, z-1) r,
                        A.cell(x-1) a, B.cell(y-1) b, C.cell(z-1) c) {
    return a == b && b == c ? all + 1 : max(max(p, q), r);
  }
}
"""
# Sweeps of Gauss and Seidel, of which each cell reads two of this sweep and two of the last one.
SWEEPS = """transform Sweep
from Old[w, h]
to New[w, h]
{
  secondary New.cell(x, y) from (Old.cell(x, y) c) { return c; }
  New.cell(x, y) from (New.cell(x-1, y) l, New.cell(x, y-1) u, Old.cell(x+1, y) r, Old.cell(x, y+1) d) { return 0.25 * (l + u + r + d); }
}
main transform Main
from Start[w, h]
to End[w, h]
{
  to (End end) from (Start start) using (Other[w, h]) {
    Sweep(end, start);
    for (int k = 0; k < 2; k++) {
      Sweep(Other, end);
      Sweep(end, Other);
    }
  }
}
"""


def edit(a, b):
    t = np.zeros((len(b) + 1, len(a) + 1), np.int32)
    t[0], t[:, 0] = np.arange(len(a) + 1), np.arange(len(b) + 1)
    for j, i in itertools.product(range(1, len(b) + 1), range(1, len(a) + 1)):
        t[j, i] = min(min(t[j, i - 1], t[j - 1, i]) + 1, t[j - 1, i - 1] + (a[i - 1] != b[j - 1]))
    return [t]


def continued(a, terms):
    """Cells of `a`, in which those that have all cells at the given distances, slowest first, become sums of their multiples, mod 1009."""
    out = a.copy()
    order = [range(n) if all(t[0][d] <= 0 for t in terms) or (d > 0 and any(t[0][d] < 0 for t in terms)) else range(n)[::-1]
             for d, n in enumerate(a.shape)]
    for at in itertools.product(*order):
        others = [tuple(p + q for p, q in zip(at, distance)) for distance, _ in terms]
        if all(0 <= p < n for other in others for p, n in zip(other, a.shape)):
            out[at] = (sum(int(out[other]) * factor for other, (_, factor) in zip(others, terms)) + int(a[at])) % 1009
    return out


def corners(a):
    return [continued(a, [((0, 1), 2), ((-1, 0), 3)]), continued(a, [((0, -1), 2), ((1, 0), 3)]),
            continued(a, [((0, 1), 2), ((1, 0), 3), ((1, 1), 5)])]


def gaps(a, b):
    h, e, f = (np.full((len(b) + 1, len(a) + 1), value, np.int32) for value in (0, -1000, -1000))
    for y, x in itertools.product(range(1, len(b) + 1), range(1, len(a) + 1)):
        e[y, x] = max(e[y, x - 1] - 1, h[y, x - 1] - 3)
        f[y, x] = max(f[y - 1, x] - 1, h[y - 1, x] - 3)
        h[y, x] = max(0, h[y - 1, x - 1] + (2 if a[x - 1] == b[y - 1] else -1), e[y, x], f[y, x])
    return [h, e, f]


def deep(a):
    return [continued(a, [((0, -1, 0), 2), ((-1, 0, 0), 3)]), continued(a, [((0, 0, 1), 2), ((-1, 0, 0), 3)]),
            continued(a, [((0, 0, -1), 2), ((0, 1, 0), 3)])]


def cube(a, b, c):
    out = np.zeros((len(c) + 1, len(b) + 1, len(a) + 1), np.int32)
    for z, y, x in itertools.product(range(1, len(c) + 1), range(1, len(b) + 1), range(1, len(a) + 1)):
        same = a[x - 1] == b[y - 1] == c[z - 1]
        out[z, y, x] = out[z - 1, y - 1, x - 1] + 1 if same else max(out[z, y, x - 1], out[z, y - 1, x], out[z - 1, y, x])
    return [out]


def sweeps(start):
    t = start.copy()
    for _ in range(5):
        for y, x in itertools.product(range(1, t.shape[0] - 1), range(1, t.shape[1] - 1)):
            t[y, x] = 0.25 * (t[y, x - 1] + t[y - 1, x] + t[y, x + 1] + t[y + 1, x])
    return [t]


def of_letters(function, *lengths):
    return lambda rng: [(inputs, function(*inputs)) for inputs in ([rng.integers(0, 4, n).astype(np.int32) for n in each] for each in lengths)]


def of_numbers(function, *shapes):
    return lambda rng: [([a], function(a)) for a in (rng.integers(0, 1009, shape).astype(np.int32) for shape in shapes)]


def of_reals(function, *shapes):
    return lambda rng: [([a], function(a)) for a in (rng.uniform(-1, 1, shape) for shape in shapes)]


PLANES = ((1, 1), (1, 7), (5, 1), (2, 3), (31, 17), (67, 131))[0 if polybricks.is_nightly() else 2:]
SOLIDS = ((1, 1, 1), (2, 3, 1), (7, 5, 11), (13, 34, 19))[0 if polybricks.is_nightly() else 2:]
# The text, its cases, the names of its outputs, and the rules that run as wavefronts.
PROGRAMS = {
    "edit": (EDIT, of_letters(edit, (0, 0), (1, 0), (0, 5), (1, 1), (17, 31), (131, 67)), ["T"], ["T#4"]),
    "corners": (CORNERS, of_numbers(corners, *PLANES), ["Q", "R", "S"], ["Q#3", "R#3", "S#3"]),
    "gaps": (GAPS, of_letters(gaps, (0, 0), (1, 1), (2, 5), (71, 37)), ["H", "E", "F"], ["H+E+F#3"]),
    "far": (FAR, of_numbers(lambda a: [continued(a, [((0, -3), 2), ((-2, 0), 3), ((-1, -2), 5)])], *PLANES), ["D"], ["D#2"]),
    "skewed": (SKEWED, of_numbers(lambda a: [continued(a, [((0, -1), 2), ((-1, 1), 3), ((-1, -1), 5)])], *PLANES), ["D"], ["D#2"]),
    "deep": (DEEP, of_numbers(deep, *SOLIDS), ["P", "Q", "R"], ["P#2", "Q#2", "R#2"]),
    "cube": (CUBE, of_letters(cube, (0, 0, 0), (1, 2, 3), (19, 23, 9)), ["L"], ["L#2"]),
    "sweeps": (SWEEPS, of_reals(sweeps, (1, 1), (3, 3), (4, 7), (33, 18)), ["End"], ["New#2"]),
}


def main():
    args = polybricks.arguments(__doc__).parse_args()
    work = polybricks.fresh_folder(args.work / "device_waves")
    tools = polybricks.Tools(args.dist)
    rng = np.random.default_rng(polybricks.seed())
    num_runs = 0
    for name, (text, draw, names, rules) in PROGRAMS.items():
        (work / f"{name}.pbcc").write_text(text)
        explained = polybricks.run_tool([tools.pbc, work / f"{name}.pbcc", "--explain"]).stdout
        polybricks.check(explained.count("a launch per anti-diagonal of blocks") == len(rules), f"{name}: {explained}")
        for options in ([], ["--checked", "--checked-copies"])[:2 if polybricks.is_nightly() or name in ("gaps", "far") else 1]:
            check = launch_shapes.Check(tools.compile(work / f"{name}.pbcc", work / (name + "".join(options)), *options), work, names, rules, rng)
            for case in draw(rng):
                check.run_all(case)
            num_runs += check.num_runs
    print(f"{num_runs} runs agree")
    return 0


if __name__ == "__main__":
    sys.exit(main())
