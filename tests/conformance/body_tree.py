# SPDX-License-Identifier: MIT
"""Rule bodies as data: typed expressions and statements of the language, and their text.

Trees only: random_bodies.py draws them, body_reference.py says what they compute. Types are C++ words, `uchar` for
`unsigned char` and so on.
"""

import dataclasses
import typing

SIGNED = {"char": 8, "short": 16, "int": 32, "long": 64}
UNSIGNED = {"bool": 1, "uchar": 8, "ushort": 16, "uint": 32, "ulong": 64}
REALS = ("float", "double")
WORDS = {"uchar": "unsigned char", "ushort": "unsigned short", "uint": "unsigned", "ulong": "unsigned long"}


def is_real(kind):
    return kind in REALS


def promoted(kind):
    return "int" if kind in ("bool", "char", "uchar", "short", "ushort") else kind


def common(a, b):
    """The type of `a + b`."""
    a, b = promoted(a), promoted(b)
    for kind in ("double", "float", "ulong", "long", "uint"):
        if kind in (a, b):
            return kind
    return "int"


# ---- expressions -----------------------------------------------------------

@dataclasses.dataclass
class Literal:
    text: str
    value: typing.Any
    type: str


@dataclasses.dataclass
class Name:
    name: str
    type: str


@dataclasses.dataclass
class Cell:
    region: str
    indices: list
    type: str


@dataclasses.dataclass
class Extent:
    """An extent, as in `region.width()` and `.size(1)`: extent `dim` of a region, or `.count()` if `dim` is None."""
    region: str
    text: str
    dim: typing.Optional[int]
    type: str


@dataclasses.dataclass
class Item:
    array: str
    index: typing.Any
    type: str


@dataclasses.dataclass
class Unary:
    op: str
    operand: typing.Any
    type: str


@dataclasses.dataclass
class Binary:
    op: str
    left: typing.Any
    right: typing.Any
    type: str


@dataclasses.dataclass
class Conditional:
    condition: typing.Any
    if_true: typing.Any
    if_false: typing.Any
    type: str


@dataclasses.dataclass
class Call:
    """A call of a function of the library, a macro or a prefix block: `text` is the name as written, `function` what it means."""
    text: str
    function: str
    args: list
    type: str


@dataclasses.dataclass
class Missing:
    """The question `IS_MISSING(name)` about an optional input."""
    name: str
    type: str = "bool"


@dataclasses.dataclass
class View:
    """A part of a region, as an argument or an initialiser: `op` is "" (all of it), region, row, column, slice or transposed."""
    region: str
    op: str
    args: list
    type: str


@dataclasses.dataclass
class Cast:
    form: str           # with {} for the operand
    operand: typing.Any
    type: str


@dataclasses.dataclass
class Step:
    """A step with its value, as in `++k` and `k--`."""
    name: str
    is_prefix: bool
    op: str
    type: str


@dataclasses.dataclass
class Assigned:
    """An assignment with its value, as in `(a = e)`."""
    name: str
    value: typing.Any
    type: str


@dataclasses.dataclass
class Comma:
    parts: list         # Assigned, Step and others
    type: str


def zero():
    return Literal("0", 0, "int")


def number_of(extent):
    """An extent, an integer or the name of a size, as an expression."""
    return Literal(str(extent), extent, "int") if isinstance(extent, int) else Name(extent, "int")


# ---- statements ------------------------------------------------------------

@dataclasses.dataclass
class Declare:
    word: str           # as written, with `const`
    type: str
    name: str
    init: typing.Any    # None: not initialised


@dataclasses.dataclass
class Declares:
    """A declaration of several variables of one type: `int a = 1, b = a;`."""
    items: list         # Declare


@dataclasses.dataclass
class DeclareArray:
    word: str
    type: str
    name: str
    extent: int
    items: typing.Optional[list]


@dataclasses.dataclass
class DeclareRegion:
    """A handle: of a part of another region, or, where `view` is a list of extents, of a new matrix."""
    word: str
    name: str
    view: typing.Any


@dataclasses.dataclass
class CallTransform:
    """A call of a transform. `outputs`: View, or Name of a variable; `inputs`: View or numbers; `transform` is opaque here."""
    transform: typing.Any
    head: str           # its name as called, with template arguments
    outputs: list
    inputs: list
    is_spawned: bool


@dataclasses.dataclass
class Sync:
    pass


@dataclasses.dataclass
class Assign:
    target: typing.Any
    op: str             # "=", "+=", …
    value: typing.Any


@dataclasses.dataclass
class Evaluate:
    expr: typing.Any


@dataclasses.dataclass
class If:
    condition: typing.Any
    then: list
    otherwise: typing.Optional[list]


@dataclasses.dataclass
class For:
    begins: list        # Declare of one type, or Assign
    condition: typing.Any   # None: no end of its own
    steps: list         # Assign or Evaluate
    body: list


@dataclasses.dataclass
class While:
    condition: typing.Any
    body: list


@dataclasses.dataclass
class Do:
    body: list
    condition: typing.Any


@dataclasses.dataclass
class Case:
    labels: list        # Literal, or None for `default`
    body: list


@dataclasses.dataclass
class Switch:
    value: typing.Any
    cases: list


@dataclasses.dataclass
class Block:
    body: list


@dataclasses.dataclass
class Break:
    pass


@dataclasses.dataclass
class Continue:
    pass


@dataclasses.dataclass
class Return:
    value: typing.Any   # None in the `to` form


def nodes_in(node, kind):
    """All nodes of a kind below `node`."""
    if isinstance(node, list):
        for each in node:
            yield from nodes_in(each, kind)
    elif dataclasses.is_dataclass(node):
        if isinstance(node, kind):
            yield node
        for field in dataclasses.fields(node):
            yield from nodes_in(getattr(node, field.name), kind)


# ---- text ------------------------------------------------------------------

PRECEDENCE = {"||": 1, "&&": 2, "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6, "<": 7, "<=": 7, ">": 7, ">=": 7, "<<": 8, ">>": 8,
              "+": 9, "-": 9, "*": 10, "/": 10, "%": 10}
UNARY, ASSIGNED, COMMA = 11, -1, -2


def text_of(expr, least=0):
    """C++ with as few parentheses as its precedences allow."""
    text, precedence = spelled(expr)
    return f"({text})" if precedence < least else text


def listed(exprs):
    return ", ".join(text_of(e) for e in exprs)


def spelled(expr):
    """The (text, precedence) of an expression."""
    match expr:
        case Literal(text=text):
            return text, UNARY - 1 if text.startswith("-") else UNARY
        case Name(name=name):
            return name, UNARY
        case Cell(region=region, indices=indices):
            return f"{region}.cell({listed(indices)})", UNARY
        case Extent(region=region, text=text):
            return f"{region}.{text}", UNARY
        case Item(array=array, index=index):
            return f"{array}[{text_of(index)}]", UNARY
        case Unary(op=op, operand=operand):
            inner = text_of(operand, UNARY)
            return op + (" " if inner[0] == op else "") + inner, UNARY
        case Binary(op=op, left=left, right=right):
            own = PRECEDENCE[op]
            return f"{text_of(left, own)} {op} {text_of(right, own + 1)}", own
        case Conditional(condition=condition, if_true=if_true, if_false=if_false):
            return f"{text_of(condition, 1)} ? {text_of(if_true)} : {text_of(if_false)}", 0
        case Call(text=text, args=args):
            return f"{text}({listed(args)})", UNARY
        case Missing(name=name):
            return f"IS_MISSING({name})", UNARY
        case View(region=region, op=op, args=args):
            return region + (f".{op}({listed(args)})" if op else ""), UNARY
        case Cast(form=form, operand=operand):
            return form.format(text_of(operand, 0 if form.endswith("({})") else UNARY)), UNARY
        case Assigned(name=name, value=value):
            return f"{name} = {text_of(value, ASSIGNED)}", ASSIGNED
        case Comma(parts=parts):
            return ", ".join(text_of(part, ASSIGNED) for part in parts), COMMA
        case Step(name=name, is_prefix=is_prefix, op=op):
            return (op + name if is_prefix else name + op), UNARY
    raise TypeError(expr)


def simple_text(stmt):
    """A statement without its semicolon, as it stands in the head of a `for`."""
    match stmt:
        case Declare(word=word, name=name, init=init):
            return f"{word} {name}" + ("" if init is None else f" = {text_of(init)}")
        case Assign(target=target, op=op, value=value):
            return f"{text_of(target)} {op} {text_of(value, ASSIGNED)}"
        case Declares(items=items):
            return begins_text(items)
        case Evaluate(expr=expr):
            return text_of(expr, COMMA)
    raise TypeError(stmt)


def begins_text(begins):
    if not begins or isinstance(begins[0], Assign):
        return ", ".join(simple_text(b) for b in begins)
    return begins[0].word + " " + ", ".join(f"{b.name} = {text_of(b.init)}" for b in begins)


def lines_of(stmts, indent):
    return [line for stmt in stmts for line in stmt_lines(stmt, indent)]


def braced(head, body, indent, tail=""):
    return [f"{indent}{head} {{", *lines_of(body, indent + "  "), f"{indent}}}{tail}"]


def branch(head, body, indent):
    """A single simple statement stands without braces."""
    if len(body) == 1 and isinstance(body[0], (Assign, Evaluate, Break, Continue, Return)):
        return [f"{indent}{head} {stmt_lines(body[0], '')[0]}"]
    return braced(head, body, indent)


def stmt_lines(stmt, indent):
    match stmt:
        case Declare() | Declares() | Assign() | Evaluate():
            return [f"{indent}{simple_text(stmt)};"]
        case DeclareArray(word=word, name=name, extent=extent, items=items):
            init = "" if items is None else f" = {{{listed(items)}}}"
            return [f"{indent}{word} {name}[{extent}]{init};"]
        case DeclareRegion(word=word, name=name, view=view):
            init = f"{word}::allocate({listed(view)})" if isinstance(view, list) else text_of(view)
            return [f"{indent}{word} {name} = {init};"]
        case CallTransform(head=head, outputs=outputs, inputs=inputs, is_spawned=is_spawned):
            return [f"{indent}{'spawn ' if is_spawned else ''}{head}({listed(outputs + inputs)});"]
        case Sync():
            return [f"{indent}sync;"]
        case If(condition=condition, then=then, otherwise=otherwise):
            lines = branch(f"if ({text_of(condition)})", then, indent)
            return lines if otherwise is None else [*lines, *branch("else", otherwise, indent)]
        case For(begins=begins, condition=condition, steps=steps, body=body):
            head = f"for ({begins_text(begins)}; {'' if condition is None else text_of(condition)}; {', '.join(simple_text(s) for s in steps)})"
            return branch(head, body, indent)
        case While(condition=condition, body=body):
            return branch(f"while ({text_of(condition)})", body, indent)
        case Do(body=body, condition=condition):
            return braced("do", body, indent, f" while ({text_of(condition)});")
        case Switch(value=value, cases=cases):
            lines = [f"{indent}switch ({text_of(value)}) {{"]
            for case in cases:
                labels = " ".join("default:" if label is None else f"case {label.text}:" for label in case.labels)
                lines += [f"{indent}  {labels}", *lines_of(case.body, indent + "    ")]
            return [*lines, f"{indent}}}"]
        case Block(body=body):
            return [f"{indent}{{", *lines_of(body, indent + "  "), f"{indent}}}"]
        case Break():
            return [f"{indent}break;"]
        case Continue():
            return [f"{indent}continue;"]
        case Return(value=value):
            return [f"{indent}return;" if value is None else f"{indent}return {text_of(value)};"]
    raise TypeError(stmt)
