# SPDX-License-Identifier: MIT
"""Random loops whose end or branches depend on data, and bodies made of them: packs run these with masks, all instances at once.

What stands in them is what packs can do: numbers of the types that packs have, in expressions that are harmless wherever they run.
"""

import body_tree as tree
from body_tree import Assign, Evaluate, Literal, Name, is_real, zero
from random_expressions import INTEGERS, REALS
from visible_names import LOOP_NAMES, NO_LOOP_NAMES, Number

WORDS = [("int", "int", 4), ("long", "long", 2), ("double", "double", 3), ("float", "float", 2), ("char", "char", 0.5), ("ElementT", None, 3)]
PACKED = ("char", "int", "long", "float", "double")
SMALL = [entry for entry in INTEGERS if entry[2] in ("int", "long") and abs(entry[1]) < 100]
LIMITS = (2, 3, 5, 9)       # how often a loop runs at most


class EndsMaker:
    """Draws for `maker`, a random_bodies.BodyMaker, whose scopes hold what is visible."""

    def __init__(self, maker):
        self.maker = maker

    # ---- expressions

    def names(self, real):
        """What is visible, three times each if it may differ between instances: variables of the body or the rule, and elements."""
        found = [n for n in self.maker.visible(Number) if n.type in PACKED and is_real(n.type) == real]
        differ = [n for n in found if n.is_mutable or isinstance(n.below, str) or n.name.startswith(("a", "safe_"))]
        return [Name(n.name, n.type) for n in found + 2 * differ]

    def leaf(self, real):
        found = self.names(real)
        if not found or self.maker.chance(0.2):
            return self.maker.literal(REALS if real else SMALL)
        return self.maker.pick(*found)

    def value(self, real, depth):
        maker = self.maker
        if depth <= 0 or maker.chance(0.15):
            return self.leaf(real)
        kind = int(maker.rng.integers(7))
        if kind <= 2:
            return maker.binary(maker.pick("+", "-", "+"), self.value(real, depth - 1), self.value(real, depth - 1))
        if kind == 3:
            other = maker.literal(REALS if real else SMALL) if maker.chance(0.7) else self.leaf(real)
            return maker.binary("*", self.value(real, depth - 1), other)
        if kind == 4:
            one, other = self.value(real, depth - 1), self.value(real, depth - 1)
            return maker.conditional(self.truth(depth - 1), one, other)
        if kind == 5 and not real:
            return maker.binary(maker.pick(">>", "&"), self.value(real, depth - 1), Literal(*maker.pick(("1", 1, "int"), ("3", 3, "int"))))
        if kind == 5:
            return maker.call(maker.pick("fabs", "floor"), [self.value(real, depth - 1)])
        word, type_ = maker.pick(("double", "double"), ("float", "float")) if real else maker.pick(("int", "int"), ("long", "long"))
        return maker.cast(self.value(maker.chance(0.3), depth - 1), word, type_)

    def truth(self, depth):
        maker = self.maker
        if depth > 0 and maker.chance(0.3):
            return maker.binary(maker.pick("&&", "||"), self.truth(depth - 1), self.truth(depth - 1))
        if depth > 0 and maker.chance(0.15):
            return tree.Unary("!", self.truth(depth - 1), "bool")
        real = maker.chance(0.5)
        return maker.binary(maker.pick("<", "<=", ">", ">=", "==", "!="), self.value(real, depth), self.value(real, depth))

    def of_type(self, kind, depth):
        return self.value(is_real(kind), depth)

    # ---- statements

    def declare(self):
        """A number; its first value is mostly one of what is visible, so that instances differ."""
        word, kind = self.maker.weighted(WORDS)
        kind = kind or self.maker.given.element
        init = self.of_type(kind, self.maker.pick(1, 1, 2))
        name = self.maker.fresh_name(NO_LOOP_NAMES)
        while any(node.name == name for node in tree.nodes_in(init, Name)):     # it would mean the new variable
            name += "_"
        self.maker.scopes[-1].append(Number(name, kind, True))
        return tree.Declare(word, kind, name, init)

    def assign(self):
        maker = self.maker
        targets = [n for n in maker.visible(Number) if n.is_mutable and n.type in PACKED]
        if not targets:
            return self.declare()
        target = maker.pick(*targets)
        name = Name(target.name, target.type)
        if maker.chance(0.2) and target.type != "char":
            return Evaluate(tree.Step(target.name, maker.chance(0.5), "++", target.type))
        if maker.chance(0.5):
            return Assign(name, "=", self.of_type(target.type, 3))
        if is_real(target.type) and maker.chance(0.3):
            return Assign(name, maker.pick("*=", "/="), maker.literal(REALS))
        return Assign(name, maker.pick("+=", "-="), self.of_type(target.type, 2))

    def statements(self, depth, jumps=False):
        """Some statements; with `jumps`, which only loops may hold, a `break` or `continue` among them."""
        with self.maker.scope():
            stmts = [stmt for _ in range(1 + int(self.maker.rng.integers(4))) for stmt in self.statement(depth, jumps)]
            if jumps and self.maker.chance(0.25):
                stmts += self.jump()
                stmts += self.statement(0, False)
            return stmts

    def statement(self, depth, jumps):
        if depth > 0 and self.maker.chance(0.25):
            return self.branch(depth - 1, jumps)
        if depth > 1 and self.maker.chance(0.15):
            return self.loop(depth - 1)
        return [self.declare() if self.maker.chance(0.2) else self.assign()]

    def branch(self, depth, jumps):
        condition = self.truth(1)
        then = self.statements(depth, jumps)
        return [tree.If(condition, then, self.statements(depth, jumps) if self.maker.chance(0.5) else None)]

    def jump(self):
        before = [self.assign()] if self.maker.chance(0.4) else []
        return [tree.If(self.truth(1), [*before, self.maker.pick(tree.Break, tree.Continue)()], None)]

    def loop(self, depth):
        """A loop that ends after some rounds, or before; with the declaration of its counter where it is no `for`."""
        maker = self.maker
        kind = maker.pick("while", "for", "break", "branch", "do")
        # What stands at the top of a loop's body may not have the name of its counter.
        around = {each.name for scope in maker.scopes for each in scope}
        limit, var = maker.pick(*LIMITS), maker.fresh_name([name for name in LOOP_NAMES if name not in around])
        if kind in ("for", "branch"):
            with maker.scope():
                return self.counting_loop(depth, var, limit, kind == "for")
        maker.scopes[-1].append(Number(var, "int", False, limit + 1))
        counts = maker.binary("<", Name(var, "int"), Literal(str(limit), limit, "int"))
        test = maker.binary("&&", *([counts, self.truth(1)] if maker.chance(0.7) else [self.truth(1), counts]))
        step = maker.pick(Evaluate(tree.Step(var, maker.chance(0.5), "++", "int")), Assign(Name(var, "int"), "+=", Literal("1", 1, "int")))
        # The step comes first, so that `continue` cannot skip it.
        if kind == "do":
            body = [step, *self.statements(depth, True)]
            loop = tree.Do(body, test)
        elif kind == "break":
            with maker.scope():
                loop = tree.While(counts, [step, *self.jump(), *self.statements(depth, True)])
        else:
            loop = tree.While(test, [step, *self.statements(depth, True)])
        return [tree.Declare("int", "int", var, zero()), loop]

    def counting_loop(self, depth, var, limit, ends):
        """A `for` that `ends` by data, or runs as often in all instances with branches that depend on data."""
        maker = self.maker
        maker.scopes[-1].append(Number(var, "int", False, limit + 1))
        is_down = ends and maker.chance(0.3)
        first, last = (Literal(str(limit), limit, "int"), zero()) if is_down else (zero(), Literal(str(limit), limit, "int"))
        test = maker.binary(">" if is_down else "<", Name(var, "int"), last)
        if ends:
            test = maker.binary("&&", test, self.truth(1))
        step = Evaluate(tree.Step(var, maker.chance(0.5), "--" if is_down else "++", "int"))
        with maker.scope():
            body = [*self.statements(0), *self.branch(0, False)] if not ends else []
        body += self.statements(depth, ends)
        return [tree.For([tree.Declare("int", "int", var, first)], test, [step], body)]


def ends_stmt(maker, _depth):
    """Some numbers and a loop that changes them."""
    ends = EndsMaker(maker)
    return [*(ends.declare() for _ in range(maker.pick(1, 2, 3))), *ends.loop(2)]


def ends_body(maker, outputs, result):
    """The statements of a rule that packs can run: loops that end by data, and the values of the outputs, or the one that is returned."""
    ends = EndsMaker(maker)
    stmts = [stmt for _ in range(maker.pick(1, 1, 2)) for stmt in ends_stmt(maker, 0)]
    if result is not None:
        return [*stmts, tree.Return(ends.of_type(result, 2))]
    return stmts + [Assign(Name(output.name, output.type), "=", ends.of_type(output.type, 2)) for output in outputs]
