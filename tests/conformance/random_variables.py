# SPDX-License-Identifier: MIT
"""Random statements about variables: declarations, arrays, assignments, steps."""

import body_tree as tree
from body_tree import Assign, Cell, Evaluate, Item, Literal, Name, is_real
from random_expressions import REALS, ExpressionMaker
from random_loops import counted
from visible_names import LOCAL_NAMES, NO_LOOP_NAMES, Array, Hidden, Number


class VariableMaker(ExpressionMaker):
    """Draws statements that hold no other drawn statements; each as a list, since some come with a declaration."""

    def declare_stmt(self, depth):
        word, kind = self.weighted(self.words)
        name = self.fresh_name(LOCAL_NAMES)
        steppable = [n for n in self.visible(Number) if n.is_mutable and n.type == "int"]
        self.scopes[-1].append(Hidden(name))  # in C++ the name means the new variable in its own initialiser
        steppable = [n for n in steppable if n.name != name]
        if steppable and not is_real(kind) and kind != "bool" and self.chance(0.1):
            init = tree.Step(self.pick(*steppable).name, self.chance(0.5), self.pick("++", "--"), "int")
        else:
            init = self.of_type(kind, 3)
        if is_real(init.type) and not is_real(kind) and kind != "bool":
            init = self.cast(init, "int", "int")
        is_const = self.chance(0.2)
        if self.chance(0.2):
            word, kind = "auto", init.type
        self.scopes[-1].pop()
        self.scopes[-1].append(Number(name, kind, not is_const))
        return [tree.Declare(("const " if is_const else "") + word, kind, name, init)]

    def later_stmt(self, depth):
        """A variable that both sides of a branch assign first."""
        word, kind = self.weighted(self.words)
        name = self.fresh_name(LOCAL_NAMES)
        self.scopes[-1].append(Hidden(name))
        branch = tree.If(self.truth(2), *[[Assign(Name(name, kind), "=", self.assigned(kind, 2))] for _ in range(2)])
        self.scopes[-1][-1] = Number(name, kind, True)
        return [tree.Declare(word, kind, name, None), branch]

    def several_stmt(self, depth):
        """A declaration of several variables: `int a = 1, b = a + 1;`"""
        (first,) = self.declare_stmt(depth)
        is_mutable, items = self.scopes[-1][-1].is_mutable, [first]
        first.word = first.word.replace("auto", tree.WORDS.get(first.type, first.type))  # of which each declares one type
        name = self.fresh_name(LOCAL_NAMES)
        self.scopes[-1].append(Hidden(name))
        items.append(tree.Declare(first.word, first.type, name, self.assigned(first.type, 2)))
        self.scopes[-1][-1] = Number(name, first.type, is_mutable)
        return [tree.Declares(items)]

    def chain_stmt(self, depth):
        """A chain of assignments: `a = b = e;` or `a = e, b++;`"""
        found = [n for n in self.visible(Number) if n.is_mutable and n.type != "bool"]
        if len(found) < 2:
            return self.declare_stmt(depth)
        a, b = self.rng.permutation(len(found))[:2]
        a, b = found[a], found[b]
        value = tree.Assigned(b.name, self.assigned(b.type, 2), b.type)
        if self.chance(0.5) and (is_real(a.type) or not is_real(b.type)):
            return [Assign(Name(a.name, a.type), "=", value)]
        return [Evaluate(tree.Comma([value, tree.Step(a.name, self.chance(0.5), self.pick("++", "--"), a.type)], a.type))]

    def array_stmt(self, depth):
        word, kind = self.pick(*(w[:2] for w in self.words if w[1] != "bool"))
        name, extent = self.fresh_name(NO_LOOP_NAMES), self.pick(2, 3, 4, 7)
        if self.chance(0.5):
            items = [self.literal(REALS[:6]) if is_real(kind) else Literal(str(int(v)), int(v), "int")
                     for v in self.rng.integers(0, 90, int(self.rng.integers(0, extent + 1)))]
            self.scopes[-1].append(Array(name, kind, extent))
            return [tree.DeclareArray(word, kind, name, extent, items)]
        declaration = tree.DeclareArray(word, kind, name, extent, None)
        self.scopes[-1].append(Hidden(name))
        loop, var = counted(self, extent)
        with self.scope():
            self.scopes[-1].append(Number(var, "int", False, extent))
            loop.body = [Assign(Item(name, Name(var, "int"), kind), "=", self.assigned(kind, 2))]
        self.scopes[-1][-1] = Array(name, kind, extent)
        return [declaration, loop]

    def assigned(self, kind, depth):
        """A value for a variable of a type."""
        value = self.of_type(kind, depth)
        return self.cast(value, "int", "int") if is_real(value.type) and not is_real(kind) and kind != "bool" else value

    def targets(self):
        found = [Name(n.name, n.type) for n in self.visible(Number) if n.is_mutable]
        found += [self.item(a) for a in self.visible(Array) if a.is_mutable]
        for region in self.regions:
            if region.is_output and all(map(self.is_positive, region.extents)):
                found.append(Cell(region.name, [self.index(e, 1) for e in region.extents], region.type))
        return found

    def assign_stmt(self, depth):
        targets = self.targets()
        if not targets:
            return self.declare_stmt(depth)
        target = self.pick(*targets)
        kind = self.rng.random()
        if kind < 0.4 or target.type == "bool":
            return [Assign(target, "=", self.assigned(target.type, 3))]
        if is_real(target.type):
            op = self.pick("+=", "-=", "*=", "+=")
            value = self.number(2) if op != "*=" else self.literal(REALS)
            return [Assign(target, op, value)]
        op = self.pick("+=", "-=", "+=", "&=", "|=", "^=", "%=", "/=", ">>=", "*=")
        if op in ("%=", "/=", "*="):
            return [Assign(target, op, Literal("3", 3, "int"))]
        return [Assign(target, op, Literal("2", 2, "int") if op == ">>=" else self.integer(2))]

    def bump_stmt(self, depth):
        found = [n for n in self.visible(Number) if n.is_mutable and n.type not in ("bool", "char")]
        if not found:
            return self.declare_stmt(depth)
        chosen = self.pick(*found)
        return [Evaluate(tree.Step(chosen.name, self.chance(0.5), self.pick("++", "--"), chosen.type))]
