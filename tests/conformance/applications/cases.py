# SPDX-License-Identifier: MIT
"""Whole applications of other kinds: clustering, statistics, physics, graphs, text, images."""

import numpy as np

from case import Case, ints, mat, vec


def kmeans(points, k):
    x, count = points, len(k)
    n = x.shape[1]
    centres = np.array([x[:, j * n // count] for j in range(count)])

    def assign():
        return np.argmin(((x.T[:, None] - centres[None]) ** 2).sum(axis=2), axis=1)
    for _ in range(6):
        cluster = assign()
        for j in range(count):
            if (cluster == j).any():
                centres[j] = x[:, cluster == j].mean(axis=1)
    return [centres.T, assign()]


def nearest(points, centres):
    if len(centres) == 0:
        return np.full(len(points), -1, np.int32)
    return ((points[:, None] - centres[None]) ** 2).sum(axis=2).argmin(axis=1).astype(np.int32)


def nearest_rows(p, c, w):
    n, d = p.shape
    whole, part = nearest(p, c), nearest(p[:, d // 3:], c[:, d // 3:])
    turned = nearest(p.T, p.T[d // 2:])
    scores = (p * w[:, ::-1]).sum(axis=1) * (1 + 1 / 2 + 1 / 3), 3 * p.sum(axis=1) - 3.0 * d * d
    return [whole, part, turned, np.array(scores, np.float32)]


def nearest_rows_inputs(n, rng):
    count, d = 2 * n + 1 if n != 1 else 0, n
    return [ints((count, d), -9, 9, rng), rng.normal(size=(n % 5, d)), rng.integers(-9, 9, (count, d))]


def regress(x, y, at, bandwidth):
    u = (at[:, None] - x[None]) / bandwidth
    k = np.where(np.abs(u) < 1, 0.75 * (1 - u * u), 0)
    weight = k.sum(axis=1)
    return [np.where(weight > 0, (k @ y) / np.where(weight > 0, weight, 1), 0), weight]


def nbody(p, v, m):
    for _ in range(2):
        d = p[None] - p[:, None]
        r2 = (d * d).sum(axis=2) + 0.01
        v = v + 0.01 * (m[None, :, None] * d / r2[:, :, None] ** 1.5).sum(axis=1)
        p = p + 0.01 * v
    return [p, v]


def mandelbrot(x0, y0, step, shape):
    h, w = shape.shape
    out = np.zeros((h, w))
    for y in range(h):
        for x in range(w):
            c, z, k = complex(x0 + x * step, y0 + y * step), 0, 0
            while k < 50 and z.real * z.real + z.imag * z.imag <= 4:
                z, k = complex(z.real * z.real - z.imag * z.imag + c.real, 2 * z.real * z.imag + c.imag), k + 1
            out[y, x] = k
    return [out]


def gray_scott(u, v):
    for _ in range(2):
        def laplace(a):
            return a[1:-1, :-2] + a[1:-1, 2:] + a[:-2, 1:-1] + a[2:, 1:-1] - 4 * a[1:-1, 1:-1]
        inside = (slice(1, -1), slice(1, -1))
        nu, nv = u.copy(), v.copy()
        r = u[inside] * v[inside] ** 2
        nu[inside] += 0.16 * laplace(u) - r + 0.035 * (1 - u[inside])
        nv[inside] += 0.08 * laplace(v) + r - 0.1 * v[inside]
        u, v = nu, nv
    return [u, v]


def area(lo, hi):
    def integral(x):
        return x ** 4 / 4 - x ** 2 - np.exp(-x)
    return [integral(hi) - integral(lo)]


def distances(a, start):
    n = len(a)
    dist = np.full(n, -1.0)
    frontier, level = {int(start)}, 0
    while frontier:
        for v in frontier:
            dist[v] = level
        frontier = {w for v in frontier for w in range(n) if a[v, w] > 0 and dist[w] < 0}
        level += 1
    return [dist]


def sparse_inputs(n, r):
    dense = np.where(r.random((n, n + 2)) < 0.3, r.normal(size=(n, n + 2)), 0)
    rows, columns = np.nonzero(dense)
    pointer = np.searchsorted(rows, np.arange(n + 1)).astype(float)
    return [pointer, columns.astype(float), dense[rows, columns], vec(n + 2, r)]


def sparse(pointer, column, value, x):
    y = np.zeros(len(pointer) - 1)
    for row in range(len(y)):
        for e in range(int(pointer[row]), int(pointer[row + 1])):
            y[row] += value[e] * x[int(column[e])]
    return [y]


def find(text, pattern):
    m = len(pattern)
    return [np.array([np.array_equal(text[i:i + m], pattern) for i in range(len(text) - m + 1)], dtype=float)]


def interpolate(x, y, at):
    return [np.array([sum(y[i] * np.prod([(t - x[m]) / (x[i] - x[m]) for m in range(len(x)) if m != i])
                          for i in range(len(x))) for t in at])]


def runge_kutta(a, y, h):
    for _ in range(5):
        k1 = a @ y
        k2 = a @ (y + h / 2 * k1)
        k3 = a @ (y + h / 2 * k2)
        k4 = a @ (y + h * k3)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return [y]


def edges(image, threshold):
    smooth, gx, gy = image.copy(), np.zeros_like(image), np.zeros_like(image)
    h, w = image.shape
    for y in range(1, h - 1):
        for x in range(1, w - 1):
            smooth[y, x] = (image[y - 1:y + 2, x - 1:x + 2] * np.outer([1, 2, 1], [1, 2, 1])).sum() / 16
    gx[:, 1:-1] = (smooth[:, 2:] - smooth[:, :-2]) / 2
    gy[1:-1] = (smooth[2:] - smooth[:-2]) / 2
    magnitude = np.hypot(gx, gy)
    return [np.where(magnitude > threshold, 1, np.where(magnitude > threshold / 2, 0.5, 0)), magnitude.max()]


def hidden_markov(p, e, start):
    t, s = e.shape
    alpha, scale, best, pointer = np.zeros((t, s)), np.zeros(t), np.zeros((t, s)), np.zeros((t, s), int)
    for k in range(t):
        raw = (alpha[k - 1] @ p if k else start) * e[k]
        scale[k] = raw.sum()
        alpha[k] = raw / scale[k]
        ways = best[k - 1][:, None] + np.log(p)
        pointer[k] = ways.argmax(axis=0)
        best[k] = (ways.max(axis=0) if k else np.log(start)) + np.log(e[k])
    beta = np.ones((t, s))
    for k in reversed(range(t - 1)):
        beta[k] = p @ (e[k + 1] * beta[k + 1]) / scale[k + 1]
    way = [best[-1].argmax()]
    for k in range(t - 1, 0, -1):
        way.append(pointer[k][way[-1]])
    return [alpha, beta, np.log(scale).sum(), np.array(way[::-1])]


def markov_inputs(n, r):
    s = 1 + n % 4
    p, start = r.uniform(0.1, 1, (s, s)), r.uniform(0.1, 1, s)
    return [p / p.sum(axis=1)[:, None], r.uniform(0.1, 1, (n, s)), start / start.sum()]


def deriche(image):
    alpha = 0.25
    k = (1 - np.exp(-alpha)) ** 2 / (1 + 2 * alpha * np.exp(-alpha) - np.exp(2 * alpha))
    a1, a2, a3 = k, k * np.exp(-alpha) * (alpha - 1), k * np.exp(-alpha) * (alpha + 1)
    a4, b1, b2 = -k * np.exp(-2 * alpha), 2 ** -alpha, -np.exp(-2 * alpha)

    def along_last(v):
        w = v.shape[1]
        ahead, back = np.zeros((v.shape[0], w + 2)), np.zeros((v.shape[0], w + 2))
        left, right = np.pad(v, ((0, 0), (1, 0))), np.pad(v, ((0, 0), (0, 2)))
        for x in range(w):
            ahead[:, x + 2] = a1 * v[:, x] + a2 * left[:, x] + b1 * ahead[:, x + 1] + b2 * ahead[:, x]
        for x in reversed(range(w)):
            back[:, x] = a3 * right[:, x + 1] + a4 * right[:, x + 2] + b1 * back[:, x + 1] + b2 * back[:, x + 2]
        return ahead[:, 2:] + back[:, :w]
    return [along_last(along_last(image).T).T]


CASES = {
    "kmeans": Case(kmeans, lambda n, r: [r.normal(size=(2, 3 * n)) + ints(3 * n, 0, 3, r) * 4, np.zeros(3)],
                   sizes=(1, 2, 3, 17, 64)),
    "nearest_rows": Case(nearest_rows, nearest_rows_inputs, sizes=(0, 1, 2, 7, 16, 31, 63, 64, 65), tolerance=1e-5),
    "kernel_regression": Case(regress, lambda n, r: [vec(n, r), vec(n, r), vec(n + 2, r), np.float64(0.7)],
                              sizes=(1, 2, 3, 64, 129)),
    "histogram": Case(lambda d, b: [np.bincount((d * len(b)).astype(int), minlength=len(b))],
                      lambda n, r: [r.random(n), np.zeros(n // 4 + 1)], sizes=(0, 1, 2, 65, 200)),
    "nbody": Case(nbody, lambda n, r: [mat(3, n, r), mat(3, n, r), r.random(n)], sizes=(1, 2, 3, 17, 50)),
    "mandelbrot": Case(mandelbrot, lambda n, r: [np.float64(-2), np.float64(-1), np.float64(2.5 / n), mat(n, n, r)],
                       sizes=(1, 2, 3, 17, 40), options=("--fp=strict",)),
    "gray_scott": Case(gray_scott, lambda n, r: [r.random((n, n + 1)), r.random((n, n + 1))], sizes=(1, 2, 3, 17, 64)),
    "quadrature": Case(area, lambda n, r: [vec(n, r), vec(n, r) + 2], sizes=(0, 1, 2, 5, 9), tolerance=1e-7),
    "graph_search": Case(distances, lambda n, r: [(r.random((n, n)) < 2 / n).astype(float), np.float64(n // 2)],
                         sizes=(1, 2, 3, 33, 64)),
    "sparse_matvec": Case(sparse, sparse_inputs, sizes=(1, 2, 3, 17, 64)),
    "string_matching": Case(find, lambda n, r: [ints(5 * n, 0, 2, r), ints(1 + n // 8, 0, 2, r)], sizes=(1, 2, 3, 17, 64)),
    "interpolation": Case(interpolate, lambda n, r: [np.arange(n) + 0.1 * r.random(n), vec(n, r), n * r.random(n + 1)],
                          sizes=(1, 2, 3, 5, 8), tolerance=1e-7),
    "runge_kutta": Case(runge_kutta, lambda n, r: [mat(n, n, r), vec(n, r), np.float64(0.05)], sizes=(1, 2, 3, 17, 40)),
    "image_pipeline": Case(edges, lambda n, r: [mat(n, n + 3, r), np.float64(0.3)], sizes=(3, 4, 5, 17, 64)),
    "hidden_markov": Case(hidden_markov, markov_inputs, sizes=(1, 2, 3, 17, 40)),
    "recursive_filter": Case(deriche, lambda n, r: [mat(n, n + 2, r)], sizes=(1, 2, 3, 17, 40)),
}
