# SPDX-License-Identifier: MIT
"""What a machine is, as far as it explains measurements."""

import os
import pathlib
import platform
import re
import subprocess

import numpy


def _first_line(*command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return (done.stdout.splitlines() or [""])[0].strip()


def processor():
    """The name of the processor."""
    try:
        text = pathlib.Path("/proc/cpuinfo").read_text()
    except OSError:
        return platform.processor() or platform.machine()
    found = re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
    return found.group(1).strip() if found else platform.machine()


def _caches():
    """Sizes of the caches of CPU 0, as the system writes them: {"L1d": "32K", …}."""
    caches = {}
    for index in sorted(pathlib.Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        try:
            level, kind, size = ((index / name).read_text().strip() for name in ("level", "type", "size"))
        except OSError:
            continue
        caches[f"L{level}" + {"Data": "d", "Instruction": "i"}.get(kind, "")] = size
    return caches


def describe(tools, device):
    """A dictionary for the results: processor, memory, compiler, NumPy, system, device."""
    return {
        "processor": processor(),
        "cpus": len(os.sched_getaffinity(0)),
        "caches": _caches(),
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "system": f"{platform.system()} {platform.release().split('-')[0]}, {' '.join(platform.libc_ver())}",
        "compiler": _first_line("c++", "--version"),
        "numpy": numpy.__version__,
        "pbc": _first_line(str(tools.pbc), "--version"),
        "device": device,
    }
