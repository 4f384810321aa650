# SPDX-License-Identifier: MIT
"""All choices of examples/separable_convolution.pbcc agree with an independent reference.

Every rule x version x device at kernel widths 1 to 17 and sizes from empty to 1760, then random
configurations. Each run of a version asserts that this version ran and that nothing fell back. The default runs from the
command line, at one size of each width the choices do too; the others run in one process and are compared with the default.

    separable_convolution_test.py --dist BUILD/dist --work FOLDER [--element double|float] [--nightly] [--seed S]
"""

import pathlib
import random
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import polybricks  # noqa: E402

TOLERANCE = {"double": 1e-12, "float": 1e-5}
DTYPE = {"double": np.float64, "float": np.float32}
WIDTHS = (1, 3, 5, 7, 17)


def reference(picture, kernel):
    """The convolution as its definition says it, in extended precision; shapes (h, w), (k), (h-k+1, w-k+1)."""
    wide, k = picture.astype(np.longdouble), kernel.astype(np.longdouble)
    height, width = (extent - len(k) + 1 for extent in picture.shape)
    rows = sum(k[i] * wide[:, i:i + width] for i in range(len(k)))
    return sum(k[j] * rows[j:j + height, :] for j in range(len(k)))


def sizes_for(width, element, nightly):
    """Picture sides: smallest output, empty output, odd, prime, powers of two and their neighbours, large. By day `float` has few of them, and some widths no
    large one."""
    sizes = [width - 1, width, width + 1, 61, 127, 128] if element == "double" or nightly else [width, 61]
    if nightly:
        sizes += [width + 2, 63, 64, 65, 255, 256, 257, 1009]
    return sorted(set(s for s in sizes if s >= 0)) + ([1760] if nightly or width in (3, 7) else [])


class Check:
    def __init__(self, program, element, work):
        self.program, self.element, self.work = program, element, work
        self.config = work / "run.cfg"
        self.failures, self.runs = [], 0
        self.inputs = {}

    def input_files(self, size, width):
        """Writes a seeded picture and kernel once per shape; returns (paths, expected output)."""
        key = (size, width)
        if key not in self.inputs:
            rng = np.random.default_rng(size * 100 + width)
            picture = rng.uniform(-1, 1, (size, size)).astype(DTYPE[self.element])
            kernel = rng.uniform(-1, 1, width).astype(DTYPE[self.element])
            paths = [self.work / f"in_{size}_{width}.npy", self.work / f"k_{size}_{width}.npy"]
            np.save(paths[0], picture)
            np.save(paths[1], kernel)
            self.inputs[key] = (paths, reference(picture, kernel))
        return self.inputs[key]

    def run_from_files(self, title, entry, size, width, expected_versions):
        """One run from the command line, its output compared with the reference."""
        self.runs += 1
        paths, expected = self.input_files(size, width)
        out = self.work / "out.npy"
        out.unlink(missing_ok=True)
        self.program.write_configuration(self.config, entry)
        where = f"{title}, n={size}, KWIDTH={width}"
        try:
            _, stats = self.program.run(*paths, out, config=self.config)
        except polybricks.ToolError as error:
            self.failures.append(f"{where}: {error}")
            return
        actual = np.load(out)
        if actual.dtype != DTYPE[self.element] or actual.shape != expected.shape:
            self.failures.append(f"{where}: output is {actual.dtype}{actual.shape}, expected {DTYPE[self.element]}{expected.shape}")
        elif expected.size:
            error = float(np.max(np.abs(actual - expected)) / np.max(np.abs(expected)))
            if not error <= TOLERANCE[self.element] / 2:
                self.failures.append(f"{where}: relative error {error:.3g}")
        self.expect_versions(where, stats, expected_versions, expected.size > 0)

    def run_all(self, size, width, configurations):
        """The default from the command line, compared with the reference, then (title, entry, expected versions or None) of
        `configurations` in one process, compared with the default."""
        default = {"SeparableConvolution": "SinglePass", "Convolve2D": "Out#1"}
        self.run_from_files("default", {"global": {}, "transforms": {}}, size, width, {(t, r, "cpu") for t, r in default.items()})
        paths, expected = self.input_files(size, width)
        try:
            with polybricks.Server(self.program) as server:
                problem = server.load(paths)
                if problem:
                    raise polybricks.ToolError(problem)
                for title, entry, versions in configurations:
                    self.runs += 1
                    reply = server.ask("run", config=entry, trials=1, verify=True, tolerance=TOLERANCE[self.element] / 2)
                    where = f"{title}, n={size}, KWIDTH={width}"
                    if reply["status"] != "ok":
                        self.failures.append(f"{where}: {reply}")
                    elif versions is not None:
                        self.expect_versions(where, reply, versions, expected.size > 0)
        except polybricks.ToolError as error:
            self.failures.append(f"n={size}, KWIDTH={width}: {error}")

    def expect_versions(self, where, stats, versions, has_cells):
        if stats is None:
            self.failures.append(f"{where}: no statistics")
            return
        if stats.get("fallbacks"):
            self.failures.append(f"{where}: fell back: {stats['fallbacks']}")
        ran = {(site.split(".")[0], r["rule"], r["on"]) for site, r in polybricks.ran_of(stats)}
        missing = versions - ran
        if has_cells and missing:
            self.failures.append(f"{where}: {sorted(missing)} did not run, but {sorted(ran)}")


def fixed_choices(program):
    """The distinct ways to compute: one pass on each version, two passes on each pair of versions, as calls and as one transform."""
    main, main_site, alternatives = next(s for s in program.sites() if s[0] == "SeparableConvolution")
    used = {"SinglePass": ["Convolve2D"], "TwoPass": ["ConvolveRows", "ConvolveColumns"],
            "TwoPass[spliced]": ["SeparableConvolution<spliced TwoPass>"]}
    for rule, on in alternatives:
        combos = [{}]
        for transform, site, alts in program.sites():
            if transform in used[rule]:
                combos = [{**c, transform: {**c.get(transform, {}), site: alt}} for c in combos for alt in alts]
        for combo in combos:
            expected = {(t, alt[0], alt[1]) for t, sites in combo.items() for alt in sites.values()} | {(main, rule, on)}
            title = rule + " " + " ".join(alt[1] for sites in combo.values() for alt in sites.values())
            yield title, dict(combo, **{main: {main_site: (rule, on)}}), expected


def random_entry(program, rng):
    """A valid configuration: selectors of up to four levels, any tunable in range (small work groups)."""
    transforms = {}
    for transform, site, alternatives in program.sites():
        levels, size = [], 0
        for _ in range(rng.randint(1, 4)):
            rule, on = rng.choice(alternatives)
            levels.append(dict({"rule": rule, "on": on}, **({"from": size} if levels else {})))
            size += rng.randint(1, 200)
        transforms.setdefault(transform, {}).setdefault("sites", {})[site] = levels
    for transform, data in program.info["transforms"].items():
        for name, tunable in data.get("tunables", {}).items():
            if tunable["role"] == "split":
                value = int(2 ** rng.uniform(0, 12))
            elif tunable["role"] == "work_group":
                value = [rng.choice((1, 2, 4, 8, 16, 32)) if d == 0 else rng.choice((1, 2, 4, 8)) for d in range(tunable.get("count", 1))]
            elif tunable["role"] == "items":
                value = [rng.choice((1, 1, 2, 3)) for _ in range(tunable.get("count", 1))]
            elif tunable["role"] == "ratio":
                value = rng.randint(tunable["min"], tunable["max"])
            else:
                continue
            is_number = isinstance(value, list) and len(value) == 1
            transforms.setdefault(transform, {}).setdefault("tunables", {})[name] = value[0] if is_number else value
    return {"global": {"threads": rng.randint(1, 4), "sequential_cutoff": rng.choice((0, 1, 64, 1000))}, "transforms": transforms}


def main():
    parser = polybricks.arguments(__doc__)
    parser.add_argument("--element", choices=DTYPE, default="double")
    parser.add_argument("--nightly", action="store_true", default=polybricks.is_nightly())
    parser.add_argument("--seed", type=int, default=None)
    args = parser.parse_args()
    seed = args.seed if args.seed is not None else (random.SystemRandom().randrange(10**6) if args.nightly else 1)
    work = args.work / args.element
    work.mkdir(parents=True, exist_ok=True)
    source = polybricks.ROOT / "examples" / "separable_convolution.pbcc"
    program = polybricks.Tools(args.dist).compile(source, work / "conv", f"--element={args.element}")
    check = Check(program, args.element, work)

    choices = list(fixed_choices(program))
    versions = {on for _, _, alts in program.sites() for _, on in alts}
    if versions != {"cpu", "opencl", "opencl_local"}:
        check.failures.append(f"versions are {sorted(versions)}")
    rng = random.Random(seed)
    for width in WIDTHS:
        for size in sizes_for(width, args.element, args.nightly):
            # The largest size runs every choice at one width only; the others a rotating third.
            chosen = choices if size < 1760 or args.nightly or width == 7 else choices[width % 3::3]
            # A width of one has boxes of one cell: nothing to share, so the tile is a copy but must be right.
            # Below the sequential cut-off every call runs on the CPU, so the cut-off is off here.
            configurations = [(title, program.configuration(choice, sequential_cutoff=0), versions) for title, choice, versions in chosen]
            if size == 61:
                for title, entry, versions in configurations:
                    check.run_from_files(title, entry, size, width, versions)
            if size < 1760:
                configurations += [(f"random configuration {i} of seed {seed}", random_entry(program, rng), None)
                                   for i in range(10 if args.nightly else 3)]
            check.run_all(size, width, configurations)
    for line in check.failures[:20]:
        print(line)
    print(f"{check.runs} runs, seed {seed}, {len(check.failures)} failures")
    return 1 if check.failures else 0


if __name__ == "__main__":
    sys.exit(main())
