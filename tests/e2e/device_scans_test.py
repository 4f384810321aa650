# SPDX-License-Identifier: MIT
"""Scans on devices: all shapes of launches agree with the order of the source on the CPU.

    device_scans_test.py --dist BUILD/dist --work FOLDER

A work-item runs a line, a group runs the windows of some lines, or each window has a group. What is exact gives the bits of the source's
order in all shapes. What rounds gives the same bits in each run of a shape, whatever the number of threads of the device, and is close to
that order. There are NaNs, infinities and zeros of both signs, and factors whose products overflow. The programs are those of
scans_test.py.
"""

import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import arrays  # noqa: E402
import polybricks  # noqa: E402
import scans_test  # noqa: E402

NUM_SHAPES = 6 if polybricks.is_nightly() else 1  # random shapes per program; drivers take a second for each kernel
LINE_NAMES = ["Sum", "Down", "Least", "Most", "Product", "Smooth", "Factors", "Last", "Squares", "Roots"]
PLANE_NAMES = ["Rows", "Columns", "Deep", "Back"]
ROUNDING = ["Sum", "Down", "Product", "Smooth", "Factors"]
# Work-items of a group and cells of a work-item, along the scan and across it; the runtime chooses all of them first.
SHAPES = [((0, 0, 0), (0, 0, 0)), ((8, 4, 4), (2, 3, 4))] + ([((1, 1, 1), (1, 1, 1)), ((2, 2, 2), (1, 1, 1))] if polybricks.is_nightly() else [])
ONE_THREAD = {"POCL_MAX_PTHREAD_COUNT": "1", "POCL_CPU_MAX_CU_COUNT": "1"}


def draw_shape(rng):
    group = [int(2 ** rng.integers(0, 5)) for _ in range(3)]
    return group, [int(rng.integers(1, 17)) for _ in range(3)]


class Test(scans_test.Test):
    def __init__(self, tools, work, rng):
        super().__init__(tools, work)
        self.rng, self.shapes = rng, {}

    def on_device(self, program, names, inputs, shape, env=None):
        """Runs all that a device can run on the device, in a shape."""
        choices, tunables = {}, {}
        for transform, site, alternatives in program.sites():
            choices.setdefault(transform, {})[site] = next((a for a in alternatives if a[1] == "opencl"), alternatives[0])
        for transform, data in program.info["transforms"].items():
            for name, values in data["tunables"].items():
                given = {"work_group": shape[0], "items": shape[1]}.get(values["role"])
                if given:
                    tunables.setdefault(transform, {})[name] = list(given[:values.get("count", 1)]) if values.get("count", 1) > 1 else given[0]
        config = program.configuration(choices, tunables, sequential_cutoff=0, threads=2)
        self.num_runs += 1
        return arrays.run(program, self.work, arrays.save(self.work, inputs), names, "--strict", entry=config, env=env)[0]

    def shapes_of(self, program):
        if program.path not in self.shapes:
            self.shapes[program.path] = SHAPES + [draw_shape(self.rng) for _ in range(NUM_SHAPES)]
        return self.shapes[program.path]

    def check_shapes(self, program, names, inputs, exact, limit, where):
        source, _ = self.outputs(program, names, inputs, 0, 1)
        for shape in self.shapes_of(program):
            place = f"{where}, shape {shape}, seed {polybricks.seed()}"
            got = self.on_device(program, names, inputs, shape)
            for env in (None, ONE_THREAD) if polybricks.is_nightly() else (ONE_THREAD,):
                again = self.on_device(program, names, inputs, shape, env)
                for name in names:
                    polybricks.check(np.array_equal(scans_test.bits(got[name]), scans_test.bits(again[name])),
                                     f"{name}, {place}: other bits in another run, {env}")
            for name in names:
                found, wanted = got[name], source[name]
                if name in exact:
                    is_same = np.array_equal(scans_test.bits(found), scans_test.bits(wanted))
                else:
                    finite = np.abs(wanted[np.isfinite(wanted)])
                    is_same = limit is None or np.allclose(found, wanted, limit, limit * max(1, float(finite.max(initial=0))), equal_nan=True)
                polybricks.check(is_same, f"{name}, {place}: {found} is not {wanted}, at {np.flatnonzero(scans_test.bits(found) != scans_test.bits(wanted))[:9]}")

    def lines(self, element, fp):
        kind = scans_test.KINDS[element]
        program = self.compile(scans_test.LINE, element, fp)
        explained = polybricks.run_tool([self.tools.pbc, program.path.with_suffix(".pbcc"), "--explain", f"--fp={fp}", "--element", "double" if element == "int" else element]).stdout
        num_scans = explained.count("on a device: one launch scans all lines")
        polybricks.check(num_scans == (2 if fp == "strict" and element != "int" else 8), f"{element}, --fp={fp}: {num_scans} scans in {explained}")
        for n in (1, 2, 31, 1009, 9001) if polybricks.is_nightly() else (1, 5003):
            for special in (False, True)[:1 if element == "int" or n == 1 else 2]:
                inputs = scans_test.line_inputs(self.rng, kind, n, special)
                exact = LINE_NAMES if element == "int" else ["Least", "Most", "Last"]
                # Sums of infinities are no numbers, in an order of their own.
                limit = None if special or element == "int" else 4096 * np.finfo(kind).eps
                self.check_shapes(program, LINE_NAMES, inputs, exact, limit, f"{element}, --fp={fp}, {n} numbers{', special ones' if special else ''}")

    def large_factors(self, element):
        """Recurrences whose factors and elements are not finite run in the order of the source."""
        kind = scans_test.KINDS[element]
        program = self.compile(scans_test.LINE, element, "contract")
        a, b = np.zeros(3000, kind), np.full(3000, np.finfo(kind).max, kind)
        self.check_shapes(program, LINE_NAMES, [a, b], ["Smooth", "Factors", "Least", "Most"], None, f"{element}, large factors")
        a, b = self.rng.uniform(-1, 1, 3000).astype(kind), self.rng.uniform(0.5, 0.9, 3000).astype(kind)
        a[self.rng.integers(0, 3000, 10)] = np.inf
        b[self.rng.integers(0, 3000, 300)] = 2
        inputs = [a, b]
        source, _ = self.outputs(program, LINE_NAMES, inputs, 0, 1)
        for shape in self.shapes_of(program):
            got = self.on_device(program, LINE_NAMES, inputs, shape)
            for name in ("Smooth", "Factors"):
                is_equal = np.allclose(got[name], source[name], 1e-4, 1e-4, equal_nan=True)
                polybricks.check(is_equal, f"{name}, {element}, resets, shape {shape}, seed {polybricks.seed()}: {got[name]} is not {source[name]}")
        # Values overflow between the cells of one work-item and those of the next, where they begin again: no part is infinite.
        a, b = np.full(3000, -1, kind), np.full(3000, 0.5, kind)
        for place in range(16, 2990, 112):  # in the order of the line, which runs backwards from n-2
            i = 2998 - place
            a[i + 1], b[i + 1] = 0.9 * np.finfo(kind).max, 2
            a[i], b[i] = -0.2 * np.finfo(kind).max, 1
            b[i - 1] = 2
        source, _ = self.outputs(program, LINE_NAMES, [a, b], 0, 1)
        polybricks.check(np.isinf(source["Factors"]).sum() == 27 and not np.isnan(source["Factors"]).any(), f"{source['Factors']}")
        for shape in self.shapes_of(program):
            got = self.on_device(program, LINE_NAMES, [a, b], shape)["Factors"]
            polybricks.check(np.allclose(got, source["Factors"], 1e-4, 1e-4), f"{element}, begins again, shape {shape}: {got} is not {source['Factors']}")

    def planes(self, element, fp):
        kind = scans_test.KINDS[element]
        program = self.compile(scans_test.PLANES, element, fp)
        for shape in ((1, 1, 1), (2, 3, 40), (3, 1, 1009), (5, 67, 31), (1, 300, 9), (61, 1, 70))[:6 if polybricks.is_nightly() else 4]:
            a = self.rng.integers(-1000, 1000, shape).astype(kind)
            self.check_shapes(program, PLANE_NAMES, [a], PLANE_NAMES, None, f"{element}, --fp={fp}, shape {shape}")

    def many_windows(self):
        """More than 1024 windows of a line, so that parts of parts are published."""
        program = self.compile(scans_test.LINE, "float", "contract")
        inputs = scans_test.line_inputs(self.rng, np.float32, 70001, False)
        self.check_shapes(program, LINE_NAMES, inputs, ["Least", "Most", "Last"], 4096 * np.finfo(np.float32).eps, "many windows")

    def factors_on_device(self, element):
        program = self.compile(scans_test.FACTORS, element, "reassociate")
        a = self.rng.uniform(-1, 1, 5003).astype(scans_test.KINDS[element])
        for shape in self.shapes_of(program):
            got = self.on_device(program, scans_test.FACTOR_NAMES, [a], shape)
            self.check_factors(a, got, f"{element}, shape {shape}, seed {polybricks.seed()}")

    def regrowth_on_device(self, element):
        program = self.compile(scans_test.REGROWTH, element, "reassociate")
        for number, (inputs, want) in enumerate(scans_test.regrowths(scans_test.KINDS[element])):
            shapes = self.shapes_of(program)
            for shape in shapes if polybricks.is_nightly() else [shapes[number % len(shapes)]]:
                got = self.on_device(program, list(want), [inputs], shape)
                scans_test.check_regrowth(inputs, got, want, f"{element}, shape {shape}, seed {polybricks.seed()}")

    def run(self):
        for element, fp in (("double", "reassociate"), ("float", "contract"), ("double", "strict"), ("int", "strict")):
            if polybricks.is_nightly() or element in ("float", "int"):
                self.lines(element, fp)
            if polybricks.is_nightly() or (element, fp) == ("double", "strict"):
                self.planes(element, fp)
        self.many_windows()
        for element in ("double", "float") if polybricks.is_nightly() else ("float",):
            self.large_factors(element)
            self.factors_on_device(element)
            self.regrowth_on_device(element)


def main():
    args = polybricks.arguments(__doc__).parse_args()
    test = Test(polybricks.Tools(args.dist), polybricks.fresh_folder(args.work / "device_scans"), np.random.default_rng(polybricks.seed()))
    test.run()
    print(f"{test.num_runs} runs, all shapes agree")
    return 0


if __name__ == "__main__":
    sys.exit(main())
