# SPDX-License-Identifier: MIT
"""Grids: heat, life, relaxation, multigrid, wavefronts."""

import numpy as np

from case import Case, mat, vec


def heat(u, steps, rate):
    u = u.copy()
    inside = (slice(1, -1),) * u.ndim
    for _ in range(steps):
        change = np.zeros_like(u[inside])
        for axis in range(u.ndim):
            for shift in (slice(0, -2), slice(2, None)):
                neighbour = list(inside)
                neighbour[axis] = shift
                change += u[tuple(neighbour)] - u[inside]
        if change.size:
            u[inside] += rate * change
    return [u]


def life(a):
    for _ in range(4):
        count = sum(np.roll(a, (j, i), (0, 1)) for j in (-1, 0, 1) for i in (-1, 0, 1)) - a
        a = ((count == 3) | (count == 2) & (a == 1)).astype(float)
    return [a]


def red_black(f):
    u = np.zeros_like(f)
    h, w = f.shape
    for _ in range(4):
        for colour in (0, 1):
            for y in range(1, h - 1):
                for x in range(1, w - 1):
                    if (x + y + colour) % 2 == 0:
                        total = u[y, x - 1] + u[y, x + 1] + u[y - 1, x] + u[y + 1, x] + f[y, x]
                        u[y, x] += 1.25 * 0.25 * (total - 4 * u[y, x])
    return [u]


def poisson(f):
    """Solves the discrete Poisson equation with zero borders."""
    inner = tuple(s - 2 for s in f.shape)
    u = np.zeros_like(f)
    if min(inner) < 1:
        return [u]
    size = int(np.prod(inner))
    second = 2 * np.eye(inner[0]) - np.eye(inner[0], k=1) - np.eye(inner[0], k=-1)
    matrix = second
    for _ in inner[1:]:
        matrix = np.kron(matrix, np.eye(inner[0])) + np.kron(np.eye(len(matrix)), second)
    inside = (slice(1, -1),) * f.ndim
    if f.ndim == 3:
        matrix = matrix + np.eye(size)
    u[inside] = np.linalg.solve(matrix, f[inside].ravel()).reshape(inner)
    return [u]


def gauss_seidel(a):
    a = a.copy()
    for y in range(1, a.shape[0] - 1):
        for x in range(1, a.shape[1] - 1):
            a[y, x] = (a[y, x - 1] + a[y - 1, x] + a[y, x + 1] + a[y + 1, x]) / 4
    return [a]


def wave(a):
    b = a.copy()
    for y in range(1, a.shape[0]):
        for x in range(1, a.shape[1] - 1):
            b[y, x] = (b[y, x - 1] + b[y - 1, x + 1]) / 2 + a[y, x]
    return [b]


def leapfrog(e):
    e, h = e.copy(), np.zeros(len(e))
    for _ in range(8):
        h[:-1] += 0.5 * (e[1:] - e[:-1])
        e[1:] += 0.5 * (h[1:] - h[:-1])
    return [e + 10 * h]


def rect(n, r):
    return [mat(n, n + 3, r)]


POWERS = (1, 3, 5, 9, 17, 33)

def hotspot(steps, t, p):
    for _ in range(steps):
        e = np.pad(t, 1, mode="edge")
        t = t + 0.5 * (p + (e[:-2, 1:-1] + e[2:, 1:-1] - 2 * t) * 0.1 + (e[1:-1, :-2] + e[1:-1, 2:] - 2 * t) * 0.2 + (80 - t) * 0.05)
    return [t]


CASES = {
    "heat_1d": Case(lambda u: heat(u, 10, 0.2), lambda n, r: [vec(n, r)], sizes=(1, 2, 3, 33, 130)),
    "heat_2d": Case(lambda u: heat(u, 6, 0.1), rect, sizes=(1, 2, 3, 16, 33)),
    "heat_3d": Case(lambda u: heat(u, 2, 0.05), lambda n, r: [r.normal(size=(n, n + 1, n + 2))], sizes=(1, 2, 3, 9, 16)),
    "life": Case(life, lambda n, r: [(mat(n, n + 2, r) > 0.3).astype(float)], sizes=(3, 4, 5, 16, 33)),
    "red_black": Case(red_black, rect, sizes=(1, 2, 3, 16, 31)),
    "poisson_multigrid_1d": Case(poisson, lambda n, r: [vec(n, r)], sizes=POWERS, tolerance=1e-8),
    "poisson_multigrid_2d": Case(poisson, lambda n, r: [mat(n, n, r)], sizes=(1, 3, 5, 9, 17), tolerance=1e-8),
    "poisson_3d": Case(poisson, lambda n, r: [r.normal(size=(n, n, n))], sizes=(2, 3, 4, 7, 9), tolerance=1e-8),
    "gauss_seidel_rules": Case(gauss_seidel, rect, sizes=(2, 3, 4, 16, 33)),
    "wavefront_antidiagonal": Case(wave, rect, sizes=(2, 3, 4, 16, 33)),
    "leapfrog": Case(leapfrog, lambda n, r: [vec(n, r)]),
    "hotspot": Case(hotspot, lambda n, r: [70 + mat(n, n + 3, r), mat(n, n + 3, r)], params=lambda n: {"steps": n % 4},
                    sizes=(1, 2, 3, 17, 30)),
}
