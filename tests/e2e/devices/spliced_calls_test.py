# SPDX-License-Identifier: MIT
"""Runs chains of calls as one transform: outputs are those of the calls and of NumPy, bit by bit, wherever steps run.

    spliced_calls_test.py --dist BUILD/dist --work FOLDER
"""

import pathlib
import sys

import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import arrays  # noqa: E402
import polybricks  # noqa: E402
from device_programs import shapes  # noqa: E402

BASIC = {"POCL_DEVICES": "basic"}
GPU = {**BASIC, "POLYBRICKS_RUN_AS_GPU": "1"}


def smooth(a, axis):
    """Sums of three neighbours; the first and the last cells stay."""
    out = a.copy()
    inside = np.moveaxis(out, axis, 0)
    source = np.moveaxis(a, axis, 0)
    if len(source) > 2:
        inside[1:-1] = source[:-2] + 2 * source[1:-1] + source[2:]
    return out


def borders(a):
    blurred = smooth(smooth(a, 1), 0)
    return {"Out": 3 * a - blurred}


def shrinking(a):
    rows = a[:, :-2] + 2 * a[:, 1:-1] - a[:, 2:]
    rows = rows + np.arange(rows.shape[1])[::-1]
    columns = rows[:-2] - rows[2:]
    return {"Out": columns * rows.shape[1] + (a.shape[0] - 2)}


def numbers(a, factor):
    scaled = -2 * a + factor
    return {"Out": scaled[:-1] * factor + scaled[1:] * (7 - len(a)) + factor}


def nested(a):
    once = smooth(smooth(a, 0), 0)
    return {"Out": smooth(smooth(smooth(once, 0), 0), 0) - once}


def ping_pong(a):
    for _ in range(4):
        a = smooth(a, 1)
    return {"Out": a}


def two_results(a):
    low, high = np.minimum(a[1:], a[:-1]), np.maximum(a[1:], a[:-1])
    return {"Range": high - low, "Low": smooth(low, 0)}


SMOOTH = """
transform Smooth
from int A[n]
to int B[n]
{
  B.cell(i) from (A.cell(i-1) l, A.cell(i) m, A.cell(i+1) r) { return l + 2 * m + r; }
  secondary B.cell(i) from (A.cell(i) m) { return m; }
}
"""
ROWS = """
transform Rows
from int A[w, h]
to int B[w, h]
{
  B.cell(x, y) from (A.cell(x-1, y) l, A.cell(x, y) m, A.cell(x+1, y) r) { return l + 2 * m + r; }
  secondary B.cell(x, y) from (A.cell(x, y) m) { return m; }
}
"""
# Text, dimensions, the smallest input, the reference, further inputs, and whether a reader may compute temporaries on
# the CPU. The main transform is the last one; its rule with the calls has no label.
PROGRAMS = {
    # Callees with several rules; other names of matrices and sizes.
    "borders": (ROWS + """
transform Columns
from int A[n, m]
to int B[n, m]
{
  B.cell(x, y) from (A.cell(x, y-1) u, A.cell(x, y) m, A.cell(x, y+1) d) { return u + 2 * m + d; }
  secondary B.cell(x, y) from (A.cell(x, y) m) { return m; }
}
transform Sharpen
from int Blurred[w, h], int Given[w, h]
to int Sharp[w, h]
{
  Sharp.cell(x, y) from (Blurred.cell(x, y) b, Given.cell(x, y) g) { return 3 * g - b; }
}
main transform Borders
from int In[w, h]
to int Out[w, h]
{
  to (Out out) from (In in) using (int T[w, h], int U[w, h]) { Rows(T, in); Columns(U, T); Sharpen(out, U, in); }
}
""", 2, 1, borders, [], True),
    # Sizes that differ by constants, and bodies that use them.
    "shrinking": ("""
transform Across
from int A[n, m]
to int B[n-2, m]
{
  B.cell(x, y) from (A.region(x, y, x+3, y+1) a) { return a.cell(0, 0) + 2 * a.cell(1, 0) - a.cell(2, 0) + (n - 3 - x); }
}
transform Down
from int A[n, m]
to int B[n, m-2]
{
  B.cell(x, y) from (A.cell(x, y) u, A.cell(x, y+2) d) { return (u - d) * n + m - 2; }
}
main transform Shrinking
from int In[w, h]
to int Out[w-2, h-2]
{
  to (Out out) from (In in) using (int Middle[w-2, h]) { Across(Middle, in); Down(out, Middle); }
}
""", 2, 2, shrinking, [], True),
    # Numbers as written, and single-number inputs under their names.
    "numbers": ("""
transform Scale
from int A[n], int Factor, int Offset
to int B[n]
{
  B.cell(i) from (A.cell(i) a, Factor f) { return f * a + Offset; }
}
transform Pairs
from int A[n], int P, int Q
to int B[n-1]
{
  B.cell(i) from (A.cell(i) a, A.cell(i+1) b, P p, Q q) { return a * p + b * q + P; }
}
main transform Numbers
from int In[n], int By
to int Out[n-1]
{
  to (Out out) from (In in, By by) using (int T[n]) { Scale(T, in, -2, by); Pairs(out, T, By, n - 2*n + 7); }
}
""", 1, 1, numbers, [np.array(5, dtype="int32")], True),
    # Chains of chains, and a callee with a temporary of its own.
    "nested": (SMOOTH + """
transform Twice
from int A[n]
to int B[n]
{
  to (B b) from (A a) using (int T[n]) { Smooth(T, a); Smooth(b, T); }
}
transform Difference
from int A[n], int B[n]
through int T[n]
to int C[n]
{
  T.cell(i) from (A.cell(i) a, B.cell(i) b) { return a - b; }
  C.cell(i) from (T.cell(i) t) { return t; }
}
main transform Nested
from int In[n]
to int Out[n]
{
  to (Out out) from (In in) using (int T[n], int U[n], int V[n]) {
    Twice(T, in);
    Twice(U, T);
    { Smooth(V, U); }
    Difference(out, V, T);
  }
}
""", 1, 1, nested, [], True),
    # Two temporaries in turns: each call has one of its own, and a result that a call reads.
    "ping_pong": (ROWS + """
main transform PingPong
from int In[w, h]
to int Out[w, h]
{
  to (Out out) from (In in) using (int T[w, h]) {
    Rows(T, in);
    Rows(out, T);
    Rows(T, out);
    Rows(out, T);
  }
}
""", 2, 1, ping_pong, [], False),
    # Two results of a callee, of which one is a result and the other one is read on.
    "two_results": (SMOOTH + """
transform Both
from int A[n]
to int Low[n-1], int High[n-1]
{
  Low.cell(i) from (A.cell(i) a, A.cell(i+1) b) { return min(a, b); }
  High.cell(i) from (A.cell(i) a, A.cell(i+1) b) { return max(a, b); }
}
transform Subtract
from int A[n], int B[n]
to int C[n]
{
  C.cell(i) from (A.cell(i) a, B.cell(i) b) { return a - b; }
}
main transform TwoResults
from int In[n]
to int Range[n-1], int Low[n-1]
{
  to (Range range, Low low) from (In in) using (int L[n-1], int H[n-1]) {
    spawn Both(L, H, in);
    sync;
    spawn Subtract(range, H, L);
    spawn Smooth(low, L);
    sync;
  }
}
""", 1, 1, two_results, [], False),
}
# Sums of products that the compiler may contract, and numbers that are rounded.
DOUBLES = """
transform Rows
from A[w, h]
to B[w, h]
{
  B.cell(x, y) from (A.cell(x-1, y) l, A.cell(x, y) m, A.cell(x+1, y) r) { return 0.3 * l + 0.41 * m + 0.27 * r; }
  secondary B.cell(x, y) from (A.cell(x, y) m) { return m / 3; }
}
transform Columns
from A[w, h], Weight
to B[w, h]
{
  B.cell(x, y) from (A.cell(x, y-1) l, A.cell(x, y) m, A.cell(x, y+1) r) { return 0.3 * l + Weight * m + 0.27 * r; }
  secondary B.cell(x, y) from (A.cell(x, y) m) { return m / 7; }
}
main transform Doubles
from A[w, h]
to B[w, h]
{
  to (B b) from (A a) using (T[w, h], U[w, h]) { Rows(T, a); Columns(U, T, 0.41); Rows(b, U); }
}
"""


# Callees of random chains: text, what NumPy says, how many matrices they read and write, and what they take off each side.
CALLEES = {
    "Rows": (ROWS, lambda a: [smooth(a, 1)], 1, 1, (0, 0)),
    "Columns": ("""
transform Columns
from int A[n, m]
to int B[n, m]
{
  B.cell(x, y) from (A.cell(x, y-1) u, A.cell(x, y) c, A.cell(x, y+1) d) { return u + 2 * c + d; }
  secondary B.cell(x, y) from (A.cell(x, y) c) { return c; }
}
""", lambda a: [smooth(a, 0)], 1, 1, (0, 0)),
    "Shrink": ("""
transform Shrink
from int A[n+1, m]
to int B[n, m-2]
{
  B.cell(x, y) from (A.region(x, y, x+2, y+3) a) { return a.cell(0, 0) - a.cell(1, 2) + (n - x) * m; }
}
""", lambda a: [a[:-2, :-1] - a[2:, 1:] + (a.shape[1] - 1 - np.arange(a.shape[1] - 1)) * a.shape[0]], 1, 1, (1, 2)),
    "Both": ("""
transform Both
from int A[h, w], int B[h, w]
through int T[h, w]
to int Sum[h, w], int Product[h, w]
{
  T.cell(i, j) from (A.cell(i, j) a) { return 2 * a; }
  to (Sum.cell(i, j) s, Product.cell(i, j) p) from (T.cell(i, j) t, B.cell(i, j) b) { s = t + b; p = (t * b) % 1000; }
}
""", lambda a, b: [2 * a + b, np.fmod(2 * a * b, 1000)], 2, 2, (0, 0)),
    "Mirror": ("""
function Mirror
from int A[w, h]
to int B[w, h]
{
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) B.cell(x, y) = A.cell(w-1-x, y) % 500;
}
""", lambda a: [np.fmod(a[:, ::-1], 500)], 1, 1, (0, 0)),
}


class RandomChain:
    """A main transform that calls some of CALLEES one after the other."""

    def __init__(self, rng):
        self.calls = []       # callee, names of what it writes, names of what it reads
        self.names = [("in", (0, 0))]  # with what their sides lack of the input's
        for k in range(int(rng.integers(3, 7))):
            name = str(rng.choice(list(CALLEES)))
            _, _, num_read, num_written, (less_w, less_h) = CALLEES[name]
            first = self.names[-1 - int(rng.integers(0, min(3, len(self.names))))]
            fitting = [each for each, lost in self.names if lost == first[1]]
            read = [first[0], *(str(each) for each in rng.choice(fitting, num_read - 1))]
            lost = (first[1][0] + less_w, first[1][1] + less_h)
            written = [f"T{k}{'ab'[i]}" for i in range(num_written)]
            self.calls.append((name, written, read))
            self.names += [(each, lost) for each in written]
        self.lost = self.names[-1][1]
        self.calls[-1][1][-1] = "out"

    def text(self):
        def declared(name, lost):
            return f"int {name}[w{-lost[0] or ''}, h{-lost[1] or ''}]"
        temporaries = ", ".join(declared(*each) for each in self.names[1:-1])
        calls = "\n".join(f"    {name}({', '.join([*written, *read])});" for name, written, read in self.calls)
        used = dict.fromkeys(name for name, _, _ in self.calls)
        return "".join(CALLEES[name][0] for name in used) + f"""
main transform Chain
from int In[w, h]
to {declared('Out', self.lost)}
{{
  to (Out out) from (In in) using ({temporaries}) {{
{calls}
  }}
}}
"""

    def reference(self, a):
        values = {"in": a}
        for name, written, read in self.calls:
            values.update(zip(written, CALLEES[name][1](*(values[each] for each in read))))
        return {"Out": values["out"]}


class Test:
    def __init__(self, tools, work):
        self.tools, self.work = tools, work
        self.rng = np.random.default_rng(polybricks.seed())
        # Programs that are also compiled as checked ones: by day some.
        self.checked_ones = list(PROGRAMS) if polybricks.is_nightly() else self.rng.choice(list(PROGRAMS), 2, replace=False).tolist()

    def compile(self, name, text, *options):
        source = self.work / f"{name}.pbcc"
        source.write_text(text)
        return self.tools.compile(source, self.work / (name + "".join(options)), *options)

    def entry(self, program, is_spliced, on, bands=1, per_tile=0, threads=2, shape=None):
        """Chooses the transform of calls or the calls. `on(site)` says where a site runs that has both ways."""
        choices = {}
        for transform, site, alternatives in program.sites():
            kept = [each for each in alternatives if each[0].endswith("[spliced]") == is_spliced] or alternatives
            version = on(site)
            choices.setdefault(transform, {})[site] = next((each for each in kept if each[1] == version), kept[0])
        tunables = shapes(program, shape) if shape else {}
        for transform, info in program.info["transforms"].items():
            for tunable, data in info["tunables"].items():
                value = {"bands": bands, "per_tile": per_tile}.get(data["role"])
                if value is not None:
                    tunables.setdefault(transform, {})[tunable] = value
        return program.configuration(choices, tunables, sequential_cutoff=0, threads=threads)

    def check(self, program, files, want, what, *words, env=None, **how):
        got, statistics = arrays.run(program, self.work, files, list(want), *words, entry=self.entry(program, **how), env=env)
        for output, values in want.items():
            polybricks.check(got[output].tobytes() == values.tobytes(), f"{what}, {words} {how}: {output} is\n{got[output]}\nnot\n{values}")
        return statistics

    def random_way(self):
        def drawn(_, count):
            return [int(value) for value in self.rng.integers(1, 9, count)]
        places = {}
        return {"is_spliced": True, "on": lambda site: places.setdefault(site, str(self.rng.choice(["cpu", "opencl"]))),
                "bands": int(self.rng.integers(0, 3)), "per_tile": int(self.rng.integers(0, 2)),
                "threads": int(self.rng.integers(1, 5)), "shape": drawn}

    def ways(self, program, files, want, what):
        on_cpu, on_device = (lambda _: "cpu"), (lambda _: "opencl")
        self.check(program, files, want, what, "--device=none", is_spliced=False, on=on_cpu)
        for bands in (0, 1, 2):
            self.check(program, files, want, what, "--device=none", "--strict", is_spliced=True, on=on_cpu, bands=bands)
        for per_tile in (0, 1):
            self.check(program, files, want, what, "--strict", "--device-copies", env=BASIC, is_spliced=True, on=on_device, per_tile=per_tile)
        for env, words in ((BASIC, []), (GPU, []), ({"POCL_DEVICES": "pthread pthread"}, ["--device=0,1"])):
            self.check(program, files, want, what, *words, env=env, **self.random_way())

    def run(self, name):
        text, num_dims, least, reference, more, has_bands = PROGRAMS[name]
        program = self.compile(name, text)
        made = [transform for transform in program.info["transforms"] if "<spliced" in transform]
        polybricks.check(any(transform.lower().startswith(name.replace("_", "")) for transform in made), f"{name}: {made}")
        main = next(transform for transform in made if transform.startswith(program.info["main"]))
        roles = {data["role"] for data in program.info["transforms"][main]["tunables"].values()}
        polybricks.check(not has_bands or {"bands", "per_tile"} <= roles, f"{name}: {roles}")
        checked = self.compile(name, text, "--checked") if name in self.checked_ones else None
        for n in (0, 1, 2, 17) if polybricks.is_nightly() else (int(self.rng.integers(0, 3)), 17):
            sides = [least + max(0, n + 2 * d) if n > 0 else least for d in range(num_dims)][::-1]
            start = self.rng.integers(-9, 10, sides).astype("int32")
            files = arrays.save(self.work, [start, *more])
            want = {output: np.asarray(values, dtype="int32") for output, values in reference(start, *more).items()}
            self.ways(program, files, want, f"{name} of {sides}")
            if checked is not None and n >= 2:
                self.check(checked, files, want, f"{name} of {sides}, checked", "--device=none", is_spliced=True, on=lambda _: "cpu", bands=2)
        start = self.rng.integers(-9, 10, [least + 33, least + 31][:num_dims]).astype("int32")
        files = arrays.save(self.work, [start, *more])
        want = {output: np.asarray(values, dtype="int32") for output, values in reference(start, *more).items()}
        statistics = self.check(program, files, want, name, "--strict", "--verify-device", env=BASIC, is_spliced=True, on=lambda _: "opencl", per_tile=1)
        polybricks.check(statistics["devices"][0]["launches_differing"] == 0, str(statistics["devices"]))
        self.check(program, files, want, name, "--fill-nan", env=BASIC, **self.random_way())
        self.check(program, files, want, name, env={**BASIC, "POLYBRICKS_DEVICE_FAULTS": "fail:1"}, **self.random_way())

    def doubles(self):
        """Rounded results are the same bits, too. `--fp=strict` has the C++ compiler contract nothing in either way."""
        for options in ([], ["--element=float"], ["--fp=strict"]):
            program = self.compile("doubles", DOUBLES, *options)
            kind = "float32" if "--element=float" in options else "float64"
            for sides in ([1, 1], [2, 3], [70, 41], [1200, 900]):
                files = arrays.save(self.work, [self.rng.standard_normal(sides).astype(kind)])
                got, _ = arrays.run(program, self.work, files, ["B"], "--device=none", entry=self.entry(program, False, lambda _: "cpu"))
                for bands in (0, 1, 2):
                    for threads in (1, 2, 5) if polybricks.is_nightly() else (1, 3):
                        self.check(program, files, got, f"doubles of {sides}", "--device=none", is_spliced=True, on=lambda _: "cpu", bands=bands, threads=threads)

    def random_chains(self, count):
        for number in range(count):
            chain = RandomChain(self.rng)
            program = self.compile(f"chain{number}", chain.text())
            polybricks.check("Chain<spliced Out#1>" in program.info["transforms"], chain.text())
            for n in (0, 1, 7, 29) if polybricks.is_nightly() else (int(self.rng.integers(0, 2)), 29):
                least_w, least_h = (max(lost[axis] for _, lost in chain.names) for axis in (0, 1))
                sides = [n + least_h, n + 3 * (n > 0) + least_w]
                start = self.rng.integers(-9, 10, sides).astype("int32")
                files = arrays.save(self.work, [start])
                want = {output: np.asarray(values, dtype="int32") for output, values in chain.reference(start.astype("int64")).items()}
                self.ways(program, files, want, f"{chain.text()} of {sides}")

    def launches(self):
        """On a device the chain is one launch where its reader says so."""
        program = self.compile("shrinking", PROGRAMS["shrinking"][0])
        start = self.rng.integers(-9, 10, [40, 50]).astype("int32")
        files = arrays.save(self.work, [start])
        want = {output: np.asarray(values, dtype="int32") for output, values in shrinking(start).items()}
        for per_tile, num_launches in ((0, 2), (1, 1)):
            statistics = self.check(program, files, want, "shrinking", "--strict", "--device-copies", env=BASIC, is_spliced=True,
                                    on=lambda _: "opencl", per_tile=per_tile)
            polybricks.check(statistics["devices"][0]["launches"] == num_launches, str(statistics["devices"]))

    def sizes_that_do_not_fit(self):
        """A temporary that would have a negative size stops both ways."""
        program = self.compile("negative", """
transform Across from int A[n] to int B[n-2] { B.cell(x) from (A.cell(x) l, A.cell(x+2) r) { return l - r; } }
transform Widen from int A[n-2] to int B[n] { B.cell(x) from (A.cell(x-1) a) { return a; } secondary B.cell(x) from () { return 7; } }
main transform Negative from int In[n] to int Out[n] { to (Out out) from (In in) using (int T[n-2]) { Across(T, in); Widen(out, T); } }
""")
        for is_spliced in (False, True):
            for n in (0, 1, 2, 5):
                files = arrays.save(self.work, [np.arange(n, dtype="int32")])
                entry = self.entry(program, is_spliced, lambda _: "cpu")
                got, _ = arrays.run(program, self.work, files, ["Out"], "--device=none", entry=entry, expect=1 if n < 2 else 0)
                polybricks.check(n < 2 or list(got["Out"]) == [7, *[-2] * (n - 2), 7][:n], f"{n}: {got}")


def main():
    args = polybricks.arguments(__doc__).parse_args()
    tools, work = polybricks.Tools(args.dist), polybricks.fresh_folder(args.work / "spliced_calls")
    test = Test(tools, work)
    for name in PROGRAMS:
        test.run(name)
    test.random_chains(12 if polybricks.is_nightly() else 1)
    test.doubles()
    test.launches()
    test.sizes_that_do_not_fit()
    print(f"{len(PROGRAMS)} chains of calls, as calls and as one transform")
    return 0


if __name__ == "__main__":
    sys.exit(main())
