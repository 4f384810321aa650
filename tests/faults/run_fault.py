# SPDX-License-Identifier: MIT
"""Runs one test program with a fault seeded; succeeds if the tests notice.

    run_fault.py FAULT PROGRAM [FILTER]

A crash, a sanitizer's report or a hang of more than a minute count as noticed. A program that fails without the fault
proves nothing: that is checked first.
"""

import os
import subprocess
import sys

LIMIT_S = 60


def fails(program, test_filter, fault):
    env = {k: v for k, v in os.environ.items() if k != "POLYBRICKS_FAULT"}
    env.setdefault("PB_CASES", "60")  # random headers of choicegraph's property test
    if fault:
        env["POLYBRICKS_FAULT"] = fault
    command = [program, f"--gtest_filter={test_filter}", "--gtest_fail_fast"]
    try:
        done = subprocess.run(command, env=env, timeout=LIMIT_S, capture_output=True, text=True, errors="replace")
    except subprocess.TimeoutExpired:
        return True, "does not end"
    if "Running 0 tests" in done.stdout:
        return not fault, f"no test matches {test_filter}"
    lines = [line for line in (done.stdout + done.stderr).splitlines() if "FAILED" in line or "ERROR" in line or "Failure" in line]
    return done.returncode != 0, lines[0].strip() if lines else f"exit status {done.returncode}"


def main():
    fault, program = sys.argv[1:3]
    test_filter = sys.argv[3] if len(sys.argv) > 3 else "*"
    is_bad, how = fails(program, test_filter, None)
    if is_bad:
        print(f"{program} fails without the fault: {how}")
        return 1
    is_caught, how = fails(program, test_filter, fault)
    print(f"{fault}: {'caught, ' + how if is_caught else 'NOT caught by ' + program}")
    return 0 if is_caught else 1


if __name__ == "__main__":
    sys.exit(main())
