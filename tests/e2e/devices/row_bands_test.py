# SPDX-License-Identifier: MIT
"""Computes temporaries in bands of rows by the tasks of their readers: outputs are those of stored temporaries and of NumPy, bit by bit.

    row_bands_test.py --dist BUILD/dist --work FOLDER
"""

import pathlib
import sys

import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import arrays  # noqa: E402
import polybricks  # noqa: E402
from device_programs import on_device  # noqa: E402
from step_programs import PROGRAMS as ON_DEVICES  # noqa: E402
from step_programs import TWO_READERS, temporaries_of  # noqa: E402

NEVER, BY_SIZE, ALWAYS = 0, 1, 2


def mirror(a):
    """Rows are read as a whole and from their ends."""
    twice = 2 * a + 1
    return {"Out": twice[2:, ::-1] - twice[:-2] + twice.sum(axis=1, keepdims=True)[1:-1]}


def offsets(a):
    """A temporary with fewer dimensions than the results."""
    first = a[:, 0] * 3
    return {"Out": a[1:] - first[:-1, None] + first[1:, None]}


def frame(a):
    """A temporary and results whose borders are rules of their own."""
    h, w = a.shape
    smooth = a.copy()
    if h > 2 and w > 2:
        smooth[1:-1, 1:-1] = a[1:-1, :-2] + a[1:-1, 2:] - a[:-2, 1:-1] + a[2:, 1:-1]
    out = -a
    if h > 2 and w > 1:
        out[1:-1, 1:] = smooth[:-2, 1:] + 2 * smooth[2:, 1:] + smooth[1:-1, :-1]
    return {"Out": out}


def turned(a):
    """The temporary's rows are its first loop's in one rule, its second one's in the other."""
    t = a + np.arange(a.shape[1])[None, :]
    return {"Out": t[1:] - t[:-1]}


def after(a):
    """The rows of the temporary are made of what another step has made."""
    before = a - 1
    t = before[:, 1:] + before[:, :-1]
    return {"Out": t[3:] - t[:-3], "Before": before}


# As in fused_steps_test.py: text, dimensions, the smallest input, element, reference, and the rules that have bands.
PROGRAMS = {name: (*program[:5], sorted(program[6])) for name, program in ON_DEVICES.items()}
PROGRAMS.update({
    "mirror": ("""
transform Mirror
from int In[w, h]
through int Twice[w, h]
to int Out[w, h-2]
{
  Twice.cell(x, y) from (In.cell(x, y) a) { return 2 * a + 1; }
  Out.cell(x, y) from (Twice.cell(w-1-x, y+2) a, Twice.cell(x, y) b, Twice.row(y+1) r) {
    int sum = a - b;
    for (int i = 0; i < r.size(0); i++) sum += r.cell(i);
    return sum;
  }
}
""", 2, 2, "int32", mirror, ["Out#1"]),
    "offsets": ("""
transform Offsets
from int In[w, h]
through int First[h]
to int Out[w, h-1]
{
  First.cell(y) from (In.cell(0, y) a) { return 3 * a; }
  Out.cell(x, y) from (In.cell(x, y+1) a, First.cell(y) f, First.cell(y+1) g) { return a - f + g; }
}
""", 2, 1, "int32", offsets, ["Out#1"]),
    "frame": ("""
transform Frame
from int In[w, h]
through int Smooth[w, h]
to int Out[w, h]
{
  Smooth.cell(x, y) from (In.cell(x-1, y) l, In.cell(x+1, y) r, In.cell(x, y-1) u, In.cell(x, y+1) d) { return l + r - u + d; }
  secondary Smooth.cell(x, y) from (In.cell(x, y) c) { return c; }
  Out.cell(x, y) from (Smooth.cell(x, y-1) u, Smooth.cell(x, y+1) d, Smooth.cell(x-1, y) l) { return u + 2 * d + l; }
  secondary Out.cell(x, y) from (In.cell(x, y) c) { return -c; }
}
""", 2, 1, "int32", frame, ["Out#1"]),
    "turned": ("""
transform Turned
from int In[h, w]
through int T[h, w]
to int Out[h, w-1]
{
  T.cell(y, x) from (In.cell(y, x) a) { return a + y; }
  Out.cell(x, y) from (T.cell(x, y+1) a, T.cell(x, y) b) { return a - b; }
}
""", 2, 1, "int32", turned, ["Out#1"]),
    "after": ("""
transform After
from int In[w, h]
through int T[w-1, h]
to int Out[w-1, h-3], int Before[w, h]
{
  Before.cell(x, y) from (In.cell(x, y) a) { return a - 1; }
  T.cell(x, y) from (Before.cell(x, y) a, Before.cell(x+1, y) b) { return a + b; }
  Out.cell(x, y) from (T.cell(x, y+3) a, T.cell(x, y) b) { return a - b; }
}
""", 2, 3, "int32", after, ["Out#1"]),
})
IN_PLACE = """
transform Differences
from int A[n]
through int T[n]
to int B[n-2]
{
  T.cell(i) from (A.cell(i) a) { return 2 * a + 1; }
  B.cell(i) from (T.cell(i) l, T.cell(i+2) r) { return l - r; }
}

main transform InPlace
from int In[n]
to int Out[n]
{
  to (Out o) from (In a) {
    for (int i = 0; i < n; i++) o.cell(i) = a.cell(i);
    Differences(o.region(2, n), o);
  }
}
"""
# Rows so long that a cache holds few of them: bands are a few rows.
LONG = 70000


def temporaries(name):
    return temporaries_of(PROGRAMS[name][0])


class Test:
    def __init__(self, tools, work):
        self.tools, self.work = tools, work
        self.rng = np.random.default_rng(polybricks.seed())
        self.checked_ones = list(PROGRAMS) if polybricks.is_nightly() else self.rng.choice(list(PROGRAMS), 3, replace=False).tolist()

    def compile(self, name, *options):
        source = self.work / f"{name}.pbcc"
        source.write_text(PROGRAMS[name][0])
        return self.tools.compile(source, self.work / (name + "".join(options)), *options)

    def inputs(self, name, sides):
        """Sides: the slowest first, as NumPy has them."""
        start = self.rng.integers(-9, 10, sides).astype(PROGRAMS[name][3])
        return start, arrays.save(self.work, [start])

    def readers(self, program):
        return {tunable for transform in program.info["transforms"].values()
                for tunable, data in transform["tunables"].items() if data["role"] == "bands"}

    def entry(self, program, rule, threads=2, on="cpu", readers=None):
        """Runs bands as the rule says, or those of some readers alone, and the others as stored."""
        tunables = {}
        for transform, info in program.info["transforms"].items():
            bands = [name for name, data in info["tunables"].items() if data["role"] == "bands"]
            tunables[transform] = {name: rule if readers is None or name.split(".")[0] in readers else NEVER for name in bands}
        entry = on_device(program, on, tunables=tunables)
        entry["global"]["threads"] = threads
        return entry

    def agrees(self, name, program, files, want, words, *args, env=None, **options):
        got, statistics = arrays.run(program, self.work, files, list(want), *words, entry=self.entry(program, *args, **options), env=env)
        for output, values in want.items():
            polybricks.check(np.array_equal(got[output], values), f"{name}, {words} {args} {options}: {output} is\n{got[output]}\nnot\n{values}")
        return statistics

    def run(self, name):
        program = self.compile(name)
        _, num_dims, least, _, reference, expected = PROGRAMS[name]
        readers = sorted(tunable.split(".")[0] for tunable in self.readers(program))
        polybricks.check(readers == expected, f"{name}: {readers} have bands")
        checked = self.compile(name, "--checked") if name in self.checked_ones else None
        alone = ["--device=none"]
        for n in (0, 1, 2, 5, 17, 40) if polybricks.is_nightly() else (0, 1, 5, 40):
            sides = [least + max(0, n + 2 * d) if n > 0 else least for d in range(num_dims)][::-1]
            start, files = self.inputs(name, sides)
            want = reference(start)
            self.agrees(name, program, files, want, alone, NEVER)
            for threads in (1, 2, 5):
                self.agrees(name, program, files, want, alone, ALWAYS, threads)
            for reader in readers if len(readers) > 1 else []:
                self.agrees(name, program, files, want, alone, ALWAYS, readers=[reader])
            self.agrees(name, program, files, want, [*alone, "--fill-nan"], ALWAYS)
            if checked is not None:
                self.agrees(name, checked, files, want, alone, ALWAYS)
        self.in_several_bands(name, program)

    def in_several_bands(self, name, program):
        """Rows are long, or many; the makers then run band by band, each with what it needs anew."""
        _, num_dims, least, _, reference, _ = PROGRAMS[name]
        sides = {1: [3 * LONG * 8], 2: [least + 53, LONG], 3: [least + 53, 265, least + LONG // 265]}[num_dims]
        # Here they are as long as the input is high, and single cells.
        sides = {"turned": [LONG, least + 53], "offsets": [8 * LONG, 2]}.get(name, sides)
        start, files = self.inputs(name, sides)
        want = reference(start)
        stored = self.agrees(name, program, files, want, ["--device=none"], NEVER, 1)
        bands = self.agrees(name, program, files, want, ["--device=none"], ALWAYS, 1)
        self.agrees(name, program, files, want, ["--device=none"], ALWAYS, 2)
        self.agrees(name, program, files, want, ["--device=none"], ALWAYS, 5)

        def counts(statistics):
            return {rule["rule"].split(".")[1]: rule["count"] for rule in statistics["rules"]}
        # The inside of each temporary is made once per band of the reader.
        of_makers = [counts(bands)[f"{matrix}#1"] for matrix in temporaries(name)]
        num_bands = counts(bands)["Out#1"]
        polybricks.check(num_bands > 1 and set(of_makers) == {num_bands} and counts(bands) != counts(stored),
                         f"{name} of {start.shape} ran in bands: {bands['rules']}")

    def by_size(self):
        """By default small temporaries are stored, and large ones are not."""
        program = self.compile("blur")
        for sides, in_bands in (([300, 400], False), ([2200, 2200], True)):
            start, files = self.inputs("blur", sides)
            want = PROGRAMS["blur"][4](start)
            statistics = self.agrees("blur", program, files, want, ["--device=none"], BY_SIZE, 1)
            most = max(rule["count"] for rule in statistics["rules"])
            polybricks.check((most > 1) == in_bands, f"{sides}: {statistics['rules']}")

    def behind_a_device(self):
        """What makers read is on a device when the bands begin, and the results are read there."""
        program = self.compile("after")
        start, files = self.inputs("after", [37, 41])
        want = after(start)
        for on in ({"Before": "opencl"}, {"Before": "opencl", "T": "opencl"}, {"Before": "opencl", "Out": "opencl"}):
            entry = self.entry(program, ALWAYS)
            choices = {}
            for transform, site, alternatives in program.sites():
                version = on.get(site.split("#")[0], "cpu")
                choices.setdefault(transform, {})[site] = next(each for each in alternatives if each[1] == version)
            tunables = {"After": {"Out#1.cpu.bands": ALWAYS}}
            entry = program.configuration(choices, tunables, sequential_cutoff=0, threads=2)
            got, statistics = arrays.run(program, self.work, files, list(want), "--strict", "--device-copies", entry=entry,
                                         env={"POCL_DEVICES": "basic"})
            for output, values in want.items():
                polybricks.check(np.array_equal(got[output], values), f"{on}: {output} is\n{got[output]}")
            polybricks.check(statistics["devices"][0]["launches"] == len(on), str(statistics["devices"]))

    def in_place(self):
        """A call whose results take the place of its inputs: all of the temporary is made before."""
        source = self.work / "in_place.pbcc"
        source.write_text(IN_PLACE)
        program = self.tools.compile(source, self.work / "in_place")
        polybricks.check(self.readers(program) == {"B#1.cpu.bands"}, str(self.readers(program)))
        start = self.rng.integers(-9, 10, 8 * LONG).astype("int32")
        files = arrays.save(self.work, [start])
        twice = 2 * start + 1
        want = np.concatenate([start[:2], twice[:-2] - twice[2:]])
        for threads in (1, 2):
            got, _ = arrays.run(program, self.work, files, ["Out"], "--device=none", entry=self.entry(program, ALWAYS, threads))
            polybricks.check(np.array_equal(got["Out"], want), f"{threads} threads: {got['Out']}, not {want}")

    def stored(self):
        """A temporary that several rules of a call read, has no such tunable."""
        source = self.work / "stored.pbcc"
        source.write_text(TWO_READERS)
        program = self.tools.compile(source, self.work / "stored")
        polybricks.check(not self.readers(program), str(self.readers(program)))


def main():
    args = polybricks.arguments(__doc__).parse_args()
    tools, work = polybricks.Tools(args.dist), polybricks.fresh_folder(args.work / "row_bands")
    test = Test(tools, work)
    for name in PROGRAMS:
        test.run(name)
    test.by_size()
    test.behind_a_device()
    test.in_place()
    test.stored()
    print(f"{len(PROGRAMS)} programs whose temporaries are computed in bands")
    return 0


if __name__ == "__main__":
    sys.exit(main())
