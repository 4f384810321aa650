# SPDX-License-Identifier: MIT
"""The first compilation with a new dist folder uses the headers that were precompiled with it: nothing is put into the user's cache.

    first_run_test.py --dist BUILD/dist --work FOLDER
"""

import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import polybricks  # noqa: E402


def main():
    args = polybricks.arguments(__doc__).parse_args()
    work = polybricks.fresh_folder(args.work / "first_run")
    env = {name: value for name, value in os.environ.items() if name not in ("CXX", "POLYBRICKS_HOME")}
    env["XDG_CACHE_HOME"] = str(work / "cache")
    source = polybricks.ROOT / "examples" / "test_picture.pbcc"
    polybricks.run_tool([args.dist / "bin" / "pbc", source, "-o", work / "first"], env=env)
    made = sorted(path.name for path in (work / "cache").rglob("*"))
    there = sorted(path.name for path in (args.dist / "lib" / "polybricks" / "headers").rglob("*.gch"))
    print(f"precompiled with the dist folder: {there}; for the user: {made}")
    return 0 if there and not made else 1


if __name__ == "__main__":
    sys.exit(main())
