# SPDX-License-Identifier: MIT
"""The sides of a comparison: a baseline, or the program under one configuration. Each says whether its results are right and how
long it takes."""

import dataclasses
import json
import os
import pathlib
import signal
import subprocess
import sys
import typing

import numpy

from .common import polybricks


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
    size: dict
    folder: pathlib.Path
    inputs: list
    expected: list
    files: list = dataclasses.field(default_factory=list)
    element: str = "double"

    @classmethod
    def make(cls, workload, size, folder, seed, element):
        """Makes the inputs, writes them to files, and computes what is right."""
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

    def output_files(self):
        return [self.folder / f"out{number}.npy" for number in range(len(self.expected))]

    def error(self):
        """How wrong the outputs in the files are. Raises Failed if they are above the tolerance."""
        try:
            outputs = [numpy.load(file) for file in self.output_files()]
        except (OSError, ValueError) as error:
            raise Failed(f"no result: {error}") from None
        error = self.workload.error_of(self.size, self.inputs, outputs, self.expected)
        tolerance = max(self.workload.tolerance, 1e-5 if self.element == "float" else 0)
        if not error <= tolerance:
            raise Failed(f"wrong result: error {error:.3g}, tolerance {tolerance:.3g}")
        return float(error)

    def settings(self):
        """`--set` options for params and inputs that are one number."""
        return [word for name, value in self.workload.set(self.size).items() for word in ("--set", f"{name}={value}")]


class HandWritten:
    """A baseline: a program of its own for each call."""
    kind = "baseline"

    def __init__(self, baseline, program, threads, device, limit_s, is_resident=False):
        self.name, self.on = baseline.name, baseline.on
        interpreter = [sys.executable] if program.suffix == ".py" else []
        self._command = [*interpreter, str(program)] + [word for name, value in baseline.options.items() for word in (f"--{name}", str(value))]
        self._threads, self._limit_s = threads, limit_s
        if baseline.on == "opencl":
            self._command += ["--device", str(device)]
        if baseline.on != "cpu" and is_resident:
            self._command += ["--resident", "1"]

    def _run(self, problem, trials):
        sizes = [word for name, value in problem.size.items() for word in (f"--{name}", str(value))]
        if len(problem.workload.elements) > 1:
            sizes += ["--element", problem.element]
        command = self._command + ["--threads", str(self._threads), "--trials", str(trials), "--out", str(problem.folder), *sizes, *map(str, problem.files)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=self._limit_s * (trials + 2),
                                  env=dict(os.environ, OMP_NUM_THREADS=str(self._threads), OPENBLAS_NUM_THREADS=str(self._threads)))
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
        """Returns (times, times of kernels) in ns."""
        figures = self._run(problem, trials)
        return figures["times_ns"], figures["kernel_ns"]


class Generated:
    """The program under one configuration. All configurations of a problem share one process, as in `pbtune`."""
    kind = "program"

    def __init__(self, name, program, configuration, session):
        self.name, self.on = name, "+".join(sorted(processors_of(configuration)))
        self.configuration, self._program, self._session = configuration, program, session

    def check(self, problem):
        for file in problem.output_files():
            file.unlink(missing_ok=True)
        config = problem.folder / "checked.cfg"
        self._program.write_configuration(config, self.configuration)
        command = [self._program.path, "--config", config, "--strict", *self._session.options, *problem.settings(), *problem.files, *problem.output_files()]
        try:
            done = polybricks.run_tool(command, expect=None, timeout=3 * self._session.limit_s)
        except subprocess.TimeoutExpired:
            raise Failed(f"takes longer than {3 * self._session.limit_s:g} s") from None
        if done.returncode != 0:
            words = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[0]
            raise (Unable if done.returncode == GAVE_UP else Failed)(words)
        return problem.error()

    def measure(self, problem, trials):
        """Returns (times, times of kernels) in ns. A run that does not count comes first, as in baselines."""
        self._session.load(problem)
        self._session.run(self.configuration, 1)
        return self._session.run(self.configuration, trials)


def processors_of(configuration):
    """The words of `on` in a configuration; "cpu" if it names none."""
    words = {level["on"].removesuffix("_local") for transform in configuration.get("transforms", {}).values()
             for levels in transform.get("sites", {}).values() for level in levels if "on" in level}
    return words or {"cpu"}


class Session:
    """One serving process of the program, which holds the inputs of one problem. It starts when it is needed."""

    def __init__(self, program, options, limit_s, is_resident=False):
        self.options, self.limit_s, self.is_resident = options, limit_s, is_resident
        self._program, self._server, self._problem = program, None, None

    def load(self, problem):
        if self._server is None:
            self._server = polybricks.Server(self._program, *self.options, limit_s=20 * self.limit_s)
        if self._problem is problem:
            return
        reply = self._server.ask("inputs", files=[str(file) for file in problem.files], set=problem.workload.set(problem.size), seed=1)
        if reply["status"] != "ok":
            raise Failed(reply.get("message", reply["status"]))
        self._problem = problem

    def run(self, configuration, trials):
        reply = self._server.ask("run", config=configuration, trials=trials, verify=False, resident=self.is_resident, limit_ms=1000 * self.limit_s)
        if reply["status"] != "ok":
            raise Failed(reply.get("message") or reply["status"])
        for fallback in reply.get("fallbacks") or []:
            raise Unable(f"{fallback['rule']} did not run on {fallback['on']}: {fallback['reason']}")
        return reply["times_ns"], reply.get("kernel_ns") or []

    def close(self):
        if self._server is not None:
            self._server.close()
            self._server = self._problem = None
