# SPDX-License-Identifier: MIT
"""Pictures that pages show: whether one that was made anew still looks like it."""

import pathlib
import sys

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "examples"))
import picture  # noqa: E402

# Rounding, which differs between machines, changes single pixels, and moves the dots of a dithered picture. Means of blocks stay.
BLOCK = 8
MAX_DIFFERENCE = 16
MAX_SHARE = 0.01


def array_of(path):
    """The picture as numbers 0 to 255, of shape (height, width, 3)."""
    read = picture.read(pathlib.Path(path))
    return np.repeat(np.frombuffer(read.samples, np.uint8).reshape(read.height, read.width, read.depth), 3 // read.depth, axis=2)


def block_means(array):
    height, width = (size // BLOCK * BLOCK for size in array.shape[:2])
    return array[:height, :width].reshape(height // BLOCK, BLOCK, width // BLOCK, BLOCK, 3).mean(axis=(1, 3))


def are_alike(array, other):
    """Whether two pictures have the same size, and nearly all blocks nearly the same means."""
    if array.shape != other.shape:
        return False
    return np.mean(abs(block_means(array) - block_means(other)).max(axis=2) > MAX_DIFFERENCE) <= MAX_SHARE
