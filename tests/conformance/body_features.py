# SPDX-License-Identifier: MIT
"""What random programs are made of: counts, which their test prints and asserts."""

import re

import body_tree as tree
from rule_tree import Nest

ALWAYS = ("through", "0-D output", "several outputs", "versions", "optional input", "duplicate", "using", "twin", "call", "spawn",
          "recursion", "template", "memoized", "param", "handle", "function of a region", "new matrix", "auto", "4-D", "where", "far coordinate", "border", "infinities and NaN")

OF_NESTS = ("versions made in turns", "rows made in turns", "columns made in turns", "cells of a nest", "call in a nest", "memoized call in a nest",
            "spawn in a nest", "temporary in a nest", "host changes the result", "host reads the result", "handle of the result", "several members",
            "cell by cell", "halves", "inside and border", "optional input", "border", "twin", "where", "infinities and NaN")
OF_DATA = ("generated data", "number by --set")
OF_PACKS = ("packs", "loop with a mask", "branch with a mask", "jump with a mask")
OF_RUNS = ("on a device", "shared step", "cutoff above 0", "on a device above a cutoff", "on the CPU below a cutoff", "watched accesses")


def of_run(configuration, reply, size):
    """What a run was about, from its configuration and what the program says that it did."""
    cutoff = configuration["global"].get("sequential_cutoff", 0)
    ran = [each for entries in reply.get("ran", {}).values() for each in (entries if isinstance(entries, list) else [entries])]
    is_on_device = any(each["on"] != "cpu" for each in ran)
    shares = [of.get("tunables", {}).get("device_eighths", 8) for of in configuration["transforms"].values()]
    yield from ["on a device"] if is_on_device else []
    yield from ["shared step"] if is_on_device and any(0 < share < 8 for share in shares) else []
    yield from ["cutoff above 0"] if cutoff > 0 else []
    yield from ["on a device above a cutoff"] if is_on_device and 0 < cutoff <= size else []
    yield from ["on the CPU below a cutoff"] if reply.get("below_cutoff") else []


def of_cpp(text):
    """What the C++ that pbc makes has, once for each place."""
    yield from ["packs"] * len(re.findall(r"PB_SIMD_INLINE \S+ packs_", text))
    yield from ["rounds in lanes"] * text.count("pbrt::simd::end_of_lanes<")
    yield from ["divided fold"] * text.count("#if PB_STAGE > ")
    yield from ["loop with a mask"] * text.count("pbrt::simd::any(")
    yield from ["branch with a mask"] * text.count("[[maybe_unused]] auto pb_mask")
    yield from ["jump with a mask"] * len(re.findall(r"(pb_mask\d+) = pbrt::simd::without\(\1,", text))


def of_nest(nest):
    """What a nest is made of, once for each member, rule or call."""
    if nest.size == "1":
        yield "halves"
        return
    yield from ["cell by cell"] if nest.by_cell else []
    yield from ["several members"] if len(nest.members) > 1 else []
    for member in nest.members:
        main = member.rules[0]
        kind = main.outputs[0].kind
        yield {"slice": "versions made in turns", "row": "rows made in turns", "column": "columns made in turns", "cell": "cells of a nest"}[kind]
        calls = list(tree.nodes_in(main.body, tree.CallTransform))
        yield from ["call in a nest"] if calls else []
        yield from ["memoized call in a nest"] if any(call.transform.modifier.startswith("memoized") for call in calls) else []
        yield from ["spawn in a nest"] if any(call.is_spawned for call in calls) else []
        yield from ["temporary in a nest"] if main.using else []
        yield from of_call_rule(main) if calls else []


def of_call_rule(rule):
    """What the host does with what a call made."""
    names = {rule.outputs[0].binding}
    if any(stmt.name == "kept" for stmt in tree.nodes_in(rule.body, tree.DeclareRegion)):
        yield "handle of the result"
        names.add("kept")
    written = [stmt.target for stmt in tree.nodes_in(rule.body, tree.Assign) if isinstance(stmt.target, tree.Cell)]
    yield from ["host changes the result"] if any(cell.region in names for cell in written) else []
    read = [cell for cell in tree.nodes_in(rule.body, tree.Cell) if cell.region in names and not any(cell is each for each in written)]
    yield from ["host reads the result"] if read else []


def of_rule(rule):
    if any(access.default is not None and not access.has_border() for access in rule.inputs):
        yield "optional input"
    if any(access.has_border() for access in rule.inputs):
        yield "border"
    if any(len(low) > 5 and low[:5].isdigit() for access in rule.inputs for low, _ in access.bounds):
        yield "far coordinate"
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


def is_inside_and_border(group):
    """Whether the first rule reads neighbours, so that another one makes the border: such steps may run as one loop."""
    bounds = [low for access in group.rules[0].inputs if access.default is None for low, _ in access.bounds]
    return group.rules[0].outputs[0].kind == "cell" and any(low[0].isalpha() and ("-" in low or "+" in low) for low in bounds)


def of_group(group, transform):
    """What a group of rules, or of one output, is made of."""
    matrix = group.matrices[0]
    yield from ["inside and border"] if is_inside_and_border(group) else []
    yield from ["through"] if matrix.role == "through" else []
    yield from ["versions"] if matrix.versions else []
    is_named = any(rule.only_first for rule in group.rules)
    yield from ["displaced"] if is_named and not all(r.only_first or r.is_secondary or r.reads_before() for r in group.rules) else []
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
        yield from ["infinities and NaN"] if transform.special else []
        yield from ["memoized"] if transform.modifier.startswith("memoized") else []
        yield from ["param"] if transform.params else []
        for group in transform.groups:
            yield from of_nest(group) if isinstance(group, Nest) else of_group(group, transform)
            for rule in group.rules:
                yield from of_rule(rule)
