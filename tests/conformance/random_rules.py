# SPDX-License-Identifier: MIT
"""Random transforms whose rules have random bodies.

Each group of rules makes one output or temporary, or several together: rules over windows, rows, whole matrices, versions or
their own output, and a secondary rule for the cells that they do not reach. Rules may have twins: other ways to compute the same.
"""

import numpy as np

import body_tree as tree
import random_data
import random_functions
from runner import difference
from body_reference import Arithmetic, Unsuitable
from random_access import RuleHeads
from random_handles import HandleMaker
from random_ends import ends_body
from random_loops import filled
from random_nests import Nests, can_make
from restated import restated
from rule_reference import ELEMENTS, reference_of
from rule_tree import Access, Group, Matrix, Rule
from visible_names import Array, Number, Region, Surroundings

TOLERANCE = {np.dtype(np.float64): 1e-9, np.dtype(np.float32): 1e-4}    # as `tolerance` without a clause; integers agree exactly
MAX_TRIES = 60
NUM_CELL_GROUPS = 4
NUM_NESTS = 2
TRIAL_SHAPES = ({"n": 5, "m": 3, "l": 2}, {"n": 1, "m": 1, "l": 1}, {"n": 2, "m": 6, "l": 1})
MAIN_INPUTS = (("A", ["n"], ""), ("B", ["n", "m"], ""), ("C", ["n", "m", "l"], None), ("D", ["n"], None), ("F", ["n", "m"], None),
               ("G", ["m", "n"], None), ("H", ["2*n"], ""), ("P", ["m"], None), ("E", ["n", "l", "m", "2"], None), ("S", [], ""),
               ("K", [], "int"))
CALLEE_INPUTS = ((("X", ["n"], None), ("Y", ["n", "m"], None), ("K", [], "int")), (("X", ["n"], ""), ("S", [], "")),
                 (("X", ["n", "m"], ""), ("Y", ["m"], None), ("S", [], ""), ("K", [], "int")))
SPECIAL = (np.nan, np.nan, np.inf, -np.inf, 0.0, -0.0)
SPECIAL_SHARE = 0.8     # the share of special inputs, in a transform that has some
TWIN_SHARE = 0.3        # the share of rules that have a twin
ENDS_SHARE = 0.3        # the share of rules that write numbers whose bodies are loops that end by data
RECURSIVE_SHARE = 0.35  # the share of callees that call themselves
TAME_ELEMENT_SHARE = 0.75   # the share of matrices whose type is not drawn: ElementT (in tame programs)
TEMPLATE = ("T", 1, 3)


class Transform(RuleHeads, Nests):
    """A random transform. `groups` holds its groups of rules; smaller.py takes some of them away.

    `element` is the type for which ElementT stands. Bodies may call the transforms `callees`. If `is_main`, the transform has many
    inputs, else the few of a callee. If `is_tame`, it is made of nests and of other groups with short bodies. If `is_special`, some
    inputs hold infinities, NaN and zeros of both signs.
    """

    # Constants with their text, type and the value in all configurations, which is not the initial one.
    CONSTANTS = [("tunable {}(3, 1, 8)", "int", 5), ("tunable double {}(0.5, 0.0, 2.0)", "double", 0.75),
                 ("tunable array(3) {}(2, 0, 9)", "int", [4, 0, 7]), ("tunable double array(2) {}(1.25, 0.0, 2.0)", "double", [0.25, 1.5]),
                 ("config {}(2, 0, 5)", "int", 3)]

    def __init__(self, name, rng, num_groups, element, callees=(), is_main=True, is_tame=False, is_special=False):
        self.name, self.element, self.rng, self.callees, self.is_main = name, element, rng, list(callees), is_main
        self.is_tame, self.is_special = is_tame, is_special
        self.rejected = {}      # how often bodies were rejected, by the reason
        self.constants = [(f"t{i}", *each) for i, each in enumerate(self.CONSTANTS)] if is_main else []
        self.params = {"p0": int(rng.integers(0, 9))} if is_main and self.chance(0.3) else {}
        self.template = (*TEMPLATE, int(rng.integers(1, 4))) if not is_main and self.chance(0.4) else ()
        self.modifier = self.pick("", "", "memoized ") if not is_main else "main "
        header = self.pick(*CALLEE_INPUTS) if not is_main else [each for each in MAIN_INPUTS if not is_tame or each[0] not in "EH"]
        self.inputs = [self.matrix(*each) for each in header]
        self.special = {m.name for m in self.inputs if is_special and tree.is_real(m.type) and self.chance(SPECIAL_SHARE)}
        self.size_names = [size for size in ("n", "m", "l") if any(size in m.sizes for m in self.inputs)]
        self.trials = [(sizes, self.random_inputs(sizes, np.random.default_rng(5))) for sizes in TRIAL_SHAPES]
        self.known = [dict(zip((m.name for m in self.inputs), arrays)) for _, arrays in self.trials]
        self.groups = []
        is_recursive = not is_main and not is_tame and self.chance(RECURSIVE_SHARE)
        for number in range(1 if is_recursive else num_groups):
            self.make_group(number, is_recursive)
        if not self.outputs():
            for m in self.groups[-1].matrices:
                m.role = "to"

    @property
    def called_as(self):
        return self.name + (f"<{self.template[3]}>" if self.template else "")

    # ---- matrices

    def matrix(self, name, sizes, word=None, role="from", versions=""):
        if word is None:  # matrices that transforms pass to each other are mostly of one type
            word = "" if self.is_tame and self.chance(TAME_ELEMENT_SHARE) else self.pick("", *ELEMENTS)
        return Matrix(name, word, word or self.element, sizes, role, versions)

    def random_inputs(self, sizes, rng):
        """Arrays for the inputs: multiples of 1/8, so that much arithmetic is exact, and small whole numbers."""
        arrays = []
        for m in self.inputs:
            low, high = {"uchar": (0, 200), "ushort": (0, 300)}.get(m.type, (-30, 31))
            values = rng.integers(low, high, m.shape(sizes))
            values = np.asarray(values / 8 if tree.is_real(m.type) else values, dtype=ELEMENTS[m.type])
            if m.name in self.special:
                values = np.where(rng.random(values.shape) < 0.3, rng.choice(SPECIAL, values.shape), values).astype(values.dtype)
            arrays.append(values)
        return arrays

    def constant_values(self):
        """The section `tunables` of all configurations."""
        return {name: value for name, _, _, value in self.constants}

    def constants_of(self, rule):
        """Numbers that a body sees beside sizes and variables."""
        values = {**self.constant_values(), **self.params}
        for name, least, *_, in [rule.duplicate] if rule.duplicate else []:
            values[name] = least
        if self.template:
            values[self.template[0]] = self.template[3]
        return values

    def numbers_known(self):
        """The 0-D inputs, which bodies see under the matrix' name."""
        return [m.name for m in self.inputs if not m.sizes]

    def made(self):
        return [m for group in self.groups for m in group.matrices]

    def outputs(self):
        return [m for m in self.made() if m.role == "to"]

    # ---- groups

    def make_group(self, number, is_recursive=False):
        """Adds rules whose bodies do nothing that C++ leaves open, on the trial inputs."""
        for attempt in range(MAX_TRIES):
            group = self.draw_next(number, attempt, is_recursive)
            self.groups.append(group)
            try:
                results = [self.tried(group, known, sizes) for known, (sizes, _) in zip(self.known, self.trials)]
            except Unsuitable as unsuitable:
                reason = str(unsuitable)
                self.rejected[reason] = self.rejected.get(reason, 0) + 1
                self.groups.pop()
                continue
            for known, arrays in zip(self.known, results):
                known.update(arrays)
            return
        raise RuntimeError(f"no suitable body in {MAX_TRIES} attempts: {self.rejected}")

    def draw_next(self, number, attempt, is_recursive):
        if is_recursive:
            return self.draw_recursion()
        return self.draw_tame(number) if self.is_tame else self.draw_group(number, simple=attempt > MAX_TRIES // 2)

    def tried(self, group, known, sizes):
        """The outputs of a group. Raises Unsuitable if they depend on rounding."""
        plain = reference_of(self, group, Arithmetic(None, self.is_special)).run(known, sizes)
        for seed in range(2):
            noisy = reference_of(self, group, Arithmetic(np.random.default_rng(seed), self.is_special)).run(known, sizes)
            for name, want in plain.items():
                if difference(noisy[name], want, TOLERANCE.get(want.dtype, 0) / 10, self.is_special):
                    raise Unsuitable("the result depends on rounding")
        return plain

    def draw_group(self, number, simple, kind=None):
        # The first groups are those that kernels are made of, so every program has some.
        kinds = ("cell", "cell", "cell", "pair", "scan", "row", "all", "mixed", "versions", "number", *(["call"] * 3 if self.callees else []))
        kind = kind or ("cell" if number < NUM_CELL_GROUPS and self.is_main else self.pick(*kinds))
        matrices, access = self.draw_outputs(number, kind)
        order = self.pick(1, -1) if kind == "scan" else 1
        rules = [self.draw_rule(matrices, access, False, simple, kind, order)]
        if kind == "versions":
            rules.append(self.draw_rule(matrices, access, False, True, "first version", 1))
            rules.append(self.draw_rule(matrices, access, True, True, kind, 1))
        else:
            rules.append(self.draw_rule(matrices, access, True, True, "call" if kind == "call" else "", 0))
        twins = [restated(rule, self.rng) for rule in rules if not rule.duplicate and self.chance(0.1 if self.is_tame else TWIN_SHARE)]
        return Group(matrices, [rules[0], *twins, *rules[1:]], order)

    def draw_tame(self, number):
        """The main transform begins with a nest; what it calls is mostly what devices run."""
        kinds = ("nest", "halves", "cell", "cell", "scan", "pair") if self.is_main else ("cell",) * 8 + ("pair", "row", "all", "nest")
        kind = "nest" if self.is_main and number < NUM_NESTS else self.pick(*kinds)
        if kind == "halves" and self.is_main:
            return self.draw_halves(number)
        nest = self.draw_nest(number) if kind == "nest" else None
        return nest or self.draw_group(number, True, "cell" if kind in ("halves", "nest") else kind)

    def draw_recursion(self):
        """A transform that calls itself for the parts of its data."""
        m = self.matrix("Z", self.pick(*[m.sizes for m in self.inputs if "n" in m.sizes]), role="to")
        rule = Rule(False, [], [self.output_access(m, "all", [], "z")], [], False, [])
        rule.inputs = [Access(m, "all", [("0", size) for size in m.sizes], f"in{m.name}") for m in self.inputs if m.sizes]
        maker = HandleMaker(self.rng, self.surroundings(rule))
        maker.scopes.append([])
        rule.body = maker.halves(self, rule.outputs[0], self.name + (f"<{self.template[0]}>" if self.template else ""))
        rule.body += maker.statements(int(self.rng.integers(4)), 2)
        return Group([m], [rule, *([restated(rule, self.rng)] if self.chance(0.5) else [])])

    # ---- rules

    def draw_rule(self, matrices, kinds, is_secondary, simple, group_kind, order):
        rule = self.draw_head(matrices, kinds, is_secondary, group_kind, order)
        if not is_secondary and rule.variables and self.chance(0.2) and group_kind != "first version":
            rule.where = self.draw_where(rule.variables)
            is_tested = any(f"{v}*{v}" in rule.where for v, _ in rule.variables)
            if is_tested and group_kind == "versions" and not rule.reads_before():
                rule.where = ""  # instances of a rule that names a version are not those of one that counts them
        rule.is_return_form = len(matrices) == 1 and rule.outputs[0].is_number() and self.chance(0.6) and group_kind != "call"
        if self.is_tame:
            rule.body = self.tame_body(rule)
            return rule
        is_plain = len(self.groups) < NUM_CELL_GROUPS and self.is_main
        if not is_plain and self.chance(0.1):
            rule.duplicate = ("U", 1, 3)
        if not is_plain and self.chance(0.1):
            sizes = [self.pick("3", *[size for _, size in rule.variables if size.isalpha()]) for _ in range(self.pick(1, 2))]
            rule.using = [self.matrix("tmp", sizes, role="using")]
        rule.body = self.draw_body(rule, 1 if simple else 1 + int(self.rng.integers(5)), is_plain, group_kind == "call")
        return rule

    def draw_body(self, rule, count, is_plain, with_call):
        surroundings = self.surroundings(rule)
        result = rule.outputs[0].matrix.type if rule.is_return_form else None
        maker = HandleMaker(self.rng, surroundings, result)
        maker.scopes.append([])
        maker.may_leave = False
        before = self.prelude(rule, maker, surroundings, is_plain, with_call)
        maker.may_leave = True
        numbers = [Number(o.binding, o.matrix.type, True) for o in rule.number_outputs()]
        if (rule.is_return_form or len(numbers) == len(rule.outputs)) and not with_call and self.chance(ENDS_SHARE):
            return [*before, *ends_body(maker, numbers, result)]
        if rule.is_return_form:
            return [*before, *maker.statements(count, 2), tree.Return(maker.assigned(result, 4))]
        fills = [s for region in list(surroundings.regions) if region.name in [o.binding for o in rule.outputs]
                 for s in filled(maker, region)]
        is_first = self.chance(0.5) or bool(fills)
        maker.may_leave = False
        stmts = [] if is_first else maker.statements(count, 2)
        for output in numbers:
            stmts.append(tree.Assign(tree.Name(output.name, output.type), "=", maker.assigned(output.type, 4)))
            maker.scopes[-1].append(output)
        maker.may_leave = True
        return before + fills + stmts + (maker.statements(count, 2) if is_first else [])

    def prelude(self, rule, maker, surroundings, is_plain, with_call):
        """What comes first: optional inputs, temporaries, handles, calls."""
        stmts = self.optional_stmts(rule, maker)
        for m in rule.using:
            region = Region(m.name, m.type, [int(size) if size.isdigit() else size for size in m.sizes], True)
            maker.regions.append(region)
            stmts += filled(maker, region)
            region.is_output = self.chance(0.3)
        if rule.duplicate:
            stmts += maker.strip_stmts(rule.duplicate[0])
        for _ in range(0 if is_plain else int(self.rng.integers(3))):
            if self.chance(0.25):
                stmts += self.pick(maker.handle_stmts, maker.function_stmts)()
        for _ in range(1 + int(self.rng.integers(2)) if with_call else 0):
            stmts += maker.call_stmts(self.pick(*self.callees))
        return stmts

    @staticmethod
    def optional_stmts(rule, maker):
        """What optional inputs without a default are where they are missing."""
        stmts = []
        for access in rule.inputs:
            if access.default == "OPTIONAL":
                word = "ElementT" if not access.matrix.word else tree.WORDS.get(access.matrix.type, access.matrix.type)
                other = tree.Literal("7", 7, "int")
                value = tree.Conditional(tree.Missing(access.binding), maker.cast(other, word, access.matrix.type),
                                         tree.Name(access.binding, access.matrix.type), access.matrix.type)
                stmts.append(tree.Declare("const " + word, access.matrix.type, f"safe_{access.binding}", value))
                maker.scopes[-1].append(Number(f"safe_{access.binding}", access.matrix.type))
        return stmts

    def surroundings(self, rule):
        positive = {size for _, size in rule.variables}
        numbers = [Number(size, "int") for size in self.size_names]
        numbers += [Number(name, "int") for name in self.params]
        numbers += [Number(var, "int", False, size if size.isalpha() else None) for var, size in rule.variables]
        numbers += [Number(m.name, m.type) for m in self.inputs if not m.sizes]
        numbers += [Number(self.template[0], "int", False, self.template[2] + 1)] if self.template else []
        arrays, regions = [], []
        for name, _, kind, value in self.constants:
            arrays += [Array(name, kind, len(value), False)] if isinstance(value, list) else []
            numbers += [] if isinstance(value, list) else [Number(name, kind)]
        for access in rule.inputs:
            if access.is_number():
                numbers += [Number(access.binding, access.matrix.type)] if access.default != "OPTIONAL" else []
        for access in rule.inputs + rule.outputs:
            is_output = any(access is output for output in rule.outputs)
            if access.is_number() or (is_output and rule.is_return_form):
                continue
            extents = [self.extent_of(*access.bounds[d]) for d in access.dims()]
            is_exact = all(access.bounds[d] != ("0", "2*n") for d in access.dims())
            regions.append(Region(access.binding, access.matrix.type, extents, is_output, is_exact))
        functions = [(name, *random_functions.OF_NUMBERS[name][:2]) for name in ("SQUARE", "MIDDLE", "SQUARE", "MIDDLE", "halved")]
        return Surroundings(self.element, numbers, arrays, regions, positive, functions)

    # ---- what they compute

    def meanings(self):
        return random_functions.meanings()

    def evaluate(self, arrays, sizes, arithmetic=None):
        """The outputs for inputs, as {output: array}."""
        known = dict(zip((m.name for m in self.inputs), arrays))
        for group in self.groups:
            known.update(reference_of(self, group, arithmetic or Arithmetic(None, self.is_special)).run(known, sizes))
        return {m.name: known[m.name] for m in self.outputs()}

    def called(self, inputs, outputs, arithmetic):
        """The outputs of a call; sizes follow from the arguments."""
        sizes, arrays = {}, []
        for m, value in zip(self.inputs, inputs):
            array = np.asarray(value)
            if array.dtype == object and any(v is None for v in array.flat):
                raise Unsuitable("an element is not initialised")
            if any(sizes.setdefault(size, extent) != extent for size, extent in zip(reversed(m.sizes), array.shape)):
                raise Unsuitable("arguments of a call do not fit each other")
            arrays.append(array.astype(ELEMENTS[m.type]))
        made = list(self.evaluate(arrays, sizes, arithmetic).values())
        if any(out is not None and out.shape != array.shape for out, array in zip(outputs, made)):
            raise Unsuitable("arguments of a call do not fit each other")
        return made

    def depends_on_rounding(self, arrays, sizes):
        """Whether the outputs for these inputs depend on rounding; bodies were only tried on others."""
        known = dict(zip((m.name for m in self.inputs), arrays))
        try:
            for group in self.groups:
                known.update(self.tried(group, known, sizes))
        except Unsuitable:
            return True
        return False

    # ---- text

    def text(self):
        def listed(matrices):
            return ", ".join(m.text() for m in matrices)
        temporaries = [m for m in self.made() if m.role == "through"]
        lines = [f"{self.modifier}transform {self.name}", *(f"param {name}" for name in self.params)]
        lines += ["template <{}({}, {})>".format(*self.template)] if self.template else []
        lines += [f"from {listed(self.inputs)}", *([f"through {listed(temporaries)}"] if temporaries else []), f"to {listed(self.outputs())}"]
        lines += [text.format(name) for name, text, _, _ in self.constants]
        lines += ["{", *(line for group in self.groups for rule in group.rules for line in rule.lines()), "}"]
        return "\n".join(lines) + "\n"


class Program:
    """The main transform R and what it calls, from one seed."""

    def __init__(self, seed, num_groups, element, is_tame=False, is_special=False):
        rng = np.random.default_rng(seed)
        callees = []
        for i in range(int(rng.integers(1, 3 if is_tame else 4))):
            callees.append(Transform(f"Part{i}", rng, 1 + int(rng.random() < (0.2 if is_tame else 0.5)), element, callees[:i], False, is_tame, is_special))
        while is_tame and not any(can_make(each, element, ["n"]) for each in callees):
            callees.append(Transform(f"Part{len(callees)}", rng, 1, element, callees[:1], False, True, is_special))
        self.main = Transform("R", rng, num_groups, element, callees, True, is_tame, is_special)
        # Ranges have a generator of their own, so that the rules depend on the seed alone.
        of_ranges = np.random.default_rng([seed, 1])
        if of_ranges.random() < random_data.RANGED_SHARE:
            random_data.draw_ranges(self.main.inputs, of_ranges)

    def transforms(self):
        """What is called first, then the main one; what nobody calls any more is left out."""
        used, todo = [], [self.main]
        while todo:
            transform = todo.pop()
            if transform not in used:
                used.append(transform)
                todo += [call.transform for call in tree.nodes_in([r.body for g in transform.groups for r in g.rules], tree.CallTransform)]
        return used[::-1]

    def text(self):
        return random_functions.TEXT + "\n".join(t.text() for t in self.transforms())
