# SPDX-License-Identifier: MIT
"""Mathematical functions and masks in packs: each instance has the same bits, wherever loops are cut and however many threads run them.

    vector_functions_test.py --dist BUILD/dist --work FOLDER

Which instances run side by side in a pack depends on the pieces of a loop. So all instances of one run are compared with those of a
run on one thread without pieces, and a few of them with the only instance of a run.
"""

import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import polybricks  # noqa: E402

PROGRAMS = pathlib.Path(__file__).resolve().parent / "vector_functions"
WIDTHS = (1, 3, 7, 13, 64, 1001)      # fewer than a vector, whole packs, and rests
HEIGHTS = {1: (1,), 2: (1, 9)}
THREADS = (1, 2, 5)
SPLITS = (1, 11)
MATRICES = {"Straight": 1, "Rounds": 1, "Quotients": 1, "Columns": 2, "Rows": 2, "Orbits": 2, "Breaks": 2}     # dimensions of each transform's matrices
SPECIAL = [0, -0.0, 1, -1, np.inf, -np.inf, np.nan, 5e-324, -1e-310, 1e-300, 709.5, -745, 88.7, -103.9, 1e10, 0.5, 2, 3]


def inputs(rng, shape, kind):
    """Two inputs, every fifth number of them special."""
    found = []
    with np.errstate(all="ignore"):
        for scale in (3, 20):
            values = rng.normal(0, scale, shape)
            is_special = rng.random(shape) < 0.2
            found.append(np.where(is_special, rng.choice(SPECIAL, shape), values).astype(kind))
    return found


def same_bits(a, b):
    """Bits of a NaN do not count."""
    of_bits = f"u{a.dtype.itemsize}"
    return (a.view(of_bits) == b.view(of_bits)) | (np.isnan(a) & np.isnan(b))


class Check:
    def __init__(self, program, work, kind):
        self.program, self.work, self.kind, self.num_runs = program, work, kind, 0
        self.rng = np.random.default_rng(polybricks.seed())

    def run(self, name, matrices, threads, split):
        """The output of one run."""
        for letter, matrix in zip("ab", matrices):
            np.save(self.work / f"{letter}.npy", matrix)
        tunables = {name: {"split_size": split} if split else {} for name in MATRICES}
        cutoff = 0 if split else 10**6
        config = self.program.configuration({}, tunables, sequential_cutoff=cutoff, threads=threads)
        self.program.write_configuration(self.work / "run.cfg", config)
        self.program.run("--transform", name, *(self.work / f"{x}.npy" for x in "abc"), config=self.work / "run.cfg")
        self.num_runs += 1
        return np.load(self.work / "c.npy")

    def compare(self, name, shape):
        matrices = inputs(self.rng, shape, self.kind)
        whole = self.run(name, matrices, 1, None)
        words = f"{name} of {self.kind} {shape}, seed {polybricks.seed()}"
        if name in REFERENCES:
            with np.errstate(all="ignore"):
                want, scale = REFERENCES[name](*matrices)
                is_near = same_bits(whole, want) | (np.abs(whole - want) <= 4 * np.finfo(self.kind).eps * scale)
            polybricks.check(is_near.all(), f"{words}: of {[matrix[~is_near] for matrix in matrices]} come {whole[~is_near]}, not {want[~is_near]}")
        for threads in THREADS:
            for split in SPLITS if threads > 1 else SPLITS[:1]:
                got = self.run(name, matrices, threads, split)
                wrong = np.argwhere(~same_bits(whole, got))
                polybricks.check(not len(wrong), f"{words}, {threads} threads, pieces of {split}: {len(wrong)} differ, first {wrong[:1]}")
        for at in self.rng.choice(shape[-1], 2):        # an instance alone; columns of one number each
            alone = self.run(name, [np.ascontiguousarray(matrix[..., at:at + 1]) for matrix in matrices], 1, None)
            polybricks.check(same_bits(np.ascontiguousarray(whole[..., at:at + 1]), alone).all(), f"{words}: instance {at} alone differs")


def quotients(a, b):
    """What the transform Quotients makes of two numbers, and the sum of what it adds without signs."""
    terms = [(a + a.dtype.type(k)) / (b * np.sqrt(np.abs(b) + a.dtype.type(k))) for k in range(3)]
    return sum(terms[1:], terms[0]), sum(np.abs(term) for term in terms)


REFERENCES = {"Quotients": quotients}


def ends(number):
    """What the transform Ends makes of a number."""
    rounds = total = 0
    while rounds < 40 and (number > 3 or number < -3):
        number -= (number >> 2) + 1
        total += rounds * 3
        rounds += 1
    return total * 100 + rounds + number


def quotient(a, b):
    """(a / b, a % b) of C++."""
    found = abs(a) // b * (1 if a >= 0 else -1)
    return found, a - found * b


def jumps(v):
    """What the transform Jumps makes of a number."""
    evens = odds = 0
    for _ in range(60):
        if v == 1:
            break
        if v & 1 == 0:
            v = quotient(v, 2)[0]
            evens += 1
            if quotient(v, 5)[1] == 3:
                continue
        else:
            if abs(v) > 100000:
                break
            v = 3 * v + 1
            odds -= 1
        rest = quotient(v, 7)[1]
        while True:
            rest -= 2
            if rest == 3 or rest <= 0:
                break
        odds += rest
    return v + evens, odds


def check_ends(program, work):
    """Loops that end at other rounds in other instances, and branches and jumps that differ between them."""
    for width in WIDTHS:
        given = np.random.default_rng(width).integers(-100000, 100000, width).astype(np.int32)
        np.save(work / "a.npy", given)
        for split, threads in ((None, 1), (1, 2), (11, 5)):
            tunables = {name: {"split_size": split} if split else {} for name in ("Ends", "Jumps")}
            config = program.configuration({}, tunables, sequential_cutoff=0 if split else 10**6, threads=threads)
            program.write_configuration(work / "run.cfg", config)
            program.run("--transform", "Ends", work / "a.npy", work / "c.npy", config=work / "run.cfg")
            polybricks.check((np.load(work / "c.npy") == [ends(int(number)) for number in given]).all(), f"Ends of {width}, pieces of {split}: wrong")
            program.run("--transform", "Jumps", work / "a.npy", work / "c.npy", work / "d.npy", config=work / "run.cfg")
            found = np.stack([np.load(work / "c.npy"), np.load(work / "d.npy")], axis=-1)
            polybricks.check((found == [jumps(int(number)) for number in given]).all(), f"Jumps of {width}, pieces of {split}: wrong")


def main():
    args = polybricks.arguments(__doc__).parse_args()
    args.work = polybricks.fresh_folder(args.work / "vector_functions")
    tools = polybricks.Tools(args.dist)
    num_runs = 0
    text = polybricks.run_tool([tools.pbc, "--emit=cpp", PROGRAMS / "functions.pbcc"]).stdout
    for name in (*MATRICES, "Ends", "Jumps"):
        polybricks.check(f" packs_{name}_0_" in text, f"{name} has no packs")
    for element, kind in (("double", np.float64), ("float", np.float32)):
        program = tools.compile(PROGRAMS / "functions.pbcc", args.work / f"functions_{element}", "--element", element)
        check = Check(program, args.work, kind)
        for name, dims in MATRICES.items():
            for width in WIDTHS:
                for height in HEIGHTS[dims]:
                    check.compare(name, (width,) if dims == 1 else (height, width))
        check_ends(program, args.work)
        num_runs += check.num_runs
    print(f"{num_runs} runs, all bits equal")
    return 0


if __name__ == "__main__":
    sys.exit(main())
