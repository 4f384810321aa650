# SPDX-License-Identifier: MIT
"""Simulations and pictures of simulated things."""

import numpy as np

from case import Case

SIZES = (0, 1, 2, 3, 7, 16, 23)
CX = np.array([0, 1, 0, -1, 0, 1, -1, -1, 1])
CY = np.array([0, 0, 1, 0, -1, 1, 1, -1, -1])
WEIGHT = np.array([4 / 9] + [1 / 9] * 4 + [1 / 36] * 4)
BACK = [0, 3, 4, 1, 2, 7, 8, 5, 6]


def shape(n):
    return (n + 1 if n else 0), n


def rest_of(rho, u, v):
    cu = 3 * (CX[:, None, None] * u + CY[:, None, None] * v)
    return WEIGHT[:, None, None] * rho * (1 + cu + cu * cu / 2 - 1.5 * (u * u + v * v))


def moments(f):
    rho = f.sum(axis=0)
    return rho, (CX[:, None, None] * f).sum(axis=0) / rho, (CY[:, None, None] * f).sum(axis=0) / rho


def lattice(t, density, u, v, omega):
    f = rest_of(density, u, v)
    h, w = density.shape
    for _ in range(t):
        c = f + omega * (rest_of(*moments(f)) - f)
        for q in range(9):
            f[q] = c[BACK[q]]
            ys, xs = slice(max(0, CY[q]), h + min(0, CY[q])), slice(max(0, CX[q]), w + min(0, CX[q]))
            yf, xf = slice(max(0, -CY[q]), h - max(0, CY[q])), slice(max(0, -CX[q]), w - max(0, CX[q]))
            f[q, ys, xs] = c[q, yf, xf]
    return list(moments(f))


def wave(t, start, speed):
    steps = [start, start]
    for _ in range(2, t + 1):
        u, before, new = steps[-1], steps[-2], np.zeros_like(start)
        laplace = u[1:-1, :-2] + u[1:-1, 2:] + u[:-2, 1:-1] + u[2:, 1:-1] - 4 * u[1:-1, 1:-1]
        new[1:-1, 1:-1] = (2 * u[1:-1, 1:-1] - 0.99 * before[1:-1, 1:-1] + 0.25 * speed[1:-1, 1:-1] ** 2 * laplace) / 1.01
        steps.append(new)
    return [steps[t], np.array([((b - a) ** 2).sum() for a, b in zip(steps[:t], steps[1:t + 1])])]


def particles(p, v, mass, reach, dt):
    d = p[:, None] - p[None]
    r2 = (d * d).sum(axis=2)
    q = np.maximum(0, 1 - r2 / reach ** 2)
    rho = (mass[None] * q ** 3).sum(axis=1)
    a = np.zeros_like(p)
    for i in range(len(p)):
        a[i] = [0, -9.81]
        for j in range(len(p)):
            if i != j and 0 < r2[i, j] < reach ** 2:
                r = np.sqrt(r2[i, j])
                a[i] += mass[j] * (rho[i] + rho[j]) / (2 * rho[i] * rho[j]) * (1 - r / reach) ** 2 / r * d[i, j]
    v = v + dt * a
    p = p + dt * v
    v = np.where((p < 0) | (p > 1), -0.5 * v, v)
    return [np.where(p < 0, -p, np.where(p > 1, 2 - p, p)), v]


def spheres(w, h, balls, light):
    f = np.float32
    unit = (light / f(np.sqrt((light * light).sum(dtype=f)))).astype(f)
    depth, hit, shade = np.full((h, w), np.inf, f), np.full((h, w), -1), np.zeros((h, w), f)
    for y in range(h):
        for x in range(w):
            px, py = f(x + 0.5) / f(w), f(y + 0.5) / f(h)
            for k, (bx, by, bz, r) in enumerate(balls):
                rest = r * r - (px - bx) ** 2 - (py - by) ** 2
                if rest > 0 and bz - np.sqrt(rest) < depth[y, x]:
                    depth[y, x], hit[y, x] = bz - np.sqrt(rest), k
            if hit[y, x] >= 0:
                bx, by, bz, r = balls[hit[y, x]]
                normal = np.array([px - bx, py - by, depth[y, x] - bz]) / r
                shade[y, x] = max(0.1, -(normal * unit).sum())
    return [depth, shade, hit]


def noise(n, seed):
    i, j = np.arange(n + 2, dtype=np.uint64)[None], np.arange(n + 2, dtype=np.uint64)[:, None]
    mask = np.uint64(0xffffffff)
    k = (i * np.uint64(374761393) + j * np.uint64(668265263) + np.uint64(seed * 2246822519 % 2 ** 32)) & mask
    k = ((k ^ (k >> np.uint64(13))) * np.uint64(1274126177)) & mask
    k ^= k >> np.uint64(16)
    lattice_values = (k & np.uint64(0xffff)).astype(float) / 65535
    y, x = np.mgrid[0:n, 0:n]
    total = np.zeros((n, n))
    for octave in range(3):
        u, v = x / (8 / 2 ** octave), y / (8 / 2 ** octave)
        i, j = np.floor(u).astype(int), np.floor(v).astype(int)
        a, b = u - i, v - j
        a, b = a * a * (3 - 2 * a), b * b * (3 - 2 * b)
        g = lattice_values
        top = g[j, i] + a * (g[j, i + 1] - g[j, i])
        low = g[j + 1, i] + a * (g[j + 1, i + 1] - g[j + 1, i])
        total += 0.5 / 2 ** octave * (top + b * (low - top))
    return [total]


def react(t, feed, kill, u, v):
    def laplace(a):
        return sum(np.roll(a, k, axis) for axis in (0, 1) for k in (-1, 1)) - 4 * a
    for _ in range(t):
        r = u * v * v
        u, v = u + 0.16 * laplace(u) - r + feed * (1 - u), v + 0.08 * laplace(v) + r - (feed + kill) * v
    return [u, v]


def life(t, g):
    g = g.astype(int)
    counts = [g.sum()]
    for _ in range(t):
        around = sum(np.roll(g, (j, i), (0, 1)) for j in (-1, 0, 1) for i in (-1, 0, 1)) - g
        g = ((around == 3) | ((g == 1) & (around == 2))).astype(int)
        counts.append(g.sum())
    return [g, np.array(counts)]


CASES = {
    "reaction_diffusion": Case(react, lambda n, rng: [np.array(0.035), np.array(0.065), rng.random(shape(n)), rng.random(shape(n))],
                               lambda n: {"t": n % 4}, sizes=SIZES),
    "life_torus": Case(life, lambda n, rng: [rng.integers(0, 2, shape(n)).astype(np.uint8)], lambda n: {"t": n % 5}, sizes=SIZES),
    "lattice_boltzmann": Case(lattice, lambda n, rng: [1 + 0.1 * rng.random(shape(n)), 0.05 * rng.normal(size=shape(n)),
                                                       0.05 * rng.normal(size=shape(n)), np.array(1.2)],
                              lambda n: {"t": 1 + n % 4}, sizes=SIZES),
    "wave": Case(wave, lambda n, rng: [rng.normal(size=shape(n)), rng.random(shape(n))], lambda n: {"t": 1 + n % 5}, sizes=SIZES),
    "smoothed_particles": Case(particles, lambda n, rng: [rng.random((n, 2)), rng.normal(size=(n, 2)), 0.5 + rng.random(n), np.array(0.4),
                                                          np.array(0.01)], sizes=SIZES),
    "spheres": Case(lambda w, h, *inputs: spheres(w, h, *inputs),
                    lambda n, rng: [rng.random((5, 4)).astype(np.float32) * np.float32([1, 1, 1, 0.4]) + np.float32([0, 0, 1, 0.1]),
                                    np.float32([1, -2, 3])],
                    lambda n: {"w": n, "h": n + 2}, sizes=SIZES, tolerance=1e-4),
    "noise": Case(noise, params=lambda n: {"n": n, "seed": 7 + n}, sizes=SIZES),
}
