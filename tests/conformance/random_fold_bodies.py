# SPDX-License-Identifier: MIT
"""Random bodies that fold: loops that add up, multiply, find the smallest or largest with its place, combine bits and truth values, count,
and store beside that.
"""

import numpy as np

import body_tree as tree
from body_tree import Assign, Cell, Evaluate, If, Literal, Name, is_real, number_of, zero
from random_expressions import ExpressionMaker
from visible_names import LOOP_NAMES, Number

REAL_WORDS = (("ElementT", None), ("ElementT", None), ("double", "double"), ("float", "float"))
WHOLE_WORDS = (("int", "int"), ("int", "int"), ("long", "long"), ("unsigned", "uint"), ("short", "short"), ("unsigned char", "uchar"),
               ("size_t", "ulong"))
HALVES = (("0.5", 0.5, "double"), ("0.25f", 0.25, "float"), ("2.0", 2.0, "double"), ("0.3", 0.3, "double"))
SMALL = (("0", 0, "int"), ("1", 1, "int"), ("3", 3, "int"), ("-2", -2, "int"))
NAMES = ("s", "t", "u", "sum", "acc", "best", "found", "least", "most", "all", "any", "total", "part", "place", "row", "column", "value", "factor")
FEATURES = ("sum", "product", "smallest or largest", "place", "the last of equal ones", "bits", "truth", "difference of truths", "count",
            "several accumulators", "nested loops", "fold in a fold", "condition", "continue", "an output as accumulator", "store and add",
            "one instance", "rows", "cells", "0-D output", "twin", "infinities and NaN", "loop that counts down", "steps of two")


class Accumulator:
    """A variable that a loop updates. `update`: makes the statements, in the loop; `results`: what is known behind it."""

    def __init__(self, name, update):
        self.name, self.update = name, update
        self.results = [name]


class TermMaker(ExpressionMaker):
    """Draws what stands in the loops of folds. `features` notes what is in them."""

    def __init__(self, rng, surroundings):
        super().__init__(rng, surroundings)
        self.features = []
        self.cells = []         # of the loop that is drawn
        self.counters = []      # names of its variables
        self.known = []         # results of loops before

    def note(self, word):
        self.features.append(word)

    def is_taken_here(self, name):
        """A new variable hides no other one."""
        return any(each.name == name for scope in self.scopes for each in scope) or any(r.name == name for r in self.regions)

    def cell_of(self, real):
        """A cell that the round reads, or another number of the kind."""
        found = [cell for cell in self.cells if is_real(cell.type) == real]
        if found and self.chance(0.9):
            return self.pick(*found)
        if self.cells and self.chance(0.8):
            cell = self.pick(*self.cells)
            return self.cast(cell, "ElementT", self.given.element) if real and not is_real(cell.type) else \
                self.cast(cell, "int", "int") if is_real(cell.type) and not real else cell
        numbers = [Name(n.name, n.type) for n in self.visible(Number) if is_real(n.type) == real and n.name in ("K", "S")]
        counters = [] if real else self.counters
        return self.pick(*numbers, *counters, Literal(*self.pick(*(HALVES if real else SMALL))))

    def term(self, real):
        return self.real_term() if real else self.whole_term()

    def real_term(self):
        cell, form = self.cell_of(True), int(self.rng.integers(9))
        known = [name for name in self.known if is_real(name.type)]
        if form == 0:
            return self.binary("*", cell, self.cell_of(True))
        if form == 1:
            return self.binary("-", cell, self.pick(*known) if known else self.cell_of(True))
        if form == 2:
            return self.call("fabs", [cell], self.pick("", "std::"))
        if form == 3:
            return self.binary("*", cell, Literal(*self.pick(*HALVES)))
        if form == 4:
            return self.binary("*", cell, self.cell_of(False))
        if form == 5:
            return self.conditional(self.test(), cell, self.cell_of(True))
        if form == 6:
            return self.cast(cell, *self.pick(("double", "double"), ("float", "float")))
        return cell

    def whole_term(self):
        cell, form = self.cell_of(False), int(self.rng.integers(6))
        if form == 0:
            return self.binary("*", cell, self.cell_of(False))
        if form == 1:
            return self.binary(self.pick("+", "-"), cell, self.cell_of(False))
        if form == 2:
            return self.binary("&", cell, Literal("0x3F", 63, "int"))
        if form == 3:
            return self.conditional(self.test(), cell, Literal(*self.pick(*SMALL)))
        return cell

    def test(self):
        form = int(self.rng.integers(4))
        if form == 0 and self.counters:
            return self.binary("==", self.binary("%", self.pick(*self.counters), Literal("3", 3, "int")), Literal("1", 1, "int"))
        if form == 1:
            return self.binary(self.pick("&&", "||"), self.comparison(), self.comparison())
        return self.comparison()

    def comparison(self):
        real = any(is_real(cell.type) for cell in self.cells) and self.chance(0.6)
        other = Literal(*self.pick(("0", 0, "int"), ("1", 1, "int"), ("-1.5", -1.5, "double")) if real else self.pick(*SMALL))
        return self.binary(self.pick("<", "<=", ">", ">=", "==", "!="), self.cell_of(real), other)


class AccumulatorMaker(TermMaker):
    """Draws accumulators and their updates."""

    def declared(self, words, target, init):
        """(a statement that makes the accumulator, or sets the output `target`, its name); `init` makes the value from its type."""
        if target is not None:
            self.note("an output as accumulator")
            return Assign(target, "=", init(target.type)), target
        word, kind = self.pick(*words)
        kind = kind or self.given.element
        name = self.fresh_name(NAMES)
        self.scopes[-1].append(Number(name, kind, True))
        return tree.Declare(word, kind, name, init(kind)), Name(name, kind)

    def accumulator(self, real, target=None):
        """(statements before the loop, accumulator) for a real or a whole result."""
        table = [(self.sum, 4), (self.product, 2), (self.extremum, 3)] if real else [(self.sum, 3), (self.extremum, 2), (self.bits, 2), (self.count, 2)]
        table += [(self.placed, 2)] if target is None else []
        table += [(self.truth, 5)] if target is None and not real else []
        (make,) = self.weighted(table)
        return make(real, target)

    def sum(self, real, target):
        start = Literal(*self.pick(("0", 0, "int"), ("0", 0, "int"), ("3", 3, "int"), ("-0.0", -0.0, "double") if real else ("7", 7, "int")))
        before, name = self.declared(REAL_WORDS if real else WHOLE_WORDS, target, lambda kind: start)
        self.note("sum")

        def update():
            value = self.term(real)
            form = int(self.rng.integers(5))
            if form == 0:
                return [Assign(name, "=", self.binary(self.pick("+", "-"), name, value))]
            if form == 1:
                return [Assign(name, "=", self.binary("+", value, name))]
            if form == 2:
                return [Assign(name, "=", self.conditional(self.test(), self.binary("+", name, value), name))]
            return [Assign(name, self.pick("+=", "+=", "-="), value)]
        return [before], Accumulator(name, update)

    def product(self, real, target):
        before, name = self.declared(REAL_WORDS, target, lambda kind: Literal(*self.pick(("1", 1, "int"), ("1.5", 1.5, "double"))))
        self.note("product")

        def update():
            near_one = self.conditional(self.test(), Literal(*self.pick(("0.75", 0.75, "double"), ("-1.0", -1.0, "double"))),
                                        Literal(*self.pick(("1.25", 1.25, "double"), ("2.0f", 2.0, "float"))))
            value = near_one if self.chance(0.5) else \
                self.binary("+", Literal("1", 1, "int"), self.binary("*", self.cell_of(True), Literal("0.0625", 0.0625, "double")))
            if self.chance(0.3):
                return [Assign(name, "=", self.binary("*", *self.pick((name, value), (value, name))))]
            return [Assign(name, "*=", value)]
        return [before], Accumulator(name, update)

    def bits(self, real, target):
        op = self.pick("&", "|", "^")
        before, name = self.declared(WHOLE_WORDS, target, lambda kind: Literal(*(("-1", -1, "int") if op == "&" else ("5", 5, "int"))))
        self.note("bits")

        def update():
            value = self.whole_term()
            return [Assign(name, "=", self.binary(op, value, name)) if self.chance(0.3) else Assign(name, op + "=", value)]
        return [before], Accumulator(name, update)

    def count(self, real, target):
        before, name = self.declared(WHOLE_WORDS, target, lambda kind: zero())
        self.note("count")
        step = tree.Step(name.name, self.chance(0.5), self.pick("++", "++", "--"), name.type)
        return [before], Accumulator(name, lambda: [If(self.test(), [Evaluate(step)], None)])

    def truth(self, real, target):
        """A truth value, whose result is a whole number."""
        op = self.pick("&&", "||", "&&", "||", "&", "|", "^", "-", "-")
        start = Literal("true", 1, "bool") if self.chance(0.5) else Literal("false", 0, "bool")
        before, name = self.declared((("bool", "bool"),), None, lambda kind: start)
        self.note("truth" if op != "-" else "difference of truths")

        def update():
            value = self.test()
            if op in ("&&", "||"):
                if self.chance(0.4):
                    return [If(value, [Assign(name, "=", Literal(*(("false", 0, "bool") if op == "&&" else ("true", 1, "bool"))))], None)]
                return [Assign(name, "=", self.binary(op, *self.pick((name, value), (value, name))))]
            return [Assign(name, op + "=", value)]
        accumulator = Accumulator(name, update)
        accumulator.results = [tree.Conditional(name, Literal("1", 1, "int"), Literal("-2", -2, "int"), "int")]
        return [before], accumulator

    def edge(self, is_min, kind):
        """What a smallest or largest begins with."""
        if self.cells_before and self.chance(0.3):
            cell, positive = self.pick(*self.cells_before)
            return self.conditional(positive, cell if cell.type == kind else self.cast(cell, tree.WORDS.get(kind, kind), kind),
                                    self.cast(zero(), tree.WORDS.get(kind, kind), kind))
        if is_real(kind):
            return self.pick(Literal("INFINITY" if is_min else "-INFINITY", np.inf if is_min else -np.inf, "float"), zero())
        return Literal(*self.pick(("100", 100, "int") if is_min else ("-9", -9, "int"), ("4", 4, "int")))

    def value_for(self, name):
        """(declarations, an expression of exactly the type of the accumulator), which may stand twice."""
        real = is_real(name.type)
        value = self.term(real)
        fitting = [cell for cell in self.cells if cell.type == name.type]
        if fitting and self.chance(0.5):
            return [], self.pick(*fitting)
        temporary = self.fresh_name(NAMES)
        self.scopes[-1].append(Number(temporary, name.type))
        word = tree.WORDS.get(name.type, name.type)
        if is_real(value.type) and not real:
            value = self.cast(value, "int", "int")
        return [tree.Declare("const " + word, name.type, temporary, value)], Name(temporary, name.type)

    def extremum(self, real, target):
        is_min = self.chance(0.5)
        before, name = self.declared(REAL_WORDS if real else WHOLE_WORDS, target, lambda kind: self.edge(is_min, kind))
        self.note("smallest or largest")

        def update():
            declares, value = self.value_for(name)
            function = "min" if is_min else "max"
            less, form = self.pick("<", "<="), int(self.rng.integers(6))
            if form <= 2:
                args = [name, value] if form < 2 else [value, name]
                args = [arg if arg.type == name.type else self.cast(arg, tree.WORDS.get(name.type, name.type), name.type) for arg in args]
                return [*declares, Assign(name, "=", tree.Call(f"std::{function}", function, args, name.type))]
            is_better = self.better(is_min, less, value, name)
            if form == 3:
                return [*declares, Assign(name, "=", tree.Conditional(is_better, value, name, name.type))]
            if form == 4:
                is_worse = self.better(is_min, less, name, value)
                return [*declares, Assign(name, "=", tree.Conditional(is_worse, name, value, name.type))]
            return [*declares, If(is_better, [Assign(name, "=", value)], None)]
        return [before], Accumulator(name, update)

    def better(self, is_min, less, a, b):
        """Whether `a` is smaller or larger than `b`, in one of two spellings."""
        a, b = (a, b) if is_min else (b, a)
        return self.binary(less, a, b) if self.chance(0.5) else self.binary(less.replace("<", ">"), b, a)

    def placed(self, real, target):
        is_min, less = self.chance(0.5), self.pick("<", "<", "<=")
        before, name = self.declared(REAL_WORDS if real else WHOLE_WORDS, None, lambda kind: self.edge(is_min, kind))
        places = [self.declared(WHOLE_WORDS[:3], None, lambda kind: Literal("-1", -1, "int")) for _ in range(self.pick(1, 1, 2))]
        self.note("place")
        self.note("the last of equal ones" if less == "<=" else "smallest or largest")

        def update():
            declares, value = self.value_for(name)
            notes = [Assign(place, "=", self.pick(*self.counters)) for _, place in places]
            test = self.better(is_min, less, value, name)
            test = self.binary("&&", self.comparison(), test) if self.chance(0.2) else test
            stmts = [Assign(name, "=", value), *notes]
            return [*declares, If(test, stmts if self.chance(0.7) else stmts[::-1], None)]
        accumulator = Accumulator(name, update)
        # The value itself shows zeros of both signs and NaN, where the result is real; the places are whole numbers.
        accumulator.results = [name, *(place for _, place in places)] if real else [place for _, place in places]
        return [before, *(stmt for stmt, _ in places)], accumulator


class FoldMaker(AccumulatorMaker):
    """Draws the body of a rule."""

    # ---- loops

    def loop(self, extent, is_whole):
        """(a loop over an extent, its variable, the distance of a neighbour before that it may read)."""
        var = self.fresh_name([name for name in LOOP_NAMES if name not in [counter.name for counter in self.counters]])
        limit, kind = number_of(extent), self.pick(("int", "int"), ("int", "int"), ("IndexT", "int"), ("long", "long"))
        name, one = Name(var, kind[1]), Literal("1", 1, "int")
        self.scopes[-1].append(Number(var, kind[1], False, extent))
        form = self.pick("up", "up", "up", "inclusive", "down", "turned") if is_whole else \
            self.pick("up", "up", "inclusive", "down", "turned", "steps of two", "from one")
        last = self.binary("-", limit, one)
        step = Evaluate(tree.Step(var, self.chance(0.5), "++", kind[1]))
        first, test = zero(), self.binary("<", name, limit)
        if form == "inclusive":
            test = self.binary("<=", name, last)
        elif form == "turned":
            test = self.binary(">", limit, name)
        elif form == "down":
            self.note("loop that counts down")
            first, test, step = last, self.binary(">=", name, zero()), Evaluate(tree.Step(var, self.chance(0.5), "--", kind[1]))
        elif form == "steps of two":
            self.note("steps of two")
            step = Assign(name, "+=", Literal("2", 2, "int"))
        elif form == "from one":
            first = one
        return tree.For([tree.Declare(*kind, var, first)], test, [step], []), name, form == "from one"

    def reached(self, region, places, neighbours):
        """Cells of a region in a round: `places` maps extents to variables; `neighbours` are those that begin at 1."""
        if not all(extent in places for extent in region.extents):
            return []
        indices = [places[extent] for extent in region.extents]
        found = [Cell(region.name, indices, region.type)]
        if indices[0] in neighbours:
            before = self.binary("-", indices[0], Literal("1", 1, "int"))
            found.append(Cell(region.name, [before, *indices[1:]], region.type))
        return found

    def fold(self, region, accumulators, store=None):
        """A loop nest over a region that updates accumulators; `store` makes a statement that stores a cell of it."""
        sources = [each for each in self.regions if not each.is_output]
        with self.scope():
            loops, places, neighbours, names = [], {}, [], []
            for extent in region.extents:
                loop, name, begins_late = self.loop(extent, store is not None)
                loops.append(loop)
                names.append(name)
                places[extent] = name
                self.counters.append(name)
                neighbours += [name] if begins_late else []
            own = [Cell(region.name, names, region.type)] if not region.is_output else []
            self.cells = own + [cell for each in sources if each is not region for cell in self.reached(each, places, neighbours)]
            self.cells += self.reached(region, places, neighbours)[1:] if own else []
            with self.scope():
                body = self.round(accumulators, Cell(region.name, names, region.type) if store else None, store)
            self.note("several accumulators") if len(accumulators) > 1 else None
            self.note("nested loops") if len(loops) > 1 else None
            self.cells, self.counters = [], []
        for loop in loops:
            loop.body, body = body, [loop]
        return body

    def round(self, accumulators, stored, store):
        """The statements of a round."""
        stmts = []
        if stored is None and self.chance(0.15):
            self.note("continue")
            stmts.append(If(self.test(), [tree.Continue()], None))
        if stored is not None:
            stmts.append(store(stored))
            self.cells += [stored] * 2
            self.note("store and add") if accumulators else None
        for each in accumulators:
            with self.scope():
                update = each.update()
            if stored is None and self.chance(0.25):
                self.note("condition")
                update = [If(self.test(), update, None)]
            elif any(isinstance(stmt, tree.Declare) for stmt in update):
                update = [tree.Block(update)]
            stmts += update
        return stmts

    def fold_of_folds(self, region):
        """(statements, result): for each line of a plane a fold, whose result the loop around it takes."""
        self.note("fold in a fold")
        before_all, taker = self.accumulator(True)
        with self.scope():
            over, line, _ = self.loop(region.extents[1], True)
            inside, place, _ = self.loop(region.extents[0], True)
            self.counters, self.cells = [line, place], [Cell(region.name, [place, line], region.type)]
            before, each = self.sum(True, None)
            with self.scope():
                inside.body = each.update()
            self.cells, self.counters = [each.name], [line]
            with self.scope():
                over.body = [*before, inside, *taker.update()]
            self.cells, self.counters = [], []
        return [*before_all, over], taker

    # ---- bodies

    def body(self, outputs, result):
        """The statements of a rule. `outputs`: names of the numbers that it writes, or none where it returns one of type `result`."""
        stored = [region for region in self.regions if region.is_output]
        inputs = [region for region in self.regions if not region.is_output]
        self.cells_before = [(Cell(r.name, [zero() for _ in r.extents], r.type), self.is_some(r)) for r in inputs]
        stmts, accumulators, more = [], [], []
        for kind, name in [(name.type, name) for name in outputs] or [(result, None)]:
            before, each = self.accumulator(is_real(kind), name if self.chance(0.3) else None)
            stmts += before
            accumulators.append(each)
        if stored:
            stmts += self.storing(stored[0], accumulators, outputs)
        else:
            count = self.pick(1, 1, 2) if len(accumulators) > 1 else 1
            for part in [accumulators[k::count] for k in range(count)]:
                stmts += self.fold(self.pick(*inputs), part)
                self.note_known(part, outputs)
        planes = [r for r in inputs if len(r.extents) == 2 and is_real(r.type)]
        if planes and not stored and self.chance(0.5):
            loops, each = self.fold_of_folds(self.pick(*planes))
            stmts += loops
            more = each.results[:1]
        return stmts + self.ends(accumulators, more, outputs, result)

    def note_known(self, accumulators, outputs):
        """Later loops may use the results of these; an output may be changed until the end."""
        self.known += [each.name for each in accumulators if each.name not in outputs]

    def storing(self, region, accumulators, outputs):
        """A loop nest that stores all cells of a region and updates accumulators, and perhaps one that changes what it stored."""
        stmts = self.fold(region, accumulators, lambda cell: Assign(cell, "=", self.fitting(self.term(is_real(cell.type)), cell.type)))
        self.note_known(accumulators, outputs)
        return stmts + (self.fold(region, [], self.changed) if self.chance(0.5) else [])

    def is_some(self, region):
        """An expression that says that a region has cells."""
        found = None
        for extent in region.extents:
            test = self.binary(">", number_of(extent), zero())
            found = test if found is None else self.binary("&&", found, test)
        return found

    def changed(self, cell):
        """A second look at what a loop has stored."""
        if not is_real(cell.type):
            return Assign(cell, self.pick("+=", "^="), Literal("3", 3, "int"))
        known = [name for name in self.known if is_real(name.type)]
        if known and self.chance(0.6):
            return Assign(cell, self.pick("-=", "+="), self.pick(*known))
        return Assign(cell, "*=", Literal(*self.pick(*HALVES)))

    def fitting(self, value, kind):
        """The value, cast where a real number would become a whole one unseen."""
        return self.cast(value, "int", "int") if is_real(value.type) and not is_real(kind) else value

    def ends(self, accumulators, more, outputs, result):
        """What assigns or returns the results: each output has those of its own accumulator; the first one the others, too."""
        stmts = []
        for i, each in enumerate(accumulators):
            found = each.results + (more if i == 0 else [])
            kind = outputs[i].type if outputs else result
            found = [self.fitting(value, kind) for value in found]
            value = found[0]
            for other in found[1:]:
                value = self.binary("+", value, self.binary("*", other, Literal("2", 2, "int")))
            if not outputs:
                return [*stmts, tree.Return(value)]
            if len(found) > 1 or each.name != outputs[i]:
                stmts.append(Assign(outputs[i], "=", value))
        return stmts
