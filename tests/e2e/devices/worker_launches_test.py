# SPDX-License-Identifier: MIT
"""Workers that launch by themselves: chains of small kernels, on one device and on two, with faults and limits.

    worker_launches_test.py --dist BUILD/dist --work FOLDER

Results are those of the CPU, bit by bit. Most launches may be done by workers or not, as threads meet; that some are is certain, and
that none are if the device has a limit.
"""

import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import polybricks  # noqa: E402
from device_programs import on_device  # noqa: E402

PROGRAM = pathlib.Path(__file__).resolve().parents[3] / "benchmarks" / "launches" / "program.pbcc"
CHAINS, CELLS, STEPS = 6, 64, 150
LAUNCHES = CHAINS * (STEPS + 2)
FAULTS = "POLYBRICKS_DEVICE_FAULTS"


class Test:
    def __init__(self, tools, work):
        self.program = tools.compile(PROGRAM, work / "chains")
        self.files = [work / "start.npy", work / "steps.npy", work / "end.npy"]
        start = np.random.default_rng(polybricks.seed()).random((CHAINS, CELLS))
        np.save(self.files[0], start)
        np.save(self.files[1], np.zeros(STEPS))
        self.want = start
        for _ in range(STEPS):
            self.want = self.want * 0.5 + 1
        self.config = work / "chains.cfg"
        self.program.write_configuration(self.config, on_device(self.program))

    def run(self, *words, **environment):
        """Returns the lines of standard error and the statistics of the devices."""
        self.files[2].unlink(missing_ok=True)
        done, statistics = self.program.run(*self.files, *words, config=self.config, env=environment)
        polybricks.check(np.array_equal(np.load(self.files[2]), self.want), f"{words} {environment}: another output")
        return done.stderr.splitlines(), statistics.get("devices", [])

    def one_device(self):
        for words in ((), ("--device-copies",), ("--threads=1",), ("--threads=4", "--device-copies")):
            lines, [device] = self.run("--strict", *words)
            polybricks.check(lines == [] and device["launches"] == LAUNCHES, f"{words}: {lines} {device}")
            polybricks.check(0 < device["launches_by_workers"] < LAUNCHES, f"{words}: {device}")

    def limit(self):
        _, [device] = self.run("--strict", "--device-limit=1000")
        polybricks.check([device["launches"], device["launches_by_workers"]] == [LAUNCHES, 0], f"limit: {device}")

    def verified(self):
        _, [device] = self.run("--strict", "--verify-device")
        polybricks.check([device["launches_verified"], device["launches_differing"]] == [LAUNCHES, 0], f"verified: {device}")

    def two_devices(self):
        for words in ((), ("--device-copies",)):
            _, devices = self.run("--strict", "--device=0,1", *words, POCL_DEVICES="basic basic")
            polybricks.check(sum(device["launches"] for device in devices) >= LAUNCHES, f"two devices, {words}: {devices}")

    def failures(self):
        """The device fails at a launch of a worker, or one of the management thread: the CPU does the work again."""
        for launch in (0, 1, LAUNCHES // 2, LAUNCHES - 1):
            lines, _ = self.run(**{FAULTS: f"fail:{launch}"})
            polybricks.check(len(lines) == 1 and "an operation did not succeed" in lines[0], f"fail:{launch}: {lines}")


def main():
    args = polybricks.arguments(__doc__).parse_args()
    test = Test(polybricks.Tools(args.dist), polybricks.fresh_folder(args.work / "worker_launches"))
    test.one_device()
    test.limit()
    test.verified()
    test.two_devices()
    test.failures()


if __name__ == "__main__":
    main()
