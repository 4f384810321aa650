# SPDX-License-Identifier: MIT
"""Random loops of rule bodies. `maker`, a random_bodies.BodyMaker, draws what stands in them."""

import contextlib

import body_tree as tree
from body_tree import Assign, Cell, Evaluate, Literal, Name, is_real, number_of, zero
from random_ends import ends_stmt
from visible_names import LOOP_NAMES, NO_LOOP_NAMES, Hidden, Number


# ---- heads and bodies

def counted(maker, limit):
    """`for (int i = 0; i < limit; i++)` in one of its spellings, with an empty body; and its variable."""
    var = maker.fresh_name(LOOP_NAMES)
    step = maker.pick(Evaluate(tree.Step(var, False, "++", "int")), Evaluate(tree.Step(var, True, "++", "int")),
                      Assign(Name(var, "int"), "+=", Literal("1", 1, "int")), Assign(Name(var, "int"), "+=", Literal("2", 2, "int")))
    is_whole = not isinstance(step, Assign) or step.value.value == 1
    test = maker.binary(maker.pick("<", "<", "!=") if is_whole else "<", Name(var, "int"), number_of(limit))
    begins = [tree.Declare(maker.pick("int", "int", "IndexT"), "int", var, zero())]
    return tree.For(begins, test, [step], []), var


def count_down(maker, loop, var):
    """Makes a loop of `counted` run from its last number to 0."""
    limit = loop.condition.right
    loop.begins = [tree.Declare("int", "int", var, maker.binary("-", limit, Literal("1", 1, "int")))]
    loop.condition = maker.binary(">=", Name(var, "int"), zero())
    loop.steps = [Evaluate(tree.Step(var, maker.chance(0.5), "--", "int"))]


@contextlib.contextmanager
def jumps_allowed(maker):
    """A place where `break` and `continue` may stand."""
    before = maker.breaks, maker.continues
    maker.breaks = maker.continues = True
    yield
    maker.breaks, maker.continues = before


def looped(maker, depth, variables=(), limit=None):
    """A body; `variables` of the loop's head, which it may not declare again. `limit`: how often it runs, if that is an extent."""
    with jumps_allowed(maker), maker.scope(), maker.inside([limit]):
        maker.scopes[-1] += variables
        return maker.statements(1 + int(maker.rng.integers(3)), depth - 1)


# ---- loops over cells

def cell_loops(maker, region, is_whole):
    """(loops over a region, a cell of it); the variables are declared here. Not `is_whole`: maybe over every other cell."""
    loops, names = [], []
    for extent in region.extents:
        loop, var = counted(maker, extent)
        if is_whole:
            loop.steps = [Evaluate(tree.Step(var, maker.chance(0.5), "++", "int"))]
        maker.scopes[-1].append(Number(var, "int", False, extent))
        names.append(var)
        loops.append(loop)
    return loops, Cell(region.name, [Name(var, "int") for var in names], region.type)


def nested(loops, body):
    """The loops inside of one another around a body; the first is the innermost."""
    for loop in loops:
        loop.body, body = body, [loop]
    return body


def each_cell(maker, region, make, is_whole):
    """A loop nest over a region with the statements that `make` makes of a cell; not `is_whole`: maybe over every other one."""
    with maker.scope():
        loops, cell = cell_loops(maker, region, is_whole)
        with maker.inside(region.extents):
            body = make(cell)
    return nested(loops, body)


def filled(maker, region):
    """A loop nest that writes every cell of an output region."""
    def make(cell):
        maker.may_leave = False
        before = maker.statements(int(maker.rng.integers(2)), 1)
        maker.may_leave = True
        return [*before, Assign(cell, "=", maker.assigned(region.type, 3))]
    return each_cell(maker, region, make, True)


# ---- statements

def for_stmt(maker, depth):
    limit = maker.pick(2, 3, 4, *[e for r in maker.regions for e in r.extents])
    loop, var = counted(maker, limit)
    if maker.chance(0.2):
        count_down(maker, loop, var)
    other = maker.fresh_name([name for name in LOOP_NAMES if name != var])
    has_other = maker.chance(0.15)
    variables = [Number(var, "int", False, limit), *([Number(other, "int", True)] if has_other else [])]
    loop.body = looped(maker, depth, variables, limit)
    if has_other:
        loop.begins.append(tree.Declare(loop.begins[0].word, "int", other, Literal("3", 3, "int")))
        loop.steps.append(Evaluate(tree.Step(other, False, "--", "int")))
    return [loop]


def sum_stmt(maker, depth):
    """A sum as in most bodies: an accumulator and a loop over a region."""
    if not maker.regions:
        return for_stmt(maker, depth)
    region = maker.pick(*maker.regions)
    word, kind = maker.pick(("ElementT", maker.given.element), ("double", "double"), ("int", "int"), ("long", "long"))
    if region.is_output:
        return for_stmt(maker, depth)
    name = maker.fresh_name(NO_LOOP_NAMES)
    maker.scopes[-1].append(Hidden(name))
    with maker.scope():
        loops, cell = cell_loops(maker, region, False)
        value = maker.binary(maker.pick("*", "+", "-"), cell, maker.number(1))
        value = cell if maker.chance(0.3) else value
        if is_real(value.type) and not is_real(kind):
            value = maker.cast(value, "int", "int")
        body = [Assign(Name(name, kind), maker.pick("+=", "+=", "-="), value)]
        if maker.chance(0.3):
            body = [tree.If(maker.truth(1), body, None)]
    maker.scopes[-1][-1] = Number(name, kind, True)
    return [tree.Declare(word, kind, name, zero()), *nested(loops, body)]


def walk_stmt(maker, depth):
    """A counter that steps where it is used."""
    lines = [r for r in maker.regions if len(r.extents) == 1 and not r.is_output]
    if not lines:
        return while_stmt(maker, depth)
    region = maker.pick(*lines)
    var, word = maker.fresh_name(LOOP_NAMES), maker.pick(("ElementT", maker.given.element), ("double", "double"), ("long", "long"))
    name = maker.fresh_name(NO_LOOP_NAMES)
    cell = Cell(region.name, [tree.Step(var, False, "++", "int")], region.type)
    value = maker.cast(cell, "int", "int") if is_real(region.type) and word[1] == "long" else cell
    maker.scopes[-1] += [Number(var, "int", False), Number(name, word[1], True)]
    return [tree.Declare("int", "int", var, zero()), tree.Declare(*word, name, zero()),
            tree.While(maker.binary("<", Name(var, "int"), number_of(region.extents[0])), [Assign(Name(name, word[1]), "+=", value)])]


def endless_stmt(maker, depth):
    """A loop `for (;;)` that a `break` ends."""
    var = maker.fresh_name(LOOP_NAMES)
    maker.scopes[-1].append(Number(var, "int", False))
    step = tree.Step(var, maker.chance(0.5), "++", "int")
    end = tree.If(maker.binary(">", step, Literal("2", 2, "int")), [tree.Break()], None)
    body = looped(maker, depth)
    return [tree.Declare("int", "int", var, zero()), tree.For([], None, [], [end, *body])]


def while_stmt(maker, depth):
    var = maker.fresh_name(LOOP_NAMES)
    begin = maker.pick(3, 4, 6)
    maker.scopes[-1].append(Number(var, "int", False, begin + 1))
    step = maker.pick(Evaluate(tree.Step(var, False, "--", "int")), Assign(Name(var, "int"), "/=", Literal("2", 2, "int")))
    body = looped(maker, depth)
    test = maker.binary(">", Name(var, "int"), zero())
    if maker.chance(0.3):
        test = maker.binary("&&", test, maker.truth(1))
    # The step comes first, so that `continue` cannot skip it.
    return [tree.Declare("int", "int", var, Literal(str(begin), begin, "int")), tree.While(test, [step, *body])]


def do_stmt(maker, depth):
    var = maker.fresh_name(LOOP_NAMES)
    maker.scopes[-1].append(Number(var, "int", False, 4))
    body = looped(maker, depth)
    test = maker.binary("<", Name(var, "int"), Literal("3", 3, "int"))
    return [tree.Declare("int", "int", var, zero()), tree.Do([Evaluate(tree.Step(var, False, "++", "int")), *body], test)]


# Each draws, for a BodyMaker and the depth of blocks that may begin here, a loop and the declarations before it.
LOOPS = {"for": for_stmt, "sum": sum_stmt, "walk": walk_stmt, "endless": endless_stmt, "while": while_stmt, "do": do_stmt,
         "ends": ends_stmt}
