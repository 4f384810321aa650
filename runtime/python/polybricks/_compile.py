# SPDX-License-Identifier: MIT
"""Makes libraries and programs of sources, once for each content.

A folder of the cache holds what was made of one source with its options. Its name is a hash of the source, of the files that it
includes, of the options, of the compilers and of the processor, whose instructions they use. Which files a source includes is known once it
was compiled: `KEY.files` lists them.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import pathlib
import platform
import re
import shutil
import tempfile
import warnings
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Sequence

from ._compiler_options import checked_options
from ._errors import ArgumentError, CompileWarning, ToolError
from ._library import Library, open_library
from ._tools import PathLike, find_tool, run_tool, state_of


class Made(NamedTuple):
    """A file that `pbc` made."""

    file: pathlib.Path
    included: Dict[str, str]  # the files that the source includes, and hashes of their contents
    messages: str  # warnings; "" if it was in the cache


class Source(NamedTuple):
    """A program in the language, and how it is compiled."""

    name: str
    text: str
    file: Optional[pathlib.Path]  # None: there is only the text
    options: Sequence[str]
    cache: pathlib.Path

    def library(self) -> Made:
        """The library, which is compiled if the cache lacks it."""
        return self._made(f"lib{self.name}.so", ["--library"])

    def program(self, library: Made, main: Optional[str]) -> pathlib.Path:
        """The file of the program that runs the transform `main`, likewise; None: the one that the source marks.

        Errors: ArgumentError if a file has changed since the library was made of it
        """
        self._refuse_changes(library.included)
        made = self._made(self.name, [] if main is None else ["--main", main])
        self._refuse_changes(library.included)
        return made.file

    def _refuse_changes(self, included: Dict[str, str]) -> None:
        changed = [name for name, content in included.items() if content != _content_of(name)]
        if self.file is not None and (not self.file.is_file() or self.file.read_text() != self.text):
            changed.insert(0, str(self.file))
        if changed:
            raise ArgumentError(f"{changed[0]} changed since it was compiled: compile it again")

    def _made(self, output: str, options: Sequence[str]) -> Made:
        pbc = find_tool("pbc")
        key = _hash_of([self.name, self.text, str(self.file), *self.options, *options, _identity_of(pbc), _identity_of_cpp(), _processor()])
        known = self.cache / f"{key}.files"
        if os.path.isfile(known):
            included = _contents_of(json.loads(known.read_text()))
            folder = self._entry(key, included)
            if (folder / output).is_file():
                return Made(folder / output, included, "")
        with _work_folder(self.cache) as work:
            made = pathlib.Path(work) / "made"
            made.mkdir()
            source = str(self.file or f"{self.name}.pbcc")
            if self.file is None:
                (made / source).write_text(self.text)
            messages = run_tool([pbc, source, "-o", made / output, "--depfile", pathlib.Path(work) / "rule", *self.options, *options], made)
            included = _contents_of(file for file in _files_of_rule(os.fsdecode((pathlib.Path(work) / "rule").read_bytes())) if file != source)
            self._refuse_changes(included)
            folder = self._entry(key, included)
            _put(made, folder, output)
            list_of_files = pathlib.Path(work) / "files"
            list_of_files.write_text(json.dumps(list(included)))
            list_of_files.replace(known)
        return Made(folder / output, included, messages)

    def _entry(self, key: str, included: Dict[str, str]) -> pathlib.Path:
        """The folder of the cache for a source whose includes are these."""
        return self.cache / _hash_of([key, *(part for file in included.items() for part in file)])


def _put(made: pathlib.Path, entry: pathlib.Path, output: str) -> None:
    """Moves the folder `made` to its place in the cache."""
    try:
        made.replace(entry)
    except OSError:
        if (entry / output).is_file():  # another process was faster
            return
        entry.replace(made.parent / "broken")  # somebody has removed files there
        made.replace(entry)


def _work_folder(cache: pathlib.Path) -> tempfile.TemporaryDirectory[str]:
    """A folder beside the entries of the cache, from which files can be moved there."""
    try:
        cache.mkdir(parents=True, exist_ok=True)
        return tempfile.TemporaryDirectory(dir=cache)
    except OSError as error:
        raise ToolError(f"the cache {cache} cannot be written: {error.strerror}; `cache=` names another folder") from error


def _hash_of(parts: Sequence[str]) -> str:
    whole = hashlib.sha256()
    for part in parts:
        whole.update(hashlib.sha256(part.encode(errors="surrogateescape")).digest())
    return whole.hexdigest()[:32]


def _content_of(file: str) -> str:
    """A hash of what is in a file; a file that is gone has none."""
    return hashlib.sha256(pathlib.Path(file).read_bytes()).hexdigest() if pathlib.Path(file).is_file() else ""


def _contents_of(files: Iterable[str]) -> Dict[str, str]:
    return {file: _content_of(file) for file in files}


def _identity_of(pbc: pathlib.Path) -> str:
    """What changes when the compiler or the runtime that it links was built anew."""
    files = [pbc, *(pbc.parent.parent / "lib" / name for name in ("libpbrt.a", "libpbrt.so.0"))]
    return " ".join(f"{file} {state_of(file)}" for file in files)


def _identity_of_cpp() -> str:
    """What changes when another C++ compiler makes machine code of what `pbc` generates."""
    command = os.environ.get("CXX", "").split() or ["c++"]
    files = [file for file in map(shutil.which, command) if file]  # a wrapper, such as ccache, names the compiler
    return " ".join([*command, *(f"{file} {state_of(pathlib.Path(file))}" for file in files)])


@functools.lru_cache(maxsize=None)
def _processor() -> str:
    """What `-march=native` means here: folders of caches may be shared by machines, and their instructions differ."""
    lines = [platform.machine()]
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as cpus:
            for line in iter(cpus.readline, "\n"):  # up to the end of the first processor
                if not line:
                    break
                if line.partition(":")[0].strip() in _LASTING_FACTS:
                    lines.append(line.strip())
    except OSError:  # systems without it tell less
        lines.append(platform.processor())
    return "\n".join(lines)


# Of /proc/cpuinfo: what does not change while a processor runs. For x86, ARM, POWER and RISC-V.
_LASTING_FACTS = frozenset((
    "vendor_id", "cpu family", "model", "model name", "stepping", "cache size", "flags",
    "CPU implementer", "CPU architecture", "CPU variant", "CPU part", "CPU revision", "Features", "cpu", "revision", "isa", "uarch"))


def _files_of_rule(rule: str) -> List[str]:
    """The prerequisites of a rule of make that `pbc --depfile` wrote."""
    return [re.sub(r"(\\+)([ \t#]|\Z)", lambda pair: pair[1][:len(pair[1]) // 2] + pair[2], file).replace("$$", "$")
            for file in rule[:-1].split(" \\\n  ")[1:]]


def _cache_folder(cache: Optional[PathLike]) -> pathlib.Path:
    if cache is not None:
        return pathlib.Path(cache).absolute()
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return pathlib.Path(base).absolute() / "polybricks" / "python"


def _library_name(name: Optional[str], file: Optional[pathlib.Path]) -> str:
    """What a library is called: functions of C begin with its name."""
    if name is None:
        name = "program" if file is None else re.sub(r"\W", "_", file.stem, flags=re.ASCII)
        return f"_{name}" if name[0].isdigit() or name in ("pb", "polybricks") else name
    if not re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII):
        raise ArgumentError(f"the name of a library is an identifier, and `{name}` is none")
    return name


def compile(source: PathLike, *, element: str = "double", options: Sequence[str] = (), name: Optional[str] = None,
            cache: Optional[PathLike] = None, axes: str = "numpy", **context: Any) -> Library:
    """Makes a library of a program in the language, or takes it from the cache.

    source: the name of a `.pbcc` file, or the text of a program.
    element: what `ElementT` is, "double" or "float".
    options: further options of `pbc`, as ["--fp", "strict"].
    name: what the library is called: if not given, as the file, or "program".
    cache: the folder of what was compiled; `polybricks/python` of the user's cache if not given.
    axes: "numpy" or "pbcc", see `load`, which has the options of contexts, too: config, device, threads and so on.

    Warnings of `pbc` are warnings of the class CompileWarning, when it compiles.
    """
    if str(source).strip() == "":
        raise ArgumentError(f"the source is the name of a `.pbcc` file or the text of a program, not {source!r}")
    is_text = isinstance(source, str) and ("\n" in source or "{" in source) and not source.endswith(".pbcc")
    file = None if is_text else pathlib.Path(source).absolute()
    text = str(source) if file is None else file.read_text()
    words = ["--element", element, *checked_options(options)]
    made_of = Source(_library_name(name, file), text, file, words, _cache_folder(cache))
    library = made_of.library()
    if library.messages:
        warnings.warn(library.messages, CompileWarning, stacklevel=2)
    return open_library(library.file, axes, context, functools.partial(made_of.program, library))
