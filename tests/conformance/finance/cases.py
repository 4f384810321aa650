# SPDX-License-Identifier: MIT
"""Options, filters and indicators."""

import math

import numpy as np

from case import Case

SIZES = (0, 1, 2, 3, 7, 16, 31)


def normal(x):
    return np.array([0.5 * (1 + math.erf(v / math.sqrt(2))) for v in x])


def black_scholes(s, k, t, v, rate):
    d1 = (np.log(s / k) + (rate + v * v / 2) * t) / (v * np.sqrt(t))
    d2 = d1 - v * np.sqrt(t)
    discounted = k * np.exp(-rate * t)
    return [s * normal(d1) - discounted * normal(d2), discounted * normal(-d2) - s * normal(-d1), normal(d1)]


def american(t, s, k, u, discount, p):
    price = np.array([max(k - s * u ** (2 * j - t), 0) for j in range(t + 1)])
    for d in range(1, t + 1):
        nodes = np.arange(t - d + 1)
        price = np.maximum(discount * (p * price[1:] + (1 - p) * price[:-1]), k - s * u ** (2.0 * nodes - (t - d)))
    return [price[0], float(price[0] <= k - s)]


def asian(z, s, k, drift, spread):
    payoff = np.maximum((s * np.exp(np.cumsum(drift + spread * z, axis=1))).mean(axis=1) - k, 0)
    price = payoff.mean()
    return [price, np.sqrt(max((payoff ** 2).mean() - price ** 2, 0) / len(payoff))]


def kalman(z, dt, r, q):
    if len(z) == 0:
        return [z, z, z]
    x, p, gains = np.array([z[0], 0.0]), np.diag([float(r), 1.0]), [1.0]
    states = [x]
    f = np.array([[1, dt], [0, 1]])
    noise = q * np.array([[dt ** 3 / 3, dt ** 2 / 2], [dt ** 2 / 2, dt]])
    for value in z[1:]:
        x, p = f @ x, f @ p @ f.T + noise
        gain = p[:, 0] / (p[0, 0] + r)
        x = x + gain * (value - x[0])
        p = p - np.outer(gain, p[0])
        states.append(x)
        gains.append(gain[0])
    return [*np.array(states).T, np.array(gains)]


def indicators(days, price, a):
    n = len(price)
    sma = np.array([price[max(0, i - days + 1):i + 1].mean() for i in range(n)])
    ema = price.copy()
    for i in range(1, n):
        ema[i] = ema[i - 1] + a * (price[i] - ema[i - 1])
    fall = (np.maximum.accumulate(price) - price).max(initial=0) if n else 0
    side = np.sign(ema - sma)
    return [sma, ema, fall, int((side[1:] * side[:-1] < 0).sum())]


CASES = {
    "black_scholes": Case(black_scholes, lambda n, rng: [50 + 50 * rng.random(n), 50 + 50 * rng.random(n), 0.1 + rng.random(n),
                                                         0.1 + 0.3 * rng.random(n), np.array(0.03)], sizes=SIZES, tolerance=1e-8),
    "binomial_tree": Case(american, lambda n, rng: [np.array(100.0), np.array(95.0 + 20 * rng.random()), np.array(1.05), np.array(0.999),
                                                    np.array(0.5)], lambda n: {"t": n}, sizes=SIZES),
    "monte_carlo": Case(asian, lambda n, rng: [rng.normal(size=(3 * n, 4)), np.array(100.0), np.array(99.0), np.array(0.001), np.array(0.05)],
                        sizes=(1, 2, 3, 7, 16, 31), tolerance=1e-7),
    "kalman": Case(kalman, lambda n, rng: [np.cumsum(rng.normal(size=n)), np.array(0.5), np.array(0.3), np.array(0.1)], sizes=SIZES),
    # Prices are whole numbers: sums are exact, so that no crossing depends on rounding.
    "moving_averages": Case(indicators, lambda n, rng: [64.0 + rng.integers(-40, 40, n), np.array(0.25)], lambda n: {"days": 4}, sizes=SIZES),
}
