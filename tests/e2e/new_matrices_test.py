# SPDX-License-Identifier: MIT
"""Matrices that a body allocates: a program of `pbc --checked` tests their indices as those of the rule's regions.

    new_matrices_test.py --dist BUILD/dist --work FOLDER
"""

import pathlib
import re
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import polybricks  # noqa: E402
from polybricks import check  # noqa: E402

PROGRAM = """transform Pick
from int At
to Out[2]
{
  Out.cell(i) from (At at) {
    auto line = allocate<int>(3);
    auto plane = allocate<double>(4, 2);
    auto like = allocate<ElementT>(plane);
    if (i == 0) return 0;
    if (at < 5) return line.cell(at);
    if (at < 10) return plane.cell(0, at - 5);
    if (at < 20) return like.row(1).cell(at - 10);
    return plane.region(1, 0, at - 20, 2).count();
  }
}
"""
INSIDE = (0, 2, 6, 13, 24)
OUTSIDE = {3: "index 3 of dimension 0 lies outside a region of size 3", -1: "index -1 of dimension 0 lies outside a region of size 3",
           7: "index 2 of dimension 1 lies outside a region of size 2", 14: "index 4 of dimension 0 lies outside a region of size 4",
           25: "[1, 5) of dimension 0 lies outside a region of size 4"}


def main():
    args = polybricks.arguments(__doc__).parse_args()
    work = polybricks.fresh_folder(args.work / "new_matrices")
    (work / "pick.pbcc").write_text(PROGRAM)
    program = polybricks.Tools(args.dist).compile(work / "pick.pbcc", work / "pick", "--checked")
    for at in INSIDE:
        program.run("--set", f"At={at}", work / "out.npy", config="none")
    check(np.load(work / "out.npy")[1] == 6, "a region of 3 by 2 cells")
    for at, words in OUTSIDE.items():
        done, _ = program.run("--set", f"At={at}", work / "none.npy", config="none", expect=1)
        place = "pick.pbcc:5: rule Pick.Out#1 at i = 1: "
        check(re.search(re.escape(place + words), done.stderr), f"At = {at}: {done.stderr}")
        check(not (work / "none.npy").exists(), "a run that stopped writes nothing")
    return 0


if __name__ == "__main__":
    sys.exit(main())
