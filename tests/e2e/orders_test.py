# SPDX-License-Identifier: MIT
"""Programs whose instances depend on each other: every order that the compiler and the runtime find agrees with NumPy.

Each program of tests/e2e/orders runs under every legal choice of rules on the CPU, with 1, 2 and 4 threads, in tiles and
pieces of one instance, of three, and as the default has it, above and below the sequential cut-off.

    orders_test.py --dist BUILD/dist --work FOLDER
"""

import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import polybricks  # noqa: E402
from agreement import AgreementCheck  # noqa: E402

PROGRAMS = pathlib.Path(__file__).resolve().parent / "orders"
SIZES = (2, 3, 17, 70)


def edit_distance(a, b):
    d = np.zeros((len(b) + 1, len(a) + 1))
    d[0], d[:, 0] = np.arange(len(a) + 1), np.arange(len(b) + 1)
    for j in range(1, len(b) + 1):
        for i in range(1, len(a) + 1):
            change = d[j - 1, i - 1] + (0 if abs(a[i - 1] - b[j - 1]) < 0.5 else 1)
            d[j, i] = min(change, d[j, i - 1] + 1, d[j - 1, i] + 1)
    return [d]


def skewed(a):
    s = a.copy()
    height, width = a.shape
    for x in range(1, width):
        for y in range(1, height - 1):
            s[y, x] = 0.3 * s[y, x - 1] + 0.2 * s[y - 1, x] - 0.4 * s[y + 1, x - 1] + a[y, x]
    return [s]


def heat(start):
    t = start
    for _ in range(10):
        after = np.empty_like(t)
        after[1:-1] = (t[:-2] + 2 * t[1:-1] + t[2:]) / 4
        after[0], after[-1] = t[1], t[-2]
        t = after
    return [t]


def zigzag(a):
    p, q = a.copy(), -a
    for i in range(len(a) - 2, -1, -1):
        p[i] = q[i + 1] + a[i]
        q[i] = p[i + 1] - a[i] + p[i] / 2
    return [p, q]


def gaps(a):
    best, right, down = a.copy(), np.full_like(a, -1), np.full_like(a, -1)
    height, width = a.shape
    for j in range(height):
        for i in range(width):
            if i > 0:
                right[j, i] = max(right[j, i - 1], best[j, i - 1] - 1) * 0.9
            if j > 0:
                down[j, i] = max(down[j - 1, i], best[j - 1, i] - 1) * 0.9
            if i > 0 and j > 0:
                best[j, i] = max(best[j - 1, i - 1] + a[j, i], right[j, i], down[j, i])
    return [best, right, down]


def slices_of_rows(a):
    height, width = a.shape
    r, s = a.copy(), np.full(height, a[0, 0])
    for y in range(1, height):
        r[y] = r[y - 1, ::-1] / 2 + s[y - 1] + a[y]
        s[y] = (s[y - 1] + r[y].sum()) / (2 * width)
    return [r, s]


def cube(a):
    c = a.copy()
    for y in range(1, a.shape[1]):
        for x in range(1, a.shape[2]):
            c[:, y, x] = (c[:, y, x - 1] - c[:, y - 1, x]) / 2 + a[:, y, x]
    return [c]


def triangle(a):
    n = len(a)
    best = np.diag(a).astype(float)
    for length in range(1, n):
        for i in range(n - length):
            j = i + length
            best[j, i] = max(best[j, i + 1] + a[i], best[j - 1, i] + a[j]) / 2
    return [best]


def overlaps(a):
    p = np.zeros(len(a) + 6)
    for i in [*range(3, len(a) + 4), 0, 1]:
        p[i:i + 3] = 10 * i + a[0]
    return [p]


# name: (shapes of the inputs for size n, outputs from inputs)
CASES = {
    "edit_distance": (lambda n: [(n,), (n + 2,)], edit_distance),
    "skewed": (lambda n: [(n, n + 3)], skewed),
    "strips": (lambda n: [(n, n + 3)], lambda a: [np.cumsum(a, axis=0), np.cumsum(a[:, ::-1], axis=1)[:, ::-1]]),
    "heat": (lambda n: [(n,)], heat),
    "zigzag": (lambda n: [(n,)], zigzag),
    "gaps": (lambda n: [(n, n + 3)], gaps),
    "exclude": (lambda n: [(n,)], lambda a: [2 * a, 2 * a + 1]),
    "slices_of_rows": (lambda n: [(n, n + 3)], slices_of_rows),
    "cube": (lambda n: [(5, n, n + 3)], cube),
    "triangle": (lambda n: [(n,)], triangle),
    "overlaps": (lambda n: [(n,)], overlaps),
}


class Check(AgreementCheck):
    TOLERANCE = 1e-11

    def agrees(self, got, want):
        return np.allclose(got, want, rtol=1e-11, atol=1e-11)

    def pieces(self, extent):
        """Tunables that cut every loop into pieces of `extent`; none: the default."""
        out = {}
        for transform, data in self.program.info["transforms"].items():
            for tunable, details in data.get("tunables", {}).items():
                if extent and details["role"] == "split":
                    value = [extent] * details.get("count", 1) if details["type"] == "shape" else extent
                    out.setdefault(transform, {})[tunable] = value
        return out

    def configurations(self):
        """Every legal choice on the CPU, with each number of threads and each size of pieces."""
        for choices in self.program.all_assignments():
            if any(on != "cpu" for sites in choices.values() for _, on in sites.values()):
                continue
            if self.program.is_forbidden(choices):
                continue
            for threads in (1, 2, 4):
                for extent in (1, 3, None):
                    entry = self.program.configuration(choices, self.pieces(extent), threads=threads, sequential_cutoff=0)
                    yield f"{choices} {threads} threads, pieces of {extent}", entry
            yield f"{choices} sequential", self.program.configuration(choices, threads=2, sequential_cutoff=10**6)


def check_forbidden(tools, work):
    """A configuration with rules that have no order together: one warning, and the default runs."""
    program = tools.compile(PROGRAMS / "exclude.pbcc", work / "exclude_forbidden")
    failures = []
    if program.info["transforms"]["Exclude"].get("forbidden") != [{"P#1|P#2": "P#2", "Q#1|Q#2": "Q#2"}]:
        failures.append("the training information does not forbid what has no order")
    config = work / "forbidden.cfg"
    choices = {"Exclude": {"P#1|P#2": ("P#2", "cpu"), "Q#1|Q#2": ("Q#2", "cpu")}}
    program.write_configuration(config, program.configuration(choices))
    np.save(work / "forbidden_in.npy", np.arange(5.0))
    outputs = [work / "forbidden_p.npy", work / "forbidden_q.npy"]
    done, stats = program.run(work / "forbidden_in.npy", *outputs, config=config)
    if done.stderr.count("without a legal order") != 1:
        failures.append(f"a forbidden choice gives no single warning: {done.stderr}")
    if not np.array_equal(np.load(outputs[1]), 2 * np.arange(5.0) + 1):
        failures.append("a forbidden choice gives another result")
    return failures


HALVE = """
main transform Halve
from A[n]
to B[n]
{
  to (B b) from (A a) { Halve(b, a); }
  to (B b) from (A a) { for (int i = 0; i < n; ++i) b.cell(i) = a.cell(i); }
}
"""


TURNS = """
transform Turned
from A[n, m]
to C[n, m]
{
  rule Cells
  C.cell(x, y) from (A.cell(x, y) a) { return a; }
  rule Halves
  to (C c) from (A a) {
    if (m < 2) { Turned(c.transposed(), a.transposed()); return; }
    Turned(c.region(0, 0, n, m/2), a.region(0, 0, n, m/2));
    Turned(c.region(0, m/2, n, m), a.region(0, m/2, n, m));
  }
}

main transform Outer
from A[n, n]
to L[n, n]
{
  rule Upper
  L.cell(x, y) from (A.cell(x, y) a) where x < y { return a; }
  rule Lower
  L.cell(x, y) from (A.cell(x, y) a) where x >= y { return a; }
  rule Whole
  to (L l) from (A a) { Turned(l, a); }
}
"""


def check_name_of_recursion(tools, work):
    """The message about a recursion that does not end is about the transform that calls itself, not about one around it."""
    source = work / "turns.pbcc"
    source.write_text(TURNS)
    program = tools.compile(source, work / "turns")
    config = work / "turns.run.cfg"
    choices = {"Turned": {"Cells|Halves": ("Halves", "cpu")}, "Outer": {"Lower|Whole&Upper|Whole": ("Whole&Upper", "cpu")}}
    program.write_configuration(config, program.configuration(choices))
    done = polybricks.run_tool([program.path, "--n", "8", "--config", config], expect=66)
    return [] if "of transform `Outer`" not in done.stderr else [f"the wrong rule of a recursion is named: {done.stderr}"]


def check_recursion(tools, work):
    """A rule that calls its own transform with the same sizes stops the run at once; the default takes another one."""
    source = work / "halve.pbcc"
    source.write_text(HALVE)
    program = tools.compile(source, work / "halve")
    config = work / "halve.run.cfg"
    failures = []
    done = polybricks.run_tool([program.path, "--n", "1000"], expect=None)
    if done.returncode != 0:
        failures.append(f"the default of a recursion does not end: {done.stderr}")
    for rule, status in (("B#1", 66), ("B#2", 0)):
        program.write_configuration(config, program.configuration({"Halve": {"B#1|B#2": (rule, "cpu")}}))
        done = polybricks.run_tool([program.path, "--n", "1000", "--config", config], expect=None)
        if done.returncode != status or (status == 66) != ("recursion does not end" in done.stderr):
            failures.append(f"rule {rule} of a recursion ends with {done.returncode}: {done.stderr}")
    return failures


def main():
    parser = polybricks.arguments(__doc__)
    parser.add_argument("--only", help="one program")
    args = parser.parse_args()
    work = args.work / "orders"
    work.mkdir(parents=True, exist_ok=True)
    tools = polybricks.Tools(args.dist)
    failures = []
    if not args.only:
        failures += check_forbidden(tools, work) + check_recursion(tools, work) + check_name_of_recursion(tools, work)
    cases = {args.only: CASES[args.only]} if args.only else CASES
    failures += Check.run_programs(tools, PROGRAMS, work, cases, SIZES)
    print("\n".join(failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
