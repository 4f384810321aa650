# SPDX-License-Identifier: MIT
"""Contractions whose folds work-groups of a device run in blocks of rounds: all schedules agree.

    device_blocks_test.py --dist BUILD/dist --work FOLDER

Each schedule gives the bits of the kernel without blocks, because the updates of an instance keep their order; and that agrees with
NumPy. The extents are odd, so that groups and blocks reach beyond the ends. The statistics say that the blocks ran.

Where several groups divide the rounds, sums agree with NumPy, and everything else has the same bits. Each run of a schedule has the same.
"""

import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import arrays  # noqa: E402
import polybricks  # noqa: E402

PROGRAMS = pathlib.Path(__file__).resolve().parent / "device_blocks"
NUM_RANDOM = 8 if polybricks.is_nightly() else 1  # random schedules per program: each takes PoCL a second per kernel
MOST_IN_BLOCK = 256  # instances of a random group, which PoCL keeps in memory
AS_GPU = {"POLYBRICKS_RUN_AS_GPU": "1"}
EXACT = {"Nearest", "Reversed"}  # outputs of which every order of the rounds gives the same bits, beside those of whole numbers


def products(a, b, function=np.multiply):
    """function(A[y, i], B[i, x]) at [y, x, i]."""
    return function(a[:, None, :], b.T[None, :, :])


def expected_reals(a, b, v, long, stack, p, weights, s):
    a, b, v, long, stack, p, weights = (each.astype(np.longdouble) for each in (a, b, v, long, stack, p, weights))
    k = a.shape[1]
    product = products(a, b)
    root = np.sqrt((products(a, b, np.subtract) ** 2).sum(2))
    nearest = np.floor(4 * products(a, b, np.add))
    place = nearest.argmin(2)
    of_twice = (product + v[0]).sum(2), (1 + product / 8).prod(2)
    width, height = p.shape[2] - 2, p.shape[1] - 1
    layer = sum(np.einsum("chw,fc->fhw", p[:, j:j + height, i:i + width], weights[:, :, j, i]) for j in range(2) for i in range(3))
    return {"Product": product.sum(2), "Columns": b.T @ b, "Rows": a @ a.T,
            "Distances": np.where(root > 2, root + v[None, :] * s, root), "Nearest": nearest.min(2) + 1000 * place,
            "Reversed": product.max(2)[::-1, ::-1], "Updated": np.maximum(0, 1 - product.sum(2)), "Twice": np.maximum(*of_twice),
            "Strided": a @ long[:, 3:2 * b.shape[1] + 3:2], "Inner": a[:, 1:max(1, k - 1)] @ b[1:max(1, k - 1)],
            "Batches": np.stack([a @ part for part in stack]), "Layer": layer, "Several": product.sum(2) + b.sum(0)[None, :]}


def expected_integers(a, b, v):
    a, b, v = a.astype(np.int64), b.astype(np.int64), v.astype(np.int64)
    k, n = b.shape
    slides = np.stack([a @ v[x:x + k] for x in range(n)], 1)
    bits = np.bitwise_and.reduce(products(a, b, np.bitwise_or) | 12, axis=2) + \
        3 * (5 ^ np.bitwise_xor.reduce(products(a, b, np.bitwise_and), axis=2)) + 7 * products(a, b, np.equal).sum(2)
    shared = products(a & 255, 1 + (b & 15), np.floor_divide).sum(2)
    return {"Product": (7 + a @ b).astype(np.int32), "Guarded": ((a * np.arange(k)) @ b).astype(np.int32), "Bits": bits.astype(np.int32), "Shared": shared.astype(np.int32),
            "Slides": slides.astype(np.int32)}


class Check:
    def __init__(self, program, work):
        self.program, self.work, self.num_runs = program, work, 0
        self.name, data = next(iter(program.info["transforms"].items()))
        self.outputs = [output for site in data["sites"] for output in site.split("#")[0].split("+")]
        self.tunables = data["tunables"]
        self.in_blocks = [name for name, tunable in self.tunables.items() if tunable["role"] == "block_rounds"]
        self.in_parts = [name for name, tunable in self.tunables.items() if tunable["role"] == "block_parts"]

    def run(self, inputs, schedule, least_rounds, env=None):
        """`schedule`: work-items of a group along the two loops, instances of a work-item along them, rounds of a block, its stages, and
        the ranges of rounds. `least_rounds` of any output."""
        group, items, rounds, stages, parts = schedule
        choices = {self.name: {site: next(a for a in alternatives if a[1] == "opencl") for _, site, alternatives in self.program.sites()}}
        values = {"block_items": list(items), "block_rounds": rounds, "block_stages": stages, "block_parts": parts}
        values = {name: values[tunable["role"]] for name, tunable in self.tunables.items() if tunable["role"] in values}
        for name, tunable in self.tunables.items():
            if tunable["role"] == "work_group":
                along_third = 1 + (group[0] + group[1]) % 3
                values[name] = [group[0], group[1], along_third][:tunable["count"]]
        config = self.program.configuration(choices, {self.name: values}, sequential_cutoff=0, threads=2)
        got, statistics = arrays.run(self.program, self.work, inputs, self.outputs, "--strict", entry=config, env=env)
        self.num_runs += 1
        launches = statistics["devices"][0]["launches_in_blocks"]
        expected = len(self.in_blocks) if items[0] * rounds > 0 else 0
        polybricks.check(launches == expected, f"{schedule}: {launches} of {expected} launches in blocks")
        launches, expected = statistics["devices"][0]["launches_in_parts"], len(self.in_parts) if parts > 1 else 0
        polybricks.check(launches == expected or (parts > 1 and least_rounds <= rounds), f"{schedule}: {launches} of {expected} launches in parts")
        return got

    def is_exact(self, name, array):
        return array.dtype == np.int32 or name in EXACT

    def compare(self, matrices, expected, schedules):
        inputs = arrays.save(self.work, matrices)
        least_rounds = min(matrices[0].shape[1], matrices[-3].shape[0] if len(matrices) > 4 else 2**31)
        without = self.run(inputs, ((8, 8), (0, 0), 16, 0, 1), least_rounds)
        where = f"extents {[matrix.shape for matrix in matrices]}, seed {polybricks.seed()}"
        for name, value in expected.items():
            kind = without[name].dtype
            limit = 0 if kind == np.int32 else 4096 * np.finfo(kind).eps
            polybricks.check(np.allclose(without[name], value, limit, limit), f"{name} without blocks, {where}: {without[name]} is not {value}")
        for schedule in schedules:
            env = AS_GPU if schedule in LIKE_GPU + SHORT_BLOCKS else None
            got = self.run(inputs, schedule, least_rounds, env)
            again = self.run(inputs, schedule, least_rounds, env) if schedule[4] > 1 else got
            for name in self.outputs:
                polybricks.check(np.array_equal(got[name], again[name]), f"{name} in blocks {schedule}, {where}: {got[name]}, then {again[name]}")
                if schedule[4] > 1 and not self.is_exact(name, got[name]):
                    limit = 4096 * np.finfo(got[name].dtype).eps
                    polybricks.check(np.allclose(got[name], expected[name], limit, limit), f"{name} in parts {schedule}, {where}: {got[name]} is not {expected[name]}")
                    continue
                of_bits = f"u{got[name].dtype.itemsize}"
                polybricks.check(np.array_equal(got[name].view(of_bits), without[name].view(of_bits)),
                                 f"{name} in blocks {schedule}, {where}: {got[name]} instead of {without[name]}")


# Whose second launch has several work-items for each instance.
LIKE_GPU = [((4, 4), (2, 2), 2, 1, 11)]
# Blocks of one round lie a number apart, so that where instances move along the rounds most runs are not aligned.
SHORT_BLOCKS = [((4, 4), (2, 2), 1, 1, 11)]


def of_extents(schedules, are_usual):
    """Extents that are not usual have one schedule by day: PoCL takes seconds for each kernel, and minutes for those of ranges of rounds."""
    return schedules if are_usual or polybricks.is_nightly() else schedules[:1]


def random_schedules(rng):
    for _ in range(NUM_RANDOM):
        while True:
            group, items = (int(rng.integers(1, 9)), int(rng.integers(1, 9))), (int(rng.integers(1, 9)), int(rng.integers(1, 9)))
            if np.prod(group) * np.prod(items) <= MOST_IN_BLOCK:
                break
        yield group, items, int(rng.integers(1, 20)), int(rng.integers(0, 3)), 1


def check_default(tools, work, rng):
    """What the program chooses where tiles are fewer than compute units, and that --fp=strict forbids it."""
    for words, in_parts in (((), 1), (("--fp=strict",), 0)):
        program = tools.compile(PROGRAMS / "small.pbcc", work / f"small{len(words)}", "--element", "float", *words)
        check = Check(program, work)
        polybricks.check(len(check.in_parts) == in_parts, f"{words}: {check.in_parts} have parts")
        choices = {check.name: {site: next(a for a in alternatives if a[1] == "opencl") for _, site, alternatives in program.sites()}}
        matrices = [rng.uniform(-1, 1, shape).astype(np.float32) for shape in ((13, 20001), (20001, 16))]
        inputs, exact = arrays.save(work, matrices), matrices[0].astype(np.float64) @ matrices[1]
        runs = [arrays.run(program, work, inputs, ["C"], "--strict", entry=program.configuration(choices), env=AS_GPU) for _ in range(2)]
        for got, statistics in runs:
            launches = statistics["devices"][0]["launches_in_parts"]
            polybricks.check(launches == in_parts, f"{words}: {launches} launches in parts")
            polybricks.check(np.allclose(got["C"], exact, 1e-3, 1e-3), f"{words}: {got['C']} is not {exact}")
        polybricks.check(np.array_equal(runs[0][0]["C"], runs[1][0]["C"]), f"{words}: two runs have different bits")


def main():
    args = polybricks.arguments(__doc__).parse_args()
    work = polybricks.fresh_folder(args.work / "device_blocks")
    tools = polybricks.Tools(args.dist)
    rng = np.random.default_rng(polybricks.seed())
    num_runs = 0
    fixed = [((4, 4), (4, 2), 8, 1, 1), ((8, 4), (2, 4), 4, 2, 1)]
    parted = [((4, 4), (2, 3), 4, 1, 3)], [((2, 8), (4, 2), 2, 2, int(rng.integers(2, 12)))]
    for element, kind, schedules in (("float", np.float32, fixed + list(random_schedules(rng)) + parted[0] + LIKE_GPU),
                                     ("double", np.float64, fixed + parted[1])):
        check = Check(tools.compile(PROGRAMS / "reals.pbcc", work / f"reals_{element}", "--element", element), work)
        polybricks.check(len(check.in_blocks) == len(check.outputs), f"only {check.in_blocks} have blocks")
        polybricks.check(len(check.in_parts) == len(check.outputs), f"only {check.in_parts} have parts")
        # Builds know the extents, so each of these has kernels of its own.
        extents = ((1, 1, 1, 3, 2, 1, 1), (37, 21, 13, 14, 5, 7, 9), (33, 50, 32, 9, 9, 16, 3))
        for n, m, k, w, h, c, f in extents if polybricks.is_nightly() else extents[:2]:
            shapes = (m, k), (k, n), (n,), (k, 2 * n + 3), (2, k, n), (c, h, w), (f, c, 2, 3)
            matrices = [rng.uniform(-1, 1, shape).astype(kind) for shape in shapes] + [np.array(0.25, kind)]
            check.compare(matrices, expected_reals(*matrices), of_extents(schedules, n == 37))
        num_runs += check.num_runs
    check = Check(tools.compile(PROGRAMS / "integers.pbcc", work / "integers"), work)
    polybricks.check(len(check.in_blocks) == len(check.outputs), f"only {check.in_blocks} have blocks")
    polybricks.check(len(check.in_parts) == len(check.outputs), f"only {check.in_parts} have parts")
    schedules = fixed + list(random_schedules(rng)) + parted[1] + LIKE_GPU + SHORT_BLOCKS
    for n, m, k in ((1, 1, 1), (29, 18, 23)):
        matrices = [rng.integers(-2**30, 2**30, shape, dtype=np.int32) for shape in ((m, k), (k, n), (n + k,))]
        matrices[0][rng.random((m, k)) < 0.1] = matrices[1][0, 0]
        check.compare(matrices, expected_integers(*matrices), of_extents(schedules, n == 29))
    check_default(tools, work, rng)
    print(f"{num_runs + check.num_runs} runs, all schedules agree")
    return 0


if __name__ == "__main__":
    sys.exit(main())
