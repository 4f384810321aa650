# SPDX-License-Identifier: MIT
"""Compiles programs, and keeps what it made until a source, an included file or a tool changes."""

import hashlib
import re
import shutil
import subprocess
import sys
import pathlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import polybricks  # noqa: E402

INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.M)


def sources_of(path, seen=None):
    """The file and what it includes, each once; a missing file is left to the compiler."""
    seen = [] if seen is None else seen
    path = path.resolve()
    if path in seen or not path.exists():
        return seen
    seen.append(path)
    for name in INCLUDE.findall(path.read_text()):
        sources_of(path.parent / name, seen)
    return seen


class Compiler:
    """Compiles programs. `dist`: the folder of the built tools; `folder`: where programs are kept."""

    def __init__(self, dist, folder):
        self.tools = polybricks.Tools(dist)
        self.folder = folder
        self.num_compiled = self.num_kept = 0
        digest = hashlib.sha256()
        for path in sorted(p for p in pathlib.Path(dist).rglob("*") if p.is_file() and p.name != "pbtune"):
            digest.update(path.name.encode() + path.read_bytes())
        self.tools_key = digest.hexdigest()

    def key_of(self, source, options):
        digest = hashlib.sha256((self.tools_key + "\n".join(options)).encode())
        for path in sources_of(source):
            digest.update(path.name.encode() + path.read_bytes())
        return digest.hexdigest()

    def check(self, source, options=(), whole=None):
        """Runs pbc, with a path in `whole` to the end, else without generating code; returns (exit status, messages)."""
        if whole is not None:
            whole.parent.mkdir(parents=True, exist_ok=True)
        mode = ["--check"] if whole is None else ["-o", whole]
        done = polybricks.run_tool([self.tools.pbc, *mode, source, *options], expect=None)
        return done.returncode, done.stdout + done.stderr

    def program(self, source, name, options=()):
        """The compiled program, from an earlier run if nothing changed. Raises ToolError."""
        output = self.folder / name
        stamp = output.with_name(output.name + ".key")
        key = self.key_of(source, options)
        if stamp.exists() and stamp.read_text() == key:
            self.num_kept += 1
            return polybricks.Program(output)
        output.parent.mkdir(parents=True, exist_ok=True)
        stamp.unlink(missing_ok=True)
        program = self.tools.compile(source, output, *options)
        self.num_compiled += 1
        stamp.write_text(key)
        return program

    def configurations(self, program, count, seed, max_n, device):
        """JSON texts of random valid configurations."""
        command = [self.tools.pbtune, "sample", program.path, "--count", count, "--seed", seed, "--max-n", max_n]
        done = polybricks.run_tool([*command, *([] if device else ["--device", "none"])])
        return done.stdout.splitlines()

    def check_outputs(self, program, seed):
        """Runs `pbtune check --outputs`; returns (exit status, what it printed)."""
        done = polybricks.run_tool([self.tools.pbtune, "check", program.path, "--outputs", "--seed", seed], expect=None)
        return done.returncode, done.stdout + done.stderr


def has_library(name):
    """Whether the linker finds a library."""
    compiler = shutil.which("g++") or "c++"
    done = subprocess.run([compiler, "-shared", "-o", "/dev/null", "-x", "c++", "/dev/null", f"-l{name}"], capture_output=True)
    return done.returncode == 0
