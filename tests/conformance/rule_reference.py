# SPDX-License-Identifier: MIT
"""What groups of rules of rule_tree.py compute, instance by instance (docs/reference/language.md 5.3 to 5.9)."""

import numpy as np

from body_reference import Compiled, Unsuitable
from rule_tree import Nest, value_of

ELEMENTS = {"double": np.float64, "float": np.float32, "int": np.int32, "long": np.int64, "short": np.int16, "uchar": np.uint8,
            "ushort": np.uint16}


def place_of(access, values):
    """The index of an access in its array, the last coordinate first."""
    kept, place = set(access.dims()), []
    for d, (low, high) in reversed(list(enumerate(access.bounds))):
        low = value_of(low, values)
        place.append(slice(low, value_of(high, values)) if d in kept else low)
    return tuple(place)


def view(access, matrices, values):
    """What an access sees: a number, or an array with the last coordinate first."""
    found = matrices[access.matrix.name][place_of(access, values)]
    return found if list(access.dims()) or not hasattr(found, "item") else found.item()


def is_within(access, values):
    return all(0 <= value_of(low, values) and value_of(high, values) <= value_of(size, values)
               for (low, high), size in zip(access.bounds, access.matrix.sizes))


def is_inside(rule, values, is_first):
    """Whether the instance belongs to the rule's domain; `is_first`: it is one of version or slice 0."""
    if (rule.only_first and not is_first) or (rule.where and not value_of(rule.where, values)):
        return False
    if not all(has_cells(access, values) for access in rule.inputs if access.has_border()):
        return False
    return all(is_within(access, values) for access in rule.inputs if access.kind != "all" and access.default is None)


def has_cells(access, values):
    """Whether a border has a cell to lead to, in the version that is there."""
    version = [access.bounds[-1]] if access.matrix.versions else []
    extents = [value_of(size, values) for size in access.matrix.sizes]
    return min(extents, default=1) >= 1 and all(0 <= value_of(low, values) < extents[-1] for low, _ in version)


def mapped(border, c, extent):
    """The coordinate that a border makes of any other."""
    if border == "wrap":
        return c % extent
    if border == "clamp":
        return min(max(c, 0), extent - 1)
    period = max(2 * extent - 2, 1)
    c %= period
    return c if c < extent else period - c


def at_border(access, matrices, values):
    """The element that a border leads to; version indices are not mapped."""
    last = len(access.bounds) - 1 if access.matrix.versions else len(access.bounds)
    place = []
    for d, (low, _) in reversed(list(enumerate(access.bounds))):
        c = value_of(low, values)
        place.append(mapped(access.default, c, value_of(access.matrix.sizes[d], values)) if d < last else c)
    found = matrices[access.matrix.name][tuple(place)]
    return found.item() if hasattr(found, "item") else found


class GroupReference:
    """The rules of a group, ready to run. `transform` knows what bodies see."""

    def __init__(self, transform, group, arithmetic):
        self.transform, self.group, self.arithmetic = transform, group, arithmetic
        # Rules stand in the order in which they take a cell: by priority, then those that name its version.
        self.rules = sorted(group.rules, key=lambda rule: (rule.is_secondary, not rule.only_first))
        self.bodies = [self.compiled(rule, arithmetic) for rule in self.rules]

    def compiled(self, rule, arithmetic):
        given = self.transform.surroundings(rule)
        types = {each.name: each.type for each in given.numbers + given.arrays}
        types.update({o.binding: o.matrix.type for o in rule.number_outputs()})
        types.update({name: "int" for name in rule.duplicate[:1]})
        result = rule.outputs[0].matrix.type if rule.is_return_form else None
        for access in rule.inputs:
            if access.default == "OPTIONAL":
                types.update({access.binding: access.matrix.type, f"missing {access.binding}": "bool"})
        return Compiled(rule.body, types, self.transform.meanings(), arithmetic, result, [o.binding for o in rule.number_outputs()])

    def run(self, known, sizes):
        """Runs the rules; the outputs of the group as {matrix: array}."""
        group = self.group
        made = empty(group.matrices, sizes)
        matrices = {**known, **made}
        limits = [value_of(size, sizes) for _, size in group.rules[0].variables]
        for place in np.ndindex(*reversed(limits)):
            place = tuple(reversed(place))
            if group.order < 0:
                place = tuple(limit - 1 - i for limit, i in zip(limits, place))
            for rule, body in zip(self.rules, self.bodies):
                values = {**sizes, **dict(zip((v for v, _ in rule.variables), place))}
                if is_inside(rule, values, not place or place[-1] == 0):
                    self.run_instance(rule, body, matrices, values)
                    break
        return whole(group.matrices, made, self.arithmetic)

    def run_slice(self, matrices, covered, sizes, number, place=None):
        """Runs instances of slice `number`, all or the one at `place`, of the first rule at each cell; `covered`: cells that have one."""
        for rule, body in zip(self.rules, self.bodies):
            counted = [(v, size) for v, size in rule.variables if v != rule.slice_variable]
            limits = [value_of(size, sizes) for _, size in reversed(counted)]
            for at in np.ndindex(*limits) if place is None else [place]:
                values = {**sizes, **dict(zip((v for v, _ in counted), reversed(at))), rule.slice_variable: number}
                cells = [(access.matrix.name, place_of(access, values)) for access in rule.outputs]
                if is_inside(rule, values, number == 0) and not np.any(covered[cells[0][0]][cells[0][1]]):
                    self.run_instance(rule, body, matrices, values)
                    for name, cell in cells:
                        covered[name][cell] = True

    def run_instance(self, rule, body, matrices, values):
        outer = {**values, **self.transform.constants_of(rule)}
        outer.update({name: matrices[name].item() for name in self.transform.numbers_known()})
        for access in rule.inputs:
            if access.has_border():
                outer[access.binding] = at_border(access, matrices, values)
            elif access.default is None or is_within(access, values):
                outer[access.binding] = view(access, matrices, values)
            else:
                outer[access.binding] = None if access.default == "OPTIONAL" else ELEMENTS[access.matrix.type](value_of(access.default, values)).item()
            if access.default == "OPTIONAL":
                outer[f"missing {access.binding}"] = int(outer[access.binding] is None)
        for m in rule.using:
            outer[m.name] = np.full(m.shape(values), None, dtype=object)
        for access in [] if rule.is_return_form else rule.outputs:
            if not access.is_number():
                outer[access.binding] = view(access, matrices, values)
        found = body(outer)
        outputs = rule.outputs if rule.is_return_form else rule.number_outputs()
        for access, value in zip(outputs, [found] if rule.is_return_form else found):
            place = tuple(value_of(low, values) for low, _ in reversed(access.bounds))
            matrices[access.matrix.name][place] = value


class NestReference:
    """A nest, ready to run."""

    def __init__(self, transform, nest, arithmetic):
        self.nest, self.arithmetic = nest, arithmetic
        self.members = [GroupReference(transform, member, arithmetic) for member in nest.members]

    def run(self, known, sizes):
        """Runs the nest; the outputs of all members as {matrix: array}."""
        made = empty(self.nest.matrices, sizes)
        covered = {name: np.zeros(array.shape, dtype=bool) for name, array in made.items()}
        matrices = {**known, **made}
        for number in range(value_of(self.nest.size, sizes)):
            for place in self.places(sizes):
                for member in self.members:
                    member.run_slice(matrices, covered, sizes, number, place)
        return whole(self.nest.matrices, made, self.arithmetic)

    def places(self, sizes):
        """The places of the cells of a slice, or None for all of them at once; the last rule of a member has all the variables."""
        if not self.nest.by_cell:
            return [None]
        last = self.nest.members[0].rules[-1]
        return list(np.ndindex(*(value_of(size, sizes) for v, size in reversed(last.variables) if v != last.slice_variable)))


def reference_of(transform, group, arithmetic):
    return (NestReference if isinstance(group, Nest) else GroupReference)(transform, group, arithmetic)


def empty(matrices, sizes):
    return {m.name: np.full(m.shape(sizes), None, dtype=object) for m in matrices}


def whole(matrices, made, arithmetic):
    """The arrays in their types, once everything is written."""
    for m in matrices:
        if made[m.name].size and any(v is None for v in made[m.name].flat):
            raise Unsuitable("a cell is not written")
    return {m.name: arithmetic.stored(made[m.name], ELEMENTS[m.type]) for m in matrices}
