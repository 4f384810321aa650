# SPDX-License-Identifier: MIT
"""Contractions that run in tiles and blocks on the CPU: all forms of loops agree.

    cpu_blocks_test.py --dist BUILD/dist --work FOLDER

Without fused multiplications and additions, tiles give the bits of the other loops, because an instance keeps its order. With them,
both agree with NumPy. The extents are odd, so that tiles overlap; folds are longer than a block of rounds.
"""

import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import arrays  # noqa: E402
import polybricks  # noqa: E402

NEVER, BY_SIZE, ALWAYS = 0, 1, 2
PROGRAM = """
main transform Contractions
from A[k, m], B[n, k], P[k, n], V[n], Stack[n, k, 3], In[w, h, c], Weights[3, 2, c, f], Old[n, m]
through Weight[n, m]
to Product[n, m], Distances[n, m], Nearest[n, m], Updated[n, m], Batches[n, m, 3], Layer[w-2, h-1, f], Reversed[n, m], Pairs[n, m],
   Activated[n, m], Turned[n, m], Least[n, m], int Place[n, m], Below[n, m], Band[n, m], Gram[k, k], Scaled[n, m]
tolerance 1e-4, 1e-4
{
  Product.cell(x, y) from (A.row(y) a, B.column(x) b) {
    ElementT sum = 0;
    for (int i = 0; i < k; i++) sum += a.cell(i) * b.cell(i);
    return sum;
  }
  // Rows of two matrices, a value before the fold and one behind it.
  Distances.cell(x, y) from (A.row(y) a, P.row(x) p, V.cell(x) bias) {
    const ElementT scale = 1 + bias * bias;
    ElementT sum = 0;
    for (int i = 0; i < a.width(); i++) {
      const ElementT d = a.cell(i) - p.cell(i) * scale;
      sum += d * d;
    }
    return sqrt(sum) + bias;
  }
  Nearest.cell(x, y) from (A.row(y) a, P.row(x) p) {
    ElementT least = 1000;
    for (int i = 0; i < k; i++) least = min(least, a.cell(i) + p.cell(i));
    return least;
  }
  // The old value counts, too.
  to (Updated.cell(x, y) u) from (A.row(y) a, B.column(x) b) {
    u = x - y;
    for (int i = 1; i <= k - 2; i++) u += a.cell(i) * b.cell(i);
  }
  Batches.cell(x, y, z) from (A.row(y) a, Stack.region(x, 0, z, x+1, k, z+1) b) {
    ElementT sum = 0;
    for (int i = 0; i < k; i++) sum += a.cell(i) * b.cell(0, i, 0);
    return sum;
  }
  Layer.cell(x, y, z) from (In.region(x, y, 0, x+3, y+2, c) in, Weights.region(0, 0, 0, z, 3, 2, c, z+1) weights) {
    ElementT sum = 0;
    for (int i = 0; i < c; i++)
      for (int j = 0; j < 2; j++)
        for (int l = 0; l < 3; l++) sum += in.cell(l, j, i) * weights.cell(l, j, i, 0);
    return sum > 0 ? sum : 0;
  }
  Reversed.cell(x, y) from (A.row(m-1-y) a, B.column(n-1-x) b) {
    ElementT sum = 0;
    for (int i = 0; i < k; i++) sum += a.cell(i) * b.cell(i);
    return sum;
  }
  // Two values per instance, and an input that is read outside of the fold.
  Pairs.cell(x, y) from (A.row(y) a, B.column(x) b) {
    ElementT sum = a.cell(0), squares = 0;
    for (int i = 0; i < k; i++) {
      sum += a.cell(i) * b.cell(i);
      squares += b.cell(i) * b.cell(i);
    }
    return sum - squares;
  }
  // A function of vectors.
  Activated.cell(x, y) from (A.row(y) a, B.column(x) b, V.cell(x) bias) {
    ElementT sum = 0;
    for (int i = 0; i < k; i++) sum += a.cell(i) * b.cell(i);
    return tanh(sum / 8 + bias);
  }
  // Rounds walk backwards through one input, of which there is no panel. Its columns have no dimension with neighbours.
  Turned.cell(x, y) from (A.row(y) a, B.column(x) b) {
    ElementT sum = 0;
    for (int i = 0; i < k; i++) sum += a.cell(i) * b.cell(k-1-i);
    return sum;
  }
  // Branches that instances take in different ways, in the fold and behind it.
  to (Least.cell(x, y) least, Place.cell(x, y) place) from (A.row(y) a, B.column(x) b) {
    ElementT best = 1000;
    int at = -1;
    for (int i = 0; i < k; i++) {
      const ElementT value = a.cell(i) * b.cell(i);
      if (value < best) {
        best = value;
        at = i;
      }
    }
    if (best < -0.5) best = best * 2;
    least = best;
    place = at;
  }
  // Instances below a diagonal, which other inputs have, too.
  Below.cell(x, y) from (A.row(y) a, B.column(x) b, Old.cell(x, y) old, V.cell(x) bias) where x <= y + 3 {
    ElementT sum = 0;
    for (int i = 0; i < k; i++) sum += a.cell(i) * b.cell(i);
    return 2 * old + sum * bias;
  }
  Below.cell(x, y) from (Old.cell(x, y) old) where x > y + 3 { return old; }
  // A band that two other borders cut. Its value depends on the place.
  Band.cell(x, y) from (A.row(y) a, P.row(x) p) where x <= y + 30 && y <= x + 7 && x + y >= 9 && x + y < n + m - 12 {
    ElementT sum = x - y;
    for (int i = 0; i < k; i++) sum += a.cell(i) * p.cell(i);
    return sum;
  }
  secondary Band.cell(x, y) from () { return -1; }
  // Half of a symmetric matrix, and the other half from it.
  Gram.cell(j, i) from (A.column(i) a, A.column(j) b) where j >= i {
    ElementT sum = 0;
    for (int r = 0; r < m; r++) sum += a.cell(r) * b.cell(r);
    return sum;
  }
  Gram.cell(j, i) from (Gram.cell(i, j) c) where j < i { return c; }
  // Steps before make what its points read that are no instances.
  Weight.cell(x, y) from (Old.cell(x, y) old, V.cell(x) v) { return old * v; }
  Scaled.cell(x, y) from (A.row(y) a, B.column(x) b, Weight.cell(x, y) weight) where x >= y {
    ElementT sum = 0;
    for (int i = 0; i < k; i++) sum += a.cell(i) * b.cell(i);
    return sum * weight;
  }
  Scaled.cell(x, y) from (Weight.cell(x, y) weight) where x < y { return -weight; }
}
"""
TILED = {"Product", "Distances", "Nearest", "Updated", "Batches", "Layer", "Activated", "Turned", "Least", "Below", "Band", "Gram", "Scaled"}


def expected(a, b, p, v, stack, image, weights, old):
    a, b, p, v, stack, image, weights, old = (each.astype(np.longdouble) for each in (a, b, p, v, stack, image, weights, old))
    m, n, k = a.shape[0], b.shape[1], a.shape[1]
    product = a @ b
    distances = np.sqrt(((a[:, None, :] - p[None, :, :] * (1 + v * v)[None, :, None]) ** 2).sum(2)) + v[None, :]
    inner = a[:, 1:max(1, k - 1)] @ b[1:max(1, k - 1)] + np.arange(n)[None, :] - np.arange(m)[:, None]
    width, height = image.shape[2] - 2, image.shape[1] - 1
    layer = sum(np.einsum("chw,fc->fhw", image[:, j:j + height, i:i + width], weights[:, :, j, i]) for j in range(2) for i in range(3))
    x, y = np.arange(n)[None, :], np.arange(m)[:, None]
    is_in_band = (x <= y + 30) & (y <= x + 7) & (x + y >= 9) & (x + y < n + m - 12)
    terms = a[:, None, :] * b.T[None, :, :]
    return {"Product": product, "Distances": distances, "Nearest": (a[:, None, :] + p[None, :, :]).min(2), "Updated": inner,
            "Batches": np.stack([a @ part for part in stack]), "Layer": np.maximum(layer, 0), "Reversed": product[::-1, ::-1],
            "Pairs": product + a[:, :1] - (b * b).sum(0)[None, :], "Activated": np.tanh(product / 8 + v[None, :]),
            "Turned": a @ b[::-1],
            "Least": np.where(terms.min(2) < -0.5, 2, 1) * terms.min(2), "Place": terms.argmin(2),
            "Below": np.where(x <= y + 3, 2 * old + product * v[None, :], old),
            "Band": np.where(is_in_band, a @ p.T + x - y, -1), "Gram": a.T @ a,
            "Scaled": old * v[None, :] * np.where(x >= y, product, -1)}


def main():
    args = polybricks.arguments(__doc__).parse_args()
    work = polybricks.fresh_folder(args.work / "cpu_blocks")
    tools = polybricks.Tools(args.dist)
    rng = np.random.default_rng(polybricks.seed())
    (work / "contractions.pbcc").write_text(PROGRAM)
    num_runs = 0
    for element, kind, options in (("double", np.float64, ["--fp=strict"]), ("float", np.float32, ["--fp=strict"]), ("double", np.float64, [])):
        program = tools.compile(work / "contractions.pbcc", work / f"{element}{len(options)}", "--element", element, *options)
        name, data = next(iter(program.info["transforms"].items()))
        blocks = [tunable for tunable, values in data["tunables"].items() if values["role"] == "blocks"]
        packs = [tunable for tunable, values in data["tunables"].items() if values["role"] == "packs"]
        tiled = {output for tunable in blocks for output in tunable.split("#")[0].split("+")}
        polybricks.check(TILED <= tiled, f"only {blocks} have tiles")
        for n, m, k, w, h, c, f in ((1, 1, 1, 3, 2, 1, 1), (37, 21, 300, 29, 5, 7, 9), (129, 67, 33, 52, 9, 300, 17), (24, 8, 600, 10, 3, 2, 40)):
            shapes = (m, k), (k, n), (n, k), (n,), (3, k, n), (c, h, w), (f, c, 2, 3), (m, n)
            matrices = [rng.uniform(-1, 1, shape).astype(kind) for shape in shapes]
            inputs = arrays.save(work, matrices)
            values = expected(*matrices)
            first = None
            for rule, threads, in_packs in ((NEVER, 1, 0), (NEVER, 2, 1), (BY_SIZE, 2, 1), (ALWAYS, 1, 1), (ALWAYS, 2, 1)):
                tunables = {tunable: rule for tunable in blocks} | {tunable: in_packs for tunable in packs}
                config = program.configuration({}, {name: tunables}, sequential_cutoff=0, threads=threads)
                got, _ = arrays.run(program, work, inputs, list(values), "--device", "none", entry=config)
                num_runs += 1
                where = f"{element} {options}, extents {shapes}, blocks {rule}, packs {in_packs}, {threads} threads, seed {polybricks.seed()}"
                limit = 4096 * np.finfo(kind).eps
                for output, value in values.items():
                    polybricks.check(np.allclose(got[output], value.astype(got[output].dtype), limit, limit), f"{output}, {where}: {got[output]} is not {value}")
                    if options and first is not None:
                        of_bits = f"u{got[output].dtype.itemsize}"
                        polybricks.check(np.array_equal(got[output].view(of_bits), first[output].view(of_bits)), f"{output}, {where}: other bits")
                first = first or got
    print(f"{num_runs} runs, all forms agree")
    return 0


if __name__ == "__main__":
    sys.exit(main())
