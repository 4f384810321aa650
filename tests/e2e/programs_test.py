# SPDX-License-Identifier: MIT
"""Small programs, each for a few things that code generation must get right: every combination of choices agrees with NumPy.

Each program of tests/e2e/programs and tests/e2e/native runs with every assignment of rules and versions (a sample where there are very many), above and below the sequential
cut-off, whole and split into pieces of one instance, at sizes around the vector width.

    programs_test.py --dist BUILD/dist --work FOLDER
"""

import math
import pathlib
import random
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import polybricks  # noqa: E402
from agreement import AgreementCheck  # noqa: E402

FOLDER = pathlib.Path(__file__).resolve().parent
SIZES = (2, 3, 17, 64, 150) if polybricks.is_nightly() else (2, 17)
MAX_ASSIGNMENTS = 100 if polybricks.is_nightly() else 24
# (sequential cut-off, split size)
GRAINS = [(c, s) for c in (0, 64, 10**6) for s in (1, 64)] if polybricks.is_nightly() else [(0, 1), (64, 64), (10**6, 64)]


def element_types(p, q, f, k, d):
    u = p.astype(np.int64) * 200 + (q & 7)
    half = np.trunc(q / 2).astype(np.int64)
    left = np.pad(q, ((0, 0), (1, 0)))[:, :-1].astype(np.int64)
    blur = f.copy()
    blur[:, 1:-1] = (f[:, :-2] + f[:, 1:-1] * 2 + f[:, 2:]) / 4
    mixed = u * 100000 + p // 2 + half - left + f.astype(float) * d
    total = p.sum(dtype=np.int64)
    return [blur, np.minimum(p.astype(int) + k, 255).astype(np.uint8), np.int32(total), mixed, total + k, f[0] * k]


def where(a):
    h, w = a.shape
    x, y = np.meshgrid(np.arange(w), np.arange(h))
    left = np.pad(a, ((0, 0), (1, 0)))[:, :-1]
    b = np.where(x * y == 6, -a, np.where((x * x < y * y) & (y != 3) & (x > 0), a + left, 2 * a))
    c = a[0].copy()
    for i in range(5, w):
        c[i] += c[i - 1]
    frame = (x == 0) | (y == 0) | ((x == w - 1) & (y != h - 1))
    return [b, c, np.where(x * x > y * y, a, 3 * a), np.where(frame, a, 0)]


def quotients(a, m):
    n = len(a)
    i = np.arange(2 * n - 2)
    fine = np.where(i % 2, (a[i // 2] + a[i // 2 + 1]) / 2, a[i // 2])
    columns, lines = i // 2, (i // 2)[:, None]
    beside, below = columns + i % 2, lines + (i % 2)[:, None]
    means = (m[lines, columns] + m[lines, beside] + m[below, columns] + m[below, beside]) / 4
    i = np.arange(3 * n - 3)
    return [fine, (m @ a)[np.arange(2 * n) // 2], means, np.maximum(a[(i + 1) // 3], m.max(axis=0)[i // 3])]


def fractions(a, m):
    n = len(a)

    def cell(array, *at, missing):
        """The element at fractions, each a numerator and a denominator; `missing` outside."""
        inside = all(0 <= num < den * size for (num, den), size in zip(at, array.shape[::-1]))
        return array[tuple(num // den for num, den in at[::-1])] if inside else missing

    tree, leaves, upwards = np.zeros(n), np.zeros(n), np.zeros(2 * n)
    for i in range(n):
        tree[i] = cell(tree, (i - 1, 2), missing=5) / 2 + a[i]
        parent = cell(leaves, (i - 2, 3), missing=None)
        leaves[i] = a[i] if parent is None else parent / 2 - a[i]
    for i in reversed(range(2 * n)):
        upwards[i] = cell(upwards, (i + 5 + 2 * n, 2), missing=1) / 2 + a[i // 2]
    # `n - (i+1)/2` begins at n - 1/2, which C computes as n, and ends before -1/2, which C computes as 0.
    far = [a[n - (i + 1) // 2] if 0 < i < 2 * n else 100 for i in range(3 * n + 9)]
    spread = [cell(a, (i - 5, 2), missing=7) + 2 * cell(a, (n - i, 3), missing=i) + far[i] for i in range(3 * n + 9)]
    near = [[cell(m, (x - 1, 2), (y - 1, 1), missing=3) + cell(m, (x + y - 2, 2), (y - 3, 2), missing=x)
             for x in range(2 * n + 3)] for y in range(n)]
    tried = [a[n - i // 2] if i >= 2 and i * i < 4 * n else -a[i] for i in range(n)]
    return [tree, leaves, np.array(spread), np.array(near), np.array(tried), upwards]


def smooth(a):
    out = a.copy()
    out[1:-1] = (a[:-2] + 2 * a[1:-1] + a[2:]) / 4
    return [out]


def pack_values(a, b):
    height, width = a.shape
    t = np.where(a > b, np.sqrt(np.abs(a)), np.maximum(a, b) * 2.5)
    f = t.astype(np.float32).astype(np.float64)
    c = np.minimum(t, t + 2 * f) + np.arange(width)[None, :] + (t + f)
    d = np.where(~((a < b) & (b > 0)), c, -c + np.arange(height)[:, None]) + np.sqrt(2) * (t + 2 * f)
    return [c, d]


def pack_loops(a, w, b):
    total = w * a.sum()
    tall = 1 + np.lib.stride_tricks.sliding_window_view(b[:-6, :-5], (3, 4)).sum(axis=(2, 3))
    return [total, total, total, w * a[:(len(a) + 1) // 2].sum() + 5, w, tall]


def relax(a):
    t = [a]
    for _ in range(3):
        m = t[-1]
        new = m.copy()
        new[:, 1:-1] = (m[:, :-2] + 2 * m[:, 1:-1] + m[:, 2:]) / 4
        t.append(new)
    return [t[3] + t[1], np.stack([t[0], 3 * t[1], 9 * t[2]])]


def edge_mean(a):
    n = len(a)
    b = [np.mean(a[max(0, i - 1):i + 2]) for i in range(n)]
    c = [(a[i - 2] if i >= 2 else i + 0.5) * (a[2 * i] if 2 * i < n else -n) for i in range(n)]
    return [np.array(b), np.array(c)]


def diffuse(a):
    for _ in range(3):
        wide = np.concatenate([[0], a, [0]])
        a = (wide[:-2] + 2 * a + wide[2:]) / 4
    return [a]


def squares(a):
    m, n = a.shape
    b = [2 * a[i * i, i] + a[i * i, 0] for i in range(n)]
    c = [(a[i, n // i] if i > 0 and n // i < n else 7) + (a[i * i + 1, i] if i * i + 1 < m else 0) for i in range(n)]
    return [np.array(b), np.array(c)]


def base(a, scale):
    w = a.shape[1]
    return [a + scale * a[:, ::-1], 6 * a[-1, ::-1] + scale]


def triangles(a):
    n = len(a)
    x, y = np.meshgrid(np.arange(n), np.arange(n))
    s = np.where(x > y, a, np.where(x == y, 2 * a, a.T))
    return [s, np.where((x < y) & (x + y >= 3), s, -a)]


def lattices(c, a):
    f = np.empty(2 * len(c) - 1)
    f[::2] = c
    f[1::2] = (c[:-1] + c[1:]) / 2
    x, y = np.meshgrid(np.arange(a.shape[1]), np.arange(a.shape[0]))
    left = np.pad(a, ((0, 0), (1, 0)))[:, :-1]
    return [f, np.where((x + y) % 2 == 1, a + left, a), 2 * c]


def side_by_side(a):
    h, w = a.shape
    f = np.empty((2 * h - 1, 2 * w - 1))
    f[::2, ::2] = a
    f[::2, 1::2] = (a[:, :-1] + a[:, 1:]) / 2
    f[1::2] = (f[:-2:2] + f[2::2]) / 2
    p = np.empty((h, 3 * w))
    p[:, ::3], p[:, 1::3], p[:, 2::3] = a[:, ::-1], 2 * a, a + np.arange(w)
    q = np.full((2 * h + 2, w), 5.0)
    q[:-2:2], q[1:-2:2] = a, np.abs(a)
    return [f, p, q]


def reversed_(a):
    s, d = a.copy(), np.empty_like(a)
    for i in range(len(a) - 3, -1, -1):
        s[i] += s[i + 2]
    for i in range(len(a)):
        d[i] = a[i // 2 // 2] if i % 2 == 0 else a[(i // 2 + 1) // 2] + d[i - 1]
    return [3 * a[::-1], s, d]


def powers(a):
    n = len(a) - 2
    left, middle, right = a[:n], a[1:-1], a[2:]
    return [1 + left + left**2 + left**3 + middle**3 + 2 * left + (n % 2 + 1) * right + 1]


def body_api(a):
    b = a.copy()
    once = 2 * a[0] + 3
    b[0] = 2 * once + once.sum()
    return [b, b[0].sum()]


def native(a):
    x = np.eye(len(a))[0]
    k = np.outer(np.arange(len(a)), np.arange(len(a))) * 2 * np.pi / len(a)
    return [a @ a.T, x, (np.cos(k) + np.sin(k)) @ a[0]]


def terms(a):
    n, even = len(a), len(a) // 2 * 2
    b = a[-1] + np.arange(n * (n + 1))[::-1]
    d = [a[n - i // 2] if i >= 2 else -1 for i in range(n)]
    return [a[-1] + n * n - 1, b, a[even - 1] * 2.0 ** np.arange(even)[::-1], np.array(d), a[np.arange(n) // 3 * 3]]


def own_matrices(a):
    m = a + 2
    m[0] = -1
    return [2 * (a + 2) + m + 4 * (a + 2), 4 * a + 1, 10 * a, np.array([0, 1, 2]) * a.sum()]


def long_rows(a, s):
    u, c = -a, np.full(a.shape, 2, np.uint8)
    u[1:, :-1] = a[1:, :-1] + a[:-1, :-1] - a[1:, 1:]
    c[1:, :-1] = np.where(a[1:, :-1] > a[:-1, :-1], 3, 1)
    down = np.pad(a, ((0, 1), (0, 0)))[1:]
    left = np.pad(a, ((0, 0), (1, 0)), constant_values=1)[:, :-1]
    m = 2 * a[:, ::-1]
    m[1:, 1:-1] = np.where(a[:-1, 1:-1] > a[1:, 1:-1], a[1:, :-2], a[:-1, 2:] + np.arange(1, a.shape[1] - 1))
    return [u, c, a + down - left * s, m]


def clamped(a):
    p = np.pad(a.astype(int), 1, mode="edge")
    height, width = a.shape
    return [(sum(p[j:j + height, i:i + width] for j in range(3) for i in range(3)) // 9).astype(np.uint8)]


def kernel_names(a, v, k, at, at_data, kept_s):
    i = np.arange(len(v))
    return [a[:-1] * k[0] + a[1:] * k[1], np.array((v * (i % 3)).sum()), np.array(5 + (3 * v + 1).sum()),
            2 * at[::-1] - at_data + kept_s[1], i + 3 * np.outer(i, v) - v[:, None], kept_s[1] + 2 * at + at_data - len(v) + 2]


def loop_heads(a, v, s):
    n, i = len(a), np.arange(len(a))
    counts = np.bincount(a & 7, minlength=8)
    singles = [a[::8].sum(), a[1:].sum(), a[3:].sum(), 3 * (a + 7).sum(), a[:(n + 1) // 2].sum() + 3,
               (a != 3).sum() + 1000 * len(np.union1d(a, [3]))]
    return [*[np.int32(each) for each in singles], 17 * (n - i), np.minimum(v, s), 4.5 * counts, (i & 7)**2 + a, counts, a[::-1] + 1,
            i + 1 + a, a + 2]


# name: (shapes of the inputs for size n, outputs from inputs)
CASES = {
    "size_conditions": (lambda n: [(n,)], lambda a: [a + a[len(a) // 2 - 1] if len(a) > 1 else -a,
                                                     np.full(len(a), a[16] if len(a) > 16 else 0)]),
    "terms": (lambda n: [(n,)], terms),
    "own_matrices": (lambda n: [(n,)], own_matrices),
    "renamed": (lambda n: [(n,)], lambda a: [2 * a, 6 * a, 2 * a + 1 + a.sum() * (np.arange(len(a)) == 0)]),
    "chosen_arguments": (lambda n: [(n,)], lambda a: [24 * a, -4 * a, -8 * a]),
    "where": (lambda n: [(n, n + 5)], where),
    "element_types": (lambda n: [((n, n + 5), np.uint8), ((n, n + 5), np.int16), ((n, n + 5), np.float32), ((), np.int32),
                                 (n, n + 5)], element_types),
    "running_sums": (lambda n: [(n,)], lambda a: [np.cumsum(a)]),
    "comparisons": (lambda n: [(n, n + 5), (n, n + 5)], lambda a, b: [2.0 * (a < b) + (a == b), np.eye(*a.shape)]),
    "swap_halves": (lambda n: [(n,)], lambda a: [np.concatenate([a[len(a) // 2:], a[:len(a) // 2]])]),
    "in_place_calls": (lambda n: [(n,)], lambda a: [a * 4.5]),
    "order": (lambda n: [(n,)], lambda a: [np.sort(a)]),
    "row_norms": (lambda n: [(n, n + 3)],
                  lambda m: [m / np.linalg.norm(m, axis=1)[:, None], np.linalg.norm(m, axis=1)]),
    "smooth": (lambda n: [(n,)], smooth),
    "pack_values": (lambda n: [(n, n + 5), (n, n + 5)], pack_values),
    "pack_loops": (lambda n: [(n,), (n + 5,), (n + 13, n + 13)], pack_loops),
    "prefix": (lambda n: [(n,)], lambda a: [np.cumsum(a)]),
    # One size with matrices of more than 1 MiB, where rows run in blocks.
    "long_rows": (lambda n: [(n, n + (2100 if n == 64 else 5)), (n + (2100 if n == 64 else 5),)], long_rows),
    "clamped": (lambda n: [((n, n + 5), np.uint8)], clamped),
    "matrix_product": (lambda n: [(n, n + 2), (n + 2, n + 7)], lambda a, b: [a @ b]),
    "versions": (lambda n: [(n, n + 5)], relax),
    "edge_mean": (lambda n: [(n,)], edge_mean),
    "diffuse": (lambda n: [(n,)], diffuse),
    "squares": (lambda n: [((n - 1) ** 2 + 1, n)], squares),
    "region_names": (lambda n: [(n, n + 5), ()], base),
    "quotients": (lambda n: [(n,), (n, n)], lambda a, m: quotients(a, m) + fractions(a, m)),
    "halves": (lambda n: [(n,)], lambda a: [2 * a, a * a, a * a + 1]),
    "rows": (lambda n: [(n, n + 1)], lambda a: [a + 1]),
    "triangles": (lambda n: [(n, n)], triangles),
    "lattices": (lambda n: [(n,), (n, n + 3)], lattices),
    "side_by_side": (lambda n: [(n, n + 3)], side_by_side),
    "reversed": (lambda n: [(n,)], reversed_),
    "templates": (lambda n: [(n + 2,)], powers),
    "body_api": (lambda n: [(n, n + 5)], body_api),
    "through": (lambda n: [(n, n + 5)], lambda a: [a * 2 * (a + 1)]),
    "loop_heads": (lambda n: [((n,), np.int32), ((n,), np.int16), ((), np.int16)], loop_heads),
    "kernel_names": (lambda n: [(n,), ((n,), np.int32), (2,), *[((n,), np.int32)] * 2, ((2, n), np.int32)], kernel_names),
}
# Programs with native blocks and libraries.
NATIVE_CASES = {
    "native_names": (lambda n: [(n,)], lambda a: [np.where(a < 0, -2 * a, a), np.array(42.0 + len(a))]),
    "native_macros": (lambda n: [(n,)], lambda a: [32 * np.abs(a[::-1]), np.array(a[-1] + 100)]),
    "native_headers": (lambda n: [(n, n)], native),
    "native_declared": (lambda n: [(n, n)], lambda a: [native(a)[0], native(a)[1], native(a)[1]]),
}


class Check(AgreementCheck):
    def random_input(self, rng, shape):
        """Normal numbers of a shape; for (shape, type) random numbers of that type, integers over its range up to 1000."""
        if len(shape) != 2 or not isinstance(shape[0], tuple):
            return rng.normal(size=shape)
        shape, kind = shape
        if np.issubdtype(kind, np.floating):
            return rng.normal(size=shape).astype(kind)
        info = np.iinfo(kind)
        return np.asarray(rng.integers(max(info.min, -1000), min(info.max, 1000), size=shape), dtype=kind)

    def agrees(self, got, want):
        limit = 1e-6 if got.dtype == np.float32 else 1e-12 if got.dtype == float else 0
        return np.allclose(got, want, rtol=limit, atol=limit)

    def assignments(self):
        """Every assignment; for a program with very many, every single alternative somewhere and a sample of the rest."""
        sites = list(self.program.sites())
        if math.prod(len(alternatives) for _, _, alternatives in sites) <= MAX_ASSIGNMENTS:
            return list(self.program.all_assignments())
        rng = random.Random(1)
        picks = [[rng.choice(alternatives) for _, _, alternatives in sites] for _ in range(MAX_ASSIGNMENTS // 2)]
        most = max(len(alternatives) for _, _, alternatives in sites)
        picks += [[alternatives[i % len(alternatives)] for _, _, alternatives in sites] for i in range(most)]
        out = []
        for pick in picks:
            choices = {}
            for (transform, site, _), alternative in zip(sites, pick):
                choices.setdefault(transform, {})[site] = alternative
            out.append(choices)
        return out

    def configurations(self):
        """Every assignment with every pair of cut-off and split size."""
        splits = [t for t, data in self.program.info["transforms"].items() if "split_size" in data.get("tunables", {})]
        for choices in self.assignments():
            for cutoff, split in GRAINS:
                tunables = {transform: {"split_size": split} for transform in splits}
                entry = self.program.configuration(choices, tunables, sequential_cutoff=cutoff)
                yield f"{choices} cut-off {cutoff} split {split}", entry


def main():
    args = polybricks.arguments(__doc__).parse_args()
    work = args.work / "programs"
    work.mkdir(parents=True, exist_ok=True)
    tools = polybricks.Tools(args.dist)
    failures = Check.run_programs(tools, FOLDER / "programs", work, CASES, SIZES)
    failures += Check.run_programs(tools, FOLDER / "native", work, NATIVE_CASES, SIZES)
    print("\n".join(failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
