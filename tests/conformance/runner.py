# SPDX-License-Identifier: MIT
"""Runs one compiled program: its default against the reference, random configurations against the default.

The default runs as a process on files; its outputs are compared with the independent reference. Then one process in
`--serve` mode runs every configuration on the same inputs and compares with its own default run, at the same tolerance.
"""

import dataclasses
import json
import zlib

import numpy as np
import polybricks

ANSWER_LIMIT_S = 120


@dataclasses.dataclass
class Effort:
    seed: int
    num_configurations: int
    threads: tuple
    device: bool = True


@dataclasses.dataclass
class Result:
    name: str
    runs: int = 0
    aborted: int = 0
    no_room: int = 0                                    # runs of a tile that the device's local memory cannot hold
    ran: set = dataclasses.field(default_factory=set)   # (site, rule, on)
    num_choices: int = 0
    notes: list = dataclasses.field(default_factory=list)
    failures: list = dataclasses.field(default_factory=list)

    def fail(self, text):
        self.failures.append(f"{self.name}: {text}")


def read_text_matrix(path):
    """A matrix file in the text format, as an array with the last size first."""
    head, _, body = path.read_text().partition("\n")
    sizes = [int(word) for word in head.split()[1:]]
    return np.array(body.split(), dtype=np.float64).reshape(sizes[::-1])


def difference(got, want, tolerance, with_signs=False):
    """What is wrong with an output, or None. `with_signs`: zeros have the sign that they should have."""
    want = np.asarray(want)
    if got.shape != want.shape:
        return f"shape {got.shape}, expected {want.shape}"
    if got.size == 0:
        return None
    got, want = got.astype(np.float64), want.astype(np.float64)
    with np.errstate(invalid="ignore"):
        error = np.where(np.isnan(got) & np.isnan(want) | (got == want), 0, np.abs(got - want))
    allowed = tolerance * max(1.0, np.max(np.abs(want[np.isfinite(want)]), initial=0))
    worst = np.unravel_index(np.argmax(np.where(np.isnan(error), np.inf, error)), error.shape)
    if error[worst] <= allowed:
        odd = (got == 0) & (want == 0) & (np.signbit(got) != np.signbit(want))
        if not with_signs or not np.any(odd):
            return None
        worst = np.unravel_index(np.argmax(odd), odd.shape)
    return f"at {tuple(int(i) for i in worst)}: {got[worst]!r}, expected {want[worst]!r}"


class ProgramTest:
    def __init__(self, compiler, program, name, case, effort, folder):
        self.compiler, self.program, self.case, self.effort, self.folder = compiler, program, case, effort, folder
        self.result = Result(name)
        folder.mkdir(parents=True, exist_ok=True)

    def run(self):
        sites = list(self.program.sites())
        self.result.num_choices = sum(len(choices) for _, _, choices in sites if len(choices) > 1)
        configurations = self.compiler.configurations(self.program, self.effort.num_configurations, self.effort.seed,
                                                      max(self.case.sizes), self.effort.device)
        with polybricks.Server(self.program, *self.fill(), *self.memory(), limit_s=ANSWER_LIMIT_S) as server:
            for n in self.case.sizes:
                try:
                    self.run_size(server, n, configurations)
                except polybricks.ToolError as error:
                    self.result.fail(f"size {n}: {error}")
                    break
        return self.result

    def run_size(self, server, n, configurations):
        if n in self.case.stops:
            return self.run_to_stop(n)
        inputs = self.make_inputs(n)
        paths = [self.folder / f"in{i}.npy" for i in range(len(inputs))]
        for path, array in zip(paths, inputs):
            np.save(path, array)
        if not self.run_default(n, inputs, paths):
            return
        problem = server.load(paths, sizes=self.case.params(n))
        if problem:
            return self.result.fail(f"size {n}: --serve: {problem}")
        for number, text in enumerate(configurations):
            for threads in self.effort.threads:
                configuration = json.loads(text)
                configuration["global"]["threads"] = threads
                if number % 2 == 0:
                    configuration["global"]["sequential_cutoff"] = 0  # devices run what they are chosen for
                self.run_configuration(server, n, number, configuration)

    def fill(self):
        """Options that show reads of what nothing wrote."""
        return [] if self.case.adds_to_outputs else ["--fill-nan"]

    def memory(self):
        """Options for the memory: the device has a memory of its own, with copies, in every other run of a program, though it shares the
        host's."""
        return ["--device-copies"] if zlib.crc32(f"{self.result.name} {self.effort.seed}".encode()) % 2 else []

    def make_inputs(self, n):
        if not self.case.generated:
            return self.case.inputs(n, np.random.default_rng([zlib.crc32(self.result.name.encode()), n]))
        prefix = self.folder / "generated"
        self.program.run("--n", n, "--seed", self.effort.seed, "--precision", 17, f"--iogen-create={prefix}")
        paths = sorted(self.folder.glob("generated_in*.dat"), key=lambda p: int(p.stem[len("generated_in"):]), reverse=True)
        return [read_text_matrix(path) for path in paths]

    def run_default(self, n, inputs, paths):
        """Whether the outputs agree with the reference."""
        params = list(self.case.params(n).values())
        expected = self.case.reference(*params, *inputs)
        outputs = [self.folder / f"out{i}.npy" for i in range(len(expected))]
        self.program.run("--strict", *self.fill(), "--device", "none", *params, *paths, *outputs, timeout=ANSWER_LIMIT_S)
        self.result.runs += 1
        for i, (path, want) in enumerate(zip(outputs, expected)):
            words = difference(np.load(path), want, self.case.tolerance)
            if words is not None:
                self.result.fail(f"size {n}: default configuration, output {i}: {words}")
                return False
        return True

    def run_to_stop(self, n):
        inputs = self.make_inputs(n)
        paths = [self.folder / f"in{i}.npy" for i in range(len(inputs))]
        for path, array in zip(paths, inputs):
            np.save(path, array)
        num_outputs = len(self.case.reference(*inputs))
        outputs = [self.folder / f"out{i}.npy" for i in range(num_outputs)]
        done = polybricks.run_tool([self.program.path, *self.case.params(n).values(), *paths, *outputs], expect=None)
        self.result.runs += 1
        if done.returncode in (0, -6, -11) or self.case.stops[n] not in done.stderr:
            self.result.fail(f"size {n}: expected an end with `{self.case.stops[n]}`, "
                             f"found status {done.returncode}: {done.stderr.strip()}")

    def run_configuration(self, server, n, number, configuration):
        words = f"size {n}, configuration {number}, {configuration['global']['threads']} threads"
        try:
            reply = server.ask("run", config=configuration, trials=1, verify=not self.case.varies,
                               tolerance=self.case.tolerance)
        except polybricks.ToolError as error:
            raise polybricks.ToolError(f"{words}: {error}; see {self.keep(number, configuration)}") from None
        self.result.runs += 1
        for site, ran in reply.get("ran", {}).items():
            self.result.ran |= {(site, each["rule"], each["on"]) for each in (ran if isinstance(ran, list) else [ran])}
        if reply["status"] == "aborted":
            self.result.aborted += 1
        elif reply["status"] != "ok":
            self.result.fail(f"{words}: {reply['status']}: {reply.get('message')}; see {self.keep(number, configuration)}")
        elif polybricks.lacks_room(reply):
            self.result.no_room += 1
        elif reply.get("fallbacks"):
            self.result.fail(f"{words}: fell back: {reply['fallbacks']}")
        elif reply.get("below_cutoff") and configuration["global"]["sequential_cutoff"] == 0:
            self.result.fail(f"{words}: below a cut-off of 0: {reply['below_cutoff']}")

    def keep(self, number, configuration):
        """Writes a configuration that fails where `--config` finds it."""
        path = self.folder / f"failing{number}.cfg"
        self.program.write_configuration(path, configuration)
        return path
