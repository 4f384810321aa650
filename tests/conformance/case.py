# SPDX-License-Identifier: MIT
"""What a test of one program says: its inputs, its independent reference, sizes, tolerance, expectations.

Each topic folder has a `cases.py` with `CASES = {"name": Case(...)}`, one per `name.pbcc` beside it.
Arrays are NumPy's: `M[w,h]` has the shape (h, w).
"""

import dataclasses
import typing

import numpy as np

SIZES = (1, 2, 3, 17, 64, 101)


@dataclasses.dataclass(frozen=True)
class Case:
    """One program. `reference(*params, *inputs)` returns the outputs in header order, numbers for 0-D ones."""

    reference: typing.Callable = None
    inputs: typing.Callable = lambda n, rng: []
    params: typing.Callable = lambda n: {}      # name -> integer of the command line, in order, for size n
    sizes: tuple = SIZES
    tolerance: float = 1e-9                     # relative to the largest magnitude of the expected output
    options: tuple = ()                         # of pbc
    generated: bool = False                     # inputs come from the program's own generator
    varies: bool = False                        # tunables change the result: only the default is compared
    adds_to_outputs: bool = False               # what outputs hold at first, zeros for files, is part of the result
    pending: str = ""                           # a construct not carried yet: part of the message that refuses it
    fails: str = ""                             # pbc must refuse: `LINE: part of the message`
    needs: str = ""                             # a library the program links; without it the case is skipped, and says so
    stops: dict = dataclasses.field(default_factory=dict)   # size -> part of the message with which the run must end
    wrong: tuple = ()                           # (rule, smallest size) that `pbtune check --outputs` must name


def vec(n, rng):
    """A vector of length n, or with () a number, of the normal distribution."""
    return rng.normal(size=n)


def mat(width, height, rng):
    """A matrix `M[width,height]` of the normal distribution."""
    return rng.normal(size=(height, width))


def ints(n, low, high, rng):
    """Integers of [low, high) as floating-point numbers."""
    return rng.integers(low, high, n).astype(np.float64)
