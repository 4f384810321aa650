# SPDX-License-Identifier: MIT
"""Makes several versions of a temporary per launch: outputs are those of the CPU and of NumPy, bit by bit, and launches are counted.

    time_tiles_test.py --dist BUILD/dist --work FOLDER
"""

import pathlib
import sys

import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import arrays  # noqa: E402
import polybricks  # noqa: E402
from device_programs import on_device, shapes  # noqa: E402
from version_programs import PROGRAMS, heat, start_of, stencil  # noqa: E402

DEPTHS = (1, 3, 5, 7)
BASIC = {"POCL_DEVICES": "basic"}


class Test:
    def __init__(self, tools, work):
        self.tools, self.work = tools, work
        self.rng = np.random.default_rng(polybricks.seed())

    def tunables(self, program, depth, draw):
        """What a configuration says of launches in time tiles of that depth. `draw` gives the values of shapes."""
        out = shapes(program, lambda _, count: draw(count))
        for transform, info in program.info["transforms"].items():
            deep = {tunable: depth for tunable, details in info["tunables"].items() if details["role"] == "time_tile"}
            polybricks.check(len(deep) == 1, f"{transform} has one depth: {info['tunables']}")
            out[transform] = {**out.get(transform, {}), **deep}
        return out

    def runs(self, program, files, steps, depth, *words, env=None, draw=lambda count: [0] * count):
        entry = on_device(program, tunables=self.tunables(program, depth, draw))
        got, statistics = arrays.run(program, self.work, files, ["End"], *words, f"--set=steps={steps}", entry=entry, env=env)
        return got["End"], statistics

    def agrees(self, name, program, n, steps, depths=DEPTHS):
        start = start_of(name, n, self.rng)
        files = arrays.save(self.work, [start])
        want = stencil(start, steps, PROGRAMS[name][3])
        cpu, _ = arrays.run(program, self.work, files, ["End"], "--device=none", f"--set=steps={steps}")

        def check(got, words):
            polybricks.check(np.array_equal(got, want), f"{name} of {start.shape}, {steps} steps, {words}: End is\n{got}\nnot\n{want}")

        check(cpu["End"], "on the CPU")
        for depth in depths:
            got, statistics = self.runs(program, files, steps, depth, "--strict", "--device-copies", env=BASIC)
            check(got, f"depth {depth}")
            device = statistics["devices"][0]
            if start.size > 0 and steps > 0:
                rest = steps if depth == 1 else steps // depth + steps % depth
                polybricks.check(device["launches"] == 2 + rest, f"{name} of {start.shape}, {steps} steps, depth {depth}: {device}")
        return files, check

    def ways(self, name, program, n, steps, depth):
        """Other ways to run it: shapes of all kinds, verified, with faults, on several devices, in the text of GPUs."""
        files, check = self.agrees(name, program, n, steps, (depth,))

        def drawn(count):
            return [int(value) for value in self.rng.integers(1, 9, count)]
        for words, options in ((("--device-copies", "--fill-nan"), {}), (("--strict", "--verify-device"), {}),
                               (("--device-memory=1K",), {}), ((), {"draw": drawn}), *[((), {"draw": drawn})] * polybricks.is_nightly(),
                               (("--device=0,1", "--device-copies"), {"env": {"POCL_DEVICES": "basic basic"}}),
                               ((), {"env": {"POLYBRICKS_DEVICE_FAULTS": "fail:1"}}),
                               (("--strict",), {"env": {"POLYBRICKS_RUN_AS_GPU": "1"}}),
                               ((), {"env": {"POLYBRICKS_RUN_AS_GPU": "1"}, "draw": drawn})):
            got, statistics = self.runs(program, files, steps, depth, *words, **options)
            check(got, f"depth {depth}, {words}, {options}")
            if "--verify-device" in words:
                device = statistics["devices"][0]
                polybricks.check(device["launches_differing"] == 0 and device["launches_verified"] > steps // depth, str(device))

    def source(self, name, text):
        source = self.work / f"{name}.pbcc"
        source.write_text(text)
        return source

    def run(self, name):
        program = self.tools.compile(self.source(name, PROGRAMS[name][0]), self.work / name)
        # PoCL builds kernels for each small size.
        for n in (0, 1, 2, 5, 17) if polybricks.is_nightly() else (int(self.rng.integers(0, 3)), 5, 17):
            self.agrees(name, program, n, 7)
        for steps in (0, 1, 2, 3, 4, 5, 6, 8) if polybricks.is_nightly() else (0, 1, 3, 5, 8):
            self.agrees(name, program, 19, steps, [depth for depth in DEPTHS[1:] if abs(depth - steps) < 2] or [3])
        # Each depth has its own kernels. Lines and cubes with edges differ from plates in no way that depends on the depth.
        has_all = polybricks.is_nightly() and name not in ("ends", "faces", "mixed")
        for depth in DEPTHS[1:] if has_all else [int(self.rng.choice(DEPTHS[1:]))]:
            self.ways(name, program, 23, 16, depth)

    def watched(self, name):
        """Programs that check copies keep all versions, and find no access of what was not announced."""
        program = self.tools.compile(self.source(name, PROGRAMS[name][0]), self.work / f"{name}_watched", "--checked-copies")
        self.agrees(name, program, 21, 9)

    def falls_back(self):
        """Groups that margins fill run nothing: each version has a launch then, on the device."""
        program = self.tools.compile(self.source("heat", PROGRAMS["heat"][0]), self.work / "heat")
        start = start_of("heat", 12, self.rng)
        files = arrays.save(self.work, [start])
        got, statistics = self.runs(program, files, 10, 5, "--strict", draw=lambda count: [2] * count)
        polybricks.check(np.array_equal(got, stencil(start, 10, heat)), str(got))
        polybricks.check(not statistics["fallbacks"], str(statistics["fallbacks"]))
        polybricks.check(statistics["devices"][0]["launches"] == 2 + 10, str(statistics["devices"]))


def main():
    args = polybricks.arguments(__doc__).parse_args()
    tools, work = polybricks.Tools(args.dist), polybricks.fresh_folder(args.work / "time_tiles")
    test = Test(tools, work)
    # PoCL takes one to two minutes for the kernels of each, so by day there are two: `heat` and one that the seed draws.
    others = [name for name in PROGRAMS if name != "heat"]
    names = list(PROGRAMS) if polybricks.is_nightly() else ["heat", test.rng.choice(others)]
    for name in names:
        test.run(name)
    for name in names if polybricks.is_nightly() else names[-1:]:
        test.watched(name)
    test.falls_back()
    print(f"{', '.join(names)}, seed {polybricks.seed()}, in time tiles of depths {DEPTHS}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
