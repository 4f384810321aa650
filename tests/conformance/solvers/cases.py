# SPDX-License-Identifier: MIT
"""Systems of equations and fits."""

import numpy as np

from case import Case

SIZES = (0, 1, 2, 3, 7, 16, 31)


def tridiagonal(below, main, above, right):
    n = len(main)
    a = np.diag(main)
    for i in range(1, n):
        a[i, i - 1], a[i - 1, i] = below[i], above[i - 1]
    return [np.linalg.solve(a, right) if n else right, 0.0]


def diagonals(n, rng):
    below, above = rng.normal(size=n), rng.normal(size=n)
    if n:
        below[0] = above[-1] = 0
    return [below, np.abs(below) + np.abs(above) + 1, above, rng.normal(size=n)]


def givens(a):
    r = a.copy()
    m, n = r.shape
    for k in range(min(n, m - 1)):
        for i in range(m - 1, k, -1):
            length = np.hypot(r[i - 1, k], r[i, k])
            if length:
                c, s = r[i - 1, k] / length, r[i, k] / length
                r[i - 1, k:], r[i, k:] = c * r[i - 1, k:] + s * r[i, k:], c * r[i, k:] - s * r[i - 1, k:]
                r[i, k] = 0
    return [r]


def fit(rounds, x, y, guess):
    p, squares = guess, []
    for k in range(rounds + 1):
        e = np.exp(p[1] * x)
        left = y - p[0] * e
        squares.append((left ** 2).sum())
        if k < rounds:
            j = np.array([e, p[0] * x * e])
            p = p + 0.5 * np.linalg.solve(j @ j.T + 1e-9 * np.eye(2), j @ left)
    return [p, np.array(squares)]


def relax(sweeps, f, start, weight):
    u = start.copy()
    h, w = u.shape
    y, x = np.mgrid[0:h, 0:w]
    for k in range(1, 2 * sweeps + 1):
        new = u.copy()
        mean = (u[1:-1, :-2] + u[1:-1, 2:] + u[:-2, 1:-1] + u[2:, 1:-1] - f[1:-1, 1:-1]) / 4
        moved = u[1:-1, 1:-1] + weight * (mean - u[1:-1, 1:-1])
        new[1:-1, 1:-1] = np.where((x + y + k)[1:-1, 1:-1] % 2 == 0, u[1:-1, 1:-1], moved)
        u = new
    rest = np.zeros_like(u)
    rest[1:-1, 1:-1] = f[1:-1, 1:-1] - (u[1:-1, :-2] + u[1:-1, 2:] + u[:-2, 1:-1] + u[2:, 1:-1] - 4 * u[1:-1, 1:-1])
    return [u, rest]


def curve(n, rng):
    x = np.linspace(0, 1, n)
    return [x, 2 * np.exp(-0.7 * x) + 0.01 * rng.normal(size=n), np.array([1.5, -0.3])]


CASES = {
    "tridiagonal": Case(tridiagonal, diagonals, sizes=SIZES, tolerance=1e-8),
    "givens": Case(givens, lambda n, rng: [rng.normal(size=(n, max(0, n - n % 3)))], sizes=(0, 1, 2, 3, 7, 16)),
    "gauss_newton": Case(fit, curve, lambda n: {"rounds": 1 + n % 4}, sizes=(2, 3, 7, 16, 31), tolerance=1e-6),
    "successive_over_relaxation": Case(relax, lambda n, rng: [rng.normal(size=(n + 1, n)), rng.normal(size=(n + 1, n)), np.array(1.5)],
                                       lambda n: {"sweeps": n % 4}, sizes=SIZES),
}
