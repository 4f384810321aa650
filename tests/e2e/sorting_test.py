# SPDX-License-Identifier: MIT
"""The examples that sort and filter agree with NumPy by bits, under their default and under random configurations.

    sorting_test.py --dist BUILD/dist --work FOLDER

Rows have no cells, one, and odd numbers of them; their numbers are different, few, or equal. Real numbers are of all magnitudes, with
zeros of both signs and infinities.
"""

import json
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import polybricks  # noqa: E402

NUM_CONFIGURATIONS = 24 if polybricks.is_nightly() else 3
LENGTHS = (0, 1, 2, 127, 5003)


def rows(rng, draw):
    for n in LENGTHS:
        yield draw(n)
    yield rng.choice(draw(300), 5003)
    yield np.repeat(draw(1), 1009)


def whole(rng):
    return rows(rng, lambda n: rng.integers(-2**31, 2**31, n).astype(np.int32))


def real(rng, kind):
    def draw(n):
        numbers = np.ldexp(rng.uniform(-1, 1, n), rng.integers(-100, 100, n)).astype(kind)
        special = np.array([0, np.inf, -np.inf, 1, np.finfo(kind).tiny / 8], kind)
        numbers[::7] = rng.choice(special, numbers[::7].size)
        numbers[::11] *= -1
        return numbers
    return rows(rng, draw)


def filled(kept, n):
    """What is kept, zeros behind it, and how much that is."""
    return [np.concatenate([kept, np.zeros(n - kept.size)]), np.array(kept.size, np.int32)]


def above(rng):
    for row in real(rng, np.float64):
        yield [("--set", "Limit=0.1"), row], filled(row[row > 0.1], row.size)


def unique(rng):
    for row in real(rng, np.float64):
        row = np.sort(row)
        is_first = np.append(np.ones(min(1, row.size), bool), row[1:] != row[:-1])
        yield [row], filled(row[is_first], row.size)


def counting_sort(rng):
    for m, n in ((1, 0), (1, 127), (7, 1), (7, 5003), (1000, 2), (1000, 127), (1000, 5003)):
        keys = rng.integers(0, m, n).astype(np.int32)
        yield [m, keys], [np.sort(keys)]
    yield [7, np.full(1009, 3, np.int32)], [np.full(1009, 3, np.int32)]


def sorted_by(order_of, keys):
    values, order = np.arange(keys.size, dtype=np.int32), order_of(keys)
    return [keys, values], [keys[order], values[order]]


def ints(rng):
    for keys in whole(rng):
        yield sorted_by(lambda keys: np.argsort(keys, kind="stable"), keys)


def unsigned(rng):
    """Unsigned numbers, in files of signed ones."""
    for keys in whole(rng):
        yield sorted_by(lambda keys: np.argsort(keys.view(np.uint32), kind="stable"), keys)


def real_order(keys):
    """-0 comes before 0."""
    return np.lexsort([~np.signbit(keys), keys])


def floats(rng):
    for keys in real(rng, np.float32):
        yield sorted_by(real_order, keys)


def doubles(rng):
    for keys in real(rng, np.float64):
        yield sorted_by(real_order, keys)


PROGRAMS = {"filter": {"Above": above, "Unique": unique}, "counting_sort": {"CountingSort": counting_sort},
            "radix_sort": {"RadixSort": ints, "SortUnsigned": unsigned, "SortFloats": floats, "SortDoubles": doubles}}


def words_of(work, inputs):
    """The words of the command line for inputs: options, whole numbers, and arrays as files."""
    words = []
    for i, value in enumerate(inputs):
        if isinstance(value, np.ndarray):
            np.save(work / f"in{i}.npy", value)
            words.append(work / f"in{i}.npy")
        else:
            words += value if isinstance(value, tuple) else [value]
    return words


def on_devices(work, program, transform):
    """A configuration in which all that a device can run runs there, and rules for devices are chosen."""
    choices = {}
    for name, site, alternatives in program.sites():
        on_device = [each for each in alternatives if each[1] == "opencl"]
        choices.setdefault(name, {})[site] = (on_device or alternatives[-1:])[0]
    config = work / f"{transform}_device.cfg"
    program.write_configuration(config, program.configuration(choices, {}, sequential_cutoff=0, threads=2))
    return config


def configurations(tools, work, program, transform):
    """The default, one for devices, and random ones in which short rows run in parallel, too."""
    sampled = polybricks.run_tool([tools.pbtune, "sample", program.path, "--count", NUM_CONFIGURATIONS,
                                   "--seed", polybricks.seed()]).stdout
    yield "none"
    yield on_devices(work, program, transform)
    for number, text in enumerate(sampled.splitlines()):
        configuration = json.loads(text)
        configuration["global"]["sequential_cutoff"] = 0
        config = work / f"{transform}_{number}.cfg"
        config.write_text(json.dumps(configuration))
        yield config


def run(tools, work, program, transform, cases):
    """Each case runs under one configuration by day, and under all at night."""
    configs = list(configurations(tools, work, program, transform))
    num_runs = 0
    for number, (inputs, expected) in enumerate(cases):
        words = words_of(work, inputs)
        outputs = [work / f"out{i}.npy" for i in range(len(expected))]
        for config in configs if polybricks.is_nightly() else [configs[number % len(configs)]]:
            program.run("--transform", transform, *words, *outputs, config=config)
            num_runs += 1
            for path, want in zip(outputs, expected):
                got = np.load(path)
                is_right = got.dtype == want.dtype and got.tobytes() == want.tobytes()
                polybricks.check(is_right, f"{transform}, case {number}, {config}, seed {polybricks.seed()}: {got} is not {want}")
    print(f"{transform}: {num_runs} runs")


def main():
    args = polybricks.arguments(__doc__).parse_args()
    work = polybricks.fresh_folder(args.work / "sorting")
    tools = polybricks.Tools(args.dist)
    for name, transforms in PROGRAMS.items():
        program = tools.compile(polybricks.ROOT / "examples" / f"{name}.pbcc", work / name)
        for transform, cases in transforms.items():
            run(tools, work, program, transform, cases(np.random.default_rng(polybricks.seed())))
    return 0


if __name__ == "__main__":
    sys.exit(main())
