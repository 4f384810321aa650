# SPDX-License-Identifier: MIT
"""The Python package, as scripts of users have it.

    python_test.py --dist BUILD/dist --work FOLDER
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import polybricks  # noqa: E402
from polybricks import check, run_tool  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent / "python"
MAX_CALLS_OF_NUMPY = 18       # that take as long as a call of ours: 5 µs where one takes 0.28


def main():
    args = polybricks.arguments(__doc__).parse_args()
    if not polybricks.has_package(args.dist):
        return polybricks.status_without("the Python package")
    work = polybricks.fresh_folder(args.work.resolve() / "python")
    environment = polybricks.package_environment(args.dist, work)
    for script in ("calls", "compiling", "interrupts", "tuning"):
        print(run_tool([sys.executable, HERE / f"{script}.py"], cwd=work, env=environment).stdout, end="", flush=True)
    median_us, smallest_us, numpy_us = map(float, run_tool([sys.executable, HERE / "costs.py"], cwd=work, env=environment).stdout.split())
    words = f"a call for 16 elements takes {median_us:.1f} µs, at least {smallest_us:.1f}; one of numpy.add {numpy_us:.2f}"
    print(words)
    # Other programs of the machine make the median longer, and slower machines all of them.
    check(smallest_us <= MAX_CALLS_OF_NUMPY * numpy_us, words)
    return 0


if __name__ == "__main__":
    sys.exit(main())
