# SPDX-License-Identifier: MIT
"""Measures workloads: results first, then interleaved rounds."""

import dataclasses
import json

from . import tuning
from .common import first_entry, polybricks
from .contenders import Failed, Generated, Problem, Session, processors_of
from .groups import with_fastest_groups
from .results import Measured, MeasuredProblem
from .rounds import Run, say
from .workload import size_text


class WorkloadRun(Run):
    """A workload on its way: the compiled program, the baselines, and what became of them."""

    def __init__(self, folder, workload, tools, options):
        super().__init__(folder, workload, tools, options)
        self.workload = workload
        if options.element not in workload.elements:
            raise polybricks.ToolError(f"`{folder.name}` has no element type {options.element}; it has {', '.join(workload.elements)}")
        element = [] if options.element == workload.elements[0] else [f"--element={options.element}"]
        if element:
            self.name += f".{options.element}"
        self.source = folder / workload.program
        compiled = (self.source, self.out / self.name, *workload.options, *element)
        # pbtune tunes the main transform. Where it does not run, the workloads of one source share a program.
        is_shared = workload.main and options.tune == "none"
        self.program = tools.compile(*compiled, *(["--main", workload.main] if workload.main and not is_shared else []))
        self.run_options = [*self.device_options, *(["--transform", workload.main] if is_shared else [])]

    def device_name(self):
        """The name of the OpenCL device in use, or an empty text."""
        if not self.has_device:
            return ""
        with polybricks.Server(self.program, *self.device_options) as server:
            return server.hello["device"]

    def _problem(self, size, ceilings):
        say(f"{self.name}, {size_text(size)}")
        problem = Problem.make(self.workload, size, self.out / "data", self.options.seed, self.options.element)
        session = Session(self.program, self.run_options, self.options.limit_s, self.options.is_resident)
        measured, able = self.checked(self._contenders(problem, session), problem)
        for contender, figures in able:
            figures.words = self._words(problem, contender)
        self._check_samples(problem)
        self.rounds(problem, able, ceilings, {"tuned": "default"} if self._keeps_default(able) else {})
        session.close()
        self._kernel_times(problem, able)
        for file in (*problem.files, *problem.output_files()):
            file.unlink(missing_ok=True)
        return MeasuredProblem(size, self._work(problem), measured)

    def _work(self, problem):
        """The work in terms of doubles, with which ceilings are measured: floats take half of the memory and of the packs. Whole
        numbers have a type of their own."""
        part = 0.5 if self.options.element == "float" and not problem.has_whole_inputs() else 1
        return {name: part * value for name, value in dataclasses.asdict(self.workload.work(problem.size)).items()}

    def _contenders(self, problem, session):
        """The contenders, or a Measured in place of one that is missing."""
        yield from self._baselines(problem)
        for name, configuration in self._configurations(problem):
            if self.is_wanted(name):
                yield self._generated(name, configuration, session)
        if self.options.tune != "none" and self.is_wanted("tuned"):
            yield self._tuned(problem, session)

    def _baselines(self, problem):
        for baseline in self.workload.baselines:
            if baseline.applies(problem.size) and self.is_wanted(baseline.name):
                yield self.hand_written(baseline)

    def _configurations(self, problem):
        """Yields (name, configuration) of all but the tuned contender."""
        profiled = Session(self.program, [*self.run_options, "--profile"], self.options.limit_s, self.options.is_resident)
        for name, choice in {"default": {}, **self.workload.choices}.items():
            if not self.workload.choice_applies(name, problem.size):
                continue
            configuration = choice(self.options.threads) if callable(choice) else dict(choice)
            configuration["global"] = {"threads": self.options.threads, **configuration.get("global", {})}
            if self.options.with_groups and self.has_device and self.is_wanted(name) and "opencl" in processors_of(configuration):
                say(f"  groups of {name}")
                configuration = with_fastest_groups(configuration, self.program, problem, profiled)
            yield name, configuration
        profiled.close()
        if self.options.config:
            yield self.options.config.name, first_entry(self.options.config)

    def _generated(self, name, configuration, session, is_strict=True):
        kind = "baseline" if name in self.workload.rivals else "program"
        contender = Generated(name, self.source, self.program, configuration, session, kind, is_strict)
        if "opencl" in contender.on and not self.has_device:
            return Measured(name, kind, contender.on, "missing", "no device is in use")
        return contender

    def _tuned(self, problem, session):
        options = [*self.device_options, "--threads", str(self.options.threads), *(["--resident"] if self.options.is_resident else [])]
        try:
            configuration = tuning.tuned(self.tools, self.program, problem, self._tuned_file(problem), self.options.tune, options)
        except Failed as error:
            return Measured("tuned", "program", "cpu", "failed", str(error))
        # A search may leave device versions below its cut-off, where they run on the CPU. A choice with a name may not.
        return self._generated("tuned", configuration, session, is_strict=False)

    def _keeps_default(self, able):
        """Whether the search found nothing better than the default, which is among the contenders."""
        found = {contender.name: contender.configuration for contender, _ in able if contender.name in ("default", "tuned")}
        return len(found) == 2 and tuning.is_same(self.tools, self.program, found["default"], found["tuned"], self.out)

    def _tuned_file(self, problem):
        return self.out / (f"tuned_{self.name}_" + ("resident_" if self.options.is_resident else "") + "_".join(f"{name}{value}" for name, value in problem.size.items()) + ".cfg")

    def _words(self, problem, contender):
        return tuning.words(self.tools, self.program, self._tuned_file(problem)) if contender.name == "tuned" else ""

    def _check_samples(self, problem):
        """Compares the results of random configurations with the reference. Raises ToolError at the first that differs."""
        if not self.options.samples or not self.workload.any_choice_is_right:
            return
        done = polybricks.run_tool([self.tools.pbtune, "sample", self.program.path, "--count", self.options.samples, "--seed", self.options.seed,
                                    "--max-n", max(problem.size.values(), default=2), *self.device_options])
        session = Session(self.program, self.run_options, self.options.limit_s)
        for number, line in enumerate(done.stdout.splitlines()):
            try:
                Generated(f"sample {number}", self.source, self.program, json.loads(line), session).check(problem)
            except Failed as error:
                if "wrong result" in str(error):
                    raise polybricks.ToolError(f"{self.name}, {size_text(problem.size)}: {error}, with this configuration:\n{line}") from None

    def _kernel_times(self, problem, able):
        """Times of the program's kernels by the device's clock, which needs a process of its own."""
        session = Session(self.program, [*self.run_options, "--profile"], self.options.limit_s, self.options.is_resident)
        for contender, figures in able:
            if figures.status != "ok" or not isinstance(contender, Generated) or "opencl" not in contender.on:
                continue
            profiled = Generated(contender.name, self.source, self.program, contender.configuration, session)
            figures.kernels_ns.append(profiled.measure(problem, self.options.trials)[1])
        session.close()
