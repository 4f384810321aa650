# SPDX-License-Identifier: MIT
"""Tuning."""

import contextlib
import os
import pathlib
import signal
import threading
import time

import numpy as np
import polybricks as pb
from user_test import fields, raises, run_tests


@contextlib.contextmanager
def tuner(script):
    """Has this shell script in place of pbtune."""
    tool = pathlib.Path("home/bin/pbtune").absolute()
    tool.parent.mkdir(parents=True, exist_ok=True)
    tool.write_text(f"#!/bin/sh\n{script}\n")
    tool.chmod(0o755)
    os.environ["POLYBRICKS_HOME"] = str(tool.parent.parent)
    try:
        yield
    finally:
        del os.environ["POLYBRICKS_HOME"]


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
    with raises(pb.ArgumentError, "`program=`"):
        pb.load(library.file).tune(picture)
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


def test_options():
    picture = np.zeros((9, 9), np.float32)
    with tuner('echo "$@"; exit 130'):
        for options, words in (({"device": 0}, "--device 0"), ({"device": "none", "threads": 2}, "--device none --threads 2")):
            with raises(pb.ToolError, words):
                fields(**options).tune(picture, output="none.cfg")


def test_tuning_that_measures_nothing():
    """A configuration that was there before is none of this search."""
    pathlib.Path("before.cfg").write_text("")
    with tuner("echo nothing was measured; exit 130"), raises(pb.ToolError, "nothing was measured"):
        fields().tune(np.zeros((9, 9), np.float32), output="before.cfg")


def test_tuning_that_keeps_what_was_there():
    """A search that is over and finds nothing better leaves the configuration as it is."""
    library = fields()
    picture = np.zeros((9, 9), np.float32)
    configuration = library.tune(picture, numbers={"factor": 3}, time_limit=1, output="kept.cfg")
    content = configuration.read_bytes()
    with tuner("echo kept.cfg keeps the configuration of before"):
        assert library.tune(picture, numbers={"factor": 3}, output="kept.cfg") == configuration
    assert configuration.read_bytes() == content


def test_inputs():
    library = fields()
    picture = np.zeros((9, 9), np.float32)
    with raises(TypeError, "float64, but the header says float"):
        library.tune(picture.astype(float), numbers={"factor": 3})
    with raises(TypeError, "Scale() takes 1 input, 2 were given"):
        library.Scale.tune(np.zeros(3), np.zeros(3))
    with raises(TypeError, "Scale() lacks the input `A`"):
        library.Scale.tune()
    with raises(pb.ToolError, 'numbers={"factor": …}'):
        library.tune(picture)
    with raises(TypeError, "numbers is a dictionary"):
        library.tune(picture, numbers=["factor", 3])


if __name__ == "__main__":
    run_tests(globals())
