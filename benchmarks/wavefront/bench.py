# SPDX-License-Identifier: MIT
"""A recurrence without an independent dimension: the edit distance of two sequences, next to hand-written C++.

Prints, from one run: one thread against plain loops, all threads against OpenMP over anti-diagonals of tiles (the best of
eight tile shapes for both), and how each scales. Medians of interleaved rounds.
"""

import argparse
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from harness import common as harness  # noqa: E402
from harness.common import median, milliseconds, polybricks  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
TILES = [[64, 64], [128, 128], [256, 64], [256, 128], [256, 256], [512, 128], [512, 256], [1024, 64]]
MAIN = "EditDistance"


def generated(program, args, threads):
    """Median time with each tile shape; (ns, shape) of the best and of the default."""
    with polybricks.Server(program, "--device", "none") as server:
        server.ask("inputs", n=args.n, seed=1)

        def time(tunables):
            reply = server.ask("run", config=program.configuration({}, tunables, threads=threads), trials=args.trials, verify=False)
            if reply["status"] != "ok" or reply.get("fallbacks"):
                raise polybricks.ToolError(f"run: {reply}")
            return median(reply["times_ns"])
        shapes = {tuple(tile): time({MAIN: {tile_name(program): tile}}) for tile in TILES}
        best = min(shapes, key=shapes.get)
        return shapes[best], f"{best[0]}x{best[1]}", time({})


def tile_name(program):
    info = json.loads(pathlib.Path(f"{program.path}.info").read_text())
    return next(name for name in info["transforms"][MAIN]["tunables"] if name.endswith(".tile"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dist", required=True, type=pathlib.Path, help="folder of the built tools")
    parser.add_argument("--out", type=pathlib.Path, default=harness.ROOT / "build" / "benchmarks" / "wavefront")
    parser.add_argument("--n", type=int, default=4096)
    parser.add_argument("--trials", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    program = polybricks.Tools(args.dist).compile(HERE / "edit_distance.pbcc", args.out / "edit_distance")
    baseline = harness.build(HERE / "baseline.cpp", args.out / "baseline", "-fopenmp")
    rounds = []
    for _ in range(args.rounds):
        hand = json.loads(polybricks.run_tool([baseline, "--n", args.n, "--trials", args.trials, "--threads", args.threads]).stdout)
        one, one_shape, one_default = generated(program, args, 1)
        many, many_shape, many_default = generated(program, args, args.threads)
        rounds.append([hand["plain_ns"], hand["tiled_ns"], one, many, one_default, many_default])
    plain, tiled, one, many, one_default, many_default = (median(column) for column in zip(*rounds))
    print(f"edit distance, {args.n}x{args.n}, double\nmachine: {harness.machine()}\n")
    print(harness.table(["", "1 thread, ms", f"{args.threads} threads, ms", "scaling"], [
        ["hand-written (plain; OpenMP, tiles " + hand["tile"] + ")", milliseconds(plain), milliseconds(tiled), f"{plain / tiled:.2f}"],
        [f"generated, best tiles ({one_shape}; {many_shape})", milliseconds(one), milliseconds(many), f"{one / many:.2f}"],
        ["generated, default tiles", milliseconds(one_default), milliseconds(many_default), f"{one_default / many_default:.2f}"],
        ["generated : hand-written (best tiles)", f"{one / plain:.2f}", f"{many / tiled:.2f}", ""],
        ["generated : hand-written (default)", f"{one_default / plain:.2f}", f"{many_default / tiled:.2f}", ""]]))


if __name__ == "__main__":
    sys.exit(main())
