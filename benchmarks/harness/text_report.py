# SPDX-License-Identifier: MIT
"""Results as tables for a terminal."""

import math

from .common import milliseconds, table
from .results import least_ns, ratio
from .workload import size_text


def percent(part):
    return "-" if math.isnan(part) else f"{100 * part:.0f} %"


def spread(times):
    """How far the rounds lie apart, as a part of their median."""
    return "" if len(times) < 2 else f"±{50 * (max(times) - min(times)) / sorted(times)[len(times) // 2]:.0f} %"


def print_results(results):
    machine = results.machine
    print(f"machine: {machine['processor']}, {machine['cpus']} CPUs, {machine['compiler']}" + (f", {machine['device']}" if machine["device"] else ""))
    for name, values in results.ceilings.items():
        print(f"  {name}: {sorted(values)[len(values) // 2]:.1f} {'GFLOP/s' if name.endswith('fma') else 'GB/s'}")
    for workload in results.workloads:
        for problem in workload.problems:
            print(f"\n{workload.title}, {size_text(problem.size)}\n")
            print(problem_table(problem, results.ceilings))


def fastest_baselines(problem):
    """The baselines that were measured, the fastest first."""
    measured = [each for each in problem.contenders if each.kind == "baseline" and each.status == "ok" and each.rounds_ns]
    return sorted(measured, key=lambda each: each.median())


def problem_table(problem, ceilings):
    """One line per contender: its time, the share of what the ceilings leave, and the fastest baselines' times : its own."""
    baselines = fastest_baselines(problem)[:3]
    least, bound = least_ns(problem.work, ceilings, "cpu")
    rows = []
    for each in problem.contenders:
        if each.status != "ok":
            rows.append([each.name, f"{each.status}: {each.message}"[:90]])
            continue
        times = each.round_medians()
        error = "" if each.error is None else f"{each.error:.1e}"
        rows.append([each.name, milliseconds(each.median()), spread(times), milliseconds(each.kernel_median()), percent(least / each.median()), error,
                     *(str(ratio(baseline, each)) for baseline in baselines)])
    headings = ["", "ms", "spread", "kernels", f"of {bound or 'ceiling'}", "error", *(f"{each.name} :" for each in baselines)]
    said = [row for row in rows if len(row) == 2]
    text = table(headings, [row for row in rows if len(row) > 2])
    return "\n".join([text, *(f"{name}: {words}" for name, words in said)])
