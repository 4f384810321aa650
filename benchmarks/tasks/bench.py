# SPDX-License-Identifier: MIT
"""What a task costs: runtime/sched and generated code next to oneTBB, loops next to OpenMP, an idle server, a program under a CPU quota.

Prints, from one run: time per spawn and wait of an empty task; Fibonacci numbers with one task per call, without a cut-off, from a
.pbcc program, from the runtime's C++ interface and from oneTBB's task_group; time per loop of loops that follow each other; the
share of a CPU that a waiting --serve binary takes; and what a quota of one CPU costs a program that could see more. Medians of interleaved rounds.
"""

import contextlib
import os
import pathlib
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from harness import common as harness  # noqa: E402
from harness.common import median, milliseconds, polybricks  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
TBB, RUNTIME, GENERATED = "oneTBB task_group", "runtime/sched, C++", "generated from .pbcc"


def write_number(path, n):
    path.write_text(f"SIZE\n{n}\n")
    return path


def generated(program, args, threads):
    """Median time of Fib(n) in the program, every call a task."""
    with polybricks.Server(program, "--device", "none") as server:
        server.ask("inputs", files=[str(write_number(args.out / "n.txt", args.n))], n=1, seed=1)
        reply = server.ask("run", config=program.configuration({}, threads=threads, sequential_cutoff=0), trials=args.trials, verify=False)
        if reply["status"] != "ok":
            raise polybricks.ToolError(f"run: {reply}")
        return median(reply["times_ns"])


def task_rows(program, tbb, runtime, args):
    """(rows of empty tasks, rows of Fib)."""
    threads = sorted({1, args.threads})
    samples = {}
    for _ in range(args.rounds):
        for count in threads:
            options = ["--n", args.n, "--threads", count, "--trials", args.trials]
            for name, values in ((TBB, harness.hand_written(tbb, *options)), (RUNTIME, harness.hand_written(runtime, *options)),
                                 (GENERATED, {"fib_ns": generated(program, args, count)})):
                for key, value in values.items():
                    samples.setdefault((name, key, count), []).append(value)
    found = {key: median(values) for key, values in samples.items()}
    spawns, fibs = [], []
    for name in (TBB, RUNTIME, GENERATED):
        if (name, "fib_ns", 1) not in found:
            continue
        if (name, "spawn_1_ns", 1) in found:
            spawns.append([name] + [f"{found[name, key, count]:.1f}" for count in threads for key in ("spawn_1_ns", "spawn_100_ns")])
        fibs.append([name, *(milliseconds(found[name, "fib_ns", count]) for count in threads),
                     *(harness.ratio(found, (name, "fib_ns", count), (TBB, "fib_ns", count)) for count in threads)])
    fibs.append(["no tasks at all (ceiling)", milliseconds(found[RUNTIME, "plain_fib_ns", 1])] + [""] * (2 * len(threads) - 1))
    return spawns, fibs


def loop_rows(openmp, loops, args):
    """Time per loop, by size."""
    rounds = {openmp: [], loops: []}
    for _ in range(args.rounds):
        for path, figures in rounds.items():
            figures.append(harness.hand_written(path, "--threads", args.threads, "--trials", args.trials))
    hand, ours = (harness.medians(figures) for figures in rounds.values())
    return [[key.split("_")[1], f"{hand[key] / 1e3:.1f}", f"{ours[key] / 1e3:.1f}", f"{ours[key] / hand[key]:.2f}"] for key in hand]


def cpu_ns(pid):
    """CPU time of all threads of a process so far."""
    return sum(int((task / "schedstat").read_text().split()[0]) for task in pathlib.Path(f"/proc/{pid}/task").iterdir())


def idle_share(program, args):
    """Share of one CPU that --serve takes between two requests, its workers started."""
    with polybricks.Server(program, "--device", "none") as server:
        server.ask("inputs", files=[str(write_number(args.out / "small.txt", 15))], n=1, seed=1)
        server.ask("run", config=program.configuration({}, threads=max(2, args.threads), sequential_cutoff=0), trials=3, verify=False)
        time.sleep(0.1)
        before, start = cpu_ns(server.process.pid), time.perf_counter_ns()
        time.sleep(args.idle_seconds)
        return (cpu_ns(server.process.pid) - before) / (time.perf_counter_ns() - start)


@contextlib.contextmanager
def quota_of_one_cpu():
    """Yields (how, what to run in the child before exec), or a reason and None where no control group can be made."""
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
            yield f"control group below {root}", lambda: (group / "cgroup.procs").write_text(str(os.getpid()))
        finally:
            group.rmdir()
        return
    yield "no control group with a CPU quota can be made here", None


def quota_rows(program, args):
    """Times of Fib under the quota: one thread, the number that the program chooses, more threads than the quota."""
    wishes = {"--threads 1": 1, "threads by default": 0, f"--threads {max(2, args.threads)}": max(2, args.threads)}
    config = {}
    for name, threads in wishes.items():
        config[name] = args.out / f"quota{threads}.cfg"
        program.write_configuration(config[name], program.configuration({}, threads=threads, sequential_cutoff=0))
    number = write_number(args.out / "n.txt", args.n)
    with quota_of_one_cpu() as (how, enter):
        if enter is None:
            return how, []
        times = {name: [] for name in wishes}
        for _ in range(args.rounds):
            for name in wishes:
                command = [str(program.path), str(number), str(args.out / "result.txt"), "--config", str(config[name]), "--device", "none",
                           "--stats=json", "--trials", str(args.trials)]
                done = subprocess.run(command, capture_output=True, text=True, check=True, preexec_fn=enter)
                times[name].append(polybricks.statistics_of(done.stdout)["median_ns"])
    base = median(times["--threads 1"])
    return how, [[name, milliseconds(median(values)), f"{median(values) / base:.2f}"] for name, values in times.items()]


def main():
    parser = harness.arguments(__doc__, "tasks", trials=3)
    parser.add_argument("--n", type=int, default=35)
    parser.add_argument("--idle-seconds", type=float, default=3)
    args = parser.parse_args()
    baselines = harness.Baselines(args, "tasks")
    tbb = baselines.get(HERE / "baseline_tbb.cpp", "-ltbb")
    link_flags = (args.dist / "lib" / "libpbrt.flags").read_text().split()
    openmp = baselines.get(HERE / "baseline_openmp.cpp", "-fopenmp")
    library = args.dist / "lib" / "libpbrt.a"
    runtime, loops = (harness.build(HERE / f"{name}.cpp", args.out / name, "-I", args.dist / "include", library, *link_flags, newer_than=[library])
                      for name in ("runtime_tasks", "runtime_loops"))
    if args.build_only:
        return
    program = polybricks.Tools(args.dist).compile(HERE / "fib.pbcc", args.out / "fib")
    plural = [f"{count} thread{'s' if count > 1 else ''}" for count in sorted({1, args.threads})]
    spawns, fibs = task_rows(program, tbb, runtime, args)
    print(f"machine: {harness.machine()}\n\nspawn and wait of an empty task, ns per task")
    print(harness.table(["", *(f"{text}, {batch}" for text in plural for batch in ("one by one", "by 100"))], spawns))
    print(f"\nfib({args.n}), one task per call, no cut-off")
    print(harness.table(["", *(f"{text}, ms" for text in plural), *(f"{text}, : oneTBB" for text in plural)], fibs))
    print(f"\nloops that follow each other, {args.threads} threads, us per loop")
    print(harness.table(["cells", "OpenMP, static", "runtime/sched, C++", ": OpenMP"], loop_rows(openmp, loops, args)))
    print(f"\nidle --serve: {100 * idle_share(program, args):.3f} % of one CPU")
    how, rows = quota_rows(program, args)
    print(f"\nfib({args.n}) under a quota of one CPU ({how})")
    if rows:
        print(harness.table(["", "ms", ": --threads 1"], rows))


if __name__ == "__main__":
    sys.exit(main())
