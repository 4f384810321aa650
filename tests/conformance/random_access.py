# SPDX-License-Identifier: MIT
"""Random rule heads: which cells a rule writes and reads, in simple forms; random_headers.py is about the intricate ones."""

from dice import Dice
from rule_tree import BORDERS, Access, Rule, value_of

VARIABLES = ("xyzw", "ijkq", ["col", "row", "plane", "cube"])
VERSIONS = (("4", "0..3"), ("l+1", "0..l"))     # the size of the last dimension, and what stands between < and >
FAR = (1 << 30, 100000)     # factors of coordinates that leave 32 bits, or come back to where they began


class RuleHeads(Dice):
    """Part of random_rules.Transform, whose matrices, groups and generator of random numbers it uses."""

    # ---- outputs

    def draw_outputs(self, number, kind):
        """(matrices, the kind of access to each) for a group's kind."""
        sizes = self.pick(*self.shapes())
        if len(sizes) != 2 and kind == "row":
            kind = self.pick("cell", "block") if self.is_main else "cell"
        role = "through" if self.chance(0.25) else "to"
        name = f"O{number}"
        if kind == "number":
            return [self.matrix(name, [], "" if not self.is_main else None, role)], ["all"]
        if kind == "block":
            return [self.matrix(name, ["2*n", *sizes[1:]], role=role)], ["block"]
        if kind == "pair":
            count = self.pick(2, 2, 3)
            return [self.matrix(name + "abc"[i], sizes, role=role) for i in range(count)], ["cell"] * count
        if kind == "mixed":
            return self.mixed_outputs(name, role)
        if kind == "versions":
            own = sizes[:2]
            count, versions = self.pick(*VERSIONS) if self.is_main else VERSIONS[0]
            return [self.matrix(name, [*own, count], role=role, versions=versions)], ["cell"]
        access = {"row": "row" if self.chance(0.6) else "column", "all": "all", "call": "all"}.get(kind, "cell")
        return [self.matrix(name, sizes, role=role)], [access]

    def shapes(self):
        if not self.is_main:
            return [m.sizes for m in self.inputs if m.sizes]
        return ["n"], ["n"], ["n", "m"], ["n", "m"], ["n", "m"], ["m", "n"], ["n", "m", "l"], ["n", "l", "m", "2"]

    def mixed_outputs(self, name, role):
        """A matrix and numbers that come with each of its rows, or with all of it."""
        planes = [shape for shape in self.shapes() if len(shape) == 2]
        if planes and self.chance(0.6):
            sizes = self.pick(*planes)
            return [self.matrix(name, sizes, role=role), self.matrix(name + "b", sizes[1:], role=role)], ["row", "cell1"]
        sizes = self.pick(*self.shapes())
        word = "" if not self.is_main else None
        return [self.matrix(name, sizes, role=role), self.matrix(name + "b", [], word, role)], ["all", "all"]

    @staticmethod
    def output_access(matrix, kind, names, binding):
        if kind == "block":
            first = (f"2*{names[0]}", f"2*{names[0]}+2")
            return Access(matrix, "region", [first, *((v, f"{v}+1") for v in names[1:len(matrix.sizes)])], binding)
        if kind == "cell1":  # of the second coordinate
            return Access(matrix, "cell", [(names[1], f"{names[1]}+1")], binding)
        whole = [("0", size) for size in matrix.sizes]
        cell = [(v, f"{v}+1") for v in names]
        bounds = {"cell": cell, "all": whole, "row": whole[:1] + cell[1:], "column": cell[:1] + whole[1:]}[kind]
        return Access(matrix, kind, bounds, binding)

    # ---- rules

    def draw_head(self, matrices, kinds, is_secondary, group_kind, order):
        sizes = matrices[0].sizes
        names = list(self.pick(*VARIABLES))[:len(sizes)]
        if group_kind in ("versions", "first version") or matrices[0].versions:
            names[-1] = "v"
        own = {"row": [1], "column": [0], "all": []}.get(kinds[0], range(len(sizes)))
        variables = [(names[d], sizes[d].removeprefix("2*")) for d in own]
        bindings = [self.pick("o", "out", "global", "w") + str(i) for i in range(len(matrices))]
        outputs = [self.output_access(m, kind, names, binding) for m, kind, binding in zip(matrices, kinds, bindings)]
        first = group_kind == "first version"
        if first:
            variables = variables[:-1]
            outputs[0].bounds[-1] = ("0", "1")
        over = dict(variables)
        sources = self.inputs + self.made() * (4 if self.is_tame else 1)
        if not self.is_main and group_kind == "call":
            sources = self.inputs
        sources = [m for m in sources if m.sizes] if self.is_tame else sources
        inputs = [self.draw_access(self.pick(*sources), over, is_secondary or first, f"a{i}")
                  for i in range(1 + int(self.rng.integers(3)))]
        if group_kind == "scan":
            inputs.append(self.own_access(matrices[0], variables, 0, order))
        # A rule that reads no version before could make version 0, too: the rule that names it displaces this one.
        if group_kind == "versions" and (is_secondary or self.chance(0.6)):
            inputs += [self.version_access(matrices[0], variables, is_secondary, f"before{i}") for i in range(self.pick(1, 2))]
        return Rule(is_secondary, variables, outputs, inputs, False, [], only_first=first)

    def own_access(self, matrix, variables, dim, order):
        bounds = [(f"{v}", f"{v}+1") for v, _ in variables]
        low = f"{variables[dim][0]}{'-' if order > 0 else '+'}{self.pick(1, 1, 2)}"
        bounds[dim] = (low, low + "+1")
        return Access(matrix, "cell", bounds, "before")

    def version_access(self, matrix, variables, is_secondary, binding):
        """An access to the version before: a cell near, or all of it."""
        bounds = [(f"{v}", f"{v}+1") for v, _ in variables]
        bounds[-1] = ("v-1", "v")
        if self.chance(0.2):
            return Access(matrix, "slice", [("0", size) for size in matrix.sizes[:-1]] + [bounds[-1]], binding)
        if not is_secondary:
            low = variables[0][0] + self.pick("", "-1", "+1")
            bounds[0] = (low, low + "+1")
        return Access(matrix, "cell", bounds, binding)

    def draw_where(self, variables):
        (a, size), (b, _) = self.pick(*variables), self.pick(*variables)
        if a != b and self.chance(0.5):
            return self.pick(f"{a} < {b}", f"{a} >= {b}", f"{a} + {b} > 3", f"{a} == {b}", f"{a} < 2 || {b} < 1", f"{a} >= 1 && {b} != 2")
        return self.pick(f"{a} > 2", f"{a} < {size} - 2", f"2*{a} < {size}", f"{a} != 4", f"{a} == 0", f"{a}*{a} > {size}",
                         f"{a} < 2 || {a} > 4")

    def draw_access(self, matrix, variables, is_everywhere, binding):
        """An input; inside of its matrix in every instance if `is_everywhere`."""
        over = {size: var for var, size in variables.items() if size.isalpha()}
        whole = [("0", size) for size in matrix.sizes]
        own = matrix.sizes[:-1] if matrix.versions else matrix.sizes
        is_reached = all(size in over or size.isdigit() or size == "2*n" and "n" in over for size in own)
        kind = self.pick("cell", "cell", "region", "region", "all", "row", "column")
        if kind in ("row", "column") and not matrix.versions:
            d = 1 if kind == "row" else 0
            if len(matrix.sizes) == 2 and matrix.sizes[d] in over:
                whole[d] = self.coordinate(over, matrix.sizes[d], 1, is_everywhere)
                return Access(matrix, kind, whole, binding)
        if kind not in ("cell", "region") or not matrix.sizes or (is_everywhere and not is_reached):
            if matrix.versions and not matrix.sizes[-1].isdigit():  # bodies have no name for the count
                return Access(matrix, "slice", [*whole[:-1], self.version_of(matrix)], binding)
            return Access(matrix, "all", whole, binding)
        length = lambda: 1 if kind == "cell" or is_everywhere else int(self.rng.integers(1, 4))  # noqa: E731
        bounds = [self.coordinate(over, size, length(), is_everywhere) if size in over or size == "2*n" and "n" in over else
                  ("0", size) if kind == "region" else ("0", "1") for size in matrix.sizes]
        if matrix.versions:
            bounds[-1] = self.version_of(matrix)
        access = Access(matrix, kind, bounds, binding)
        if kind == "cell" and is_reached and self.chance(0.3):
            self.make_optional(access, over)
        return access

    def version_of(self, matrix):
        last = matrix.versions.split("..")[1]
        low = str(int(self.rng.integers(int(last) + 1))) if last.isdigit() else self.pick("0", last, last)
        return low, f"{low}+1"

    def make_optional(self, access, over):
        """Moves an access farther away, and says what it is outside of the matrix."""
        for d, size in enumerate(access.matrix.sizes):
            if size in over:
                low = over[size] + self.pick("", "-1", "+1", "-3", "+2")
                if self.chance(0.1):
                    low = f"{self.pick(*FAR)}*{low}"
                access.bounds[d] = (low, low + "+1")
        access.default = self.pick(*BORDERS, "OPTIONAL", "OPTIONAL", "0", "1", "n", *over.values())

    def coordinate(self, over, size, length, is_everywhere):
        if size == "2*n":
            low = f"2*{over['n']}" + ("" if is_everywhere else self.pick("", "", "+1", "-1"))
        elif is_everywhere:
            low = self.pick(over[size], over[size], f"{size}-1-{over[size]}")
        else:
            var = over[size]
            low = self.pick(var, var, f"{var}-1", f"{var}+1", f"{var}-2", f"{size}-1-{var}", f"{size}-{var}")
        return low, f"{low}+{length}"

    @staticmethod
    def extent_of(low, high):
        """The length of a bound that a body may name: an integer, or a size variable, the smaller one of `2*n`."""
        if (low, high) == ("0", "2*n"):
            return "n"
        names = [name for each in VARIABLES for name in each] + ["n", "m", "l", "v"]
        return high if low == "0" and high.isalpha() else value_of(f"({high})-({low})", dict.fromkeys(names, 7))
