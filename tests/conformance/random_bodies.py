# SPDX-License-Identifier: MIT
"""Random rule bodies: branches, loops, jumps, scopes, and the statements of random_variables.py in them."""

import body_tree as tree
from body_tree import Assign, Cell, Evaluate, Literal, Name, is_real
from random_variables import VariableMaker, zero
from visible_names import LOOP_NAMES, NO_LOOP_NAMES, Hidden, Number


class BodyMaker(VariableMaker):
    """Draws whole bodies: statements that hold others, and their order. `result`: the type that the body returns, or None in the `to` form."""

    def __init__(self, rng, surroundings, result=None):
        super().__init__(rng, surroundings)
        self.result = result
        self.loops = 0              # around the statement that is drawn
        self.breaks = False         # whether `break` may stand here
        self.continues = False
        self.elements = []          # outputs that are single numbers
        self.may_leave = True

    def body(self, count):
        """Statements before the result: (their list, with the scope left open for what follows)."""
        self.scopes.append([])
        return self.statements(count, 2)

    def statements(self, count, depth):
        return [stmt for _ in range(count) for stmt in self.statement(depth)]

    def block(self, depth):
        with self.scope():
            return self.statements(1 + int(self.rng.integers(3)), depth - 1)

    def statement(self, depth):
        """A statement as a list: some come with a declaration."""
        table = [("declare", 6), ("assign", 6), ("bump", 2), ("array", 1), ("later", 1), ("several", 1), ("chain", 1)]
        if depth > 0:
            table += [("if", 3), ("for", 3), ("while", 1), ("do", 1), ("switch", 1), ("block", 1), ("leave", 1), ("sum", 2), ("endless", 1), ("walk", 1)]
        if self.breaks:
            table += [("break", 1)]
        if self.continues:
            table += [("continue", 1)]
        (name,) = self.weighted(table)
        return getattr(self, name + "_stmt")(depth)

    # ---- branches

    def if_stmt(self, depth):
        return [tree.If(self.truth(2), self.block(depth), self.block(depth) if self.chance(0.5) else None)]

    def switch_stmt(self, depth):
        value = self.binary("%", self.as_int(self.integer(2)), Literal("4", 4, "int"))
        labels = [Literal("0", 0, "int"), Literal("1", 1, "int"), Literal("-1", -1, "int"), Literal("'\\2'", 2, "int"), None]
        breaks, self.breaks = self.breaks, True
        cases = []
        while labels:
            count = min(len(labels), 1 + int(self.rng.integers(2)))
            own, labels = labels[:count], labels[count:]
            body = [tree.Block(self.block(depth))] if self.chance(0.3) else self.switch_body()
            cases.append(tree.Case(own, body + ([tree.Break()] if not body or self.chance(0.7) else [])))
        self.breaks = breaks
        return [tree.Switch(value, cases)]

    def switch_body(self):
        """Statements without declarations: labels that follow must not jump over one."""
        with self.scope():
            return [s for s in self.pick(self.assign_stmt, self.bump_stmt)(0) if not isinstance(s, tree.Declare)]

    def block_stmt(self, depth):
        return [tree.Block(self.block(depth))]

    def leave_stmt(self, depth):
        """An early end of the body, under a condition."""
        if not self.may_leave:
            return []
        end = tree.Return(None if self.result is None else self.assigned(self.result, 2))
        with self.scope():
            before = self.statements(int(self.rng.integers(2)), 0)
        return [tree.If(self.truth(2), before + [end], None)]

    def break_stmt(self, depth):
        return [tree.If(self.truth(1), [tree.Break()], None)]

    def continue_stmt(self, depth):
        return [tree.If(self.truth(1), [tree.Continue()], None)]

    # ---- loops

    def looped(self, var, below, depth, others=()):
        """A body in which `var` counts, beside other variables of the loop's head."""
        old = self.breaks, self.continues
        self.breaks = self.continues = True
        self.loops += 1
        with self.scope():
            if var is not None:  # which the body's outermost block may not declare again
                self.scopes[-1] += [Number(var, "int", False, below), *others]
            positive = self.given.positive
            self.given.positive = positive | ({below} if isinstance(below, str) else set())
            body = self.statements(1 + int(self.rng.integers(3)), depth - 1)
            self.given.positive = positive
        self.loops -= 1
        self.breaks, self.continues = old
        return body

    def limit(self):
        sizes = [e for r in self.regions for e in r.extents if isinstance(e, (int, str))]
        return self.pick(2, 3, 4, *sizes)

    def for_stmt(self, depth):
        limit = self.limit()
        loop, var = self.counted(limit)
        if self.chance(0.2):
            self.count_down(loop, var)
        other = self.fresh_name([name for name in LOOP_NAMES if name != var])
        has_other = self.chance(0.15)
        loop.body = self.looped(var, limit, depth, [Number(other, "int", True)] if has_other else [])
        if has_other:
            loop.begins.append(tree.Declare(loop.begins[0].word, "int", other, Literal("3", 3, "int")))
            loop.steps.append(Evaluate(tree.Step(other, False, "--", "int")))
        return [loop]

    def count_down(self, loop, var):
        limit = loop.condition.right
        loop.begins = [tree.Declare("int", "int", var, self.binary("-", limit, Literal("1", 1, "int")))]
        loop.condition = self.binary(">=", Name(var, "int"), zero())
        loop.steps = [Evaluate(tree.Step(var, self.chance(0.5), "--", "int"))]

    def sum_stmt(self, depth):
        """A sum as in most bodies: an accumulator and a loop over a region."""
        if not self.regions:
            return self.for_stmt(depth)
        region = self.pick(*self.regions)
        word, kind = self.pick(("ElementT", self.given.element), ("double", "double"), ("int", "int"), ("long", "long"))
        if region.is_output:
            return self.for_stmt(depth)
        name = self.fresh_name(NO_LOOP_NAMES)
        accumulator = tree.Declare(word, kind, name, zero())
        outer, names = None, []
        self.scopes[-1].append(Hidden(name))
        with self.scope():
            loops = []
            for extent in region.extents:
                loop, var = self.counted(extent)
                self.scopes[-1].append(Number(var, "int", False, extent))
                names.append(var)
                loops.append(loop)
            cell = Cell(region.name, [Name(var, "int") for var in names], region.type)
            value = self.binary(self.pick("*", "+", "-"), cell, self.number(1))
            value = cell if self.chance(0.3) else value
            if is_real(value.type) and not is_real(kind):
                value = self.cast(value, "int", "int")
            body = [Assign(Name(name, kind), self.pick("+=", "+=", "-="), value)]
            if self.chance(0.3):
                body = [tree.If(self.truth(1), body, None)]
            for loop in loops:
                loop.body, body = body, [loop]
            outer = body
        self.scopes[-1][-1] = Number(name, kind, True)
        return [accumulator, *outer]

    def endless_stmt(self, depth):
        """A loop `for (;;)` that a `break` ends."""
        var = self.fresh_name(LOOP_NAMES)
        self.scopes[-1].append(Number(var, "int", False))
        step = tree.Step(var, self.chance(0.5), "++", "int")
        end = tree.If(self.binary(">", step, Literal("2", 2, "int")), [tree.Break()], None)
        body = self.looped(None, None, depth)
        return [tree.Declare("int", "int", var, zero()), tree.For([], None, [], [end, *body])]

    def walk_stmt(self, depth):
        """A counter that steps where it is used."""
        lines = [r for r in self.regions if len(r.extents) == 1 and not r.is_output]
        if not lines:
            return self.while_stmt(depth)
        region = self.pick(*lines)
        var, word = self.fresh_name(LOOP_NAMES), self.pick(("ElementT", self.given.element), ("double", "double"), ("long", "long"))
        name = self.fresh_name(NO_LOOP_NAMES)
        extent = region.extents[0]
        limit = Literal(str(extent), extent, "int") if isinstance(extent, int) else Name(extent, "int")
        cell = Cell(region.name, [tree.Step(var, False, "++", "int")], region.type)
        value = self.cast(cell, "int", "int") if is_real(region.type) and word[1] == "long" else cell
        self.scopes[-1] += [Number(var, "int", False), Number(name, word[1], True)]
        return [tree.Declare("int", "int", var, zero()), tree.Declare(*word, name, zero()),
                tree.While(self.binary("<", Name(var, "int"), limit), [Assign(Name(name, word[1]), "+=", value)])]

    def while_stmt(self, depth):
        var = self.fresh_name(LOOP_NAMES)
        begin = self.pick(3, 4, 6)
        self.scopes[-1].append(Number(var, "int", False, begin + 1))
        step = self.pick(Evaluate(tree.Step(var, False, "--", "int")), Assign(Name(var, "int"), "/=", Literal("2", 2, "int")))
        body = self.looped(None, None, depth)
        test = self.binary(">", Name(var, "int"), zero())
        if self.chance(0.3):
            test = self.binary("&&", test, self.truth(1))
        # The step comes first, so that `continue` cannot skip it.
        return [tree.Declare("int", "int", var, Literal(str(begin), begin, "int")), tree.While(test, [step, *body])]

    def do_stmt(self, depth):
        var = self.fresh_name(LOOP_NAMES)
        self.scopes[-1].append(Number(var, "int", False, 4))
        body = self.looped(None, None, depth)
        test = self.binary("<", Name(var, "int"), Literal("3", 3, "int"))
        return [tree.Declare("int", "int", var, zero()), tree.Do([Evaluate(tree.Step(var, False, "++", "int")), *body], test)]


def filled(maker, region):
    """A loop nest that writes every cell of an output region."""
    with maker.scope():
        loops, names = [], []
        for extent in region.extents:
            loop, var = maker.counted(extent)
            step = Evaluate(tree.Step(var, maker.chance(0.5), "++", "int"))
            loop.steps = [step]
            maker.scopes[-1].append(Number(var, "int", False, extent))
            names.append(var)
            loops.append(loop)
        positive = maker.given.positive
        maker.given.positive = positive | {e for e in region.extents if isinstance(e, str)}
        maker.may_leave = False
        before = maker.statements(int(maker.rng.integers(2)), 1)
        maker.may_leave = True
        body = [*before, Assign(Cell(region.name, [Name(v, "int") for v in names], region.type), "=", maker.assigned(region.type, 3))]
        maker.given.positive = positive
        for loop in loops:
            loop.body, body = body, [loop]
    return body
