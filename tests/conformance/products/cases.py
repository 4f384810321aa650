# SPDX-License-Identifier: MIT
"""Products and transforms: matrix multiplication, FFT, convolutions, polynomials, transposes, reductions."""

import numpy as np

from case import Case, mat, vec


def product(n, r):
    return [mat(n + 1, n, r), mat(n + 2, n + 1, r)]


def fft(re, im):
    out = np.fft.fft(re + 1j * im)
    return [out.real, out.imag]


def correlate(a, k):
    kh, kw = k.shape
    h, w = a.shape
    out = np.zeros((h - kh + 1, w - kw + 1))
    for j in range(kh):
        for i in range(kw):
            out += k[j, i] * a[j:j + out.shape[0], i:i + out.shape[1]]
    return [out]


def reduce(a):
    y, x = np.unravel_index(np.argmax(a), a.shape)
    return [a.sum(), a.min(), np.array([x, y], dtype=float), np.linalg.norm(a)]


CASES = {
    "matmul_six_ways": Case(lambda a, b: [a @ b], product, sizes=(1, 2, 3, 17, 40)),
    "strassen": Case(lambda a, b: [a @ b], lambda n, r: [mat(n, n, r), mat(n, n, r)], sizes=(1, 2, 3, 8, 20, 32)),
    "fft": Case(fft, lambda n, r: [vec(n, r), vec(n, r)], sizes=(1, 2, 3, 31, 64, 96)),
    "convolution_1d": Case(lambda a, b: [np.convolve(a, b)], lambda n, r: [vec(n, r), vec(n // 2 + 1, r)],
                           sizes=(1, 2, 3, 33, 100)),
    "convolution_2d": Case(correlate, lambda n, r: [mat(n + 4, n + 2, r), mat(5, 3, r)], sizes=(1, 2, 3, 17, 64)),
    "separable": Case(lambda a, k: correlate(a, np.outer(k, k)), lambda n, r: [mat(n + 5, n + 4, r), vec(5, r)],
                      sizes=(1, 2, 3, 17, 64)),
    "karatsuba": Case(lambda a, b: [np.convolve(a, b)], lambda n, r: [vec(n, r), vec(n, r)], sizes=(1, 2, 3, 33, 64)),
    "transposes": Case(lambda a: [a.T], lambda n, r: [mat(n, n + 3, r)], sizes=(1, 2, 3, 17, 64)),
    "reductions": Case(reduce, lambda n, r: [mat(n, n + 3, r)], sizes=(1, 2, 3, 17, 64)),
}
