# SPDX-License-Identifier: MIT
"""Runs of programs on arrays of NumPy, by way of files in a folder."""

import numpy as np


def save(folder, matrices):
    """Writes the inputs of a program. Returns the paths of their files."""
    paths = [folder / f"in{i}.npy" for i in range(len(matrices))]
    for path, matrix in zip(paths, matrices):
        np.save(path, matrix)
    return paths


def run(program, folder, inputs, outputs, *words, entry=None, expect=0, env=None):
    """Runs a program. Returns ({output: its array}, statistics); no arrays if it fails, which `expect` must permit.

    inputs:   paths, as `save` returns them
    outputs:  their names, in the order of the main transform
    words:    further words of the command line
    entry:    the configuration; without one, the program finds its own"""
    config = None
    if entry is not None:
        config = folder / "run.cfg"
        program.write_configuration(config, entry)
    files = [folder / f"{output}.npy" for output in outputs]
    done, statistics = program.run(*inputs, *files, *words, config=config, expect=expect, env=env)
    return ({output: np.load(file) for output, file in zip(outputs, files)} if done.returncode == 0 else None), statistics
