# SPDX-License-Identifier: MIT
"""Executes a notebook, cell by cell, as its kernel would: notebook.py FILE. The last figure must show as many lines as there are labels."""

import json
import pathlib
import sys

import matplotlib

matplotlib.use("Agg")
from IPython.core.interactiveshell import InteractiveShell  # noqa: E402
from matplotlib import pyplot  # noqa: E402


def main():
    cells = json.loads(pathlib.Path(sys.argv[1]).read_text())["cells"]
    programs = [cell for cell in cells if cell["cell_type"] == "code"]
    assert all(not cell["outputs"] for cell in programs), "outputs are not kept in the repository"
    shell = InteractiveShell.instance()
    for cell in programs:
        shell.run_cell("".join(cell["source"])).raise_error()
    (axis,) = pyplot.gcf().axes
    lines = axis.get_lines()
    assert len(lines) == 2 and all(min(line.get_ydata()) > 0 for line in lines), "times by size are plotted"


if __name__ == "__main__":
    main()
