# SPDX-License-Identifier: MIT
"""Parts that are no boxes, and single instances, on a device.

    device_parts_test.py --dist BUILD/dist --work FOLDER

Triangles, diagonals and lattices of one matrix come from several rules, each of which runs on a device or on the CPU: plain rules, sums of
products in blocks and with copies in local memory, wavefronts, versions, parts that a called transform writes. Results have the bits of a
reference. With all rules on a device, only inputs are copied to it.
"""

import itertools
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import launch_shapes  # noqa: E402
import polybricks  # noqa: E402

# Three parts of a square: sums of products above the diagonal, mirrored cells below it, and the diagonal.
SQUARE = """main transform Main
from A[n, n], B[n, n]
to C[n, n]
{
  to (C.cell(x, y) c) from (A.row(y) a, B.column(x) b) where x > y {
    double sum = 0;
    for (int k = 0; k < n; k++) sum += a.cell(k) * b.cell(k);
    c = sum;
  }
  C.cell(x, y) from (C.cell(y, x) mirrored, A.cell(x, y) a) where x < y { return mirrored - a; }
  C.cell(x, x) from (A.cell(x, x) a) { return a * a; }
}
"""
# Cells of two rows that lie side by side, and two outputs of one rule, of which one lies elsewhere.
LATTICE = """main transform Main
from int A[w, h]
to int B[w, h], int D[h, w]
through int M[w, h]
{
  M.cell(2*x, y) from (A.cell(2*x, y) a) { return a + 1; }
  M.cell(2*x+1, y) from (A.cell(x, y) a, A.row(y) row) { return 2 * a - row.cell(0); }
  to (B.cell(x, y) b, D.cell(y, x) d) from (M.cell(x, y) m, M.cell(w-1-x, y) other) where x + y < h { b = m - other; d = other; }
  to (B.cell(x, y) b, D.cell(y, x) d) from (M.cell(x, y) m) where x + y >= h { b = 3 * m; d = -m; }
}
"""
# An elimination as that of Gauss, version after version: each one changes a square that is smaller by a row and a column.
ELIMINATION = """main transform Main
from int A[n, n]
to int U[n, n]
through int T<0..n>[n, n]
{
  T<0>.cell(x, y) from (A.cell(x, y) a) { return a; }
  primary T<k>.cell(x, y) from (T<k-1>.cell(x, y) old, T<k-1>.cell(k-1, y) left, T<k-1>.cell(x, k-1) up) where x >= k && y >= k {
    return (old - 3 * left * up) % 1009;
  }
  T<k>.cell(x, y) from (T<k-1>.cell(x, y) old) { return old; }
  U.cell(x, y) from (T<n>.cell(x, y) t) where x >= y { return t; }
  U.cell(x, y) from () where x < y { return 0; }
}
"""
# The most pairs of equal letters that do not cross, of each range of a text.
PAIRS = """main transform Main
from int A[n]
to int P[n, n]
{
  P.cell(x, y) from (P.cell(x-1, y) l, P.cell(x, y+1) d, P.cell(x-1, y+1) inside, A.cell(x) a, A.cell(y) b) where x > y {
    return max(max(l, d), inside + (a == b ? 1 : 0));
  }
  secondary P.cell(x, y) from () { return 0; }
}
"""
# A called transform makes a quarter, in parts of its own, and changes it once more.
CALLS = """transform Split
from int A[n, n]
to int C[n, n]
{
  C.cell(x, y) from (A.cell(x, y) a, A.cell(y, x) b) where x < y { return a - b; }
  C.cell(x, y) from (A.cell(x, y) a) where x >= y { return 2 * a; }
}
main transform Main
from int A[n, n]
to int E[n]
through int M[n, n]
{
  to (M.region(0, 0, n/2, n/2) m) from (A.region(0, 0, n/2, n/2) a) { Split(m, a); }
  M.cell(x, y) from (A.cell(x, y) a) where x > y && x >= n/2 { return a + 7; }
  secondary M.cell(x, y) from (A.cell(x, y) a) { return -a; }
  E.cell(0) from (M.cell(n-1, 0) m) { return m; }
  E.cell(i) from (E.cell(i-1) before, M.cell(i, i) m, M.cell(0, i) first) { return before + m - first; }
}
"""
# The first rule also makes cells of D that another rule owns: nobody gets them.
OWNED = """main transform Main
from int A[n, n]
to int B[n, n], int D[n, n]
{
  to (B.cell(x, y) b, D.cell(x, y) d) from (A.cell(x, y) a) where x > y { b = a; d = a + 1; }
  secondary B.cell(x, y) from (A.cell(x, y) a) { return a - 7; }
  primary D.cell(x, y) from (A.cell(x, y) a) where x > y { return a * 2; }
  D.cell(x, y) from (A.cell(x, y) a) where x < y { return a * 5; }
  D.cell(x, x) from (D.cell(x, 0) up, A.cell(x, x) a) where x > 0 { return up + a; }
  D.cell(0, 0) from () { return 9; }
}
"""


def square(a, b):
    c = np.triu(a @ b, 1)
    return [c + np.tril(c.T - a, -1) + np.diag(np.diag(a) ** 2)]


def lattice(a):
    h, w = a.shape
    m = np.empty_like(a)
    m[:, 0::2] = a[:, 0::2] + 1
    m[:, 1::2] = 2 * a[:, :w // 2] - a[:, :1]
    near = np.add.outer(np.arange(h), np.arange(w)) < h
    return [np.where(near, m - m[:, ::-1], 3 * m), np.where(near, m[:, ::-1], -m).T]


def elimination(a):
    t = a.copy()
    for k in range(1, a.shape[0] + 1):
        t[k:, k:] = np.fmod(t[k:, k:] - 3 * t[k:, k - 1:k] * t[k - 1:k, k:], 1009)
    return [np.triu(t)]


def pairs(a):
    p = np.zeros((len(a) + 1, len(a) + 1), np.int32)  # one row more, of empty ranges
    for y in reversed(range(len(a))):
        for x in range(y + 1, len(a)):
            p[y, x] = max(p[y, x - 1], p[y + 1, x], p[y + 1, x - 1] + (a[x] == a[y]))
    return [p[:len(a), :len(a)]]


def calls(a):
    n = a.shape[0]
    x, y = np.meshgrid(np.arange(n), np.arange(n))
    m = np.where((x > y) & (x >= n // 2), a + 7, -a)
    q = a[:n // 2, :n // 2]
    m[:n // 2, :n // 2] = np.where((x < y)[:n // 2, :n // 2], q - q.T, 2 * q)
    steps = np.diag(m) - m[:, 0]
    return [np.concatenate([m[0, n - 1:n], m[0, n - 1] + np.cumsum(steps[1:], dtype=np.int32)]).astype(np.int32)]


def owned(a):
    above = np.triu(np.ones_like(a), 1) == 1
    d = np.where(above, 2 * a, 5 * a)
    d[0, 0] = 9
    for x in range(1, len(a)):
        d[x, x] = d[0, x] + a[x, x]
    return [np.where(above, a, a - 7), d]


def of_numbers(function, element, *cases):
    """Cases with whole numbers, in matrices of these shapes: sums of products of a few are exact."""
    return lambda rng: [(inputs, function(*inputs)) for inputs in
                        ([rng.integers(-9, 10, shape).astype(element) for shape in shapes] for shapes in cases)]


def squares(count, *sizes):
    return [[(n, n)] * count for n in sizes]


SMALL = (1, 2) if polybricks.is_nightly() else ()
# The text, its cases, the names of its outputs, and rules whose launches get shapes.
PROGRAMS = {
    "square": (SQUARE, of_numbers(square, float, *squares(2, *SMALL, 3, 65)), ["C"], ["C#1", "C#2", "C#3"]),
    "lattice": (LATTICE, of_numbers(lattice, np.int32, *([shape] for shape in ((1, 1), (1, 2), (5, 4), (33, 18)))), ["B", "D"],
                ["M#1", "M#2", "B+D#1", "B+D#2"]),
    "elimination": (ELIMINATION, of_numbers(elimination, np.int32, *squares(1, *SMALL, 3, 10)), ["U"], ["T#2", "T#3", "U#1"]),
    "pairs": (PAIRS, of_numbers(pairs, np.int32, *([(n,)] for n in (1, 2, 5, 41))), ["P"], ["P#1", "P#2"]),
    "owned": (OWNED, of_numbers(owned, np.int32, *squares(1, *SMALL, 3, 70)), ["B", "D"], ["B+D#1", "D#2", "D#3"]),
    "calls": (CALLS, of_numbers(calls, np.int32, *squares(1, *SMALL, 3, 30)), ["E"], ["M#2", "M#3", "C#1", "C#2"]),
}


def main():
    args = polybricks.arguments(__doc__).parse_args()
    work = polybricks.fresh_folder(args.work / "device_parts")
    tools = polybricks.Tools(args.dist)
    rng = np.random.default_rng(polybricks.seed())
    num_runs = 0
    for name, (text, draw, names, rules) in PROGRAMS.items():
        (work / f"{name}.pbcc").write_text(text)
        explained = polybricks.run_tool([tools.pbc, work / f"{name}.pbcc", "--explain"]).stdout
        on_cpu = [line for line in explained.splitlines() if "no `opencl`" in line and "it calls the transform" not in line]
        polybricks.check(not on_cpu, f"{name}: {explained}")
        for options in ([], ["--checked", "--checked-copies"])[:2 if polybricks.is_nightly() or name in ("square", "calls") else 1]:
            check = launch_shapes.Check(tools.compile(work / f"{name}.pbcc", work / (name + "".join(options)), *options), work, names, rules, rng)
            for case in draw(rng):
                check.run_all(case)
                for version in ("opencl_local", "opencl"):
                    check.run(case, lambda alternatives: next((a for a in alternatives if a[1] == version), alternatives[-1]), check.draw_shape())
            for launch in range(8 if polybricks.is_nightly() else 3):  # the CPU does what is left, and what was lost
                check.run(case, launch_shapes.on_device, check.draw_shape(), "--device-copies", env={"POLYBRICKS_DEVICE_FAULTS": f"fail:{launch}"})
            num_runs += check.num_runs
    print(f"{num_runs} runs agree")
    return 0


if __name__ == "__main__":
    sys.exit(main())
