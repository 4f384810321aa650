# SPDX-License-Identifier: MIT
"""Chains of image operations as users write them, on pictures of width n and another height."""

import numpy as np

from case import Case

SIZES = (0, 1, 2, 3, 7, 16, 31)


def height(n):
    return max(0, n + 2 - n % 3) if n else 0


def shape(n):
    return height(n), n


def padded(a, r=1):
    return np.pad(a, r)


def around(a, dx, dy, r=1):
    """The picture a[y+dy, x+dx] for all cells, zero outside."""
    h, w = a.shape
    return padded(a, r)[r + dy:r + dy + h, r + dx:r + dx + w]


def inner(a):
    return a[1:-1, 1:-1]


def sobel(p):
    gx = sum(k * (around(p, 1, d) - around(p, -1, d)) for d, k in ((-1, 1), (0, 2), (1, 1)))
    gy = sum(k * (around(p, d, 1) - around(p, d, -1)) for d, k in ((-1, 1), (0, 2), (1, 1)))
    return [np.sqrt(gx * gx + gy * gy)]


def canny(p, low, high):
    low, high = np.float32(low), np.float32(high)
    p = p.astype(np.float32)
    smooth = p.copy()
    if min(p.shape) >= 3:
        smooth[1:-1, 1:-1] = inner(sum((2 - abs(i)) * (2 - abs(j)) * around(p, i, j) for i in (-1, 0, 1) for j in (-1, 0, 1)) / 16)
    h, w = p.shape
    length, sector = np.zeros_like(p), np.zeros((h, w), int)
    for y in range(1, h - 1):
        for x in range(1, w - 1):
            gx, gy = smooth[y, x + 1] - smooth[y, x - 1], smooth[y + 1, x] - smooth[y - 1, x]
            length[y, x] = gx * gx + gy * gy
            ax, ay = abs(gx), abs(gy)
            sector[y, x] = 0 if ay <= 0.5 * ax else 2 if ax <= 0.5 * ay else 1 if gx * gy > 0 else 3
    mark = np.zeros((h, w), int)
    for y in range(1, h - 1):
        for x in range(1, w - 1):
            s = sector[y, x]
            dx, dy = (0 if s == 2 else 1), (0 if s == 0 else -1 if s == 3 else 1)
            here = length[y, x]
            if here >= length[y + dy, x + dx] and here >= length[y - dy, x - dx]:
                mark[y, x] = 2 if here >= high else 1 if here >= low else 0
    edges = np.where(mark == 2, 255, 0)
    for y in range(1, h - 1):
        for x in range(1, w - 1):
            if mark[y, x] == 1 and (mark[y - 1:y + 2, x - 1:x + 2] == 2).any():
                edges[y, x] = 255
    return [edges]


def median(p):
    out = p.copy()
    h, w = p.shape
    for y in range(1, h - 1):
        for x in range(1, w - 1):
            out[y, x] = np.median(p[y - 1:y + 2, x - 1:x + 2])
    return [out]


def bilateral(p, space, tone):
    h, w = p.shape
    out = np.zeros((h, w))
    for y in range(h):
        for x in range(w):
            ys, xs = slice(max(0, y - 2), y + 3), slice(max(0, x - 2), x + 3)
            part = p[ys, xs].astype(float)
            j, i = np.mgrid[ys.start:ys.start + part.shape[0], xs.start:xs.start + part.shape[1]]
            weight = np.exp(-((i - x) ** 2 + (j - y) ** 2) / (2 * space ** 2)) * np.exp(-(part - float(p[y, x])) ** 2 / (2 * tone ** 2))
            out[y, x] = (weight * part).sum() / weight.sum()
    return [out]


def box_mean(r, p):
    h, w = p.shape
    return [np.array([[p[max(0, y - r):y + r + 1, max(0, x - r):x + r + 1].mean() for x in range(w)] for y in range(h)]).reshape(h, w)]


def equalise(p):
    total = np.bincount(p.ravel().astype(int), minlength=256).cumsum()
    if p.size == 0:
        return [p]
    least, everything = total[total > 0][0], total[-1]
    if everything == least:
        return [p]
    table = np.where(total <= least, 0, ((total - least) * 255 + (everything - least) // 2) // (everything - least))
    return [table[p.astype(int)]]


def flow(a, b):
    h, w = a.shape
    dx, dy, dt = np.zeros((h, w)), np.zeros((h, w)), b - a
    if w >= 3:
        dx[:, 1:-1] = (a[:, 2:] - a[:, :-2]) / 2
    if h >= 3:
        dy[1:-1] = (a[2:] - a[:-2]) / 2

    def window(p):
        return sum(around(p, i, j, 2) for i in range(-2, 3) for j in range(-2, 3))
    xx, xy, yy, xt, yt = window(dx * dx), window(dx * dy), window(dy * dy), window(dx * dt), window(dy * dt)
    det = xx * yy - xy * xy
    good = det >= 1e-3
    safe = np.where(good, det, 1)
    return [np.where(good, (xy * yt - yy * xt) / safe, 0), np.where(good, (xy * xt - xx * yt) / safe, 0)]


def demosaic(raw):
    h, w = raw.shape
    out = np.repeat(raw[None], 3, axis=0).astype(float)
    big = np.pad(raw.astype(float), 1, constant_values=np.nan)

    def mean(y, x, places):
        return np.mean([big[y + 1 + j, x + 1 + i] for i, j in places])
    plus, cross = ((-1, 0), (1, 0), (0, -1), (0, 1)), ((-1, -1), (1, -1), (-1, 1), (1, 1))
    across, down = ((-1, 0), (1, 0)), ((0, -1), (0, 1))
    for y in range(h):
        for x in range(w):
            kinds = {(0, 0): (None, plus, cross), (1, 1): (cross, plus, None),
                     (1, 0): (across, None, down), (0, 1): (down, None, across)}[x % 2, y % 2]
            whole = (x % 2, y % 2) in ((0, 0), (1, 1))
            values = [raw[y, x] if places is None else mean(y, x, places) for places in kinds]
            if whole and np.isnan(values).any():
                continue
            for c in range(3):
                if not np.isnan(values[c]):
                    out[c, y, x] = values[c]
    return [out]


def unsharp(p, amount):
    p = p.astype(float)

    def smooth(a, axis):
        size = a.shape[axis]
        if size == 0:
            return a
        period = max(1, 2 * size - 2)
        at = (np.arange(-2, size + 2) % period)
        big = np.take(a, np.where(at < size, at, period - at), axis)
        return sum(w * np.take(big, np.arange(k, k + size), axis) for k, w in enumerate((1, 4, 6, 4, 1))) / 16
    return [p + amount * (p - smooth(smooth(p, 1), 0))]


def picture(n, rng, low=0, high=256):
    return rng.integers(low, high, shape(n)).astype(np.uint8)


def blobs(n, rng):
    """A picture with structure: some rectangles and a little noise."""
    p = rng.integers(0, 30, shape(n))
    for _ in range(3):
        if n > 2:
            x, y = rng.integers(0, n - 1), rng.integers(0, height(n) - 1)
            p[y:y + n // 2, x:x + n // 2] += 70
    return p.astype(np.uint8)


CASES = {
    "sobel": Case(sobel, lambda n, rng: [rng.normal(size=shape(n))], sizes=SIZES),
    "canny": Case(canny, lambda n, rng: [blobs(n, rng), np.float32(200), np.float32(2000)], sizes=SIZES),
    "median_filter": Case(median, lambda n, rng: [rng.integers(-300, 300, shape(n)).astype(np.int16)], sizes=SIZES),
    "bilateral": Case(bilateral, lambda n, rng: [rng.random(shape(n)).astype(np.float32), np.float32(1.5), np.float32(0.25)],
                      sizes=SIZES, tolerance=1e-4),
    "integral_image": Case(box_mean, lambda n, rng: [picture(n, rng)], lambda n: {"r": 1 + n % 3}, sizes=SIZES, tolerance=1e-5),
    "equalise": Case(equalise, lambda n, rng: [picture(n, rng, 20, 90)], sizes=SIZES),
    "optical_flow": Case(flow, lambda n, rng: [rng.normal(size=shape(n)), rng.normal(size=shape(n))], sizes=SIZES, tolerance=1e-7),
    "unsharp": Case(unsharp, lambda n, rng: [rng.random(shape(n)).astype(np.float32), np.float32(0.75)], sizes=SIZES, tolerance=1e-5),
    "demosaic": Case(demosaic, lambda n, rng: [rng.random((2 * height(n), 2 * n)).astype(np.float32)], sizes=(0, 1, 2, 3, 8),
                     tolerance=1e-5),
}
