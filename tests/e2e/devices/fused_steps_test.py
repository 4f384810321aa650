# SPDX-License-Identifier: MIT
"""Computes temporaries in work-groups of their readers: outputs are those of the CPU and of NumPy, bit by bit, and launches are counted.

    fused_steps_test.py --dist BUILD/dist --work FOLDER
"""

import pathlib
import sys

import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import arrays  # noqa: E402
import polybricks  # noqa: E402
from device_programs import local_memory, on_device, shapes  # noqa: E402
import step_programs  # noqa: E402
from step_programs import TWO_READERS, chain, temporaries_of  # noqa: E402

BASIC = {"POCL_DEVICES": "basic"}


def named(a):
    middle = 2 * a
    middle[1:] = a[1:] - a[:-1]
    middle[:, -1:] = a[:, -1:]
    return {"Out": middle[:, :-1] + 3 * middle[:, 1:]}


PROGRAMS = {**step_programs.PROGRAMS,
            # Rules that name a row or a column. Work-groups can make these, but no bands.
            "named": ("""
transform Named
from In[w, h]
through Middle[w, h]
to Out[w-1, h]
{
  Middle.cell(w-1, y) from (In.cell(w-1, y) c) { return c; }
  priority(2) Middle.cell(x, y) from (In.cell(x, y-1) u, In.cell(x, y) c) { return c - u; }
  priority(3) Middle.cell(x, 0) from (In.cell(x, 0) c) { return 2 * c; }
  Out.cell(x, y) from (Middle.cell(x, y) l, Middle.cell(x+1, y) r) { return l + 3 * r; }
}
""", 2, 1, "float64", named, 1, {"Out#1": 1})}


class Test:
    def __init__(self, tools, work):
        self.tools, self.work = tools, work
        self.rng = np.random.default_rng(polybricks.seed())

    def compile(self, name, *options):
        source = self.work / f"{name}.pbcc"
        source.write_text(PROGRAMS[name][0])
        return self.tools.compile(source, self.work / (name + "".join(options)), *options)

    def start(self, name, n):
        """Sides differ, so that no axis stands for another."""
        _, num_dims, least, kind = PROGRAMS[name][:4]
        sides = [least + max(0, n + 2 * d) if n > 0 else least for d in range(num_dims)]
        return self.rng.integers(-9, 10, sides[::-1]).astype(kind)

    def temporaries(self, name):
        return temporaries_of(PROGRAMS[name][0])

    def readers(self, program):
        return {name: tunable for transform in program.info["transforms"].values()
                for name, tunable in transform["tunables"].items() if tunable["role"] == "per_tile"}

    def runs(self, program, files, outputs, per_tile, *words, env=None, draw=lambda role, count: [0] * count):
        """`per_tile` has the rules whose launches compute temporaries."""
        tunables = shapes(program, draw)
        for transform, info in program.info["transforms"].items():
            chosen = {name: int(name.split(".")[0] in per_tile) for name, data in info["tunables"].items() if data["role"] == "per_tile"}
            tunables[transform] = {**tunables.get(transform, {}), **chosen}
        return arrays.run(program, self.work, files, outputs, *words, entry=on_device(program, tunables=tunables), env=env)

    def agrees(self, name, program, n, ways):
        """Runs it on the CPU, and on a device in each way: rules that compute temporaries, words and options."""
        _, _, _, _, reference, num_steps, taken = PROGRAMS[name]
        start = self.start(name, n)
        files = arrays.save(self.work, [start])
        want = reference(start)

        def check(got, words):
            for output, values in want.items():
                polybricks.check(np.array_equal(got[output], values), f"{name} of {start.shape}, {words}: {output} is\n{got[output]}\nnot\n{values}")

        cpu, _ = arrays.run(program, self.work, files, list(want), "--device=none")
        check(cpu, "on the CPU")
        for per_tile, words, options in ways:
            got, statistics = self.runs(program, files, list(want), per_tile, *words, **options)
            check(got, (per_tile, words, options))
            device = (statistics.get("devices") or [{}])[0]  # with little memory it runs nothing
            if "--strict" in words and options.get("env", {}).get("POLYBRICKS_RUN_AS_GPU") and "--device-copies" in words:
                polybricks.check(device["launches_in_vectors"] > 0, f"{name} makes cells in vectors: {device}")
            if "--verify-device" in words:
                polybricks.check(device["launches_differing"] == 0, str(device))
            if "--strict" not in words or "--verify-device" in words or any(values.size == 0 for values in want.values()):
                continue
            ran = {kernel["rule"].split(".")[1].split("#")[0] for kernel in device["kernels"]}
            if n > 0 and sorted(per_tile) == sorted(taken):
                polybricks.check(not ran & set(self.temporaries(name)), f"{name} of {start.shape} stores temporaries: {device}")
            if num_steps is not None:
                most = max((taken[rule] for rule in per_tile), default=0)
                expected = num_steps + max(taken.values()) - most
                polybricks.check(device["launches"] == expected, f"{name} of {start.shape}, {per_tile}: {expected} launches, not {device}")

    def run(self, name):
        program = self.compile(name)
        readers = sorted(rule.split(".")[0] for rule in self.readers(program))
        expected = PROGRAMS[name][6]
        polybricks.check(readers == sorted(expected), f"{name}: {readers} compute temporaries")
        strict = ("--strict", "--device-copies")
        each = [([rule], strict, {"env": BASIC}) for rule in readers] if len(readers) > 1 else []
        for n in (0, 1, 2, 5, 17, 40) if polybricks.is_nightly() else (int(self.rng.integers(0, 3)), 17):
            self.agrees(name, program, n, [([], strict, {"env": BASIC}), (readers, strict, {"env": BASIC})] + (each if n == 17 else []))

        def drawn(_, count):
            return [int(value) for value in self.rng.integers(1, 9, count)]
        gpu = {**BASIC, "POLYBRICKS_RUN_AS_GPU": "1"}
        # Rows of these sides lie where vectors may begin.
        ways = [
            (readers, ("--device-copies", "--fill-nan"), {"env": BASIC}),
            (readers, ("--strict", "--verify-device"), {"env": BASIC}),
            (readers, ("--device-memory=1K",), {"env": BASIC}),
            (readers, ("--device=0,1", "--device-copies"), {"env": {"POCL_DEVICES": "basic basic"}}),
            (readers, (), {"env": {**BASIC, "POLYBRICKS_DEVICE_FAULTS": "fail:1"}}),
            (readers, ("--strict",), {"env": gpu}),
            (readers, ("--strict", "--device-copies"), {"env": gpu, "draw": lambda _, count: [4, 2, 2][:count]}),
            (readers, ("--device-copies",), {"env": gpu, "draw": drawn})]
        # PoCL builds the kernels of each drawn shape.
        if polybricks.is_nightly():
            ways += [(readers, (), {"env": BASIC, "draw": drawn}), (readers, (), {"draw": drawn}),
                     (readers, ("--device-copies",), {"env": gpu, "draw": drawn}), (readers, (), {"env": gpu, "draw": drawn})]
        self.agrees(name, program, 36 - PROGRAMS[name][2], ways)

    def watched(self, name):
        """Programs that check copies find no access of what was not announced."""
        program = self.compile(name, "--checked-copies")
        readers = [rule.split(".")[0] for rule in self.readers(program)]
        self.agrees(name, program, 21, [(readers, ("--strict",), {"env": BASIC})])

    def falls_back(self):
        """What does not fit the memory of a group is stored, on the device. PoCL has as much as the second cache: more than 1 MiB holds it."""
        program = self.compile("chain")
        start = self.start("chain", 20)
        files = arrays.save(self.work, [start])
        tall = {"work_group": [4, 1024], "items": [1, 16]}
        got, statistics = self.runs(program, files, ["Out", "Copy"], ["Out#1"], "--strict", env=BASIC, draw=lambda role, _: tall[role])
        for output, values in chain(start).items():
            polybricks.check(np.array_equal(got[output], values), f"{output} is\n{got[output]}")
        polybricks.check(not statistics["fallbacks"], str(statistics["fallbacks"]))
        num_launches = 5 if local_memory() <= 2**20 else 2
        polybricks.check(statistics["devices"][0]["launches"] == num_launches, str(statistics["devices"]))

    def stored(self):
        """A temporary that several rules of a call read has no such tunable."""
        source = self.work / "stored.pbcc"
        source.write_text(TWO_READERS)
        program = self.tools.compile(source, self.work / "stored")
        polybricks.check(not self.readers(program), str(self.readers(program)))


def main():
    args = polybricks.arguments(__doc__).parse_args()
    tools, work = polybricks.Tools(args.dist), polybricks.fresh_folder(args.work / "fused_steps")
    test = Test(tools, work)
    watched = list(PROGRAMS) if polybricks.is_nightly() else test.rng.choice(list(PROGRAMS), 2, replace=False)
    for name in PROGRAMS:
        test.run(name)
        if name in watched:
            test.watched(name)
    test.falls_back()
    test.stored()
    print(f"{len(PROGRAMS)} programs whose temporaries are computed in work-groups")
    return 0


if __name__ == "__main__":
    sys.exit(main())
