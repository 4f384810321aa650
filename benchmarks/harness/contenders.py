# SPDX-License-Identifier: MIT
"""Contenders of a comparison: baselines, and the program under one configuration.

Each contender has `check(problem)`, which returns the error of its results or raises Failed, and `measure(problem, trials)`, which
returns times in ns.
"""

import dataclasses
import json
import os
import pathlib
import signal
import subprocess
import typing

import numpy

from .common import ROOT, polybricks
from .lines import lines_of_code

# What libraries take the number of threads from: OpenMP, OpenBLAS, Numba, Halide, and XLA under either name.
THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS", "HL_NUM_THREADS", "PJRT_NPROC", "NPROC")


GAVE_UP = 66   # the exit status of a program whose rule called PetabricksRuntime::abort()


class Failed(Exception):
    """A contender did not solve the problem; the message says why."""
    status = "failed"


class Unable(Failed):
    """A contender cannot run on this machine; the message says why."""
    status = "missing"


@dataclasses.dataclass
class Problem:
    """One size of a workload, with its inputs in files."""
    workload: typing.Any
    size: dict             # from names of size variables to values
    folder: pathlib.Path   # holds the files of inputs and outputs
    inputs: list           # arrays
    expected: list         # the outputs that are right, as arrays
    files: list = dataclasses.field(default_factory=list)   # the files of the inputs
    element: str = "double"                                 # what ElementT is: "double" or "float"

    @classmethod
    def make(cls, workload, size, folder, seed, element):
        """Makes the inputs, writes them to files in `folder`, and computes the outputs that are right."""
        folder.mkdir(parents=True, exist_ok=True)
        inputs = workload.inputs(size, numpy.random.default_rng(seed))
        if element == "float":
            inputs = [array.astype(numpy.float32) if array.dtype == numpy.float64 else array for array in inputs]
        files = []
        for number, array in enumerate(inputs):
            files.append(folder / f"in{number}.npy")
            numpy.save(files[-1], numpy.asarray(array, order="C"))
        exact = [array.astype(numpy.float64) if array.dtype == numpy.float32 else array for array in inputs] if element == "float" else inputs
        return cls(workload, size, folder, inputs, workload.reference(size, *exact), files, element)

    def has_whole_inputs(self):
        """Whether all inputs are whole numbers, so that `element` says nothing of them."""
        return bool(self.inputs) and all(numpy.issubdtype(array.dtype, numpy.integer) for array in self.inputs)

    def output_files(self):
        return [self.folder / f"out{number}.npy" for number in range(len(self.expected))]

    def error(self):
        """Returns the error of the outputs in the files. Raises Failed if it is above the tolerance, or if a file is missing."""
        try:
            outputs = [numpy.load(file) for file in self.output_files()]
        except (OSError, ValueError) as error:
            raise Failed(f"no result: {error}") from None
        error = self.workload.error_of(self.size, self.inputs, outputs, self.expected)
        tolerance = max(self.workload.tolerance, 1e-5 if self.element == "float" else 0)
        if not error <= tolerance:
            raise Failed(f"wrong result: error {error:.3g}, tolerance {tolerance:.3g}")
        return float(error)

    def words(self):
        """Returns the options that tell a baseline the problem."""
        sizes = [word for name, value in self.size.items() for word in (f"--{name}", str(value))]
        return sizes + (["--element", self.element] if len(self.workload.elements) > 1 else [])

    def settings(self):
        """Returns the `--set` options for params, and for inputs that are a single number."""
        return [word for name, value in self.workload.set(self.size).items() for word in ("--set", f"{name}={value}")]


class HandWritten:
    """A baseline, whose program is started anew for each check and each measurement."""

    def __init__(self, baseline, folder, command, options, kind="baseline"):
        """`command` runs the baseline, whose source lies in `folder`. `options` are those of rounds.Options."""
        self.kind = kind
        self.name, self.on = baseline.name, baseline.on
        self.lines = lines_of_code(folder / baseline.source)
        self._command = command + [word for name, value in baseline.options.items() for word in (f"--{name}", str(value))]
        self._threads, self._limit_s = options.threads, options.limit_s
        self._variables = {**dict.fromkeys(THREAD_VARIABLES, str(options.threads)), "PYTHONPATH": str(ROOT / "benchmarks"),
                           "NUMBA_CACHE_DIR": str(options.out.absolute() / "numba")}
        if baseline.on == "opencl":
            self._command += ["--device", str(options.device)]
        if baseline.on != "cpu" and options.is_resident:
            self._command += ["--resident", "1"]

    def _run(self, problem, trials):
        command = self._command + ["--threads", str(self._threads), "--trials", str(trials), "--out", str(problem.folder), *problem.words(),
                                   *map(str, problem.files)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=self._limit_s * (trials + 2),
                                  env={**os.environ, **self._variables})
        except subprocess.TimeoutExpired:
            raise Failed(f"takes longer than {self._limit_s:g} s") from None
        if done.returncode == -signal.SIGILL:
            raise Unable("this processor lacks instructions that it uses")
        if done.returncode != 0:
            last = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
            raise (Unable if last.startswith("ModuleNotFoundError") else Failed)(last)
        return json.loads(done.stdout)

    def check(self, problem):
        for file in problem.output_files():
            file.unlink(missing_ok=True)
        self._run(problem, 0)
        return problem.error()

    def measure(self, problem, trials):
        """Returns (times of the trials, times of their kernels) in ns. Raises Failed."""
        figures = self._run(problem, trials)
        return figures["times_ns"], figures["kernel_ns"]


class Generated:
    """The program under one configuration. Measurements take place in the process of the session, which all configurations share, as
    in `pbtune`. A check starts a process of its own; if it is strict, each rule must run where the configuration says."""

    def __init__(self, name, source, program, configuration, session, kind="program", is_strict=True):
        self.kind, self._is_strict = kind, is_strict
        self.name, self.on = name, "+".join(sorted(processors_of(configuration)))
        self.lines = lines_of_code(source)
        self.configuration, self._program, self._session = configuration, program, session

    def check(self, problem):
        for file in problem.output_files():
            file.unlink(missing_ok=True)
        config = problem.folder / "checked.cfg"
        self._program.write_configuration(config, self.configuration)
        command = [self._program.path, "--config", config, *(["--strict"] if self._is_strict else []), *self._session.options, *problem.settings(), *problem.files, *problem.output_files()]
        try:
            done = polybricks.run_tool(command, expect=None, timeout=3 * self._session.limit_s)
        except subprocess.TimeoutExpired:
            raise Failed(f"takes longer than {3 * self._session.limit_s:g} s") from None
        if done.returncode != 0:
            words = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[0].removeprefix(f"{self._program.path}: ")
            is_unable = done.returncode == GAVE_UP or words.endswith("(--strict)")   # a rule did not run where it was to run
            raise (Unable if is_unable else Failed)(words)
        return problem.error()

    def measure(self, problem, trials):
        """Returns (times of the trials, times of their kernels) in ns. A run that does not count comes first, as in baselines. Raises
        Failed."""
        self._session.load(problem)
        self._session.run(self.configuration, 1)
        return self._session.run(self.configuration, trials)


def processors_of(configuration):
    """Returns the processors that a configuration names, "cpu" or "opencl"; only "cpu" if it names none."""
    processors = {level["on"].removesuffix("_local") for transform in configuration.get("transforms", {}).values()
             for levels in transform.get("sites", {}).values() for level in levels if "on" in level}
    return processors or {"cpu"}


class Session:
    """A process of the program under --serve, which holds the inputs of one problem. The first `load` starts it."""

    def __init__(self, program, options, limit_s, is_resident=False):
        self.options, self.limit_s, self.is_resident = options, limit_s, is_resident
        self._program, self._server, self._problem = program, None, None

    def load(self, problem):
        """Gives the inputs of `problem` to the process, unless it has them. Raises Failed."""
        if self._server is None:
            self._server = polybricks.Server(self._program, *self.options, limit_s=20 * self.limit_s)
        if self._problem is problem:
            return
        reply = self._server.ask("inputs", files=[str(file) for file in problem.files], set=problem.workload.set(problem.size), seed=1)
        if reply["status"] != "ok":
            raise Failed(reply.get("message", reply["status"]))
        self._problem = problem

    def run(self, configuration, trials):
        """Returns (times of the trials, times of their kernels) in ns, for the inputs of the last `load`.

        Raises Failed if a run fails, and Unable if a rule did not run on the device that it was to run on.
        """
        reply = self._server.ask("run", config=configuration, trials=trials, verify=False, resident=self.is_resident, limit_ms=1000 * self.limit_s)
        if reply["status"] != "ok":
            raise Failed(reply.get("message") or reply["status"])
        for fallback in reply.get("fallbacks") or []:
            raise Unable(f"{fallback['rule']} did not run on {fallback['on']}: {fallback['reason']}")
        return reply["times_ns"], reply.get("kernel_ns") or []

    def close(self):
        """Ends the process. A later `load` starts another one."""
        if self._server is not None:
            self._server.close()
            self._server = self._problem = None
