# SPDX-License-Identifier: MIT
"""Random transforms whose rules fold (random_fold_bodies.py). Rules have one instance, or one for each row, column or cell.

The reference, bounded.py, says within which bound any order of a sum is right.
"""

import numpy as np

import body_tree as tree
import random_functions
from body_tree import Name
from bounded import BoundedArithmetic
from random_fold_bodies import FoldMaker
from random_rules import Transform
from restated import restated
from rule_reference import reference_of
from rule_tree import Access, Group, Rule

FORMS = ("whole", "whole", "lines", "lines", "product", "stores", "whole stores")
STORES = ("stores", "whole stores")
FINE_SHARE = 0.4        # the share of real inputs whose sums depend on the order; the others hold multiples of 1/8
ELEMENT_SHARE = 0.5     # the share of matrices whose type is not drawn: ElementT
TWIN_SHARE = 0.25


class FoldTransform(Transform):
    """A random transform of folds. Its rules read its inputs alone."""

    CONSTANTS = ()

    def __init__(self, rng, num_groups, element, is_special):
        self.features = []
        super().__init__("R", rng, num_groups, element, is_special=is_special)

    def random_inputs(self, sizes, rng):
        arrays = super().random_inputs(sizes, rng)
        return [self.fine(array, rng) if tree.is_real(m.type) and rng.random() < FINE_SHARE else array for m, array in zip(self.inputs, arrays)]

    @staticmethod
    def fine(array, rng):
        """An array whose finite numbers have all their digits."""
        return np.where(np.isfinite(array) & (array != 0), rng.normal(0, 1, array.shape), array).astype(array.dtype)

    def matrix(self, name, sizes, word=None, role="from", versions=""):
        return super().matrix(name, sizes, "" if word is None and self.chance(ELEMENT_SHARE) else word, role, versions)

    # ---- groups

    def draw_next(self, number, attempt, is_recursive):
        form = self.pick(*FORMS)
        matrices, rule = self.whole_rule(number, form) if form.startswith("whole") else self.line_rule(number, form)
        rule.is_return_form = len(matrices) == 1 and rule.outputs[0].is_number() and self.chance(0.5)
        maker = FoldMaker(self.rng, self.surroundings(rule))
        maker.scopes.append([])
        numbers = [Name(o.binding, o.matrix.type) for o in rule.number_outputs()]
        rule.body = maker.body(numbers, rule.outputs[0].matrix.type if rule.is_return_form else None)
        rules = [rule]
        if self.chance(TWIN_SHARE):
            rules.append(restated(rule, self.rng))
            maker.note("twin")
        maker.note("one instance" if not rule.variables else "cells" if len(rule.variables) == 2 else "rows")
        maker.note("0-D output") if any(not m.sizes for m in matrices) else None
        self.drawn = maker.features
        return Group(matrices, rules)

    def make_group(self, number, is_recursive=False):
        super().make_group(number, is_recursive)
        self.features += self.drawn

    def of_dims(self, count):
        return [m for m in self.inputs if len(m.sizes) == count]

    @staticmethod
    def all_of(matrix, binding):
        return Access(matrix, "all", [("0", size) for size in matrix.sizes], binding)

    def whole_rule(self, number, form):
        """(matrices, a rule with one instance): numbers, and the whole of a matrix where it stores."""
        source = self.pick(*self.of_dims(1), *self.of_dims(2), *self.of_dims(3))
        inputs = [self.all_of(source, "a0")]
        others = [m for m in self.of_dims(1) + self.of_dims(2) if m is not source and set(m.sizes) <= set(source.sizes)]
        if others and self.chance(0.5):
            inputs.append(self.all_of(self.pick(*others), "a1"))
        stores = form in STORES
        matrices = [self.matrix(f"O{number}", list(source.sizes), role="to")] if stores else []
        matrices += [self.matrix(f"O{number}{'abc'[i]}", [], role="to") for i in range(1 if stores else self.pick(1, 1, 2, 3))]
        outputs = [self.all_of(m, f"o{i}") for i, m in enumerate(matrices)]
        return matrices, Rule(False, [], outputs, inputs, False, [])

    def line_rule(self, number, form):
        """(matrices, a rule with an instance for each row or column, or for each pair of two)."""
        plane = self.pick(*self.of_dims(2))
        d = 1 if form == "stores" or self.chance(0.6) else 0
        variables, inputs = [("y", plane.sizes[d])], [self.line_of(plane, d, "y", "a0")]
        length = plane.sizes[1 - d]
        if form == "product":
            pairs = [(m, e) for m in self.of_dims(2) for e in (0, 1) if m.sizes[1 - e] == length]
            other, e = self.pick(*pairs)
            variables = [("x", other.sizes[e]), *variables]
            inputs.append(self.line_of(other, e, "x", "a1"))
        elif self.chance(0.5):
            vectors = [m for m in self.of_dims(1) if m.sizes == [length]]
            inputs += [self.all_of(self.pick(*vectors), "a1")] if vectors else []
        if form == "stores":
            matrices = [self.matrix(f"O{number}", list(plane.sizes), role="to"), self.matrix(f"O{number}b", [plane.sizes[1]], role="to")]
            outputs = [self.line_of(matrices[0], 1, "y", "o0"), Access(matrices[1], "cell", [("y", "y+1")], "o1")]
        else:
            count = self.pick(1, 1, 2, 3) if form == "lines" else 1
            matrices = [self.matrix(f"O{number}{'abc'[i]}", [size for _, size in variables], role="to") for i in range(count)]
            outputs = [Access(m, "cell", [(v, f"{v}+1") for v, _ in variables], f"o{i}") for i, m in enumerate(matrices)]
        return matrices, Rule(False, variables, outputs, inputs, False, [])

    @staticmethod
    def line_of(plane, d, variable, binding):
        bounds = [("0", size) for size in plane.sizes]
        bounds[d] = (variable, f"{variable}+1")
        return Access(plane, "row" if d == 1 else "column", bounds, binding)

    # ---- what they compute

    def evaluate(self, arrays, sizes, arithmetic=None):
        return super().evaluate(arrays, sizes, arithmetic or BoundedArithmetic(is_special=True))

    def tried(self, group, known, sizes):
        return reference_of(self, group, BoundedArithmetic(is_special=True)).run(known, sizes)

    def depends_on_rounding(self, arrays, sizes):
        """Says no: the reference knows where rounding decides."""
        return False


class FoldProgram:
    """A transform of folds, from one seed."""

    def __init__(self, seed, num_groups, element, is_special):
        self.main = FoldTransform(np.random.default_rng([seed, 7]), num_groups, element, is_special)

    def transforms(self):
        return [self.main]

    def text(self):
        return random_functions.TEXT + self.main.text()

    def features(self):
        """One word for each part of a body, and for each transform, that has a feature."""
        return self.main.features + (["infinities and NaN"] if self.main.special else [])
