# SPDX-License-Identifier: MIT
"""Dense linear algebra and eigenproblems, by rules, in place, by blocks and through LAPACK."""

import numpy as np

from case import Case, mat, vec


def dominant(n, r):
    return mat(n, n, r) + 3 * n * np.eye(n)


def positive(n, r):
    a = mat(n, n, r)
    return a @ a.T + n * np.eye(n)


def lu(a):
    a = a.copy()
    for k in range(len(a)):
        a[k + 1:, k] /= a[k, k]
        a[k + 1:, k + 1:] -= np.outer(a[k + 1:, k], a[k, k + 1:])
    return [a]


def unique_qr(a):
    """The QR decomposition of the columns of a.T: rows of q are orthonormal, r has a positive diagonal."""
    q, r = np.linalg.qr(a.T)
    signs = np.sign(np.diag(r))
    return [(q * signs).T, (r * signs[:, None]).T]


def unique_r(a):
    r = np.linalg.qr(a, mode="r")
    return [r * np.sign(np.diag(r))[:, None]]


def least_squares(a, b):
    x, *_ = np.linalg.lstsq(a, b, rcond=None)
    return [x, ((a @ x - b) ** 2).sum()]


def tridiagonal(d, e):
    t = np.diag(d) + np.diag(e[:-1], 1) + np.diag(e[:-1], -1)
    return [np.linalg.eigvalsh(t)]


def rank_one(a):
    u, s, v = np.linalg.svd(a)
    return [s[0] * np.outer(u[:, 0], v[0])]


def separated(n, r):
    """A matrix whose largest singular value is well apart."""
    return [np.outer(1 + np.arange(n + 1), np.ones(n)) + 0.1 * mat(n, n + 1, r)]


SMALL = (1, 2, 3, 17, 32)

def reduced_qr(a):
    q, r = np.linalg.qr(a)
    signs = np.sign(np.diag(r))
    return [r * signs[:, None], q * signs]


def levinson(r):
    n = len(r)
    toeplitz = np.eye(n) + sum(np.diag(np.full(n - k, r[k - 1]), k) + np.diag(np.full(n - k, r[k - 1]), -k) for k in range(1, n))
    return [np.linalg.solve(toeplitz, -r)]


CASES = {
    "triangular": Case(lambda a, b: [np.linalg.solve(np.tril(a), b), np.linalg.solve(np.triu(a), b)],
                       lambda n, r: [dominant(n, r), vec(n, r)], sizes=(1, 2, 3, 17, 65)),
    "lu_solve": Case(lambda a, b: [np.linalg.solve(a, b)], lambda n, r: [mat(n, n, r) + 2 * np.eye(n)[::-1], vec(n, r)],
                     sizes=SMALL, tolerance=1e-7),
    "lu_blocked": Case(lu, lambda n, r: [dominant(n, r)], sizes=(1, 2, 3, 17, 65)),
    "cholesky": Case(lambda a: [np.linalg.cholesky(a)], lambda n, r: [positive(n, r)], sizes=SMALL),
    "cholesky_rows": Case(lambda a: [np.linalg.cholesky(a)], lambda n, r: [positive(n, r)], sizes=SMALL),
    "gram_schmidt": Case(unique_qr, lambda n, r: [mat(2 * n, n, r)], sizes=SMALL, tolerance=1e-8),
    "householder": Case(unique_r, lambda n, r: [mat(n, n + 2, r)], sizes=SMALL, tolerance=1e-8),
    "least_squares": Case(least_squares, lambda n, r: [mat(n, 2 * n + 1, r), vec(2 * n + 1, r)], sizes=SMALL, tolerance=1e-7),
    "lapack_solve": Case(lambda a, b: [np.linalg.solve(a, b)], lambda n, r: [dominant(n, r), vec(n, r)], sizes=SMALL,
                         needs="lapack"),
    "lapack_symmetric": Case(lambda s, t: [np.linalg.cholesky(s), np.linalg.eigvalsh(s), np.linalg.solve(s, t[:, 0]), s @ t],
                             lambda n, r: [positive(n, r), mat(n, n, r)], sizes=SMALL, needs="lapack"),
    "conjugate_gradient": Case(lambda a, b: [np.linalg.solve(a, b)], lambda n, r: [positive(n, r), vec(n, r)],
                               sizes=SMALL, tolerance=1e-7),
    "tridiagonal_bisection": Case(tridiagonal, lambda n, r: [vec(n, r), vec(n, r)], sizes=SMALL),
    "tridiagonal_qr": Case(tridiagonal, lambda n, r: [vec(n, r), vec(n, r)], sizes=SMALL, tolerance=1e-8),
    "power_method": Case(rank_one, separated, sizes=SMALL, tolerance=1e-7),
    "jacobi_eigenvalues": Case(lambda a: [np.linalg.eigvalsh(a)], lambda n, r: [positive(n, r)], sizes=SMALL),
    "divide_and_conquer_eigenvalues": Case(tridiagonal, lambda n, r: [vec(n, r), vec(n, r)], sizes=SMALL, tolerance=1e-7),
    "gram_schmidt_versions": Case(reduced_qr, lambda n, r: [mat(n, n + 2, r)], sizes=(1, 2, 3, 9, 20), tolerance=1e-8),
    "levinson": Case(levinson, lambda n, r: [vec(n, r) * 0.2 / n], sizes=(1, 2, 3, 9, 20)),
}
