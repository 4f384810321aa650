# SPDX-License-Identifier: MIT
"""Loops that do things otherwise where matrices are larger than caches: stores past them, across and along rows.

    large_matrices_test.py --dist BUILD/dist --work FOLDER
"""

import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import polybricks  # noqa: E402

# Outputs of 32 MiB and more whose rows begin anywhere in a cache line.
SOURCE = """
main transform Large
from A[w,h], int B[w,h]
to T[h,w], int S[h,w]
{
  T.cell(x,y) from (A.cell(y,x) a) { return 2*a; }
  S.cell(x,y) from (B.cell(y,x) b, B.cell(y,h-1) e) { return b - e; }
}
"""
SHAPE = (2903, 2917)


def main():
    args = polybricks.arguments(__doc__).parse_args()
    work = polybricks.fresh_folder(args.work / "large_matrices")
    (work / "large.pbcc").write_text(SOURCE, encoding="utf-8")
    program = polybricks.Tools(args.dist).compile(work / "large.pbcc", work / "large")
    a = np.arange(SHAPE[0] * SHAPE[1], dtype=float).reshape(SHAPE)
    b = (np.arange(SHAPE[0] * SHAPE[1]) * 7919 % 100003).astype(np.int32).reshape(SHAPE)
    np.save(work / "a.npy", a)
    np.save(work / "b.npy", b)
    wanted = {"t.npy": 2 * a.T, "s.npy": b.T - b[-1][:, None]}
    failures = []
    for threads, split in ((1, 10**8), (2, 1000)):
        entry = program.configuration({}, {"Large": {"split_size": split}}, threads=threads)
        program.write_configuration(work / "run.cfg", entry)
        files = [work / name for name in ("a.npy", "b.npy", *wanted)]
        polybricks.run_tool([program.path, "--config", work / "run.cfg", "--device", "none", *files])
        failures += [f"{name}: other values with {threads} threads, pieces of {split}" for name, values in wanted.items()
                     if not np.array_equal(np.load(work / name), values)]
    print("\n".join(failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
