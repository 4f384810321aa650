# SPDX-License-Identifier: MIT
"""Parts of networks and simple learners, with sizes that are not square."""

import numpy as np

from case import Case

SIZES = (0, 1, 2, 3, 7, 16, 31)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def lstm(x, w, u, bias):
    t, d = x.shape[0], u.shape[1]
    h, c = np.zeros(d), np.zeros(d)
    every = np.zeros((t, d))
    for s in range(t):
        g = w @ x[s] + u @ h + bias
        into, forget, candidate, out = g[:d], g[d:2 * d], g[2 * d:3 * d], g[3 * d:]
        c = sigmoid(forget) * c + sigmoid(into) * np.tanh(candidate)
        h = every[s] = sigmoid(out) * np.tanh(c)
    return [h, every]


def lstm_inputs(n, rng):
    k, d, t = n % 3 + 1, max(1, n // 2), min(n, 12)
    return [rng.normal(size=(t, k)), rng.normal(size=(4 * d, k)), rng.normal(size=(4 * d, d)) / (1 + d), rng.normal(size=4 * d)]


def gru(x, h, w, u):
    d = h.shape[1]
    xw, hu = x.astype(float) @ w, h.astype(float) @ u
    z, r = sigmoid(xw[:, :d] + hu[:, :d]), sigmoid(xw[:, d:2 * d] + hu[:, d:2 * d])
    return [(1 - z) * h + z * np.tanh(xw[:, 2 * d:] + r * hu[:, 2 * d:])]


def single(*arrays):
    return [a.astype(np.float32) for a in arrays]


def gru_inputs(n, rng):
    k, m, d = n % 4 + 1, n, n // 2
    return single(rng.normal(size=(m, k)), rng.normal(size=(m, d)), rng.normal(size=(k, 3 * d)), rng.normal(size=(d, 3 * d)) / (1 + d))


def layer(x, kernel, bias):
    c, h, w = x.shape
    f = len(bias)
    x, kernel = x.astype(float), kernel.astype(float)
    full = np.zeros((f, h - 2, w - 2))
    for k in range(f):
        full[k] = bias[k]
        for j in range(3):
            for i in range(3):
                full[k] += np.tensordot(kernel[k, :, j, i], x[:, j:j + h - 2, i:i + w - 2], 1)
    full = np.maximum(full, 0)
    hh, ww = (h - 2) // 2, (w - 2) // 2
    return [full[:, :2 * hh, :2 * ww].reshape(f, hh, 2, ww, 2).max(axis=(2, 4))]


def layer_inputs(n, rng):
    c, f = n % 3 + 1, n % 4 + 1
    return single(rng.normal(size=(c, n + 3, n + 2)), rng.normal(size=(f, c, 3, 3)), rng.normal(size=f))


def softmax(x):
    e = np.exp(x - x.max(axis=1, keepdims=True, initial=-np.inf))
    return [e / e.sum(axis=1, keepdims=True)]


def attention(q, k, v):
    n, d = q.shape
    s = np.where(np.tril(np.ones((n, n), bool)), q @ k.T / np.sqrt(d), -1e30)
    return [softmax(s)[0] @ v if n else v]


def layer_norm(x, gain, shift, epsilon):
    x = x.astype(float)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean, var = x.sum(axis=1, keepdims=True) / x.shape[1], 0
        var = ((x - mean) ** 2).sum(axis=1, keepdims=True) / x.shape[1]
    return [(x - mean) / np.sqrt(var + epsilon) * gain + shift]


def descend(t, x, y, rate):
    w, losses = np.zeros(x.shape[1]), []
    for _ in range(t):
        p = sigmoid(x @ w)
        losses.append(-np.log(np.where(y > 0.5, p, 1 - p)).mean())
        w = w - rate * (x.T @ (p - y)) / len(y)
    return [w, np.array(losses)]


def neighbours(k, train, label, query):
    index, vote = np.full((len(query), k), -1), np.full(len(query), -1)
    for j, point in enumerate(query):
        order = np.argsort(((train - point) ** 2).sum(axis=1), kind="stable")[:k]
        index[j, :len(order)] = order
        mine = label[order].tolist()
        if mine:
            most = max(mine.count(each) for each in mine)
            vote[j] = next(each for each in mine if mine.count(each) == most)
    return [index, vote]


def points(n, d, rng):
    """Points of a grid, so that distances are exact and ties are real."""
    return rng.integers(-4, 5, (n, d)).astype(np.float32)


CASES = {
    "lstm": Case(lstm, lstm_inputs, sizes=SIZES, tolerance=1e-8),
    "gru": Case(gru, gru_inputs, sizes=SIZES, tolerance=1e-4),
    "convolution_layer": Case(layer, layer_inputs, sizes=(0, 1, 2, 3, 7, 16), tolerance=1e-4),
    "softmax": Case(softmax, lambda n, rng: [5 * rng.normal(size=(n + 1, n))], sizes=SIZES),
    "attention": Case(attention, lambda n, rng: [rng.normal(size=(n, 4)), rng.normal(size=(n, 4)), rng.normal(size=(n, 3))], sizes=SIZES),
    "layer_norm": Case(layer_norm, lambda n, rng: single(rng.normal(size=(max(1, n // 2), n)), rng.normal(size=n), rng.normal(size=n),
                                                         np.array(1e-3)), sizes=SIZES, tolerance=1e-4),
    "logistic_regression": Case(descend, lambda n, rng: [rng.normal(size=(n, 3)), rng.integers(0, 2, n).astype(float), np.array(0.5)],
                                lambda n: {"t": n % 5 + 1}, sizes=(1, 2, 3, 7, 16, 31), tolerance=1e-8),
    "nearest_neighbours": Case(neighbours, lambda n, rng: [points(n, 2, rng), rng.integers(0, 3, n).astype(np.int32), points(n // 2 + 1, 2, rng)],
                               lambda n: {"k": 3}, sizes=SIZES),
}
