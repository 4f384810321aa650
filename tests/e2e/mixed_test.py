# SPDX-License-Identifier: MIT
"""Steps whose instances use the host and the device in turns: each access comes after the last device write, and is announced.

Each program of tests/e2e/mixed runs with its called transforms on the device and on the CPU, whole and divided, below and above the
cutoff, as a program that looks at its accesses (`pbc --checked-copies`) and on a device that is slow at random.

    mixed_test.py --dist BUILD/dist --work FOLDER [--seed N] [--programs A,B] [--races]
"""

import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import polybricks  # noqa: E402
from agreement import AgreementCheck  # noqa: E402

PROGRAMS = pathlib.Path(__file__).resolve().parent / "mixed"
SIZES = (8, 150)  # above the cutoff in halves, too
CUTOFF = 64  # the default


def steps(x, n):
    for _ in n:
        x = 2 * x + 1
    return [x]


def own_read(x, n):
    first = [x[0]]
    for _ in n:
        first.append(x[0] + 1)
        x = 2 * x
    return [x, np.array(first)]


def tiles(x, n):
    size = len(n)
    p = np.empty((size, size, len(x)))
    for i in range(size):
        for j in range(size):
            p[i, j] = x + i - j if i == 0 or j == 0 else p[i - 1, j] + p[i, j - 1]
            if i and j:
                p[i, j, 0] += p[i - 1, j, 0]
    return [p[-1, -1]]


def scattered(x):
    out = np.repeat(x, 2, axis=0)
    out[0::2] *= 2
    out[1::2] += 1
    return [out]


def numbers(x, n):
    total = np.sum(2 * x)
    return [2 * x + total, 2 * total + 2 * x[0]]


def beside(x):
    out = 2 * x
    out[:, 0] += 1
    return [out, out + x]


LINE, BLOCK, LINES = (lambda n: [(n,), (6,)]), (lambda n: [(n,), (5,)]), (lambda n: [(5, n)])
# name: (shapes of the inputs for size n, outputs from inputs)
CASES = {
    "versions": (LINE, steps),
    "rows": (LINE, steps),
    "own": (LINE, steps),
    "own_read": (LINE, own_read),
    "lines": (lambda n: [(3, n), (4,)], steps),
    "memo": (LINE, steps),
    "temporaries": (LINE, steps),
    "spawned": (LINE, steps),
    "tiles": (BLOCK, tiles),
    "numbers": (LINE, numbers),
    "scattered": (LINES, scattered),
    "beside": (LINES, beside),
}
# The programs that also run with every index tested.
CHECKED = ("versions", "tiles")


class Check(AgreementCheck):
    """Runs a program on a device that shares the host's memory: the program itself finds what is too early."""

    COMPILER_OPTIONS = ("--checked-copies",)

    def random_input(self, rng, shape):
        return rng.integers(-4, 5, size=shape).astype(float)

    def agrees(self, got, want):
        return np.array_equal(got, want)

    def configurations(self):
        sites = list(self.program.sites())
        shared = [t for t, data in self.program.info["transforms"].items() if "device_eighths" in data["tunables"]]
        for is_all in (True, False):
            choices = {}
            for transform, site, alternatives in sites:
                wanted = "opencl" if is_all or transform != "Mixed" else "cpu"
                of_kind = [a for a in alternatives if a[1] == wanted] or alternatives
                choices.setdefault(transform, {})[site] = of_kind[0]
            for eighths in (8, 3):
                tunables = {transform: {"device_eighths": eighths} for transform in shared}
                for cutoff, threads in ((0, 1), (0, 4), (CUTOFF, 2)):
                    entry = self.program.configuration(choices, tunables, sequential_cutoff=cutoff, threads=threads)
                    yield f"{'all' if is_all else 'calls'} on the device, {eighths}/8, cutoff {cutoff}, {threads} threads", entry

    def ran_as_asked(self, n, words, reply):
        ran = {r["on"] for _, r in polybricks.ran_of({"ran": {}, **reply})}
        is_below = f"cutoff {CUTOFF}" in words and n < CUTOFF
        return is_below or "opencl" in ran


class CopiesCheck(Check):
    """Runs a program on a device that has a memory of its own and is slow at random."""

    SERVER_OPTIONS = ("--device-copies", "--fill-nan")
    seed = 1

    @property
    def SERVER_ENVIRONMENT(self):
        return {"POLYBRICKS_DEVICE_DELAYS": f"{self.seed},200"}


class PlainCheck(CopiesCheck):
    """Runs a program that does not watch its accesses. Only a wrong result shows a fault."""

    COMPILER_OPTIONS = ()


class CheckedCheck(CopiesCheck):
    COMPILER_OPTIONS = ("--checked-copies", "--checked")


def main():
    parser = polybricks.arguments(__doc__)
    parser.add_argument("--seed", type=int, default=1, help="of the delays")
    parser.add_argument("--programs", default=",".join(CASES), help="by their names, with commas between")
    parser.add_argument("--races", action="store_true", help="only what a race detector may find: the slow device")
    args = parser.parse_args()
    work = polybricks.fresh_folder(args.work / "mixed")
    tools = polybricks.Tools(args.dist)
    CopiesCheck.seed = args.seed
    cases = {name: CASES[name] for name in args.programs.split(",")}
    failures = PlainCheck.run_programs(tools, PROGRAMS, work, cases, SIZES)
    if args.races:
        print("\n".join(failures))
        return 1 if failures else 0
    for name, case in cases.items():
        program = tools.compile(PROGRAMS / f"{name}.pbcc", work / name, *Check.COMPILER_OPTIONS)
        for check in (Check, CopiesCheck):
            failures += check(program, work, name, *case).run_sizes(SIZES)
    failures += CheckedCheck.run_programs(tools, PROGRAMS, work, {name: cases[name] for name in CHECKED if name in cases}, SIZES[:1])
    print("\n".join(failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
