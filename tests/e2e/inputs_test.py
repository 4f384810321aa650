# SPDX-License-Identifier: MIT
"""Inputs that no file gives: numbers of `--set`, data generated in the ranges of headers, and pbtune with both.

    inputs_test.py --dist BUILD/dist --work FOLDER
"""

import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import polybricks  # noqa: E402
from polybricks import check  # noqa: E402

PROGRAM = """main transform Weigh
param k
from float X[n] in -1..1, int Kind[n] in 0..k, uchar Level in 3..5, Scale in -0.5..n/4, long Far[2] in -2^60..2^60, A[n]
to Sum[n], Largest
{
  rule Cells
  Sum.cell(i) from (X.cell(i) x, Kind.cell(i) kind, A.cell(i) a) { return Scale * x + kind * Level + 0 * a; }
  rule Whole
  to (Sum s) from (X x, Kind kind) { for (int i = 0; i < n; i++) s.cell(i) = Scale * x.cell(i) + kind.cell(i) * Level; }

  Largest from (Sum s) {
    auto copy = allocate<ElementT>(s);
    s.copyTo(copy);
    std::sort(copy.base(), copy.base() + n);
    return n > 0 ? copy.cell(n - 1) : 0;
  }
}
"""
INPUTS = ("X", "Kind", "Level", "Scale", "Far", "A")


class Weigh:
    def __init__(self, tools, work):
        self.tools, self.work = tools, polybricks.fresh_folder(work)
        (work / "weigh.pbcc").write_text(PROGRAM)
        self.program = tools.compile(work / "weigh.pbcc", work / "weigh")

    def generated(self, n, *options, expect=0):
        """The inputs that a run with --n makes, by name; with an expected failure, what was printed."""
        prefix = self.work / "made"
        done, _ = self.program.run("--n", n, *options, "--precision", 20, f"--iogen-create={prefix}", expect=expect, config="none")
        if expect != 0:
            return done.stderr
        made = {}
        for i, name in enumerate(INPUTS):
            words = pathlib.Path(f"{prefix}_in{len(INPUTS) - 1 - i}.dat").read_text().split("\n", 1)[1].split()
            made[name] = np.array([float(word) for word in words])
        return made


def test_data_lies_in_its_ranges(weigh):
    made = weigh.generated(4000, "--size", "k=7", "--seed", 5)
    x, kind = made["X"], made["Kind"]
    check(-1 <= x.min() < -0.99 and 0.99 < x.max() < 1 and abs(x.mean()) < 0.05, f"X: {x.min()} {x.max()} {x.mean()}")
    check(set(kind) == set(range(8)), f"Kind: {set(kind)}")
    check(np.bincount(kind.astype(int)).min() > 350, f"Kind is uneven: {np.bincount(kind.astype(int))}")
    check(3 <= made["Level"][0] <= 5 and -0.5 <= made["Scale"][0] < 1000, f"numbers: {made['Level']} {made['Scale']}")
    check(np.abs(made["A"]).max() > 1e9, "an input without a range holds what it held")
    check(np.abs(made["Far"]).max() <= 2.0 ** 60, f"Far: {made['Far']}")
    again = weigh.generated(4000, "--size", "k=7", "--seed", 5)
    check(all((made[name] == again[name]).all() for name in INPUTS), "the same seed, other numbers")
    for seed in range(12):
        small = weigh.generated(3, "--size", "k=0", "--seed", seed)
        check((small["Kind"] == 0).all() and -0.5 <= small["Scale"][0] < 0.75, f"k = 0: {small}")


def test_ranges_that_hold_nothing(weigh):
    text = weigh.generated(5, "--size", "k=0", "--set", "Level=3", "--set", "k=-1", expect=1)
    check("--set k and --size k are both given" in text, text)
    text = weigh.generated(5, "--set", "k=-1", expect=1)
    check("input `Kind[n] in 0..k`: the range is 0 to -1 for n = 5, k = -1: the first bound is above the second" in text, text)
    check(len(weigh.generated(0, "--set", "k=-1")["Kind"]) == 0, "nothing is drawn for an empty input")


def test_files_are_not_looked_at(weigh):
    values = {"X": np.float32([5, -7]), "Kind": np.int32([-3, 9]), "Level": np.uint8(200), "Scale": np.array(1e6), "Far": np.int64([1, 2]),
              "A": np.zeros(2)}
    paths = []
    for name, value in values.items():
        paths.append(weigh.work / f"{name}.npy")
        np.save(paths[-1], value)
    weigh.program.run(4, *paths, weigh.work / "sum.npy", weigh.work / "largest.npy", config="none")
    expected = 1e6 * np.array([5.0, -7]) + np.array([-3, 9]) * 200
    check((np.load(weigh.work / "sum.npy") == expected).all(), "files with numbers outside of the ranges")
    given = ["--set", "Level=200", "--set", "Scale=1e6", "--set", "k=4"]
    kept = [paths[i] for i in (0, 1, 4, 5)]
    weigh.program.run(*kept, weigh.work / "again.npy", weigh.work / "largest.npy", *given, config="none")
    check((np.load(weigh.work / "again.npy") == expected).all(), "numbers of --set instead of files")


def test_given_numbers_win_over_generated_ones(weigh):
    made = weigh.generated(6, "--set", "Scale=-inf", "--set", "k=2", "--set", "Level=77")
    check(made["Scale"][0] == -np.inf and made["Level"][0] == 77 and made["Kind"].max() <= 2, f"{made}")
    other = weigh.generated(6, "--set", "Scale=0", "--set", "k=2", "--seed", 0)
    with_level = weigh.generated(6, "--set", "Scale=0", "--set", "k=2", "--set", "Level=4", "--seed", 0)
    check((other["X"] == with_level["X"]).all(), "a given number changes nothing else")


def test_tuner_measures_with_given_numbers(weigh):
    config = weigh.work / "tuned.cfg"
    polybricks.run_tool([weigh.tools.pbtune, weigh.program.path, "--n", 64, "--set", "k=3", "--set", "Scale=0.25", "--time-limit", 2,
                         "--device", "none", "-o", config])
    check("--set k=3 --set Scale=0.25" in config.read_text(), "the configuration does not say how it was tuned")
    done = polybricks.run_tool([weigh.tools.pbtune, "check", weigh.program.path, "--outputs", "--n", 50, "--count", 4, "--set", "k=3"])
    check("all choices agree" in done.stdout, done.stdout)
    done = polybricks.run_tool([weigh.tools.pbtune, weigh.program.path, "--n", 64, "--set", "Scael=1", "-o", config], expect=1)
    check("--set Scael: there is no such `param` or input" in done.stdout + done.stderr and "did you mean Scale?" in done.stdout + done.stderr,
          done.stdout + done.stderr)
    info = weigh.program.info["transforms"]["Weigh"]
    check(info["numbers"] == ["k", "Level", "Scale"] and info["ranges"]["Scale"] == "-0.5..n/4", f"training information: {info}")


SIZED_BY_TUNABLE = """
transform Sized
tunable m(3, 1, 9)
from A[n]
to B[m]
{
  B.cell(i) from (A a) { return a.cell(i % n); }
  B.cell(i) from (A a) { return a.cell(i - i / n * n); }
}
"""
SIZED_BY_ACCURACY = """
transform Quality
from C[k], A[n]
to Accuracy
{
  Accuracy from (C c) { return k; }
}

main transform Sized
from A[n]
to C[k]
through T[k, n]
accuracy_metric Quality
accuracy_bins 1, 5
accuracy_variable k(2, 1)
{
  T.cell(x, y) from (A.cell(y) a) { return a; }
  C.cell(x) from (T.column(x) t) { return t.cell(0); }
}
"""


def test_check_of_programs_whose_tunables_are_sizes(weigh):
    for name, text in (("tunable", SIZED_BY_TUNABLE), ("accuracy", SIZED_BY_ACCURACY)):
        source = weigh.work / f"sized_by_{name}.pbcc"
        source.write_text(text)
        program = weigh.tools.compile(source, source.with_suffix(""))
        done = polybricks.run_tool([weigh.tools.pbtune, "check", program.path, "--outputs", "--n", 30, "--count", 20])
        check("all choices agree" in done.stdout, done.stdout)
        says_so = "Sized.m stays as it is: sizes of outputs depend on it" in done.stdout
        check(says_so == (name == "tunable"), done.stdout)


def main():
    args = polybricks.arguments(__doc__).parse_args()
    weigh = Weigh(polybricks.Tools(args.dist), args.work / "inputs")
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            test(weigh)
            print(f"{name}: ok", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
