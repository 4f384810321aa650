# SPDX-License-Identifier: MIT
"""Rules as data: matrices, accesses, rules and groups of rules, and their text.

Data only: random_rules.py draws them, rule_reference.py says what they compute. Formulas are texts that C++ and Python
read alike.
"""

import dataclasses
import functools
import typing

import body_tree as tree


@functools.lru_cache(maxsize=None)
def compiled_formula(text):
    return compile(text, text, "eval")


def value_of(formula, values):
    return eval(compiled_formula(formula.replace("/", "//").replace("||", " or ").replace("&&", " and ")), {}, values)


@dataclasses.dataclass
class Matrix:
    """A matrix. `versions`: what stands between < and > of the header; the last of `sizes` counts them then."""
    name: str
    word: str               # of the header; "" for ElementT
    type: str
    sizes: list             # formulas
    role: str = "from"      # from, through, to, or using for what a rule has to itself
    versions: str = ""
    range: tuple = ()       # of an input's generated data: (low, high), formulas

    def shape(self, sizes):
        return tuple(value_of(size, sizes) for size in reversed(self.sizes))

    def text(self):
        versions = f"<{self.versions}>" if self.versions else ""
        own = self.sizes[:-1] if self.versions else self.sizes
        bounds = f" in {self.range[0]}..{self.range[1]}" if self.range else ""
        return f"{self.word} {self.name}".strip() + versions + (f"[{', '.join(own)}]" if own else "") + bounds


BORDERS = ("wrap", "clamp", "mirror")


@dataclasses.dataclass
class Access:
    matrix: Matrix
    kind: str               # cell, region, row, column, all; slice for one version
    bounds: list            # per dimension of the matrix: (begin, end)
    binding: str
    default: typing.Optional[str] = None    # of an optional input: a formula, OPTIONAL, or a border

    def text(self):
        one_version = bool(self.matrix.versions) and self.kind != "all"
        bounds = self.bounds[:-1] if one_version else self.bounds
        lows, highs = [low for low, _ in bounds], [high for _, high in bounds]
        args = {"cell": lows, "region": lows + highs, "row": lows[1:], "column": lows[:1]}.get(self.kind)
        version = f"<{self.bounds[-1][0]}>" if one_version else ""
        return self.matrix.name + version + (f".{self.kind}({', '.join(args)})" if args else "")

    def declared(self):
        return f"{self.text()} {self.binding}" + (f" = {self.default}" if self.default is not None else "")

    def has_border(self):
        return self.default in BORDERS

    def dims(self):
        """The dimensions of the matrix as the body indexes them; none where it is a number."""
        count = len(self.bounds) - (1 if self.matrix.versions and self.kind != "all" else 0)
        return {"row": [0], "column": [1], "cell": []}.get(self.kind, range(count))

    def is_number(self):
        return not list(self.dims())


@dataclasses.dataclass
class Rule:
    """`only_first`: writes version 0 or slice 0 alone, which its output's coordinate says and no variable counts.

    `slice_variable`: of a rule in a nest, what counts slices.
    """
    is_secondary: bool
    variables: list         # (name, size), fastest first
    outputs: list           # Access
    inputs: list
    is_return_form: bool
    body: list
    where: str = ""
    using: list = dataclasses.field(default_factory=list)       # Matrix
    duplicate: tuple = ()   # (name, least, greatest)
    only_first: bool = False
    slice_variable: str = ""

    def lines(self):
        inputs = ", ".join(access.declared() for access in self.inputs)
        outputs = self.outputs[0].text() if self.is_return_form else \
            "to (" + ", ".join(access.declared() for access in self.outputs) + ")"
        using = f" using ({', '.join(m.text() for m in self.using)})" if self.using else ""
        where = f" where {self.where}" if self.where else ""
        before = ("duplicate({}, {}, {}) ".format(*self.duplicate) if self.duplicate else "") + ("secondary " if self.is_secondary else "")
        return [f"  {before}{outputs} from ({inputs}){using}{where} {{", *tree.lines_of(self.body, "    "), "  }"]

    def reads_before(self):
        """Whether an input is the version before."""
        return any(access.matrix.versions and access.bounds[-1][0] == "v-1" for access in self.inputs)

    def number_outputs(self):
        """The outputs that the body assigns like variables."""
        return [] if self.is_return_form else [access for access in self.outputs if access.is_number()]


@dataclasses.dataclass
class Group:
    """The rules of one output, or of several that are made together; the first rule has all the variables.

    Rules of the same domain and priority compute the same. `order` is -1 where instances run downwards.
    """
    matrices: list
    rules: list
    order: int = 1

    def parts(self):
        return [self]


@dataclasses.dataclass
class Nest:
    """Groups whose instances need each other: slice after slice, in each one member after the other.

    `by_cell`: cell after cell of a slice, at each one member after the other. Rules of a member may write different cells;
    where they do not, the first one that has an instance counts.
    """
    members: list           # Group
    size: str               # how many slices, a formula
    by_cell: bool = False

    @property
    def matrices(self):
        return [m for member in self.members for m in member.matrices]

    @property
    def rules(self):
        return [rule for member in self.members for rule in member.rules]

    def parts(self):
        return self.members
