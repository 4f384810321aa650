# SPDX-License-Identifier: MIT
"""Graphs as matrices, as lists of edges in compressed rows, and as pictures."""

import numpy as np

from case import Case

SIZES = (0, 1, 2, 3, 7, 16, 31)


def levels(source, adjacent):
    """The level of each vertex. `adjacent[u, v]`: there is an edge from u to v."""
    n = len(adjacent)
    d = np.full(n, -1)
    if 0 <= source < n:
        d[source] = 0
    for k in range(1, n + 1):
        reached = (adjacent[d == k - 1] != 0).any(axis=0)
        d[reached & (d < 0)] = k
    return [d, int((d >= 0).sum()), int(max(0, d.max(initial=0)))]


def sparse_graph(n, rng, mean=3):
    """(first, source) of incoming edges per vertex, in compressed rows."""
    heads = np.sort(rng.integers(0, n, mean * n)) if n else np.zeros(0, int)
    first = np.searchsorted(heads, np.arange(n + 1)).astype(np.int32)
    return first, rng.integers(0, max(n, 1), len(heads)).astype(np.int32)


def bellman_ford(first, tail, length):
    n = len(first) - 1
    d = [np.where(np.arange(n) == 0, 0, 1e9)]
    for _ in range(n):
        new = d[-1].copy()
        for v in range(n):
            edges = slice(first[v], first[v + 1])
            new[v] = min(new[v], (d[-1][tail[edges]] + length[edges]).min(initial=np.inf))
        d.append(new)
    return [d[n - 1], int((d[n] < d[n - 1]).any())]


def with_lengths(n, rng):
    first, tail = sparse_graph(n, rng)
    return [first, tail, rng.integers(-1 if n % 2 else 0, 20, len(tail)).astype(float)]


def pagerank(rounds, out, first, source):
    n = len(out)
    rank = before = np.full(n, 1 / max(n, 1))
    for _ in range(rounds):
        before = rank
        share = np.where(out > 0, rank / np.maximum(out, 1), 0)
        loose = rank[out == 0].sum()
        got = np.array([share[source[first[v]:first[v + 1]]].sum() for v in range(n)])
        rank = 0.15 / max(n, 1) + 0.85 * (loose / max(n, 1) + got)
    return [rank, np.abs(rank - before).sum()]


def links(n, rng):
    first, source = sparse_graph(n, rng, 2)
    return [np.bincount(source, minlength=n).astype(np.int32)[:n], first, source]


def components(colour):
    h, w = colour.shape
    label = np.arange(w * h).reshape(h, w)
    while True:
        new = label.copy()
        for axis in (0, 1):
            a = [slice(None)] * 2
            b = [slice(None)] * 2
            a[axis], b[axis] = slice(1, None), slice(None, -1)
            same = colour[tuple(a)] == colour[tuple(b)]
            for to, of in ((a, b), (b, a)):
                new[tuple(to)] = np.where(same, np.minimum(new[tuple(to)], label[tuple(of)]), new[tuple(to)])
        if (new == label).all():
            return [label, int((label == np.arange(w * h).reshape(h, w)).sum())]
        label = new


def triangles(adjacent):
    a = (adjacent != 0).astype(int)
    np.fill_diagonal(a, 0)
    per = ((a @ a) * a).sum(axis=1) // 2
    d = a.sum(axis=1)
    return [per, per.sum() // 3, np.where(d < 2, 0, 2 * per / np.maximum(1, d * (d - 1)))]


def undirected(n, rng):
    a = np.triu(rng.integers(0, 2, (n, n)), 1)
    return [(a + a.T + np.eye(n, dtype=int)).astype(np.uint8)]


CASES = {
    "breadth_first": Case(levels, lambda n, rng: [(rng.random((n, n)) < 2 / max(n, 1)).astype(np.uint8)], lambda n: {"source": n // 3}, sizes=SIZES),
    "bellman_ford": Case(bellman_ford, with_lengths, sizes=(1, 2, 3, 7, 16, 31)),
    "pagerank": Case(pagerank, links, lambda n: {"rounds": 1 + n % 6}, sizes=SIZES),
    "components": Case(components, lambda n, rng: [rng.integers(0, 2, (n + 1 if n else 0, n)).astype(np.uint8)], sizes=(0, 1, 2, 3, 7, 16)),
    "triangles": Case(triangles, undirected, sizes=SIZES, tolerance=1e-6),
}
