# SPDX-License-Identifier: MIT
"""Transforms that stand for several instances: how they are named, chosen, judged and tuned.

    instances_test.py --dist BUILD/dist --work FOLDER
"""

import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import polybricks  # noqa: E402
from polybricks import check  # noqa: E402

PROGRAMS = pathlib.Path(__file__).resolve().parent / "programs"


class Case:
    """One program in a folder of its own: its text, or a file of tests/e2e/programs."""

    def __init__(self, tools, work, name, source=None, *options):
        self.tools, self.work, self.name = tools, work / name, name
        self.work.mkdir(parents=True, exist_ok=True)
        path = PROGRAMS / f"{name}.pbcc"
        if source is not None:
            path = self.work / f"{name}.pbcc"
            path.write_text(source)
        self.program = tools.compile(path, self.work / name, *options)

    def accuracy(self, transform, n, config="none", seed=1):
        """The (accuracy, whether the target is met) on generated inputs."""
        _, found = self.program.run("--tx", transform, "--n", n, "--accuracy", "--seed", seed, config=config)
        return found["accuracies"][0], found["is_accuracy_met"]

    def tune(self, n, seconds):
        """Tunes from nothing; what pbtune printed, and the configuration."""
        config = self.work / "tuned.cfg"
        for path in self.work.glob("tuned.cfg*"):
            path.unlink()
        done = polybricks.run_tool([self.tools.pbtune, self.program.path, "--n", n, "--time-limit", seconds,
                                    "--device", "none", "-o", config])
        return done.stdout, config

    def run(self, *inputs, params=(), options=(), num_outputs=1, expect=0, config="none"):
        """The outputs for the given params and inputs; with an expected failure, what was printed."""
        words = [*params]
        for i, array in enumerate(inputs):
            np.save(self.work / f"in{i}.npy", np.asarray(array, dtype=float))
            words.append(self.work / f"in{i}.npy")
        outputs = [self.work / f"out{i}.npy" for i in range(num_outputs)]
        done = polybricks.run_tool([self.program.path, *words, *outputs, *options, "--config", config], expect=expect)
        if expect != 0:
            return done.stderr
        self.printed = done.stdout
        arrays = [np.load(path) for path in outputs]
        return arrays[0] if num_outputs == 1 else arrays


def test_names_of_instances(tools, work):
    case = Case(tools, work, "scale", """
transform Scale
template <A(2,3), B(10,11)>
from IN[n]
to OUT[n]
{
  OUT.cell(i) from (IN.cell(i) a) { return a * A + B; }
}
main transform Use
from IN[n], WHICH
to OUT[n]
{
  to (OUT o) from (IN in, WHICH w) { Scale<w, 10>(o, in); }
}
""")
    a = np.arange(5.0)
    for name, expected in {"Scale": a * 2 + 10, "Scale<0>": a * 2 + 10, "Scale<1>": a * 3 + 10, "Scale<2>": a * 2 + 11,
                           "Scale_tmpl_3_11": a * 3 + 11, "Scale<2,11>": a * 2 + 11}.items():
        check(np.array_equal(case.run(a, options=["--transform", name]), expected), f"--transform {name}")
    check(np.array_equal(case.run(a, 3.0), a * 3 + 10), "the instance is chosen at run time")
    words = case.run(a, 4.0, expect=1)
    check("call of Scale: template argument A is 4, which is not from 2 to 3" in words, words)
    words = case.run(a, options=["--transform", "Scale<4>"], expect=1)
    check("Scale_tmpl_3_11" in words, words)


def test_sizes_of_tunables(tools, work):
    """Measurements give outputs the sizes that the configuration in use says."""
    case = Case(tools, work, "hat", """
main transform Hat
from A[n]
to B[n*k], OUT[n]
tunable k(2, 1, 5)
{
  B.cell(i) from (A.cell(i/k) a) { return a; }
  OUT.cell(i) from (A.cell(i) a) { return a; }
}
""")
    np.save(case.work / "a.npy", np.arange(6.0))
    with polybricks.Server(case.program) as server:
        for inputs in ({"n": 6}, {"files": [str(case.work / "a.npy")]}):
            check(server.ask("inputs", seed=1, **inputs)["status"] == "ok", "inputs")
            check(server.ask("reference")["status"] == "ok", "a reference")
            for k, status in ((2, "ok"), (3, "wrong"), (1, "wrong"), (2, "ok")):
                config = case.program.configuration({}, {"Hat": {"k": k}})
                reply = server.ask("run", config=config, trials=2)
                check(reply["status"] == status, f"k = {k}: {reply}")
                words = f"B has the size {6 * k}, the reference 12"
                check(status == "ok" or words in reply["message"], reply)
                check(server.ask("run", config=config, trials=1, verify=False)["status"] == "ok", f"k = {k} alone")


def test_params_that_are_no_sizes(tools, work):
    """Only names of size formulas are sizes of a call; other params are any whole numbers."""
    case = Case(tools, work, "params", """
main transform Shifted
param shift
param blocks
from A[n]
to B[blocks*n], LEVEL
tunable sizespecific level(0, 0, 31)
{
  B.cell(i) from (A.cell(i-shift) a) where i < n { return a; }
  secondary B.cell(i) from () { return shift; }
  LEVEL from () { return level; }
}
""")
    config = case.work / "levels.cfg"
    levels = {"level": list(range(32))}
    case.program.write_configuration(config, case.program.configuration({}, {"Shifted": levels}))
    a = np.arange(1.0, 10.0)
    for shift, blocks, level in ((1000, 2, 3), (-2, 40, 5), (3, 1, 3)):
        b, found = case.run(a, params=[shift, blocks], num_outputs=2, config=config)
        i = np.arange(9)
        whole = np.full(9 * blocks, float(shift))
        inside = (i >= shift) & (i - shift < 9)
        whole[:9][inside] = a[(i - shift)[inside]]
        check(np.array_equal(b, whole), (shift, blocks, b))
        check(found == level, f"shift {shift}, {blocks} blocks: size-specific value {found}, not {level}")
    _, stats = case.program.run("--n", 20, "--size", "shift=5000", config=config)
    check(stats["n"] == 20, stats["n"])
    words = case.run(a, params=["x", 1], num_outputs=2, expect=1)
    check("param shift: expected an integer" in words, words)
    words = case.run(a, params=[1, -1], num_outputs=2, expect=1)
    check("would be -9" in words, words)


REFINE = """
transform Refine
from A[n]
to X[n]
accuracy_metric Closeness
accuracy_bins 0.5, 2, 6
accuracy_variable sweeps(1, 1, 1000)
{
  to (X x) from (A a) {
    for (int i = 0; i < n; ++i) x.cell(i) = 1;
    for (int k = 0; k < sweeps; ++k)
      for (int i = 0; i < n; ++i) x.cell(i) = 0.5 * (x.cell(i) + fabs(a.cell(i)) / x.cell(i));
  }
}

main transform Refined
from A[n]
to X[n]
{
  to (X x) from (A a) { Refine(x, a); }
}

transform Closeness
from X[n], A[n]
to ACC
{
  ACC from (X x, A a) {
    double worst = 0.000000001;
    for (int i = 0; i < n; ++i) {
      double d = fabs(x.cell(i)*x.cell(i) - fabs(a.cell(i)));
      if (d > worst) worst = d;
    }
    return -log10(worst);
  }
}
"""


def closeness(x, a):
    return -np.log10(max(1e-9, np.max(np.abs(x * x - np.abs(a)))))


def newton(a, sweeps):
    x = np.ones_like(a)
    for _ in range(sweeps):
        x = 0.5 * (x + np.abs(a) / x)
    return x


def test_accuracy_of_bins(tools, work):
    case = Case(tools, work, "refine", REFINE)
    info = case.program.info["transforms"]
    check([info[f"Refine<bin {i}>"]["accuracy"]["target"] for i in range(3)] == [0.5, 2, 6], "targets of the bins")
    check(info["Refined"]["calls"] == ["Refine<bin 2>"], "a call without a bin takes the most accurate one")
    a = np.array([2.0, 3.0, 10.0, 0.5])
    # Sizes 4 to 7 use the entry 2.
    sweeps = {0: 2, 1: 4, 2: 6}
    config = case.work / "sweeps.cfg"
    tunables = {f"Refine<bin {i}>": {"sweeps": [1, 1, sweeps[i]] + [9] * 29} for i in sweeps}
    case.program.write_configuration(config, case.program.configuration({}, tunables))
    for i, count in sweeps.items():
        x = case.run(a, options=["--tx", f"Refine_tmpl_{i}", "--accuracy"], config=config)
        check(np.allclose(x, newton(a, count), rtol=1e-12), f"bin {i} has values of its own")
        found = float(case.printed.split()[1].rstrip(","))
        check(np.isclose(found, closeness(x, a)), f"the metric sees outputs, then inputs: {case.printed}")
        target = [0.5, 2, 6][i]
        words = f"target {target:g}: " + ("met" if found >= target else "missed")
        check(words in case.printed, f"{words} in {case.printed}")
    check(np.allclose(case.run(a, config=config), newton(a, 6)), "the call without a bin")
    # A value below the minimum is replaced by the default.
    tunables = {"Refine<bin 0>": {"sweeps": [0] * 32}}
    case.program.write_configuration(config, case.program.configuration({}, tunables))
    check(np.allclose(case.run(a, options=["--tx", "Refine"], config=config), newton(a, 1)), "a value out of range")


def test_main_without_bins(tools, work):
    """pbtune first tunes the bin that the main transform calls, by its metric, then the main transform with this bin."""
    case = Case(tools, work, "refined", REFINE.replace("Refine(x, a)", "Refine<1>(x, a)").replace(
        "from A[n]\nto X[n]\naccuracy", "from A[n]\nto X[n]\ngenerator Numbers\naccuracy") + """
transform Numbers
to A[n]
{
  A.cell(i) from () { return 1 + i % 7; }
}
""")
    np.save(case.work / "a.npy", 1.0 + np.arange(40) % 7)
    a = np.load(case.work / "a.npy")
    check(closeness(case.run(a), a) < 2, "the default is not accurate enough")
    for words in (["--n", 40], ["--inputs", case.work / "a.npy"]):
        config = case.work / "tuned.cfg"
        for path in case.work.glob("tuned.cfg*"):
            path.unlink()
        done = polybricks.run_tool([tools.pbtune, case.program.path, *words, "--time-limit", 4, "--device", "none",
                                    "-o", config])
        order = [line.split(" at size")[0] for line in done.stdout.splitlines() if " at size" in line]
        check(order == ["Refine<bin 1>", "Refined"], done.stdout)
        found = closeness(case.run(a, config=config), a)
        check(found >= 2, f"accuracy after tuning: {found}")


def test_accuracy_in_all_formats(tools, work):
    case = Case(tools, work, "ratio", """
main transform Pack
from A[n]
to BINS
accuracy_metric Ratio
accuracy_bins 3, 2.5
{
  to (BINS b) from (A a) { b = 2.75 + ACCURACY_BIN + 0 * ACCURACY_TARGET; }
}
transform Ratio
from BINS, A[n]
to ACC
{
  ACC from (BINS b, A a) { return b; }
}
""")
    a = np.zeros(3)
    # Less is better here: bin 0 is the one written last, and what is printed is negated.
    check(case.run(a, options=["--accuracy"]) == 2.75, "bin 0")
    check(case.printed == "accuracy -2.75, target -2.5: missed (the metric, negated)\n", case.printed)
    # The bins are 3 and 2.5: a request for 2.75 gets 2.5, one for 3 or more the cheaper one.
    for wanted, bin_number in [(2.5, 0), (2.75, 0), (3, 1), (100, 1)]:
        check(case.run(a, options=["--accuracy-target", str(wanted)]) == 2.75 + bin_number, f"bin for {wanted}")
    check(case.run(a, options=["--accuracy-target=3", "--tx", "Pack<0>"]) == 3.75, "instances are of one transform")
    for words, said in [(["2"], "2: no bin of `Pack` is as accurate; its bins are 2.5, 3, less is better"),
                        (["2", "--tx", "Ratio"], "2: `Ratio` has no accuracy_bins"), (["2x"], "expected a number")]:
        errors = case.run(a, options=["--accuracy-target", *words], expect=1)
        check(said in errors, errors)
    case.run(a, options=["--accuracy", "--stats=xml", "--trials", "2"])
    check('<accuracy count="2" average="-2.75" min="-2.75"' in case.printed, case.printed)
    check(case.printed.index("<accuracy") < case.printed.index("<timing"), "accuracy comes first")
    case.run(a, options=["--accuracy", "--stats=json", "--tx=Pack_tmpl_1"])
    found = polybricks.statistics_of(case.printed)
    check(found["accuracies"] == [-3.75] and found["accuracy_target"] == -3 and not found["is_accuracy_met"], found)
    with polybricks.Server(case.program, "--tx", "Pack<0>") as server:
        server.ask("inputs", n=4, seed=1)
        check(server.ask("reference")["status"] == "ok", "a reference")
        reply = server.ask("run", config={}, trials=2)
        check(reply["status"] == "accuracy_missed" and reply["accuracy"] == 2.75, reply)
    with polybricks.Server(case.program, "--tx", "Pack<1>") as server:
        server.ask("inputs", n=4, seed=1)
        server.ask("reference")
        reply = server.ask("run", config={}, trials=1)
        check(reply["status"] == "accuracy_missed" and reply["accuracy"] == 3.75, reply)


def test_accuracy_without_metric(tools, work):
    case = Case(tools, work, "plain", """
main transform Plain
from A[n]
to B[n]
{
  B.cell(i) from (A.cell(i) a) { return a; }
}
""")
    case.run(np.zeros(3), options=["--accuracy"])
    check(case.printed == "accuracy 1\n", case.printed)


def test_for_enough(tools, work):
    case = Case(tools, work, "halve", """
transform Halve
from X[n]
to Y[n]
accuracy_metric Zeros
accuracy_bins 1, 3
{
  to (Y y) from (X x) {
    for (int i = 0; i < n; ++i) {
      y.cell(i) = x.cell(i);
      for_enough (1; 40) { if (y.cell(i) < 1) break; y.cell(i) = y.cell(i) / 2; }
      for_enough (2; 9)
        y.cell(i) += 100;
    }
  }
}

transform Zeros
from Y[n], X[n]
to A
{
  A from (Y y, X x) { return 1; }
}

main transform UseHalve
from V[n]
to W[n]
{
  to (W w) from (V v) { Halve<1>(w, v); }
}
""")
    tunables = case.program.info["transforms"]["Halve<bin 1>"]["tunables"]
    check(tunables["forenough_iterations_0"] == {"type": "int", "min": 1, "max": 40, "initial": 1, "role": "for_enough",
                                                 "size_specific": True}, tunables)
    x = np.array([8.0, 64.0, 0.5])
    check(np.array_equal(case.run(x), np.array([204.0, 232.0, 200.5])), "initially the least iterations")
    config = case.work / "run.cfg"
    values = {"forenough_iterations_0": [1] + [5] * 31, "forenough_iterations_1": [9] * 32}
    case.program.write_configuration(config, case.program.configuration({}, {"Halve<bin 1>": values}))
    check(np.array_equal(case.run(x, config=config), np.array([900.5, 902.0, 900.5])), "as many as configured")


def test_values_in_sizes(tools, work):
    """A size may follow from a configured value, and depend on one that depends on the size."""
    case = Case(tools, work, "sized", """
main transform Sized
from A[n+k]
to B[n], C[n+extra]
tunable k(2, 1, 9)
tunable sizespecific extra(1, 0, 50)
{
  B.cell(i) from (A.cell(i+k) a) { return a; }
  C.cell(i) from () { return extra; }
}
""")
    config = case.work / "run.cfg"
    case.program.write_configuration(config, case.program.configuration({}, {"Sized": {"k": 3, "extra": [0, 1, 4] + [5] * 29}}))
    b, c = case.run(np.arange(7.0), num_outputs=2, config=config)
    check(np.array_equal(b, [3, 4, 5, 6]) and np.array_equal(c, [4] * 8), f"{b} {c}")
    case.program.run("--n", 9, config=config)


MEMOIZED = """
%{
#include <cstdio>
#include <atomic>
static std::atomic<int> runs{0};
%}
memoized transform Sum
template <K(1,2)>
from A[n], C
to S
{
  to (S s) from (A a, C c) {
    ++runs;
    s = c;
    for (int i = 0; i < n; ++i) s += K * a.cell(i);
  }
}

main transform Use
from IN[n]
to OUT[n], RUNS
{
  to (OUT o, RUNS r) from (IN in) using (T[n]) {
    ElementT s, t;
    for (int i = 0; i < n; ++i) T.cell(i) = in.cell(i);
    runs = 0;
    Sum<1>(s, T, 1);
    Sum<1>(t, in, 1);            // the same contents elsewhere
    o.cell(0) = t - s;
    Sum<2>(s, T, 1);             // another instance
    Sum<1>(s, T, 2);             // another number
    T.cell(0) = T.cell(0) + 1;   // changed in place
    Sum<1>(t, T, 2);
    o.cell(1) = t - s;
    Sum<1>(t, T.region(0, n-1), 2);
    Sum<1>(t, T.region(0, n-1), 2);
    Sum<1>(t, T, 2);             // parts of matrices have left the entry alone
    r = runs;
    for (int i = 2; i < n; ++i) o.cell(i) = t;
  }
}
"""


MEMOIZED_REGIONS = """
%{
static int runs = 0;
%}
memoized transform Twice
from A[n]
to B[n]
{
  to (B b) from (A a) { ++runs; for (int i = 0; i < n; ++i) b.cell(i) = 2 * a.cell(i); }
}

memoized transform Grow
from A[n]
to B[n]
{
  to (B b) from (A a) { ++runs; for (int i = 0; i < n; ++i) b.cell(i) += a.cell(i); }
}

main transform Use
from IN[n]
to OUT[n], RUNS[2]
{
  to (OUT o, RUNS r) from (IN in) {
    runs = 0;
    Twice(o, in);
    Twice(o, in);                // what the output holds is new, and no input
    r.cell(0) = runs;
    runs = 0;
    Grow(o, in);
    Grow(o, in);                 // here it is one
    r.cell(1) = runs;
  }
}
"""


def test_memoized_regions(tools, work):
    case = Case(tools, work, "memoized_regions", MEMOIZED_REGIONS)
    a = np.array([1.0, 2.0, 3.0])
    out, runs = case.run(a, num_outputs=2)
    check(np.array_equal(runs, [1, 2]), f"{runs} runs")
    check(np.array_equal(out, 4 * a), out)


def test_memoized(tools, work):
    case = Case(tools, work, "memoized", MEMOIZED)
    a = np.array([1.0, 2.0, 3.0, 4.0])
    out, runs = case.run(a, num_outputs=2, options=["--trials", "3"])
    check(runs == 6, f"{runs} runs: every trial starts without stored results")
    check(np.array_equal(out, [0, 1, 13, 13]), out)


def test_verify(tools, work):
    case = Case(tools, work, "signs", """
main transform Root
from A[n]
to B[n]
verify SameSquares
{
  rule Plus
  B.cell(i) from (A.cell(i) a) { return sqrt(fabs(a)); }
  rule Minus
  B.cell(i) from (A.cell(i) a) { return -sqrt(fabs(a)); }
  rule Wrong
  B.cell(i) from (A.cell(i) a) { return sqrt(fabs(a)) + 1; }
}
transform SameSquares
from B[n], REF[n], A[n]
to OK
{
  OK from (B b, REF r, A a) {
    for (int i = 0; i < n; ++i) if (fabs(b.cell(i) * b.cell(i) - r.cell(i) * r.cell(i)) > 1e-9 * fabs(a.cell(i))) return 0;
    return 1;
  }
}
""")
    with polybricks.Server(case.program) as server:
        server.ask("inputs", n=50, seed=1)
        check("message" not in server.ask("reference"), "two runs of the default agree")
        for rule, status in {"Plus": "ok", "Minus": "ok", "Wrong": "wrong"}.items():
            config = case.program.configuration({"Root": {"Plus|Minus|Wrong": (rule, "cpu")}})
            reply = server.ask("run", config=config)
            check(reply["status"] == status, f"{rule}: {reply}")
        check("SameSquares does not accept the outputs" in reply["message"], reply)


def test_multigrid(tools, work):
    """Bins that call each other across sizes, a metric with a memoized helper, bins by a macro, one tuned search."""
    case = Case(tools, work, "multigrid", None, "--main=Poisson1D")
    site = "Iterate|Solve|Multigrid|Estimate"
    config = case.work / "run.cfg"
    instances = [f"Poisson1D<bin {i}>" for i in range(4)]

    def accuracies(rules, values, n=63):
        choices = {t: {site: (rule, "cpu")} for t, rule in zip(instances, rules)}
        case.program.write_configuration(config, case.program.configuration(choices, values))
        return [case.accuracy(t, n, config) for t in instances]

    check(all(found == (16, True) for found in accuracies(["Solve"] * 4, {})), "solved directly")
    # Each level below has one cycle, the top has so many.
    cycles = {t: {"forenough_iterations_1": [count] * 32} for t, count in zip(instances, (1, 4, 7, 10))}
    found = accuracies(["Multigrid"] * 4, cycles)
    check(all(met for _, met in found), f"multigrid: {found}")
    check([a for a, _ in found] == sorted(a for a, _ in found), f"more cycles are more accurate: {found}")
    # Each bin starts from the one below and is a little better.
    steps = {t: {"forenough_iterations_2": [200] * 32} for t in instances}
    found = accuracies(["Estimate"] * 4, steps, 7)
    check(all(a < b for (a, _), (b, _) in zip(found, found[1:])) or found[-1][0] >= 15, f"estimates: {found}")
    printed, tuned = case.tune(31, 12)
    order = [line.split(" at size")[0] for line in printed.splitlines() if " at size" in line]
    check(order == instances[::-1], f"from the most to the least demanding: {printed}")
    for t in instances:
        found = case.accuracy(t, 31, tuned)
        check(found[1], f"{t} after tuning: {found}")


def test_bin_packing(tools, work):
    """Bins of which less is better, several outputs, rules that share a temporary."""
    case = Case(tools, work, "bin_packing")
    targets = [case.program.info["transforms"][f"Packing<bin {i}>"]["accuracy"] for i in range(3)]
    check([t["target"] for t in targets] == [1.25, 1.5, 2] and not targets[0]["higher_is_better"], targets)
    site = next(name for t, name, _ in case.program.sites() if t == "Packing<bin 0>" and "Next" in name)
    config = case.work / "run.cfg"
    found = {}
    for rule in ("Next", "First", "FirstDecreasing"):
        case.program.write_configuration(config, case.program.configuration({"Packing<bin 0>": {site: (rule, "cpu")}}))
        found[rule], _ = case.accuracy("Packing<bin 0>", 200, config)
    check(found["Next"] < found["First"] <= found["FirstDecreasing"] <= -1, found)
    _, tuned = case.tune(200, 8)
    for i in range(3):
        accuracy, met = case.accuracy(f"Packing<bin {i}>", 200, tuned)
        check(met, f"bin {i} after tuning: {accuracy}")


def main():
    options = polybricks.arguments(__doc__).parse_args()
    work = options.work / "instances"
    failures = 0
    for name, test in sorted(globals().items()):
        if not name.startswith("test_"):
            continue
        try:
            test(polybricks.Tools(options.dist), work)
            print(f"{name}: ok")
        except (AssertionError, polybricks.ToolError) as error:
            failures += 1
            print(f"{name}: {error}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
