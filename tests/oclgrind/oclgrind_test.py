# SPDX-License-Identifier: MIT
"""Kernels under Oclgrind, a device that is simulated: no work-item leaves its buffers, none races with another.

    oclgrind_test.py --dist BUILD/dist --work FOLDER [--sample N] [--seed N] [--filter REGEX]

Programs of the corpus with device versions run under each of them at small sizes; their outputs are compared with the references.
To show that reports arrive, one program also runs with its barriers blanked out: that must be reported.
"""

import pathlib
import random
import re
import shutil
import sys

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
CONFORMANCE = HERE.parent / "conformance"
sys.path[:0] = [str(CONFORMANCE), str(HERE.parent / "support")]
import compiled  # noqa: E402
import conformance_test  # noqa: E402
import polybricks  # noqa: E402
from runner import ProgramTest, Effort, difference  # noqa: E402

ICD = "/usr/lib/oclgrind/liboclgrind-rt-icd.so"
MAX_SIZE = 40           # of the sizes that a case names: the simulator is slow
LIMIT_S = 300
BARRIER = b"barrier(CLK_LOCAL_MEM_FENCE);"


class Simulator:
    """The environment in which a program sees Oclgrind as its only device, and what was reported."""

    def __init__(self, folder):
        vendors = folder / "vendors"
        vendors.mkdir(parents=True, exist_ok=True)
        (vendors / "oclgrind.icd").write_text(ICD + "\n")
        self.log = folder / "oclgrind.log"
        self.env = {"OCL_ICD_VENDORS": str(vendors), "OCLGRIND_LOG": str(self.log), "OCLGRIND_DATA_RACES": "1",
                    "XDG_CACHE_HOME": str(folder / "cache")}

    def run(self, program, *args, config):
        """Runs a program; returns its statistics and what Oclgrind wrote."""
        self.log.unlink(missing_ok=True)
        _, stats = program.run("--strict", *args, config=config, env=self.env, timeout=LIMIT_S)
        return stats, self.log.read_text() if self.log.exists() else ""


def choices_on(program, on):
    """One alternative per site: a device version of the kind `on` where there is one."""
    out = {}
    for transform, site, alternatives in program.sites():
        of_kind = [a for a in alternatives if a[1] == on]
        out.setdefault(transform, {})[site] = of_kind[0] if of_kind else alternatives[0]
    return out


def versions_of(program):
    return sorted({on for _, _, alternatives in program.sites() for _, on in alternatives if on != "cpu"})


class Check:
    def __init__(self, args):
        self.args = args
        self.compiler = compiled.Compiler(args.dist, args.work / "programs")
        self.simulator = Simulator(args.work)
        self.runs, self.launches, self.failures = 0, 0, []

    def program(self, name, source, case):
        program = self.compiler.program(source, name, case.options)
        test = ProgramTest(self.compiler, program, name, case, Effort(self.args.seed, 0, (1,)), self.args.work / "files" / name)
        for on in versions_of(program):
            choices = choices_on(program, on)
            if program.is_forbidden(choices):
                continue
            config = test.folder / f"{on}.cfg"
            program.write_configuration(config, program.configuration(choices, sequential_cutoff=0))
            for n in [n for n in case.sizes if n <= MAX_SIZE and n not in case.stops][:4]:
                self.run(test, n, config, f"{name}, {on}, size {n}")

    def run(self, test, n, config, where):
        inputs = test.make_inputs(n)
        params = list(test.case.params(n).values())
        expected = test.case.reference(*params, *inputs)
        paths = [test.folder / f"in{i}.npy" for i in range(len(inputs))]
        for path, array in zip(paths, inputs):
            np.save(path, array)
        outputs = [test.folder / f"out{i}.npy" for i in range(len(expected))]
        stats, report = self.simulator.run(test.program, *params, *paths, *outputs, config=config)
        self.runs += 1
        self.launches += sum(each["count"] for ran in stats["ran"].values()
                             for each in (ran if isinstance(ran, list) else [ran]) if each["on"] != "cpu")
        if report:
            self.failures.append(f"{where}: {report.strip().splitlines()[0]} … see {self.keep(report, config)}")
        for path, want in zip(outputs, expected):
            words = difference(np.load(path), want, test.case.tolerance)
            if words is not None and not test.case.varies:
                self.failures.append(f"{where}: {words}")

    def keep(self, report, config):
        path = config.with_suffix(".report")
        path.write_text(report)
        return path

    def without_barriers(self):
        """Checks that reports arrive: a kernel with local memory and without its barriers races."""
        source = polybricks.ROOT / "examples" / "separable_convolution.pbcc"
        program = self.compiler.program(source, "separable_convolution")
        broken = self.args.work / "without_barriers"
        shutil.copy(program.path, broken)
        shutil.copy(program.path.with_name(program.path.name + ".info"), broken.with_name(broken.name + ".info"))
        broken.write_bytes(program.path.read_bytes().replace(BARRIER, b";".ljust(len(BARRIER))))
        config = self.args.work / "without_barriers.cfg"
        program.write_configuration(config, program.configuration(choices_on(program, "opencl_local"), sequential_cutoff=0))
        for path, is_reported in ((program, False), (polybricks.Program(broken), True)):
            _, report = self.simulator.run(path, "--n", 40, "--size", "KWIDTH=3", "--trials", 1, "--time", config=config)
            if bool(report) != is_reported:
                self.failures.append(f"{path.path.name}: {'no race was reported' if is_reported else report}")


def main():
    parser = polybricks.arguments(__doc__)
    parser.add_argument("--filter", default="")
    parser.add_argument("--sample", type=int, default=polybricks.number_from("PB_NIGHTLY_SAMPLE", 0), help="programs; 0: all")
    parser.add_argument("--seed", type=int, default=polybricks.seed())
    args = parser.parse_args()
    args.work = args.work.resolve()
    args.work.mkdir(parents=True, exist_ok=True)
    check = Check(args)
    check.without_barriers()
    cases = [c for c in conformance_test.all_cases() if re.search(args.filter, c[0]) and not (c[2].fails or c[2].pending or c[2].wrong)]
    if args.sample:
        cases = random.Random(args.seed).sample(cases, min(args.sample, len(cases)))
    for case in cases:
        if case[2].needs and not compiled.has_library(case[2].needs):
            continue
        try:
            check.program(*case)
        except polybricks.ToolError as error:
            check.failures.append(f"{case[0]}: {error}")
    print("\n".join(check.failures))
    print(f"{len(cases)} programs, {check.runs} runs with {check.launches} rule applications on the simulated device, "
          f"{len(check.failures)} failures; seed {args.seed}")
    return 1 if check.failures or not check.runs else 0


if __name__ == "__main__":
    sys.exit(main())
