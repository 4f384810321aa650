# SPDX-License-Identifier: MIT
"""Results as tables for a terminal."""

import math
import statistics

from .common import milliseconds, table
from .results import geometric_mean, least_ns, ratio
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
        if is_series(workload):
            print(f"\n{workload.title}\n\n{table(*series(workload))}")
            for problem in workload.problems:
                for said in troubles(problem):
                    print(f"{size_text(problem.size)}: {said}")
            continue
        for problem in workload.problems:
            print(f"\n{workload.title}, {size_text(problem.size)}\n\n{table(*problem_table(problem, results.ceilings))}")
            for said in troubles(problem):
                print(said)
    rows = overview(results)
    if len(rows) > 2:
        print("\nThe fastest of each problem\n")
        print(table(["", "size", "program", "ms", "baseline", "ms", "baseline : program"], rows))


def is_series(workload):
    """Whether the problems fit one table: they have the same few contenders, and nothing is known of their work."""
    names = {tuple(each.name for each in problem.contenders) for problem in workload.problems}
    return len(names) == 1 and len(workload.problems[0].contenders) <= 4 and not any(problem.has_known_work() for problem in workload.problems)


def series(workload):
    """One line per problem: times, and the baselines' times : the programs'. Returns (headings, rows)."""
    first = workload.problems[0].contenders
    pairs = [(above.name, below.name) for above in first if above.kind == "baseline" for below in first if below.kind == "program"]
    rows, ratios = [], {pair: [] for pair in pairs}
    for problem in workload.problems:
        for pair in pairs:
            ratios[pair].append(ratio(*map(problem.named, pair)))
        rows.append([size_text(problem.size), *(milliseconds(each.median()) for each in problem.contenders), *(str(ratios[pair][-1]) for pair in pairs)])
    if len(rows) > 1:
        means = [geometric_mean(each.median for each in ratios[pair]) for pair in pairs]
        rows.append(["geometric mean", *("" for _ in first), *("-" if math.isnan(mean) else f"{mean:.2f}" for mean in means)])
    return ["", *(f"{each.name}, ms" for each in first), *(f"{above} : {below}" for above, below in pairs)], rows


def overview(results):
    """One line per problem outside of series that has a program and a baseline, and their geometric mean."""
    rows, ratios = [], []
    for workload in (each for each in results.workloads if not is_series(each)):
        for problem in workload.problems:
            programs, baselines = problem.fastest("program"), problem.fastest("baseline")
            if programs and baselines:
                ratios.append(ratio(baselines[0], programs[0]))
                rows.append([workload.name, size_text(problem.size), *(word for each in (programs[0], baselines[0]) for word in (each.name, milliseconds(each.median()))),
                             str(ratios[-1])])
    return [*rows, ["geometric mean", "", "", "", "", "", f"{geometric_mean(each.median for each in ratios):.2f}"]]


def troubles(problem):
    """A line for each contender that is missing or failed."""
    return [f"{each.name}: {each.status}: {each.message}"[:110] for each in problem.contenders if each.status != "ok"]


def shares(problem, ceilings):
    """Columns that say how near contenders come to a ceiling: pairs of a heading and a function from a contender to its part of the
    ceiling, NaN if the ceiling is that of another processor. Devices have a column by whole calls and another by the kernels alone."""
    least, bound = least_ns(problem.work, ceilings, "cpu")
    columns = [(f"of {bound or 'ceiling'}", lambda each: least / each.median() if each.processor() == "cpu" else math.nan)]
    device_least, device_bound = least_ns(problem.work, ceilings, "device")
    if device_bound and any(each.processor() == "device" for each in problem.contenders):
        columns.append((f"of {device_bound}", lambda each: device_least / each.median() if each.processor() == "device" else math.nan))
        columns.append((f"kernels of {device_bound}", lambda each: device_least / each.kernel_median() if each.processor() == "device" else math.nan))
    return columns


def headings(problem, ceilings):
    """The headings of the figures of `cells`, after the contender's name."""
    return ["ms", "spread", "kernels", *(heading for heading, _ in shares(problem, ceilings)), "error", "lines"]


def cells(problem, each, ceilings):
    """A contender's figures: time, spread, time of kernels, the shares of what the ceilings leave, error, lines of code."""
    return [milliseconds(each.median()), spread(each.round_medians()), milliseconds(each.kernel_median()),
            *(percent(share(each)) for _, share in shares(problem, ceilings)), "" if each.error is None else f"{each.error:.1e}",
            "" if each.lines is None else str(each.lines)]


def problem_table(problem, ceilings):
    """One line per contender: its figures, and the fastest baselines' times : its own. Returns (headings, rows)."""
    baselines = problem.fastest("baseline")[:3]
    rows = [[each.name, *cells(problem, each, ceilings), *(str(ratio(baseline, each)) for baseline in baselines)]
            for each in problem.contenders if each.status == "ok"]
    return ["", *headings(problem, ceilings), *(f"{each.name} :" for each in baselines)], rows
