# SPDX-License-Identifier: MIT
"""What the scripts here share: as a user's script, each has the package and NumPy, and nothing of the repository."""

import contextlib
import pathlib

import polybricks as pb

FIELDS = pathlib.Path(__file__).resolve().parent / "fields.pbcc"


def fields(**options):
    return pb.compile(FIELDS, **options)


@contextlib.contextmanager
def raises(kind, words):
    """Expects an exception of this class whose message holds the words."""
    try:
        yield
    except kind as error:
        assert words in str(error), f"{kind.__name__} says: {error}"
    else:
        raise AssertionError(f"no {kind.__name__} with: {words}")


def run_tests(functions):
    for name, test in list(functions.items()):
        if name.startswith("test_"):
            test()
            print(f"{name}: ok", flush=True)
