# SPDX-License-Identifier: MIT
"""Finds the fastest work-groups for choices on a device.

Hand-written baselines try several shapes of work-groups. A comparison is fair only if the choices of the program try some, too.
"""

import copy
import statistics

from .contenders import Failed

SHAPES = ((16, 16), (32, 8), (64, 4), (32, 4), (64, 1), (128, 1), (128, 2), (256, 1), (512, 1), (32, 32), (16, 8), (128, 8))
TRIALS = 3


def _groups(configuration, program):
    """Yields (transform, name of its `work_group` tunable, number of dimensions) for each rule that the configuration runs on a device."""
    for transform, entry in configuration.get("transforms", {}).items():
        tunables = program.info["transforms"][transform]["tunables"]
        for level in (level for levels in entry.get("sites", {}).values() for level in levels):
            rules = [level["rule"]] if "rule" in level else level["rules"].values()
            for name in (f"{rule}.{level['on']}.work_group" for rule in rules):
                if name in tunables:
                    yield transform, name, tunables[name].get("count", 1)


def _value(shape):
    """A shape as configurations have it: one number in one dimension, a list in several."""
    return shape[0] if len(shape) == 1 else list(shape)


def _kernel_ns(session, configuration):
    """Returns the median time of a run's kernels in ns; infinity if the run fails, or if no kernel ran."""
    try:
        return statistics.median(session.run(configuration, TRIALS)[1] or [float("inf")])
    except Failed:
        return float("inf")


def with_fastest_groups(configuration, program, problem, session):
    """Returns a copy of the configuration in which each kernel has the fastest work-group of SHAPES.

    Kernels get their shapes one after the other. A shape is cut to the dimensions of the kernel; its third extent is 1. `session` must
    have the option --profile. Raises Failed if the inputs cannot be loaded.
    """
    configuration = copy.deepcopy(configuration)
    session.load(problem)
    for transform, name, count in _groups(configuration, program):
        tunables = configuration["transforms"][transform].setdefault("tunables", {})
        times = {}
        for shape in dict.fromkeys((*shape, 1)[:count] for shape in SHAPES):
            tunables[name] = _value(shape)
            times[shape] = _kernel_ns(session, configuration)
        tunables[name] = _value(min(times, key=times.get))
    return configuration
