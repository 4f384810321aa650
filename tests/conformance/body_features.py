# SPDX-License-Identifier: MIT
"""What random programs are made of: counts, which their test prints and asserts."""

import body_tree as tree

ALWAYS = ("through", "0-D output", "several outputs", "versions", "optional input", "duplicate", "using", "twin", "call", "spawn",
          "recursion", "template", "memoized", "param", "handle", "function of a region", "new matrix", "auto", "4-D", "where")


def of_rule(rule):
    if any(access.default is not None for access in rule.inputs):
        yield "optional input"
    yield from ["duplicate"] if rule.duplicate else []
    yield from ["using"] if rule.using else []
    yield from ["where"] if rule.where else []
    if any(isinstance(stmt.view, list) for stmt in tree.nodes_in(rule.body, tree.DeclareRegion)):
        yield "new matrix"
    if any(isinstance(stmt.view, tree.View) for stmt in tree.nodes_in(rule.body, tree.DeclareRegion)):
        yield "handle"
    if any(isinstance(arg, tree.View) for call in tree.nodes_in(rule.body, tree.Call) for arg in call.args):
        yield "function of a region"
    if any(stmt.word == "auto" for stmt in tree.nodes_in(rule.body, tree.Declare)):
        yield "auto"


def of_group(group, transform):
    matrix = group.matrices[0]
    yield from ["through"] if matrix.role == "through" else []
    yield from ["versions"] if matrix.versions else []
    yield from ["several outputs"] if len(group.matrices) > 1 else []
    yield from ["0-D output"] if any(not m.sizes for m in group.matrices) else []
    yield from ["4-D"] if len(matrix.sizes) > 3 else []
    yield from ["twin"] if sum(rule.is_secondary for rule in group.rules) != 1 or len(group.rules) > 2 else []
    calls = list(tree.nodes_in([rule.body for rule in group.rules], tree.CallTransform))
    yield from ["call"] if calls else []
    yield from ["spawn"] if any(call.is_spawned for call in calls) else []
    yield from ["recursion"] if any(call.transform is transform for call in calls) else []


def of_program(program):
    """One word for each rule, group or transform that has a feature."""
    for transform in program.transforms():
        yield from ["template"] if transform.template else []
        yield from ["memoized"] if transform.modifier.startswith("memoized") else []
        yield from ["param"] if transform.params else []
        for group in transform.groups:
            yield from of_group(group, transform)
            for rule in group.rules:
                yield from of_rule(rule)
