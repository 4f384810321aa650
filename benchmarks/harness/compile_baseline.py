# SPDX-License-Identifier: MIT
"""Compiles baselines, and says which of their libraries is missing."""

import dataclasses
import hashlib
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
# The flags of generated code (docs/architecture.md 7.6).
FLAGS = ["-std=c++20", "-O3", "-march=native", "-fno-math-errno", "-ffp-contract=fast"]
CUDA_FLAGS = ["-std=c++17", "-O3", "-arch=native"]


class Missing(Exception):
    """A baseline cannot be built here; the message says what is missing."""


def _command(baseline, source):
    """The compiler's command. Sources name headers by their paths from the repository's root."""
    if baseline.on == "cuda":
        return ["nvcc", *CUDA_FLAGS, f"-Xcompiler=-iquote,{ROOT}", str(source)]
    return ["c++", *FLAGS, "-iquote", str(ROOT), str(source)]


def _has_cuda_device():
    try:
        return subprocess.run(["nvidia-smi", "-L"], capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        return False


def _is_newer(program, sources):
    return program.exists() and all(program.stat().st_mtime >= source.stat().st_mtime for source in sources)


def with_runtime(baseline, dist):
    """Returns the baseline with the flags to compile it with the runtime of the tools in `dist`, if it uses that."""
    if not baseline.uses_runtime:
        return baseline
    library = dist / "lib" / "libpbrt.a"
    flags = ("-I", str(dist / "include" / "polybricks"), str(library), *(dist / "lib" / "libpbrt.flags").read_text().split())
    return dataclasses.replace(baseline, flags=(*baseline.flags, *flags))


def command_of(folder, baseline, out, environment):
    """Returns the words that run the baseline: its interpreter and its script, or its compiled program. `environment` is the
    environment.Environment of scripts with requirements. Raises Missing."""
    source = pathlib.Path(folder) / baseline.source
    if source.suffix != ".py":
        return [str(compile_baseline(folder, baseline, out))]
    return [environment.interpreter(baseline.requirements) if baseline.requirements else sys.executable, str(source)]


def compile_baseline(folder, baseline, out):
    """Returns the path of the baseline's program, compiled unless it is newer than its sources. Raises Missing."""
    source = pathlib.Path(folder) / baseline.source
    flags = hashlib.sha256(" ".join(baseline.flags).encode()).hexdigest()[:8]
    program = out / f"{source.stem}_{baseline.on}_{flags}"
    own = [source, *(pathlib.Path(flag) for flag in baseline.flags if flag.endswith(".a")), *source.parent.glob("*.h"), *source.parent.glob("*.cl"), *(ROOT / "benchmarks" / "harness").glob("*.h")]
    if baseline.on == "cuda" and not _has_cuda_device():
        raise Missing("there is no CUDA device")
    if _is_newer(program, own):
        return program
    out.mkdir(parents=True, exist_ok=True)
    unfinished = program.with_name(f"{program.name}.{os.getpid()}.new")  # others may compile the same at this moment
    command = [*_command(baseline, source), "-o", str(unfinished), *baseline.flags]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise Missing(f"{command[0]} is not installed") from None
    if done.returncode == 0:
        return unfinished.rename(program)
    if any(words in done.stderr for words in ("No such file or directory", "cannot find -l")):
        raise Missing(f"needs {' '.join(baseline.packages)}" if baseline.packages else done.stderr.splitlines()[0])
    raise RuntimeError(f"{' '.join(command)}\n{done.stderr}")
