# SPDX-License-Identifier: MIT
"""Programs that a test needs and that a machine need not have."""

import os
import shutil

# The exit status that ctest takes as "skipped".
SKIPPED = 77


def has_tool(name):
    return shutil.which(name) is not None


def without_tool(name):
    """Says that a tool is missing and returns the exit status of the test that needs it.

    The test fails where ./test has installed all tools; elsewhere it is skipped.
    """
    print(f"{name} is not installed")
    return 1 if os.environ.get("PB_TOOLS_INSTALLED") else SKIPPED
