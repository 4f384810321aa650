# SPDX-License-Identifier: MIT
"""The Python package, as scripts of users have it.

    python_test.py --dist BUILD/dist --work FOLDER
"""

import os
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
        return polybricks.status_without_package()
    package = args.dist.resolve() / "python"
    work = polybricks.fresh_folder(args.work.resolve() / "python")
    environment = {**os.environ, "PYTHONPATH": str(package), "XDG_CACHE_HOME": str(work / "cache"), "PYTHONDONTWRITEBYTECODE": "1"}
    environment.pop("POLYBRICKS_HOME", None)
    for script in ("calls", "interrupts", "tuning"):
        print(run_tool([sys.executable, HERE / f"{script}.py"], cwd=work, env=environment).stdout, end="", flush=True)
    cost_us = float(run_tool([sys.executable, HERE / "costs.py"], cwd=work, env=environment).stdout)
    print(f"a call for 16 elements takes {cost_us:.1f} µs")
    check(cost_us <= MAX_CALL_US, f"a call for 16 elements takes {cost_us:.1f} µs, more than {MAX_CALL_US}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
