# SPDX-License-Identifier: MIT
"""Another rule that computes the same: what programs offer as a choice."""

import copy
import dataclasses

import body_tree as tree

SWAPPED = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "==": "==", "!=": "!=", "+": "+", "*": "*", "&": "&", "|": "|", "^": "^"}
SHARE = 0.5


def restated(rule, rng):
    """A twin of a rule: its body, and how it reaches numbers, written in other ways."""
    twin = copy.copy(rule)
    twin.body = Restater(rng).stmts(rule.body)
    twin.inputs = [copy.copy(access) for access in rule.inputs]
    twin.outputs = [copy.copy(access) for access in rule.outputs]
    if rng.random() < SHARE:
        as_regions(twin, rng)
    if rule.is_return_form and rng.random() < SHARE:
        as_assignments(twin)
    if rng.random() < SHARE:
        twin.inputs.reverse()
    return twin


def as_regions(rule, rng):
    """Restates cells as regions: `A.cell(i) a` becomes `A.region(i, i+1) a`, and `a` becomes `a.cell(0)`."""
    changed = {}
    for access in rule.inputs:
        if access.kind == "cell" and access.bounds and access.default is None and not access.matrix.versions and rng.random() < SHARE:
            access.kind = "region"
            changed[access.binding] = len(access.bounds)

    def cell(expr):
        if isinstance(expr, tree.Name) and expr.name in changed:
            return tree.Cell(expr.name, [tree.Literal("0", 0, "int") for _ in range(changed[expr.name])], expr.type)
        return expr
    rule.body = rewritten(rule.body, cell)


def as_assignments(rule):
    """Restates the return form as the `to` form."""
    rule.is_return_form = False
    rule.outputs[0].binding = "made_here"
    target = tree.Name("made_here", rule.outputs[0].matrix.type)

    def leave(node):
        if isinstance(node, tree.Return):
            return tree.Block([tree.Assign(target, "=", node.value), tree.Return(None)])
        return node
    rule.body = rewritten(rule.body, leave)


def rewritten(node, function):
    """A tree in which `function` was applied to every node, inner ones first."""
    if isinstance(node, list):
        return [rewritten(each, function) for each in node]
    if not dataclasses.is_dataclass(node):
        return node
    changes = {f.name: rewritten(getattr(node, f.name), function) for f in dataclasses.fields(node)}
    return function(dataclasses.replace(node, **changes))


def leaves_out_steps(stmts):
    """Whether a `continue` belongs to the loop around `stmts`."""
    for stmt in stmts:
        if isinstance(stmt, tree.Continue):
            return True
        if isinstance(stmt, (tree.For, tree.While, tree.Do)):
            continue
        if any(leaves_out_steps(each) for each in inner_lists(stmt)):
            return True
    return False


def inner_lists(stmt):
    match stmt:
        case tree.If(then=then, otherwise=otherwise):
            return [then, otherwise or []]
        case tree.Block(body=body):
            return [body]
        case tree.Switch(cases=cases):
            return [case.body for case in cases]
    return []


class Restater:
    def __init__(self, rng):
        self.rng = rng

    def chance(self):
        return self.rng.random() < SHARE

    def stmts(self, body):
        return rewritten(body, self.node)

    def node(self, node):
        if not self.chance():
            return node
        match node:
            case tree.Binary(op=op, left=left, right=right) if op in SWAPPED:
                return tree.Binary(SWAPPED[op], right, left, node.type)
            case tree.If(condition=condition, then=then, otherwise=list() as otherwise):
                return tree.If(tree.Unary("!", condition, "bool"), otherwise, then)
            case tree.For(begins=begins, condition=condition, steps=steps, body=body) if condition is not None and not leaves_out_steps(body):
                begin = [tree.Declares(begins)] if begins and isinstance(begins[0], tree.Declare) else begins
                return tree.Block([*begin, tree.While(condition, [tree.Block(body), *steps])])
            case tree.While(condition=condition, body=body):
                return tree.For([], condition, [], body)
            case tree.Assign(target=tree.Name() as target, op="+=" | "-=" | "*=" as op, value=value):
                return tree.Assign(target, "=", tree.Binary(op[0], target, value, tree.common(target.type, value.type)))
        return node
