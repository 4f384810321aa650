# SPDX-License-Identifier: MIT
"""Which options of `pbc` `compile` hands on, and how."""

from __future__ import annotations

import os
import pathlib
from typing import List, Sequence

from ._errors import ArgumentError

# With these pbc makes no library, or another than `compile` asks for.
REFUSED = ("--check", "--depfile", "--emit", "--explain", "--format", "--help", "-h", "--library", "--output", "-o", "--precompile", "--version")


def _words_of(options: Sequence[str]) -> List[str]:
    if isinstance(options, (str, bytes)):
        raise TypeError(f'options is a list, as ["--fp", "strict"], not {options!r}')
    words = [os.fspath(word) if isinstance(word, os.PathLike) else word for word in options]
    for word in words:
        if not isinstance(word, str):
            raise TypeError(f'options is a list of words, as ["--fp", "strict"], and {word!r} is no str')
    return words


def checked_options(options: Sequence[str]) -> List[str]:
    """The options as words, with absolute names of files: pbc runs in another folder than its caller.

    Errors: TypeError; ArgumentError for options that `compile` cannot use
    """
    words = _words_of(options)
    for i, word in enumerate(words):
        name, equals, value = word.partition("=")
        if name in REFUSED or (word.startswith("-o") and not word.startswith("--")):
            raise ArgumentError(f"`{name}` cannot be among the options: `compile` makes a library, and decides where it lies")
        if name == "--config" and equals:
            words[i] = f"{name}={pathlib.Path(value).absolute()}"
        elif i > 0 and words[i - 1] == "--config":
            words[i] = str(pathlib.Path(word).absolute())
    return words
