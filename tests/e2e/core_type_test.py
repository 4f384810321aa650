# SPDX-License-Identifier: MIT
"""The kernels of OpenBLAS: by themselves no older than the processor; else those of the configuration, else of the environment.
Its threads: one, or as many as the configuration says.

    core_type_test.py --dist BUILD/dist --work FOLDER
"""

import os
import pathlib
import re
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import polybricks  # noqa: E402

PROGRAM = pathlib.Path(__file__).resolve().parent / "native" / "core_type.pbcc"
BEFORE_AVX2 = ("prescott", "core2", "penryn", "nehalem", "sandybridge")


class Check:
    def __init__(self, program, work):
        self.program, self.work, self.failures = program, work, []
        rng = np.random.default_rng(1)
        self.a, self.b = rng.normal(size=(70, 50)), rng.normal(size=(50, 90))
        for name, matrix in (("a", self.a), ("b", self.b)):
            np.save(work / f"{name}.npy", matrix)

    def kernels(self, program, core_type=None, environment=None):
        """The core type that a run says, once its product was right."""
        config = self.work / "core.cfg"
        program.write_configuration(config, {"global": {"openblas_coretype": core_type} if core_type else {}, "transforms": {}})
        options = ["--config", config] if core_type else []
        env = {k: v for k, v in os.environ.items() if k != "OPENBLAS_CORETYPE"}
        if environment:
            env["OPENBLAS_CORETYPE"] = environment
        text = polybricks.run_tool([program.path, *options, *(self.work / f"{x}.npy" for x in "abc")], env=env).stdout
        if not np.allclose(np.load(self.work / "c.npy"), self.a @ self.b):
            self.failures.append(f"wrong product with {core_type} and {environment}")
        return re.search(r"kernels: (\w+)", text).group(1).lower()

    def num_threads(self, program, *options):
        text = polybricks.run_tool([program.path, *options, *(self.work / f"{x}.npy" for x in "abc")]).stdout
        return re.search(r"threads: (\d+)", text).group(1)

    def threads(self, config):
        """OpenBLAS has one thread by default, else as many as a configuration says, in a file, compiled in and in a request to a server."""
        self.program.write_configuration(config, {"global": {"threads": 1, "openblas_threads": 3}, "transforms": {}})
        self.expect(self.num_threads(self.program, "--config", config), "3", "threads of the configuration")
        self.expect(self.num_threads(self.program), "1", "threads without one")
        fixed = polybricks.Tools(self.program.dist).compile(PROGRAM, self.work / "three", "--config", config)
        self.expect(self.num_threads(fixed), "3", "threads compiled in")
        self.solve_with_threads(config)
        self.expect("openblas_threads" in self.program.info["global"], True, "tunable in the training information")

    def solve_with_threads(self, config):
        """LU decomposition with threads needs several MiB of stack, on each worker."""
        rng = np.random.default_rng(5)
        a, b = rng.random((300, 300)) + 300 * np.eye(300), rng.random((4, 300))
        np.save(self.work / "matrix.npy", a)
        np.save(self.work / "right.npy", b)
        for threads in (1, 2):
            self.program.write_configuration(config, {"global": {"threads": threads, "openblas_threads": 2}, "transforms": {}})
            files = [self.work / f"{x}.npy" for x in ("matrix", "right", "solution")]
            polybricks.run_tool([self.program.path, "--transform", "Solve", "--config", config, *files])
            error = np.abs(np.load(files[2]) @ a.T - b).max()
            self.expect(bool(error < 1e-9), True, f"solution with {threads} workers and two threads of OpenBLAS, off by {error}")

    def threads_of_a_server(self):
        """Threads of OpenBLAS that a configuration does not want are gone: they would take time from the next one's workers."""
        with polybricks.Server(self.program, "--device", "none") as server:
            self.expect(server.load([self.work / f"{x}.npy" for x in "ab"]), "", "inputs of the server")

            def num_threads(of_openblas):
                reply = server.ask("run", config={"global": {"threads": 1, "openblas_threads": of_openblas}, "transforms": {}}, trials=1)
                self.expect(reply["status"], "ok", f"run with {of_openblas} threads of OpenBLAS")
                return len(os.listdir(f"/proc/{server.process.pid}/task"))
            alone = num_threads(1)
            # OpenBLAS starts a thread for each core as soon as it needs more than one.
            started = max(3, len(os.sched_getaffinity(0)))
            self.expect(num_threads(3), alone + started - 1, "threads of the process with three of OpenBLAS")
            self.expect(num_threads(1), alone, "threads of the process after that")

    def expect(self, found, wanted, words):
        if found != wanted:
            self.failures.append(f"{words}: {found}, expected {wanted}")

    def run(self):
        flags = pathlib.Path("/proc/cpuinfo").read_text().split()
        best = self.kernels(self.program)
        if "avx2" in flags and best in BEFORE_AVX2:
            self.failures.append(f"OpenBLAS uses {best} on a processor with AVX2")
        self.expect(self.kernels(self.program, "Nehalem"), "nehalem", "configuration")
        self.expect(self.kernels(self.program, "auto"), best, "auto")
        self.expect(self.kernels(self.program, environment="Nehalem"), "nehalem", "environment")
        self.expect(self.kernels(self.program, "auto", "Nehalem"), "nehalem", "environment before configuration")
        config = self.work / "in.cfg"
        self.program.write_configuration(config, {"global": {"openblas_coretype": "Nehalem"}, "transforms": {}})
        fixed = polybricks.Tools(self.program.dist).compile(PROGRAM, self.work / "fixed", "--config", config)
        self.expect(self.kernels(fixed), "nehalem", "compiled in")
        self.threads(config)
        self.threads_of_a_server()


def main():
    args = polybricks.arguments(__doc__).parse_args()
    work = args.work / "core_type"
    work.mkdir(parents=True, exist_ok=True)
    program = polybricks.Tools(args.dist).compile(PROGRAM, work / "open")
    program.dist = args.dist
    check = Check(program, work)
    check.run()
    print("\n".join(check.failures) or "the kernels are those that were asked for")
    return 1 if check.failures else 0


if __name__ == "__main__":
    sys.exit(main())
