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
FEED, KILL = 0.037, 0.06


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


def edges(rng):
    picture = rng.integers(0, 256, (28, 37)).astype(np.uint8)
    wide = np.pad(picture.astype(np.float64), 1, mode="edge")
    rows = wide[:-2] + 2 * wide[1:-1] + wide[2:]
    columns = wide[:, :-2] + 2 * wide[:, 1:-1] + wide[:, 2:]
    return [picture], [np.hypot(rows[:, 2:] - rows[:, :-2], columns[2:] - columns[:-2]).astype(np.float32) / 4]


def dither(rng):
    picture = rng.integers(0, 256, (21, 34)).astype(np.uint8)
    height, width = picture.shape
    result, errors = np.zeros_like(picture), np.zeros((height + 1, width + 2), int)
    for y in range(height):
        for x in range(width):
            spread = 7 * errors[y + 1, x] + errors[y, x:x + 3] @ (1, 5, 3)
            wanted = int(picture[y, x]) + int(spread / 16)  # rounded towards zero, as in C++
            result[y, x] = 0 if wanted < 128 else 255
            errors[y + 1, x + 1] = wanted - result[y, x]
    return [picture], [result]


def reaction_diffusion(rng):
    u, v = start_u, start_v = rng.random((19, 26)), rng.random((19, 26)) / 2
    for _ in range(8):
        around_u, around_v = [sum(np.roll(f, shift, axis) for shift in (-1, 1) for axis in (0, 1)) - 4 * f for f in (u, v)]
        eaten = u * v * v
        u, v = u + 0.2 * around_u - eaten + FEED * (1 - u), v + 0.1 * around_v + eaten - (FEED + KILL) * v
    return [8, start_u, start_v], [v]


def sorting_network(rng):
    numbers = rng.normal(size=43)
    rounds = [numbers]
    for k in range(1, len(numbers) + 1):
        row = rounds[-1].copy()
        for i in range(k % 2, len(row) - 1, 2):
            row[i:i + 2] = sorted(row[i:i + 2])
        rounds.append(row)
    return [numbers], [np.array(rounds)]


def spheres(rng):
    width, height = 33, 24
    cloud = np.column_stack([rng.uniform(-5, 5, 40), rng.uniform(-4, 4, 40), rng.uniform(4, 12, 40), rng.uniform(0.2, 1, 40)])
    centres, radii = cloud[:, :3], cloud[:, 3]
    v, u = np.meshgrid((2 * np.arange(height) + 1) / width - height / width, (2 * np.arange(width) + 1) / width - 1, indexing="ij")
    rays = np.stack([u, v, np.ones_like(u)], axis=-1)
    along, squares = rays @ centres.T, (rays ** 2).sum(axis=-1, keepdims=True)
    roots = along ** 2 - squares * ((centres ** 2).sum(axis=1) - radii ** 2)
    t = np.where(roots < 0, np.inf, (along - np.sqrt(np.maximum(roots, 0))) / squares)
    first = np.argmin(t, axis=-1)
    nearest = np.min(t, axis=-1)
    is_hit = nearest < np.inf
    depth = np.where(is_hit, nearest, 0)
    normals = (depth[..., None] * rays - centres[first]) / radii[first][..., None]
    bright = np.maximum(0, normals @ (-0.4, -0.7, -0.6))
    mist = np.where(is_hit, np.exp(-0.12 * depth), 0)
    return [("--size", f"w={width}"), ("--size", f"h={height}"), cloud], [255 * (mist * bright + (1 - mist) * (0.35 - 0.25 * v))]


def words_of(work, name, inputs):
    """The words of the command line for the inputs of an example: options, whole numbers, and arrays as files."""
    words = []
    for i, value in enumerate(inputs):
        if isinstance(value, np.ndarray):
            np.save(work / f"{name}_in{i}.npy", value)
            words.append(work / f"{name}_in{i}.npy")
        else:
            words += value if isinstance(value, tuple) else [value]
    return words


def run(tools, work, example):
    """What is wrong with one example: words for each failure."""
    name = example.__name__
    program = tools.compile(polybricks.ROOT / "examples" / f"{name}.pbcc", work / name)
    inputs, expected = example(np.random.default_rng(5))
    words = words_of(work, name, inputs)
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
            tolerance = 1e-5 if getattr(want, "dtype", None) == np.float32 else 1e-8
            if not np.allclose(np.load(path), want, rtol=tolerance, atol=tolerance):
                failures.append(f"{name}, configuration {number}: {path.name} differs from the reference")
    print(f"{name}: {NUM_CONFIGURATIONS + 1} configurations, {len(failures)} failures")
    return failures


def main():
    args = polybricks.arguments(__doc__).parse_args()
    work = polybricks.fresh_folder(args.work / "examples")
    tools = polybricks.Tools(args.dist)
    examples = (shallow_water, nearest_neighbours, conjugate_gradient, life, soft_focus, edges, dither, reaction_diffusion,
                sorting_network, spheres)
    failures = [words for example in examples for words in run(tools, work, example)]
    print("\n".join(failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
