# SPDX-License-Identifier: MIT
"""Runs the benchmarks that have a workload.py; benchmarks/run calls it. harness/main.py says what it does."""

import sys

from harness import main

if __name__ == "__main__":
    sys.exit(main.main())
