# SPDX-License-Identifier: MIT
"""What a body of body_tree.py computes, by the rules of C++: the independent reference of the random bodies.

A tree becomes Python functions of a frame (a list of local variables). What C++ leaves open (overflow, an index out of
range, an uninitialised variable) raises Unsuitable: the generator then draws another body; so does an infinity or NaN, unless
`is_special`: then arithmetic is that of IEEE 754. With `noise`
every inexact operation is disturbed by a few of its last bits, so that bodies whose result depends on rounding are
found by comparing runs.
"""

import ctypes
import math

import numpy as np

import body_tree as tree
from body_tree import SIGNED, UNSIGNED, common, is_real, promoted

MAX_STEPS = 20000       # statements of one instance


class Unsuitable(Exception):
    """Raised where the body does something that C++ leaves open; says what."""


class Jump(Exception):
    pass


class BreakJump(Jump):
    pass


class ContinueJump(Jump):
    pass


class ReturnJump(Jump):
    def __init__(self, value):
        super().__init__()
        self.value = value


def truncated_quotient(a, b):
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def rounded_half_away(x):
    return math.copysign(math.floor(abs(x) + 0.5), x) if math.isfinite(x) else x


def lesser_of_numbers(a, b):
    """The result of fmin: NaN is no number; which of two zeros it gives is open."""
    if a == b == 0 and math.copysign(1, a) != math.copysign(1, b):
        raise Unsuitable("the sign of fmin or fmax of two zeros")
    return b if a != a else a if b != b else min(a, b)


def greater_of_numbers(a, b):
    return -lesser_of_numbers(-a, -b)


def real_quotient(a, b):
    if b != 0:
        return a / b
    return math.nan if a == 0 or a != a else math.copysign(math.inf, a) * math.copysign(1, b)


FUNCTIONS = {
    "sqrt": math.sqrt, "fabs": abs, "abs": abs, "floor": np.floor, "ceil": np.ceil, "trunc": np.trunc,
    "round": rounded_half_away, "exp": math.exp, "sin": math.sin, "cos": math.cos, "atan": math.atan, "tanh": math.tanh,
    "pow": math.pow, "hypot": math.hypot, "fmin": lesser_of_numbers, "fmax": greater_of_numbers, "min": min, "max": max, "fmod": math.fmod,
    "atan2": math.atan2, "log2": math.log2, "cbrt": lambda x: math.copysign(abs(x) ** (1 / 3), x),
    "fma": lambda a, b, c: a * b + c,
}
ROUNDING = {"exp", "sin", "cos", "atan", "tanh", "atan2", "log2", "cbrt"}  # never exact, also where the result is round


class Arithmetic:
    """Results of operations in their types; `noise` is a generator of random numbers or None."""

    def __init__(self, noise=None, is_special=False):
        self.noise, self.is_special = noise, is_special

    def result(self, value, kind, is_rounding=False):
        """An operation's mathematical result as its type holds it."""
        if kind in SIGNED:
            if not -(1 << (SIGNED[kind] - 1)) <= value < 1 << (SIGNED[kind] - 1):
                raise Unsuitable("signed overflow")
            return int(value)
        if kind in UNSIGNED:
            return int(value) & ((1 << UNSIGNED[kind]) - 1)
        exact = value = float(value)
        if kind == "float":
            value = ctypes.c_float(value).value
        if not math.isfinite(value):
            if not self.is_special:
                raise Unsuitable("infinity or NaN")
            return value
        if self.noise is not None and (is_rounding or exact != value or not self.is_round(value)):
            value += value * (self.noise.random() - 0.5) * (4e-7 if kind == "float" else 2e-15)
        return value

    @staticmethod
    def is_round(value):
        return abs(value) < 1 << 30 and (value * (1 << 20)).is_integer()

    @staticmethod
    def real(value):
        """A number of a real type as a matrix holds it."""
        return float(value)

    @staticmethod
    def stored(array, element):
        """What a matrix of numbers of NumPy's type `element` is, once everything is written."""
        return array.astype(element)

    def convert(self, value, source, kind):
        if source == kind:
            return value
        if kind == "bool":
            return int(value != 0)
        if is_real(kind):
            return self.result(float(value), kind)
        if not is_real(source):
            if kind in UNSIGNED:
                return value & ((1 << UNSIGNED[kind]) - 1)
            half = 1 << (SIGNED[kind] - 1)
            return (value + half) % (2 * half) - half
        if not math.isfinite(value):
            raise Unsuitable("an infinity or NaN as an integer")
        value = math.trunc(value)
        low, high = (0, 1 << UNSIGNED[kind]) if kind in UNSIGNED else (-(1 << (SIGNED[kind] - 1)), 1 << (SIGNED[kind] - 1))
        if not low <= value < high:
            raise Unsuitable("a number that its new type cannot hold")
        return value

    def binary(self, op, a, b, kind):
        """The result of a binary operator, of operands converted to `kind`, but for shifts."""
        if op == "+":
            return self.result(a + b, kind)
        if op == "-":
            return self.result(a - b, kind)
        if op == "*":
            return self.result(a * b, kind)
        if op in ("/", "%"):
            if b == 0 and not (self.is_special and is_real(kind)):
                raise Unsuitable("division by zero")
            if is_real(kind):
                return self.result(real_quotient(a, b), kind)
            quotient = truncated_quotient(a, b)
            return self.result(quotient if op == "/" else a - b * quotient, kind)
        if op in ("<<", ">>"):
            if not 0 <= b < 31 or (op == "<<" and a < 0):
                raise Unsuitable("a shift of or by what does not fit")
            return self.result(a << b if op == "<<" else a >> b, kind)
        return a & b if op == "&" else a | b if op == "|" else a ^ b


COMPARE = {"<": lambda a, b: a < b, "<=": lambda a, b: a <= b, ">": lambda a, b: a > b, ">=": lambda a, b: a >= b,
           "==": lambda a, b: a == b, "!=": lambda a, b: a != b}


class Compiled:
    """A body as a function of what its rule names.

    `types`: type of each outer name that holds a number; `regions`: those that are arrays. Call with {name: number or
    array (last coordinate first)}; `result` is the type of the returned value, or `outputs` the names that are read at the end.
    """

    def __init__(self, body, types, functions, arithmetic, result=None, outputs=()):
        self.scopes, self.size = [{}], 0
        self.arithmetic, self.functions = arithmetic, functions
        self.result, self.outputs = result, outputs
        self.types = types
        self.regions, self.left = {}, 0
        self.outer = {name: self.declare(name) for name in types}
        self.body = self.block(body)

    def __call__(self, values):
        outside = self.regions, self.left   # of the body that called this one, which may be itself
        try:
            return self.run(values)
        finally:
            self.regions, self.left = outside

    def run(self, values):
        frame = [None] * (self.size + 2)
        self.regions = {name: value for name, value in values.items() if name not in self.outer}
        for name, slot in self.outer.items():
            frame[slot] = values.get(name)
        self.left = MAX_STEPS
        value = None
        try:
            self.body(frame)
        except ReturnJump as jump:
            value = jump.value
        if self.result is not None:
            if value is None:
                raise Unsuitable("no value returned")
            return value
        found = [frame[self.outer[name]] for name in self.outputs if name in self.outer]
        if any(each is None for each in found):
            raise Unsuitable("an output is not assigned")
        return found

    # ---- names

    def declare(self, name):
        self.size += 1
        self.scopes[-1][name] = self.size - 1
        return self.size - 1

    def slot(self, name):
        for scope in reversed(self.scopes):
            if name in scope:
                return scope[name]
        raise KeyError(name)

    # ---- expressions

    def value(self, expr, kind=None):
        """The expression as a function of the frame; its value is converted to `kind`."""
        function = self.own_value(expr)
        if kind is None or kind == expr.type:
            return function
        convert, source = self.arithmetic.convert, expr.type
        return lambda frame: convert(function(frame), source, kind)

    def own_value(self, expr):
        match expr:
            case tree.Literal(value=value):
                return lambda frame: value
            case tree.Name(name=name):
                return self.read(name)
            case tree.Cell() | tree.Item():
                return self.element(expr)[0]
            case tree.Extent(region=region, dim=dim):
                return lambda frame: self.regions[region].size if dim is None else self.regions[region].shape[::-1][dim]
            case tree.Missing(name=name):
                return self.read(f"missing {name}")
            case tree.View():
                return self.view(expr)
            case tree.Unary():
                return self.unary(expr)
            case tree.Binary():
                return self.binary(expr)
            case tree.Conditional(condition=condition, if_true=if_true, if_false=if_false, type=kind):
                test, yes, no = self.value(condition, "bool"), self.value(if_true, kind), self.value(if_false, kind)
                return lambda frame: yes(frame) if test(frame) else no(frame)
            case tree.Call():
                return self.call(expr)
            case tree.Cast(operand=operand, type=kind):
                return self.value(operand, kind)
            case tree.Step():
                return self.step(expr)
            case tree.Assigned(name=name, value=value, type=kind):
                return self.assigned(self.slot(name), self.value(value, kind))
            case tree.Comma(parts=parts):
                functions = [self.value(part) for part in parts]
                return lambda frame: [function(frame) for function in functions][-1]
        raise TypeError(expr)

    def read(self, name):
        slot = self.slot(name)

        def function(frame):
            if frame[slot] is None:
                raise Unsuitable(f"{name} is not initialised")
            return frame[slot]
        return function

    def element(self, expr):
        """(read, write) of a cell of a region or an item of an array."""
        indices = [self.value(i, "int") for i in (expr.indices if isinstance(expr, tree.Cell) else [expr.index])]
        is_int = not is_real(expr.type)
        slot = None if isinstance(expr, tree.Cell) else self.slot(expr.array)

        def find(frame):
            place = tuple(index(frame) for index in reversed(indices))
            if slot is not None:
                array, shape = frame[slot], (len(frame[slot]),)
                place, last = place[0], place
            else:
                array = self.regions[expr.region]
                shape, last = array.shape, place
            if not all(0 <= i < extent for i, extent in zip(last, shape)):
                raise Unsuitable("an index out of range")
            return array, place

        def read(frame):
            array, place = find(frame)
            value = array[place]
            if value is None or value != value and not self.arithmetic.is_special:
                raise Unsuitable("an element is not initialised")
            return int(value) if is_int else self.arithmetic.real(value)

        def write(frame, value):
            array, place = find(frame)
            array[place] = value
        return read, write

    def view(self, expr):
        """A part of a region as an array that shares its elements; the last coordinate comes first."""
        args = [self.value(arg, "int") for arg in expr.args]
        op = expr.op

        def run(frame):
            array, places = self.regions[expr.region], [arg(frame) for arg in args]
            if op == "transposed":
                return array.T
            if op == "region":
                lows, highs = places[:array.ndim], places[array.ndim:]
                if not all(0 <= low <= high <= extent for low, high, extent in zip(lows, highs, array.shape[::-1])):
                    raise Unsuitable("a region out of range")
                return array[tuple(slice(low, high) for low, high in zip(reversed(lows), reversed(highs)))]
            if not op:
                return array
            d, place = {"row": (1, places[0]), "column": (0, places[0]), "slice": (places[0], places[-1])}[op]
            if not 0 <= place < array.shape[::-1][d]:
                raise Unsuitable("a slice out of range")
            return array[(slice(None),) * (array.ndim - 1 - d) + (place,)]
        return run

    @staticmethod
    def assigned(slot, function):
        def run(frame):
            frame[slot] = function(frame)
            return frame[slot]
        return run

    def unary(self, expr):
        operand, kind, arithmetic = self.value(expr.operand), expr.type, self.arithmetic
        if expr.op == "!":
            return lambda frame: int(not operand(frame))
        operand = self.value(expr.operand, kind)
        if expr.op == "-":
            return lambda frame: arithmetic.result(-operand(frame), kind)
        if expr.op == "~":
            return lambda frame: arithmetic.result(~operand(frame), kind)
        return operand

    def binary(self, expr):
        op, arithmetic = expr.op, self.arithmetic
        if op in ("&&", "||"):
            left, right = self.value(expr.left, "bool"), self.value(expr.right, "bool")
            if op == "&&":
                return lambda frame: int(left(frame) and right(frame))
            return lambda frame: int(left(frame) or right(frame))
        kind = common(expr.left.type, expr.right.type)
        if op in COMPARE:
            compare, left, right = COMPARE[op], self.value(expr.left, kind), self.value(expr.right, kind)
            return lambda frame: int(compare(left(frame), right(frame)))
        if op in ("<<", ">>"):
            left, right = self.value(expr.left, expr.type), self.value(expr.right)
        else:
            left, right = self.value(expr.left, kind), self.value(expr.right, kind)
        kind = expr.type
        return lambda frame: arithmetic.binary(op, left(frame), right(frame), kind)

    def call(self, expr):
        if expr.function in self.functions:
            params, body = self.functions[expr.function]
            args = [self.value(arg, None if kind == "region" else kind) for arg, kind in zip(expr.args, params)]
            kind, arithmetic = expr.type, self.arithmetic
            return lambda frame: body(arithmetic, kind, *(arg(frame) for arg in args))
        function, kind, arithmetic = FUNCTIONS[expr.function], expr.type, self.arithmetic
        args = [self.value(arg, kind) for arg in expr.args]
        is_rounding = expr.function in ROUNDING

        def run(frame):
            try:
                return arithmetic.result(function(*(arg(frame) for arg in args)), kind, is_rounding)
            except (ValueError, OverflowError, ZeroDivisionError) as error:
                if arithmetic.is_special and isinstance(error, ValueError):
                    return math.nan
                raise Unsuitable("an argument outside of the function's domain") from None
        return run

    def step(self, expr):
        slot, delta, arithmetic, kind = self.slot(expr.name), 1 if expr.op == "++" else -1, self.arithmetic, expr.type
        read = self.read(expr.name)

        def run(frame):
            old = read(frame)
            frame[slot] = stepped(arithmetic, old, delta, kind)
            return frame[slot] if expr.is_prefix else old
        return run

    # ---- statements

    def block(self, stmts):
        self.scopes.append({})
        functions = [self.statement(s) for s in stmts]
        self.scopes.pop()

        def run(frame):
            for function in functions:
                self.left -= 1
                if self.left < 0:
                    raise Unsuitable("too many steps")
                function(frame)
        return run

    def statement(self, stmt):
        match stmt:
            case tree.Declare(type=kind, name=name, init=init):
                function = None if init is None else self.value(init, kind)
                slot = self.declare(name)
                return lambda frame: frame.__setitem__(slot, None if function is None else function(frame))
            case tree.Declares(items=items):
                functions = [self.statement(item) for item in items]
                return lambda frame: [function(frame) for function in functions]
            case tree.DeclareArray():
                return self.declare_array(stmt)
            case tree.DeclareRegion():
                return self.declare_region(stmt)
            case tree.CallTransform():
                return self.call_transform(stmt)
            case tree.Sync():
                return lambda frame: None
            case tree.Assign(target=target, op=op, value=value):
                return self.assign(target, op, value)
            case tree.Evaluate(expr=expr):
                return self.value(expr)
            case tree.If(condition=condition, then=then, otherwise=otherwise):
                test, yes, no = self.value(condition, "bool"), self.block(then), self.block(otherwise or [])
                return lambda frame: yes(frame) if test(frame) else no(frame)
            case tree.For() | tree.While() | tree.Do():
                return self.loop(stmt)
            case tree.Switch():
                return self.switch(stmt)
            case tree.Block(body=body):
                return self.block(body)
            case tree.Break() | tree.Continue():
                jump = BreakJump() if isinstance(stmt, tree.Break) else ContinueJump()
                return lambda frame: raised(jump)
            case tree.Return(value=value):
                function = (lambda frame: None) if value is None else self.value(value, self.result)
                return lambda frame: raised(ReturnJump(function(frame)))
        raise TypeError(stmt)

    def declare_array(self, stmt):
        items = None if stmt.items is None else [self.value(item, stmt.type) for item in stmt.items]
        slot, extent = self.declare(stmt.name), stmt.extent

        def run(frame):
            if items is None:
                frame[slot] = [None] * extent
            else:
                frame[slot] = [item(frame) for item in items] + [0] * (extent - len(items))
        return run

    def declare_region(self, stmt):
        """Declares a region. Its name is not hidden by others, so there is one table for the whole body."""
        if not isinstance(stmt.view, list):
            function = self.value(stmt.view)
            return lambda frame: self.regions.__setitem__(stmt.name, function(frame))
        extents = [self.value(extent, "int") for extent in reversed(stmt.view)]
        return lambda frame: self.regions.__setitem__(stmt.name, np.full([e(frame) for e in extents], None, dtype=object))

    def call_transform(self, stmt):
        """Calls a transform. Spawned calls run at once: they touch nothing that others do."""
        inputs = [self.value(arg, None if isinstance(arg, tree.View) else m.type) for arg, m in zip(stmt.inputs, stmt.transform.inputs)]
        outputs = [self.slot(arg.name) if isinstance(arg, tree.Name) else self.value(arg) for arg in stmt.outputs]

        def run(frame):
            made = stmt.transform.called([arg(frame) for arg in inputs],
                                         [None if isinstance(out, int) else out(frame) for out in outputs], self.arithmetic)
            for out, array in zip(outputs, made):
                if isinstance(out, int):
                    frame[out] = array.item()
                else:
                    out(frame)[...] = array
        return run

    def assign(self, target, op, value):
        arithmetic, kind = self.arithmetic, target.type
        if isinstance(target, tree.Name):
            slot, read = self.slot(target.name), self.read(target.name)

            def write(frame, result):
                frame[slot] = result
        else:
            read, write = self.element(target)
        if op == "=":
            function = self.value(value, kind)
            return lambda frame: write(frame, function(frame))
        is_shift = op in ("<<=", ">>=")
        between = promoted(kind) if is_shift else common(kind, value.type)
        function = self.value(value, None if is_shift else between)

        def run(frame):
            right = function(frame)
            left = arithmetic.convert(read(frame), kind, between)
            write(frame, arithmetic.convert(arithmetic.binary(op[:-1], left, right, between), between, kind))
        return run

    def loop(self, stmt):
        self.scopes.append({})
        begins = [self.statement(s) for s in getattr(stmt, "begins", [])]
        test = (lambda frame: True) if stmt.condition is None else self.value(stmt.condition, "bool")
        steps = [self.statement(s) for s in getattr(stmt, "steps", [])]
        body, is_first = self.block(stmt.body), isinstance(stmt, tree.Do)
        self.scopes.pop()

        def run(frame):
            for begin in begins:
                begin(frame)
            while_true = is_first
            while while_true or test(frame):
                while_true = False
                self.left -= 1
                if self.left < 0:
                    raise Unsuitable("too many steps")
                try:
                    body(frame)
                except ContinueJump:
                    pass
                except BreakJump:
                    return
                for step in steps:
                    step(frame)
        return run

    def switch(self, stmt):
        value = self.value(stmt.value, promoted(stmt.value.type))
        bodies = [self.block(case.body) for case in stmt.cases]
        labels = {label.value: i for i, case in enumerate(stmt.cases) for label in case.labels if label is not None}
        default = next((i for i, case in enumerate(stmt.cases) if None in case.labels), len(bodies))

        def run(frame):
            try:
                for body in bodies[labels.get(value(frame), default):]:
                    body(frame)
            except BreakJump:
                pass
        return run


def raised(jump):
    raise jump


def stepped(arithmetic, old, delta, kind):
    between = kind if is_real(kind) else promoted(kind)
    return arithmetic.convert(arithmetic.result(arithmetic.convert(old, kind, between) + delta, between), between, kind)
