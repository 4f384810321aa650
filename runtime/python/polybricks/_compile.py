# SPDX-License-Identifier: MIT
"""Makes libraries and programs of sources, once for each content.

A folder of the cache holds what was made of one source with its options. Its name is a hash of the source, of the files that it
includes, of the options and of the compiler. Which files a source includes is known once it was compiled: `KEY.files` lists them.
"""

from __future__ import annotations

import hashlib
import os
import pathlib
import shlex
import tempfile
from typing import Any, List, NamedTuple, Optional, Sequence

from ._library import Library, open_library
from ._tools import PathLike, find_tool, run_tool


class Source(NamedTuple):
    """A program in the language, and how it is compiled."""

    name: str
    text: str
    file: Optional[pathlib.Path]  # None: there is only the text
    options: Sequence[str]
    cache: pathlib.Path

    def library(self) -> pathlib.Path:
        """The file of the library, which is compiled if the cache lacks it."""
        return self._made(f"lib{self.name}.so", ["--library"])

    def program(self, main: Optional[str]) -> pathlib.Path:
        """The file of the program that runs the transform `main`, likewise; None: the one that the source marks."""
        return self._made(self.name, [] if main is None else ["--main", main])

    def _made(self, output: str, options: Sequence[str]) -> pathlib.Path:
        pbc = find_tool("pbc")
        key = _hash_of([self.text, str(self.file), *self.options, *options, _identity_of(pbc)])
        known = self.cache / f"{key}.files"
        if known.is_file():
            folder = self.cache / _hash_of([key, *_contents(known.read_text().splitlines())])
            if (folder / output).is_file():
                return folder / output
        self.cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=self.cache) as work:
            made = pathlib.Path(work) / "made"
            made.mkdir()
            source = str(self.file or f"{self.name}.pbcc")
            if self.file is None:
                (made / source).write_text(self.text)
            run_tool([pbc, source, "-o", made / output, "--depfile", pathlib.Path(work) / "rule", *self.options, *options], made)
            included = [file for file in _files_of_rule((pathlib.Path(work) / "rule").read_text()) if file != source]
            folder = self.cache / _hash_of([key, *_contents(included)])
            try:
                made.replace(folder)
            except OSError:  # another process was faster
                if not (folder / output).is_file():
                    raise
            list_of_files = pathlib.Path(work) / "files"
            list_of_files.write_text("\n".join(included))
            list_of_files.replace(known)
        return folder / output


def _hash_of(parts: Sequence[str]) -> str:
    whole = hashlib.sha256()
    for part in parts:
        whole.update(hashlib.sha256(part.encode()).digest())
    return whole.hexdigest()[:32]


def _contents(files: Sequence[str]) -> List[str]:
    """Names and contents of files; a file that is gone has none."""
    return [f"{name}\n{pathlib.Path(name).read_bytes().hex() if pathlib.Path(name).is_file() else ''}" for name in files]


def _identity_of(pbc: pathlib.Path) -> str:
    """What changes when the compiler or the runtime that it links was built anew."""
    files = [pbc, *(pbc.parent.parent / "lib" / name for name in ("libpbrt.a", "libpbrt.so.0"))]
    return " ".join(f"{file} {os.stat(file).st_mtime_ns} {os.stat(file).st_size}" for file in files if file.is_file())


def _files_of_rule(rule: str) -> List[str]:
    """The prerequisites of a rule of make."""
    text = rule.replace("\\\n", " ").split(": ", 1)[1].split("\n", 1)[0]
    return shlex.split(text.replace("$$", "$"))


def _cache_folder(cache: Optional[PathLike]) -> pathlib.Path:
    if cache is not None:
        return pathlib.Path(cache).absolute()
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return pathlib.Path(base).absolute() / "polybricks" / "python"


def compile(source: PathLike, *, element: str = "double", options: Sequence[str] = (), name: str = "program",
            cache: Optional[PathLike] = None, axes: str = "numpy", **context: Any) -> Library:
    """Makes a library of a program in the language, or takes it from the cache.

    source: the name of a `.pbcc` file, or the text of a program, which is called `name`.
    element: what `ElementT` is, "double" or "float".
    options: further options of `pbc`, as ["--fp", "strict"].
    cache: the folder of what was compiled; `polybricks/python` of the user's cache if not given.
    axes: "numpy" or "pbcc", see `load`, which has the options of contexts, too: config, device, threads, strict, seed.
    """
    is_text = isinstance(source, str) and ("\n" in source or "{" in source)
    file = None if is_text else pathlib.Path(source).absolute()
    text = str(source) if file is None else file.read_text()
    made = Source(name if file is None else file.stem, text, file, ["--element", element, *options], _cache_folder(cache))
    return open_library(made.library(), axes, context, made.program)
