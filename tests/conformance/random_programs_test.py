# SPDX-License-Identifier: MIT
"""Random rule headers compute what their definition, evaluated cell by cell, says: under all kinds of configurations.

    random_programs_test.py --dist BUILD/dist --work FOLDER [--seed N] [--programs N]
"""

import collections
import pathlib
import re
import sys

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]
import compiled  # noqa: E402
import polybricks  # noqa: E402
import random_headers  # noqa: E402
import seeds  # noqa: E402
from runner import ANSWER_LIMIT_S, difference  # noqa: E402

PER_PROGRAM = 8         # transforms: they share the cost of a compilation
CONFIGURATIONS = 3
MANY_PROGRAMS = 15      # of which each kind has some
EXTENTS = (0, 1, 2, 3, 4, 6, 13)
# What pbc may say to a random transform: wide rules that leave nothing for each other, and sets beyond its limits.
LEFT_OUT = re.compile(r":(\d+):\d+: error: .*(too complex|no choice of rules fits)")
MAX_LEFT_OUT_SHARE = 0.02


class Check:
    def __init__(self, compiler, folder):
        self.compiler, self.folder = compiler, folder
        self.runs, self.failures = 0, []
        self.tried = collections.Counter()
        self.transforms = self.left_out = 0

    def fail(self, words):
        print(words, flush=True)
        self.failures.append(words)

    def program(self, seed):
        transforms = random_headers.transforms(seed, PER_PROGRAM)
        self.transforms += len(transforms)
        program = self.compiled(seed, transforms)
        if program is None:
            return
        configurations = self.compiler.configurations(program, CONFIGURATIONS, seed, max(EXTENTS), False)
        for transform in transforms:
            self.tried.update([transform.kind, f"{len(transform.outputs)} outputs", *(["through"] if transform.has_temporary else [])])
            self.tried.update(["versions"] if transform.versioned & {*transform.outputs, *("T" if transform.has_temporary else "")} else [])
            self.tried.update(["named version"] if any(map(transform.names_version, transform.rules + transform.temporary_rules)) else [])
            self.tried.update(kind for rule in transform.rules
                              for kind in {rule.kind, "reads outputs" if rule.own_reads else rule.kind, "far" if rule.far else rule.kind})
            self.transform(seed, program, transform, configurations)

    def compiled(self, seed, transforms):
        """The program, or None after a failure. What pbc may leave out is taken out of the list."""
        source = self.folder / f"random{seed}.pbcc"
        while True:
            texts = [transform.text() for transform in transforms]
            source.write_text("\n".join(texts))
            try:
                return self.compiler.program(source, f"random{seed}")
            except polybricks.ToolError as error:
                refused = LEFT_OUT.search(str(error))
                if not refused:
                    self.fail(f"seed {seed}: {error}")
                    return None
                lines = [text.count("\n") + 1 for text in texts]
                number = next(i for i in range(len(lines)) if sum(lines[:i + 1]) >= int(refused.group(1)))
                print(f"seed {seed}: {transforms[number].name} is left out: {refused.group(2)}")
                del transforms[number]
                self.left_out += 1

    def transform(self, seed, program, transform, configurations):
        rng = np.random.default_rng(seed)
        for extent in EXTENTS:
            shape = (extent,) if transform.num_dims == 1 else (int(rng.integers(0, 6)), extent)
            where = f"seed {seed}, {transform.name}, shape {shape}"
            matrix = rng.integers(-40, 41, shape) / 8    # what is added to it stays exact
            inside, outside = self.folder / "in.npy", [self.folder / f"{name}.npy" for name in transform.outputs]
            np.save(inside, matrix)
            try:
                program.run("--strict", "--device", "none", f"--transform={transform.name}", inside, *outside, timeout=60)
                self.runs += 1
                words = next((f"{path.stem} {found}" for path, want in zip(outside, transform.evaluate(matrix))
                              if (found := difference(np.load(path), want, 1e-12)) is not None), None)
                if words is not None:
                    self.fail(f"{where}: default configuration {words}")
                else:
                    self.configurations(program, transform, inside, configurations, where)
            except polybricks.ToolError as error:
                self.fail(f"{where}: {error}")

    def configurations(self, program, transform, inside, configurations, where):
        with polybricks.Server(program, f"--transform={transform.name}", "--device", "none", limit_s=ANSWER_LIMIT_S) as server:
            problem = server.load([inside])
            if problem:
                self.fail(f"{where}: {problem}")
                return
            for number, text in enumerate(configurations):
                reply = server.ask("run", config=polybricks.json.loads(text), trials=1, verify=True, tolerance=1e-12)
                self.runs += 1
                if reply["status"] != "ok" or reply.get("fallbacks"):
                    self.fail(f"{where}: configuration {number}: {reply}")


def main():
    args = seeds.arguments(__doc__).parse_args()
    folder = (args.work / "random").resolve()
    folder.mkdir(parents=True, exist_ok=True)
    check = Check(compiled.Compiler(args.dist, folder), folder)
    chosen = seeds.chosen(args, by_day=2)
    for seed in chosen:
        check.program(seed)
    print("tried: " + ", ".join(f"{word} {count}" for word, count in check.tried.most_common()))
    lacking = [word for word in (*random_headers.KINDS, "2 outputs", "through", "row", "column", "region", "all", "reads outputs", "far",
                                 "versions", "named version") if not check.tried[word]]
    if len(chosen) >= MANY_PROGRAMS and lacking:
        check.fail(f"{len(chosen)} programs without {', '.join(lacking)}")
    if check.left_out > 1 + MAX_LEFT_OUT_SHARE * check.transforms:
        check.fail(f"{check.left_out} of {check.transforms} transforms are left out")
    print(f"{len(chosen)} programs of {PER_PROGRAM} transforms from seed {args.seed}: {check.runs} runs, {len(check.failures)} failures")
    return 1 if check.failures else 0


if __name__ == "__main__":
    sys.exit(main())
