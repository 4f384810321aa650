# SPDX-License-Identifier: MIT
"""Libraries and their transforms, as Python shows them."""

from __future__ import annotations

import inspect
import json
import keyword
import pathlib
from typing import Any, Callable, Dict, Iterator, Optional, Sequence, Tuple, Union

import numpy

from . import _extension
from ._device_array import DeviceArray
from ._errors import ArgumentError, Error
from ._options import context_options, whole_number
from ._tools import PathLike, state_of
from ._tune import Tuning, checked_numbers, tune

# Makes the program that runs a transform, for the tuner; None stands for the main one.
ProgramMaker = Callable[[Optional[str]], pathlib.Path]

# Files that were loaded, and their states then: the system gives the code of the first one again, whatever is in the file now.
_loaded: Dict[pathlib.Path, Tuple[int, ...]] = {}


class Binding:
    """A library file with a context: what a Library and its transforms share."""

    def __init__(self, file: pathlib.Path, axes: str, options: Dict[str, Any], make_program: Optional[ProgramMaker]) -> None:
        if axes not in ("numpy", "pbcc"):
            raise ArgumentError(f'axes is "numpy" or "pbcc", not {axes!r}')
        self.file, self.axes, self.options, self.make_program = file, axes, options, make_program
        self.tables = _extension.Tables(str(file))
        self.context = _extension.Context(self.tables, context_options(options))

    def tune(self, transform: Optional[str], inputs: Tuple[Any, ...], wishes: Dict[str, Any]) -> pathlib.Path:
        program = wishes.pop("program", None)
        if program is None:
            if self.make_program is None:
                raise ArgumentError("a library that was loaded is tuned with `program=`, the program of `pbc` for the same source")
            program = self.make_program(transform)
        arrays = self._checked(main_of(pathlib.Path(program)), inputs, checked_numbers(wishes.get("numbers", {})))
        output = wishes.pop("output", None)
        for name in ("device", "threads", "device_memory", "device_limit"):
            wishes.setdefault(name, self.options.get(name))
        written = tune(Tuning(pathlib.Path(program), pathlib.Path(output or f"{program}.cfg").absolute(), self.axes), arrays, wishes)
        options = {**self.options, "config": written}
        self.context.set_options(context_options(options))
        self.options = options
        return written

    def _checked(self, transform: str, inputs: Tuple[Any, ...], numbers: Any) -> Sequence[numpy.ndarray[Any, Any]]:
        """The inputs as arrays. If the library has the transform, they are those of a call; there may be none if `numbers` has them all."""
        if transform not in self.tables.transforms:
            return [numpy.asarray(value) for value in inputs]
        called = _extension.Transform(self.context, self.tables.transforms.index(transform), self.axes == "numpy")
        if inputs or any(extents or name not in numbers for name, _, extents in called.inputs):
            called.check_inputs(*inputs)
        return [numpy.asarray(value, dtype) for value, (_, dtype, _) in zip(inputs, called.inputs)]


def main_of(program: pathlib.Path) -> str:
    """The transform that a program runs; "" if there is no such program."""
    try:
        return str(json.loads(pathlib.Path(f"{program}.info").read_text())["main"])
    except (OSError, ValueError, KeyError):
        return ""  # the tuner says what is wrong with it


class Transform(_extension.Transform):
    """A transform of a library. A call takes arrays and returns arrays."""

    def __init__(self, binding: Binding, index: int) -> None:
        super().__init__(binding.context, index, binding.axes == "numpy")
        self._binding = binding
        self.__name__ = self.__qualname__ = self.name
        self.__doc__ = "\n\n".join(filter(None, (f"{self.name}{self.__signature__}", self.documentation, self._matrices())))

    @property
    def has_python_names(self) -> bool:
        """Whether the names of the header can be those of a function's parameters."""
        names = [*(name for name, _, _ in self.inputs), *self.numbers]
        return not any(keyword.iskeyword(name) or name in ("out", "self") for name in names)

    @property
    def __signature__(self) -> inspect.Signature:
        kind = inspect.Parameter
        out = kind("out", kind.KEYWORD_ONLY, default=None)
        if not self.has_python_names:
            return inspect.Signature([kind("inputs", kind.VAR_POSITIONAL), out, kind("numbers", kind.VAR_KEYWORD)])
        parameters = [kind(name, kind.POSITIONAL_OR_KEYWORD) for name, _, _ in self.inputs]
        parameters += [kind(name, kind.KEYWORD_ONLY) for name in self.numbers]
        return inspect.Signature([*parameters, out])

    def shape_of(self, extents: Tuple[str, ...]) -> str:
        """The shape of the array for a matrix of these extents, in words."""
        ordered = extents[::-1] if self._binding.axes == "numpy" else extents
        return f"({', '.join(ordered)}{',' if len(ordered) == 1 else ''})"

    def _matrices(self) -> str:
        return "\n".join(f"{role} {name}: {dtype} {self.shape_of(extents)}" for role, matrices in (("from", self.inputs), ("to", self.outputs))
                         for name, dtype, extents in matrices)

    def __repr__(self) -> str:
        return f"<transform {self.name}{self.__signature__} of {self._binding.tables.name}>"

    def tune(self, *inputs: Any, **wishes: Any) -> pathlib.Path:
        """Searches the fastest choices for this transform on these inputs; see `Library.tune`."""
        return self._binding.tune(self.name, inputs, wishes)


class Library:
    """A library with a context. Its transforms are its attributes, and `library["NAME"]` for all names."""

    def __init__(self, binding: Binding) -> None:
        self._binding = binding
        self._transforms = {name: Transform(binding, index) for index, name in enumerate(binding.tables.transforms)}
        for name, transform in self._transforms.items():
            if not hasattr(type(self), name):
                setattr(self, name, transform)

    def __getattr__(self, name: str) -> Transform:
        if name.startswith("_"):  # copy and pickle ask before there is anything
            raise AttributeError(name)
        raise AttributeError(f"the library {self.name} has no transform `{name}`; it has {', '.join(self._transforms)}")

    def __getitem__(self, name: str) -> Transform:
        return self._transforms[name]

    def __contains__(self, name: object) -> bool:
        return name in self._transforms

    def __iter__(self) -> Iterator[str]:
        return iter(self._transforms)

    def __len__(self) -> int:
        return len(self._transforms)

    def __repr__(self) -> str:
        return f"<library {self.name}: {', '.join(self._transforms)}>"

    @property
    def name(self) -> str:
        return self._binding.tables.name

    @property
    def file(self) -> pathlib.Path:
        return self._binding.file

    @property
    def transforms(self) -> Dict[str, Transform]:
        """The transforms by name."""
        return dict(self._transforms)

    def with_options(self, **options: Any) -> Library:
        """The same library with a context of its own. Options are those of `load`; what is not named stays."""
        binding = self._binding
        return Library(Binding(binding.file, binding.axes, {**binding.options, **options}, binding.make_program))

    def cancel(self) -> None:
        """Ends the calls that are in progress: they raise CancelledError."""
        self._binding.context.cancel()

    def device_array(self, shape: Union[int, Tuple[int, ...]], dtype: Any = float) -> DeviceArray:
        """A new array, whose contents are not set and may stay on a device between calls."""
        extents = shape if isinstance(shape, (tuple, list)) else (shape,)
        whole = [whole_number("an extent of a shape", extent, 2**63) for extent in extents]
        return DeviceArray(_extension.DeviceMemory(self._binding.context, numpy.dtype(dtype).name, whole, self._binding.axes == "numpy"))

    def tune(self, *inputs: Any, **wishes: Any) -> pathlib.Path:
        """Searches the fastest choices for the main transform on these inputs. From then on this library makes them.

        effort: "quick", "normal" or "full"; time_limit: seconds, instead.
        output: the configuration to write; if not given, it lies beside the compiled program in the cache.
        numbers: a dictionary of what no matrix says, as {"n": 3}.
        program: of a library that was loaded: the program that `pbc` made of the same source.
        verbose: print what `pbtune` prints.
        device, threads, device_memory, device_limit: as those of the library, if not given.

        Ctrl-C ends the search and keeps the best that was found. Returns the name of the configuration, for `config=`.
        """
        return self._binding.tune(None, inputs, wishes)


def open_library(file: pathlib.Path, axes: str, options: Dict[str, Any], make_program: Optional[ProgramMaker]) -> Library:
    return Library(Binding(file, axes, options, make_program))


def load(file: PathLike, *, axes: str = "numpy", **context: Any) -> Library:
    """Loads a library that `pbc --library` has made: libNAME.so.

    axes: "numpy": the last axis of an array is the first dimension of a header, so that `In[w, h]` is an array of shape (h, w);
        "pbcc": the first one, so that its shape is (w, h).
    config: a configuration of `pbtune`; device: "none", an index or a part of a name; threads: how many;
    strict: a choice that cannot run is an error; seed: of random numbers;
    device_memory: the most bytes that are used on each device; device_limit: seconds after which an operation of one hangs;
    verify_device: each step of a device also runs on the CPU, and the results are compared.

    Errors: Error if the file was loaded before and has another content now
    """
    path = pathlib.Path(file).absolute()
    state = state_of(path)
    if _loaded.get(path, state) != state:
        raise Error(f"{path} changed since this process loaded it: load it under another name, or in a new process")
    _extension.Tables(str(path))  # which loads it, whether or not a context can be made
    _loaded[path] = state
    return open_library(path, axes, context, None)
