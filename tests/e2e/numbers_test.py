# SPDX-License-Identifier: MIT
"""Numbers in plain loops, in packs and in kernels are those of C++: a table of expressions over special and random values.

    numbers_test.py --dist BUILD/dist --work FOLDER [--only build|run] [--values N] [--seed S] [--filter R] [--options "…"]

`--only build` compiles the programs and writes inputs and references into FOLDER; `--only run` needs nothing else, so that FOLDER
may be carried to a machine with another device. The references come from a program of C++ alone, compiled without optimization. Most
parts are compiled with --fp=strict; without it, packs call the vector functions of the C library.
"""

import os
import pathlib
import pickle
import re
import sys
import time

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "support"), str(HERE / "numbers")]
import parts as table  # noqa: E402
import polybricks  # noqa: E402
from values import TYPES  # noqa: E402

MAX_SHOWN = 3       # wrong values per expression
MAX_FAILURES = 60


def build(args):
    """The program, the reference's values, and what the table was, in the work folder."""
    tools = polybricks.Tools(args.dist)
    rng = np.random.default_rng(args.seed)
    parts = [part for part in table.all_parts(rng, args.values) if re.search(args.filter, part.name)]
    work = polybricks.fresh_folder(args.work)
    failures = []
    for fp in dict.fromkeys(part.fp for part in parts):
        own = [part for part in parts if part.fp == fp]
        source = work / f"{fp}.pbcc"
        source.write_text("\n".join(table.transform(part) for part in own))
        text = polybricks.run_tool([tools.pbc, "--emit=cpp", f"--fp={fp}", *args.options.split(), source]).stdout
        failures += without_packs(own, text)
        tools.compile(source, work / fp, f"--fp={fp}", *args.options.split())
    for part in parts:
        for each in part.inputs:
            np.save(work / f"{part.name}_{each.name}.npy", each.values)
            each.values.tofile(work / f"{part.name}_{each.name}.bin")
    (work / "reference.cpp").write_text(table.reference(parts))
    compiler = os.environ.get("CXX", "c++").split()
    polybricks.run_tool([*compiler, "-std=c++20", "-O0", "-w", "-ffp-contract=off", work / "reference.cpp", "-o", work / "reference"])
    polybricks.run_tool([work / "reference", f"{work}/"])
    for path in work.glob("*.bin"):
        path.unlink()
    (work / "parts.pickle").write_bytes(pickle.dumps(parts))
    return failures


def without_packs(parts, text):
    """Faults of parts that lack their packs: a test of packs that are not there would prove nothing."""
    made = set(re.findall(r"\bpacks_(\w+_\d+)_\w+\(", text))
    wanted = {f"{part.name}_1" for part in parts if part.has_packs}
    return [f"no packs for {name}" for name in sorted(wanted - made)]


# ---- comparison

def bits(array):
    return array.view(f"i{array.dtype.itemsize}") if array.dtype.kind == "f" else array


def exact_errors(got, want, how):
    """The places where the two differ."""
    wrong = bits(got) != bits(want)
    if got.dtype.kind == "f":
        wrong &= ~(np.isnan(got) & np.isnan(want))
        if how == "zeros":
            wrong &= ~((got == 0) & (want == 0))
    return wrong


def ulps(got, want):
    """How far `got` is from the value `want`, in units of its last place; infinity where one is no number and the other one is."""
    kind = got.dtype.type
    info = np.finfo(kind)
    limit = np.longdouble(info.max)
    # A value beyond the range by less than half a unit is rounded to the range's end.
    clipped = np.clip(want, -limit, limit)
    spacing = np.maximum(np.spacing(np.abs(clipped.astype(kind))), info.smallest_subnormal).astype(np.longdouble)
    is_beyond = np.abs(want) > limit
    shown = np.where(is_beyond & np.isinf(got) & (np.sign(got) == np.sign(want)), want, got.astype(np.longdouble))
    with np.errstate(invalid="ignore"):
        off = np.abs(shown - want) / spacing
    off = np.where(shown == want, 0, off)
    off = np.where(np.isnan(got) & np.isnan(want), 0, np.where(np.isnan(off), np.inf, off))
    is_zero_wrong = (want == 0) & (got == 0) & (np.signbit(got) != np.signbit(want))
    return np.where(is_zero_wrong, np.inf, off)


class Run:
    """The outputs of one version of one part, compared."""

    def __init__(self, part, words, work):
        self.part, self.words, self.work, self.failures, self.worst = part, words, work, [], {}

    def check(self):
        with np.errstate(all="ignore"):
            for number, output in enumerate(self.part.outputs):
                got = np.load(self.work / f"out_{number}.npy")
                exact = np.fromfile(self.work / f"{self.part.name}_{number}.ref", TYPES[output.type]).reshape(got.shape)
                near = np.fromfile(self.work / f"{self.part.name}_{number}.long", np.longdouble).reshape(-1, got.shape[1])
                near_entries = table.near_entries(output)
                for k, entry in enumerate(output.entries):
                    if table.is_exact(entry):
                        self.show(exact_errors(got[k], exact[k], entry.how), entry, got[k], exact[k])
                    else:
                        want = near[near_entries.index(entry)]
                        off = ulps(got[k], want)
                        name = entry.text.split("(")[0] + (" in vectors" if self.part.fp == "contract" and ".Packed " in self.words else "")
                        self.worst[name] = float(off.max())
                        self.show(off > self.bound(entry), entry, got[k], want)
        return self.failures

    def bound(self, entry):
        """The bound in ULPs; on the CPU that of the C library, where it is the larger one: glibc's `cbrt` is off by 3.6."""
        return max(entry.how, 4) if self.words.endswith(" cpu") else entry.how

    def show(self, wrong, entry, got, want):
        if not wrong.any():
            return
        found = []
        for i in np.flatnonzero(wrong)[:MAX_SHOWN]:
            given = ", ".join(f"{each.name} = {each.values[i]!r}" for each in self.part.inputs if re.search(rf"\b{each.name}\b", entry.needs + entry.text))
            found.append(f"    {given}: {got[i]!r}, not {want[i]!r}")
        self.failures.append(f"{self.words}: `{entry.needs} {entry.text}` is wrong {wrong.sum()} times:\n" + "\n".join(found))


def versions(program, part):
    """Yields (words, configuration): a plain loop, packs, both kinds of kernels."""
    for transform, site, alternatives in program.sites():
        if transform != part.name:
            continue
        for rule, on in alternatives:
            if rule == "Plain" and part.has_packs and on != "cpu":
                continue
            yield f"{part.name}.{rule} on {on}", program.configuration({transform: {site: (rule, on)}}, sequential_cutoff=0)


def run(args):
    work = args.work
    parts = pickle.loads((work / "parts.pickle").read_bytes())
    programs = {fp: polybricks.Program(work / fp) for fp in dict.fromkeys(part.fp for part in parts)}
    env = {"XDG_CACHE_HOME": str(work.resolve().parent / "kernels")}
    failures, worst, num_runs = [], {}, 0
    for part in parts:
        seen, program = set(), programs[part.fp]
        for words, config in versions(program, part):
            program.write_configuration(work / "numbers.cfg", config)
            inputs = [work / f"{part.name}_{each.name}.npy" for each in part.inputs]
            outputs = [work / f"out_{k}.npy" for k in range(len(part.outputs))]
            num_runs += 1
            try:
                _, stats = program.run("--transform", part.name, "--device", args.device, "--strict", *inputs, *outputs, config=work / "numbers.cfg", env=env)
            except polybricks.ToolError as error:
                failures.append(f"{words}: {error}")
                continue
            seen |= {entry["on"] for _, entry in polybricks.ran_of(stats)}
            one = Run(part, words, work)
            failures += one.check()
            for name, off in one.worst.items():
                key = (name, part.element, words.rsplit(" ", 1)[1])
                worst[key] = max(worst.get(key, 0), off)
        if args.device != "none" and len(seen) < 3:
            failures.append(f"{part.name} ran on {sorted(seen)} alone")
    return failures, worst, num_runs


def show_worst(worst):
    for name in dict.fromkeys(key[0] for key in worst):
        found = ", ".join(f"{element} on {on} {off:.2f}" for (other, element, on), off in worst.items() if other == name)
        print(f"{name}: {found}")


def main():
    parser = polybricks.arguments(__doc__)
    parser.add_argument("--only", choices=("build", "run"))
    is_nightly = polybricks.is_nightly()
    parser.add_argument("--values", type=int, default=20000 if is_nightly else 600, help="random values beside the special ones")
    parser.add_argument("--seed", type=int, default=polybricks.number_from("PB_SEED", int(time.time()) if is_nightly else 1))
    parser.add_argument("--filter", default="", help="names of parts")
    parser.add_argument("--options", default="", help="of pbc")
    parser.add_argument("--device", default="0")
    parser.add_argument("--verbose", action="store_true", help="print how far each function is off")
    args = parser.parse_args()
    args.work = args.work / "numbers"
    failures = [] if args.only == "run" else build(args)
    num_runs = 0
    if args.only != "build":
        found, worst, num_runs = run(args)
        failures += found
        if args.verbose:
            show_worst(worst)
    for failure in failures[:MAX_FAILURES]:
        print(failure)
    print(f"numbers: {num_runs} runs, {len(failures)} failures, seed {args.seed}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
