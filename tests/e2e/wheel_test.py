# SPDX-License-Identifier: MIT
"""`pip install .` into a virtual environment: the package there needs nothing else of this repository.

    wheel_test.py --dist BUILD/dist --work FOLDER

What was built before is packed, since a build from nothing takes minutes.
"""

import importlib.util
import os
import pathlib
import sys
import venv

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import polybricks  # noqa: E402
from polybricks import check, run_tool  # noqa: E402

SCRIPT = """
import numpy as np
import polybricks as pb

twice = pb.compile("transform Twice from A[n] to B[n] { B.cell(i) from (A.cell(i) a) { return 2 * a; } }", options=%s)
twice.Twice.tune(np.ones(1000), time_limit=1)
print(twice.Twice(np.ones(3)), pb.__file__)
"""


def main():
    args = polybricks.arguments(__doc__).parse_args()
    if not polybricks.has_package(args.dist):
        return polybricks.status_without("the Python package")
    if importlib.util.find_spec("ensurepip") is None:
        return polybricks.status_without("python3-venv")
    work = polybricks.fresh_folder(args.work.resolve() / "wheel")
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "POLYBRICKS_HOME")}
    environment.update(PATH="/usr/bin:/bin", XDG_CACHE_HOME=str(work / "cache"))
    venv.create(work / "venv", system_site_packages=True, with_pip=True)  # NumPy is the system's
    python = work / "venv" / "bin" / "python"
    run_tool([python, "-m", "pip", "install", "--no-index", "--no-deps", "--config-settings", f"build-dir={args.dist.resolve().parent}", polybricks.ROOT],
             env=environment, cwd=work)
    printed = run_tool([python, "-c", SCRIPT % []], env=environment, cwd=work).stdout
    check(printed.startswith("[2. 2. 2.] ") and str(work / "venv") in printed, printed)
    done = run_tool([python, "-c", SCRIPT % ["--checked"]], expect=1, env={**environment, "CXX": "no-compiler"}, cwd=work)
    check("ToolError: pbc: error: cannot run the C++ compiler `no-compiler`" in done.stderr and "apt-get install g++" in done.stderr, done.stderr)
    run_tool([python, "-m", "pip", "uninstall", "--yes", "polybricks"], env=environment, cwd=work)
    check(not list((work / "venv").rglob("polybricks*")), "pip removes all that it has installed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
