# SPDX-License-Identifier: MIT
"""Random transforms whose rules have random bodies, and what they compute on given inputs.

Each group of rules makes one output, or two together: a rule over windows, rows, whole matrices or its own output, and a
secondary rule for the cells that it does not reach. Headers are simple; random_headers.py is about those.
"""

import dataclasses
import functools

import numpy as np

import body_tree as tree
from body_reference import Arithmetic, Compiled, Unsuitable
from random_bodies import BodyMaker, filled
from random_expressions import Array, Number, Region, Surroundings

ELEMENTS = {"double": np.float64, "float": np.float32, "int": np.int32, "long": np.int64, "short": np.int16, "uchar": np.uint8,
            "ushort": np.uint16}
TOLERANCE = {np.dtype(np.float64): 1e-9, np.dtype(np.float32): 1e-4}    # of ARCHITECTURE; integers agree exactly
MAX_TRIES = 60
NUM_CELL_GROUPS = 4
TRIAL_SHAPES = ({"n": 5, "m": 3, "l": 2}, {"n": 1, "m": 1, "l": 1}, {"n": 2, "m": 6, "l": 1})
# Text, type and the value in all configurations, which is not the initial one.
CONSTANTS = [("tunable {}(3, 1, 8)", "int", 5), ("tunable double {}(0.5, 0.0, 2.0)", "double", 0.75),
             ("tunable array(3) {}(2, 0, 9)", "int", [4, 0, 7]), ("tunable double array(2) {}(1.25, 0.0, 2.0)", "double", [0.25, 1.5]),
             ("config {}(2, 0, 5)", "int", 3)]
MACROS = """#define SQUARE(v) ((v) * (v))
#define MIDDLE(a, b) (((a) + (b)) / 2)
#define LIMIT 3
%{
static double halved(double v, int k) { return k > 0 ? v / 2 : v; }
%}
"""


def functions_of(element):
    """{name: (types of the parameters, type, meaning)} of MACROS, for arguments of exactly those types."""
    def square(arithmetic, kind, v):
        return arithmetic.result(v * v, kind)

    def middle(arithmetic, kind, a, b):
        return arithmetic.result(arithmetic.result(a + b, kind) / 2, kind)

    def halved(arithmetic, kind, v, k):
        return arithmetic.result(v / 2, kind) if k > 0 else v
    return {"SQUARE": (["double"], "double", square), "MIDDLE": (["double", "double"], "double", middle),
            "halved": (["double", "int"], "double", halved)}


@dataclasses.dataclass
class Matrix:
    name: str
    word: str               # of the header; "" for ElementT
    type: str
    sizes: list             # formulas

    def shape(self, sizes):
        return tuple(value_of(size, sizes) for size in reversed(self.sizes))


@dataclasses.dataclass
class Access:
    matrix: Matrix
    kind: str               # cell, region, row, column, all
    bounds: list            # per dimension of the matrix: (begin, end)
    binding: str

    def text(self):
        lows = [low for low, _ in self.bounds]
        highs = [high for _, high in self.bounds]
        args = {"cell": lows, "region": lows + highs, "row": lows[1:], "column": lows[:1], "all": None}[self.kind]
        return self.matrix.name + (f".{self.kind}({', '.join(args)})" if args is not None else "")

    def dims(self):
        """Of the matrix, as the body indexes them."""
        return {"row": [0], "column": [1], "cell": []}.get(self.kind, range(len(self.bounds)))


@dataclasses.dataclass
class Rule:
    is_secondary: bool
    variables: list         # (name, size), fastest first
    outputs: list           # Access
    inputs: list
    is_return_form: bool
    body: list
    where: str = ""


@dataclasses.dataclass
class Group:
    """The rules of one output, or of several that are made together; `order` is -1 where instances run downwards."""
    matrices: list
    rules: list
    order: int = 1


@functools.lru_cache(maxsize=None)
def compiled_formula(text):
    return compile(text, text, "eval")


def value_of(formula, values):
    return eval(compiled_formula(formula), {}, values)  # the texts are made here


class Transform:
    """`element`: what ElementT is. `groups` may be thinned out by whoever looks for the smallest failing one."""

    def __init__(self, name, seed, num_groups, element):
        self.name, self.element, self.rng = name, element, np.random.default_rng(seed)
        self.rejected = {}      # what bodies did wrong: how often
        self.functions = functions_of(element)
        self.constants = [(f"t{i}", *each) for i, each in enumerate(CONSTANTS)]
        self.inputs = [self.matrix(name, sizes, kind) for name, sizes, kind in (
            ("A", ["n"], ""), ("B", ["n", "m"], ""), ("C", ["n", "m", "l"], None), ("D", ["n"], None), ("F", ["n", "m"], None),
            ("G", ["m", "n"], None), ("H", ["2*n"], ""), ("P", ["m"], None), ("S", [], ""), ("K", [], "int"))]
        self.trials = [(sizes, self.random_inputs(sizes, np.random.default_rng(seed))) for sizes in TRIAL_SHAPES]
        self.known = [dict(zip((m.name for m in self.inputs), arrays)) for _, arrays in self.trials]
        self.groups = []
        for _ in range(num_groups):
            self.groups.append(self.make_group(len(self.groups)))

    # ---- chance

    def pick(self, *choices):
        return choices[int(self.rng.integers(len(choices)))]

    def chance(self, share):
        return self.rng.random() < share

    # ---- matrices

    def matrix(self, name, sizes, word=None):
        word = self.pick("", *ELEMENTS) if word is None else word
        return Matrix(name, word, word or self.element, sizes)

    def random_inputs(self, sizes, rng):
        """Arrays for the inputs: multiples of 1/8, so that much arithmetic is exact, and small whole numbers."""
        arrays = []
        for m in self.inputs:
            low, high = {"uchar": (0, 200), "ushort": (0, 300)}.get(m.type, (-30, 31))
            values = rng.integers(low, high, m.shape(sizes))
            arrays.append(np.asarray(values / 8 if tree.is_real(m.type) else values, dtype=ELEMENTS[m.type]))
        return arrays

    def constant_values(self):
        """The section `tunables` of all configurations."""
        return {name: value for name, _, _, value in self.constants}

    def outputs(self):
        return [m for group in self.groups for m in group.matrices]

    # ---- rules

    def make_group(self, number):
        """Rules whose bodies do nothing that C++ leaves open, on the trial inputs."""
        for attempt in range(MAX_TRIES):
            group = self.draw_group(number, simple=attempt > MAX_TRIES // 2)
            try:
                results = [self.tried(group, known, sizes) for known, (sizes, _) in zip(self.known, self.trials)]
            except Unsuitable as unsuitable:
                reason = str(unsuitable)
                self.rejected[reason] = self.rejected.get(reason, 0) + 1
                continue
            for known, arrays in zip(self.known, results):
                known.update(arrays)
            return group
        raise RuntimeError(f"no suitable body in {MAX_TRIES} attempts: {self.rejected}")

    def tried(self, group, known, sizes):
        """The outputs of a group; Unsuitable if they hang on rounding."""
        plain = self.evaluate_group(group, known, sizes, Arithmetic())
        for seed in range(2):
            noisy = self.evaluate_group(group, known, sizes, Arithmetic(np.random.default_rng(seed)))
            for name, want in plain.items():
                limit = TOLERANCE.get(want.dtype, 0) / 10
                scale = np.max(np.abs(want.astype(float)), initial=1)
                if np.any(np.abs(noisy[name].astype(float) - want) > limit * scale):
                    raise Unsuitable("the result hangs on rounding")
        return plain

    def draw_group(self, number, simple):
        sizes = self.pick(["n"], ["n"], ["n", "m"], ["n", "m"], ["n", "m"], ["m", "n"], ["n", "m", "l"])
        # The first groups are what kernels are made of: no program is without.
        kind = "cell" if number < NUM_CELL_GROUPS else self.pick("cell", "cell", "pair", "scan", "row", "all")
        if len(sizes) != 2 and kind == "row":
            kind = self.pick("cell", "block")
        if kind == "block":
            sizes = ["2*n", *sizes[1:]]
        matrices = [self.matrix(f"O{number}", sizes)]
        if kind == "pair":
            matrices.append(self.matrix(f"O{number}b", sizes))
        order = self.pick(1, -1) if kind == "scan" else 1
        shapes = {"row": "row" if self.chance(0.6) else "column", "all": "all", "block": "block"}
        access = shapes.get(kind, "cell")
        reach = self.draw_rule(matrices, access, False, simple, order if kind == "scan" else 0)
        rest = self.draw_rule(matrices, access, True, True, 0)
        return Group(matrices, [reach, rest], order)

    def draw_rule(self, matrices, kind, is_secondary, simple, scan):
        sizes = matrices[0].sizes
        names = self.pick("xyz", "ijk", ["col", "row", "plane"])[:len(sizes)]
        own = {"row": [1], "column": [0], "all": []}.get(kind, range(len(sizes)))
        variables = [(names[d], sizes[d].removeprefix("2*")) for d in own]
        bindings = [self.pick("o", "out", "global", "w") + str(i) for i in range(len(matrices))]
        outputs = [self.output_access(m, kind, names, binding) for m, binding in zip(matrices, bindings)]
        sources = self.inputs + self.outputs()
        inputs = [self.draw_access(self.pick(*sources), dict(variables), is_secondary, f"a{i}")
                  for i in range(1 + int(self.rng.integers(3)))]
        if scan:
            bounds = [(f"{v}", f"{v}+1") for v, _ in variables]
            low = f"{variables[0][0]}{'-' if scan > 0 else '+'}{self.pick(1, 1, 2)}"
            bounds[0] = (low, low + "+1")
            inputs.append(Access(matrices[0], "cell", bounds, "before"))
        is_return_form = len(matrices) == 1 and kind == "cell" and self.chance(0.6)
        rule = Rule(is_secondary, variables, outputs, inputs, is_return_form, [])
        if not is_secondary and variables and self.chance(0.2):
            rule.where = self.draw_where(variables)
        rule.body = self.draw_body(rule, 1 if simple else 1 + int(self.rng.integers(5)))
        return rule

    def draw_where(self, variables):
        (a, size), (b, _) = self.pick(*variables), self.pick(*variables)
        if a != b and self.chance(0.5):
            return self.pick(f"{a} < {b}", f"{a} >= {b}", f"{a} + {b} > 3", f"{a} == {b}")
        return self.pick(f"{a} > 2", f"{a} < {size} - 2", f"2*{a} < {size}", f"{a} != 4", f"{a} == 0", f"{a}*{a} > {size}")

    @staticmethod
    def output_access(matrix, kind, names, binding):
        if kind == "block":
            first = (f"2*{names[0]}", f"2*{names[0]}+2")
            return Access(matrix, "region", [first, *((v, f"{v}+1") for v in names[1:len(matrix.sizes)])], binding)
        whole = [("0", size) for size in matrix.sizes]
        cell = [(v, f"{v}+1") for v in names]
        bounds = {"cell": cell, "all": whole, "row": whole[:1] + cell[1:], "column": cell[:1] + whole[1:]}[kind]
        return Access(matrix, kind, bounds, binding)

    def draw_access(self, matrix, variables, is_everywhere, binding):
        """An input; inside of its matrix in every instance if `is_everywhere`."""
        over = {size: var for var, size in variables.items()}
        whole = [("0", size) for size in matrix.sizes]
        is_reached = all(size in over or size == "2*n" and "n" in over for size in matrix.sizes)
        kind = self.pick("cell", "cell", "region", "region", "all", "row", "column")
        if kind in ("row", "column"):
            d = 1 if kind == "row" else 0
            if len(matrix.sizes) != 2 or matrix.sizes[d] not in over:
                kind = "all"
            else:
                whole[d] = self.coordinate(over, matrix.sizes[d], 1, is_everywhere)
                return Access(matrix, kind, whole, binding)
        if kind == "all" or not matrix.sizes or (is_everywhere and not is_reached):
            return Access(matrix, "all", whole, binding)
        length = lambda: 1 if kind == "cell" or is_everywhere else int(self.rng.integers(1, 4))  # noqa: E731
        bounds = [self.coordinate(over, size, length(), is_everywhere) if size in over or size == "2*n" and "n" in over else
                  ("0", size) if kind == "region" else ("0", "1") for size in matrix.sizes]
        return Access(matrix, kind, bounds, binding)

    def coordinate(self, over, size, length, is_everywhere):
        if size == "2*n":
            low = f"2*{over['n']}" + ("" if is_everywhere else self.pick("", "", "+1", "-1"))
        elif is_everywhere:
            low = self.pick(over[size], over[size], f"{size}-1-{over[size]}")
        else:
            var = over[size]
            low = self.pick(var, var, f"{var}-1", f"{var}+1", f"{var}-2", f"{size}-1-{var}", f"{size}-{var}")
        return low, f"{low}+{length}"

    # ---- bodies

    def draw_body(self, rule, count):
        surroundings = self.surroundings(rule)
        result = rule.outputs[0].matrix.type if rule.is_return_form else None
        maker = BodyMaker(self.rng, surroundings, result)
        if rule.is_return_form:
            stmts = maker.body(count)
            return [*stmts, tree.Return(maker.assigned(result, 4))]
        if rule.outputs[0].kind != "cell":
            stmts = [s for region in surroundings.regions if region.is_output for s in filled(maker, region)]
            return [*stmts, *maker.body(count)]
        outputs = [Number(o.binding, o.matrix.type, True) for o in rule.outputs]
        is_first = self.chance(0.5)
        maker.may_leave = False
        stmts = [] if is_first else maker.body(count)
        for output in outputs:
            stmts.append(tree.Assign(tree.Name(output.name, output.type), "=", maker.assigned(output.type, 4)))
            maker.scopes[-1].append(output)
        maker.may_leave = True
        return stmts + (maker.body(count) if is_first else [])

    def surroundings(self, rule):
        positive = {size for _, size in rule.variables}
        numbers = [Number(size, "int") for size in ("n", "m", "l")]
        numbers += [Number(var, "int", False, size) for var, size in rule.variables]
        numbers += [Number("S", self.element), Number("K", "int")]
        arrays, regions = [], []
        for name, _, kind, value in self.constants:
            arrays += [Array(name, kind, len(value), False)] if isinstance(value, list) else []
            numbers += [] if isinstance(value, list) else [Number(name, kind)]
        for access in rule.inputs + rule.outputs:
            if access in rule.outputs and (rule.is_return_form or access.kind == "cell"):
                continue
            if access.kind == "cell" or not access.bounds:
                numbers.append(Number(access.binding, access.matrix.type))
                continue
            extents = [self.extent_of(*access.bounds[d]) for d in access.dims()]
            regions.append(Region(access.binding, access.matrix.type, extents, access in rule.outputs))
        functions = [(name, *self.functions[name][:2]) for name in ("SQUARE", "MIDDLE", "SQUARE", "MIDDLE", "halved")]
        return Surroundings(self.element, numbers, arrays, regions, positive, functions)

    @staticmethod
    def extent_of(low, high):
        """The length of a bound that a body may name: an integer, or a size variable, the smaller one of `2*n`."""
        if (low, high) == ("0", "2*n"):
            return "n"
        return high if low == "0" and high.isalpha() else value_of(f"({high})-({low})", dict.fromkeys(
            ("n", "m", "l", "x", "y", "z", "i", "j", "k", "col", "row", "plane"), 7))

    # ---- what they compute

    def evaluate(self, arrays, sizes):
        """{output: array} for inputs."""
        known = dict(zip((m.name for m in self.inputs), arrays))
        for group in self.groups:
            known.update(self.evaluate_group(group, known, sizes, Arithmetic()))
        return {m.name: known[m.name] for m in self.outputs()}

    def hangs_on_rounding(self, arrays, sizes):
        """Whether the outputs for these inputs do; bodies were only tried on others."""
        known = dict(zip((m.name for m in self.inputs), arrays))
        try:
            for group in self.groups:
                known.update(self.tried(group, known, sizes))
        except Unsuitable:
            return True
        return False

    def evaluate_group(self, group, known, sizes, arithmetic):
        made = {m.name: np.full(m.shape(sizes), None, dtype=object) for m in group.matrices}
        matrices = {**known, **made}
        bodies = [self.compiled(rule, arithmetic) for rule in group.rules]
        limits = [value_of(size, sizes) for _, size in group.rules[0].variables]
        for place in np.ndindex(*reversed(limits)):
            place = tuple(reversed(place))
            if group.order < 0:
                place = tuple(limit - 1 - i for limit, i in zip(limits, place))
            for rule, body in zip(group.rules, bodies):
                values = dict(zip((v for v, _ in rule.variables), place))
                if self.is_inside(rule, {**sizes, **values}):
                    self.run_instance(rule, body, matrices, {**sizes, **values})
                    break
        for m in group.matrices:
            if made[m.name].size and any(v is None for v in made[m.name].flat):
                raise Unsuitable("a cell is not written")
        return {m.name: made[m.name].astype(ELEMENTS[m.type]) for m in group.matrices}

    @staticmethod
    def is_inside(rule, values):
        if rule.where and not value_of(rule.where, values):
            return False
        return all(0 <= value_of(low, values) and value_of(high, values) <= value_of(size, values)
                   for access in rule.inputs if access.kind != "all"
                   for (low, high), size in zip(access.bounds, access.matrix.sizes))

    def compiled(self, rule, arithmetic):
        given = self.surroundings(rule)
        types = {each.name: each.type for each in given.numbers + given.arrays}
        outputs = [] if rule.is_return_form else [o for o in rule.outputs if o.kind == "cell"]
        types.update({o.binding: o.matrix.type for o in outputs})
        result = rule.outputs[0].matrix.type if rule.is_return_form else None
        meanings = {name: (params, meaning) for name, (params, _, meaning) in self.functions.items()}
        return Compiled(rule.body, types, meanings, arithmetic, result, [o.binding for o in outputs])

    def run_instance(self, rule, body, matrices, values):
        outer = dict(values)
        outer.update({name: value for name, _, _, value in self.constants})
        for name in ("S", "K"):
            outer[name] = matrices[name].item()
        for access in rule.inputs:
            outer[access.binding] = self.view(access, matrices, values)
        cells = rule.outputs[0].kind == "cell"
        for access in () if cells else rule.outputs:
            outer[access.binding] = self.view(access, matrices, values)
        found = body(outer)
        if not cells:
            return
        for access, value in zip(rule.outputs, [found] if rule.is_return_form else found):
            place = tuple(value_of(low, values) for low, _ in reversed(access.bounds))
            matrices[access.matrix.name][place] = value

    @staticmethod
    def view(access, matrices, values):
        array = matrices[access.matrix.name]
        places = [(value_of(low, values), value_of(high, values)) for low, high in access.bounds]
        if access.kind == "cell" or not places:
            value = array[tuple(low for low, _ in reversed(places))]
            return value.item() if hasattr(value, "item") else value
        view = array[tuple(slice(low, high) for low, high in reversed(places))]
        if access.kind in ("row", "column"):
            return view[0] if access.kind == "row" else view[:, 0]
        return view

    # ---- text

    def text(self):
        def listed(matrices):
            return ", ".join(f"{m.word} {m.name}".strip() + (f"[{', '.join(m.sizes)}]" if m.sizes else "") for m in matrices)
        lines = [f"transform {self.name}", f"from {listed(self.inputs)}", f"to {listed(self.outputs())}"]
        lines += [text.format(name) for name, text, _, _ in self.constants]
        lines += ["{", *(line for group in self.groups for rule in group.rules for line in self.rule_lines(rule)), "}"]
        return "\n".join(lines) + "\n"

    @staticmethod
    def rule_lines(rule):
        inputs = ", ".join(f"{access.text()} {access.binding}" for access in rule.inputs)
        outputs = rule.outputs[0].text() if rule.is_return_form else \
            "to (" + ", ".join(f"{access.text()} {access.binding}" for access in rule.outputs) + ")"
        where = f" where {rule.where}" if rule.where else ""
        head = f"  {'secondary ' if rule.is_secondary else ''}{outputs} from ({inputs}){where} {{"
        return [head, *tree.lines_of(rule.body, "    "), "  }"]
