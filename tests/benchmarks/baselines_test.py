# SPDX-License-Identifier: MIT
"""Lines of code are counted as they are read, and a baseline in Python says what it lacks, or gets an interpreter that has it."""

import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))

from harness.compile_baseline import Missing, command_of  # noqa: E402
from harness.environment import Environment  # noqa: E402
from harness.lines import lines_of_code  # noqa: E402
from harness.workload import Baseline  # noqa: E402


class LinesOfCode(unittest.TestCase):
    def count(self, name, text):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / name
            path.write_text(text)
            return lines_of_code(path)

    def test_comments_and_blank_lines_of_the_language_do_not_count(self):
        self.assertEqual(self.count("a.pbcc", "// a comment\n\nmain transform T   // and one more\n/* two\n   lines */\nfrom A[n]\n"), 2)

    def test_a_literal_is_no_comment(self):
        self.assertEqual(self.count("a.cpp", 'f("// no comment",\n  "/*");\ng(\'"\');  // "\nh();\n'), 4)

    def test_comments_and_docstrings_of_python_do_not_count(self):
        text = '# a comment\n"""What it is.\n\nMore of it."""\n\nimport numpy\n\n\ndef f():\n    """Says\n    what."""\n    return "a"  # b\n'
        self.assertEqual(self.count("a.py", text), 3)

    def test_all_lines_of_a_long_literal_count(self):
        self.assertEqual(self.count("a.py", 'x = """a\nb\n"""\nf(1,\n\n  2)\n'), 5)


class Interpreters(unittest.TestCase):
    def command(self, *requirements):
        return command_of(ROOT, Baseline("A", "a.py", requirements=requirements), ROOT, Environment(None))

    def test_without_an_environment_the_own_interpreter_runs_what_it_can(self):
        self.assertEqual(self.command(), [sys.executable, str(ROOT / "a.py")])
        self.assertEqual(self.command("json==1.0"), [sys.executable, str(ROOT / "a.py")])

    def test_a_package_that_is_not_there_is_missing(self):
        with self.assertRaisesRegex(Missing, "no_such_package==1.0 of PyPI"):
            self.command("json", "no_such_package==1.0")


if __name__ == "__main__":
    unittest.main()
