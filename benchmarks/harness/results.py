# SPDX-License-Identifier: MIT
"""Measurements as they are kept: JSON files of format 1.

A result holds one run of `benchmarks/run`: the machine, its ceilings, and for each workload and problem the contenders with the
times of every trial, round by round. Ratios are computed from these when they are shown.
"""

import dataclasses
import json
import math
import statistics

FORMAT = 1


@dataclasses.dataclass
class Measured:
    """What is known of one contender at one problem. `rounds_ns` has the times of the trials of each round."""
    name: str
    kind: str                                  # "program" or "baseline"
    on: str                                    # "cpu", "opencl", "cuda", or several with + between
    status: str = "ok"                         # "ok", "missing", "failed"
    message: str = ""
    error: float | None = None                 # of its result
    rounds_ns: list = dataclasses.field(default_factory=list)
    kernels_ns: list = dataclasses.field(default_factory=list)
    words: str = ""                            # what the configuration chooses
    lines: int | None = None                   # of code in its source file

    def round_medians(self):
        """The median of each round, in ns."""
        return [statistics.median(times) for times in self.rounds_ns if times]

    def median(self):
        """The median of the rounds' medians in ns; NaN if nothing was measured."""
        return statistics.median(self.round_medians() or [math.nan])

    def processor(self):
        """The processor whose ceilings bound it, "cpu" or "device". A device bounds what the CPU and a device do together."""
        return "cpu" if self.on == "cpu" else "device"

    def kernel_median(self):
        """The median time of its kernels in ns; NaN if it has none."""
        return statistics.median([statistics.median(times) for times in self.kernels_ns if times] or [math.nan])


@dataclasses.dataclass
class MeasuredProblem:
    """One size of a workload."""
    size: dict
    work: dict                                 # read_bytes, written_bytes, flops
    contenders: list

    def named(self, name):
        return next((each for each in self.contenders if each.name == name), None)

    def has_known_work(self):
        """Whether it is known what every solution has to do. Problems of which this is not known ask what something costs."""
        return any(self.work.values())

    def fastest(self, kind):
        """The contenders of a kind ("program" or "baseline") that were measured, the fastest first."""
        measured = [each for each in self.contenders if each.kind == kind and each.status == "ok" and each.rounds_ns]
        return sorted(measured, key=Measured.median)


@dataclasses.dataclass
class MeasuredWorkload:
    """One benchmark."""
    name: str
    title: str
    source: str
    problems: list


@dataclasses.dataclass
class Results:
    """One run. `ceilings` maps a ceiling's name to its values, one per round."""
    machine: dict
    options: dict
    ceilings: dict
    workloads: list

    def save(self, path):
        whole = {"format": FORMAT, **dataclasses.asdict(self)}
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(_rounded(whole), indent=1) + "\n")

    @classmethod
    def load(cls, path):
        """Reads a file. Raises ValueError if it is none of this format."""
        whole = json.loads(path.read_text())
        if whole.pop("format", None) != FORMAT:
            raise ValueError(f"{path}: no results of format {FORMAT}")
        whole["workloads"] = [
            MeasuredWorkload(**{**workload, "problems": [
                MeasuredProblem(**{**problem, "contenders": [Measured(**each) for each in problem["contenders"]]})
                for problem in workload["problems"]]})
            for workload in whole["workloads"]]
        return cls(**whole)


def _rounded(value):
    """The same with numbers of 5 digits: times are not known better, and files stay small."""
    if isinstance(value, dict):
        return {key: _rounded(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_rounded(each) for each in value]
    return float(f"{value:.5g}") if isinstance(value, float) and math.isfinite(value) else None if isinstance(value, float) else value


@dataclasses.dataclass(frozen=True)
class Ratio:
    """How much longer one contender takes than another: the median over rounds of one run, and its spread."""
    median: float
    low: float
    high: float

    def __str__(self):
        return "-" if math.isnan(self.median) else f"{self.median:.2f}"


def ratio(above, below):
    """The time of `above` : the time of `below`, round by round: what both met in the same seconds cancels."""
    pairs = [a / b for a, b in zip(above.round_medians(), below.round_medians())] if above and below else []
    if not pairs:
        return Ratio(math.nan, math.nan, math.nan)
    return Ratio(statistics.median(pairs), min(pairs), max(pairs))


def geometric_mean(values):
    """The geometric mean of the values that are no NaN; NaN if there are none."""
    logarithms = [math.log(value) for value in values if not math.isnan(value)]
    return math.exp(statistics.fmean(logarithms)) if logarithms else math.nan


def least_ns(work, ceilings, on):
    """The least time in ns that the ceilings of a processor ("cpu" or "device") leave for `work`, and the name of the ceiling that
    bounds it; (NaN, "") if they were not measured."""
    bounds = []
    rates = {name: statistics.median(values) for name, values in ceilings.items() if values}
    moved = work["read_bytes"] + work["written_bytes"]
    if moved and f"{on} triad" in rates:
        name = f"{on} read" if work["read_bytes"] > 20 * work["written_bytes"] else f"{on} triad"
        bounds.append((moved / rates[name], name))
    if work["flops"] and f"{on} fma" in rates:
        bounds.append((work["flops"] / rates[f"{on} fma"], f"{on} fma"))
    return max(bounds, default=(math.nan, ""))
