# SPDX-License-Identifier: MIT
"""The notebooks of examples/notebook run from their first cell to their last.

    notebook_test.py --dist BUILD/dist --work FOLDER
"""

import importlib.util
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import polybricks  # noqa: E402
from polybricks import check, run_tool  # noqa: E402

RUNNER = pathlib.Path(__file__).resolve().parent / "python" / "notebook.py"


def main():
    args = polybricks.arguments(__doc__).parse_args()
    if not polybricks.has_package(args.dist):
        return polybricks.status_without("the Python package")
    for module in ("IPython", "matplotlib"):
        if importlib.util.find_spec(module) is None:
            return polybricks.status_without(module)
    work = polybricks.fresh_folder(args.work.resolve() / "notebook")
    notebooks = sorted((polybricks.ROOT / "examples" / "notebook").glob("*.ipynb"))
    check(notebooks, "there are notebooks")
    for notebook in notebooks:
        print(run_tool([sys.executable, RUNNER, notebook], cwd=work, env=polybricks.package_environment(args.dist, work)).stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
