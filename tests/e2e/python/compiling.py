# SPDX-License-Identifier: MIT
"""Compiling, loading, the cache, and stubs."""

import ast
import os
import pathlib
import shutil
import subprocess
import sys
import unittest.mock
import warnings

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


def test_names_of_folders():
    """Includes are found again, whatever the folders are called."""
    for name in ("sp ace", "it's mine", 'quo"te', "back\\slash", "back\\ blank", "ha#sh $x", "line\nbreak"):
        folder = pathlib.Path(name)
        folder.mkdir()
        (folder / "factor.h").write_text("#define FACTOR 2\n")
        (folder / "twice.pbcc").write_text('#include "factor.h"\n' + TEXT)
        first = pb.compile(folder / "twice.pbcc", cache="odd")
        assert pb.compile(folder / "twice.pbcc", cache="odd").file == first.file, name
        (folder / "factor.h").write_text("#define FACTOR 3\n")
        assert pb.compile(folder / "twice.pbcc", cache="odd").Twice(np.ones(2)).tolist() == [3, 3], name


def test_shared_caches():
    """What another processor or C++ compiler made in the same folder is not taken."""
    program = one_step(formula="5 * a")
    here = pb.compile(program, cache="shared").file
    with unittest.mock.patch.object(pb._compile, "_processor", lambda: "another one"):
        assert pb.compile(program, cache="shared").file != here
    with unittest.mock.patch.dict(os.environ, CXX="g++"):
        assert pb.compile(program, cache="shared").file != here
    assert pb.compile(program, cache="shared").file == here


def test_errors():
    with raises(pb.ToolError, "program.pbcc:1:11: error: transform `T` has no rules"):
        pb.compile("transform T {")
    with raises(FileNotFoundError, "none.pbcc"):
        pb.compile("none.pbcc")
    with raises(pb.ArgumentError, "the name of a `.pbcc` file or the text of a program, not ''"):
        pb.compile("")
    with raises(OSError, "libnone.so"):
        pb.load("libnone.so")
    with raises(pb.ArgumentError, "is not called libNAME.so"):
        pb.load("twice.pbcc")


def one_step(name="T", formula="a", param="", matrix="A"):
    """The text of a transform that computes each cell from the cell of the same index."""
    return f"transform {name} {param} from {matrix}[n] to B[n] {{ B.cell(i) from ({matrix}.cell(i) a) {{ return {formula}; }} }}\n"


def test_names():
    """A name is a part of what is in the cache, and one is made of any name of a file."""
    pathlib.Path("1 odd-name{}.pbcc").write_text(one_step())
    assert pb.compile("1 odd-name{}.pbcc").name == "_1_odd_name__" and pb.compile("1 odd-name{}.pbcc", name="own").name == "own"
    with raises(pb.ArgumentError, "`a-b` is none"):
        pb.compile(one_step(), name="a-b")


def test_names_that_python_lacks():
    """Only the names of these arguments are hidden."""
    library = pb.compile(one_step("Number", "a + lambda", "param lambda") + one_step("Input", matrix="None") + one_step("Out", matrix="out")
                         + one_step("lambda"), name="words")
    row = np.ones(2)
    assert library.Number(row, **{"lambda": 3}).tolist() == [4, 4] and repr(library.Number) == "<transform Number(*inputs, out=None, **numbers) of words>"
    assert library.Input(row).tolist() == library.Input(**{"None": row}).tolist() == library.Out(row).tolist() == [1, 1]
    assert library["lambda"](row, out=np.zeros(2)).tolist() == [1, 1]
    ast.parse(stubs_of(library))


def test_broken_cache():
    program = one_step(formula="3 * a")
    pb.compile(program, cache="broken").file.unlink()
    assert pb.compile(program, cache="broken").file.is_file()
    pathlib.Path("a file").write_text("")
    with raises(pb.ToolError, "`cache=` names another folder"):
        pb.compile(program, cache="a file")


def test_changed_sources():
    """What is tuned is what was compiled."""
    source = pathlib.Path("changing.pbcc")
    source.write_text(one_step())
    library = pb.compile(source)
    source.write_text(one_step(formula="2 * a"))
    with raises(pb.ArgumentError, "changing.pbcc changed since it was compiled: compile it again"):
        library.tune(np.ones(9), time_limit=1)


def test_changed_libraries():
    shutil.copy(fields().file, "libfields.so")
    assert list(pb.load("libfields.so")) == list(pb.load("libfields.so")) == list(fields())
    os.utime("libfields.so", (0, 0))
    with raises(pb.Error, "changed since this process loaded it"):
        pb.load("libfields.so")


def test_warnings():
    program = one_step(formula="a * (1/2)")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        pb.compile(program)
        pb.compile(program)
    (warning,) = caught  # once: then it is in the cache
    assert warning.category is pb.CompileWarning and "[IntegerQuotient]" in str(warning.message) and warning.filename == __file__


def test_options():
    for option in ("--explain", "--emit=cpp", "-oname", "--depfile", "--help"):
        with raises(pb.ArgumentError, f"`{option.split('=')[0]}` cannot be among the options"):
            pb.compile(one_step(), options=[option])
    with raises(TypeError, 'options is a list, as ["--fp", "strict"]'):
        pb.compile(one_step(), options="--fp strict")
    with raises(TypeError, "3 is no str"):
        pb.compile(one_step(), options=["--fp", 3])
    for options in (["--config", "none.cfg"], ["--config=none.cfg"]):  # relative to the folder of the caller
        with raises(pb.ToolError, str(pathlib.Path("none.cfg").absolute())):
            pb.compile(one_step(), options=options)


def stubs_of(library):
    command = [sys.executable, "-m", "polybricks", "stubs", str(library.file)]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout


def test_stubs_of_what_is_no_library():
    pathlib.Path("empty.so").write_text("")
    for file, words in (("nofile.so", "there is no file `nofile.so`"), ("empty.so", "is not called libNAME.so")):
        done = subprocess.run([sys.executable, "-m", "polybricks", "stubs", file], capture_output=True, text=True)
        assert done.returncode == 1 and words in done.stderr and len(done.stderr.splitlines()) == 1, done.stderr


def test_stubs():
    text = stubs_of(fields())
    (stub,) = (node for node in ast.parse(text).body if isinstance(node, ast.ClassDef))
    assert stub.name == "Fields" and [method.name for method in stub.body] == list(fields().transforms)
    blur = stub.body[1]
    assert ast.get_docstring(blur).startswith("Blur(In, *, factor, out=None)\n\nNeighbours")
    array = "Union[npt.NDArray[np.float32], DeviceArray]"
    assert f"def Blur(self, In: {array}, *, factor: int, out: Optional[{array}] = None) -> npt.NDArray[np.float32]:" in text


if __name__ == "__main__":
    run_tests(globals())
