# SPDX-License-Identifier: MIT
"""Runs `pbtune` on arrays."""

from __future__ import annotations

import pathlib
import re
import signal
import subprocess
import tempfile
from typing import Any, Dict, List, Mapping, NamedTuple, Sequence, Tuple

import numpy

from ._errors import ToolError
from ._tools import find_tool, state_of


class Tuning(NamedTuple):
    """What is tuned, and where the configuration goes."""

    program: pathlib.Path
    output: pathlib.Path
    axes: str


def checked_numbers(numbers: Any) -> Mapping[str, Any]:
    """What no matrix says, by name; raises TypeError unless it is a dictionary."""
    if not isinstance(numbers, Mapping):
        raise TypeError(f'numbers is a dictionary, as {{"k": 3}}, not {numbers!r}')
    return numbers


def _options_of(wishes: Dict[str, Any]) -> List[str]:
    """The options of `pbtune` for the keyword arguments of `tune`."""
    known = {"effort": "--effort", "time_limit": "--time-limit", "device": "--device", "threads": "--threads", "device_memory": "--device-memory",
             "device_limit": "--device-limit"}
    options: List[str] = []
    for name, value in wishes.items():
        if name == "numbers":
            options += [word for number in checked_numbers(value).items() for word in ("--set", "{}={}".format(*number))]
        elif name not in known:
            raise TypeError(f"there is no option `{name}`; there are {', '.join(known)}, numbers, output, program and verbose")
        elif value is not None:
            options += [known[name], str(value)]
    return options


def _run(command: Sequence[str], is_verbose: bool) -> Tuple[str, bool]:
    """Runs the tuner. Returns the end of what it printed, and whether it came to its end. It has a group of its own, so that Ctrl-C reaches it once, from here."""
    lines: List[str] = []
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                          start_new_session=True) as process:
        assert process.stdout is not None
        while True:
            try:
                for line in process.stdout:
                    lines = [*lines[-20:], line]
                    if is_verbose:
                        print(line, end="", flush=True)
                break
            except KeyboardInterrupt:
                process.send_signal(signal.SIGINT)
    printed = re.sub(r"--size (\w+)=VALUE", r'numbers={"\1": …}', "".join(lines)).strip()
    if process.returncode not in (0, 128 + signal.SIGINT, -signal.SIGINT):
        raise ToolError(printed or f"pbtune ended with status {process.returncode}")
    return printed, process.returncode == 0


def tune(tuning: Tuning, inputs: Sequence[numpy.ndarray[Any, Any]], wishes: Dict[str, Any]) -> pathlib.Path:
    """Writes the configuration and returns its name.

    Errors: ToolError if pbtune fails, or is interrupted before it has found anything
    """
    is_verbose = wishes.pop("verbose", False)
    options = _options_of(wishes)
    before = state_of(tuning.output)
    with tempfile.TemporaryDirectory() as folder:
        files = [str(pathlib.Path(folder) / f"input{number}.npy") for number in range(len(inputs))]
        for file, array in zip(files, inputs):
            numpy.save(file, array if tuning.axes == "numpy" else array.T)
        command = [str(find_tool("pbtune")), str(tuning.program), "-o", str(tuning.output), *options]
        printed, is_over = _run([*command, *(["--inputs", *files] if files else [])], is_verbose)
    now = state_of(tuning.output)
    if now == () or (now == before and not is_over):  # a search that is over may keep what was there
        raise ToolError(printed or "pbtune wrote no configuration")
    return tuning.output
