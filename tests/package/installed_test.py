# SPDX-License-Identifier: MIT
"""`./demo` takes an installed pbc only if that is of the checkout's version and commit.

    installed_test.py
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def run(*command, **kwargs):
    return subprocess.run(command, check=True, capture_output=True, text=True, **kwargs).stdout.strip()


class InstalledPrefix(unittest.TestCase):
    """In a repository with one commit, beside an installation whose pbc says what the test wants."""

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name).resolve()
        self.checkout, self.prefix = self.folder / "checkout", self.folder / "prefix"
        (self.prefix / "bin").mkdir(parents=True)
        self.checkout.mkdir()
        (self.checkout / "CMakeLists.txt").write_text("project(Polybricks VERSION 1.2.3 LANGUAGES C CXX)\n")
        run("git", "init", "-q", self.checkout)
        run("git", "-C", self.checkout, "add", ".")
        run("git", "-C", self.checkout, "-c", "user.name=Test", "-c", "user.email=test@localhost", "commit", "-q", "-m", "One")
        self.commit = run("git", "-C", self.checkout, "rev-parse", "--short=12", "HEAD")

    def found(self, version, commit):
        pbc = self.prefix / "bin" / "pbc"
        pbc.write_text(f"#!/bin/sh\necho 'pbc (Polybricks) {version} (commit {commit})'\n")
        pbc.chmod(0o755)
        return run("bash", "-euc", f"PB_ROOT={self.checkout}; . {ROOT}/cmake/setup.sh; installed_prefix",
                   env=dict(os.environ, PATH=f"{pbc.parent}:/usr/bin:/bin"))

    def test_one_of_the_same_version_and_commit(self):
        self.assertEqual(self.found("1.2.3", self.commit), str(self.prefix))

    def test_none_of_another_version_or_commit(self):
        self.assertEqual(self.found("1.2.4", self.commit), "")
        self.assertEqual(self.found("1.2.3", "0123456789ab"), "")
        self.assertEqual(self.found("1.2.3", self.commit + "+changes"), "")

    def test_none_for_a_checkout_with_changes_or_without_commits(self):
        (self.checkout / "CMakeLists.txt").write_text("project(Polybricks VERSION 1.2.3)\n")
        self.assertEqual(self.found("1.2.3", self.commit), "")
        run("rm", "-r", self.checkout / ".git")
        self.assertEqual(self.found("1.2.3", self.commit), "")


if __name__ == "__main__":
    sys.exit(unittest.main())
