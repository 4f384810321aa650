# SPDX-License-Identifier: MIT
"""Folds and maps whose iterations the work-items of a device divide: all choices agree, and repeated runs have the same bits.

    device_folds_test.py --dist BUILD/dist --work FOLDER

Whole numbers, and the smallest and the largest, must have the bits of the CPU's version, also with NaN, zeros of both signs and
overflows. Sums are compared with sums of wider numbers. Each configuration gives the same bits in many runs, also where the CPU and the
device share a step, on any number of threads. All ways in which the device's work-items can exchange parts give the same bits.
"""

import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import arrays  # noqa: E402
import polybricks  # noqa: E402

PROGRAMS = pathlib.Path(__file__).resolve().parent / "device_folds"
SIZES = ((0, 3), (1, 1), (13, 7), (97, 31), (1031, 3))
SHAPES = ((0, 0), (2, 64), (32, 256), (1024, 0))     # lanes of an instance, work-items of a group
OF_WHOLE = ((0, 0), (32, 256), (2048, 16))           # the last ones stand in several groups
REPEATED = (32, 2048)                                # these lanes run twice
MOST_KEPT = 64                                       # rounds of a lane whose cells it keeps
THREADS = (1, 2, 5)
RUNS = 17                                            # of a configuration on each number of threads
WAYS = ("memory", "ptx", "sub-groups")                # in which lanes may exchange parts
DTYPE = {"double": np.float64, "float": np.float32, "int": np.int32}


def same_bits(a, b):
    of_bits = f"u{a.dtype.itemsize}"
    return bool(np.all((a.view(of_bits) == b.view(of_bits)) | ((a != a) & (b != b))))


def expected_sums(a, x):
    """Outputs that round, each with the sum of its terms' magnitudes."""
    a, x = a.astype(np.longdouble), x.astype(np.longdouble)
    height, width = a.shape
    total = np.abs(a).sum(1)
    mean = a.sum(1) / max(1, width)
    squares = ((a - mean[:, None]) ** 2).sum(1)
    terms = (a * x)[:, ::-1][:, ::2]
    least = a.min(1, initial=np.inf)
    both = total[:, None] + np.abs(a).sum(0)[None, :]
    return {"Sum": (a.sum(1), total), "Dot": (1 - terms.sum(1), 1 + np.abs(terms).sum(1)),
            "Spread": (squares, squares + total * total / max(1, width)), "Columns": (a.sum(0), np.abs(a).sum(0)),
            "Both": (both - least[:, None], both + np.abs(least)[:, None]), "Early": (np.minimum(total, 10), total)}


def data_of(program):
    return next(iter(program.info["transforms"].values()))


class Check:
    def __init__(self, program, work, element):
        self.program, self.work, self.element, self.num_runs = program, work, element, 0
        self.name, data = next(iter(program.info["transforms"])), data_of(program)
        self.outputs = [name for site in data["sites"] for name in site.split("#")[0].split("+")]
        self.tunables = data["tunables"]
        self.ways = None
        self.with_lanes = [name for name, tunable in self.tunables.items() if tunable["role"] == "fold_items"]

    def configuration(self, on, lanes=0, group=0, threads=2, kept=MOST_KEPT, **values):
        """`values`: of tunables that the program may have."""
        choices = {self.name: {}}
        for transform, site, alternatives in self.program.sites():
            choices[transform][site] = next(a for a in alternatives if a[1] == on)
        tunables = {}
        for name, tunable in self.tunables.items():
            if tunable["role"] == "fold_items":
                tunables[name] = lanes
            elif tunable["role"] == "kept_rounds":
                tunables[name] = kept
            elif tunable["role"] == "work_group":
                tunables[name] = group if tunable.get("count", 1) == 1 else [group, 1 if group else 0]
            elif name in values:
                tunables[name] = values[name]
        return self.program.configuration(choices, {self.name: tunables}, sequential_cutoff=0, threads=threads)

    def outputs_of(self, inputs, on, lanes=0, group=0, kept=MOST_KEPT):
        return self.run(inputs, on, lanes, group, kept=kept)[0]

    def run(self, inputs, on, lanes=0, group=0, options=(), kept=MOST_KEPT, way=None):
        """Returns the outputs and the statistics; of the outputs None, if the device cannot exchange parts in this way."""
        self.program.write_configuration(self.work / "run.cfg", self.configuration(on, lanes, group, kept=kept))
        files = [self.work / f"{name}.npy" for name in self.outputs]
        done, statistics = self.program.run(*inputs, *files, "--strict", *options, config=self.work / "run.cfg",
                                            env={"POLYBRICKS_LANE_EXCHANGE": way or ""}, expect=None if way else 0)
        if way and "POLYBRICKS_LANE_EXCHANGE asks" in done.stderr:
            return None, None
        polybricks.check(done.returncode == 0, f"exchange by {way}: {done.stderr}")
        self.num_runs += 1
        return {name: np.load(file) for name, file in zip(self.outputs, files)}, statistics

    def compare(self, matrices, rounding, shapes=SHAPES):
        inputs = arrays.save(self.work, matrices)
        on_cpu = self.outputs_of(inputs, "cpu")
        for lanes, group in shapes:
            where = f"{self.element}, shape {matrices[0].shape}, {lanes} lanes, groups of {group}, seed {polybricks.seed()}"
            got = self.outputs_of(inputs, "opencl", lanes, group)
            for name in self.outputs:
                if name not in rounding:
                    polybricks.check(same_bits(got[name], on_cpu[name]), f"{name} of {where}: {got[name]} instead of {on_cpu[name]}")
                    continue
                value, magnitude = rounding[name]
                allowed = 4 * (max(matrices[0].shape + matrices[1].shape) + 8) * np.finfo(DTYPE[self.element]).eps * magnitude
                with np.errstate(invalid="ignore"):
                    is_near = (np.abs(got[name] - value) <= allowed) | (got[name] == value)
                polybricks.check(bool(np.all(is_near)), f"{name} of {where}: {got[name]} instead of {value}")
            for way, others in self.in_each_way(inputs, lanes, group):
                polybricks.check(all(same_bits(got[name], others[name]) for name in self.outputs),
                                 f"{where}: other bits if lanes exchange their parts by {way}")
            if lanes in REPEATED:
                again = self.outputs_of(inputs, "opencl", lanes, group, kept=0)
                polybricks.check(all(same_bits(got[name], again[name]) for name in self.outputs),
                                 f"{where}: other bits in a second run, whose work-items keep no cells")

    def in_each_way(self, inputs, lanes, group):
        """Gives each way of the device, if it has several, with the outputs of lanes that exchange their parts so."""
        if self.ways is None:
            self.ways = [way for way in WAYS if self.run(inputs, "opencl", lanes, group, way=way)[0] is not None]
        for way in self.ways if len(self.ways) > 1 else ():
            yield way, self.run(inputs, "opencl", lanes, group, way=way)[0]

    def repeats(self, matrices, lanes, group, shares):
        """Many runs of one configuration, on one thread and on more than there are cores; `shares`: eighths of the device."""
        files = [str(path) for path in arrays.save(self.work, matrices)]
        with polybricks.Server(self.program) as server:
            server.ask("inputs", files=files)
            for eighths in shares:
                server.ask("reference", config=self.configuration("opencl", lanes, group, 1, device_eighths=eighths))
                for threads in THREADS:
                    config = self.configuration("opencl", lanes, group, threads, device_eighths=eighths, split_size=1)
                    reply = server.ask("run", config=config, trials=RUNS, verify=True, tolerance=0)
                    self.num_runs += RUNS
                    places = {each["on"] for _, each in polybricks.ran_of({"ran": {}, **reply})}
                    is_right = reply["status"] == "ok" and not reply["fallbacks"] and ("cpu" in places) == (eighths < 8)
                    polybricks.check(is_right, f"{self.element}, {lanes} lanes, groups of {group}, {eighths} eighths, {threads} threads: {reply}")


def reals(check, rng):
    kind = DTYPE[check.element]
    for width, height in SIZES:
        a, x = rng.normal(0, 1, (height, width)).astype(kind), rng.normal(0, 1, width).astype(kind)
        check.compare((a, x), expected_sums(a, x))
    # Lanes of few instances in several groups; these kernels take PoCL long.
    if check.element == "float":
        a, x = rng.normal(0, 1, (3, 5003)).astype(kind), rng.normal(0, 1, 5003).astype(kind)
        check.compare((a, x), expected_sums(a, x), ((2048, 32),))
        a, x = rng.normal(0, 1, (97, 131)).astype(kind), rng.normal(0, 1, 131).astype(kind)
        check.repeats((a, x), 32, 256, (8, 3))
    # Ties of zeros, and NaN: the smallest and the largest are those of the source.
    for width in (2, 300):
        for special in ([0.0, -0.0], [0.0, -0.0, -1, np.nan], [0.0, -0.0, 1, np.nan], [np.nan], [np.inf, -np.inf, 1]):
            a = rng.choice(special, (5, width)).astype(kind)
            files = arrays.save(check.work, (a, a[0]))
            on_cpu = check.outputs_of(files, "cpu")
            for lanes, group in ((2, 64), (32, 256)):
                got = check.outputs_of(files, "opencl", lanes, group)
                # No order changes what such terms add up to.
                for name in ("Largest", "Smallest", "Sum", "Columns"):
                    polybricks.check(same_bits(got[name], on_cpu[name]),
                                     f"{name} of {check.element} {a}, {lanes} lanes: {got[name]} instead of {on_cpu[name]}")


def whole(check, rng):
    """Rules with one instance. Values with ties, zeros of both signs and NaN must give the bits of the CPU's version."""
    kind = DTYPE[check.element]
    exact = ("Least", "Place", "Largest", "Row", "Column", "Signs", "Count", "Scaled", "Turned")
    for width, height, length in ((0, 0, 0), (1, 1, 1), (3, 211, 97), (211, 3, 65537), (9, 10, 300007)):
        a, x = rng.normal(0, 1, (height, width)).astype(kind), rng.normal(0, 1, length).astype(kind)
        wide, wide_a = x.astype(np.longdouble), a.astype(np.longdouble)
        wide_a[5:6] = 0
        mean = wide.sum() / max(1, length)
        squares = ((wide - mean) ** 2).sum()
        total = np.abs(wide).sum()
        every_second = (wide * wide)[::-1][::2].sum()
        factor = 1 / np.sqrt(1 + (wide * wide).sum())
        unit = wide * factor
        ends = np.array([factor, unit[-1] if length else 0])
        check.compare((a, x), {"Sum": (3 + wide.sum(), 3 + total), "Dot": (1 - every_second, 1 + every_second),
                               "Matrix": (wide_a[:, 1:].sum(), np.abs(wide_a).sum()), "Spread": (squares, squares + total),
                               "Unit": (unit + factor, np.abs(unit) + factor), "Ends": (ends, np.abs(ends))}, OF_WHOLE)
        if check.element == "float" and length == 300007:
            check.repeats((a, x), 2048, 16, (8,))
    for special in ([0.0, -0.0], [0.0, -0.0, 1, np.nan], [np.nan], [-0.0, 5, 5, 101], [101], [np.inf, -np.inf, 1]):
        a, x = rng.choice(special, (7, 30)).astype(kind), rng.choice(special, 5000).astype(kind)
        files = arrays.save(check.work, (a, x))
        on_cpu = check.outputs_of(files, "cpu")
        for lanes, group in OF_WHOLE[1:]:
            got = check.outputs_of(files, "opencl", lanes, group)
            for name in exact:
                polybricks.check(same_bits(got[name], on_cpu[name]),
                                 f"{name} of {check.element} {special}, {lanes} lanes: {got[name]} instead of {on_cpu[name]}")


def rows(check, rng):
    """Rules that store rows and columns. What they fill is not copied to a device first."""
    kind = DTYPE[check.element]
    for width, height in ((1, 1), (13, 7), (1031, 3)):
        a, x = rng.normal(0, 1, (height, width)).astype(kind), rng.normal(0, 1, width).astype(kind)
        wide = a.astype(np.longdouble)
        powers = np.exp(wide - wide.max(1, keepdims=True))
        softmax = powers / powers.sum(1, keepdims=True)
        off = wide - wide.mean(1, keepdims=True)
        norm = off / np.sqrt((off ** 2).mean(1, keepdims=True) + 1) * x.astype(np.longdouble)
        check.compare((a, x), {"Softmax": (softmax, softmax), "Norm": (norm, np.abs(x) * (1 + np.abs(off)))}, (*SHAPES[:3], (2048, 16)))
    inputs = arrays.save(check.work, (a, x))
    outputs, statistics = check.run(inputs, "opencl", 32, 256, ("--device-copies",))
    most = a.nbytes + x.nbytes + sum(output.nbytes for output in outputs.values()) + outputs["Ends"].nbytes
    polybricks.check(0 < statistics["bytes_moved"] <= most, f"{statistics['bytes_moved']} bytes were copied, not {most} or less")


def integers(check, rng):
    for width, height in SIZES:
        a, b = (rng.integers(-2**30, 2**30, (height, width), dtype=np.int32) for _ in range(2))
        a[rng.random(a.shape) < 0.01] = 77
        # The sum of every second number overflows, where that of all does not.
        a[:1], b[:1] = np.where(np.arange(width) % 2 == 0, 2**30, -2**30), 65536 * (np.arange(width) % 2)
        check.compare((a, b), {})


def main():
    args = polybricks.arguments(__doc__).parse_args()
    work = polybricks.fresh_folder(args.work / "device_folds")
    tools = polybricks.Tools(args.dist)
    rng = np.random.default_rng(polybricks.seed())
    num_runs, ways = 0, set()
    cases = [("int", "integers", integers), ("double", "reals", reals), ("float", "reals", reals), ("float", "whole", whole), ("float", "rows", rows)]
    for element, source, try_all in cases + ([("double", "whole", whole)] if polybricks.is_nightly() else []):
        program = tools.compile(PROGRAMS / f"{source}.pbcc", work / f"{source}_{element}", "--element", "double" if element == "int" else element)
        check = Check(program, work, element)
        polybricks.check(len(check.with_lanes) == len(data_of(program)["sites"]), f"only {check.with_lanes} have lanes")
        try_all(check, rng)
        num_runs += check.num_runs
        ways.update(check.ways)
    strict = tools.compile(PROGRAMS / "reals.pbcc", work / "strict", "--fp=strict")
    found = sorted(Check(strict, work, "double").with_lanes)
    polybricks.check(found == ["Largest#1.opencl.fold_items", "Smallest#1.opencl.fold_items"],
                     f"with --fp=strict sums keep their order, but there are {found}")
    print(f"{num_runs} runs, all choices agree; parts exchanged by {', '.join(sorted(ways))}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
