#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""pbc against its surroundings: signals, folders, the place of the runtime. Programs themselves are tested by file_test.py.

    pbc_test.py --pbc BUILD/bin/pbc
"""

import argparse
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PBC = None
PROGRAM = """transform Scale
from A[n], F
to B[n]
{
  B.cell(i) from (A.cell(i) a, F f) { return a * f; }
}
"""


class PbcTest(unittest.TestCase):
    def setUp(self):
        self.holder = tempfile.TemporaryDirectory()
        self.addCleanup(self.holder.cleanup)
        self.folder = pathlib.Path(self.holder.name)
        (self.folder / "tmp").mkdir()
        (self.folder / "out").mkdir()
        (self.folder / "scale.pbcc").write_text(PROGRAM)
        self.env = dict(os.environ, TMPDIR=str(self.folder / "tmp"), XDG_CACHE_HOME=str(self.folder / "cache"))

    def run_pbc(self, *args, pbc=None, **env):
        return subprocess.run([pbc or PBC, *map(str, args)], cwd=self.folder, env=dict(self.env, **env), capture_output=True, text=True)

    def expect_failure(self, done, *texts):
        self.assertEqual(done.returncode, 1, done.stderr)
        for text in texts:
            self.assertIn(text, done.stderr)
        self.assertEqual(os.listdir(self.folder / "tmp"), [])
        self.assertEqual(os.listdir(self.folder / "out"), [])

    def fake_compiler(self, script):
        path = self.folder / "cxx"
        path.write_text("#!/bin/sh\n" + script)
        path.chmod(0o755)
        return str(path)

    def test_success_leaves_two_files_and_nothing_else(self):
        done = self.run_pbc("scale.pbcc", "-o", "out/scale")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(sorted(os.listdir(self.folder / "out")), ["scale", "scale.info"])
        self.assertEqual(os.listdir(self.folder / "tmp"), [])

    def test_keep_leaves_the_generated_file(self):
        self.assertEqual(self.run_pbc("scale.pbcc", "-o", "out/scale", "--keep").returncode, 0)
        self.assertIn("runtime/generated.h", (self.folder / "out" / "scale.cpp").read_text())

    def test_depfile_names_all_inputs(self):
        (self.folder / "all files.pbcc").write_text('#include "scale.pbcc"\n%{\n#include "helper.h"\n%}\n')
        (self.folder / "helper.h").write_text("inline int helper() { return 1; }\n")
        self.assertEqual(self.run_pbc("all files.pbcc", "-o", "out/scale", "--depfile", "out/scale.d").returncode, 0)
        words = (self.folder / "out" / "scale.d").read_text().replace("\\\n", " ").replace("\\ ", "_").split()
        self.assertEqual(words, ["out/scale:", "all_files.pbcc", "scale.pbcc", "helper.h"])

    def test_second_compilation_uses_the_precompiled_headers_of_the_first(self):
        self.assertEqual(self.run_pbc("scale.pbcc", "-o", "out/scale").returncode, 0)
        entries = list((self.folder / "cache" / "polybricks" / "headers").iterdir())
        self.assertEqual([path.name for entry in entries for path in sorted(entry.iterdir())], ["prefix.h", "prefix.h.gch"])
        for damage in (lambda file: None, lambda file: file.write_bytes(b"damaged"), lambda file: file.unlink()):
            damage(entries[0] / "prefix.h.gch")
            self.assertEqual(self.run_pbc("scale.pbcc", "-o", "out/scale").returncode, 0)

    def test_no_cache_folder_is_no_problem(self):
        self.assertEqual(self.run_pbc("scale.pbcc", "-o", "out/scale", XDG_CACHE_HOME="/proc/nowhere").returncode, 0)

    def test_signals_remove_everything_temporary(self):
        # The headers of the first two are being compiled, the program of the last two.
        for number, waits_for, options in ((signal.SIGINT, "", ["-o", "out/scale"]), (signal.SIGTERM, "", ["-o", "out/scale"]),
                                           (signal.SIGINT, "program.cpp", ["--library", "-o", "out/libscale.so"]),
                                           (signal.SIGINT, "program.cpp", ["--debug", "-o", "out/scale"])):
            slow = self.fake_compiler(f'case "$*" in *{waits_for}*) touch "$TMPDIR/../started"; exec sleep 60;; *) exec c++ "$@";; esac\n')
            child = subprocess.Popen([PBC, "scale.pbcc", *options], cwd=self.folder, env=dict(self.env, CXX=slow))
            while child.poll() is None and not (self.folder / "started").exists():
                time.sleep(0.01)
            child.send_signal(number)
            self.assertEqual(child.wait(timeout=20), -number)
            (self.folder / "started").unlink()
            self.assertEqual(os.listdir(self.folder / "tmp") + os.listdir(self.folder / "out"), [])

    def test_output_folders_that_cannot_be_used(self):
        self.expect_failure(self.run_pbc("scale.pbcc", "-o", "nowhere/scale"), "`nowhere` does not exist")
        self.expect_failure(self.run_pbc("scale.pbcc", "-o", "scale.pbcc/scale"), "is not a folder")
        self.expect_failure(self.run_pbc("scale.pbcc", "-o", "out"), "is a folder")
        self.expect_failure(self.run_pbc("scale.pbcc", "-o", "/proc/scale"), "cannot be written")

    def test_source_is_never_overwritten(self):
        self.expect_failure(self.run_pbc("scale.pbcc", "-o", "./scale.pbcc"), "is a source of the program")
        self.assertEqual((self.folder / "scale.pbcc").read_text(), PROGRAM)

    def test_inputs_and_foreign_files_are_never_overwritten(self):
        files = {"scale.cfg": '{"format": 2, "program": "scale", "source": "", "entries": []}\n', "notes.txt": "mine\n", "mine.cpp": "int mine;\n", "mine.info": "mine\n",
                 "part.cpp": PROGRAM, "whole.pbcc": '#include "part.cpp"\n', "mine.pbcc": PROGRAM, "piece.info": PROGRAM,
                 "piece.pbcc": '#include "piece.info"\n'}
        for name, text in files.items():
            (self.folder / name).write_text(text)
        for words, text in (
                (["scale.pbcc", "--depfile", "scale.pbcc", "-o", "out/scale"], "the dependency file `scale.pbcc` is a source"),
                (["scale.pbcc", "--depfile", "notes.txt", "-o", "out/scale"], "`notes.txt`, which pbc did not make"),
                (["scale.pbcc", "--depfile", "out/scale.info", "-o", "out/scale"], "`out/scale.info` is also the training information"),
                (["scale.pbcc", "--config", "scale.cfg", "-o", "scale.cfg"], "`scale.cfg` is the configuration"),
                (["scale.pbcc", "-o", "notes.txt"], "`notes.txt`, which pbc did not make"),
                (["whole.pbcc", "--keep", "-o", "part"], "`part.cpp` is a source"),
                (["piece.pbcc"], "`piece.info` is a source"),
                (["mine.pbcc", "-o", "mine"], "`mine.info`, which pbc did not make"),
                (["scale.pbcc", "--emit=cpp", "-o", "scale.pbcc"], "`scale.pbcc` is a source")):
            self.expect_failure(self.run_pbc(*words), text)
        (self.folder / "mine.info").unlink()
        self.expect_failure(self.run_pbc("mine.pbcc", "--keep"), "`mine.cpp`, which pbc did not make")
        for name, text in files.items():
            if name != "mine.info":
                self.assertEqual((self.folder / name).read_text(), text, name)
        self.assertEqual((self.folder / "scale.pbcc").read_text(), PROGRAM)

    def test_own_files_of_before_are_replaced(self):
        words = ["scale.pbcc", "--keep", "--depfile", "out/scale.d", "-o", "out/scale"]
        for _ in range(2):
            self.assertEqual(self.run_pbc(*words).stderr, "")
        self.assertEqual(sorted(os.listdir(self.folder / "out")), ["scale", "scale.cpp", "scale.d", "scale.info"])

    def test_full_disk_is_one_clear_line(self):
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
        done = subprocess.run([PBC, "scale.pbcc", "-o", "out/scale"], cwd=self.folder, env=self.env, capture_output=True, text=True, preexec_fn=limit)
        self.expect_failure(done, "cannot write `out/scale`: File too large")

    def test_compiler_troubles(self):
        self.expect_failure(self.run_pbc("scale.pbcc", "-o", "out/scale", CXX="no-such-compiler"), "`no-such-compiler`", "set CXX")
        broken = self.fake_compiler("echo internal trouble; exit 4\n")
        self.expect_failure(self.run_pbc("scale.pbcc", "-o", "out/scale", CXX=broken), "failed", "internal trouble")
        killed = self.fake_compiler("kill -9 $$\n")
        self.expect_failure(self.run_pbc("scale.pbcc", "-o", "out/scale", CXX=killed), "signal 9")

    def test_messages_of_the_compiler_point_at_the_mistake(self):
        program = "transform T from A[n] to B[n]\n{\n  B.cell(i) from (A.cell(i) a) {\nLINE\n  return x; }\n}\n"
        for line in ("    double x = a + (a * nowhere);", "\t\tdouble x = a + (a *\tnowhere);", "    double x = a /*\u65e5\u672c*/ + (a * nowhere);",
                     "    double nowhere1 = a, x = a /*\u65e5\u672c*/ + (a * nowhere);"):
            (self.folder / "t.pbcc").write_text(program.replace("LINE", line))
            column = len(line[:line.rindex("nowhere")].encode()) + 1
            self.expect_failure(self.run_pbc("t.pbcc", "-o", "out/t"), f"t.pbcc:4:{column}: error: `nowhere` was not declared")

    def test_compiler_may_have_arguments(self):
        self.assertEqual(self.run_pbc("scale.pbcc", "-o", "out/scale", CXX="env c++ -g0").returncode, 0)

    def test_runtime_is_found_from_anywhere(self):
        home = pathlib.Path(PBC).parents[1]
        copy = self.folder / "copied"
        shutil.copytree(home / "include", copy / "include")
        (copy / "bin").mkdir()
        (copy / "lib").mkdir()
        shutil.copy(PBC, copy / "bin" / "pbc")
        for name in ("libpbrt.a", "libpbrt.flags"):
            shutil.copy(home / "lib" / name, copy / "lib" / name)
        self.expect_failure(self.run_pbc("--debug", "scale.pbcc", "-o", "out/debug", pbc=copy / "bin" / "pbc"), "matrix_printers.py", "--debug needs")
        self.assertEqual(self.run_pbc("scale.pbcc", "-o", "out/scale", pbc=copy / "bin" / "pbc").returncode, 0)
        (copy / "lib" / "libpbrt.a").unlink()
        for path in (self.folder / "out").iterdir():
            path.unlink()
        self.expect_failure(self.run_pbc("scale.pbcc", "-o", "out/scale", pbc=copy / "bin" / "pbc"), "libpbrt.a", "pbc runs from")
        self.expect_failure(self.run_pbc("scale.pbcc", "-o", "out/scale", POLYBRICKS_HOME="/nowhere"), "POLYBRICKS_HOME is `/nowhere`")

    def test_help_and_version(self):
        self.assertIn("--emit", self.run_pbc("--help").stdout)
        self.assertRegex(self.run_pbc("--version").stdout, r"^pbc \(Polybricks\) \d+\.\d+\.\d+( \(commit [0-9a-f]{12}(\+changes)?\))?$")
        for option in ("--help", "--version"):
            with open("/dev/full", "w") as full:
                done = subprocess.run([PBC, option], stdout=full, stderr=subprocess.PIPE, text=True)
            self.assertEqual((done.returncode, done.stderr), (1, "pbc: error: cannot write to standard output\n"))

    def test_wrong_options(self):
        self.expect_failure(self.run_pbc("--emmit=ast", "scale.pbcc"), "unknown option `--emmit`", "`--emit`")
        self.expect_failure(self.run_pbc("-x", "scale.pbcc"), "unknown option `-x`")
        self.expect_failure(self.run_pbc("--keep=3", "scale.pbcc"), "--keep takes no value")
        self.expect_failure(self.run_pbc("--check=abc", "scale.pbcc"), "--check takes no value")
        self.expect_failure(self.run_pbc("-o"), "needs a value")
        self.expect_failure(self.run_pbc("--standalone", "scale.pbcc"), "--standalone needs --library")
        self.expect_failure(self.run_pbc("scale.pbcc", "scale.pbcc"), "a program is one .pbcc file")
        self.expect_failure(self.run_pbc("--emit=asd", "scale.pbcc"), "`asd`", "program")
        self.expect_failure(self.run_pbc(), "no input file")
        self.expect_failure(self.run_pbc("scale.txt", "-o", "out/x"), "scale.txt")

    def test_warnings_are_left_out_by_their_names(self):
        (self.folder / "warns.pbcc").write_text("#library \"x\"\ntransform T from A[n] to B[n]\n"
                                                "{ B.cell(i) from (A.cell(i) n) { return n; } }\n")
        library, hides = "no effect [LibraryIgnored]", "in the body [RegionHidesSize]"
        done = self.run_pbc("--check", "warns.pbcc")
        self.assertIn(library, done.stderr)
        self.assertIn(hides, done.stderr)
        done = self.run_pbc("--check", "--no-warn", "RegionHidesSize", "warns.pbcc")
        self.assertEqual(done.returncode, 0)
        self.assertIn(library, done.stderr)
        self.assertNotIn("RegionHidesSize", done.stderr)
        done = self.run_pbc("--check", "--no-warn=RegionHidesSize", "--no-warn", "LibraryIgnored", "warns.pbcc")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.expect_failure(self.run_pbc("--no-warn", "regionhidessize", "warns.pbcc"), "no warning is named `regionhidessize`",
                            "did you mean `RegionHidesSize`?")
        self.expect_failure(self.run_pbc("--no-warn", "everything", "warns.pbcc"), "the warnings are ", "RotatableIgnored")
        self.expect_failure(self.run_pbc("--no-warn", "UncoveredOutput", "warns.pbcc"), "`UncoveredOutput` is an error")

    def test_emit_can_go_to_a_file(self):
        self.assertEqual(self.run_pbc("scale.pbcc", "--emit=info", "-o", "out/info").returncode, 0)
        self.assertIn('"Scale"', (self.folder / "out" / "info").read_text())

    def test_front_end_and_generation_take_less_than_half_a_second(self):
        example = pathlib.Path(__file__).resolve().parents[2] / "examples" / "separable_convolution.pbcc"
        best = min(self.user_seconds([PBC, example, "--emit=cpp"]) for _ in range(3))
        self.assertLess(best, 0.5)

    def user_seconds(self, command):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--pbc", required=True)
    options, rest = parser.parse_known_args()
    PBC = str(pathlib.Path(options.pbc).resolve())
    unittest.main(argv=[sys.argv[0], *rest])
