# SPDX-License-Identifier: MIT
"""Type stubs of a library: what editors and type checkers know of its transforms."""

from __future__ import annotations

from typing import List, Tuple

from ._library import Library, Transform


def _array_type(dtype: str, extents: Tuple[str, ...], is_output: bool) -> str:
    array = f"npt.NDArray[np.{dtype}]"
    if extents:
        return array
    return f"np.{dtype}" if is_output else f"Union[float, np.{dtype}, {array}]"


def _method(transform: Transform) -> List[str]:
    parameters = ["self", *(f"{name}: {_array_type(dtype, extents, False)}" for name, dtype, extents in transform.inputs), "*"]
    parameters += [f"{name}: int" for name in transform.numbers]
    arrays = [f"npt.NDArray[np.{dtype}]" for _, dtype, _ in transform.outputs]
    results = [_array_type(dtype, extents, True) for _, dtype, extents in transform.outputs]
    given, returned = (types[0] if len(types) == 1 else f"Tuple[{', '.join(types)}]" for types in (arrays, results))
    head = f"    def {transform.name}({', '.join([*parameters, f'out: Optional[{given}] = None'])}) -> {returned}:"
    return [head, f"        {transform.__doc__!r}", "        ..."]


def stubs_of(library: Library) -> str:
    """The text of a `.pyi` file with a class for the library, whose name is that of the library with a capital."""
    lines = ["from typing import Optional, Tuple, Union", "", "import numpy as np", "import numpy.typing as npt", "import polybricks", "",
             f"class {library.name[0].upper()}{library.name[1:]}(polybricks.Library):"]
    for transform in library.transforms.values():
        lines += _method(transform)
    return "\n".join(lines) + "\n"
