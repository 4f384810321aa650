# SPDX-License-Identifier: MIT
"""Runs programs on a device with little memory: outputs stay the same, and --stats counts what was evicted and cut.

    device_memory_test.py --dist BUILD/dist --work FOLDER
"""

import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import arrays  # noqa: E402
import polybricks  # noqa: E402
from device_programs import PRODUCT, of_roles, on_device  # noqa: E402
from version_programs import PROGRAMS as VERSION_PROGRAMS, heat, start_of, stencil  # noqa: E402

N = 64
MATRIX_BYTES = 8 * N * N

# Three steps; all four matrices live until the end.
CHAIN = """
transform Chain
from A[n, n]
through T[n, n], U[n, n]
to B[n, n]
{
  T.cell(x, y) from (A.cell(x, y) a) { return a + 1; }
  U.cell(x, y) from (T.cell(x, y) t) { return 2 * t; }
  B.cell(x, y) from (U.cell(x, y) u, A.cell(y, x) a) { return u - a; }
}
"""

# Versions of the product, and the tunables of one that runs in blocks of rounds. Its pieces all read B, which stays on
# the device.
PRODUCTS = {"basic": ("opencl", {"C#1.opencl.block_rounds": 0}), "local": ("opencl_local", {}),
            "blocks": ("opencl", {"C#1.opencl.block_items": [2, 2], "C#1.opencl.block_rounds": 16, "C#1.opencl.block_stages": 2})}


def chain(a):
    return 2 * (a + 1) - a.T


class Test:
    def __init__(self, tools, work):
        source = work / "chain.pbcc"
        source.write_text(CHAIN)
        self.program = tools.compile(source, work / "chain")
        self.work = work
        self.input = np.random.default_rng(polybricks.seed()).random((N, N))
        self.files = arrays.save(work, [self.input])

    def run(self, limit, *words):
        """Runs with so many bytes of device memory. Returns the statistics."""
        limits = [f"--device-memory={limit}"] if limit else ["--device-copies"]
        outputs, statistics = arrays.run(self.program, self.work, self.files, ["B"], *limits, *words, entry=on_device(self.program))
        polybricks.check(np.array_equal(outputs["B"], chain(self.input)), f"limit {limit}: another output")
        return statistics

    def expect(self, limit, **want):
        device = self.run(limit, "--strict")["devices"][0]
        got = {name: device[name] for name in want}
        polybricks.check(got == want, f"limit {limit}: {got} is not {want}")

    def evictions(self):
        for limit in (None, 4 * MATRIX_BYTES, f"{4 * MATRIX_BYTES // 1024}K"):
            self.expect(limit, evictions=0, bytes_evicted=0, copies_before_eviction=0, bytes_to_device=MATRIX_BYTES, bytes_to_host=MATRIX_BYTES)
        # B needs the memory of T, which only the device has.
        for limit in (3 * MATRIX_BYTES, 4 * MATRIX_BYTES - 1):
            self.expect(limit, evictions=1, bytes_evicted=MATRIX_BYTES, copies_before_eviction=1, bytes_to_device=MATRIX_BYTES,
                        bytes_to_host=2 * MATRIX_BYTES)

    def pieces(self):
        # T and U fit two by two, U takes the memory of A, and of T after its copy. The last step has all of A, whose columns it
        # reads, and half of U and of B at a time; for A the memory of U is needed, too.
        self.expect(2 * MATRIX_BYTES, launches_cut=1, launches_in_windows=2, evictions=3, copies_before_eviction=2,
                    bytes_to_device=3 * MATRIX_BYTES, bytes_to_host=3 * MATRIX_BYTES)
        # Halves of two matrices fit, so T and U are made in two pieces each. B is made in 2^i pieces of 64 / 2^i rows: so many of U
        # and B have room beside A.
        for rows in (8, 4, 1):
            limit = MATRIX_BYTES + 2 * rows * 8 * N
            self.expect(limit, launches_cut=3, launches_in_windows=2 + 2 + N // rows, evictions=0, bytes_to_device=4 * MATRIX_BYTES,
                        bytes_to_host=3 * MATRIX_BYTES)

    def too_large(self):
        # Not even a row of B can be made, because columns of A lie in all of its memory.
        limit = MATRIX_BYTES
        statistics = self.run(limit)
        reason = f"its matrices need {3 * MATRIX_BYTES} bytes of device memory, of which {limit} may be used"
        polybricks.check([each["reason"] for each in statistics["fallbacks"]] == [reason], f"fallbacks: {statistics['fallbacks']}")
        device = statistics["devices"][0]
        polybricks.check(device["launches_cut"] == 2, f"the other steps run in pieces: {device}")
        config = self.work / "run.cfg"
        failed, _ = self.program.run(*self.files, self.work / "B.npy", "--strict", f"--device-memory={limit}", config=config, expect=1)
        polybricks.check(f"Chain.B#1: B#1 did not run on opencl: {reason} (--strict)" in failed.stderr, failed.stderr)


def check_product(tools, work):
    source = work / "product.pbcc"
    source.write_text(PRODUCT)
    program = tools.compile(source, work / "product")
    a, b = np.random.default_rng(polybricks.seed()).integers(-9, 10, (2, N, N)).astype(float)
    files = arrays.save(work, [a, b])
    # Halves of A and C fit beside B, then quarters.
    for limit, num_pieces in ((3 * MATRIX_BYTES, 0), (3 * MATRIX_BYTES - 1, 2), (3 * MATRIX_BYTES // 2, 4)):
        for name, (version, tunables) in PRODUCTS.items():
            if name != "basic" and num_pieces == 4:
                continue  # groups that copy parts of A may read more rows than such a piece has
            entry = program.configuration({"Product": {"C#1": ("C#1", version)}}, {"Product": tunables}, sequential_cutoff=0, threads=2)
            outputs, statistics = arrays.run(program, work, files, ["C"], f"--device-memory={limit}", "--strict", entry=entry)
            polybricks.check(np.array_equal(outputs["C"], a @ b), f"product, {name}, limit {limit}: another output")
            device = statistics["devices"][0]
            got = [device[key] for key in ("launches_in_windows", "bytes_to_device", "bytes_to_host", "launches_in_blocks")]
            want = [num_pieces, 2 * MATRIX_BYTES, MATRIX_BYTES, max(1, num_pieces) if name == "blocks" else 0]
            polybricks.check(got == want, f"product, {name}, limit {limit}: {got} is not {want}")


def check_versions(tools, work):
    """Versions that launches make, on one device and in blocks on two. Both versions that have memory lie on a device as a whole."""
    source = work / "heat.pbcc"
    source.write_text(VERSION_PROGRAMS["heat"][0])
    program = tools.compile(source, work / "heat")
    start, steps = start_of("heat", N, np.random.default_rng(polybricks.seed())), 10
    files, want = arrays.save(work, [start]), stencil(start, steps, heat)
    # Where two versions fit and a row of another matrix does, the steps before and behind the versions run in pieces; where two
    # versions do not fit, all runs on the CPU. Sites count what ran there, and reasons say why not more.
    both, row = 2 * start.nbytes, start.nbytes // start.shape[0]
    cases = ((both + start.nbytes, set(), 0), (both + 4 * row, set(), 2), (both, {"T#1", "End#1"}, 0),
             (both - 1, {"T#1", "T#2", "T#3", "End#1"}, 0), (1024, {"T#1", "T#2", "T#3", "End#1"}, 0))
    for devices in ("0", "0,1"):
        for depth, (limit, left, num_cut) in ((depth, case) for depth in (1, 3) for case in cases):
            entry = on_device(program, tunables=of_roles(program, {"time_tile": depth}))
            outputs, statistics = arrays.run(program, work, files, ["End"], f"--device={devices}", f"--device-memory={limit}",
                                             f"--set=steps={steps}", entry=entry, env={"POCL_DEVICES": "pthread pthread"})
            what = f"versions, depth {depth}, devices {devices}, limit {limit}"
            polybricks.check(np.array_equal(outputs["End"], want), f"{what}: another output")
            ran = {(entry["rule"], entry["on"]): entry["count"] for _, entry in polybricks.ran_of(statistics)}
            counts = {"T#1": 1, "T#2": steps, "T#3": 4 * steps, "End#1": 1}
            wanted = {(rule, "cpu" if rule in left else "opencl"): count for rule, count in counts.items()}
            polybricks.check(ran == wanted, f"{what}: {ran} is not {wanted}")
            reasons = {(each["rule"], each["reason"].startswith("its matrices need")) for each in statistics["fallbacks"]}
            polybricks.check(reasons == {(rule, True) for rule in left}, f"{what}: {statistics['fallbacks']}")
            for device in statistics["devices"]:
                polybricks.check(device["launches_cut"] == (num_cut if device is statistics["devices"][0] else 0), f"{what}: {device}")


def main():
    args = polybricks.arguments(__doc__).parse_args()
    tools, work = polybricks.Tools(args.dist), polybricks.fresh_folder(args.work / "device_memory")
    test = Test(tools, work)
    test.evictions()
    test.pieces()
    test.too_large()
    check_product(tools, work)
    check_versions(tools, work)


if __name__ == "__main__":
    main()
