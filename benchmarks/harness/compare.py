# SPDX-License-Identifier: MIT
"""Compares two files of measurements: what became faster or slower, beyond the noise.

A contender's speed in a round is measured against the baselines of the same round, where there are any: they did not change, so
what they show is the machine's doing. The significance is that of a permutation test on the rounds of the two runs, corrected for
the number of comparisons (Holm). Changes below the least one that is asked for are left out, however sure they are.
"""

import argparse
import itertools
import math
import pathlib
import random
import statistics
import sys

from .common import table
from .results import Results
from .workload import size_text

MAX_PERMUTATIONS = 20000


def speeds(problem, name):
    """The logarithm of a contender's time in each round, against the mean of the baselines where there are any."""
    contender = problem.named(name)
    if contender is None or contender.status != "ok":
        return []
    times = contender.round_medians()
    others = [each.round_medians() for each in problem.contenders if each.kind == "baseline" and each.status == "ok" and each.name != name]
    others = [each for each in others if len(each) == len(times)]
    logs = [math.log(time) for time in times]
    if contender.kind == "program" and others:
        logs = [log - statistics.fmean(math.log(other[number]) for other in others) for number, log in enumerate(logs)]
    return logs


def significance(old, new):
    """The probability that rounds in random order differ in their means by as much (two-sided permutation test)."""
    whole, count = old + new, len(old)
    seen = abs(statistics.fmean(new) - statistics.fmean(old))
    if math.comb(len(whole), count) <= MAX_PERMUTATIONS:
        picks = itertools.combinations(range(len(whole)), count)
    else:
        drawn = random.Random(1)
        picks = (drawn.sample(range(len(whole)), count) for _ in range(MAX_PERMUTATIONS))
    total, hits, number = math.fsum(whole), 0, 0
    for pick in picks:
        part = math.fsum(whole[i] for i in pick)
        number += 1
        hits += abs((total - part) / (len(whole) - count) - part / count) >= seen - 1e-12
    return hits / number


def comparisons(old, new):
    """Yields (workload, size, contender, old : new time, probability) for what both files have."""
    for workload in new.workloads:
        former = next((each for each in old.workloads if each.name == workload.name), None)
        for problem in workload.problems if former else []:
            before = next((each for each in former.problems if each.size == problem.size), None)
            for contender in problem.contenders if before else []:
                first, second = speeds(before, contender.name), speeds(problem, contender.name)
                if first and second:
                    change = math.exp(statistics.median(first) - statistics.median(second))
                    yield workload.title, size_text(problem.size), contender.name, change, significance(first, second)


def holm(rows):
    """The rows, most sure first, with probabilities corrected for their number."""
    rows, least = sorted(rows, key=lambda row: row[-1]), 0.0
    for number, row in enumerate(rows):
        least = max(least, min(1.0, row[-1] * (len(rows) - number)))
        yield (*row[:-1], least)


def main(words=None):
    parser = argparse.ArgumentParser(prog="benchmarks/compare", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=pathlib.Path)
    parser.add_argument("new", type=pathlib.Path)
    parser.add_argument("--significance", type=float, default=0.05, help="show changes that chance makes with at most this probability")
    parser.add_argument("--least", type=float, default=0.02, help="show changes of at least this part")
    args = parser.parse_args(words)
    try:
        old, new = Results.load(args.old), Results.load(args.new)
    except (OSError, ValueError, KeyError, TypeError) as error:
        print(f"benchmarks/compare: {error}", file=sys.stderr)
        return 2
    if old.machine.get("processor") != new.machine.get("processor"):
        print(f"note: other machines: {old.machine.get('processor')}; {new.machine.get('processor')}")
    rows = list(holm(comparisons(old, new)))
    changed = [row for row in rows if row[-1] <= args.significance and abs(math.log(row[3])) >= args.least]
    if changed:
        print(table(["", "size", "contender", "old : new", "chance"], [[*row[:3], f"{row[3]:.2f}", f"{row[4]:.3f}"] for row in sorted(changed, key=lambda row: row[3])]))
    print(f"{len(changed)} of {len(rows)} figures changed beyond the noise; above 1: the new one is faster")
    return 0


if __name__ == "__main__":
    sys.exit(main())
