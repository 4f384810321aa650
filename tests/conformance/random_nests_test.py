# SPDX-License-Identifier: MIT
"""Random nests compute what their definition says, wherever their members run: on the CPU, on a device, or by turns.

    random_nests_test.py --dist BUILD/dist --work FOLDER [--seed N] [--programs N] [--element double|float]

As random_bodies_test.py, with programs in which versions, rows or columns are made by calls of transforms and by cells.
"""

import json
import pathlib
import sys

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]
import body_features  # noqa: E402
import random_bodies_test  # noqa: E402
import random_rules  # noqa: E402

GROUPS = 3
SHAPES = ((0, 0, 0), (1, 1, 1), (7, 5, 6), (35, 3, 9), (70, 12, 4))     # and one of small extents by seed
NUM_MIXED = 6               # configurations that choose for each site by itself
CUTOFFS = (0, 0, 0, 1, 4, 12)
MAX_EIGHTHS = 8


def mixed(program, rng):
    """A configuration with any version at any site, any share of shared steps, any cutoff."""
    choices, tunables = {}, {}
    for transform, site, alternatives in program.sites():
        on_device = [a for a in alternatives if a[1] != "cpu"]
        among = on_device if on_device and rng.random() < 0.6 else alternatives
        choices.setdefault(transform, {})[site] = among[int(rng.integers(len(among)))]
    for name, data in program.info["transforms"].items():
        for tunable, known in data.get("tunables", {}).items():
            if tunable == "device_eighths":
                tunables.setdefault(name, {})[tunable] = int(rng.integers(1, MAX_EIGHTHS + 1))
            elif known["role"] == "split":
                values = [int(value) for value in rng.integers(1, 9, known.get("count", 1))]
                tunables.setdefault(name, {})[tunable] = values if len(values) > 1 else values[0]
    if program.is_forbidden(choices):
        return None
    return program.configuration(choices, tunables, sequential_cutoff=CUTOFFS[int(rng.integers(len(CUTOFFS)))],
                                 threads=int(rng.integers(1, 3)))


def configurations(program, constants, sampled, seed):
    """Yields (words, configuration): all on the CPU in pieces, all on the device, mixed, and `sampled` ones."""
    rng = np.random.default_rng(seed)
    everywhere = [(f"{on}, {threads} threads", program.configuration(random_bodies_test.choices_of(program, [on], threads), {},
                                                                     sequential_cutoff=0, threads=threads))
                  for on, threads in (("cpu", 2), ("opencl", 1), ("opencl", 2), ("opencl_local", 1))]
    found = [(words, entry) for words, entry in everywhere]
    found += [(f"mixed {i}", mixed(program, rng)) for i in range(NUM_MIXED)]
    found += [(f"random configuration {i}", json.loads(text)) for i, text in enumerate(sampled)]
    for words, config in found:
        if config is not None:
            config["transforms"].setdefault("R", {}).setdefault("tunables", {}).update(constants)
            yield words, config


def of_nests(seed, element):
    """Every fourth program has infinities, NaN and signed zeros."""
    return random_rules.Program(seed, GROUPS, element, is_tame=True, is_special=seed % 4 == 3)


NESTS = random_bodies_test.Kind("nests", of_nests, configurations,
                                body_features.OF_NESTS + body_features.OF_RUNS + body_features.OF_DATA, SHAPES, 2, ("--fill-nan",), lambda seed: seed % 2 == 1, min_local=0.1)

if __name__ == "__main__":
    sys.exit(random_bodies_test.main(__doc__, NESTS, by_day=2))
