# SPDX-License-Identifier: MIT
"""Calls transforms of Polybricks on NumPy arrays: `compile` and `load` make libraries, whose transforms are functions.

    import polybricks as pb
    edges = pb.compile("edges.pbcc")
    blurred = edges.Blur(picture)
"""

from ._compile import compile
from ._device_array import DeviceArray
from ._errors import (ArgumentError, CancelledError, CompileWarning, ConfigurationError, DeviceError, Error, ForkedError, OutOfMemoryError,
                      RunError, ToolError)
from ._extension import version as __version__
from ._library import Library, Transform, load
from ._notebook import load_ipython_extension

__all__ = ["ArgumentError", "CancelledError", "CompileWarning", "ConfigurationError", "DeviceArray", "DeviceError", "Error", "ForkedError", "Library",
           "OutOfMemoryError", "RunError", "ToolError", "Transform", "__version__", "compile", "load", "load_ipython_extension"]
