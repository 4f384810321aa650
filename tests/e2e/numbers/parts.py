# SPDX-License-Identifier: MIT
"""The parts of the table, each a transform: its inputs, the entries that each output has, and its text in both languages.

`A.region(i, i+2)` is there for the sake of local memory: kernels copy what more than one instance reads.
"""

import dataclasses
import re

import numpy as np

import entries as table
import values
from values import TYPES

WORDS = {"uchar": "unsigned char", "ushort": "unsigned short"}


@dataclasses.dataclass
class Output:
    type: str
    entries: list


@dataclasses.dataclass
class Input:
    name: str       # in the body
    type: str
    values: np.ndarray


@dataclasses.dataclass
class Part:
    """One transform. `element`: what `M` stands for in entries; `has_packs`: a rule for packs and one for a plain loop; `fp`: how
    it is compiled."""
    name: str
    element: str
    inputs: list
    outputs: list
    has_packs: bool
    fp: str = "strict"

    @property
    def count(self):
        return len(self.inputs[1].values)

    def text(self, entry):
        last = "63" if self.element == "long" else "31"
        return re.sub(r"\bM\b", WORDS.get(self.element, self.element), re.sub(r"\bLAST\b", last, entry))


def first_input(name, type_, array):
    """The first input, with a last cell that instances look at, but never read."""
    return Input(name, type_, np.concatenate([array, array[:1]]))


# ---- what is in the table

def real_parts(type_, rng, extra):
    kind = TYPES[type_]
    a, b = values.pairs(values.special_reals(kind), values.random_reals(kind, rng, extra), values.random_reals(kind, rng, extra))
    c = values.random_reals(kind, rng, len(a))
    c[::3] = rng.permutation(values.fitted(values.special_reals(kind), len(c[::3])))
    inputs = [first_input("a", type_, a), Input("b", type_, b), Input("c", type_, c)]
    all_entries = table.ROUNDED + table.COMPARISONS + table.FLOATING_ZEROS + table.MIXED + table.TESTS + table.INEXACT + table.NOT_IN_PACKS
    return [Part(f"Real_{type_}", type_, inputs, [Output(type_, [e for e in all_entries if e.packs])], True),
            Part(f"RealMore_{type_}", type_, inputs, [Output(type_, [e for e in all_entries if not e.packs])], False),
            Part(f"Vector_{type_}", type_, inputs, [Output(type_, table.INEXACT)], True, "contract")]


def bits_part(type_, rng, extra):
    """Numbers and their bits. NaN stays out: the bits of one that was computed are open."""
    kind = TYPES[type_]
    a, b = values.pairs(values.special_reals(kind), values.random_reals(kind, rng, extra), values.random_reals(kind, rng, extra))
    is_number = ~(np.isnan(a) | np.isnan(b))
    inputs = [first_input("a", type_, a[is_number]), Input("b", type_, b[is_number])]
    word, size = ("long", 8) if type_ == "double" else ("int", 4)
    whole, real = [[table.Entry(re.sub(r"\bI\b", word, text).replace("sizeof_I", str(size))) for text in texts]
                   for texts in (table.BITS_OF_REALS, table.REALS_OF_BITS)]
    return Part(f"Bits_{type_}", type_, inputs, [Output("long", whole), Output(type_, real)], True)


def whole_parts(type_, rng, extra):
    kind = TYPES[type_]
    a, b = values.pairs(values.special_integers(kind), values.random_integers(kind, rng, extra), values.random_integers(kind, rng, extra))
    inputs = [first_input("a", type_, a), Input("b", type_, b)]
    for names, test in (("pq", values.may_divide(kind)), ("st", values.may_sum(kind))):
        for name, array in zip(names, values.filtered(a, b, test)):
            inputs.append(Input(name, type_, values.fitted(array, len(a))))
    in_packs = Output("long", table.ANY_INTEGER + table.DIVISIONS + table.SUMS)
    return [Part(f"Whole_{type_}", type_, inputs, [in_packs, Output("double", table.TO_REAL)], True),
            Part(f"WholeMore_{type_}", type_, inputs[:2], [Output("long", table.ANY_INTEGER_PLAIN + table.GUARDED)], False)]


def conversion_part(type_, rng, extra):
    kind = TYPES[type_]
    ranges = {name: (int(name[2:]), int(name[2:]) % 8 != 0) for name in dict.fromkeys(name for _, name in table.CONVERSIONS)}
    drawn = {name: values.in_range(kind, *bits_and_sign, rng, extra) for name, bits_and_sign in ranges.items()}
    count = max(len(array) for array in drawn.values())
    inputs = [Input(name, type_, values.fitted(array, count)) for name, array in drawn.items()]
    inputs.insert(0, first_input("a", type_, inputs[0].values))
    return Part(f"From_{type_}", type_, inputs, [Output("long", [table.Entry(text) for text, _ in table.CONVERSIONS])], True)


def constant_part():
    ones = np.ones(5)
    return Part("Constants", "double", [first_input("a", "double", ones), Input("b", "double", ones)],
                [Output("double", table.entries(table.REAL_CONSTANTS)), Output("long", table.entries(table.INTEGER_CONSTANTS))], True)


def all_parts(rng, extra):
    parts = [constant_part()]
    for type_ in ("double", "float"):
        parts += real_parts(type_, rng, extra) + [conversion_part(type_, rng, extra), bits_part(type_, rng, extra)]
    for type_ in ("int", "long", "short", "uchar", "ushort"):
        parts += whole_parts(type_, rng, extra)
    return parts


# ---- as transforms

def body(part, is_plain):
    lines = ["    if (i < 0) return;"] if is_plain else []    # packs have no way out of the middle
    lines.append(f"    const {WORDS.get(part.element, part.element)} a = around.cell(0);")
    for number, output in enumerate(part.outputs):
        for k, entry in enumerate(output.entries):
            text = f"r{number}.cell({k}) = {part.text(entry.text)};"
            lines.append("    " + (f"{{ {part.text(entry.needs)} {text} }}" if entry.needs else text))
    return "\n".join(lines)


def transform(part):
    inputs = ", ".join(f"{each.type} In_{each.name}[n{'+1' if k == 0 else ''}]" for k, each in enumerate(part.inputs))
    outputs = ", ".join(f"{output.type} R{k}[n, {len(output.entries)}]" for k, output in enumerate(part.outputs))
    to = ", ".join(f"R{k}.column(i) r{k}" for k in range(len(part.outputs)))
    given = ", ".join(["In_a.region(i, i+2) around"] + [f"In_{each.name}.cell(i) {each.name}" for each in part.inputs[1:]])
    rules = [("Plain", True)] + ([("Packed", False)] if part.has_packs else [])
    text = "\n".join(f"  rule {name} to ({to}) from ({given}) {{\n{body(part, is_plain)}\n  }}" for name, is_plain in rules)
    return f"transform {part.name}\nfrom {inputs}\nto {outputs}\n{{\n{text}\n}}\n"


# ---- as a program of C++ alone

REFERENCE = """#include <algorithm>
#include <bit>
#include <cfloat>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <math.h>
#include <numbers>
#include <stdlib.h>
#include <string>
#include <type_traits>
#include <vector>
using uchar = unsigned char;
using ushort = unsigned short;
// `min` and `max` without `std::` take two types.
template <class A, class B> std::common_type_t<A, B> min(A a, B b) { return std::min<std::common_type_t<A, B>>(a, b); }
template <class A, class B> std::common_type_t<A, B> max(A a, B b) { return std::max<std::common_type_t<A, B>>(a, b); }
template <class T> struct Line { const T* first; T cell(long k) const { return first[k]; } };
static std::string folder;
template <class T> std::vector<T> load(const std::string& name) {
  FILE* file = fopen((folder + name).c_str(), "rb");
  fseek(file, 0, SEEK_END);
  std::vector<T> values(ftell(file) / sizeof(T));
  rewind(file);
  if (fread(values.data(), sizeof(T), values.size(), file) != values.size()) abort();
  fclose(file);
  return values;
}
template <class T> void save(const std::string& name, const std::vector<T>& values) {
  FILE* file = fopen((folder + name).c_str(), "wb");
  if (fwrite(values.data(), sizeof(T), values.size(), file) != values.size()) abort();
  fclose(file);
}
"""


def is_exact(entry):
    return not isinstance(entry.how, int)


def near_entries(output):
    """The entries that are compared by ULPs."""
    return [entry for entry in output.entries if not is_exact(entry)]


def reference_entry(part, number, k, entry):
    output = part.outputs[number]
    if is_exact(entry):
        return f"      {{ {part.text(entry.needs)} R{number}[{k} * n + i] = {part.text(entry.text)}; }}"
    place = f"LR{number}[{near_entries(output).index(entry)} * n + i]"
    return f"      {{ const long double a = A[i], b = B[i]; (void)a, (void)b; {place} = {part.text(entry.text)}; }}"


def reference_part(part):
    """The part as a function of its own. What is compared by ULPs is computed in `long double`."""
    lines = [f"static void part_{part.name}() {{"]
    names = {each.name: each.name.upper() for each in part.inputs}
    for each in part.inputs:
        lines.append(f'  const auto {names[each.name]} = load<{each.type}>("{part.name}_{each.name}.bin");')
    lines.append(f"  const long n = {part.count};")
    for number, output in enumerate(part.outputs):
        lines.append(f"  std::vector<{output.type}> R{number}(n * {len(output.entries)}); std::vector<long double> LR{number}(n * {len(near_entries(output))});")
    lines.append("  for (long i = 0; i < n; ++i) {")
    lines += [f"    const {each.type} {each.name} = {names[each.name]}[i]; (void){each.name};" for each in part.inputs]
    lines.append(f"    const Line<{part.element}> around{{&A[i]}}; (void)around;")
    for number, output in enumerate(part.outputs):
        lines += [reference_entry(part, number, k, entry) for k, entry in enumerate(output.entries)]
    lines.append("  }")
    for number in range(len(part.outputs)):
        lines.append(f'  save("{part.name}_{number}.ref", R{number}); save("{part.name}_{number}.long", LR{number});')
    return "\n".join(lines) + "\n}\n"


def reference(parts):
    calls = " ".join(f"part_{part.name}();" for part in parts)
    return REFERENCE + "\n".join(reference_part(part) for part in parts) + f"int main(int, char** argv) {{ folder = argv[1]; {calls} }}\n"
