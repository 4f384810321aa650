# SPDX-License-Identifier: MIT
"""Arrays whose contents may stay on a device between calls."""

from __future__ import annotations

from typing import Any, Tuple

import numpy

from . import _extension


class DeviceArray:
    """An array of `Library.device_array`. Transforms take it as an input and as `out=`, and leave on the device what they wrote.

    NumPy's functions take it, too: they get what `fetch` returns.
    """

    def __init__(self, memory: _extension.DeviceMemory) -> None:
        self._polybricks_memory = memory  # the extension looks for it
        self._view = numpy.asarray(memory)

    @property
    def shape(self) -> Tuple[int, ...]:
        return self._view.shape

    @property
    def dtype(self) -> numpy.dtype[Any]:
        return self._view.dtype

    def fetch(self) -> numpy.ndarray[Any, Any]:
        """The contents, which may be read and written until the next call that writes them. Who writes calls `changed` then."""
        self._polybricks_memory.fetch()
        return self._view

    def changed(self) -> None:
        """Says that what `fetch` returned was written to."""
        self._polybricks_memory.changed()

    def store(self, values: Any) -> None:
        """Replaces the contents."""
        self.fetch()[...] = values
        self.changed()

    def __array__(self, dtype: Any = None, copy: Any = None) -> numpy.ndarray[Any, Any]:
        array = self.fetch() if dtype is None else self.fetch().astype(dtype, copy=False)
        return array.copy() if copy else array

    def __repr__(self) -> str:
        return f"<device array of {self.dtype}, shape {self.shape}>"
