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
MAX_CALL_US = 5


def main():
    args = polybricks.arguments(__doc__).parse_args()
    if not polybricks.has_package(args.dist):
        return polybricks.status_without("the Python package")
    work = polybricks.fresh_folder(args.work.resolve() / "python")
    environment = polybricks.package_environment(args.dist, work)
    for script in ("calls", "interrupts", "tuning"):
        print(run_tool([sys.executable, HERE / f"{script}.py"], cwd=work, env=environment).stdout, end="", flush=True)
    median_us, smallest_us = map(float, run_tool([sys.executable, HERE / "costs.py"], cwd=work, env=environment).stdout.split())
    print(f"a call for 16 elements takes {median_us:.1f} µs, at least {smallest_us:.1f} µs")
    # Other programs of the machine make the median longer.
    check(smallest_us <= MAX_CALL_US, f"a call for 16 elements takes {smallest_us:.1f} µs, more than {MAX_CALL_US}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
