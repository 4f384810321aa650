# SPDX-License-Identifier: MIT
"""Runs programs on two OpenCL devices at once: outputs are those of one device and of the CPU, bit by bit, and what moves is counted.

The programs of tests/e2e/shares run with each device version and each value of `device_eighths`.

    several_devices_test.py --dist BUILD/dist --work FOLDER
"""

import os
import pathlib
import sys

import numpy as np

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1]), str(pathlib.Path(__file__).resolve().parents[2] / "support")]
import arrays  # noqa: E402
import polybricks  # noqa: E402
from device_programs import PRODUCT, of_roles, on_device  # noqa: E402
from version_programs import PROGRAMS, start_of, stencil  # noqa: E402
import shares_test  # noqa: E402

# Devices called `basic` abort where two threads release kernels (pocl_release_dlhandle_cache of PoCL 3.1).
ENVIRONMENT = {"POCL_DEVICES": "pthread pthread"}
N = 64
ROW_BYTES = 8 * N
MATRIX_BYTES = N * ROW_BYTES
HEAT_CALLS = 11
DEPTHS = (1, 3, 5)

# Each step reads the row above and the row below, which at the edges is the row itself. Products with its numbers are exact, so
# devices that round once for a product and a sum give the same bits.
HEAT = f"""
transform Step
from U[w, h]
to V[w, h]
{{
  V.cell(x, y) from (U.cell(x, y) c, U.cell(x, y-1) a = clamp, U.cell(x, y+1) b = clamp) {{ return 0.5*c + 0.25*(a + b); }}
}}
main transform Heat
from A[w, h]
to B[w, h]
{{
  to (B b) from (A a) using (T[w, h]) {{
    Step(b, a);
    for (int i = 0; i < {HEAT_CALLS // 2}; ++i) {{
      Step(T, b);
      Step(b, T);
    }}
  }}
}}
"""

# A nest of one step.
GROWTH = """
transform Growth
param steps
from float Start[w, h]
through float T<0..steps>[w, h]
to float End[w, h]
{
  T<0>.cell(x, y) from (Start.cell(x, y) s) { return s; }
  T<k>.cell(x, y) from (T<k-1>.cell(x, y) c) { return fmod(3 * c + 1, 64.0f); }
  End.cell(x, y) from (T<steps>.cell(x, y) t) { return t; }
}
"""

CHAIN = """
transform Turn
from A[n, n]
to B[n, n]
{
  B.cell(x, y) from (A.cell(y, x) a) { return 3 * a + 1; }
}
transform Sums
from A[n, n]
to S[n]
{
  S.cell(x) from (A.column(x) a) {
    ElementT s = 0;
    for (int i = 0; i < n; i++) s += a.cell(i);
    return s;
  }
}
main transform Chain
from A[n, n]
to S[n], R[n]
{
  to (S s, R r) from (A a) using (T[n, n], U[n, n], V[n, n], W[n, n]) {
    spawn Turn(T, a);
    spawn Turn(U, a);
    sync;
    Turn(V, T);
    Turn(W, U);
    spawn Sums(s, V);
    spawn Sums(r, W);
    sync;
  }
}
"""


# Calls the library of heat.pbcc twice; between the calls what it computed stays on both devices.
CALL = """
import sys
import numpy as np
import polybricks as pb
heat = pb.compile(sys.argv[1], config=sys.argv[2], device="0,1", strict=True)
a = np.load(sys.argv[3])
first, second = heat.device_array(a.shape), heat.device_array(a.shape)
heat.Heat(a, out=first)
heat.Heat(first, out=second)
assert (heat.Heat(first.fetch()) == second.fetch()).all()
np.save(sys.argv[4], first.fetch())
"""


class Test:
    def __init__(self, tools, work):
        self.tools, self.work = tools, work
        self.rng = np.random.default_rng(polybricks.seed())

    def compile(self, name, text):
        source = self.work / f"{name}.pbcc"
        source.write_text(text)
        return self.tools.compile(source, self.work / name)

    def run(self, program, files, outputs, *words, entry=None):
        return arrays.run(program, self.work, files, outputs, "--strict", *words, entry=entry, env=ENVIRONMENT)

    def agree(self, program, inputs, outputs):
        """All ways to run it give the same bits. Returns the statistics of the run on two devices with memory of their own."""
        files = arrays.save(self.work, inputs)
        entry = on_device(program)
        want, _ = self.run(program, files, outputs, "--device=none")
        statistics = None
        for words in (["--device=0"], ["--device=1"], ["--device=0,1"], ["--device=all"], ["--device=1,0", "--device-copies"],
                      ["--device=0,1", "--device-copies", "--fill-nan"]):
            got, statistics = self.run(program, files, outputs, *words, entry=entry)
            for name in outputs:
                polybricks.check(np.array_equal(got[name], want[name]), f"{program.path.name} {words}: another {name}")
        return statistics

    def expect(self, what, statistics, want):
        got = [{name: device[name] for name in want} for device in statistics["devices"]]
        polybricks.check(got == [want, want], f"{what}: {got} is not twice {want}")

    def heat(self):
        statistics = self.agree(self.compile("heat", HEAT), [self.rng.random((N, N))], ["B"])
        # Half of the input and the row beside it, then a row per step, which the other device has made and copies out.
        self.expect("heat", statistics, {"launches": HEAT_CALLS, "bytes_to_device": (N // 2 + 1 + HEAT_CALLS - 1) * ROW_BYTES,
                                         "bytes_to_host": (HEAT_CALLS - 1 + N // 2) * ROW_BYTES})

    def versions(self, name, program, n, steps, depth, counts=True):
        """Both devices make a block of each version, and several versions at a time; both texts of kernels, all bits those of NumPy."""
        start = start_of(name, n, self.rng)
        files, want = arrays.save(self.work, [start]), stencil(start, steps, PROGRAMS[name][3])
        entry = on_device(program, tunables=of_roles(program, {"time_tile": depth}))
        for words, environment in ((["--device=0"], {}), (["--device=0,1"], {}), (["--device=all", "--device-copies"], {}),
                                   (["--device=all", "--device-copies", "--fill-nan"], {"POLYBRICKS_RUN_AS_GPU": "1"}),
                                   (["--device=1,0", "--verify-device"], {})):
            got, statistics = arrays.run(program, self.work, files, ["End"], "--strict", *words, f"--set=steps={steps}", entry=entry,
                                         env={**ENVIRONMENT, **environment})
            polybricks.check(np.array_equal(got["End"], want),
                             f"{name} of {start.shape}, {steps} steps, depth {depth}, {words}, {environment}: {got['End']} is not {want}")
            if counts and "--device=0" not in words and "--verify-device" not in words:
                tiles = steps if depth == 1 else steps // depth + steps % depth
                self.expect(f"{name} of {start.shape}, {steps} steps, depth {depth}, {words}", statistics, {"launches": 2 + tiles})
        return start, entry, files

    def all_versions(self):
        """By day a third of the programs and half of the sizes: each size takes PoCL several kernels."""
        names = list(PROGRAMS) if polybricks.is_nightly() else sorted(self.rng.choice(list(PROGRAMS), len(PROGRAMS) // 3, replace=False))
        for name in names:
            program = self.compile(f"{name}_versions", PROGRAMS[name][0])
            small, large = [(2, 4, 3), (3, 7, 5)], [(17, 11, 3), (23, 16, int(self.rng.choice(DEPTHS)))]
            for n, steps, depth in small + large if polybricks.is_nightly() else [small[int(self.rng.integers(0, 2))], large[1]]:
                self.versions(name, program, n, steps, depth, counts=n > 3)

    def halos(self):
        """A tile of several versions costs one exchange: as many rows as versions, in one copy."""
        program = self.compile("heat_versions", PROGRAMS["heat"][0])
        for depth in DEPTHS if polybricks.is_nightly() else self.rng.choice(DEPTHS[1:], 2, replace=False).tolist():
            steps, n = 15, 40
            start, entry, files = self.versions("heat", program, n, steps, depth)
            row = 4 * start.shape[1]
            _, statistics = arrays.run(program, self.work, files, ["End"], "--strict", "--device=0,1", "--device-copies",
                                       f"--set=steps={steps}", entry=entry, env=ENVIRONMENT)
            for device in statistics["devices"]:
                rows = (device["bytes_to_device"] / row - start.shape[0] / 2, device["bytes_to_host"] / row - start.shape[0] / 2)
                polybricks.check(all(abs(each - steps) <= 1 for each in rows), f"depth {depth}: {rows} rows move in {statistics['devices']}")

    def weights(self):
        """Devices whose parts of all steps are as large as a configuration says, or nothing."""
        inputs = [self.rng.random((N - 1, N))]
        files, program = arrays.save(self.work, inputs), self.compile("heat", HEAT)
        versions, steps, depth = self.compile("heat_versions", PROGRAMS["heat"][0]), 7, 3
        start = start_of("heat", 21, self.rng)
        want, _ = self.run(program, files, ["B"], "--device=none")
        for weights in ([8, 2], [1, 8], [5, 3], [0, 8], [8, 0], [0, 0]) if polybricks.is_nightly() else ([1, 8], [8, 0], [0, 0]):
            entry = on_device(program, device_weights=weights)
            for words in (["--device=0,1"], ["--device=1,0", "--device-copies", "--fill-nan"]):
                got, statistics = self.run(program, files, ["B"], *words, entry=entry)
                polybricks.check(np.array_equal(got["B"], want["B"]), f"heat, weights {weights}, {words}: another B")
                launches = [HEAT_CALLS if weight > 0 or weights == [0, 0] else 0 for weight in weights]
                polybricks.check([device["launches"] for device in statistics["devices"]] == launches, f"{weights}: {statistics['devices']}")
            # Of the result, each device has its rows alone.
            rows = [device["bytes_to_host"] / ROW_BYTES for device in statistics["devices"]]
            exchanged = HEAT_CALLS - 1 if all(weights) else 0
            all_of = sum(weights) or 2
            for row, weight in zip(rows, weights if any(weights) else [1, 1]):
                part = (N - 1) * weight / all_of
                polybricks.check(abs(row - part - (exchanged if sum(weights) else HEAT_CALLS - 1)) < 1, f"{weights}: {rows} rows are copied out")
            many = on_device(versions, tunables=of_roles(versions, {"time_tile": depth}), device_weights=weights)
            for environment in ({}, {"POLYBRICKS_RUN_AS_GPU": "1"}):
                got, statistics = arrays.run(versions, self.work, arrays.save(self.work, [start]), ["End"], "--strict", "--device=all",
                                             "--device-copies", f"--set=steps={steps}", entry=many, env={**ENVIRONMENT, **environment})
                polybricks.check(np.array_equal(got["End"], stencil(start, steps, PROGRAMS["heat"][3])), f"versions, weights {weights}")
            files = arrays.save(self.work, inputs)

    def shares_of_versions(self):
        """Steps of nests are not divided: they run on the devices from four eighths on, else on the CPU, and the statistics say where."""
        steps, start = 9, start_of("heat", 21, self.rng)
        files = arrays.save(self.work, [start])
        for name, program, inside in (("heat", self.compile("heat_versions", PROGRAMS["heat"][0]), PROGRAMS["heat"][3]),
                                      ("growth", self.compile("growth", GROWTH), lambda now, *_: np.fmod(3 * now + 1, 64))):
            want = stencil(start, steps, inside)
            for devices in ("0", "0,1"):
                for eighths in (3, 4, 7):
                    entry = on_device(program, tunables=of_roles(program, {"ratio": eighths, "time_tile": 3}))
                    got, statistics = arrays.run(program, self.work, files, ["End"], "--strict", f"--device={devices}", f"--set=steps={steps}",
                                                 entry=entry, env=ENVIRONMENT)
                    what = f"{name}, {eighths}/8 on device {devices}"
                    polybricks.check(np.array_equal(got["End"], want), f"{what}: another End")
                    ran = {(each["rule"], each["on"]): each["count"] for _, each in polybricks.ran_of(statistics) if each["rule"] == "T#2"}
                    polybricks.check(ran == {("T#2", "cpu" if eighths < 4 else "opencl"): steps}, f"{what}: {ran}")

    def product(self):
        program = self.compile("product", PRODUCT)
        inputs = list(self.rng.integers(-9, 10, (2, N, N)).astype(float))
        statistics = self.agree(program, inputs, ["C"])
        # Half of A, all of B; half of C.
        self.expect("product", statistics, {"launches": 1, "bytes_to_device": 3 * MATRIX_BYTES // 2, "bytes_to_host": MATRIX_BYTES // 2})
        # The limit holds for each device: beside B there is room for a quarter of A and of C.
        files = arrays.save(self.work, inputs)
        outputs, statistics = self.run(program, files, ["C"], "--device=0,1", f"--device-memory={3 * MATRIX_BYTES // 2}", entry=on_device(program))
        polybricks.check(np.array_equal(outputs["C"], inputs[0] @ inputs[1]), "product in pieces: another output")
        self.expect("product in pieces", statistics, {"launches_in_windows": 2, "bytes_to_device": 3 * MATRIX_BYTES // 2,
                                                      "bytes_to_host": MATRIX_BYTES // 2})

    def chain(self):
        statistics = self.agree(self.compile("chain", CHAIN), [self.rng.integers(-9, 10, (N, N)).astype(float)], ["S", "R"])
        polybricks.check(all(device["launches"] > 0 for device in statistics["devices"]), f"chain: {statistics['devices']}")
        moved = sum(device["bytes_to_device"] + device["bytes_to_host"] for device in statistics["devices"])
        polybricks.check(moved == statistics["bytes_moved"], f"bytes_moved is the sum: {statistics}")

    def shows_each(self):
        program = self.tools.compile(self.work / "heat.pbcc", self.work / "heat")
        files, config = arrays.save(self.work, [self.rng.random((N, N))]), self.work / "run.cfg"
        program.write_configuration(config, on_device(program))
        trace = self.work / "trace.json"
        done = polybricks.run_tool([program.path, *files, self.work / "B.npy", "--device=0,1", "--stats", "--profile", f"--trace={trace}",
                                    "--config", config], env=dict(os.environ, **ENVIRONMENT))
        text = done.stdout + done.stderr
        for line in ("device 0 of 2, ", "device 1 of 2, ", " on device 1 of 2\n", "on opencl of device 0 of 2: "):
            polybricks.check(line in text, f"{line!r} is not in {text}")
        for lane in ("device 0, ", "device 1, "):
            polybricks.check(lane in trace.read_text(), f"the trace has no lane {lane!r}")

    def library(self):
        """A context with two devices, which the Python package makes."""
        if not polybricks.has_package(self.tools.dist):
            return
        program = self.tools.compile(self.work / "heat.pbcc", self.work / "heat")
        files = arrays.save(self.work, [self.rng.random((N, N))])
        want, _ = self.run(program, files, ["B"], "--device=none")
        script = self.work / "call.py"
        script.write_text(CALL)
        environment = {**polybricks.package_environment(self.tools.dist, self.work), **ENVIRONMENT}
        program.write_configuration(self.work / "run.cfg", on_device(program))
        polybricks.run_tool([sys.executable, script, self.work / "heat.pbcc", self.work / "run.cfg", files[0], self.work / "called.npy"],
                            env=environment)
        polybricks.check(np.array_equal(np.load(self.work / "called.npy"), want["B"]), "library: another output")

    def bad_requests(self):
        program = self.tools.compile(self.work / "heat.pbcc", self.work / "heat")
        files = arrays.save(self.work, [self.rng.random((N, N))])
        for wish, why in (("1,1", "device 1 is named twice"), ("0,9", "there is no device `9`"), ("none,0", "`none` stands alone")):
            failed, _ = program.run(*files, self.work / "B.npy", f"--device={wish}", expect=1, env=ENVIRONMENT)
            polybricks.check(f"device `{wish}`: {why}; there are: 0 = " in failed.stderr, failed.stderr)


def several(*options):
    """A check of programs that two devices and the CPU share."""
    return type("SeveralCheck", (shares_test.Check,), {"SERVER_OPTIONS": ("--device=0,1", *options), "SERVER_ENVIRONMENT": ENVIRONMENT})


def main():
    args = polybricks.arguments(__doc__).parse_args()
    tools, work = polybricks.Tools(args.dist), polybricks.fresh_folder(args.work / "several_devices")
    test = Test(tools, work)
    test.heat()
    test.all_versions()
    test.halos()
    test.weights()
    test.shares_of_versions()
    test.product()
    test.chain()
    test.shows_each()
    test.bad_requests()
    test.library()
    failures = []
    for options in ((), ("--device-copies", "--fill-nan"))[0 if polybricks.is_nightly() else 1:]:
        failures += several(*options).run_programs(tools, shares_test.PROGRAMS, work, shares_test.CASES, (2, 33))
    print("\n".join(failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
