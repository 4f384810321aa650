# SPDX-License-Identifier: MIT
"""Devices that hang, fail or compute something else than the CPU: the run ends on the CPU, with one line of warning.

    device_failures_test.py --dist BUILD/dist --work FOLDER

POLYBRICKS_DEVICE_FAULTS makes the device fail at one launch. Outputs are those of the CPU, the exit status is 0, and with --strict it is
an error. That holds for calls in place, too. With --verify-device, programs of other tests run without a difference in all of their device
versions, whole, shared with the CPU, in pieces, and in nests.
"""

import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import polybricks  # noqa: E402
from device_programs import on_device  # noqa: E402

E2E = pathlib.Path(__file__).resolve().parents[1]
N = 64
FAULTS = "POLYBRICKS_DEVICE_FAULTS"
SHORT = "--device-limit=0.3"
LONG = "--device-limit=1000"

# Each wavefront of a sweep changes cells in place, from what they held and from their neighbours.
SWEEPS = """
transform Sweep
from int F[n, m]
to int X[n, m]
{
  primary to (X.cell(0, j) x) from () { return; }
  primary to (X.cell(i, 0) x) from () { return; }
  to (X.cell(i, j) x) from (X.cell(i-1, j) l, X.cell(i, j-1) u, F.cell(i, j) f) { x = (2 * x + 3 * l + 5 * u + f) % 1009; }
}
main transform Sweeps
from int A[n, m]
to int X[n, m]
{
  to (X x) from (A a) { a.copyTo(x); Sweep(x, a); Sweep(x, a); }
}
"""

# Three steps. The last one also makes a number.
CHAIN = """
transform Chain
from A[n, n]
through T[n, n], U[n, n]
to B[n, n], S
{
  T.cell(x, y) from (A.cell(x, y) a) { return a + 1; }
  U.cell(x, y) from (T.cell(x, y) t) { return 2 * t; }
  B.cell(x, y) from (U.cell(x, y) u, A.cell(y, x) a) { return u - a; }
  S from (B.row(0) b) {
    ElementT s = 0;
    for (int i = 0; i < n; i++) s += b.cell(i);
    return s;
  }
}
"""
RULES = ("Chain.T#1", "Chain.U#1", "Chain.B#1", "Chain.S#1")

# Cells that keep their values, and steps over time.
KEPT = """
main transform Kept
from A[n]
to B[n]
{
  to (B.cell(x) b) from (A.cell(x) a) { if (a > 0) b = b + a; }
}
"""
# The second step brings the first one's results back, and the last one's are lost with the device.
AGAIN = """
main transform Again
from A[n]
to B[n], D[n]
through C[n]
{
  to (B.cell(x) b) from (A.cell(x) a) { if (a > 0) b = b + a; }
  C.cell(x) from (B.cell(x) b) { return b; }
  D.cell(x) from (C.cell(x) c) { return 2 * c; }
}
"""
# The sum is taken of cells that the first step made, when the others are still to be made.
HALVES = """
main transform Halves
from A[n]
to B[n]
through S
{
  B.cell(x) from (A.cell(x) a) where x < n/2 { return a; }
  S from (B.region(0, n/2) b) {
    ElementT s = 0;
    for (int i = 0; i < b.count(); i++) s += b.cell(i);
    return s;
  }
  B.cell(x) from (A.cell(x) a, S s) where x >= n/2 { return a + s; }
}
"""
# Calls whose input is the matrix that they write: all of it, in the other order, and a part.
PLACES = """
transform Cell
from X[w, h]
to A[w, h]
{
  A.cell(x, y) from (X.cell(x, y) v) { return 2 * v + 1; }
}
transform Turned
from X[h, w]
to A[w, h]
{
  A.cell(x, y) from (X.cell(y, x) v) { return 3 * v; }
}
main transform Places
from A[w, h]
to B[w, h]
{
  to (B b) from (A a) {
    a.copyTo(b);
    Cell(b, b);
    Turned(b, b.transposed());
    Cell(b.region(0, h/4, w, h), b.region(0, h/4, w, h));
  }
}
"""
NEST = """
main transform Heat
from A[n], Steps[k]
to B[n]
through T<0..k>[n]
{
  T<0>.cell(x) from (A.cell(x) a) { return a; }
  primary T<t>.cell(0) from (T<t-1>.cell(0) c) { return c; }
  primary T<t>.cell(n-1) from (T<t-1>.cell(n-1) c) { return c; }
  T<t>.cell(x) from (T<t-1>.region(x-1, x+2) c) { return (c.cell(0) + 2 * c.cell(1) + c.cell(2)) / 4; }
  B.cell(x) from (T<k>.cell(x) c) { return c; }
}
"""


class ChainTest:
    def __init__(self, tools, work):
        source = work / "chain.pbcc"
        source.write_text(CHAIN)
        self.program = tools.compile(source, work / "chain")
        self.work = work
        self.a = np.random.default_rng(polybricks.seed()).random((N, N))
        self.input = work / "A.npy"
        np.save(self.input, self.a)
        self.config = work / "chain.cfg"
        self.program.write_configuration(self.config, on_device(self.program))

    def run(self, fault, *words, expect=0):
        """Runs with a fault of the device. Returns the lines of standard error, and the statistics if the run succeeds."""
        files = [self.work / "B.npy", self.work / "S.npy"]
        for file in files:
            file.unlink(missing_ok=True)
        done, statistics = self.program.run(self.input, *files, *words, config=self.config, expect=expect, env={FAULTS: fault})
        if expect == 0:
            b = 2 * (self.a + 1) - self.a.T
            polybricks.check(np.array_equal(np.load(files[0]), b), f"{fault} {words}: another output")
            polybricks.check(np.allclose(np.load(files[1]), b[0].sum(), rtol=1e-12), f"{fault} {words}: another number")
        else:
            polybricks.check(not files[0].exists(), f"{fault} {words}: an output of a run that failed")
        return done.stderr.splitlines(), statistics

    def failures(self):
        """A device that hangs or fails, at each of its launches."""
        for launch in range(len(RULES)):
            for fault, words, why in (("hang", (SHORT,), "has not ended within 0.3 s (--device-limit)"),
                                      ("fail", (), "an operation did not succeed"),
                                      ("fail", ("--device-copies",), "an operation did not succeed")):
                lines, _ = self.run(f"{fault}:{launch}", *words)
                polybricks.check(len(lines) == 1 and lines[0].startswith("warning: device `"), f"{fault}:{launch}: {lines}")
                polybricks.check(lines[0].endswith(why) and "the CPU does its work" in lines[0], f"{fault}:{launch}: {lines}")
                lines, _ = self.run(f"{fault}:{launch}", *words, "--strict", expect=1)
                polybricks.check(why in lines[0], f"{fault}:{launch}, strict: {lines}")

    def no_failure(self):
        for words in ((LONG,), ("--verify-device",), (LONG, "--verify-device")):
            lines, statistics = self.run("", *words, "--strict")
            polybricks.check(lines == [], f"{words}: {lines}")
            device = statistics["devices"][0]
            want = len(RULES) if "--verify-device" in words else 0
            got = [device[name] for name in ("launches_verified", "launches_differing", "launches_not_verified")]
            polybricks.check(got == [want, 0, 0], f"{words}: {got}")

    def wrong_kernels(self):
        for launch, rule in enumerate(RULES):
            for words in ((), ("--device-copies",), (LONG,)):
                lines, statistics = self.run(f"spoil:{launch}", "--verify-device", *words)
                place = "the number" if rule == "Chain.S#1" else "cell (0, 0)"
                polybricks.check(len(lines) == 1 and f"computed something else than the CPU: {rule} on opencl: {place} is " in lines[0],
                                 f"{rule} {words}: {lines}")
                polybricks.check(lines[0].endswith("; the CPU does its work from now on"), lines[0])
                device = statistics["devices"][0]
                got = [device[name] for name in ("launches_verified", "launches_differing", "launches_not_verified")]
                polybricks.check(got == [len(RULES), 1, 0], f"{rule} {words}: {got}")
            lines, _ = self.run(f"spoil:{launch}", "--verify-device", "--strict", expect=1)
            polybricks.check(len(lines) == 1 and rule in lines[0] and lines[0].endswith("(--strict)"), f"{rule}, strict: {lines}")

    def repeated(self):
        """The version that was wrong runs no more in later runs; the others do."""
        done, statistics = self.program.run("--n", N, "--trials", 3, "--verify-device", config=self.config, env={FAULTS: "spoil:1"})
        lines = done.stderr.splitlines()
        polybricks.check(len(lines) == 1 and RULES[1] in lines[0], f"repeated: {lines}")
        reasons = [(each["site"], each["reason"]) for each in statistics["fallbacks"]]
        polybricks.check(reasons == [(RULES[1], "an earlier result was not the CPU's")], f"repeated: {reasons}")
        device = statistics["devices"][0]
        polybricks.check([device["launches_verified"], device["launches_differing"]] == [3, 0], f"repeated: {device}")


def repeated_with_checks(tools, work):
    """A run that is repeated on the CPU asks for no copies, also in a program that checks them."""
    chain = ChainTest(tools, work)
    chain.program = tools.compile(work / "chain.pbcc", work / "chain_checked", "--checked-copies")
    for launch in range(len(RULES)):
        for fault, words in (("fail", ()), ("fail", ("--device-copies",)), ("hang", (SHORT,))):
            lines, _ = chain.run(f"{fault}:{launch}", *words)
            polybricks.check(len(lines) == 1, f"{fault}:{launch} {words}, checked: {lines}")


def repeated_in_place(tools, work):
    """A run that is repeated begins with what its outputs held before."""
    source = work / "again.pbcc"
    source.write_text(AGAIN)
    program = tools.compile(source, work / "again")
    a = np.random.default_rng(polybricks.seed()).random(N) - 0.5
    np.save(work / "again.npy", a)
    entry = on_device(program)
    for site in entry["transforms"]["Again"]["sites"]:
        if site == "C#1":
            entry["transforms"]["Again"]["sites"][site] = [{"rule": "C#1", "on": "cpu"}]
    program.write_configuration(work / "again.cfg", entry)
    files = [work / "again_B.npy", work / "again_D.npy"]
    for memory in ((), ("--device-copies",)):
        done, _ = program.run(work / "again.npy", *files, *memory, config=work / "again.cfg", env={FAULTS: "fail:1"})
        b = np.maximum(a, 0)
        polybricks.check(len(done.stderr.splitlines()) == 1, f"again: {done.stderr}")
        polybricks.check(np.array_equal(np.load(files[0]), b) and np.array_equal(np.load(files[1]), 2 * b), f"again {memory}: another output")


def repeated_in_steps(tools, work):
    """A run that is repeated meets outputs of which some cells are made, and the others were lost."""
    source = work / "halves.pbcc"
    source.write_text(HALVES)
    a = np.random.default_rng(polybricks.seed()).random(N)
    np.save(work / "halves.npy", a)
    b = np.concatenate([a[:N // 2], a[N // 2:] + a[:N // 2].sum()])
    for options in ((), ("--checked-copies",)):
        program = tools.compile(source, work / "halves", *options)
        entry = on_device(program)
        entry["transforms"]["Halves"]["sites"]["S#1"] = [{"rule": "S#1", "on": "cpu"}]
        program.write_configuration(work / "halves.cfg", entry)
        for memory in ((), ("--device-copies",)):
            for launch in range(2):
                done, _ = program.run(work / "halves.npy", work / "halves_B.npy", *memory, config=work / "halves.cfg", env={FAULTS: f"fail:{launch}"})
                polybricks.check(len(done.stderr.splitlines()) == 1, f"halves: {done.stderr}")
                polybricks.check(np.allclose(np.load(work / "halves_B.npy"), b, rtol=1e-12), f"halves {options} {memory} {launch}: another output")


def inputs_that_are_outputs(tools, work):
    """Calls in place, of which a launch fails, is refused, or is compared with the CPU: nothing is computed of what was overwritten."""
    source = work / "places.pbcc"
    source.write_text(PLACES)
    a = np.random.default_rng(polybricks.seed()).integers(-99, 99, (130, 40)).astype(float)
    np.save(work / "places.npy", a)
    b = 3 * (2 * a + 1)
    b[130 // 4:] = 2 * b[130 // 4:] + 1
    program = tools.compile(source, work / "places")
    config, got = work / "places.cfg", work / "places_B.npy"

    def run(fault, eighths, *words):
        tunables = {name: {"device_eighths": eighths} for name in ("Cell", "Turned")}
        program.write_configuration(config, on_device(program, tunables=tunables))
        done, statistics = program.run(work / "places.npy", got, *words, config=config, env={FAULTS: fault, "POCL_DEVICES": "pthread pthread"})
        what = f"places, {fault}, {eighths}/8, {words}"
        polybricks.check(np.array_equal(np.load(got), b), f"{what}: another output")
        return what, done, statistics

    for memory in ((), ("--device-copies",), ("--device-memory=9000",)):
        for eighths in (8, 5):
            for devices in ("--device=0", "--device=0,1"):
                what, done, statistics = run("", eighths, *memory, devices, "--verify-device", "--strict")
                verified = sum(device["launches_verified"] for device in statistics["devices"])
                polybricks.check(done.stderr == "" and verified >= 3, f"{what}: {done.stderr}, {verified}")
                # In pieces, the first launch of the second call is the ninth.
                for launch in (0, 1, 2) if memory != ("--device-memory=9000",) else (0, 1, 7, 9):
                    for fault in ("fail", "refuse"):
                        run(f"{fault}:{launch}", eighths, *memory, devices)
    what, _, statistics = run("", 8, "--device-memory=9000", "--device=0")
    polybricks.check(statistics["devices"][0]["launches_cut"] == 3, f"{what}: {statistics['devices']}")


def refused_waves(tools, work):
    """A device refuses one of many launches that change a matrix in place. The CPU does not go on from what the others left."""
    source = work / "sweeps.pbcc"
    source.write_text(SWEEPS)
    program = tools.compile(source, work / "sweeps")
    np.save(work / "sweeps.npy", np.random.default_rng(polybricks.seed()).integers(0, 1000, (61, 53)).astype("int32"))
    want, got = work / "sweeps_want.npy", work / "sweeps_got.npy"
    program.run(work / "sweeps.npy", want, "--device=none")
    tunables = {"Sweep": {"X#3.opencl.work_group": [4, 4], "X#3.opencl.items": [2, 2]}}
    for place in ("cpu", "opencl"):
        entry = on_device(program, tunables=tunables)
        for site in ("X#1", "X#2", "X#1|X#2"):
            entry["transforms"]["Sweep"]["sites"][site][0]["on"] = place
        program.write_configuration(work / "sweeps.cfg", entry)
        for launch in (0, 1, 7, 20):
            for memory in ((), ("--device-copies",)):
                program.run(work / "sweeps.npy", got, *memory, config=work / "sweeps.cfg", env={FAULTS: f"refuse:{launch}"})
                polybricks.check(np.array_equal(np.load(got), np.load(want)), f"sweeps, borders on {place}, {memory}, launch {launch} is refused: another X")


def bad_requests(tools, work):
    """A device without doubles, and a share of nothing."""
    source = work / "chain.pbcc"
    for element, fault in (("double", "no-doubles"), ("float", "")):
        program = tools.compile(source, work / f"chain_{element}", "--element", element)
        config = work / "bad.cfg"
        program.write_configuration(config, on_device(program))
        done, statistics = program.run("--n", N, config=config, env={FAULTS: "no-doubles"})
        lines = done.stderr.splitlines()
        reasons = {each["reason"] for each in statistics["fallbacks"]}
        if element == "float":
            polybricks.check(lines == [] and reasons == set(), f"floats: {lines}, {reasons}")
            continue
        polybricks.check(len(lines) == 1 and "has no double precision, the CPU does the work" in lines[0] and "--element float" in lines[0],
                         f"doubles: {lines}")
        polybricks.check(reasons == {"the device has no double precision"}, f"doubles: {reasons}")
        done, _ = program.run("--n", N, "--strict", config=config, expect=1, env={FAULTS: "no-doubles"})
        polybricks.check("the device has no double precision (--strict)" in done.stderr, done.stderr)
        program.write_configuration(config, on_device(program, tunables={"Chain": {"device_eighths": 0}}))
        done, statistics = program.run("--n", N, config=config)
        polybricks.check('`Chain.device_eighths = 0 (1 to 8)` (a share of nothing is `"on": "cpu"` at the sites)' in done.stderr, done.stderr)
        polybricks.check(statistics["fallbacks"] == [], f"share of nothing: {statistics['fallbacks']}")


def verify(program, name, words, **arguments):
    """Runs every device version of a program, compared with the CPU: all launches are, and agree."""
    config = program.path.parent / f"{name}.cfg"
    for version in ("opencl", "opencl_local"):
        for eighths in (8, 5):
            tunables = {t: {"device_eighths": eighths} for t, data in program.info["transforms"].items() if "device_eighths" in data["tunables"]}
            program.write_configuration(config, on_device(program, version, tunables))
            for memory in ((), ("--device-copies",)):
                what = f"{name}, {version}, {eighths}/8, {memory}"
                done, statistics = program.run(*words, *memory, "--verify-device", "--strict", "--seed=5", config=config, **arguments)
                polybricks.check(done.stderr == "", f"{what}: {done.stderr}")
                device = statistics["devices"][0]
                got = [device[key] for key in ("launches_verified", "launches_differing", "launches_not_verified")]
                polybricks.check(got[0] > 0 and got[1:] == [0, 0], f"{what}: {got}")


def verify_programs(tools, work):
    for name, text, words in (("kept", KEPT, ("--size=n=50",)), ("nest", NEST, ("--size=n=50", "--size=k=5"))):
        source = work / f"{name}.pbcc"
        source.write_text(text)
        verify(tools.compile(source, work / name), name, ("--n=0", *words))
    programs = [*sorted((E2E / "mixed").glob("*.pbcc")), *sorted((E2E / "shares").glob("*.pbcc"))]
    if not polybricks.is_nightly():
        programs = [path for path in programs if path.stem in ("versions", "numbers", "tiles", "outputs", "heat")]
    for path in programs:
        verify(tools.compile(path, work / path.stem, "--checked-copies"), path.stem, ("--n=40",))


def main():
    args = polybricks.arguments(__doc__).parse_args()
    tools, work = polybricks.Tools(args.dist), polybricks.fresh_folder(args.work / "device_failures")
    chain = ChainTest(tools, work)
    chain.no_failure()
    chain.failures()
    chain.wrong_kernels()
    chain.repeated()
    repeated_with_checks(tools, work)
    repeated_in_place(tools, work)
    repeated_in_steps(tools, work)
    inputs_that_are_outputs(tools, work)
    refused_waves(tools, work)
    bad_requests(tools, work)
    verify_programs(tools, work)
    # Choices and shares that are constants of the program.
    fixed = tools.compile(work / "chain.pbcc", work / "fixed", f"--config={chain.config}")
    done, statistics = fixed.run("--n", N, "--verify-device", "--strict", config=chain.config)
    polybricks.check([done.stderr, statistics["devices"][0]["launches_verified"]] == ["", len(RULES)], f"fixed: {done.stderr}{statistics}")


if __name__ == "__main__":
    main()
