# SPDX-License-Identifier: MIT
"""Runs one libFuzzer target on its seeds and then for some seconds.

    run_fuzzer.py NAME PROGRAM --work FOLDER --seconds S -- OPTIONS OF LIBFUZZER

PB_FUZZ_SECONDS and PB_SEED of the environment come first. What is found is kept in the work folder: interesting inputs in
corpus/, crash-*, timeout-*, leak-* and oom-* beside it; `PROGRAM FILE` runs one again.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

import seeds as seeds_of

LIMIT_S = 20            # for one input, under AddressSanitizer and without optimisation
MEMORY_MB = 2048
LONG_S = 60             # shorter runs start from a part of the seeds: all of them alone take half a minute
FEW_SEEDS = 40
FEW_RUNS = 1000        # of shorter runs: the same ones everywhere


def ending(status, stats, seconds):
    """Why the run ended."""
    if status != 0:
        return f"a fault ended it (exit status {status})"
    if seconds < LONG_S and int(stats.get("number_of_executed_units", 0)) >= FEW_RUNS:
        return f"the {FEW_RUNS} inputs of a short run are through"
    return f"its {seconds} s are over"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", help="of the seeds")
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--seconds", type=int, required=True)
    cut = sys.argv.index("--")
    args = parser.parse_args(sys.argv[1:cut])
    seconds = int(os.environ.get("PB_FUZZ_SECONDS", args.seconds))
    seed = int(os.environ.get("PB_SEED", 1))
    work = args.work.resolve()
    corpus, seeds = work / "corpus", work / "seeds"
    corpus.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(seeds, ignore_errors=True)
    seeds_of.write(args.name, seeds, FEW_SEEDS if seconds < LONG_S else None, seed)
    command = [args.program.resolve(), *sys.argv[cut + 1:], f"-seed={seed}", f"-max_total_time={seconds}", f"-timeout={LIMIT_S}",
               f"-rss_limit_mb={MEMORY_MB}", f"-artifact_prefix={work}/", "-print_final_stats=1",
               "-entropic=0",  # its bookkeeping takes most of the time when inputs have many paths
               corpus, seeds]
    if seconds < LONG_S:
        command.insert(1, f"-runs={FEW_RUNS}")
    begin = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", cwd=work,
                          env=dict(os.environ, UBSAN_OPTIONS="halt_on_error=1:print_stacktrace=1"))
    stats = dict(re.findall(r"^stat::(\w+): *(\d+)", done.stderr, re.M))
    print(f"seed {seed}: {stats.get('number_of_executed_units', '?')} inputs in {time.monotonic() - begin:.1f} s, "
          f"{stats.get('new_units_added', '?')} of them new paths; {ending(done.returncode, stats, seconds)}")
    if done.returncode != 0:
        print(done.stderr[-6000:])
    return 1 if done.returncode != 0 else 0


if __name__ == "__main__":
    sys.exit(main())
