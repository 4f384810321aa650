# SPDX-License-Identifier: MIT
"""The Python environment of baselines that need packages of PyPI."""

import importlib.util
import pathlib
import subprocess
import sys

from .compile_baseline import Missing

# The NumPy of baselines. Older ones, as systems bring them, sort without AVX2.
NUMPY = "numpy==2.4.6"

# Prints the requirements among its arguments that are not installed in the version that they name.
ABSENT = """
import importlib.metadata, sys
for requirement in sys.argv[1:]:
    name, _, version = requirement.partition("==")
    try:
        found = importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        found = None
    if found is None or version not in ("", found):
        print(requirement)
"""


class Environment:
    """A virtual environment in `folder`, which is made when a baseline first needs it. Where `folder` is None, the interpreter of the
    harness stands for it, and nothing is installed."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder).absolute() if folder else None
        self._state = {}   # requirement: "" if it is installed, else what is wrong

    def interpreter(self, requirements):
        """The interpreter that can import all of `requirements`, such as ("numba==0.68.1",). Installs what is not there. Raises Missing."""
        if self.folder is None:
            for requirement in requirements:
                if importlib.util.find_spec(requirement.partition("==")[0]) is None:
                    raise Missing(f"needs {requirement} of PyPI, and no environment was asked for")
            return sys.executable
        unknown = [requirement for requirement in requirements if requirement not in self._state]
        if unknown:
            self._state.update(dict.fromkeys(unknown, ""))
            self._state.update({requirement: self._install(requirement) for requirement in self._absent(unknown)})
        for requirement in requirements:
            if self._state[requirement]:
                raise Missing(self._state[requirement])
        return str(self._python())

    def _python(self):
        return self.folder / "bin" / "python"

    def _absent(self, requirements):
        if not self._python().exists():
            return requirements
        return _output([self._python(), "-c", ABSENT, *requirements]).split()

    def _install(self, requirement):
        """Installs a package; returns an empty text, or what went wrong."""
        print(f"  installing {requirement} in {self.folder}", file=sys.stderr, flush=True)
        try:
            if not self._python().exists():
                _output([sys.executable, "-m", "venv", self.folder])
            _output([self._python(), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", requirement])
        except (OSError, subprocess.CalledProcessError) as error:
            said = (getattr(error, "stderr", "") or str(error)).strip().splitlines()
            return f"{requirement} of PyPI cannot be installed: {said[-1] if said else 'no reason given'}"
        return ""


def _output(command):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=True).stdout
