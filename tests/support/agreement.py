# SPDX-License-Identifier: MIT
"""One program under many configurations: they all agree, and the default one with a reference.

What the scripts of tests/e2e share: they say which configurations, inputs and tolerance.
"""

import numpy as np

import polybricks


class AgreementCheck:
    """One program. A script's class derives from it and has `configurations` and `agrees`, and `random_input` where it differs.

    The default configuration runs from the command line, its outputs are compared with `reference`. The others run in one
    process (a start with a device costs a tenth of a second), which compares them with what the default gives; nothing may fall
    back, but for a few runs on devices with little local memory.
    """

    MAX_NO_ROOM_SHARE = 0.1
    SERVER_OPTIONS = ()
    SERVER_ENVIRONMENT = {}
    COMPILER_OPTIONS = ()
    TOLERANCE = 1e-12  # between configurations, relative to the largest magnitude of an output

    def __init__(self, program, work, name, shapes, reference):
        """Prepares the check. `shapes(n)`: what random_input makes of each input; `reference(*inputs)`: the outputs."""
        self.program, self.work, self.name = program, work, name
        self.shapes, self.reference = shapes, reference
        self.runs, self.no_room, self.failures = 0, 0, []

    def configurations(self):
        """Yields (words for messages, entry of the configuration)."""
        raise NotImplementedError

    def random_input(self, rng, shape):
        return rng.normal(size=shape)

    def agrees(self, got, want):
        raise NotImplementedError

    def run_default(self, n, paths, expected):
        outputs = [self.work / f"{self.name}_out{i}.npy" for i in range(len(expected))]
        self.program.run("--strict", "--device", "none", *paths, *outputs)
        self.runs += 1
        for path, want in zip(outputs, expected):
            got, want = np.load(path), np.asarray(want)
            if got.shape != want.shape or not self.agrees(got, want):
                self.failures.append(f"{self.name} n={n} default configuration: {path.name} differs")

    def ran_as_asked(self, n, words, reply):
        """Whether the versions that ran, as the reply tells, are those that `words` speak of."""
        return True

    def run_configurations(self, server, n, tolerance):
        for words, entry in self.configurations():
            reply = server.ask("run", config=entry, trials=1, verify=True, tolerance=tolerance)
            self.runs += 1
            if reply["status"] == "ok" and polybricks.lacks_room(reply):
                self.no_room += 1
            elif reply["status"] != "ok" or reply.get("fallbacks") or not self.ran_as_asked(n, words, reply):
                self.failures.append(f"{self.name} n={n} {words}: {reply}")

    def run_size(self, server, n):
        rng = np.random.default_rng(n)
        inputs = [self.random_input(rng, shape) for shape in self.shapes(n)]
        expected = [np.asarray(output) for output in self.reference(*inputs)]
        paths = [self.work / f"{self.name}_in{i}.npy" for i in range(len(inputs))]
        for path, array in zip(paths, inputs):
            np.save(path, array)
        self.run_default(n, paths, expected)
        is_float = any(np.load(self.work / f"{self.name}_out{i}.npy").dtype == np.float32 for i in range(len(expected)))
        problem = server.load(paths)
        if problem:
            self.failures.append(f"{self.name} n={n} {problem}")
            return
        self.run_configurations(server, n, max(self.TOLERANCE, 1e-6) if is_float else self.TOLERANCE)

    @classmethod
    def run_programs(cls, tools, programs, work, cases, sizes):
        """The failures of all `cases`, (shapes, reference) by the names of their programs in the folder `programs`."""
        failures = []
        for name, case in cases.items():
            failures += cls(tools.compile(programs / f"{name}.pbcc", work / name, *cls.COMPILER_OPTIONS), work, name, *case).run_sizes(sizes)
        return failures

    def run_sizes(self, sizes):
        """The failures at all sizes; prints a line."""
        try:
            with polybricks.Server(self.program, *self.SERVER_OPTIONS, env=self.SERVER_ENVIRONMENT) as server:
                for n in sizes:
                    self.run_size(server, n)
        except polybricks.ToolError as error:
            self.failures.append(f"{self.name}: {error}")
        if self.no_room > self.MAX_NO_ROOM_SHARE * self.runs:
            self.failures.append(f"{self.name}: {self.no_room} of {self.runs} runs needed more local memory")
        print(f"{self.name}: {self.runs} runs, {len(self.failures)} failures", flush=True)
        return self.failures
