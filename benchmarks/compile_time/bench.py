# SPDX-License-Identifier: MIT
"""Time of pbc on examples/separable_convolution.pbcc against `c++ -O3` on a hand-written program for the same job.

Prints medians of interleaved runs: front end and generation alone (pbc --emit=cpp), all of pbc, the same for a user
without a cache (the first run), the hand-written file, and the ratios to that.
"""

import argparse
import os
import pathlib
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import harness  # noqa: E402
from harness import median, polybricks  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent


def seconds(command, **kwargs):
    start = time.perf_counter()
    polybricks.run_tool(command, **kwargs)
    return time.perf_counter() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dist", required=True, type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path, default=harness.ROOT / "build" / "benchmarks" / "compile_time")
    parser.add_argument("--rounds", type=int, default=7)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    source = harness.ROOT / "examples" / "separable_convolution.pbcc"
    pbc = polybricks.Tools(args.dist).pbc
    times = {"front end and generation": [], "pbc": [], "pbc, first run": [], "hand-written": []}
    commands = {"front end and generation": [pbc, source, "--emit=cpp"], "pbc": [pbc, source, "-o", args.out / "conv"],
                "hand-written": ["c++", *harness.BASELINE_FLAGS, HERE / "hand_written.cpp", "-o", args.out / "hand_written"]}
    seconds(commands["pbc"])  # the first run may fill caches
    for _ in range(args.rounds):
        for name, command in commands.items():
            times[name].append(seconds(command))
        with tempfile.TemporaryDirectory() as cache:
            times["pbc, first run"].append(seconds(commands["pbc"], env=dict(os.environ, XDG_CACHE_HOME=cache)))
    base = median(times["hand-written"])
    print(f"machine: {harness.machine()}")
    print(harness.table(["", "seconds", "spread", ": hand-written"],
                        [[name, f"{median(v):.2f}", f"{min(v):.2f}-{max(v):.2f}", f"{median(v) / base:.2f}"] for name, v in times.items()]))


if __name__ == "__main__":
    sys.exit(main())
