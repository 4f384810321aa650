# SPDX-License-Identifier: MIT
"""Runs benchmarks: programs in the language beside baselines, all compared with a reference before their times count."""

import argparse
import pathlib
import sys

from . import machine, page, text_report
from .ceilings import Ceilings
from .common import ROOT, polybricks
from .environment import Environment
from .experiment import Experiment, ExperimentRun
from .measure import WorkloadRun
from .results import Results
from .rounds import CompilingOnce, Options
from .workload import load

BENCHMARKS = ROOT / "benchmarks"


def names():
    """The benchmarks that this harness runs."""
    return sorted(path.parent.name for path in BENCHMARKS.glob("*/workload.py") if path.parent.name != "harness")


def asked_for(name):
    """The workloads that `name` stands for, each with its folder: all of a benchmark, or one of them as in `peers.blur`."""
    benchmark, _, part = name.partition(".")
    if benchmark not in names():
        raise polybricks.ToolError(f"there is no benchmark `{benchmark}`; there are {', '.join(names())}")
    folder = BENCHMARKS / benchmark
    workloads = load(folder)
    parts = [each.own_name for each in workloads]
    if part and part not in parts:
        raise polybricks.ToolError(f"`{benchmark}` has no part `{part}`; it has {', '.join(parts)}")
    return [(folder, each) for each, own in zip(workloads, parts) if part in ("", own)]


def parse_sizes(texts, usual):
    """`n=64,kind=add` → {"n": 64, "kind": "add"}, one for each text.

    usual:   the benchmark's own sizes, which say the names; those that all of them have must be given
    Raises:  ToolError if a text has other names, lacks one, or has a name without a value"""
    known, needed = set().union(*usual), set(usual[0]).intersection(*usual)
    sizes = []
    for text in texts:
        size = {name: value for name, _, value in (pair.partition("=") for pair in text.split(","))}
        if not all(size.values()) or not needed <= set(size) <= known:
            raise polybricks.ToolError(f"--sizes: found `{text}`, expected something like "
                                       + ",".join(f"{name}={value}" for name, value in usual[0].items()))
        sizes.append({name: int(value) if value.isdecimal() else value for name, value in size.items()})
    return sizes


def arguments(words):
    parser = argparse.ArgumentParser(prog="benchmarks/run", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="+", metavar="NAME", help=", ".join(names()))
    parser.add_argument("--dist", type=pathlib.Path, default=ROOT / "build" / "dist", help="folder of the built tools")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "build" / "benchmarks", help="folder for programs, inputs and configurations")
    parser.add_argument("--set", default="cpu", choices=("smoke", "cpu", "gpu"), help="which sizes (default: cpu)")
    parser.add_argument("--sizes", nargs="+", metavar="n=64,m=7", help="these sizes instead; values may be words, as in kind=add")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--trials", type=int, default=3, help="timed runs in each round")
    parser.add_argument("--rounds", type=int, default=5, help="interleaved rounds of all contenders")
    parser.add_argument("--device", default="none", help="OpenCL device: index or part of its name; none (default)")
    parser.add_argument("--element", default="double", choices=("double", "float"), help="element type, of benchmarks that have several")
    parser.add_argument("--resident", action="store_true", help="inputs are on the device when the clock starts, and outputs stay there")
    parser.add_argument("--groups", action="store_true", help="choices on the device run in groups of the fastest among usual shapes")
    parser.add_argument("--tune", choices=("none", "quick", "normal", "full"), help="effort of the tuned contender (default: quick; none for smoke)")
    parser.add_argument("--config", type=pathlib.Path, metavar="F", help="also measure this configuration")
    parser.add_argument("--only", default="", metavar="WORDS", help="contenders whose names hold one of these words, separated by commas")
    parser.add_argument("--limit", type=float, default=20, metavar="S", help="a contender that takes longer is left out")
    parser.add_argument("--seed", type=int, default=1, help="seed of the inputs")
    parser.add_argument("--samples", type=int, default=0, metavar="N", help="also compare N random configurations with the reference")
    parser.add_argument("--json", type=pathlib.Path, metavar="F", help="write the measurements here")
    parser.add_argument("--environment", default=str(ROOT / "build" / "peers"), metavar="FOLDER",
                        help="Python environment of baselines that need packages of PyPI, made if it is not there (default: build/peers); "
                             "none: nothing is installed, and they are missing where the harness's own interpreter lacks the packages")
    parser.add_argument("--html", type=pathlib.Path, metavar="F", help="write a page with tables and plots here")
    args = parser.parse_args(words)
    args.tune = args.tune or ("none" if args.set == "smoke" else "quick")
    return args


def run(args):
    """Runs what was asked for. The measurements are saved after each workload, so that none is lost when the run is ended."""
    tools = CompilingOnce(args.dist)
    options = Options(args.out, args.threads, args.trials, args.rounds, args.device, args.limit, args.tune, args.config, args.only, args.seed, args.samples,
                      args.element, args.resident, args.groups, Environment(None if args.environment == "none" else args.environment))
    args.out.mkdir(parents=True, exist_ok=True)
    ceilings, workloads, device = Ceilings(options), [], ""
    for name in args.names:
        for folder, workload in asked_for(name):
            sizes = parse_sizes(args.sizes, [size for sizes in workload.sizes.values() for size in sizes]) if args.sizes else workload.sizes[args.set]
            if not sizes:
                continue
            one = (ExperimentRun if isinstance(workload, Experiment) else WorkloadRun)(folder, workload, tools, options)
            device = device or one.device_name()
            workloads.append(one.run(sizes, ceilings))
            if args.json:
                results_of(args, tools, device, ceilings, workloads).save(args.json)
    return results_of(args, tools, device, ceilings, workloads)


def results_of(args, tools, device, ceilings, workloads):
    shown = {name: getattr(args, name) for name in ("set", "threads", "trials", "rounds", "tune", "seed", "element", "resident", "groups")}
    return Results(machine.describe(tools, device), shown, ceilings.values, workloads)


def main(words=None):
    args = arguments(words)
    try:
        results = run(args)
    except (polybricks.ToolError, RuntimeError) as error:
        print(error, file=sys.stderr)
        return 1
    text_report.print_results(results)
    if args.json and not results.workloads:
        results.save(args.json)
    if args.html:
        args.html.write_text(page.page(results))
    # A contender that is wrong or crashes is a fault; a library that is not installed is not.
    bad = [(w.name, c) for w in results.workloads for p in w.problems for c in p.contenders if c.status == "failed" and "takes longer" not in c.message]
    for name, contender in bad:
        print(f"{name}: {contender.name}: {contender.message}", file=sys.stderr)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
