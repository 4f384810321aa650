# SPDX-License-Identifier: MIT
"""Random expressions of rule bodies, as trees of body_tree.py.

`ExpressionMaker` draws expressions over the names that are visible (visible_names.py). What it draws may still do what C++ leaves
open: body_reference.py finds that out, and random_rules.py then draws another body.
"""

import body_tree as tree
from body_tree import Binary, Call, Cast, Cell, Conditional, Extent, Item, Literal, Name, Unary, common, is_real, promoted
from visible_names import Array, Number, VisibleNames

# Words with their types; the program adds `ElementT`. Weights say how often they are drawn.
LOCAL_WORDS = [("int", "int", 8), ("IndexT", "int", 2), ("long", "long", 2), ("unsigned", "uint", 2), ("double", "double", 5),
               ("float", "float", 2), ("bool", "bool", 2), ("short", "short", 1), ("unsigned char", "uchar", 1),
               ("unsigned short", "ushort", 1), ("char", "char", 1), ("unsigned int", "uint", 1), ("uint32_t", "uint", 1),
               ("size_t", "ulong", 1), ("std::uint64_t", "ulong", 0.5), ("int16_t", "short", 0.5), ("unsigned long", "ulong", 0.5),
               ("uint8_t", "uchar", 0.5), ("short int", "short", 0.5)]
INTEGERS = [("0", 0, "int"), ("1", 1, "int"), ("2", 2, "int"), ("3", 3, "int"), ("5", 5, "int"), ("11", 11, "int"),
            ("-1", -1, "int"), ("-4", -4, "int"), ("0x1F", 31, "int"), ("017", 15, "int"), ("3u", 3, "uint"), ("7U", 7, "uint"),
            ("4L", 4, "long"), ("2UL", 2, "ulong"), ("'a'", 97, "char"), ("'\\n'", 10, "char"), ("true", 1, "bool"),
            ("1'000", 1000, "int"), ("0b101", 5, "int"), ("0xFFu", 255, "uint"), ("3000000000L", 3000000000, "long"),
            ("0xFFFFFFFF", 4294967295, "uint"), ("2147483648", 2147483648, "long"), ("0x7FFFFFFF", 2147483647, "int")]
REALS = [("0.5", 0.5, "double"), ("1.5", 1.5, "double"), ("2.0", 2.0, "double"), (".25", 0.25, "double"), ("3.", 3.0, "double"),
         ("1e-3", 1e-3, "double"), ("0.5f", 0.5, "float"), ("1e-2f", 0.009999999776482582, "float"), ("-0.75", -0.75, "double"),
         ("0x1p-2", 0.25, "double"), ("2.5e0F", 2.5, "float"), ("1E1", 10.0, "double"), ("-3.0f", -3.0, "float")]
DIVISORS = [("2", 2, "int"), ("3", 3, "int"), ("7", 7, "int"), ("5u", 5, "uint"), ("4L", 4, "long")]
EXPONENTS = [("2", 2, "int"), ("3", 3, "int"), ("2.0f", 2.0, "float"), ("2.0", 2.0, "double")]
MAX_INDICES = 2         # inside of one another, which cells of four indices would go on with


class ExpressionMaker(VisibleNames):
    def __init__(self, rng, surroundings):
        super().__init__(surroundings)
        self.rng = rng
        self.num_indices = 0        # around the expression that is drawn
        self.words = LOCAL_WORDS + [("ElementT", surroundings.element, 6)]

    @staticmethod
    def binary(op, left, right):
        if op in ("<<", ">>"):
            kind = promoted(left.type)
        elif op in tree.PRECEDENCE and tree.PRECEDENCE[op] in (1, 2, 6, 7):
            kind = "bool"
        else:
            kind = common(left.type, right.type)
        return Binary(op, left, right, kind)

    def cast(self, operand, word, kind):
        # `(double(float(x))) + …`, which a macro may make, would be a cast to a function type.
        is_functional = " " not in word and ":" not in word and not isinstance(operand, Cast)
        forms = [f"({word}){{}}", f"static_cast<{word}>({{}})"] + ([f"{word}({{}})"] if is_functional else [])
        return Cast(self.pick(*forms), operand, kind)

    def literal(self, table):
        return Literal(*self.pick(*table))

    def number(self, depth):
        return self.real(depth) if self.chance(0.5) else self.integer(depth)

    def of_type(self, kind, depth):
        return self.real(depth) if is_real(kind) else self.truth(depth) if kind == "bool" else self.integer(depth)

    def leaves(self, real):
        found = [Name(n.name, n.type) for n in self.visible(Number) if is_real(n.type) == real]
        found += [("item", a) for a in self.visible(Array) if is_real(a.type) == real]
        found += [("cell", r) for r in self.regions if is_real(r.type) == real and not r.is_output] * 2
        return found

    def leaf(self, real):
        found = self.leaves(real)
        if not found or self.chance(0.25):
            return self.literal(REALS if real else INTEGERS)
        own = [Name(n.name, n.type) for scope in self.scopes[1:] for n in scope if isinstance(n, Number) and is_real(n.type) == real]
        own = [name for name in own if name in found]
        leaf = self.pick(*own) if own and self.chance(0.4) else self.pick(*found)  # what was computed should count
        if not isinstance(leaf, tuple):
            return leaf
        return self.item(leaf[1]) if leaf[0] == "item" else self.cell(leaf[1])

    def item(self, array):
        return Item(array.name, self.index(array.extent, 1), array.type)

    def cell(self, region):
        """A cell of a region; another number where one of its dimensions may be empty."""
        if not all(map(self.is_positive, region.extents)):
            return self.literal(REALS if is_real(region.type) else INTEGERS)
        return Cell(region.name, [self.index(extent, 2) for extent in region.extents], region.type)

    def index(self, extent, depth):
        """An integer in [0, extent)."""
        limit = tree.number_of(extent)
        inside = [n for n in self.visible(Number) if n.below == extent or
                  (isinstance(extent, int) and isinstance(n.below, int) and n.below <= extent)]
        is_innermost = self.num_indices >= MAX_INDICES
        kind = (0.5 if inside else 0.6) if is_innermost else self.rng.random()
        if inside and kind < 0.55:
            chosen = self.pick(*inside)
            return Name(chosen.name, chosen.type)
        if kind < 0.62:
            return Literal("0", 0, "int") if not isinstance(extent, int) else Literal(str(extent - 1), extent - 1, "int")
        if inside and kind < 0.7:
            chosen = self.pick(*inside)
            return self.binary("-", self.binary("-", limit, Literal("1", 1, "int")), Name(chosen.name, chosen.type))
        self.num_indices += 1
        plain = self.as_int(self.integer(depth))
        self.num_indices -= 1
        if kind < 0.85:
            return self.binary("%", Call(self.pick("abs", "std::abs"), "abs", [plain], "int"), limit)
        highest = self.binary("-", limit, Literal("1", 1, "int"))
        return Call("std::min", "min", [Call("std::max", "max", [plain, Literal("0", 0, "int")], "int"), highest], "int")

    def as_int(self, expr):
        return expr if expr.type == "int" else self.cast(expr, "int", "int")

    def integer(self, depth):
        if depth <= 0 or self.chance(0.2):
            return self.leaf(False)
        one = lambda: self.integer(depth - 1)  # noqa: E731
        positive = lambda: self.literal(DIVISORS)  # noqa: E731
        kind = int(self.rng.integers(14))
        if kind <= 2:
            return self.binary(self.pick("+", "-", "+"), one(), one())
        if kind == 3:
            return self.binary("*", one(), self.leaf(False) if self.chance(0.3) else positive())
        if kind == 4:
            return self.binary(self.pick("/", "%"), one(), positive())
        if kind == 5:
            divisor = self.binary("+", self.binary("&", one(), Literal("3", 3, "int")), Literal("1", 1, "int"))
            return self.binary(self.pick("/", "%"), one(), divisor)
        if kind == 6:
            return self.binary(self.pick("&", "|", "^"), one(), self.pick(one, lambda: Literal("0x3F", 63, "int"))())
        if kind == 7:
            count = Literal(*self.pick(("1", 1, "int"), ("3", 3, "int"), ("2u", 2, "uint"), ("4L", 4, "long")))
            if self.chance(0.4):
                return self.binary(">>", one(), count)
            return self.binary(self.pick("<<", ">>"), self.binary("&", one(), Literal("0xFF", 255, "int")), count)
        if kind == 8:
            return self.conditional(self.truth(depth - 1), one(), one())
        if kind == 9:
            return self.lesser(one(), one())
        if kind == 10:
            operand = one()
            operand = operand if operand.type not in ("uint", "ulong") else self.cast(operand, "int", "int")
            return Call(self.pick("abs", "std::abs"), "abs", [operand], promoted(operand.type))
        if kind == 11:
            operand = one()
            return Unary(self.pick("-", "~", "+"), operand, promoted(operand.type))
        if kind == 12:
            word, type_, = self.weighted([w for w in self.words if not is_real(w[1])])
            return self.cast(self.real(depth - 1) if type_ in ("int", "long", "bool") else one(), word, type_)
        extents = [r for r in self.regions]
        if extents and self.chance(0.5):
            return self.extent(self.pick(*extents))
        truth = self.truth(depth - 1)
        return self.binary("+", Unary("!", truth, "bool") if is_real(truth.type) else truth, one())

    def extent(self, region):
        dim = int(self.rng.integers(len(region.extents)))
        if self.chance(0.15):
            return Extent(region.name, "count()", None, "long")
        text = f"size({dim})" if dim > 2 or self.chance(0.5) else ("width()", "height()", "depth()")[dim]
        return Extent(region.name, text, dim, "int")

    def conditional(self, condition, yes, no):
        kind = yes.type if yes.type == no.type else common(yes.type, no.type)
        return Conditional(condition, yes, no, kind)

    def lesser(self, a, b):
        """A call of std::min or std::max, which want one type, or of fmin or fmax, which take any."""
        word = {"uchar": "unsigned char", "ushort": "unsigned short", "uint": "unsigned", "ulong": "unsigned long"}.get(a.type, a.type)
        if a.type != b.type:
            b = self.cast(b, word, a.type)
        name = self.pick("min", "max")
        return Call(f"std::{name}", name, [a, b], a.type)

    def real(self, depth):
        if depth <= 0 or self.chance(0.2):
            return self.leaf(True)
        one = lambda: self.real(depth - 1)  # noqa: E731
        kind = int(self.rng.integers(13))
        if kind <= 3:
            return self.binary(self.pick("+", "-", "*", "+"), one(), one())
        if kind == 4:
            return self.binary(self.pick("+", "-", "*", "/"), one(), self.literal(REALS))
        if kind == 5:
            divisor = self.binary("+", self.call("fabs", [self.leaf(True)]), Literal("1", 1, "int"))
            return self.binary("/", one(), divisor)
        if kind == 6:
            return self.binary(self.pick("*", "+", "-"), one(), self.integer(depth - 1))
        if kind == 7:
            return self.conditional(self.truth(depth - 1), one(), self.pick(one, lambda: self.integer(depth - 1))())
        if kind == 8:
            return self.lesser(one(), one())
        if kind == 9:
            operand = one()
            return Unary(self.pick("-", "+", "-"), operand, operand.type)
        if kind == 10:
            word, type_ = self.pick(("double", "double"), ("float", "float"), ("ElementT", self.given.element))
            return self.cast(self.number(depth - 1), word, type_)
        if kind == 11 and self.given.functions:
            name, params, type_ = self.pick(*self.given.functions)
            return Call(name, name, [self.macro_argument(param, depth - 1) for param in params], type_)
        return self.math(depth - 1)

    def macro_argument(self, kind, depth):
        """An expression of exactly the type: a macro's text does not convert."""
        arg = self.of_type(kind, depth)
        return arg if arg.type == kind else self.cast(arg, kind, kind)

    def math_type(self, *kinds):
        return "float" if all(kind == "float" for kind in kinds) else "double"

    def math(self, depth):
        one = lambda: self.number(depth)  # noqa: E731
        prefix = self.pick("", "", "std::")
        kind = int(self.rng.integers(9))
        if kind <= 2:
            name, args = self.pick("fabs", "floor", "ceil", "trunc", "round"), [one()]
        elif kind == 3:
            name, args = "sqrt", [self.call("fabs", [one()])]
        elif kind == 4:
            name, args = self.pick("fmin", "fmax", "hypot"), [one(), one()]
        elif kind == 5:
            name, args = "pow", [one(), self.literal(EXPONENTS)]
        elif kind == 6:
            name, args = self.pick("sin", "cos", "atan", "tanh"), [one()]
        elif kind == 7:
            name, args = "exp", [Unary("-", self.call("fabs", [one()]), "double")]
            args[0].type = args[0].operand.type
        else:
            name, args = self.pick(("fma", [one(), one(), one()]), ("fmod", [one(), Literal("2.5", 2.5, "double")]),
                                   ("abs", [self.real(depth)]))
        if name == "abs":
            return Call("std::abs", "abs", args, args[0].type)
        return self.call(name, args, prefix)

    def call(self, name, args, prefix=""):
        return Call(prefix + name, name, args, self.math_type(*(arg.type for arg in args)))

    def truth(self, depth):
        kind = int(self.rng.integers(8))
        if depth > 0 and kind == 0:
            return self.binary(self.pick("&&", "||"), self.truth(depth - 1), self.truth(depth - 1))
        if depth > 0 and kind == 1:
            return Unary("!", self.pick(self.truth, self.number)(depth - 1), "bool")
        if kind == 2:
            return self.number(depth - 1)  # not 0
        make = self.real if kind == 3 else self.integer
        return self.binary(self.pick("<", "<=", ">", ">=", "==", "!="), make(depth - 1), make(depth - 1))

