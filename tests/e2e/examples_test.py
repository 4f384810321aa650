# SPDX-License-Identifier: MIT
"""The examples of science and pictures agree with NumPy, under their default and under random configurations.

    examples_test.py --dist BUILD/dist --work FOLDER
"""

import json
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import polybricks  # noqa: E402

NUM_CONFIGURATIONS = 40 if polybricks.is_nightly() else 3
GRAVITY, STEP, K = 9.81, 0.05, 5


def stepped(h, u, v):
    """One step of the water inside; walls keep their height."""
    new_h, new_u, new_v = h.copy(), np.zeros_like(u), np.zeros_like(v)
    inside = np.s_[1:-1, 1:-1]
    (hw, uw, vw), (he, ue, ve), (hs, us, vs), (hn, un, vn) = [
        [field[where] for field in (h, u, v)]
        for where in (np.s_[1:-1, :-2], np.s_[1:-1, 2:], np.s_[:-2, 1:-1], np.s_[2:, 1:-1])]
    new_h[inside] = (hw + he + hs + hn) / 4 - STEP / 2 * (ue - uw + vn - vs)
    new_u[inside] = (uw + ue + us + un) / 4 - STEP / 2 * (
        ue**2 / he + GRAVITY / 2 * he**2 - uw**2 / hw - GRAVITY / 2 * hw**2 + un * vn / hn - us * vs / hs)
    new_v[inside] = (vw + ve + vs + vn) / 4 - STEP / 2 * (
        ue * ve / he - uw * vw / hw + vn**2 / hn + GRAVITY / 2 * hn**2 - vs**2 / hs - GRAVITY / 2 * hs**2)
    return new_h, new_u, new_v


def shallow_water(rng):
    start = 1 + 0.1 * rng.random((23, 31))
    h, u, v = start, np.zeros_like(start), np.zeros_like(start)
    for _ in range(10):
        h, u, v = stepped(h, u, v)
    return [10, start], [h, ((u * u + v * v) / h / 2 + GRAVITY / 2 * h * h).sum()]


def nearest_neighbours(rng):
    points, queries, labels = rng.normal(size=(90, 6)), rng.normal(size=(41, 6)), rng.integers(0, 10, 90).astype(np.int32)
    distances = ((queries[:, None] - points[None]) ** 2).sum(axis=2)
    nearest = np.argsort(distances, axis=1)[:, :K]
    return [points, queries, labels], [np.array([np.bincount(labels[row], minlength=10).argmax() for row in nearest])]


def conjugate_gradient(rng):
    side = 13
    line = np.diag(np.full(side, 2.1)) - np.eye(side, k=1) - np.eye(side, k=-1)
    matrix = np.kron(line, np.eye(side)) + np.kron(np.eye(side), line)
    rows, columns = np.nonzero(matrix)
    starts = np.searchsorted(rows, np.arange(side * side + 1))
    b = rng.normal(size=side * side)
    return [matrix[rows, columns], columns.astype(np.int32), starts.astype(np.int32), b], [np.linalg.solve(matrix, b)]


def life(rng):
    g = start = rng.integers(0, 2, (37, 50)).astype(np.int32)
    for _ in range(6):
        count = sum(np.roll(g, (dy, dx), (0, 1)) for dy in (-1, 0, 1) for dx in (-1, 0, 1) if dx or dy)
        g = ((count == 3) | ((count == 2) & (g == 1))).astype(np.int32)
    return [start, np.zeros(6, np.int32)], [g]


def soft_focus(rng):
    picture = rng.integers(0, 256, (33, 45)).astype(np.uint8)
    wide = np.pad(picture.astype(np.int64), 2, mode="reflect")
    rows = sum(f * wide[:, i:i + 45] for i, f in enumerate((1, 4, 6, 4, 1)))
    return [picture], [((sum(f * rows[i:i + 33] for i, f in enumerate((1, 4, 6, 4, 1))) + 128) // 256).astype(np.uint8)]


def run(tools, work, example):
    """What is wrong with one example: words for each failure."""
    name = example.__name__
    program = tools.compile(polybricks.ROOT / "examples" / f"{name}.pbcc", work / name)
    inputs, expected = example(np.random.default_rng(5))
    words = []
    for i, value in enumerate(inputs):
        words.append(value if isinstance(value, int) else work / f"{name}_in{i}.npy")
        if not isinstance(value, int):
            np.save(words[-1], value)
    outputs = [work / f"{name}_out{i}.npy" for i in range(len(expected))]
    sampled = polybricks.run_tool([tools.pbtune, "sample", program.path, "--count", NUM_CONFIGURATIONS, "--seed", 3]).stdout
    failures = []
    for number, text in enumerate(["none", *sampled.splitlines()]):
        config, strict = "none", ["--strict"]
        if number > 0:
            config = work / f"{name}_{number}.cfg"
            configuration = json.loads(text)
            if number % 2 == 0:
                configuration["global"]["sequential_cutoff"] = 0
            config.write_text(json.dumps(configuration))
            strict = strict if configuration["global"].get("sequential_cutoff") == 0 else []  # calls below it use no device
        done, _ = program.run(*strict, *words, *outputs, config=config, expect=None)
        if ": local memory (--strict)" in done.stderr:  # the tile is too large for this device
            done, _ = program.run(*words, *outputs, config=config, expect=None)
        if done.returncode != 0:
            failures.append(f"{name}, configuration {number}: exit status {done.returncode}\n{done.stderr}")
            continue
        for path, want in zip(outputs, expected):
            if not np.allclose(np.load(path), want, rtol=1e-8, atol=1e-8):
                failures.append(f"{name}, configuration {number}: {path.name} differs from the reference")
    print(f"{name}: {NUM_CONFIGURATIONS + 1} configurations, {len(failures)} failures")
    return failures


def main():
    args = polybricks.arguments(__doc__).parse_args()
    work = polybricks.fresh_folder(args.work / "examples")
    tools = polybricks.Tools(args.dist)
    examples = (shallow_water, nearest_neighbours, conjugate_gradient, life, soft_focus)
    failures = [words for example in examples for words in run(tools, work, example)]
    print("\n".join(failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
