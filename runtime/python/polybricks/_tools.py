# SPDX-License-Identifier: MIT
"""Finds and runs `pbc` and `pbtune`, and tells whether files changed."""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
from typing import Any, List, Optional, Sequence, Tuple, Union

from ._errors import ToolError

PathLike = Union[str, "os.PathLike[str]"]


def find_tool(name: str) -> pathlib.Path:
    """The tool of $POLYBRICKS_HOME, of the package itself, of the build or archive that the package lies in, or of the PATH."""
    package = pathlib.Path(__file__).resolve().parent
    homes = [os.environ.get("POLYBRICKS_HOME"), package / "home", package.parent.parent]
    for home in homes:
        if home and (pathlib.Path(home) / "bin" / name).is_file():
            return pathlib.Path(home) / "bin" / name
    found = shutil.which(name)
    if found is None:
        raise ToolError(f"`{name}` is neither beside the package nor on the PATH; POLYBRICKS_HOME may name the folder of its `bin`")
    return pathlib.Path(found).resolve()


def run_tool(command: Sequence[Any], folder: Optional[pathlib.Path] = None) -> str:
    """Runs a tool, in `folder`, and returns its messages; they are the exception's if it fails."""
    words: List[str] = [os.fspath(word) if isinstance(word, os.PathLike) else str(word) for word in command]
    done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace",
                          cwd=folder)
    if done.returncode != 0:
        raise ToolError(done.stderr.strip() or f"`{' '.join(words)}` ended with status {done.returncode}")
    return done.stderr.strip()


def state_of(file: pathlib.Path) -> Tuple[int, ...]:
    """What changes when a file is written anew; of a file that is missing it is empty."""
    try:
        state = os.stat(file)
    except OSError:
        return ()
    return state.st_mtime_ns, state.st_size, state.st_ino
