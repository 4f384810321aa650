# SPDX-License-Identifier: MIT
"""Random rule bodies: branches, jumps, blocks, and in them the statements of random_variables.py and random_loops.py."""

import body_tree as tree
from body_tree import Literal
from random_loops import LOOPS
from random_variables import VariableMaker


class BodyMaker(VariableMaker):
    """Draws whole bodies: statements that hold others, and their order. `result`: the type that the body returns, or None in the `to` form."""

    def __init__(self, rng, surroundings, result=None):
        super().__init__(rng, surroundings)
        self.result = result
        self.breaks = False         # whether `break` may stand here
        self.continues = False
        self.may_leave = True

    def statements(self, count, depth):
        return [stmt for _ in range(count) for stmt in self.statement(depth)]

    def block(self, depth):
        with self.scope():
            return self.statements(1 + int(self.rng.integers(3)), depth - 1)

    def statement(self, depth):
        """A statement as a list: some come with a declaration."""
        table = [("declare", 6), ("assign", 6), ("bump", 2), ("array", 1), ("later", 1), ("several", 1), ("chain", 1)]
        if depth > 0:
            table += [("if", 3), ("for", 3), ("while", 1), ("do", 1), ("switch", 1), ("block", 1), ("leave", 1), ("sum", 2), ("endless", 1), ("walk", 1), ("ends", 1)]
        if self.breaks:
            table += [("break", 1)]
        if self.continues:
            table += [("continue", 1)]
        (name,) = self.weighted(table)
        return LOOPS[name](self, depth) if name in LOOPS else getattr(self, name + "_stmt")(depth)

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
        with self.scope():
            before = self.statements(int(self.rng.integers(2)), 0)
            end = tree.Return(None if self.result is None else self.assigned(self.result, 2))
        return [tree.If(self.truth(2), before + [end], None)]

    def break_stmt(self, depth):
        return [tree.If(self.truth(1), [tree.Break()], None)]

    def continue_stmt(self, depth):
        return [tree.If(self.truth(1), [tree.Continue()], None)]
