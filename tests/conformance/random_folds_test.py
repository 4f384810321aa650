# SPDX-License-Identifier: MIT
"""Random folds compute what their definition says in any order: on the CPU, in vectors, by work-items and by groups of a device.

    random_folds_test.py --dist BUILD/dist --work FOLDER [--seed N] [--programs N] [--element double|float]

As random_bodies_test.py, with programs of folds. Each result must be right within 4·d·ε·Σ|terms|, and bit by bit where no order rounds
(bounded.py).
"""

import json
import pathlib
import sys

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]
import bounded  # noqa: E402
import polybricks  # noqa: E402
import random_bodies_test  # noqa: E402
import random_fold_bodies  # noqa: E402
import random_folds  # noqa: E402

GROUPS = 6
SHAPES = ((0, 0, 0), (1, 1, 1), (7, 5, 2), (37, 3, 2), (101, 2, 1))     # and one of small extents by seed
NUM_MIXED = 3
LANES = (0, 1, 2, 8, 32, 256)       # work-items that run an instance together
KEPT_ROUNDS = (32, 0, 4)            # rounds of which a work-item keeps cells
WORK_GROUPS = (0, 16, 64)           # fewer work-items than lanes: several groups divide a fold
MAX_EIGHTHS = 8


def tunables_of(program, orders=(0,), lanes=(0,), groups=(0,), splits=(None,), eighths=(None,), rng=None):
    """Values of all tunables about folds and pieces: each is drawn from its list."""
    def pick(values):
        return values[int(rng.integers(len(values)))] if rng is not None else values[0]

    out = {}
    for transform, data in program.info["transforms"].items():
        own = out.setdefault(transform, {})
        for name, tunable in data.get("tunables", {}).items():
            count = tunable.get("count", 1)
            value = {"fold_order": orders, "fold_items": lanes, "work_group": groups, "split": splits,
                     "kept_rounds": KEPT_ROUNDS}.get(tunable["role"], (None,))
            value = pick(eighths if name == "device_eighths" else value)
            if value is not None:
                own[name] = value if count == 1 else [value, *([1 if value else 0] * (count - 1))]
    return out


def fixed(program, on, threads, **tunables):
    choices = random_bodies_test.choices_of(program, [on], threads)
    return program.configuration(choices, tunables_of(program, **tunables), sequential_cutoff=0, threads=threads)


def mixed(program, rng):
    """A configuration with any version at any site and any tunables; None if its rules have no order together."""
    choices = {}
    for transform, site, alternatives in program.sites():
        choices.setdefault(transform, {})[site] = alternatives[int(rng.integers(len(alternatives)))]
    if program.is_forbidden(choices):
        return None
    tunables = tunables_of(program, (0, 1), LANES, WORK_GROUPS, (1, 3, 64), range(1, MAX_EIGHTHS + 1), rng)
    return program.configuration(choices, tunables, sequential_cutoff=0, threads=int(rng.integers(1, 6)))


def configurations(program, constants, sampled, seed):
    """Yields (words, configuration): both orders on the CPU, lanes of a device in one group and in several, mixed, and `sampled` ones.

    By day only one of each kind: the kernels take PoCL long.
    """
    rng = np.random.default_rng(seed)
    found = [("cpu, order of the source, pieces of one", fixed(program, "cpu", 2, splits=(1,))),
             ("cpu, any order, 1 thread", fixed(program, "cpu", 1, orders=(1,))),
             ("cpu, any order, 5 threads, pieces of one", fixed(program, "cpu", 5, orders=(1,), splits=(1,))),
             ("64 lanes in groups of 16", fixed(program, "opencl", 2, lanes=(64,), groups=(16,)))]
    found += [(f"mixed {i}", mixed(program, rng)) for i in range(NUM_MIXED if polybricks.is_nightly() else 1)]
    if polybricks.is_nightly():
        found += [("4 lanes", fixed(program, "opencl", 1, lanes=(4,)))]
        found += [(f"random configuration {i}", json.loads(text)) for i, text in enumerate(sampled)]
    for words, config in found:
        if config is not None:
            config["transforms"].setdefault("R", {}).setdefault("tunables", {}).update(constants)
            yield words, config


def of_folds(seed, element):
    """Every third program has infinities, NaN and signed zeros."""
    return random_folds.FoldProgram(seed, GROUPS, element, is_special=seed % 3 == 0)


FEATURES = random_fold_bodies.FEATURES + ("rounds in lanes", "divided fold", "on a device", "shared step")

FOLDS = random_bodies_test.Kind("folds", of_folds, configurations, FEATURES, SHAPES,
                                features_of=random_folds.FoldProgram.features, min_local=0.0,
                                difference=lambda got, want, with_signs: bounded.difference(got, want),
                                is_server_enough=lambda expected: all(map(bounded.is_exact, expected.values())))

if __name__ == "__main__":
    sys.exit(random_bodies_test.main(__doc__, FOLDS, by_day=1))
