# SPDX-License-Identifier: MIT
"""Small programs, each for a few things that code generation must get right: every combination of choices agrees with NumPy.

Each program of tests/e2e/programs runs with every assignment of rules and versions, above and below the sequential
cut-off, whole and split into pieces of one instance, at sizes around the vector width. `--strict`: nothing may fall back.

    programs_test.py --dist BUILD/dist --work FOLDER
"""

import argparse
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import polybricks  # noqa: E402

PROGRAMS = pathlib.Path(__file__).resolve().parent / "programs"
SIZES = (2, 3, 17, 64, 150)


def smooth(a):
    out = a.copy()
    out[1:-1] = (a[:-2] + 2 * a[1:-1] + a[2:]) / 4
    return [out]


def pack_values(a, b):
    height, width = a.shape
    t = np.where(a > b, np.sqrt(np.abs(a)), np.maximum(a, b) * 2.5)
    f = t.astype(np.float32).astype(np.float64)
    c = t + np.arange(width)[None, :] + (t + f)
    d = np.where(~((a < b) & (b > 0)), c, -c + np.arange(height)[:, None]) + (t + 2 * f)
    return [c, d]


# name: (shapes of the inputs for size n, outputs from inputs)
CASES = {
    "swap_halves": (lambda n: [(n,)], lambda a: [np.concatenate([a[len(a) // 2:], a[:len(a) // 2]])]),
    "in_place_calls": (lambda n: [(n,)], lambda a: [a * 4.5]),
    "order": (lambda n: [(n,)], lambda a: [np.sort(a)]),
    "row_norms": (lambda n: [(n, n + 3)],
                  lambda m: [m / np.linalg.norm(m, axis=1)[:, None], np.linalg.norm(m, axis=1)]),
    "smooth": (lambda n: [(n,)], smooth),
    "pack_values": (lambda n: [(n, n + 5), (n, n + 5)], pack_values),
    "prefix": (lambda n: [(n,)], lambda a: [np.cumsum(a)]),
    "matrix_product": (lambda n: [(n, n + 2), (n + 2, n + 7)], lambda a, b: [a @ b]),
    "through": (lambda n: [(n, n + 5)], lambda a: [a * 2 * (a + 1)]),
}


class Check:
    def __init__(self, tools, work, name):
        self.work, self.name = work, name
        self.program = tools.compile(PROGRAMS / f"{name}.pbcc", work / name)
        self.shapes, self.reference = CASES[name]
        self.runs, self.failures = 0, []

    def configurations(self):
        """(words for messages, entry) of every assignment with every cut-off and split size."""
        splits = [t for t, data in self.program.info["transforms"].items() if "split_size" in data.get("tunables", {})]
        for choices in self.program.all_assignments():
            for cutoff in (0, 64, 10**6):
                for split in (1, 64):
                    tunables = {transform: {"split_size": split} for transform in splits}
                    entry = self.program.configuration(choices, tunables, sequential_cutoff=cutoff)
                    yield f"{choices} cut-off {cutoff} split {split}", entry

    def run_size(self, n):
        rng = np.random.default_rng(n)
        inputs = [rng.normal(size=shape) for shape in self.shapes(n)]
        expected = self.reference(*inputs)
        paths = [self.work / f"{self.name}_in{i}.npy" for i in range(len(inputs))]
        for path, array in zip(paths, inputs):
            np.save(path, array)
        outputs = [self.work / f"{self.name}_out{i}.npy" for i in range(len(expected))]
        config = self.work / f"{self.name}.run.cfg"
        for words, entry in self.configurations():
            self.program.write_configuration(config, entry)
            self.program.run("--strict", *paths, *outputs, config=config)
            self.runs += 1
            for path, want in zip(outputs, expected):
                got = np.load(path)
                if got.shape != want.shape or not np.allclose(got, want, rtol=1e-12, atol=1e-12):
                    self.failures.append(f"{self.name} n={n} {words}: {path.name} differs")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dist", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    args = parser.parse_args()
    work = args.work / "programs"
    work.mkdir(parents=True, exist_ok=True)
    tools = polybricks.Tools(args.dist)
    failures = []
    for name in CASES:
        check = Check(tools, work, name)
        for n in SIZES:
            check.run_size(n)
        print(f"{name}: {check.runs} runs, {len(check.failures)} failures")
        failures += check.failures
    print("\n".join(failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
