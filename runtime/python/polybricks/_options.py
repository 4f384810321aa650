# SPDX-License-Identifier: MIT
"""Options of contexts: what users write, and what the extension takes."""

from __future__ import annotations

import numbers
import operator
import os
from typing import Any, Callable, Dict

import numpy

from . import _extension
from ._errors import ArgumentError


def whole_number(what: str, value: Any, limit: int) -> int:
    """A whole number below the limit.

    Errors: TypeError; ArgumentError if it is out of range
    """
    if isinstance(value, (bool, numpy.bool_)) or not hasattr(value, "__index__"):
        raise TypeError(f"{what} is a whole number, not {value!r}")
    number = operator.index(value)
    if not 0 <= number < limit:
        raise ArgumentError(f"{what} is a whole number from 0 to {limit - 1}, not {value!r}")
    return number


def _device(value: Any) -> str:
    return value if isinstance(value, str) else str(whole_number("device, if no name,", value, 2**31))


def _truth(what: str, value: Any) -> bool:
    if not isinstance(value, (bool, numpy.bool_)):
        raise TypeError(f"{what} is True or False, not {value!r}")
    return bool(value)


def _seconds(value: Any) -> float:
    if isinstance(value, (bool, numpy.bool_)) or not isinstance(value, numbers.Real):
        raise TypeError(f"device_limit is a number of seconds, not {value!r}")
    if not value > 0:
        raise ArgumentError(f"device_limit is a number of seconds above 0, not {value!r}")
    return float(value)


CONVERSIONS: Dict[str, Callable[[Any], Any]] = {
    "config": os.fspath,
    "device": _device,
    "threads": lambda value: whole_number("threads", value, 2**31),
    "strict": lambda value: _truth("strict", value),
    "seed": lambda value: whole_number("seed", value, 2**64),
    "device_memory": lambda value: whole_number("device_memory", value, 2**63),
    "device_limit": _seconds,
    "verify_device": lambda value: _truth("verify_device", value),
}


def context_options(options: Dict[str, Any]) -> _extension.ContextOptions:
    """The options that are not None; the others are as the extension sets them."""
    made = _extension.ContextOptions()
    for name, value in options.items():
        if name not in CONVERSIONS:
            raise TypeError(f"there is no option `{name}`; there are {', '.join(CONVERSIONS)}")
        if value is not None:
            setattr(made, name, CONVERSIONS[name](value))
    return made
