# SPDX-License-Identifier: MIT
"""Writes docs/results.md from the measurements in benchmarks/results/.

Each file there is what one call of `benchmarks/run … --json` wrote. Runs on one machine share a section.
"""

import argparse
import math
import pathlib
import sys

from .common import ROOT, milliseconds
from .results import Results, geometric_mean, least_ns, ratio
from .text_report import is_series, percent, rate_text, series
from .workload import size_text

FOLDER = ROOT / "benchmarks" / "results"
DOCUMENT = ROOT / "docs" / "results.md"

HEAD = """# Results

<!-- Written by benchmarks/publish from benchmarks/results/. Do not edit it. -->

Each number beside a baseline is the baseline's time divided by ours, the median over interleaved rounds of one run: above 1, ours
is faster. Behind it, if both ran on a device, stands the same of the kernels alone. Every result was compared with a reference
before its time counted.

* *Ours* is the configuration that `pbtune` found. Where nothing was tuned, it is the fastest of the choices that the benchmark
  names, and column *on* has its name.
* *Named choice* is the fastest of these choices beside ours: its time divided by ours.
* A *ceiling* was measured in the same rounds; `100 %` means that nothing can be faster.

[performance.md](performance.md) says how the measurements are made, [judgement.md](judgement.md) what they mean.
"""


def markdown_table(headings, rows):
    lines = ["| " + " | ".join(row) + " |" for row in (headings, ["---"] + ["---:"] * (len(headings) - 1), *rows)]
    return "\n".join(lines)


def machine_key(results):
    machine = results.machine
    return machine["processor"], machine["cpus"], machine["device"]


def machine_title(results):
    machine = results.machine
    return f"{machine['processor']}, {machine['cpus']} CPUs" + (f", {machine['device']}" if machine["device"] else "")


def own_contender(problem):
    """The tuned program; where nothing was tuned, the fastest one. None if no program was measured."""
    programs = problem.fastest("program")
    return next((each for each in programs if each.name == "tuned"), programs[0] if programs else None)


def fastest_choice(problem, own):
    """The fastest of the choices that the benchmark names; None if there is none beside `own`."""
    return next((each for each in problem.fastest("program") if each is not own), None)


def baseline_text(baseline, own):
    """The time of a baseline : ours; if both have kernels, the same of these."""
    kernels = baseline.kernel_median() / own.kernel_median() if baseline else math.nan
    return str(ratio(baseline, own)) + ("" if math.isnan(kernels) else f" (kernels {kernels:.2f})")


def ceiling_text(problem, own, ceilings):
    """How near the program comes to the ceiling of its processor; on a device also how near its kernels alone come."""
    least, bound = least_ns(problem.work, ceilings, own.processor())
    if math.isnan(least):
        return "-"
    kernels = "" if math.isnan(own.kernel_median()) else f", kernels {percent(least / own.kernel_median())}"
    return f"{percent(least / own.median())} of {bound}{kernels}"


def workload_text(workload, ceilings):
    """The heading and the table of one benchmark."""
    if is_series(workload):
        return f"### {workload.title}\n\n{markdown_table(*series(workload))}\n"
    names = list(dict.fromkeys(each.name for problem in workload.problems for each in problem.fastest("baseline")))
    rows, missing = [], {}
    for problem in workload.problems:
        own = own_contender(problem)
        if own is None:
            continue
        named = fastest_choice(problem, own)
        rows.append([size_text(problem.size), f"{milliseconds(own.median())} ms", own.on if own.name == "tuned" else f"{own.on}: {own.name}", ceiling_text(problem, own, ceilings),
                     f"{ratio(named, own)} ({named.name})" if named else "-", *(baseline_text(problem.named(name), own) for name in names)])
        missing.update((each.name, each.message) for each in problem.contenders if each.status != "ok")
    text = f"### {workload.title}\n\n{markdown_table(['size', 'ours', 'on', 'ceiling', 'named choice', *names], rows)}\n"
    return text + "".join(f"\nNot measured: {name} ({message}).\n" for name, message in missing.items() if name not in names)


def section(runs):
    """The section of one machine. `runs` are in the order of their files."""
    machine = runs[0].machine
    lines = [f"## {machine_title(runs[0])}\n", f"{machine['system']}; {machine['compiler']}; NumPy {machine['numpy']}.\n"]
    rates = {}
    for run in runs:
        for name, values in run.ceilings.items():
            rates.setdefault(name, []).extend(values)
    if rates:
        lines.append(markdown_table(["ceiling", "rate"], [[name, rate_text(name, values)] for name, values in rates.items() if values]) + "\n")
    for run in runs:
        tuned = f"tuned with effort `{run.options['tune']}`" if run.options.get("tune", "none") != "none" else "not tuned"
        for workload in run.workloads:
            lines.append(workload_text(workload, run.ceilings))
            lines.append(f"{run.options['threads']} threads, {run.options['rounds']} rounds of {run.options['trials']} runs, {tuned}.\n")
    return "\n".join(lines)


def summary(runs):
    """One line per machine: over all problems whose work is known, the fastest baseline's time : ours."""
    ratios = []
    for run in runs:
        for workload in run.workloads:
            for problem in workload.problems:
                own, baselines = own_contender(problem), problem.fastest("baseline")
                if own and baselines and problem.has_known_work():
                    ratios.append(ratio(baselines[0], own).median)
    if not ratios:
        return [machine_title(runs[0]), "0", "-", "-", "-"]
    return [machine_title(runs[0]), str(len(ratios)), f"{geometric_mean(ratios):.2f}", str(sum(each >= 1 for each in ratios)), f"{min(ratios):.2f}"]


def document(files):
    """The whole page. Raises ValueError if one of the files holds no results."""
    machines = {}
    for path in files:
        results = Results.load(path)
        machines.setdefault(machine_key(results), []).append(results)
    table = markdown_table(["machine", "problems", "fastest baseline : ours, geometric mean", "ours is faster", "worst"],
                           [summary(runs) for runs in machines.values()])
    return "\n".join([HEAD, table, "", *(section(runs) for runs in machines.values())])


def main(words=None):
    parser = argparse.ArgumentParser(prog="benchmarks/publish", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--results", type=pathlib.Path, default=FOLDER, help="folder of the measurements")
    parser.add_argument("--to", type=pathlib.Path, default=DOCUMENT, help="file to write")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if the file is not what it should be")
    args = parser.parse_args(words)
    try:
        text = document(sorted(args.results.rglob("*.json")))
    except (OSError, ValueError, KeyError, TypeError) as error:
        print(f"benchmarks/publish: {error}", file=sys.stderr)
        return 2
    if not args.check:
        args.to.write_text(text)
    elif not args.to.exists() or args.to.read_text() != text:
        print(f"{args.to} is not what the measurements say; `benchmarks/publish` writes it anew", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
