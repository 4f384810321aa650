# SPDX-License-Identifier: MIT
"""What a statement of a random rule body sees: the names of its scopes and of the rule, and fresh ones."""

import contextlib
import dataclasses
import typing

from dice import Dice

# Names for locals. Some are words of OpenCL C or of the C library; `x`, `y`, `z` and sizes hide what the rule names so.
LOCAL_NAMES = ["t", "u", "v", "acc", "sum", "k2", "global", "kernel", "half", "float4", "uint", "step", "length", "dot", "mix",
               "sign", "select", "uchar", "local", "y0", "index", "lane", "idx", "value", "result", "at", "size", "cell", "image",
               "x", "y", "i", "j", "clamp", "mad", "ulong", "double2", "constant", "first", "barrier", "event_t", "half_", "local_", "read_write", "pipe"]
LOOP_NAMES = ["i", "j", "k", "d", "q", "r"]
NO_LOOP_NAMES = [name for name in LOCAL_NAMES if name not in LOOP_NAMES]    # for what a loop around it must not hide


@dataclasses.dataclass
class Number:
    """A visible number. `below`: it is in [0, below), an integer or the name of a size variable."""
    name: str
    type: str
    is_mutable: bool = False
    below: typing.Any = None


@dataclasses.dataclass
class Hidden:
    """A name that means nothing to be used."""
    name: str


@dataclasses.dataclass
class Array:
    name: str
    type: str
    extent: int
    is_mutable: bool = True


@dataclasses.dataclass
class Region:
    """`extents`: per dimension of the body an integer or the name of a size variable; at least that where not `is_exact`."""
    name: str
    type: str
    extents: list
    is_output: bool = False
    is_exact: bool = True


@dataclasses.dataclass
class Surroundings:
    """What a body sees: `positive` holds the sizes that are not 0 in any instance, `functions` those of macros and prefix blocks."""
    element: str
    numbers: list
    arrays: list
    regions: list
    positive: set
    functions: list     # (name, types of the parameters, type)


class VisibleNames(Dice):
    """The scopes around what is drawn, the innermost last, the regions of the rule, and the sizes that are not 0 here."""

    def __init__(self, surroundings):
        self.given = surroundings
        self.scopes = [list(surroundings.numbers) + list(surroundings.arrays)]
        self.regions = surroundings.regions
        self.positive = surroundings.positive

    def visible(self, kind):
        seen = {}
        for scope in self.scopes:
            for each in scope:
                seen[each.name] = each
        return [each for each in seen.values() if isinstance(each, kind)]

    def is_taken_here(self, name):
        return any(each.name == name for each in self.scopes[-1]) or any(r.name == name for r in self.regions)

    def fresh_name(self, names):
        free = [name for name in names if not self.is_taken_here(name)]
        return self.pick(*free) if free else f"v{len(self.scopes)}_{len(self.scopes[-1])}"

    @contextlib.contextmanager
    def scope(self):
        self.scopes.append([])
        yield
        self.scopes.pop()

    def is_positive(self, extent):
        return not isinstance(extent, str) or extent in self.positive

    @contextlib.contextmanager
    def inside(self, extents):
        """A place that is only reached where none of the extents is 0, such as the body of loops over them."""
        before = self.positive
        self.positive = before | {each for each in extents if isinstance(each, str)}
        yield
        self.positive = before
