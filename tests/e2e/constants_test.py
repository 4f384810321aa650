# SPDX-License-Identifier: MIT
"""`pbc --config`: choices and values as constants give the results of the same configuration read at run time.

Random configurations of a recursive sort, a merged site, a convolution on all devices and a program with tunables of every kind
are compiled in: whole ones, and ones that leave a part open. The program accepts the same file again and refuses another.

    constants_test.py --dist BUILD/dist --work FOLDER
"""

import json
import pathlib
import random
import re
import subprocess
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import polybricks  # noqa: E402

PROGRAMS = pathlib.Path(__file__).resolve().parent / "programs"
CONFORMANCE = polybricks.ROOT / "tests" / "conformance"
NUM_CONFIGURATIONS = 12 if polybricks.is_nightly() else 1

# program: (sizes, shapes of the inputs, number of outputs)
CASES = {
    PROGRAMS / "order.pbcc": ((3, 70, 1000), lambda n: [(n,)], 1),
    PROGRAMS / "halves.pbcc": ((2, 65), lambda n: [(n,)], 3),
    CONFORMANCE / "header" / "tunables.pbcc": ((5, 300), lambda n: [(n,)], 1),
    polybricks.ROOT / "examples" / "separable_convolution.pbcc": ((9, 120), lambda n: [(n, n + 3), (5,)], 1),
}


class Check:
    def __init__(self, tools, source, work, case):
        self.tools, self.source, self.work = tools, source, work / source.stem
        self.work.mkdir(parents=True, exist_ok=True)
        self.sizes, self.shapes, self.num_outputs = case
        self.program = tools.compile(source, self.work / "open")
        self.failures = []

    def configurations(self):
        """Whole random configurations, and the last of them without every second site and tunable."""
        text = polybricks.run_tool([self.tools.pbtune, "sample", self.program.path, "--count", NUM_CONFIGURATIONS, "--seed", 3]).stdout
        entries = [json.loads(line) for line in text.splitlines()]
        part = json.loads(json.dumps(entries[-1]))
        rng = random.Random(2)
        for transform in part["transforms"].values():
            for kind in [kind for kind in ("sites", "schedules", "tunables") if kind in transform]:
                transform[kind] = {name: value for name, value in transform[kind].items() if rng.random() < 0.5}
        return entries + [part]

    def outputs(self, program, inputs, *options):
        paths = [self.work / f"out{i}.npy" for i in range(self.num_outputs)]
        polybricks.run_tool([program.path, *options, "--seed", 1, *inputs, *paths])
        return [np.load(path) for path in paths]

    def expect(self, holds, words):
        if not holds:
            self.failures.append(f"{self.source.name}: {words}")

    def check_agreement(self, fixed, config):
        for n in self.sizes:
            inputs = []
            for i, shape in enumerate(self.shapes(n)):
                inputs.append(self.work / f"in{i}.npy")
                np.save(inputs[-1], np.random.default_rng(n + i).normal(size=shape))
            want = self.outputs(self.program, inputs, "--config", config)
            for options in ([], ["--config", config]):
                for a, b in zip(want, self.outputs(fixed, inputs, *options)):
                    self.expect(np.allclose(a, b, rtol=1e-12, atol=1e-12), f"{config.name} {options} differs at {n}")

    def check_information(self, fixed, entry):
        """What the file names is fixed, what it leaves out is not, unless nothing reads it any longer."""
        for name, transform in fixed.info["transforms"].items():
            said = entry["transforms"].get(name, {"sites": {}, "tunables": {}})
            schedules = said.get("schedules", {})
            values = set(said["tunables"]).union(*(schedule for each in schedules.values() for schedule in each))
            for site, data in transform["sites"].items():
                is_said = site in said["sites"] or len(schedules.get(site, [])) > 1
                self.expect(("fixed" in data) == is_said, f"{name}.{site} in .info")
                levels = {(level["rule"], level["on"]) for level in data.get("fixed", [])}
                left = {(a["rule"], on) for a in data["alternatives"] for on in a["on"]}
                self.expect(not levels or left - {(rule, "cpu") for rule, _ in levels} <= levels, f"{name}.{site}: {left}")
            for tunable, data in transform["tunables"].items():
                self.expect("fixed" in data or tunable not in values, f"{name}.{tunable} in .info")

    def check_refusal(self, fixed, entry):
        """Another value of one tunable: an error at its place if the file was given, a warning if it lies beside the program."""
        transform, tunable = next((t, name) for t, data in entry["transforms"].items() for name, value in data["tunables"].items()
                                  if isinstance(value, int))
        other = json.loads(json.dumps(entry))
        other["transforms"][transform]["tunables"][tunable] += 1
        path = self.work / "other.cfg"
        self.program.write_configuration(path, other)
        place = r":1:\d+: `" + re.escape(f"{transform}.{tunable}") + "` was fixed to something else"
        beside = pathlib.Path(f"{fixed.path}.cfg")
        beside.write_text(path.read_text())
        for options, status in ((["--config", path], 1), ([], 0)):
            done = subprocess.run([fixed.path, "--n", "20", "--time", *options], capture_output=True, text=True, timeout=60)
            self.expect(done.returncode == status and re.search(place, done.stderr), f"{options}: {done.returncode} {done.stderr}")
        beside.unlink()

    def run(self):
        entries = self.configurations()
        for i, entry in enumerate(entries):
            config = self.work / f"{i}.cfg"
            self.program.write_configuration(config, entry)
            fixed = self.tools.compile(self.source, self.work / f"fixed{i}", "--config", config)
            self.check_agreement(fixed, config)
            self.check_information(fixed, entry)
            if i == 0 and self.source.stem in ("tunables", "separable_convolution"):
                self.check_refusal(fixed, entry)
        print(f"{self.source.stem}: {len(entries)} configurations, {len(self.failures)} failures")
        return self.failures


def main():
    args = polybricks.arguments(__doc__).parse_args()
    tools = polybricks.Tools(args.dist)
    failures = []
    for source, case in CASES.items():
        failures += Check(tools, source, args.work / "constants", case).run()
    print("\n".join(failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
