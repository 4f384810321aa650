# SPDX-License-Identifier: MIT
"""The values of the table: special ones of each type, in pairs, and random ones."""

import itertools

import numpy as np

TYPES = {"double": np.float64, "float": np.float32, "int": np.int32, "long": np.int64, "short": np.int16, "uchar": np.uint8, "ushort": np.uint16}


def special_reals(type_):
    """Zeros, infinities, NaN, subnormals, limits, halves, where the grid of numbers becomes coarse, and common ones."""
    info = np.finfo(type_)
    grid = 2.0 ** info.nmant
    positive = [0.0, info.smallest_subnormal, info.tiny - info.smallest_subnormal, info.tiny, info.eps, 0.1, 0.25, np.nextafter(type_(0.5), type_(0)), 0.5, 0.75,
                np.nextafter(type_(1), type_(0)), 1.0, 1.5, 2.0, 2.5, 3.0, np.pi, 8.0, 50.25, 709.0, 1e5 + 0.5, grid / 2 + 0.5, grid + 1, 2.0 ** 31, 1e22, info.max,
                np.inf]
    values = np.array(positive, type_)
    return np.concatenate([values, -values, np.array([np.nan], type_)])


def random_reals(type_, rng, count):
    """Random numbers of all magnitudes, a third of them near 1, a third of random bits."""
    third = count // 3
    wide = rng.normal(size=third) * 10.0 ** rng.integers(-30, 30, third)
    bits = rng.integers(0, 256, (count - 2 * third) * np.dtype(type_).itemsize, dtype=np.uint8).view(type_)
    bits = np.where(np.isnan(bits), type_(1.25), bits)
    return rng.permutation(np.concatenate([rng.normal(size=third) * 4, wide, bits]).astype(type_))


def special_integers(type_):
    info = np.iinfo(type_)
    near = [0, 1, 2, 3, 5, 7, 8, 100, 127, 128, 200, 255, 256, 32767, 32768, 65535, 65536, 46341, 2 ** 24 + 1, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 53 + 1]
    near += [-v for v in near] + [info.min, info.min + 1, info.max - 1, info.max]
    return np.array(sorted({v for v in near if info.min <= v <= info.max}), type_)


def random_integers(type_, rng, count):
    info = np.iinfo(type_)
    wide = rng.integers(info.min, info.max, count, dtype=type_, endpoint=True)
    return wide >> rng.integers(0, info.bits, count).astype(type_)


def pairs(values, extra_a, extra_b):
    """Every pair of the values, then the extra ones."""
    grid = np.array(list(itertools.product(values, values)), values.dtype)
    return np.concatenate([grid[:, 0], extra_a]), np.concatenate([grid[:, 1], extra_b])


def fitted(values, count):
    """The values, repeated or cut to that many."""
    return np.resize(values, count)


def may_divide(type_):
    smallest = np.iinfo(type_).min
    return lambda p, q: q != 0 and not (p == smallest and q == -1)


def may_sum(type_):
    """Whether a sum has no overflow, in `int` or the type if that is wider; nor in what entries add."""
    info = np.iinfo(np.promote_types(type_, np.int32))
    fits = lambda v: info.min < v < info.max  # noqa: E731
    return lambda s, t: all(fits(v) for v in (s, t, s + t, s - t, s * t, s + 1, s - 1))


def filtered(a, b, test):
    """The pairs that `test` takes, as numbers of Python."""
    keep = [test(int(x), int(y)) for x, y in zip(a, b)]
    return a[keep], b[keep]


def in_range(type_, bits, is_signed, rng, count):
    """Floating numbers that become integers of so many bits: what is cut off leaves one in range."""
    low, high = (-(2 ** bits), 2 ** bits) if is_signed else (0, 2 ** bits)
    values = [0.0, -0.0, 0.5, 1.5, 2.5, 0.999, 1.0, high - 1, high - 0.5, high / 2, high / 2 + 0.5, high * 0.75, -0.5, -0.999]
    values += [low, low + 1, low + 0.5, -1.0, -1.5, -2.5] if is_signed else []
    drawn = np.concatenate([np.array(values), rng.random(count) * (high - low) + low, rng.normal(size=count)]).astype(type_)
    # A `float` next to the end of the range may be rounded to the end itself.
    whole = np.trunc(drawn)
    inside = (whole >= low) & (whole < float(high))
    return drawn[inside]
