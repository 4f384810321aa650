# SPDX-License-Identifier: MIT
"""Random transforms and what they mean, cell by cell (docs/reference/language.md 5.3 to 5.9, 6.1, 6.5).

Each transform has one output or two, sometimes made through a temporary, and rules with random coordinates, inputs, conditions
and priorities. In some the last dimension counts versions. Of the rules of one priority, all that name a version make the same
number of a cell, and so do all others: every choice has to give the same output, while a cell that falls to another rule is
seen. A last rule covers everything. Rules of `ordered` transforms read outputs too, and notice a cell that is not made yet;
those of `wide` ones write rows, columns and blocks.
"""

import dataclasses
import fractions

import numpy as np

from dice import Dice

CATCH_ALL = 9
KINDS = ("plain", "plain", "wide", "ordered", "ordered", "gaps")
SHIFTS = {1: [(-1,), (-1,), (-2,), (-3,)], 2: [(-1, 0), (-1, 0), (0, -1), (0, -1), (1, -1), (-1, -1), (-2, 0), (2, -1)]}
POISON = 10**7              # of a cell that was read before it was made, or that is taken for missing and is not
FAR = (1 << 30, 1 << 30, 1 << 29, 100000)    # factors with which coordinates leave 32 bits, or come back to where they began
NAMED = 500                 # what rules that name a version add
MISSING = 77                # no input holds it


@dataclasses.dataclass
class Read:
    """An input: its text, and per dimension the texts of begin and end."""
    text: str
    bounds: list


@dataclasses.dataclass
class Rule:
    """A rule. `kind` is that of its outputs, which all lie at `bounds`, a (begin, end) per dimension."""
    priority: int
    matrices: list          # names of outputs
    kind: str               # cell, row, column, region, all
    bounds: list
    reads: list
    where: list             # relations
    variables: list
    own_reads: list = dataclasses.field(default_factory=list)   # (matrix, coordinates)
    far: list = dataclasses.field(default_factory=list)         # coordinates of inputs with a default, mostly outside


def formula(text):
    """A function of {name: value}; Python's arithmetic, so / is exact for fractions and // is C's for what is >= 0."""
    code = compile(text, text, "eval")
    return lambda values: eval(code, {}, values)  # the texts are made here


def integer_formula(text):
    return formula(text.replace("/", "//"))
def position(coordinates):
    """The part of a cell's value that says where it is."""
    return " + ".join(f"{7 + 6 * d}*({t})" for d, t in enumerate(coordinates))


class Transform(Dice):
    def __init__(self, name, rng):
        self.name, self.rng = name, rng
        self.num_dims = int(rng.integers(1, 3))
        self.sizes = ["n", "m"][:self.num_dims]
        self.vars = ["x", "y"][:self.num_dims]
        self.kind = self.pick(*KINDS)
        self.direction = self.pick(1, -1)
        self.outputs = ["OUT"] if rng.random() < 0.6 else ["OUT", "Q"]
        self.has_temporary = rng.random() < 0.5
        self.versioned = set()      # names of matrices
        if self.num_dims == 2 and self.chance(0.4):
            self.versioned = self.pick({"T"}, {*self.outputs}, {*self.outputs, "T"})
        self.pair_share = self.pick(0.25, 0.25, 1) if self.kind == "ordered" else 0.25
        self.rules = [self.make_rule() for _ in range(int(rng.integers(1, 6)))]
        for number, name in enumerate(self.outputs):
            self.rules.append(self.cover(name))
            if self.kind == "ordered" and self.chance(0.5):
                self.add_own_reads(self.rules[-1], 1)
                self.rules.append(self.cover(name))
                self.rules[-1].priority += 1
        self.temporary_rules = []
        if self.has_temporary:
            self.temporary_rules = [self.make_plain("T") for _ in range(int(rng.integers(1, 4)))]
            self.temporary_rules.append(self.cover("T"))

    # ---- rules

    def cover(self, matrix):
        return Rule(CATCH_ALL, [matrix], "cell", [(v, f"{v}+1") for v in self.vars], [], [], list(self.vars))

    def make_plain(self, matrix):
        coordinates, used = [], []
        for var, size in zip(self.vars, self.sizes):
            is_named = var == "y" and matrix in self.versioned and self.chance(0.3)
            text = self.pick("0", "0", "1", f"{size}-1") if is_named else self.output_coordinate(var, size)
            coordinates.append(text)
            used += [var] if var in text else []
        return self.finish([matrix], "cell", coordinates, used)

    def make_rule(self):
        """A rule of the transform's kind; now and then for both outputs."""
        matrices = list(self.outputs) if self.chance(self.pair_share) else [self.pick(*self.outputs)]
        if self.kind == "gaps" and self.num_dims == 2 and self.chance(0.4):
            line = self.pick(("x", "x"), ("x+1", "x"), ("x", "n-1-x"), ("2*x", "x"), ("x", "2*x+1"))
            return self.finish(matrices, "cell", list(line), ["x"])
        if self.kind == "wide" and self.chance(0.6):
            return self.make_wide(matrices)
        rule = self.make_plain(matrices[0])
        rule.matrices = matrices
        if self.kind == "ordered":
            self.add_own_reads(rule, int(self.rng.integers(3)))
        return rule

    def finish(self, matrices, kind, coordinates, used):
        bounds = [(c, f"{c}+1") for c in coordinates]
        reads = [self.make_read(used) for _ in range(int(self.rng.integers(0, 3)))]
        where = [self.make_where(used) for _ in range(int(self.rng.random() < 0.3)) if used]
        rule = Rule(int(self.rng.integers(0, 4)), matrices, kind, bounds, reads, where, used)
        if used and self.chance(0.2):
            rule.far.append([self.far_coordinate(v) if v in used and self.chance(0.7) else "0" for v in self.vars])
        return rule

    def far_coordinate(self, var):
        factor = self.pick(*FAR)
        return f"{factor}*{var}" + self.pick("", f"-{factor}")

    def make_wide(self, matrices):
        kinds = ["block", "half", "all"] + (["row", "column"] if self.num_dims == 2 else [])
        kind = "row" if self.versioned & {*matrices} else self.pick(*kinds)
        coordinates = [self.output_coordinate(v, s) for v, s in zip(self.vars, self.sizes)]
        bounds = [(c, f"{c}+1") for c in coordinates]
        whole = [("0", size) for size in self.sizes]
        if kind == "block":
            step = int(self.rng.integers(2, 5))
            bounds[0] = (f"{step}*x", f"{step}*x+{step}")
        elif kind == "half":
            bounds = [self.pick((("0"), f"{s}/2"), (f"{s}/2", s), ("0", s)) for s in self.sizes]
        elif kind == "all":
            bounds = whole
        else:
            d = 0 if kind == "row" else 1
            bounds[d] = whole[d]
        used = [v for v in self.vars if any(v in begin for begin, _ in bounds)]
        rule = self.finish(matrices, kind if kind in ("row", "column", "all") else "region", [], used)
        rule.bounds = bounds
        return rule

    def add_own_reads(self, rule, count):
        """Adds reads of outputs' cells before the rule's own, in the transform's direction."""
        for _ in range(count):
            shift = [self.direction * s for s in self.pick(*SHIFTS[self.num_dims])]
            matrix = self.pick(*self.outputs)
            if self.chance(0.2) and rule.matrices == ["OUT"] and matrix == "Q":
                shift = [0] * self.num_dims
            begins = [begin for begin, _ in rule.bounds]
            if all(s == 0 or v in begin for s, v, begin in zip(shift, self.vars, begins)):
                rule.own_reads.append((matrix, [begin + (f"{s:+d}" if s else "") for s, begin in zip(shift, begins)]))

    def output_coordinate(self, var, size):
        kind = self.rng.random()
        if self.kind == "gaps" and kind < 0.3:
            return self.pick(f"2*{var}", f"2*{var}+1", f"3*{var}", f"{size}-1-2*{var}", f"3*{var}-1")
        if kind < 0.62:
            return var
        if kind < 0.74:
            return self.pick(f"{var}+1", f"{var}-1", f"{var}+2")
        if kind < 0.82:
            return self.pick(f"{size}-1-{var}", f"{size}-{var}")
        return self.pick("0", "1", f"{size}-1", f"{size}-2", f"{size}/2")

    def coordinate(self, var, size, used):
        if var not in used or self.rng.random() < 0.1:
            return self.pick("0", f"{size}-1", f"{size}/2")
        return self.pick(var, f"{var}-1", f"{var}+1", f"{var}-2", f"{var}+3", f"{size}-1-{var}", f"{var}/2", f"({var}+1)/2", f"2*{var}")

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
            return self.pick("x < y", "x >= y", "x + y >= 3", "x - y <= 1", "x == y", "x != y")
        number = int(self.rng.integers(0, 5))
        return self.pick(f"{var} < {number}", f"{var} >= {number}", f"{var} == {number}", f"{var} <= {size}-{number}",
                         f"2*{var} < {size}", f"{var} > {size}/2", f"{var} != {number}")

    # ---- text

    def text(self):
        through = f"through {self.declared('T')}\n" if self.has_temporary else ""
        outputs = ", ".join(map(self.declared, self.outputs))
        lines = [f"transform {self.name}\nfrom {self.declared('IN')}\n{through}to {outputs}\n{{"]
        lines += [self.rule_text(rule, "T" if self.has_temporary else "IN") for rule in self.rules]
        lines += [self.rule_text(rule, "IN") for rule in self.temporary_rules]
        return "\n".join(lines) + "\n}\n"

    def declared(self, matrix):
        return f"{matrix}<0..m-1>[n]" if matrix in self.versioned else f"{matrix}[{', '.join(self.sizes)}]"

    def cell(self, matrix, coordinates):
        if matrix in self.versioned:
            return f"{matrix}<{coordinates[1]}>.cell({coordinates[0]})"
        return f"{matrix}.cell({', '.join(coordinates)})"

    def names_version(self, rule):
        return bool(self.versioned & {*rule.matrices}) and not any(v in rule.bounds[1][0] for v in self.vars)

    def access(self, matrix, rule):
        begins, ends = [b for b, _ in rule.bounds], [e for _, e in rule.bounds]
        if rule.kind == "cell":
            return self.cell(matrix, begins)
        if rule.kind == "row" and matrix in self.versioned:
            return f"{matrix}<{begins[1]}>"
        args = {"row": begins[1:], "column": begins[:1], "region": begins + ends}.get(rule.kind)
        return matrix + (f".{rule.kind}({', '.join(args)})" if args else "")

    def rule_text(self, rule, own):
        reads, zero = [f"{self.access(own, rule)} own"], "0"
        for i, read in enumerate(rule.reads):
            reads.append(f"{read.text} r{i}")
            zeros = ["0"] * (1 if ".row" in read.text else self.num_dims)
            zero += f" + 0*r{i}" if ".cell" in read.text else f" + 0*r{i}.cell({', '.join(zeros)})"
        for i, coordinates in enumerate(rule.far):
            reads.append(f"IN.cell({', '.join(coordinates)}) f{i} = {MISSING}")
            inside = " && ".join(f"(long)({c.replace('*', 'L*')}) >= 0 && (long)({c.replace('*', 'L*')}) < {size}"
                                 for c, size in zip(coordinates, self.sizes) if c != "0") or "true"
            zero += f" + (({inside}) == (f{i} != {MISSING}) ? 0 : {POISON})"
        for i, (matrix, coordinates) in enumerate(rule.own_reads):
            reads += [f"{self.cell(matrix, coordinates)} s{i}", f"{self.cell(own, coordinates)} c{i}"]
            zero += f" + (fmod(s{i} - c{i} - ({position(coordinates)}), {NAMED}) == 0 ? 0 : {POISON})"
        where = " where " + " && ".join(rule.where) if rule.where else ""
        value = f"{1000 * rule.priority + NAMED * self.names_version(rule)} + {zero}"
        head = f"  priority({rule.priority}) "
        tail = f"from ({', '.join(reads)}){where} "
        if rule.kind == "cell" and len(rule.matrices) == 1:
            return f"{head}{self.access(rule.matrices[0], rule)} {tail}{{ return own + {position([b for b, _ in rule.bounds])} + {value}; }}"
        names = [f"o{i}" for i in range(len(rule.matrices))]
        outputs = ", ".join(f"{self.access(m, rule)} {name}" for m, name in zip(rule.matrices, names))
        return f"{head}to ({outputs}) {tail}{{ {self.loops(rule, names, value)} }}"

    def loops(self, rule, names, value):
        """Statements that write all cells of the outputs, which are equal."""
        if rule.kind == "cell":
            return " ".join(f"{name} = own + {position([b for b, _ in rule.bounds])} + {value};" for name in names)
        kept = {"row": [0], "column": [1]}.get(rule.kind, range(self.num_dims))
        heads = "".join(f"for (int k{d} = 0; k{d} < own.size({i}); ++k{d}) " for i, d in enumerate(kept))
        cell = f".cell({', '.join(f'k{d}' for d in kept)})"
        at = position([f"{b}+k{d}" if d in kept else b for d, (b, _) in enumerate(rule.bounds)])
        return heads + "{ " + " ".join(f"{name}{cell} = own{cell} + {at} + {value};" for name in names) + " }"

    # ---- meaning

    def evaluate(self, matrix):
        """The outputs for an input, from the definition."""
        extents = dict(zip(self.sizes, reversed(matrix.shape)))
        own = self.evaluate_rules("T", self.temporary_rules, matrix, extents) if self.has_temporary else matrix
        return [self.evaluate_rules(name, self.rules, own, extents) for name in self.outputs]

    def evaluate_rules(self, name, rules, own, extents):
        best = np.full(own.shape, CATCH_ALL + 1)
        is_named = np.zeros(own.shape, dtype=bool)
        for rule in sorted(rules, key=lambda rule: (rule.priority, not self.names_version(rule))):
            for cell in self.cells_of(rule, extents) if name in rule.matrices else ():
                if best[cell] > CATCH_ALL:
                    best[cell], is_named[cell] = rule.priority, self.names_version(rule)
        index = np.indices(own.shape)[::-1]
        return own + 1000 * best + NAMED * is_named + sum((7 + 6 * d) * i for d, i in enumerate(index))

    def cells_of(self, rule, extents):
        """The cells that the instances of a rule write."""
        limits = [extents[s] for s in self.sizes]
        bounds = [read.bounds for read in rule.reads] + [[(c, f"{c}+1") for c in at] for _, at in rule.own_reads]
        checks = [(formula(b), formula(e), limit) for each in bounds for (b, e), limit in zip(each, limits)]
        conditions = [integer_formula(text) for text in rule.where]
        outputs = [(integer_formula(b), integer_formula(e)) for b, e in rule.bounds]
        for variables in self.instances(rule, extents):
            values = {**extents, **variables}
            box = [(begin(values), end(values)) for begin, end in outputs]
            if not all(0 <= begin and end <= limit for (begin, end), limit in zip(box, limits)):
                continue
            rational = {name: fractions.Fraction(value) for name, value in values.items()}
            is_inside = all(b(rational) >= 0 and e(rational) - 1 < limit for b, e, limit in checks)
            if is_inside and all(condition(values) for condition in conditions):
                for cell in np.ndindex(*(end - begin for begin, end in reversed(box))):
                    yield tuple(i + begin for i, (begin, _) in zip(cell, reversed(box)))

    def instances(self, rule, extents):
        ranges = [range(-6, extents[s] + 7) for v, s in zip(self.vars, self.sizes) if v in rule.variables]
        names = [v for v in self.vars if v in rule.variables]
        for values in np.ndindex(*(len(r) for r in ranges)):
            yield {name: r[i] for name, r, i in zip(names, ranges, values)}


def transforms(seed, count):
    rng = np.random.default_rng(seed)
    return [Transform(f"T{i}", rng) for i in range(count)]
