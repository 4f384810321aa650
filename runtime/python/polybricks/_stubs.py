# SPDX-License-Identifier: MIT
"""Type stubs of a library: what editors and type checkers know of its transforms."""

from __future__ import annotations

import keyword
from typing import List, Tuple

from ._library import Library, Transform


def _array_type(dtype: str) -> str:
    return f"Union[npt.NDArray[np.{dtype}], DeviceArray]"


def _input_type(dtype: str, extents: Tuple[str, ...]) -> str:
    return _array_type(dtype) if extents else f"Union[float, np.{dtype}, {_array_type(dtype)}]"


def _result_type(dtype: str, extents: Tuple[str, ...]) -> str:
    return f"npt.NDArray[np.{dtype}]" if extents else f"np.{dtype}"


def _method(transform: Transform) -> List[str]:
    parameters, others = ["self", "*inputs: Any"], ["**numbers: Any"]
    if transform.has_python_names:
        parameters = ["self", *(f"{name}: {_input_type(dtype, extents)}" for name, dtype, extents in transform.inputs), "*"]
        parameters += [f"{name}: int" for name in transform.numbers]
        others = []
    outs = [_array_type(dtype) for _, dtype, _ in transform.outputs]
    results = [_result_type(dtype, extents) for _, dtype, extents in transform.outputs]
    given, returned = (types[0] if len(types) == 1 else f"Tuple[{', '.join(types)}]" for types in (outs, results))
    head = f"    def {transform.name}({', '.join([*parameters, f'out: Optional[{given}] = None', *others])}) -> {returned}:"
    return [head, f"        {transform.__doc__!r}", "        ..."]


def stubs_of(library: Library) -> str:
    """The text of a `.pyi` file with a class for the library, whose name is that of the library with a capital."""
    lines = ["from typing import Any, Optional, Tuple, Union", "", "import numpy as np", "import numpy.typing as npt", "from polybricks import DeviceArray, Library", "",
             f"class {library.name[0].upper()}{library.name[1:]}(Library):"]
    for name, transform in library.transforms.items():
        if not keyword.iskeyword(name):
            lines += _method(transform)
    return "\n".join(lines) + "\n"
