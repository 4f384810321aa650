# SPDX-License-Identifier: MIT
"""What a task costs: Fibonacci numbers, empty tasks, loops that follow each other, and a program under a quota of one CPU."""

import contextlib
import os
import pathlib
import subprocess

import numpy

from harness.common import polybricks
from harness.contenders import Unable
from harness.experiment import Contender, Experiment
from harness.workload import Baseline, Work, Workload

SOURCE = "M. Frigo, C. Leiserson, K. Randall, The Implementation of the Cilk-5 Multithreaded Language, 1998"
A_TASK_PER_CALL = {"sequential_cutoff": 0}


def on_tbb(name, what):
    return Baseline(name, "tbb.cpp", ("-ltbb",), ("libtbb-dev",), {"what": what})


def on_runtime(source, **options):
    return Baseline("runtime/sched, C++", source, options=options, uses_runtime=True)


def fibonacci(n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


def spawns(run, _size):
    yield run.hand_written(on_tbb("oneTBB task_group", "spawn"))
    yield run.hand_written(on_runtime("runtime_tasks.cpp", what="spawn"), "program")


def loops(run, _size):
    yield run.hand_written(Baseline("OpenMP, static", "openmp_loops.cpp", ("-fopenmp",)))
    yield run.hand_written(on_runtime("runtime_loops.cpp"), "program")


@contextlib.contextmanager
def quota_of_one_cpu():
    """Yields what a child has to do before its program starts. Raises Unable where no control group can be made."""
    name = f"polybricks-{os.getpid()}"
    for root, files in (("/sys/fs/cgroup", {"cpu.max": "100000 100000"}), ("/sys/fs/cgroup/cpu", {"cpu.cfs_period_us": "100000", "cpu.cfs_quota_us": "100000"})):
        group = pathlib.Path(root) / name
        try:
            group.mkdir()
        except OSError:
            continue
        try:
            for file, text in files.items():
                with open(group / file, "r+") as out:  # "r+" makes no file: the folder may be no control group
                    out.write(text)
        except OSError:
            group.rmdir()
            continue
        try:
            yield lambda: (group / "cgroup.procs").write_text(str(os.getpid()))
        finally:
            group.rmdir()
        return
    raise Unable("no control group with a CPU quota can be made here")


def quotas(run, size):
    """Fib under the quota: with one thread, with the number that the program chooses, with more threads than the quota."""
    program = run.compile(run.folder / "program.pbcc")

    def contender(name, kind, threads):
        config = run.out / f"quota{threads}.cfg"
        program.write_configuration(config, program.configuration({}, threads=threads, **A_TASK_PER_CALL))

        def times(trials):
            command = [str(program.path), "--n", "1", "--set", f"N={size['n']}", "--config", str(config), "--device", "none", "--stats=json", "--trials", str(trials)]
            with quota_of_one_cpu() as enter:
                done = subprocess.run(command, capture_output=True, text=True, check=True, preexec_fn=enter)
            return polybricks.statistics_of(done.stdout)["times_ns"]
        return Contender(name, kind, times)

    yield contender("1 thread", "baseline", 1)
    yield contender("as many threads as it chooses", "program", 0)
    many = max(2, run.options.threads)
    yield contender(f"{many} threads", "program", many)


WORKLOADS = [
    Workload(
        title="Fibonacci numbers by their definition", source=SOURCE,
        inputs=lambda size, _random: [numpy.float64(size["n"])],
        reference=lambda size, _n: [numpy.float64(fibonacci(size["n"]))],
        sizes={"smoke": [{"n": 15}], "cpu": [{"n": 35}], "gpu": [{"n": 35}]},
        work=lambda _size: Work(),
        choices={"a task per call": {"global": A_TASK_PER_CALL}},
        baselines=(on_tbb("oneTBB, a task and a call", "fib"), on_tbb("oneTBB, two tasks", "fib_wait"), on_runtime("runtime_tasks.cpp", what="fib"))),
    Experiment(
        title="A million empty tasks: milliseconds are nanoseconds per task", part="spawn", source=SOURCE, contenders=spawns,
        sizes={"smoke": [{"batch": 10, "tasks": 1000}], **{name: [{"batch": 1}, {"batch": 100}] for name in ("cpu", "gpu")}}),
    Experiment(
        title="1000 loops that follow each other: milliseconds are microseconds per loop", part="loops", source="OpenMP's static schedule", contenders=loops,
        sizes={"smoke": [{"cells": 5000, "loops": 10}],
               **{name: [{"cells": cells} for cells in (2_000, 10_000, 50_000, 200_000, 1_000_000)] for name in ("cpu", "gpu")}}),
    Experiment(
        title="Fibonacci numbers under a quota of one CPU", part="quota", source="control groups of Linux", contenders=quotas,
        sizes={"smoke": [{"n": 15}], "cpu": [{"n": 35}], "gpu": [{"n": 35}]}),
]
