# SPDX-License-Identifier: MIT
"""Exceptions of the package. The extension raises those of libraries by their names here."""


class Error(Exception):
    """Everything that goes wrong in a library or a tool."""


class ArgumentError(Error, ValueError):
    """An argument does not fit the header of a transform, or an option is out of range."""


class ConfigurationError(Error):
    """A configuration cannot be read, or does not fit the program."""


class DeviceError(Error):
    """A device is missing, or failed during a call."""


class OutOfMemoryError(Error, MemoryError):
    """The system gives no memory, or no threads."""


class CancelledError(Error):
    """The call was cancelled."""


class ForkedError(Error):
    """The process was forked from one that had loaded the library."""


class RunError(Error):
    """A rule failed: an exception, a failed JASSERT, a cell that no rule computes."""


class ToolError(Error):
    """`pbc` or `pbtune` is missing or failed; the message is what it printed."""


class CompileWarning(UserWarning):
    """What `pbc` warns of, with the lines of the program."""
