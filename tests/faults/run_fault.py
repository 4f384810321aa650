# SPDX-License-Identifier: MIT
"""Runs one test program with a fault seeded; succeeds if a test notices.

    run_fault.py FAULT PROGRAM [FILTER]

A crash, a sanitizer's report or a run of more than HANG_S seconds count as noticed. A test that fails without the fault proves
nothing: the one that noticed must pass alone. (All of them run without faults as tests of their own.)
"""

import os
import re
import subprocess
import sys

# The limit of a run with the fault. A longer run counts as a hang, so the fault is noticed.
HANG_S = 120
# The limit of a run without the fault. It is longer, so that a busy machine does not look like a hang.
LIMIT_S = 600


def run(program, test_filter, fault):
    """Returns what the first failing test says, and the name of the last test that ran. The first is None if all pass."""
    env = {k: v for k, v in os.environ.items() if k != "POLYBRICKS_FAULT"}
    env.setdefault("PB_CASES", "20")  # random headers of choicegraph's property test
    if fault:
        env["POLYBRICKS_FAULT"] = fault
    command = [program, f"--gtest_filter={test_filter}", "--gtest_fail_fast"]
    how = None
    try:
        done = subprocess.run(command, env=env, timeout=HANG_S if fault else LIMIT_S, capture_output=True, text=True, errors="replace")
        out, text = done.stdout, done.stdout + done.stderr
        if done.returncode != 0:
            lines = [line for line in text.splitlines() if "FAILED" in line or "ERROR" in line or "Failure" in line]
            how = lines[0].strip() if lines else f"exit status {done.returncode}"
    except subprocess.TimeoutExpired as expired:
        out, how = (expired.stdout or b"").decode(errors="replace"), "does not end"
    if "[ RUN      ]" not in out:
        raise SystemExit(f"{program}: no test matches {test_filter}")
    return how, re.findall(r"^\[ RUN      \] (\S+)", out, re.M)[-1]


def main():
    fault, program = sys.argv[1:3]
    how, test = run(program, sys.argv[3] if len(sys.argv) > 3 else "*", fault)
    if how is None:
        print(f"{fault}: NOT caught by {program}")
        return 1
    without, _ = run(program, test, None)
    if without is not None:
        print(f"{test} fails without the fault: {without}")
        return 1
    print(f"{fault}: caught by {test}: {how}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
