# SPDX-License-Identifier: MIT
"""Tests steps that a device and the CPU share: outputs equal those of NumPy whatever part the device gets, and both do their part.

Each program of tests/e2e/shares runs with each device version and each value of `device_eighths`, on one and on two workers. The
sizes begin at one row. On a device with a memory of its own, the programs run at the largest size, some of them also where it has room for a few rows only, and two
of them run with checked indices at smaller sizes.

    shares_test.py --dist BUILD/dist --work FOLDER
"""

import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import polybricks  # noqa: E402
from agreement import AgreementCheck  # noqa: E402

PROGRAMS = pathlib.Path(__file__).resolve().parent / "shares"
SIZES = (1, 2, 7, 33)
HEAT_STEPS = 21


def blur(a, k):
    w, h = a.shape[1] - 2, a.shape[0] - 2
    t = sum(k[i] * a[:, i:i + w] for i in range(3))
    return [sum(k[i] * t[i:i + h] for i in range(3))]


def frame(a):
    out = -a
    out[1:-1] = a[1:-1] + 0.25 * (a[:-2] - 2 * a[1:-1] + a[2:])
    return [out]


def outputs(a, r):
    b = a + r[::-1, None]
    c = (a - r[::-1, None]).T
    return [b, c, np.concatenate([[-1], 2 * r, [-1]]), r[::-1]]


def steps(u):
    v = u
    for _ in range(3):
        new = v.copy()
        new[1:-1] = 0.5 * v[1:-1] + 0.25 * (v[:-2] + v[2:])
        v = new
    return [v + np.where(u > 0, 2 * u, 0)]


def heat(a):
    for _ in range(HEAT_STEPS):
        new = a.copy()
        new[1:-1, 1:-1] += 0.1 * (a[1:-1, :-2] + a[1:-1, 2:] + a[:-2, 1:-1] + a[2:, 1:-1] - 4 * a[1:-1, 1:-1])
        a = new
    return [a]


def smooth(a):
    return 0.5 * a + 0.25 * np.concatenate([[0], a[:-1]])


def wrapped(a):
    b = a - 1
    c = b[::-1] * a
    d = smooth(c)
    return [b, c, d, smooth(d)]


# Maps the name of a program to (function from n to the shapes of the inputs, function from the inputs to the outputs).
CASES = {
    "blur": (lambda n: [(n + 2, n + 7), (3,)], blur),
    "heat": (lambda n: [(n, 3 * n)], heat),
    "frame": (lambda n: [(n, n + 1, n + 2)], frame),
    "outputs": (lambda n: [(n, n + 3), (n,)], outputs),
    "steps": (lambda n: [(n, n + 5)], steps),
    "wrapped": (lambda n: [(3 * n,)], wrapped),
}

# The programs that are also compiled with --checked.
CHECKED = ("outputs", "steps")

# The programs that run on a device with little memory, and how many bytes: a few of their rows fit, and the rows that a tile needs.
MEMORY = {"blur": 14000, "heat": 6000, "frame": 80000}


class Check(AgreementCheck):
    MAX_NO_ROOM_SHARE = 0

    def agrees(self, got, want):
        return np.allclose(got, want, rtol=1e-12, atol=1e-12)

    def configurations(self):
        sites = list(self.program.sites())
        shared = [t for t, data in self.program.info["transforms"].items() if "device_eighths" in data["tunables"]]
        for version in sorted({on for _, _, alternatives in sites for _, on in alternatives} - {"cpu"}):
            choices = {}
            for transform, site, alternatives in sites:
                on = {on for _, on in alternatives}
                best = version if version in on else "opencl" if "opencl" in on else "cpu"
                choices.setdefault(transform, {})[site] = next(a for a in alternatives if a[1] == best)
            for eighths in range(1, 9):
                tunables = {transform: {"device_eighths": eighths} for transform in shared}
                for threads in (1, 2):
                    entry = self.program.configuration(choices, tunables, sequential_cutoff=0, threads=threads)
                    yield f"{version} {eighths}/8, {threads} threads", entry

    def ran_as_asked(self, n, words, reply):
        ran = {r["on"] for _, r in polybricks.ran_of({"ran": {}, **reply})}
        is_shared = n > 16 and "8/8" not in words
        return bool(ran & {"opencl", "opencl_local"}) and ("cpu" in ran or not is_shared)


class CopiesCheck(Check):
    """Runs the programs on a device with a memory of its own. In `heat`, each step moves few rows between the two memories.

    New matrices hold NaN on the host. An output is wrong if a cell that only the device wrote is taken from the host.
    """

    SERVER_OPTIONS = ("--device-copies", "--fill-nan")

    def run_configurations(self, server, n, tolerance):
        super().run_configurations(server, n, tolerance)
        if self.name != "heat":
            return
        row_bytes = 8 * 3 * n
        for words, entry in self.configurations():
            moved = server.ask("run", config=entry, trials=1)["bytes_moved"]
            # The input and the output move once at most. A step moves the rows next to the cut, and rows of the border.
            limit = 2 * n * row_bytes + HEAT_STEPS * 4 * row_bytes
            if moved > limit:
                self.failures.append(f"{self.name} n={n} {words}: {moved} bytes were moved, more than {limit}")


def check_with_memory(limit):
    """A check of programs on a device that has room for parts of their matrices only: steps run in pieces."""
    return type("ShortOfMemoryCheck", (Check,), {"SERVER_OPTIONS": (f"--device-memory={limit}", "--fill-nan")})


class CheckedCopiesCheck(CopiesCheck):
    """Runs the programs on a device that has a memory of its own, with every index tested."""

    COMPILER_OPTIONS = ("--checked",)


def main():
    args = polybricks.arguments(__doc__).parse_args()
    work = polybricks.fresh_folder(args.work / "shares")
    tools = polybricks.Tools(args.dist)
    failures = Check.run_programs(tools, PROGRAMS, work, CASES, SIZES)
    failures += CopiesCheck.run_programs(tools, PROGRAMS, work, CASES, SIZES[-1:])
    for name, limit in MEMORY.items():
        failures += check_with_memory(limit).run_programs(tools, PROGRAMS, work, {name: CASES[name]}, SIZES[-1:])
    failures += CheckedCopiesCheck.run_programs(tools, PROGRAMS, work, {name: CASES[name] for name in CHECKED}, SIZES[1:3])
    print("\n".join(failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
