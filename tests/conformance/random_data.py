# SPDX-License-Identifier: MIT
"""What a run of a random program is given: files, words, numbers of `--set`, or data that the program generates in the ranges of
its header (docs/reference/language.md 4.4, 4.16)."""

import dataclasses

import numpy as np

from body_tree import is_real
from rule_reference import ELEMENTS
from rule_tree import value_of
from runner import read_text_matrix

RANGED_SHARE = 0.5      # the share of programs whose inputs have ranges
RANGED_REALS = 0.7      # the share of real inputs with a range in these; integer inputs all have one, else they overflow
SET_SHARE = 0.4         # the share of numbers that `--set` gives
REAL_RANGES = (("-1", "1"), ("-0.5", "n/4 + 1"), ("0.125", "0.25"), ("-m - 1", "0"), ("1", "2*n - m/3 + 9"))
WHOLE_RANGES = (("0", "n"), ("3", "3"), ("0", "2*m + 1"), ("n", "n + m"), ("1", "9"))
SIGNED_RANGES = WHOLE_RANGES + (("-n", "m + 1"), ("-9", "-1"), ("-7", "30"))


class Misplaced(Exception):
    """Raised if the program generates other data than it should. Its argument says which."""


def draw_ranges(inputs, rng):
    """Gives ranges to the inputs of a transform that has the sizes n and m."""
    for m in inputs:
        of_type = REAL_RANGES if is_real(m.type) else WHOLE_RANGES if m.type in ("uchar", "ushort") else SIGNED_RANGES
        if not is_real(m.type) or rng.random() < RANGED_REALS:
            m.range = of_type[int(rng.integers(len(of_type)))]


def holds(m, values, sizes):
    """Whether values lie in the range of an input; quotients in the bounds of real numbers are not rounded."""
    if not m.range:
        return True
    if is_real(m.type):
        low, high = (eval(bound, {}, sizes) for bound in m.range)  # the texts are those above
        return bool(np.all((values >= low) & (values < high)))
    low, high = (value_of(bound, sizes) for bound in m.range)
    return bool(np.all((values >= low) & (values <= high)))


@dataclasses.dataclass
class Data:
    """The inputs of a run of the main transform."""
    inputs: list            # Matrix
    params: dict
    sizes: dict
    arrays: list            # of the inputs
    named: tuple            # params and inputs without dimensions that `--set` gives
    seed: int = 0           # of generated data; 0: all comes from words and files

    def numbers(self):
        """What `--set` gives: {name: text}."""
        values = {**self.params, **{m.name: array.item() for m, array in zip(self.inputs, self.arrays) if not m.sizes}}
        return {name: repr(values[name]) for name in self.named}

    def options(self):
        return [word for name, text in self.numbers().items() for word in ("--set", f"{name}={text}")]

    def files(self, folder):
        """Writes what `--set` does not give; the paths."""
        paths = []
        for m, array in zip(self.inputs, self.arrays):
            if m.name not in self.named:
                paths.append(folder / f"{m.name}.npy")
                np.save(paths[-1], array)
        return paths

    def words(self, folder):
        """The words of a command line up to the outputs; writes the files."""
        return [*self.options(), *(value for name, value in self.params.items() if name not in self.named), *self.files(folder)]

    def request(self, folder):
        """The members of a request that loads it; writes the files."""
        if self.seed:
            return {"n": self.sizes["n"], "sizes": self.sizes, "set": self.numbers(), "seed": self.seed}
        return {"files": [str(path) for path in self.files(folder)], "seed": 1, "set": self.numbers(),
                "sizes": {name: value for name, value in self.params.items() if name not in self.named}}


def named_of(names, rng):
    return tuple(name for name in names if rng.random() < SET_SHARE)


def from_files(transform, sizes):
    """Data that stands in files, but for some numbers."""
    arrays = transform.random_inputs(sizes, np.random.default_rng(sum(sizes.values())))
    rng = np.random.default_rng([len(transform.params), *sizes.values()])
    return Data(transform.inputs, transform.params, sizes, arrays, named_of([*transform.params, *transform.numbers_known()], rng))


def generated(transform, sizes, seed, program, folder):
    """Data that the program generates. Raises Misplaced."""
    arrays = transform.random_inputs(sizes, np.random.default_rng(seed))
    named = named_of(transform.numbers_known(), np.random.default_rng(seed))
    data = Data(transform.inputs, transform.params, sizes, arrays, (*transform.params, *named), seed)
    prefix = folder / "made"
    of_sizes = [word for name, extent in sizes.items() for word in ("--size", f"{name}={extent}")]
    program.run("--device", "none", "--n", sizes["n"], *of_sizes, *data.options(), "--seed", seed, "--precision", 20,
                f"--iogen-create={prefix}")
    made = [read_text_matrix(prefix.with_name(f"made_in{len(arrays) - 1 - i}.dat")) for i in range(len(arrays))]
    for m, array, known in zip(transform.inputs, made, arrays):
        if m.name in named and not np.array_equal(array, known, equal_nan=True):
            raise Misplaced(f"--set {m.name}={known} gives {array}")
        if m.name not in named and not holds(m, array, sizes):
            raise Misplaced(f"the data of `{m.text()}` lies outside of its range: {array}")
    data.arrays = [array.astype(ELEMENTS[m.type]) for m, array in zip(transform.inputs, made)]
    return data
