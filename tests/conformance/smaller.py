# SPDX-License-Identifier: MIT
"""Makes a failing random program smaller: fewer rules, then fewer statements, then constants for expressions."""

import copy
import dataclasses
import time

import body_tree as tree
import polybricks
from body_reference import Unsuitable

LIMIT_S = 240 if polybricks.is_nightly() else 60
ONES = {"double": "1.0", "float": "1.0f", "int": "1"}
EXPRESSIONS = (tree.Literal, tree.Name, tree.Cell, tree.Extent, tree.Item, tree.Unary, tree.Binary, tree.Conditional, tree.Call,
               tree.Cast, tree.Step, tree.Missing)
# Nodes that may be left out of a list; arguments of a call may not.
STATEMENTS = (tree.Declare, tree.Declares, tree.DeclareArray, tree.DeclareRegion, tree.CallTransform, tree.Sync, tree.Assign,
              tree.Evaluate, tree.If, tree.For, tree.While, tree.Do, tree.Case, tree.Switch, tree.Block, tree.Break, tree.Continue,
              tree.Return)


def needed(transform, output):
    """The groups that an output depends on."""
    wanted, groups = {output}, []
    for group in reversed(transform.groups):
        if not wanted & {m.name for m in group.matrices}:
            continue
        groups.insert(0, group)
        wanted |= {access.matrix.name for rule in group.rules for access in rule.inputs}
    return groups


def lists_in(node):
    """All lists of statements below a node, the outer ones first."""
    if isinstance(node, list):
        if node and isinstance(node[0], STATEMENTS):
            yield node
        for each in node:
            yield from lists_in(each)
    elif dataclasses.is_dataclass(node):
        for field in dataclasses.fields(node):
            yield from lists_in(getattr(node, field.name))


def places_in(node):
    """The (owner, key) of all expressions below a node, the outer ones first; what is written is left alone."""
    if isinstance(node, list):
        pairs = list(enumerate(node))
    elif dataclasses.is_dataclass(node):
        pairs = [(f.name, getattr(node, f.name)) for f in dataclasses.fields(node)]
        pairs = [p for p in pairs if p[0] not in ("target", "outputs", "labels")]
    else:
        return
    for key, child in pairs:
        if isinstance(child, EXPRESSIONS) and not isinstance(child, tree.Literal):
            yield node, key
        yield from places_in(child)


def put(owner, key, value):
    if isinstance(owner, list):
        owner[key] = value
    else:
        setattr(owner, key, value)


def simpler(expr):
    """Expressions of the same type to try instead."""
    children = [value for field in dataclasses.fields(expr) for value in
                (getattr(expr, field.name) if isinstance(getattr(expr, field.name), list) else [getattr(expr, field.name)])]
    if expr.type in ONES:
        yield tree.Literal(ONES[expr.type], 1, expr.type)
    else:
        yield tree.Cast(f"({tree.WORDS.get(expr.type, expr.type)}){{}}", tree.Literal("1", 1, "int"), expr.type)
    for child in children:
        if isinstance(child, EXPRESSIONS) and child.type == expr.type:
            yield child


class Search:
    """Looks for a smaller program that fails. `model`: a program of random_rules.py."""

    def __init__(self, model, fails):
        self.model, self.fails = model, fails
        self.words = None
        self.end = time.monotonic() + LIMIT_S

    def is_over(self):
        return time.monotonic() > self.end

    def attempt(self):
        """Whether the program, as it is changed now, still fails."""
        try:
            words = None if self.is_over() else self.fails(self.model)
        except (Unsuitable, KeyError):
            words = None
        self.words = words or self.words
        return words is not None

    def rules(self):
        return [r for transform in self.model.transforms() for g in transform.groups for r in g.rules]

    def keep_groups(self, groups):
        main = self.model.main
        old, main.groups = main.groups, groups
        if not main.outputs() or not self.attempt():
            main.groups = old

    def drop_groups(self):
        main = self.model.main
        for group in list(main.groups):
            users = [g for g in main.groups if g is not group and
                     any(a.matrix in group.matrices for rule in g.rules for a in rule.inputs)]
            if not users and len(main.groups) > 1:
                self.keep_groups([g for g in main.groups if g is not group])

    def drop_twins(self):
        """Drops rules for which there are others: all but one, and a secondary one."""
        for group in (part for transform in self.model.transforms() for g in transform.groups for part in g.parts()):
            twins = group.rules[1:-1] if group.rules[-1].is_secondary else group.rules[1:] + group.rules[:1]
            for rule in twins:
                old, group.rules = group.rules, [r for r in group.rules if r is not rule]
                if not group.rules or not self.attempt():
                    group.rules = old

    def drop_statements(self):
        for body in [b for rule in self.rules() for b in lists_in(rule.body)]:
            size = max(1, len(body) // 2)
            while size >= 1:
                at = 0
                while at < len(body):
                    old = list(body)
                    del body[at:at + size]
                    if not self.attempt():
                        body[:] = old
                        at += size
                size //= 2

    def simplify_expressions(self):
        for rule in self.rules():
            for owner, key in list(places_in(rule.body)):
                old = owner[key] if isinstance(owner, list) else getattr(owner, key)
                for new in simpler(old):
                    put(owner, key, copy.deepcopy(new))
                    if self.attempt():
                        break
                    put(owner, key, old)


def find(model, output, fails):
    """Returns (a smaller program that fails, how it fails); `fails` gives words or None."""
    search = Search(model, fails)
    if output is not None:
        search.keep_groups(needed(model.main, output))
    search.drop_groups()
    search.drop_twins()
    search.drop_statements()
    search.simplify_expressions()
    return search.model, search.words
