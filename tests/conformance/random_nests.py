# SPDX-License-Identifier: MIT
"""Random nests: matrices whose versions, rows or columns are made one after the other, by cells and by calls of transforms.

Their bodies are tame: numbers that are computed from each other many times stay small.
"""

import body_tree as tree
from body_tree import Assign, Literal, Name, View, is_real, zero
from random_access import VARIABLES
from visible_names import Number, Region
from random_handles import HandleMaker
from random_loops import each_cell
from restated import restated
from rule_tree import BORDERS, Access, Group, Nest, Rule

TWIN_SHARE = 0.1
FORMS = ("versions",) * 4 + ("rows",) * 3 + ("columns",) * 2 + ("planes", "tiles")
INPUT_NAMES = ("a0", "a1", "a2", "a3", "before", "safe_", "sum")


class TameMaker(HandleMaker):
    """Bodies whose values stay about as large as their inputs."""

    def operand(self, real):
        """An operand: mostly an input of the rule, a number or a cell of a region. `real`: or else a whole number."""
        numbers = [n for n in self.visible(Number) if real or not is_real(n.type)]
        regions = [r for r in self.readable() if all(map(self.is_positive, r.extents)) and (real or not is_real(r.type))]
        found = [n for n in numbers if n.name.startswith(INPUT_NAMES)] + regions
        found = found if found and self.chance(0.9) else found + numbers
        if not found:
            return Literal("2", 2, "int")
        chosen = self.pick(*found)
        return self.cell(chosen) if isinstance(chosen, Region) else Name(chosen.name, chosen.type)

    def leading(self, real):
        """The leading operand: mostly the first input, on which the order of a nest hangs."""
        found = [Name(n.name, n.type) for n in self.visible(Number) if n.name == "a0"]
        found += [self.cell(r) for r in self.readable() if r.name == "a0" and all(map(self.is_positive, r.extents))]
        if not found or self.chance(0.1):
            return self.operand(real)
        return found[0] if real or not is_real(found[0].type) else self.cast(found[0], "int", "int")

    def assigned(self, kind, depth):
        return self.tame(kind) if self.chance(0.9) else super().assigned(kind, depth)

    def statements(self, count, depth):
        return super().statements(count, depth) if self.chance(0.1) else []

    def tame(self, kind):
        """A value for a variable of a type."""
        return self.tame_real(kind) if is_real(kind) else self.tame_integer()

    def tame_real(self, kind):
        a, b = self.leading(True), self.operand(True)
        half, quarter = Literal("0.5", 0.5, "double"), Literal("0.25", 0.25, "double")
        form = int(self.rng.integers(7))
        scaled = self.binary("*", a, half)
        if form == 0:
            return self.binary("+", scaled, self.binary("*", b, quarter))
        if form == 1:
            return self.binary("-", self.binary("*", b, quarter), self.binary("-", scaled, Literal("1.5", 1.5, "double")))
        if form == 2:
            return self.lesser(scaled, self.binary("+", b, half))
        if form == 3:
            return self.binary("*", self.call("fabs", [self.binary("-", a, b)]), half)
        if form == 4:
            return self.conditional(self.binary(self.pick("<", ">="), a, b), scaled, self.binary("-", b, Literal("1", 1, "int")))
        if form == 5:
            return self.binary("+", scaled, Literal("1", 1, "int"))
        return self.binary("-", self.cast(a, "ElementT", self.given.element), half)

    def tame_integer(self):
        a, b = self.leading(False), self.operand(False)
        form = int(self.rng.integers(4))
        modulus = Literal("101", 101, "int")
        if form == 0:
            return self.binary("%", self.binary("+", self.binary("%", a, modulus), self.binary("*", Literal("3", 3, "int"),
                                                                                               self.binary("%", b, modulus))), modulus)
        if form == 1:
            return self.lesser(self.binary("%", a, modulus), self.binary("&", b, Literal("0x3F", 63, "int")))
        if form == 2:
            return self.binary("&", self.binary("^", a, b), Literal("127", 127, "int"))
        return self.binary("%", self.binary("+", self.binary("/", a, Literal("2", 2, "int")), Literal("1", 1, "int")), modulus)

    def sum_of(self, region):
        """A small number that depends on every cell of a region."""
        self.num_handles += 1
        name = f"sum{self.num_handles}"
        kind = "double" if is_real(region.type) else "long"
        part = (lambda cell: self.binary("*", cell, Literal("0.03125", 0.03125, "double"))) if is_real(region.type) else \
            (lambda cell: self.binary("%", cell, Literal("7", 7, "int")))
        loops = each_cell(self, region, lambda cell: [Assign(Name(name, kind), "+=", part(cell))], True)
        self.scopes[-1].append(Number(name, kind))
        return [tree.Declare(kind, kind, name, zero()), *loops]


class Nests:
    """Part of random_rules.Transform, whose matrices, groups and generator of random numbers it uses."""

    # ---- tame bodies

    def tame_body(self, rule):
        maker = self.tame_maker(rule)
        stmts = self.optional_stmts(rule, maker)
        if rule.is_return_form:
            return [*stmts, tree.Return(maker.tame(rule.outputs[0].matrix.type))]
        for region in [r for r in maker.regions if r.is_output]:
            stmts += each_cell(maker, region, lambda cell: [Assign(cell, "=", maker.tame(cell.type))], True)
        return stmts + [Assign(Name(o.binding, o.matrix.type), "=", maker.tame(o.matrix.type)) for o in rule.number_outputs()]

    def tame_maker(self, rule):
        maker = TameMaker(self.rng, self.surroundings(rule))
        maker.scopes.append([])
        return maker

    def call_body(self, rule):
        """Calls that make the output, and what the host does with it, its inputs and other matrices before and after."""
        maker = self.tame_maker(rule)
        target = next(r for r in maker.regions if r.is_output)
        stmts = self.optional_stmts(rule, maker)
        for m in rule.using:
            region = Region(m.name, m.type, list(m.sizes), True)
            maker.regions.append(region)
            callee = self.pick(*self.fitting(m.type, region.extents))
            stmts += maker.call_stmts(callee, region)
            region.is_output = False
        if self.chance(0.3):
            stmts += maker.handle_stmts()
        if self.chance(0.3):
            kept = Region("kept", target.type, target.extents, True)
            word = maker.handle_word(target.type, len(target.extents), False)
            stmts.append(tree.DeclareRegion(word, kept.name, View(target.name, "", [], target.type)))
            maker.regions.remove(target)
            maker.regions.append(kept)
            target = kept
        if self.chance(0.2):
            stmts += each_cell(maker, target, lambda cell: [Assign(cell, "=", maker.tame(cell.type))], True)
        stmts += maker.call_stmts(self.pick(*self.fitting(target.type, target.extents)), target)
        return stmts + self.after_call(maker, target)

    def after_call(self, maker, target):
        """The host changes the result, reads it, or lets another transform read it."""
        form = int(self.rng.integers(12))
        if form > 5 or form < 2:
            return []
        stmts = []
        if form >= 4:
            target.is_output = False
            stmts += maker.sum_of(target)
            target.is_output = True
        change = (lambda cell: [Assign(cell, "=", maker.tame(cell.type))]) if self.chance(0.5) else \
            (lambda cell: [Assign(cell, "-=", Literal("1", 1, "int"))])
        if form != 5:
            stmts += each_cell(maker, target, change, False)
        if form in (3, 5):
            target.is_output = False
            callee = self.pick(*self.fitting(target.type, target.extents))
            stmts += maker.call_stmts(callee)
        return stmts

    def fitting(self, kind, extents):
        """The callees whose first output can be a matrix of this type and these extents."""
        return [c for c in self.callees if can_make(c, kind, extents)]

    # ---- nests

    def draw_nest(self, number):
        form = self.pick(*FORMS)
        whole = self.nest_shape(form)
        if whole is None:
            return None
        sizes, dim, versions = whole
        slice_sizes = sizes[:dim] + sizes[dim + 1:]
        words = [c.outputs()[0].word for c in self.callees if self.fitting(c.outputs()[0].type, slice_sizes)]
        members = []
        count = self.pick(1, 2, 2, 2, 3)
        matrices = [self.matrix(f"O{number}{'abc'[i]}", list(sizes), self.pick(*words, "") if words else "",
                                "to" if i == count - 1 else "through", versions) for i in range(count)]
        by_cell = form == "tiles"
        caller = int(self.rng.integers(count))
        for i, m in enumerate(matrices):
            is_call = not by_cell and bool(self.fitting(m.type, slice_sizes)) and (i == caller or count > 2 and self.chance(0.3))
            members.append(self.draw_member(matrices, i, dim, is_call, by_cell))
        return Nest(members, sizes[dim], by_cell)

    def nest_shape(self, form):
        """(sizes, the dimension that counts slices, the text of versions), or None if the transform lacks the sizes."""
        names = self.size_names
        if form in ("versions", "planes"):
            last = self.pick("3", "l", "l") if "l" in names else "3"
            own = ["n"] if form == "versions" else ["n", "m"]
            sizes = [*own, "4" if last == "3" else "l+1"]
            found = sizes, len(own), f"0..{last}"
        else:
            own = ["n", "m"]
            found = own, 0 if form == "columns" else 1, ""
        return found if set(own) <= set(names) else None

    def draw_member(self, matrices, which, dim, is_call, by_cell):
        """Draws three rules: for slices after the first, for the first slice, and for cells that these two leave out."""
        m = matrices[which]
        names = list(self.pick(*VARIABLES))[:len(m.sizes)]
        if m.versions:
            names[-1] = "v"
        main = self.nest_rule(m, names, dim, is_call, False)
        main.inputs = self.nest_inputs(matrices, which, names, dim, is_call, by_cell)
        first = self.nest_rule(m, names, dim, is_call and self.chance(0.3), True)
        rest = self.nest_rule(m, names, dim, False, False)
        rest.is_secondary = True
        for rule in (main, first, rest):
            over = {v: size for v, size in rule.variables if v != rule.slice_variable}
            known = self.inputs + self.made() * 3
            sources = [s for s in known if s.sizes and all(size in over.values() for size in s.sizes)] or known
            for _ in range(self.pick(0, 1) if rule is main else self.pick(1, 2)):
                rule.inputs.append(self.draw_access(self.pick(*sources), over, rule is not main, f"a{len(rule.inputs)}"))
            if rule is main and over and self.chance(0.15):
                rule.where = self.draw_where(list(over.items()))
            rule.is_return_form = rule.outputs[0].is_number() and self.chance(0.6)
            is_number = rule.outputs[0].is_number()
            rule.body = self.tame_body(rule) if is_number else self.call_body(rule)
        twins = [restated(main, self.rng)] if self.chance(TWIN_SHARE) else []
        # Without an input of a slice before, the first rule would be another choice for the first slice.
        firsts = [first] if any(f"{names[dim]}-" in access.bounds[dim][0] for access in main.inputs if access.matrix in matrices) else []
        return Group([m], [main, *twins, *firsts, rest])

    def nest_rule(self, m, names, dim, is_call, is_first):
        """The head of a rule without its inputs."""
        cell = [(v, f"{v}+1") for v in names]
        at = ("0", "1") if is_first else cell[dim]
        bounds = [("0", size) for size in m.sizes] if is_call else cell
        bounds[dim] = at
        kind = slice_kind(m, dim) if is_call else "cell"
        binding = self.pick("o", "out", "w")
        variables = [(v, size) for d, (v, size) in enumerate(zip(names, m.sizes)) if (not is_call or d == dim) and not (is_first and d == dim)]
        using = []
        if is_call and self.chance(0.25):
            slice_sizes = m.sizes[:dim] + m.sizes[dim + 1:]
            using = [self.matrix("tmp", slice_sizes, m.word, "using")]
        return Rule(False, variables, [Access(m, kind, bounds, binding)], [], False, [], using=using, only_first=is_first,
                    slice_variable="" if is_first else names[dim])

    def nest_inputs(self, matrices, which, names, dim, is_call, by_cell):
        """Draws the inputs of member number `which`.

        The first member reads the last member of the slice before; each other one reads the member before it. Up to two
        more inputs are drawn among all members. If `by_cell`, a cell before this one in its slice is an input, too.
        """
        pairs = [(matrices[-1], 1)] if which == 0 else [(matrices[which - 1], 0)]
        for _ in range(self.pick(0, 1, 1, 2)):
            other = int(self.rng.integers(len(matrices)))
            pairs.append((matrices[other], 0 if other < which and self.chance(0.5) else self.pick(1, 1, 2)))
        inputs = []
        for number, (m, shift) in enumerate(pairs):
            low = names[dim] + (f"-{shift}" if shift else "")
            bounds = [(v, f"{v}+1") for v in names]
            binding = f"a{number}"
            if not by_cell and (is_call or self.chance(0.2)):
                bounds = [("0", size) for size in m.sizes]
                kind = slice_kind(m, dim)
            else:
                kind = "cell"
                self.shift_within(bounds, names, dim, shift, by_cell)
            bounds[dim] = (low, f"{low}+1")
            inputs.append(Access(m, kind, bounds, binding))
            if kind == "cell" and m.versions and self.chance(0.6):  # elsewhere a border would lead to what is not made yet
                inputs[-1].default = self.pick(*BORDERS)
        if by_cell:  # within the slice: cells before this one
            bounds = [(v, f"{v}+1") for v in names]
            other = 1 - dim
            bounds[other] = (f"{names[other]}-1", names[other])
            inputs.append(Access(self.pick(*matrices), "cell", bounds, f"a{len(inputs)}"))
        return inputs

    def shift_within(self, bounds, names, dim, shift, by_cell):
        """Shifts the bounds to a neighbour: in a slice before that is whole, to any one; else to one that is made before."""
        for d, v in enumerate(names):
            if d != dim and self.chance(0.4):
                low = v + (self.pick("-1", "+1") if shift and not by_cell else "-1")
                bounds[d] = (low, low + "+1")

    def draw_halves(self, number):
        """Cells at even and odd places by a rule each, which may run as one loop."""
        sizes = self.pick(["n"], ["n", "m"]) if "m" in self.size_names else ["n"]
        m = self.matrix(f"O{number}", ["2*n", *sizes[1:]], "", self.pick("through", "to"))
        names = list(self.pick(*VARIABLES))[:len(sizes)]
        rules = []
        for low in (f"2*{names[0]}", f"2*{names[0]}+1"):
            bounds = [(low, low + "+1"), *((v, f"{v}+1") for v in names[1:])]
            rule = Rule(False, list(zip(names, sizes)), [Access(m, "cell", bounds, "o")], [], False, [])
            rule.inputs = [self.draw_access(self.pick(*self.inputs), dict(zip(names, sizes)), True, f"a{i}") for i in range(self.pick(1, 2))]
            rule.is_return_form = self.chance(0.6)
            rule.body = self.tame_body(rule)
            rules.append(rule)
        return Nest([Group([m], rules)], "1")


def slice_kind(matrix, dim):
    return "slice" if matrix.versions else "row" if dim == 1 else "column"


def can_make(callee, kind, extents):
    """Whether the first output of a transform can be a matrix of this type and these extents."""
    m = callee.outputs()[0]
    own = m.sizes
    if m.versions or m.type != kind or len(own) != len(extents) or not all(size in callee.size_names for size in own):
        return False
    bound = {}
    return all(bound.setdefault(size, extent) == extent for size, extent in zip(own, extents))
