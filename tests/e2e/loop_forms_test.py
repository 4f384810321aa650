# SPDX-License-Identifier: MIT
"""Forms of loops that a configuration may change: each value gives the results of NumPy, at run time and as a constant of the program.

    loop_forms_test.py --dist BUILD/dist --work FOLDER

Whether a value leads to another form is a subject of unit tests; here all matrices are small, and no form is chosen by size.
"""

import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import arrays  # noqa: E402
import polybricks  # noqa: E402

PROGRAM = pathlib.Path(__file__).resolve().parent / "loop_forms" / "forms.pbcc"
SHAPES = ((1, 1), (7, 40), (70, 131))
THREADS = (1, 3)
# Values of each tunable beside the default, by role.
VALUES = {
    "packs": (0,), "strip": (1, 7, 64, 1024), "stores": (0, 2), "row_block": (0, 2), "row_ahead": (1, 100, 1024), "read_ahead": (1, 1024)}


def cases(rng, shape):
    """(transform, inputs, outputs) of matrices of about this shape, all whole numbers, so that no order rounds."""
    height, width = shape
    a = rng.integers(0, 100, (height + 2, width + 2)).astype(float)
    inner = a[1:-1, 1:-1]
    yield "Transpose", [inner], [inner.T + 1]
    yield "Blur", [a], [a[1:-1, :-2] + a[1:-1, 2:] + a[:-2, 1:-1] + a[2:, 1:-1], a[1:-1, :-2].astype(np.uint8)]
    yield "Rounds", [inner], [inner % 4]
    v, x = a.ravel(), inner.ravel()
    c = rng.integers(0, len(x), len(v)).astype(np.int32)
    yield "Gather", [v, c, x], [np.array([np.sum(v * x[c]), np.max(v * x[c])])]


class Check:
    def __init__(self, tools, work):
        self.tools, self.work, self.num_runs = tools, work, 0

    def run(self, program, words, tunables):
        """Compares what each transform makes of each shape with NumPy, on some numbers of threads."""
        rng = np.random.default_rng(polybricks.seed())
        for shape in SHAPES:
            for name, inputs, wanted in cases(rng, shape):
                if tunables and name not in tunables:
                    continue
                ins = arrays.save(self.work, inputs)
                outs = [f"out{i}" for i in range(len(wanted))]
                for threads in THREADS:
                    split = {transform: {**values, "split_size": 8} for transform, values in tunables.items() if transform != "Gather"}
                    config = program.configuration({}, {**tunables, **split}, sequential_cutoff=0, threads=threads)
                    got, _ = arrays.run(program, self.work, ins, outs, "--transform", name, entry=config)
                    self.num_runs += 1
                    for found, matrix in zip(got.values(), wanted):
                        polybricks.check(np.array_equal(found, matrix), f"{name} of {shape} on {threads} threads, {words}: wrong result")


def tunables_of(program):
    """(transform, name, word) of each tunable that says which form loops have."""
    for transform, data in program.info["transforms"].items():
        for name, tunable in data["tunables"].items():
            if tunable["role"] in VALUES:
                yield transform, name, tunable["role"]


def main():
    args = polybricks.arguments(__doc__).parse_args()
    tools = polybricks.Tools(args.dist)
    work = polybricks.fresh_folder(args.work / "loop_forms")
    check = Check(tools, work)
    program = tools.compile(PROGRAM, work / "forms")
    known = list(tunables_of(program))
    polybricks.check({word for _, _, word in known} == set(VALUES), f"the program has other tunables: {known}")
    check.run(program, "by default", {})
    fixed = {}
    for transform, name, word in known:
        for value in VALUES[word]:
            check.run(program, f"{name} {value}", {transform: {name: value}})
        fixed.setdefault(transform, {})[name] = VALUES[word][-1]
    # The last value of each, compiled in.
    program.write_configuration(work / "fixed.cfg", program.configuration({}, fixed))
    constant = tools.compile(PROGRAM, work / "constant", "--config", work / "fixed.cfg")
    for transform, name, word in known:
        found = constant.info["transforms"][transform]["tunables"][name].get("fixed")
        polybricks.check(found == [VALUES[word][-1]], f"{name} is fixed to {found}")
    check.run(constant, "compiled in", {})
    said = polybricks.run_tool([tools.pbc, "--explain", "--config", work / "fixed.cfg", PROGRAM]).stdout
    for words in ("packs 0, by default 1", "strip 1024, by default 32", "stores 2, by default 1", "row_ahead 1024, by default 16"):
        polybricks.check(words in said, f"--explain does not say `{words}`:\n{said}")
    print(f"{check.num_runs} runs agree")
    return 0


if __name__ == "__main__":
    sys.exit(main())
