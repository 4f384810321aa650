# SPDX-License-Identifier: MIT
"""Compiling, the cache, tuning, and stubs."""

import ast
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import polybricks as pb
from user_test import fields, raises, run_tests

TEXT = "transform Twice from A[n] to B[n] { B.cell(i) from (A.cell(i) a) { return FACTOR * a; } }\n"


def test_sources():
    """Files, their includes and texts; what is in the cache is not compiled again."""
    pathlib.Path("factor.h").write_text("#define FACTOR 2\n")
    pathlib.Path("twice.pbcc").write_text('#include "factor.h"\n' + TEXT)
    first = pb.compile("twice.pbcc")
    assert first.Twice(np.ones(2)).tolist() == [2, 2]
    made = first.file.stat()
    assert pb.compile("twice.pbcc").file == first.file
    assert first.file.stat().st_mtime_ns == made.st_mtime_ns and first.file.stat().st_ino == made.st_ino, "it was compiled again"
    pathlib.Path("factor.h").write_text("#define FACTOR 3\n")
    assert pb.compile("twice.pbcc").Twice(np.ones(2)).tolist() == [3, 3]
    floats = pb.compile(TEXT.replace("FACTOR", "4"), element="float", name="quadruple", cache="cache of texts")
    assert floats.name == "quadruple" and floats.Twice(np.ones(2, np.float32)).tolist() == [4, 4]
    assert floats.file.is_relative_to(pathlib.Path("cache of texts").absolute()) if sys.version_info >= (3, 9) else True


def test_errors():
    with raises(pb.ToolError, "program.pbcc:1:11: error: transform `T` has no rules"):
        pb.compile("transform T {")
    with raises(FileNotFoundError, "none.pbcc"):
        pb.compile("none.pbcc")
    with raises(OSError, "libnone.so"):
        pb.load("libnone.so")
    with raises(pb.ArgumentError, "is not called libNAME.so"):
        pb.load("twice.pbcc")
    with raises(pb.ArgumentError, "`program=`"):
        pb.load(fields().file).tune(np.zeros(3))


def test_tuning():
    library = fields()
    picture = np.random.default_rng(1).random((300, 400)).astype(np.float32)
    before = library.Blur(picture, factor=3)
    configuration = library.tune(picture, numbers={"factor": 3}, time_limit=1)
    np.testing.assert_array_equal(library.Blur(picture, factor=3), before)
    loaded = pb.load(library.file, config=configuration, threads=2)
    np.testing.assert_array_equal(loaded.Blur(picture, factor=3), before)
    written = loaded.tune(picture, numbers={"factor": 3}, time_limit=1, program=configuration.with_suffix(""), output="my.cfg")
    assert written == pathlib.Path("my.cfg").absolute() and written.exists()
    with raises(TypeError, "there is no option `timelimit`"):
        library.tune(picture, timelimit=1)
    with raises(pb.ToolError, "lacks"):
        library.tune(picture, numbers={"factor": 3, "lacks": 3}, time_limit=1)


def test_interrupted_tuning():
    library = fields()
    journal = pathlib.Path("interrupted.cfg.journal")

    def interrupt_the_search():
        while not journal.exists() or journal.read_text().count("fingerprint") < 5:  # so many were measured
            time.sleep(0.05)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt_the_search, daemon=True).start()
    configuration = library.tune(np.zeros((100, 100), np.float32), numbers={"factor": 3}, time_limit=100, output="interrupted.cfg")
    assert configuration.exists()


def test_stubs():
    done = subprocess.run([sys.executable, "-m", "polybricks", "stubs", str(fields().file)], stdout=subprocess.PIPE, text=True, check=True)
    (stub,) = (node for node in ast.parse(done.stdout).body if isinstance(node, ast.ClassDef))
    assert stub.name == "Fields" and [method.name for method in stub.body] == list(fields().transforms)
    blur = stub.body[1]
    assert ast.get_docstring(blur).startswith("Blur(In, *, factor, out=None)\n\nNeighbours")
    array = "Union[npt.NDArray[np.float32], DeviceArray]"
    assert f"def Blur(self, In: {array}, *, factor: int, out: Optional[{array}] = None) -> npt.NDArray[np.float32]:" in done.stdout


if __name__ == "__main__":
    run_tests(globals())
