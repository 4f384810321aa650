# SPDX-License-Identifier: MIT
"""Borders of `.cell` inputs, `= wrap`, `= clamp`, `= mirror`, and optional inputs (docs/reference/language.md 5.7)."""

import numpy as np

from case import Case, ints, mat, vec

BORDER_SIZES = (1, 2, 3, 17, 64, 101)


def wrapped(at, size):
    return np.mod(at, size)


def clamped(at, size):
    return np.clip(at, 0, size - 1)


def mirrored(at, size):
    """The coordinate mirrored as by SciPy's `mirror`: period 2*size-2."""
    if size == 1:
        return np.zeros_like(at)
    rest = np.mod(at, 2 * size - 2)
    return np.minimum(rest, 2 * size - 2 - rest)


def at(a, border, *coordinates):
    """The cells of `a` at coordinates, x first, each mapped alone."""
    grids = np.broadcast_arrays(*coordinates)
    return a[tuple(border(c, s) for c, s in zip(reversed(grids), a.shape))]


def or_else(a, missing, *coordinates):
    """The cells of `a` where the coordinates lie inside, elsewhere `missing`; and whether they lie inside."""
    grids = np.broadcast_arrays(*coordinates)
    inside = np.all([(c >= 0) & (c < s) for c, s in zip(reversed(grids), a.shape)], axis=0)
    return np.where(inside, at(a, clamped, *coordinates), missing), inside


def truncated(a, b):
    """C's quotient."""
    return np.sign(a) * (np.abs(a) // b)


def life(start, steps):
    g = start
    for _ in range(len(steps)):
        count = sum(np.roll(g, (dy, dx), (0, 1)) for dy in (-1, 0, 1) for dx in (-1, 0, 1) if dx or dy)
        g = ((count == 3) | ((count == 2) & (g == 1))).astype(g.dtype)
    return [g]


def words(a):
    n = len(a)
    i = np.arange(n, dtype=np.int64)
    w, c, m = (lambda x, f=f: at(a, f, x) for f in (wrapped, clamped, mirrored))
    near = [f(i - 1) + 10 * f(i + 2) for f in (w, c, m)]
    far = w(i - 7) + 2 * m(i + 100) + 3 * c(i - 50) + 4 * w(i + 9) + 5 * m(-i - 31)
    stretched = w(2 * i + 3) + 2 * m(3 * i - 5) + 3 * c(100000 * i) + 4 * w(i // 2 - 1) + 5 * m(5 - 4 * i)
    turned = w(-i) + 2 * m(n - i) + 3 * c(n - 1 - 2 * i) + 4 * w(i * i)
    return near + [far, stretched, turned, a[-1] + 10 * a[-1] + 100 * a[min(1, n - 1)]]


def mixed(a, codes, weights):
    h, w = a.shape
    x, y = np.arange(w)[None, :], np.arange(h)[:, None]
    e, inside = or_else(a, -1, x + 1, y + 1)
    b = (at(a, wrapped, x - 1, y + 1) + 2 * at(a, mirrored, x + 2, y - 2) + 3 * at(a, clamped, x - 3, y)
         + 4 * or_else(a, 0, x, y - 1)[0] + e)
    i, j = np.arange(w), np.arange(h)
    c = 3 * at(codes, mirrored, i - 1) - or_else(codes, 100, i + 1)[0] + or_else(codes, 7, i - 2)[0]
    u, d = at(weights, wrapped, j - 1), or_else(weights, 0.25, j + 1)[0]
    m, has_m = or_else(weights, 0, j + 4)
    return [b, c, np.where(has_m, u + d + m, u - d), at(a, wrapped, w - x, h - 1 - y) - at(a, clamped, y, x)]


def volume(a):
    d, h, w = a.shape
    x, y, z = np.arange(w)[None, None, :], np.arange(h)[None, :, None], np.arange(d)[:, None, None]
    near = [(-1, 0, 0), (1, 0, 0), (0, -1, 0), (0, 1, 0), (0, 0, -1), (0, 0, 1)]
    first = sum((k + 1) * at(a, wrapped, x + i, y + j, z + l) for k, (i, j, l) in enumerate(near))
    p, q, s = at(a, clamped, x - 1, y + 1, z), at(a, clamped, x, y - 2, z + 1), a
    for _ in range(3):
        s = np.where(s < p, 0.5 * s + q, 0.5 * s - q)
    return [first, s, at(a, mirrored, x - 2, y - 1, z - 1) - 2 * at(a, mirrored, x + 1, y + 2, z + 3)]


def packs(m):
    h, w = m.shape
    x, y = np.arange(w)[None, :], np.arange(h)[:, None]
    a, b, c, d = at(m, wrapped, x - 1, y), at(m, wrapped, x + 1, y), at(m, mirrored, x, y - 1), at(m, clamped, x, y + 1)
    s = m
    for _ in range(4):
        s = np.where(s > 0, 0.5 * s + a - d, b - 0.5 * s + c)
    p, q = or_else(m, 1, x - 2, y + 1)[0], or_else(m, 0.5, x, y - 1)[0]
    r, has_r = or_else(m, 0, x + 3, y)
    t = m
    for _ in range(3):
        t = 0.5 * t + p - np.where(has_r, 2 * r, q)
    e, has_e = or_else(m, 0, x + 1, y - 1)
    f = at(m, wrapped, x - 1, y + 1)
    return [s, t, np.where(has_e, e - f, f)]


def halves(a):
    out = []
    for half in np.split(a, 2):
        i = np.arange(len(half))
        out.append(at(half, wrapped, i - 1) + 2 * half + 4 * at(half, mirrored, i + 1) if len(half) else half)
    return [np.concatenate(out)]


def sweeps(a, weights):
    rows = a.copy()
    x = np.arange(a.shape[1])
    for y in range(1, len(a)):
        rows[y] = 0.5 * at(rows[y - 1], wrapped, x + 1) - 0.25 * at(rows[y - 1], mirrored, x - 2) + a[y]
    t = [weights]
    for _ in range(3):
        t.append(at(t[-1], wrapped, x + 1) + 2 * at(t[-1], clamped, x - 1))
    return [rows, t[3], at(t[2], mirrored, len(x) - x) + or_else(t[1], 0, x - 1)[0]]


def tables(a, table, one):
    i = np.arange(len(a))
    return [a + at(table, mirrored, i) + 2 * at(table, mirrored, -2 * i) + one[0],
            or_else(a, len(a), i + 1)[0] + at(table, clamped, i - len(a)),
            or_else(a, 0, i - 1)[0] + at(table, clamped, i)]


def linear(a, factor, gain, first):
    """Each number from the one before: `gain * a + factor * before`."""
    out, before = np.zeros(len(a)), first
    for i, each in enumerate(a):
        out[i] = before = gain * each + factor * before
    return out


def scans(a, k, v):
    w, h = len(v), len(a)
    lone = np.cumsum(v)
    lone += 9 * v[0]
    return [np.cumsum(k), w - 7 - 2 * np.cumsum(k[::-1])[::-1], np.cumsum(a, axis=0) + np.arange(w) + 0.5,
            np.maximum(np.maximum.accumulate(a[:, ::-1], axis=1)[:, ::-1], -1.5),
            np.array([linear(row, 0.75, 0.25, 0) + linear(row[::-1], -0.5, 0.25, 1)[::-1] for row in a]),
            linear(v, 0.5, 1, 1), lone, h + np.cumsum(v), np.cumprod(1 + v / 64)]


def bits(w, h, rng):
    return rng.integers(0, 2, (h, w)).astype(np.int32)


CASES = {
    "constant_extents": Case(tables, lambda n, r: [vec(n, r), vec(5, r), vec(1, r)], sizes=BORDER_SIZES),
    "life_on_a_torus": Case(life, lambda n, r: [bits(n, n + 2, r), np.zeros(4)], sizes=BORDER_SIZES),
    "mixed": Case(mixed, lambda n, r: [mat(n, n + 1, r), r.integers(-9, 9, n).astype(np.int32), vec(n + 1, r).astype(np.float32)],
                  sizes=BORDER_SIZES, tolerance=1e-5),
    "packs": Case(packs, lambda n, r: [mat(n + 3, n, r)], sizes=BORDER_SIZES),
    "regions_of_calls": Case(halves, lambda n, r: [vec(2 * n, r)], sizes=BORDER_SIZES),
    "scans": Case(scans, lambda n, r: [mat(n, n + 1, r), ints(n, -9, 9, r).astype(np.int32), vec(n, r)],
                  sizes=(*BORDER_SIZES, 1500)),
    "sweeps": Case(sweeps, lambda n, r: [mat(n, n + 1, r), vec(n, r)], sizes=BORDER_SIZES),
    "volume": Case(volume, lambda n, r: [r.normal(size=(n + 1, max(n - 1, 1), n))], sizes=(1, 2, 3, 9, 20)),
    "words": Case(words, lambda n, r: [vec(n, r)], sizes=BORDER_SIZES),
}
