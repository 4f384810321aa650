# SPDX-License-Identifier: MIT
"""What a stranger may try: odd names of everything, options given twice, folders that cannot be written, calls below the cut-off.

    odd_names_test.py --dist BUILD/dist --work FOLDER
"""

import json
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import polybricks  # noqa: E402

LONG = "Long" + "g" * 250
PROGRAM = f"""transform {LONG}
from A[n]
to B[n]
{{
  rule Same
  B.cell(i) from (A.cell(i) a) {{ return 2 * a; }}
  rule Same
  B.cell(i) from (A.cell(i) a) {{ return a + a; }}
}}
main transform Whole from A[n] to B[n] through T[n-1] {{
  to (B b) from (A a) {{ {LONG}(b, a); }}
  T.cell(i) from (A.cell(i) a) {{ return a; }}
}}
"""
CUBE = "main transform Cube from A[n] to B[n^3] { B.cell(i) from () { return i; } }\n"
SITE = f"{LONG}.Same|Same#2"


class OddNames(unittest.TestCase):
    """Programs whose names are odd. `tools` and `work` are set by main."""

    @classmethod
    def setUpClass(cls):
        (cls.work / "odd.pbcc").write_text(PROGRAM)
        (cls.work / "-x.pbcc").write_text(CUBE)
        (cls.work / "a.txt").write_text("\ufeffSIZE 4\r\n1 2 3 4\r\n")
        done = polybricks.run_tool([cls.tools.pbc, "odd.pbcc", "-o", "odd", "--fp", "strict", "--fp=contract", "--check", "--check", "--no-warn", "NoSuch"],
                                   cwd=cls.work, expect=1)
        assert "NoSuch" in done.stderr, done.stderr
        done = polybricks.run_tool([cls.tools.pbc, "odd.pbcc", "-o", "other", "-o", "odd", "--fp", "strict", "--fp=contract"], cwd=cls.work)
        cls.warnings = done.stderr
        cls.program = polybricks.Program(cls.work / "odd")

    def configure(self, cutoff, rule="Same#2", on="cpu"):
        path = self.work / "odd.one.cfg"
        self.program.write_configuration(path, self.program.configuration({LONG: {"Same|Same#2": (rule, on)}}, sequential_cutoff=cutoff))
        return path

    def has_device(self):
        return "no OpenCL device" not in polybricks.run_tool([self.program.path, "--list-devices"]).stdout

    def test_a_second_rule_of_a_label_gets_a_number(self):
        self.assertIn("odd.pbcc:7:8: warning: two rules of one transform have the label `Same`; this one is called `Same#2`", self.warnings)
        self.assertIn("Same#2", polybricks.run_tool([self.tools.pbc, "--explain", "odd.pbcc"], cwd=self.work).stdout)
        self.assertEqual([rule for _, site, choices in self.program.sites() if "|" in site for rule, on in choices if on == "cpu"], ["Same", "Same#2"])
        _, stats = self.program.run("--device", "none", self.work / "a.txt", self.work / "b.txt", config=self.configure(0))
        self.assertEqual(stats["ran"][SITE]["rule"], "Same#2")
        self.assertEqual((self.work / "b.txt").read_text().split(), ["SIZE", "4", "2", "4", "6", "8"])

    def test_words_behind_two_dashes_are_files(self):
        polybricks.run_tool([self.tools.pbc, "--check", "--", "-x.pbcc"], cwd=self.work)

    def test_products_beyond_64_bits_stop_the_run(self):
        cube = self.tools.compile(self.work / "-x.pbcc", self.work / "cube")
        for n, words in ((3000000, "`n^3` is larger than 64 bits hold"), (100000, "the inputs and outputs of Cube take ")):
            done = polybricks.run_tool([cube.path, "--n", n, "--time"], expect=1)
            self.assertIn(words, done.stderr)

    def test_a_device_choice_below_the_cutoff_is_no_secret(self):
        if not self.has_device():
            self.skipTest("no OpenCL device")
        files = [self.work / "a.txt", self.work / "b.txt"]
        config = self.configure(5, "Same", "opencl")
        _, stats = self.program.run(*files, config=config)
        self.assertEqual(stats["ran"][SITE], {"rule": "Same", "on": "cpu", "count": 1})
        self.assertEqual(stats["below_cutoff"], [{"site": SITE, "rule": "Same", "on": "opencl", "count": 1}])
        self.assertEqual(stats["fallbacks"], [])
        for form, words in (("text", "did not run on opencl, 1 time: below the cutoff"), ("xml", 'reason="below the cutoff"')):
            self.assertIn(words, polybricks.run_tool([self.program.path, *files, "--config", config, f"--stats={form}"]).stdout)
        done = polybricks.run_tool([self.program.path, "--strict", *files, "--config", config], expect=1)
        self.assertIn(f"{SITE}: Same did not run on opencl: below the cutoff: size 4 is below the sequential_cutoff, 5 (--strict)", done.stderr)
        with polybricks.Server(self.program) as server:
            self.assertEqual(server.load([files[0]]), "")
            reply = server.ask("run", config=json.loads(config.read_text())["entries"][0], trials=1, verify=True)
            self.assertEqual((reply["status"], reply["fallbacks"], len(reply["below_cutoff"])), ("ok", [], 1))
        done = polybricks.run_tool([self.tools.pbtune, "check", self.program.path, "--outputs", "--count", "4", "--max-n", "20"], timeout=120)
        self.assertNotIn("did not run", done.stdout + done.stderr)

    def test_long_names_and_folders_that_cannot_be_written_keep_no_device_away(self):
        if not self.has_device():
            self.skipTest("no OpenCL device")
        config = self.configure(0, "Same", "opencl")
        # Programs of other tests have folders of their own in the common one.
        temporary = self.work / "temporary"
        temporary.mkdir(exist_ok=True)
        for environment in ({}, {"HOME": "/proc", "XDG_CACHE_HOME": "/proc/none"}):
            environment["TMPDIR"] = str(temporary)
            done, stats = self.program.run("--strict", self.work / "a.txt", self.work / "b.txt", config=config, env=environment)
            self.assertEqual(stats["ran"][SITE]["on"], "opencl")
            self.assertEqual(done.stderr, "")
        self.assertEqual(list(temporary.iterdir()), [])

    def test_a_temporary_of_negative_size_has_no_cells(self):
        (self.work / "none.txt").write_text("SIZE 0\n")
        polybricks.run_tool([self.program.path, self.work / "none.txt", self.work / "none_out.txt"])


def main():
    args = polybricks.arguments(__doc__).parse_args()
    OddNames.tools = polybricks.Tools(args.dist.resolve())
    OddNames.work = polybricks.fresh_folder(args.work.resolve() / "odd_names")
    sys.exit(0 if unittest.TextTestRunner().run(unittest.defaultTestLoader.loadTestsFromTestCase(OddNames)).wasSuccessful() else 1)


if __name__ == "__main__":
    main()
