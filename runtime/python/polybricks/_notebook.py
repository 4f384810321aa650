# SPDX-License-Identifier: MIT
"""Cells of notebooks that hold a program: `%load_ext polybricks`, then `%%polybricks NAME` in the first line of a cell."""

from __future__ import annotations

import keyword
import shlex
from typing import Any

from ._compile import compile
from ._errors import ArgumentError, ToolError


def load_ipython_extension(shell: Any) -> None:
    """Called by `%load_ext polybricks`."""
    from IPython.core.error import UsageError

    def compile_cell(line: str, cell: str) -> None:
        """%%polybricks NAME [OPTIONS OF pbc]: compiles the cell and calls the library NAME."""
        try:
            name, *options = shlex.split(line) or [""]
        except ValueError as error:
            raise UsageError(f"the first line: {error}") from None
        if not name.isidentifier() or keyword.iskeyword(name):
            raise UsageError("the first line is `%%polybricks NAME`, with options of pbc behind it")
        try:
            shell.user_ns[name] = compile(cell, name=name, options=options)
        except (ArgumentError, ToolError) as error:
            raise UsageError(f"\n{error}") from None

    shell.register_magic_function(compile_cell, "cell", "polybricks")
