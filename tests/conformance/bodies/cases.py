# SPDX-License-Identifier: MIT
"""Rule bodies (docs/reference/language.md 7): calls, spawn and sync, matrix objects, raw arrays, what C++ passes through."""

import math

import numpy as np

from case import Case, ints, mat, vec


def fibonacci(n):
    a, b = 0, 1
    for _ in range(int(n)):
        a, b = b, a + b
    return [a]


def halves(v, a):
    n = len(a)
    half = n // 2
    return [np.concatenate([v + np.arange(half), -v + np.arange(n - half)])]


def mixed(m, v, k):
    h, w = m.shape
    out = (2 * k + 1) * m
    out[:, 0] = k * m[:, -1]
    out[-1] = abs(k) * v[1, 0]

    def weighted(a):
        return (a * np.arange(1, a.shape[1] + 1)).sum()
    return [out, np.array([weighted(m), weighted(m.T), weighted(m[h // 2:, w // 2:]), weighted(v[1])]), m[h // 2, w // 2]]


def power_sum(a):
    n = len(a)
    out = a + a ** 2 + a ** 3
    return [out, np.array([out.sum(), 3 * n, (a ** 3).sum(), n * 100 + 30 + 3])]


def members(v, line):
    d, h, w = v.shape
    n = len(line)
    return [np.array([w, h, d, d, v.size, w + h + d, v.size, 1, 1, h * 100 + d, n, n]), v, line[::-1]]


def mat_vec(a, x):
    m = a.copy()
    m[:, -1] *= 10
    return [a @ x, m[:, -1], m]


def torture(a):
    n = len(a)
    misc = [np.argmin(a), a[a > 0].sum(), 13, 4 + .5 + 1e-3 + 250, 1 + 8 + 18 + 31, 2 + 4 * 100]
    return [2 * a[::-1], np.array(misc)] if n else [a, a]


def lambdas(a):
    b = 2 * (a + 64 * a)
    return [b + 1, max(b.sum(), a.sum()) + 2.5 + 2 + 2]


def scopes(a):
    return [(a + 2) + a + (1 + 2) + 1 + 0.5]


def palindromes(a):
    n = len(a)
    b = np.zeros((n, n))
    for y in range(n):
        for x in range(n):
            b[y, x] = a[x] + a[y - x] if x <= y else (a[0] if x % 2 else 0)
    return [b]


def permute(p, a, m):
    p = p.astype(int)
    q = np.argsort(p)
    pm = np.zeros_like(m)
    pm[q] = m[:, p]
    seen, cycles = set(), 0
    for i in range(len(p)):
        cycles += i not in seen
        while i not in seen:
            seen.add(i)
            i = p[i]
    return [q, a[p], pm, cycles]


def permutation(n, r):
    return [r.permutation(n).astype(float), vec(n, r), mat(n, n, r)]


def all_calls(a, k):
    factorial = float(np.prod(np.arange(1, int(k) + 1)))
    return [a, factorial, max(k, factorial)]


def handles(a):
    b = np.where(a < 0, np.cumsum(a[::-1])[::-1], a)
    b[len(a) // 2:] += 1
    b[0] += 1
    b[1:2] += 2
    return [b]


def user_types(x, v):
    return [v[np.argsort(x)], (v + 0.5).sum()]


ONE_OF_EACH = [1, 2, 23, 5, -1, 11, 22, 33, 44, 39, 270, 9, 3, 5, 1, 8, 7.5, 2, 8, 3, 5, 5, 6.5, 125, 0, 13, 0, 0]


def totals(a):
    n = len(a)
    return [np.array([a.sum(), a[:n // 2].sum(), a[n // 2:].sum(), a[0], a.sum() if n % 2 == 0 else -a.sum()])]


def deduced(a):
    i = np.arange(len(a))

    def powers(r):
        sums = a ** r
        return np.where(sums < 1, sums, 1 / sums)
    return [powers(2), np.array([1, 2, 4])[i % 3] * a + i // 2 * 1.5, powers(3)]


def columns(a, k):
    h, w = a.shape
    d, c = np.zeros((2, h, w))
    c[0] = -0.25
    d[0] = a[0] / 4
    for i in range(1, h):
        m = 1 / (4 + c[i - 1])
        c[i] = -m
        d[i] = np.where(a[i] > k, (a[i] + d[i - 1]) * m, m)
    for i in range(h - 2, -1, -1):
        d[i] -= c[i] * d[i + 1]
    t = np.ones((h, h, w))
    for i in range(h - 1):
        t[i + 1] = t[i] * a + a[:, :1]
    if h > 2:
        t[1] = np.arange(h)[:, None]
    return [d, c, d[-1] + np.arange(w), t, c.sum(axis=0)]


def wrapped(value, bits):
    """The value as a signed integer of so many bits."""
    return (value + (1 << (bits - 1))) % (1 << bits) - (1 << (bits - 1))


def toward_zero(a, b):
    return abs(a) // b * (-1 if a < 0 else 1)


def unsigned_cell(i, p):
    mask = (1 << 32) - 1
    hashed = 2166136261
    for k in range(4):
        hashed = (hashed ^ (p + k)) * 16777619 & mask
    is_between = (i - 5) & mask < 3
    return (hashed % 1000 + (hashed >> 28) + (p - 70000 & mask) // 2 + (0.5 if is_between else 0) +
            (0xFFFFFFFFF - hashed) % 8191 + ((hashed * hashed & ((1 << 64) - 1)) >> 40))


def signed_cell(i, s, l):
    x = wrapped(s * 300, 16)
    w = l * 3000000000 - x
    fifth = toward_zero(w, 5)
    either = wrapped((x if i % 2 == 0 else s) + 30000, 16)
    least = wrapped(min(x, s) - 32000, 16)
    return toward_zero(x, 7) + (x >> 2) + fifth - (w - 5 * fifth) + either + toward_zero(-either, 3) + least


def deduced_integers(p, s, l):
    each = [[int(v) for v in list_] for list_ in (p, s, l)]
    return [np.array([unsigned_cell(i, v) for i, v in enumerate(each[0])], dtype=float),
            np.array([signed_cell(i, *v) for i, v in enumerate(zip(*each[1:]))], dtype=float)]


def short_and_long(n, rng):
    return [ints(n, 0, 65536, rng), ints(n, -32768, 32768, rng), ints(n, -900000, 900000, rng)]


def range_loops(a, p):
    h, w = a.shape
    faded = np.zeros((h - 2, w - 2))
    for y, x in np.ndindex(faded.shape):
        for v in a[y:y + 3, x:x + 3].ravel():
            faded[y, x] = 0.5 * faded[y, x] + v
    most = [max([row[0]] + [(p * v).max() for v in row if v >= 0]) for row in a]
    large = np.flatnonzero(a.ravel() > 1)
    # The elements of the temporary are its indices in order, dimension 0 fastest: 1 + 2*2 + 6, 0 + 2*1 + 0, 1 + 0 + 6.
    counted = [11 + 10 * 2 + 100 * 7, large[0] if len(large) else a.size, 6, 2 * (a[1].sum() + p.sum())]
    tied = []
    for x in range(w):
        above = np.flatnonzero(a[:, x] > p[x])
        tied.append(above[0] + 1 if len(above) else h)
    return [faded, a * p + 1, np.array(most), np.array(counted), np.array(tied, dtype=float)]


def special(a):
    def each(function):
        return np.array([function(v) for v in a])

    def selected(v):
        return sum(math.copysign(b, v) + round(4 * v) if b > v
                   else max(v - b, 0) + round(3 * v) + math.remainder(7 * v, 2.0) + math.erf(v) for b in a[:3])

    def summed(v, p):
        return (math.copysign(1, v) * abs(p) + round(4 * v) + max(v - abs(v * p), 0) + round(3 * abs(v * p)) +
                math.remainder(7 * abs(v * p), 2.0) + math.erf(v) + math.erfc(abs(v * p)) + math.expm1(v) +
                math.log1p(abs(v * p)) + math.asinh(v) + math.acosh(1 + abs(v * p)) + math.atanh(abs(v * p) / (1 + abs(v * p))))

    def picked(v):
        if v > 0:
            return -math.erf(v) + max(v - 0.5, 0) + math.log1p(v) + math.gamma(1 + v) + math.acosh(1 + v)
        return (math.remainder(5 * v, 3.0) + round(2 * v) + round(4 * v) + math.erfc(v) + math.expm1(v) + math.asinh(v) +
                math.atanh(v / (1 - v)) + math.lgamma(1 - v))
    smooth = (each(math.erf) + each(lambda v: math.erfc(v / 2)) + np.expm1(a) - np.log1p(abs(a)) + np.arcsinh(a) +
              np.arccosh(1 + abs(a)) + np.arctanh(a / (2 * abs(a) + 1)))
    gammas = each(lambda v: math.lgamma(1 + abs(v)) + math.gamma(1 + abs(v)))
    return [smooth, each(selected), each(lambda v: sum(summed(v, p) for p in a)), each(picked), gammas, np.where(a > 0, math.pi + math.sqrt(2), -2.0 ** -52 * (2 ** 31 - 1))]


def guarded_division(a, b, d):
    """Quotients and remainders of C, where there are any."""
    d = int(np.asarray(d))
    outputs = [[], [], [], [], []]
    for x, y in zip(a.tolist(), b.tolist()):
        quotient = lambda by: int(math.copysign(abs(x) // abs(by), x * by)) if by else None  # noqa: E731
        divides = y not in (0, -1)
        outputs[0].append(quotient(y) if divides else 0)
        outputs[1].append(x - quotient(y) * y if divides else 7)
        outputs[2].append(int((y > 0 and x - quotient(y) * y == 1) or (y < -1 and quotient(y) > 2)))
        outputs[3].append((quotient(d) if x > 0 else 1) if d else (2 if x < 5 else x))
        outputs[4].append(a[y] if 0 <= y < len(a) else -1)
    return [np.array(output) for output in outputs]


def limits(n, rng):
    values = np.array([0, 1, -1, 2, -2, 3, 7, -2147483648, 2147483647, 100], np.int32)
    return [rng.choice(values, n), rng.choice(values, n), np.int32(n % 3)]


CASES = {
    "guarded_division": Case(guarded_division, limits, tolerance=0),
    "special_functions": Case(special, lambda n, r: [vec(n, r)]),
    "auto_integers": Case(deduced_integers, short_and_long, sizes=(1, 2, 3, 33, 101)),
    "auto_locals": Case(deduced, lambda n, r: [vec(n, r)], sizes=(1, 2, 3, 33, 101)),
    "outputs_by_reference": Case(totals, lambda n, r: [vec(n, r)], sizes=(1, 2, 17, 64)),
    "statements": Case(lambda a: [np.array(ONE_OF_EACH)], lambda n, r: [vec(n, r)], sizes=(0, 1, 70)),
    "handles_in_containers": Case(handles, lambda n, r: [vec(n, r)]),
    "columns_at_once": Case(columns, lambda n, r: [mat(n, n // 3 + 1, r), vec((), r)], sizes=(1, 2, 3, 15, 47, 101)),
    "user_types": Case(user_types, lambda n, r: [vec(n, r), vec(n, r)]),
    "views_of_inputs": Case(lambda a: [3 * a + len(a) + 1], lambda n, r: [vec(n, r)], sizes=(0, 1, 2, 17, 64)),
    "return_form_calls": Case(all_calls, lambda n, r: [mat(n, n + 1, r), np.float64(n % 10)]),
    "fibonacci": Case(fibonacci, lambda n, r: [np.float64(n)], sizes=(0, 1, 2, 5, 11)),
    "legacy_calls": Case(lambda a: [-a, -a.sum()], lambda n, r: [mat(n, n + 1, r)], sizes=(1, 2, 3, 17, 64)),
    "spawn_tree": Case(lambda a: [a.sum()], lambda n, r: [vec(n, r)], sizes=(0, 1, 2, 63, 64, 500)),
    "implicit_sync": Case(halves, lambda n, r: [vec((), r), vec(n, r)], sizes=(0, 1, 2, 65, 128)),
    "argument_kinds": Case(mixed, lambda n, r: [mat(n + 1, n, r), r.normal(size=(2, n, n + 1)), vec((), r)],
                           sizes=(1, 2, 3, 20, 65)),
    "local_matrices": Case(power_sum, lambda n, r: [vec(n, r)], sizes=(1, 2, 3, 40, 101)),
    "api_members": Case(members, lambda n, r: [r.normal(size=(2, n, n + 2)), vec(n, r)], sizes=(1, 2, 3, 16, 33)),
    "c_arrays": Case(mat_vec, lambda n, r: [mat(n + 1, n, r), vec(n + 1, r)], sizes=(1, 2, 3, 16, 65)),
    "cplusplus": Case(torture, lambda n, r: [vec(n, r)], sizes=(1, 2, 3, 16, 65)),
    "lambdas": Case(lambdas, lambda n, r: [vec(n, r)], sizes=(0, 1, 2, 33, 130)),
    "scopes_across_calls": Case(scopes, lambda n, r: [vec(n, r)], sizes=(0, 1, 2, 16, 65)),
    "using_temporaries": Case(palindromes, lambda n, r: [vec(n, r)], sizes=(0, 1, 2, 16, 65)),
    "duplicate_grid": Case(lambda a, x: [a @ x], lambda n, r: [mat(n + 1, n, r), vec(n + 1, r)], sizes=(1, 2, 3, 16, 65)),
    "labels": Case(lambda a: [np.cumsum(a)], lambda n, r: [vec(n, r)], sizes=(0, 1, 2, 63, 150)),
    "debug_printf": Case(lambda a: [np.maximum(a, 0), 1], lambda n, r: [vec(n, r)]),
    "matrices_as_indices": Case(permute, permutation, sizes=(1, 2, 3, 16, 65)),
    "matrix_io": Case(lambda k: [np.array([1, 2, 5, 10])[np.abs(k).astype(int) % 4]], lambda n, r: [ints(n, -9, 9, r)]),
    "region_copy": Case(lambda a: [a[::-1, ::-1]], lambda n, r: [mat(n + 1, n, r)], sizes=(1, 2, 3, 16, 65)),
    "range_loops": Case(range_loops, lambda n, r: [mat(n + 2, n + 3, r), vec(n + 2, r)], sizes=(1, 2, 3, 17, 64)),
    "random_numbers": Case(lambda a: [0, np.array([1, 1])], lambda n, r: [vec(n, r)], sizes=(1, 2, 3, 17, 200)),
    "ends_by_contents": Case(lambda a: [np.sort(a), np.array([3.0 * len(a)])], lambda n, r: [ints(n, -9, 9, r)], sizes=(1, 2, 7, 100)),
    "letters_of_utf8": Case(lambda a: [2 * a + 4], lambda n, r: [vec(n, r)], sizes=(0, 1, 2, 33, 100)),
}
