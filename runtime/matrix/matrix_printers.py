# SPDX-License-Identifier: MIT
"""Shows matrices and regions in gdb, as docs/debugging.md describes. Programs of `pbc --debug` hold this text.

Printers say extents, strides and cells; `print in.cell(0, 1)` and `print in.size(0)` work as in a body, without a call in
the program.
"""

import itertools
import re

import gdb
import gdb.printing
import gdb.xmethod

NUM_SHOWN = 10  # in each dimension
NAME = re.compile(r"^pbrt::Basic(View|Region)<")


class Matrix:
    """The cells of a pbrt::BasicView or BasicRegion (runtime/matrix/view.h, region_handle.h)."""

    def __init__(self, value):
        self.element = value.type.strip_typedefs().template_argument(0)
        self.num_dims = int(value.type.strip_typedefs().template_argument(1))
        members = [field.name for field in value.type.fields()]
        if "value_" in members:  # a number, which has no place of its own in a matrix
            self.base, self.extents, self.strides = value["value_"].address, [], []
            return
        view = value["view_"] if "view_" in members else value
        self.base = view["base_"]
        self.extents = [int(view["sizes_"][d]) for d in range(self.num_dims)]
        self.strides = [self._stride(view, d) for d in range(self.num_dims)]

    @staticmethod
    def _stride(view, dim):
        is_unit = bool(view.type.strip_typedefs().template_argument(2))
        return 1 if dim == 0 and is_unit else int(view["strides_"]["strides_"][dim])

    def cell(self, at):
        if len(at) != self.num_dims:
            raise gdb.GdbError(f"a matrix of {self.num_dims} dimensions has as many coordinates, not {len(at)}")
        for d, (coordinate, extent) in enumerate(zip(at, self.extents)):
            if not 0 <= coordinate < extent:
                raise gdb.GdbError(f"coordinate {d} is {coordinate}, but the extent is {extent}")
        return (self.base + sum(coordinate * stride for coordinate, stride in zip(at, self.strides))).dereference()

    def rows(self):
        """Yields the shown cells of each shown row, and what stands in front of them: the coordinates but the first."""
        shown = [range(min(extent, NUM_SHOWN)) for extent in self.extents]
        for rest in itertools.product(*reversed(shown[1:])):
            cells = " ".join(str(self.cell((x, *reversed(rest)))) for x in shown[0])
            name = ", ".join(["·", *map(str, reversed(rest))])
            yield f"({name})  " if len(rest) > 1 else "", cells + (" …" if self.extents[0] > NUM_SHOWN else "")

    def header(self):
        extents = " × ".join(map(str, self.extents))
        strides = ", ".join(map(str, self.strides))
        return f"{extents} cells of {self.element.unqualified()}, strides {strides}"


class Number:
    """Prints a matrix without dimensions."""

    def __init__(self, matrix):
        self.matrix = matrix

    def to_string(self):
        return str(self.matrix.cell(()))


class Rows:
    """Prints a matrix: a line with extents and strides, and a line for each row. Rows are children, which gdb leaves out
    in a backtrace."""

    def __init__(self, matrix):
        self.matrix = matrix

    def to_string(self):
        return self.matrix.header()

    def children(self):
        if 0 in self.matrix.extents or int(self.matrix.base) == 0:
            return
        for name, cells in self.matrix.rows():
            yield name, f"\n  {name}{cells}"
        if any(extent > NUM_SHOWN for extent in self.matrix.extents[1:]):
            yield "more", "\n  …"

    def display_hint(self):
        return "array"


class Call(gdb.xmethod.XMethodWorker):
    """`m.cell(…)` or `m.size(d)` in an expression of gdb."""

    def __init__(self, is_cell, num_arguments):
        self.is_cell = is_cell
        self.num_arguments = num_arguments

    def get_arg_types(self):
        return [gdb.lookup_type("long")] * self.num_arguments or None

    def get_result_type(self, value, *_):
        return Matrix(value).element if self.is_cell else gdb.lookup_type("long")

    def __call__(self, value, *arguments):
        matrix = Matrix(value.dereference() if value.type.code == gdb.TYPE_CODE_PTR else value)
        at = [int(argument) for argument in arguments]
        return matrix.cell(at) if self.is_cell else matrix.extents[at[0]]


class Matcher(gdb.xmethod.XMethodMatcher):
    def __init__(self):
        super().__init__("polybricks")
        self.methods = [gdb.xmethod.XMethod("cell"), gdb.xmethod.XMethod("size")]

    def match(self, class_type, method_name):
        if not NAME.match(class_type.tag or "") or method_name not in ("cell", "size"):
            return None
        is_cell = method_name == "cell"
        return Call(is_cell, int(class_type.template_argument(1)) if is_cell else 1)


def lookup(value):
    if not NAME.match(value.type.strip_typedefs().tag or ""):
        return None
    matrix = Matrix(value)
    return Rows(matrix) if matrix.num_dims > 0 else Number(matrix)


gdb.printing.register_pretty_printer(gdb.current_objfile(), lookup, replace=True)
gdb.xmethod.register_xmethod_matcher(gdb.current_objfile(), Matcher(), replace=True)
