# SPDX-License-Identifier: MIT
"""Numbers that say how far what a program computes may be off, in whatever order it adds up: the reference of random folds.

A number has its exact value, the sum of the magnitudes of its terms and the length of its longest chain of roundings. So a result is
right within 4·d·ε·Σ|terms|, and bit by bit where no order rounds: where all terms are multiples of a number that is not too small.
A comparison that this leaves open raises Unsuitable.
"""

import dataclasses
import math
import typing
from fractions import Fraction

import numpy as np

from body_reference import Arithmetic, Unsuitable
from body_tree import is_real

EPSILON = {"float": 2.0**-23, "double": 2.0**-52}
LARGEST = {"float": 2.0**120, "double": 2.0**1000}      # of what any order may come by; the smallest is one by this


@dataclasses.dataclass(frozen=True, eq=False)
class Bounded:
    """`value`: a Fraction, or a float if it is a zero, an infinity or NaN. Every part of it is a multiple of `grid` (0: unknown), at most
    `top` and, as a factor of a product, at least `low`."""
    value: typing.Any
    weight: float       # the sum of the magnitudes of the terms
    rate: float         # d·ε
    grid: float
    top: float
    low: float

    @property
    def margin(self):
        return 4 * self.rate * self.weight

    def is_number(self):
        return isinstance(self.value, Fraction) or self.value == 0

    def __add__(self, other):
        a, b = self, bounded(other)
        value = a.value + b.value if type(a.value) is type(b.value) else sum_of_kinds(a.value, b.value)
        low = min(1.0, abs(float(value))) if value == value and value != 0 else 1.0
        return Bounded(plain(value), a.weight + b.weight, max(a.rate, b.rate), min(a.grid, b.grid), a.top + b.top, low)

    def __sub__(self, other):
        return self + -bounded(other)

    def __mul__(self, other):
        a, b = self, bounded(other)
        if not (a.is_number() and b.is_number()) and (a.margin or b.margin):
            raise Unsuitable("an infinity or NaN times a number that was rounded")
        exact = isinstance(a.value, Fraction) and isinstance(b.value, Fraction)
        value = a.value * b.value if exact else as_sign(a.value) * as_sign(b.value)
        return Bounded(value, a.weight * b.weight, a.rate + b.rate, min(1.0, a.grid) * min(1.0, b.grid), max(1.0, a.top) * max(1.0, b.top),
                       min(1.0, a.low) * min(1.0, b.low))

    def __truediv__(self, other):
        a, b = self, bounded(other)
        if not isinstance(b.value, Fraction) or b.margin or not a.is_number():
            raise Unsuitable("a quotient of numbers that were rounded, or by none")
        by = float(abs(b.value))
        value = a.value / b.value if isinstance(a.value, Fraction) else a.value * as_sign(b.value)
        is_power = b.value.numerator in (1, -1) or b.value.denominator == 1 and by.hex().startswith("0x1.0000000000000p")
        return Bounded(value, a.weight * b.weight / by**2, a.rate + b.rate, a.grid / by if is_power else 0.0, a.top / by, min(1.0, a.low / by))

    def __radd__(self, other):
        return bounded(other) + self

    def __rsub__(self, other):
        return bounded(other) - self

    def __rmul__(self, other):
        return bounded(other) * self

    def __rtruediv__(self, other):
        return bounded(other) / self

    def __neg__(self):
        return dataclasses.replace(self, value=-self.value)

    def __abs__(self):
        return dataclasses.replace(self, value=abs(self.value))

    def difference(self, other):
        """The exact difference or one that has its sign, or NaN. Raises Unsuitable if rounding may change the sign."""
        a, b = self, bounded(other)
        if not (a.is_number() and b.is_number()):
            a, b = as_sign(a.value), as_sign(b.value)
            return 0 if a == b else a - b
        found = Fraction(a.value) - Fraction(b.value)
        margin = a.margin + b.margin
        if margin and abs(found) <= margin:
            raise Unsuitable("the result depends on rounding")
        return found

    def __lt__(self, other):
        return self.difference(other) < 0

    def __le__(self, other):
        return self.difference(other) <= 0

    def __gt__(self, other):
        return self.difference(other) > 0

    def __ge__(self, other):
        return self.difference(other) >= 0

    def __eq__(self, other):
        return self.value == self.value if other is self else self.difference(other) == 0

    def __ne__(self, other):
        return not self == other

    __hash__ = None


def plain(value):
    """A zero as a float, which has a sign."""
    return 0.0 if isinstance(value, Fraction) and value == 0 else value


def sum_of_kinds(a, b):
    """The sum of a Fraction and a float that is a zero, an infinity or NaN."""
    number, other = (a, b) if isinstance(a, Fraction) else (b, a)
    return number if other == 0 else other


def as_sign(value):
    """A float that is as good as the value as a factor, or beside one, that is a zero, an infinity or NaN."""
    return math.copysign(1.0, value) if isinstance(value, Fraction) else value


def bounded(number):
    """A number that no operation has rounded."""
    if isinstance(number, Bounded):
        return number
    if number == 0 or not math.isfinite(number):
        return Bounded(float(number), 0.0, 0.0, 1.0, 0.0, 1.0)
    value = Fraction(number)
    size = float(abs(value))
    grid = Fraction(value.numerator & -value.numerator, value.denominator)
    return Bounded(value, size, 0.0, float(grid), size, size)


def rounded(number, kind):
    """The number after an operation whose result has this type."""
    if not number.is_number():
        return number
    if number.top > LARGEST[kind] or number.low < 1 / LARGEST[kind]:
        raise Unsuitable("a number that may be too large or too small")
    is_exact = number.rate == 0 and number.top <= number.grid * 2 / EPSILON[kind]
    return number if is_exact else dataclasses.replace(number, rate=number.rate + EPSILON[kind])


class BoundedArithmetic(Arithmetic):
    """Results of operations; those of real types are Bounded."""

    def result(self, value, kind, is_rounding=False):
        if not is_real(kind):
            return super().result(value, kind)
        if is_rounding:
            raise Unsuitable("a function whose result is never exact")
        number = rounded(bounded(value), kind)
        if not number.is_number() and not self.is_special:
            raise Unsuitable("infinity or NaN")
        return number

    @staticmethod
    def real(value):
        return value if isinstance(value, Bounded) else float(value)

    @staticmethod
    def stored(array, element):
        return array

    def convert(self, value, source, kind):
        if source == kind or not is_real(source) and not is_real(kind):
            return super().convert(value, source, kind)
        if is_real(kind):
            return self.result(value, kind)
        number = bounded(value)
        if kind == "bool":
            return int(number != 0)
        if not number.is_number():
            raise Unsuitable("an infinity or NaN as an integer")
        exact, margin = Fraction(number.value), Fraction(number.margin)
        if math.trunc(exact - margin) != math.trunc(exact + margin):
            raise Unsuitable("the result depends on rounding")
        return super().convert(exact, source, kind)

    def binary(self, op, a, b, kind):
        if not is_real(kind):
            return super().binary(op, a, b, kind)
        a, b = bounded(a), bounded(b)
        return self.result(a + b if op == "+" else a - b if op == "-" else a * b if op == "*" else a / b, kind)


def is_exact(array):
    """Whether no order of the folds makes other bits of an output, which holds Bounded and plain numbers."""
    return all(not bounded(each).margin for each in array.flat)


def difference(got, want):
    """What is wrong with an output, or None; `want` holds Bounded and plain numbers."""
    if got.shape != want.shape:
        return f"shape {got.shape}, expected {want.shape}"
    for at, each in zip(np.ndindex(*want.shape), want.flat):
        found, number = got[at].item(), bounded(each)
        if not is_right(found, number):
            return f"{list(at)} is {found!r}, expected {float(number.value)!r} within {number.margin:.3g}"
    return None


def is_right(found, number):
    if not number.is_number():
        return found == number.value or found != found and number.value != number.value
    if not math.isfinite(found):
        return False
    if number.margin:
        return abs(Fraction(found) - Fraction(number.value)) <= number.margin
    return found == number.value and (found != 0 or not isinstance(found, float) or math.copysign(1, found) == math.copysign(1, number.value))
