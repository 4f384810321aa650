# SPDX-License-Identifier: MIT
"""Generated code and the scheduler: deep calls, stack overflows, runs that are given up, memory and CPU time of long sessions.

    tasks_test.py --dist BUILD/dist --work FOLDER
"""

import os
import pathlib
import re
import resource
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import polybricks  # noqa: E402

SOURCE = pathlib.Path(__file__).resolve().parent / "tasks" / "tasks.pbcc"
IS_NIGHTLY = polybricks.is_nightly()

# Counts what the program asks of the heap, and writes the number when it ends.
COUNTER = r"""
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);
static atomic_long count;
static void *counted(void *p) { count++; return p; }
void *malloc(size_t n) { return counted(__libc_malloc(n)); }
void *calloc(size_t n, size_t m) { return counted(__libc_calloc(n, m)); }
void *realloc(void *p, size_t n) { return counted(__libc_realloc(p, n)); }
void *memalign(size_t a, size_t n) { return counted(__libc_memalign(a, n)); }
void *aligned_alloc(size_t a, size_t n) { return counted(__libc_memalign(a, n)); }
int posix_memalign(void **p, size_t a, size_t n) { *p = counted(__libc_memalign(a, n)); return 0; }
__attribute__((destructor)) static void report(void) {
  int file = open(getenv("PB_COUNT_FILE"), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  dprintf(file, "%ld\n", count);
  close(file);
}
"""


class Tasks:
    def __init__(self, dist, work):
        self.dist = dist
        self.work = work
        self.program = polybricks.Tools(dist).compile(SOURCE, work / "tasks")
        self.failures = []
        self.next_file = 0

    def check(self, condition, text):
        if not condition:
            self.failures.append(text)

    def file(self, values=None):
        """A text file with a number, or with a list of numbers; without values one to write to."""
        self.next_file += 1
        path = self.work / f"data{self.next_file}.txt"
        if values is not None:
            path.write_text(f"SIZE\n{values}\n" if isinstance(values, int) else f"SIZE {len(values)}\n{' '.join(map(str, values))}\n")
        return path

    def config(self, threads, **tunables):
        path = self.work / f"threads{threads}.cfg"
        self.program.write_configuration(path, self.program.configuration({}, threads=threads, sequential_cutoff=0, **tunables))
        return path

    def run(self, transform, values, threads=2, expect=0, num_outputs=1, **kwargs):
        """Runs a transform; returns (process, first number of the first output or None)."""
        outputs = [self.file() for _ in range(num_outputs)]
        command = [self.program.path, "--transform", transform, "--device", "none", "--config", self.config(threads), self.file(values), *outputs]
        done = polybricks.run_tool(command, expect=expect, **kwargs)
        return done, float(outputs[0].read_text().split()[-1]) if done.returncode == 0 else None

    def serve(self, transform):
        return polybricks.Server(self.program, "--transform", transform, "--device", "none")

    def ask_run(self, server, values, trials=1):
        server.ask("inputs", files=[str(self.file(values))], n=1, seed=1)
        entry = self.program.configuration({}, threads=2, sequential_cutoff=0)
        return server.ask("run", config=entry, trials=trials, verify=False)

    # ---- what is checked

    def deep_calls(self):
        depth = 100_000
        for threads in (1, 4):
            for transform, values, expected in (("Called", depth - 1, depth), ("Spawned", 10_000, 10_001), ("Shrinking", [1] * depth, depth),
                                                ("Fib", 20, 6765)):
                _, found = self.run(transform, values, threads)
                self.check(found == expected, f"{transform} with {threads} threads gives {found}, not {expected}")

    def overflows(self):
        for values, rule in (([3, 1_000_000], "`B#1`"), ([3, -1], "`C#1`")):
            for threads in (1, 4):
                done, _ = self.run("Deep", values, threads, expect=1, num_outputs=2)
                self.check(f"stack overflow in rule {rule} of transform `Deep` (tasks.pbcc:" in done.stderr and done.stderr.count("\n") <= 2,
                           f"an overflow in {rule}: {done.stderr}")
        _, found = self.run("Deep", [10_000, 7], num_outputs=2)
        self.check(found == 7, f"a recursion that fits gives {found}")

    def little_memory(self):
        """If stacks for tasks cannot be had, the run ends with one line; it neither hangs nor dies."""
        num_refused = 0
        for megabytes in (250, 400, 700, 1000, 4000):
            for transform, values in (("Spawned", 10_000), ("Fib", 15)):
                def limit(bytes=megabytes * 2**20):
                    resource.setrlimit(resource.RLIMIT_AS, (bytes, bytes))

                done, _ = self.run(transform, values, 4, expect=None, timeout=60, preexec_fn=limit)
                is_refused = done.returncode == 1 and done.stderr.count("\n") == 1 and re.search("not enough memory|cannot start worker", done.stderr)
                num_refused += bool(is_refused)
                self.check(done.returncode == 0 or is_refused,
                           f"{transform} with {megabytes} MiB ends with {done.returncode}: {done.stderr}")
        self.check(num_refused > 0, "no limit of memory was too small")

    def given_up(self):
        done, _ = self.run("MayGiveUp", -1, expect=66)
        self.check("gave up" in done.stderr, f"a run that is given up says {done.stderr}")
        with self.serve("MayGiveUp") as server:
            for _ in range(20):
                reply = self.ask_run(server, -1)
                self.check(reply["status"] == "aborted" and "gave up" in reply["message"], f"a run that is given up is answered {reply}")
                reply = self.ask_run(server, 1)
                self.check(reply["status"] == "ok", f"after a run that was given up: {reply}")

    def memory_of_many_calls(self):
        """A hundred thousand calls more leave the process as large as it was."""
        for transform, values, calls in (("Fib", 20, 21_891), ("Halving", [1.0] * 4096, 8191), ("Shrinking", [1.0] * 2000, 2000)):
            with self.serve(transform) as server:
                self.ask_run(server, values, trials=5)
                before = resident_bytes(server.process.pid)
                reply = self.ask_run(server, values, trials=100_000 * (10 if IS_NIGHTLY else 1) // calls + 1)
                grown = resident_bytes(server.process.pid) - before
                self.check(reply["status"] == "ok", f"{transform}: {reply}")
                self.check(grown < 2**20, f"100,000 calls of {transform} leave {grown} bytes behind")

    def memory_of_calls_that_vary(self):
        """What is kept of the temporaries of calls is bounded, also where each call has other sizes, fails or is given up: at most
        256 MiB or as much as is in use."""
        n, num_runs = (1_000_000, 3000) if IS_NIGHTLY else (200_000, 400)
        ended = {"ok": 0, "error": 0, "aborted": 0}
        with self.serve("Varying") as server:
            server.ask("inputs", n=n, seed=1)
            for _ in range(num_runs):
                reply = server.ask("run", config=self.program.configuration({}, threads=4, sequential_cutoff=0), trials=1, verify=False)
                ended[reply["status"]] += 1
            resident = resident_bytes(server.process.pid)
        in_use = 8 * n + 4 * 48 * n  # the input, and temporaries of four threads
        bound = max(2**28, in_use) + in_use + 2**26
        self.check(min(ended.values()) > 0, f"runs of Varying end {ended}")
        self.check(resident < bound, f"{num_runs} runs of Varying leave {resident} bytes, at most {bound} expected")

    def random_numbers(self):
        """Random numbers depend on the seed, not on which worker has time for a part of a loop."""
        program = polybricks.Tools(self.dist).compile(SOURCE.with_name("random.pbcc"), self.work / "random")
        hashes = {polybricks.run_tool([program.path, "--n", 300_000, "--seed", 5, "--threads", threads, "--device", "none", "--hash"]).stdout
                  for threads in (2, 3, 4) for _ in range(4)}
        self.check(len(hashes) == 1, f"runs with one seed have {len(hashes)} results")

    def heap_of_tasks(self):
        """Thousands of tasks and temporaries more take as much from the heap as a few."""
        source, library = self.work / "counter.c", self.work / "counter.so"
        source.write_text(COUNTER)
        polybricks.run_tool(["cc", "-O1", "-shared", "-fPIC", "-w", source, "-o", library])
        environment = dict(os.environ, LD_PRELOAD=str(library), PB_COUNT_FILE=str(self.work / "count.txt"))
        for transform, few, many in (("Fib", 10, 19), ("Halving", [1.0] * 256, [1.0] * 4096)):
            counts = []
            for values in (few, many):
                self.run(transform, values, env=environment)
                counts.append(int((self.work / "count.txt").read_text()))
            self.check(0 < counts[1] < counts[0] + 200, f"requests to the heap of {transform}, few and many tasks: {counts}")

    def idle_time(self):
        with self.serve("Fib") as server:
            self.ask_run(server, 15, trials=3)
            time.sleep(0.05)
            before = cpu_ns(server.process.pid)
            time.sleep(0.5)
            used = cpu_ns(server.process.pid) - before
            self.check(used < 0.01 * 0.5e9, f"half a second of waiting takes {used} ns of CPU time")


def resident_bytes(pid):
    return int(pathlib.Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")


def cpu_ns(pid):
    return sum(int((task / "schedstat").read_text().split()[0]) for task in pathlib.Path(f"/proc/{pid}/task").iterdir())


def main():
    args = polybricks.arguments(__doc__).parse_args()
    work = args.work / "tasks"
    work.mkdir(parents=True, exist_ok=True)
    tasks = Tasks(args.dist, work)
    for check in (tasks.deep_calls, tasks.overflows, tasks.little_memory, tasks.given_up, tasks.memory_of_many_calls, tasks.memory_of_calls_that_vary, tasks.random_numbers, tasks.heap_of_tasks,
                  tasks.idle_time):
        start = time.perf_counter()
        check()
        print(f"{check.__name__}: {time.perf_counter() - start:.1f} s")
    for failure in tasks.failures:
        print(failure)
    print(f"{len(tasks.failures)} failures")
    return 1 if tasks.failures else 0


if __name__ == "__main__":
    sys.exit(main())
