# SPDX-License-Identifier: MIT
"""Macros and functions of prefix blocks that random bodies call: their text, and what they mean."""

from body_reference import Unsuitable

TEXT = """#define SQUARE(v) ((v) * (v))
#define MIDDLE(a, b) (((a) + (b)) / 2)
#define LIMIT 3
%{
static double halved(double v, int k) { return k > 0 ? v / 2 : v; }
template <class Line> static double total(const Line& line) {
  double sum = 0;
  for (int i = 0; i < line.width(); ++i) sum += line.cell(i);
  return sum;
}
static double corner(ConstMatrixRegion2D plane) {
  return plane.width() > 0 && plane.height() > 0 ? plane.cell(plane.width() - 1, plane.height() - 1) : 0.25;
}
template <class Line> static int above(Line line, int limit) {
  int count = 0;
  for (int i = 0; i < line.size(0); ++i) count += line.cell(i) > limit;
  return count;
}
%}
"""


def square(arithmetic, kind, v):
    return arithmetic.result(v * v, kind)


def middle(arithmetic, kind, a, b):
    return arithmetic.result(arithmetic.result(a + b, kind) / 2, kind)


def halved(arithmetic, kind, v, k):
    return arithmetic.result(v / 2, kind) if k > 0 else v


def read(value):
    if value is None:
        raise Unsuitable("an element is not initialised")
    return value.item() if hasattr(value, "item") else value


def total(arithmetic, kind, line):
    found = 0.0
    for value in line:
        found = arithmetic.result(found + read(value), kind)
    return found


def corner(arithmetic, kind, plane):
    return float(read(plane[-1, -1])) if plane.size else 0.25


def above(arithmetic, kind, line, limit):
    return sum(read(value) > limit for value in line)


# {name: (types of the parameters, type, meaning)}, for arguments of exactly those types.
OF_NUMBERS = {"SQUARE": (["double"], "double", square), "MIDDLE": (["double", "double"], "double", middle),
              "halved": (["double", "int"], "double", halved)}
OF_REGIONS = {"total": (["region"], "double", total), "corner": (["region"], "double", corner), "above": (["region", "int"], "int", above)}


def meanings():
    return {name: (params, meaning) for name, (params, _, meaning) in {**OF_NUMBERS, **OF_REGIONS}.items()}
