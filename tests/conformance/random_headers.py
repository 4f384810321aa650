# SPDX-License-Identifier: MIT
"""Random transforms and what they mean, cell by cell (LANGUAGE 5.3, 5.4, 5.8, 5.9, 6.1).

Each transform has an output, sometimes made through a temporary, and rules with random coordinates, inputs, conditions and
priorities. All rules of one priority make the same number of a cell, so that every choice has to give the same
output, while a cell that falls to another priority is seen. A last rule covers everything.
"""

import dataclasses
import fractions

import numpy as np

CATCH_ALL = 9


@dataclasses.dataclass
class Read:
    """An input: its text, and per dimension the texts of begin and end."""
    text: str
    bounds: list


@dataclasses.dataclass
class Rule:
    priority: int
    outputs: list           # coordinate texts, per dimension
    reads: list
    where: list             # relations
    variables: list


def formula(text):
    """A function of {name: value}; Python's arithmetic, so / is exact for fractions and // is C's for what is >= 0."""
    code = compile(text, text, "eval")
    return lambda values: eval(code, {}, values)  # the texts are made here


def integer_formula(text):
    return formula(text.replace("/", "//"))


class Transform:
    def __init__(self, name, rng):
        self.name, self.rng = name, rng
        self.num_dims = int(rng.integers(1, 3))
        self.sizes = ["n", "m"][:self.num_dims]
        self.vars = ["x", "y"][:self.num_dims]
        self.has_temporary = rng.random() < 0.5
        self.rules = [self.make_rule() for _ in range(int(rng.integers(1, 6)))]
        self.rules.append(Rule(CATCH_ALL, list(self.vars), [], [], list(self.vars)))
        self.temporary_rules = []
        if self.has_temporary:
            self.temporary_rules = [self.make_rule() for _ in range(int(rng.integers(1, 4)))]
            self.temporary_rules.append(Rule(CATCH_ALL, list(self.vars), [], [], list(self.vars)))

    def pick(self, *choices):
        return choices[int(self.rng.integers(len(choices)))]

    def make_rule(self):
        outputs, used = [], []
        for var, size in zip(self.vars, self.sizes):
            kind = self.rng.random()
            if kind < 0.62:
                text = var
            elif kind < 0.74:
                text = self.pick(f"{var}+1", f"{var}-1", f"{var}+2")
            elif kind < 0.82:
                text = self.pick(f"{size}-1-{var}", f"{size}-{var}")
            else:
                text = self.pick("0", "1", f"{size}-1", f"{size}-2", f"{size}/2")
            outputs.append(text)
            used += [var] if var in text else []
        reads = [self.make_read(used) for _ in range(int(self.rng.integers(0, 3)))]
        where = [self.make_where(used) for _ in range(int(self.rng.random() < 0.3)) if used]
        return Rule(int(self.rng.integers(0, 4)), outputs, reads, where, used)

    def coordinate(self, var, size, used):
        if var not in used or self.rng.random() < 0.1:
            return self.pick("0", f"{size}-1", f"{size}/2")
        return self.pick(var, f"{var}-1", f"{var}+1", f"{var}-2", f"{var}+3", f"{size}-1-{var}", f"{var}/2", f"({var}+1)/2")

    def make_read(self, used):
        begins = [self.coordinate(v, s, used) for v, s in zip(self.vars, self.sizes)]
        if self.num_dims == 2 and self.rng.random() < 0.2 and "y" in used:
            offset = self.pick("y", "y-1", "y+1")
            return Read(f"IN.row({offset})", [("0", "n"), (offset, f"{offset}+1")])
        if self.rng.random() < 0.25 and not any("/" in b for b in begins):
            ends = [f"{b}+{int(self.rng.integers(1, 4))}" for b in begins]
            return Read(f"IN.region({', '.join(begins + ends)})", list(zip(begins, ends)))
        return Read(f"IN.cell({', '.join(begins)})", [(b, f"{b}+1") for b in begins])

    def make_where(self, used):
        var = self.pick(*used)
        size = self.sizes[self.vars.index(var)]
        if len(used) == 2 and self.rng.random() < 0.4:
            return self.pick("x < y", "x >= y", "x + y >= 3", "x - y <= 1", "x == y")
        number = int(self.rng.integers(0, 5))
        return self.pick(f"{var} < {number}", f"{var} >= {number}", f"{var} == {number}", f"{var} <= {size}-{number}",
                         f"2*{var} < {size}", f"{var} > {size}/2")

    def text(self):
        dims = ", ".join(self.sizes)
        through = f"through T[{dims}]\n" if self.has_temporary else ""
        lines = [f"transform {self.name}\nfrom IN[{dims}]\n{through}to OUT[{dims}]\n{{"]
        own = "T.cell({})" if self.has_temporary else "IN.cell({})"
        lines += [self.rule_text(rule, "OUT", own) for rule in self.rules]
        lines += [self.rule_text(rule, "T", "IN.cell({})") for rule in self.temporary_rules]
        return "\n".join(lines) + "\n}\n"

    def rule_text(self, rule, output, own):
        reads = [f"{own.format(', '.join(rule.outputs))} own"]
        zero = "0"
        for i, read in enumerate(rule.reads):
            reads.append(f"{read.text} r{i}")
            zeros = ["0"] * (1 if ".row" in read.text else self.num_dims)
            zero += f" + 0*r{i}" if ".cell" in read.text else f" + 0*r{i}.cell({', '.join(zeros)})"
        where = " where " + " && ".join(rule.where) if rule.where else ""
        position = " + ".join(f"{7 + 6 * d}*({t})" for d, t in enumerate(rule.outputs))
        return (f"  priority({rule.priority}) {output}.cell({', '.join(rule.outputs)}) from ({', '.join(reads)}){where} "
                f"{{ return own + {1000 * rule.priority} + {position} + {zero}; }}")

    def evaluate(self, matrix):
        """The output for an input, from the definition."""
        extents = dict(zip(self.sizes, reversed(matrix.shape)))
        own = self.evaluate_rules(self.temporary_rules, matrix, extents) if self.has_temporary else matrix
        return [self.evaluate_rules(self.rules, own, extents)]

    def evaluate_rules(self, rules, own, extents):
        best = np.full(own.shape, CATCH_ALL)
        for rule in rules:
            for cell in self.cells_of(rule, extents):
                best[cell] = min(best[cell], rule.priority)
        index = np.indices(own.shape)[::-1]
        return own + 1000 * best + sum((7 + 6 * d) * i for d, i in enumerate(index))

    def cells_of(self, rule, extents):
        """The cells that the instances of a rule write."""
        limits = [extents[s] for s in self.sizes]
        checks = [(formula(b), formula(e), limit) for read in rule.reads for (b, e), limit in zip(read.bounds, limits)]
        conditions = [integer_formula(text) for text in rule.where]
        outputs = [integer_formula(text) for text in rule.outputs]
        for variables in self.instances(rule, extents):
            values = {**extents, **variables}
            cell = [output(values) for output in outputs]
            if not all(0 <= c < limit for c, limit in zip(cell, limits)):
                continue
            rational = {name: fractions.Fraction(value) for name, value in values.items()}
            is_inside = all(b(rational) >= 0 and e(rational) - 1 < limit for b, e, limit in checks)
            if is_inside and all(condition(values) for condition in conditions):
                yield tuple(reversed(cell))

    def instances(self, rule, extents):
        ranges = [range(-6, extents[s] + 7) for v, s in zip(self.vars, self.sizes) if v in rule.variables]
        names = [v for v in self.vars if v in rule.variables]
        for values in np.ndindex(*(len(r) for r in ranges)):
            yield {name: r[i] for name, r, i in zip(names, ranges, values)}


def transforms(seed, count):
    rng = np.random.default_rng(seed)
    return [Transform(f"T{i}", rng) for i in range(count)]
