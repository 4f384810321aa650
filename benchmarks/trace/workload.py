# SPDX-License-Identifier: MIT
"""What --trace and --stats cost."""

import re

from harness.common import ROOT, polybricks
from harness.experiment import Contender, Experiment
from harness.workload import levels

SORT = "Radix|Insertion|Selection|Library|Merge[Halvings=1]|Merge[Halvings=2]|Merge[Halvings=3]|Quick|Buckets|Bitonic|BottomUp"
MERGE_SORT = {"sites": {SORT: levels((0, "Insertion"), (60, "Merge[Halvings=1]"))}}
COPIED_FIRST = {"sites": {"Buckets|Anything": levels((0, "Anything"))}}
# From a name to the program, the options of a run, and its configuration.
PROGRAMS = {
    "convolution": ("examples/separable_convolution.pbcc", ["--n", "2048", "--size", "KWIDTH=9"], {}),
    "merge sort": ("benchmarks/sort/program.pbcc", ["--n", str(1 << 20)],
                   {"global": {"sequential_cutoff": 4096}, "transforms": {"Work<0>": MERGE_SORT, "Work<1>": MERGE_SORT, "Sort": COPIED_FIRST}}),
    "Fourier transform": ("benchmarks/fft/program.pbcc", ["--n", str(1 << 18)], {}),
    "Fibonacci": ("benchmarks/tasks/program.pbcc", ["--n", "1", "--set", "N=27"], {"global": {"sequential_cutoff": 0}}),
}


def contenders(run, size):
    """Without recording, with totals, and with every event. `--stats=xml` prints times without recording anything. The least time of a
    process counts, because other load makes times longer, never shorter."""
    source, options, configuration = PROGRAMS[size["program"]]
    program = run.compile(ROOT / source)
    config = run.out / "trace.cfg"
    entry = {"global": {"threads": run.options.threads, **configuration.get("global", {})}, "transforms": configuration.get("transforms", {})}
    program.write_configuration(config, entry)

    def contender(name, kind, *words):
        def times(trials):
            out = polybricks.run_tool([program.path, *options, "--device", "none", "--config", config, "--trials", trials, *words], timeout=1800).stdout
            if "--stats=json" in words:
                return [polybricks.statistics_of(out)["min_ns"]]
            return [float(re.search(r'<timing [^>]*min="([^"]*)"', out).group(1)) * 1e9]
        return Contender(name, kind, times)

    yield contender("off", "baseline", "--stats=xml")
    yield contender("--stats", "program", "--stats=json")
    yield contender("--trace", "program", "--stats=xml", "--trace", run.out / "trace.json")


ALL = [{"program": name} for name in PROGRAMS]
WORKLOAD = Experiment(
    title="Recording", source="what --stats and --trace cost", contenders=contenders,
    sizes={"smoke": [{"program": "Fibonacci"}], "cpu": ALL, "gpu": ALL})
