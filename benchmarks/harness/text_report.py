# SPDX-License-Identifier: MIT
"""Results as tables for a terminal."""

import math
import statistics

from .common import milliseconds, table
from .results import least_ns, ratio
from .workload import size_text


def percent(part):
    return "-" if math.isnan(part) else f"{100 * part:.0f} %"


def spread(times):
    """How far the rounds lie apart, as a part of their median."""
    return "" if len(times) < 2 else f"±{50 * (max(times) - min(times)) / sorted(times)[len(times) // 2]:.0f} %"


def rate_text(name, values):
    """A ceiling's median with its unit."""
    return f"{statistics.median(values):.1f} {'GFLOP/s' if name.endswith('fma') else 'GB/s'}"


def print_results(results):
    machine = results.machine
    print(f"machine: {machine['processor']}, {machine['cpus']} CPUs, {machine['compiler']}" + (f", {machine['device']}" if machine["device"] else ""))
    for name, values in results.ceilings.items():
        print(f"  {name}: {rate_text(name, values)}")
    for workload in results.workloads:
        for problem in workload.problems:
            print(f"\n{workload.title}, {size_text(problem.size)}\n")
            print(problem_table(problem, results.ceilings))


def headings(problem, ceilings):
    """The headings of the figures of `cells`, after the contender's name."""
    _, bound = least_ns(problem.work, ceilings, "cpu")
    return ["ms", "spread", "kernels", f"of {bound or 'ceiling'}", "error", "lines"]


def cells(problem, each, ceilings):
    """A contender's figures: time, spread, time of kernels, the share of what the ceilings leave, error, lines of code."""
    least, _ = least_ns(problem.work, ceilings, "cpu")
    return [milliseconds(each.median()), spread(each.round_medians()), milliseconds(each.kernel_median()), percent(least / each.median()),
            "" if each.error is None else f"{each.error:.1e}", "" if each.lines is None else str(each.lines)]


def problem_table(problem, ceilings):
    """One line per contender: its figures, and the fastest baselines' times : its own."""
    baselines = problem.fastest("baseline")[:3]
    rows = [[each.name, *cells(problem, each, ceilings), *(str(ratio(baseline, each)) for baseline in baselines)]
            for each in problem.contenders if each.status == "ok"]
    said = [f"{each.name}: {each.status}: {each.message}"[:110] for each in problem.contenders if each.status != "ok"]
    return "\n".join([table(["", *headings(problem, ceilings), *(f"{each.name} :" for each in baselines)], rows), *said])
