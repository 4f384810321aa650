# SPDX-License-Identifier: MIT
"""Ctrl-C while a transform runs."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import polybricks as pb
from user_test import fields, raises, run_tests

LIBRARY = fields()
ROW = np.zeros(1000)


def interrupt_after(seconds):
    threading.Timer(seconds, lambda: os.kill(os.getpid(), signal.SIGINT)).start()


def test_calls_end():
    for library in (LIBRARY, LIBRARY.with_options(threads=1), LIBRARY.with_options(threads=3)):
        with raises(KeyboardInterrupt, ""):
            interrupt_after(0.2)
            library.Endless(ROW)
        np.testing.assert_array_equal(library.Scale(ROW), ROW)


def test_loops_of_short_calls_end():
    """Whenever it comes: before, in and behind a call. It cancels no later call."""
    row = np.zeros(10)
    for _ in range(30):
        with raises(KeyboardInterrupt, ""):
            interrupt_after(0.01)
            while True:
                LIBRARY.Scale(row)
        LIBRARY.Scale(row)


def test_other_threads_go_on():
    """What another library does meanwhile is left alone."""
    other = LIBRARY.with_options(threads=1)
    ended = []

    def call_endless():
        with raises(pb.CancelledError, ""):
            other.Endless(ROW)
        ended.append(True)

    thread = threading.Thread(target=call_endless)
    thread.start()
    with raises(KeyboardInterrupt, ""):
        interrupt_after(0.2)
        LIBRARY.with_options(threads=1).Endless(ROW)
    assert not ended
    while thread.is_alive():
        other.cancel()
        thread.join(0.01)


def test_handlers_of_programs_run_behind_the_call():
    seen = []
    before = signal.signal(signal.SIGINT, lambda *_: seen.append(True))
    try:
        alone = LIBRARY.with_options(threads=1)
        begin, steps = time.monotonic(), 1000
        while time.monotonic() - begin < 0.2:  # until a call takes that long
            begin, steps = time.monotonic(), 4 * steps
            alone.Steps(steps, ROW)
        interrupt_after(0.05)
        alone.Steps(steps, ROW + 1)
    finally:
        signal.signal(signal.SIGINT, before)
    assert seen == [True]


def test_other_readers_of_signals_get_theirs():
    """As asyncio, which has Python write the numbers of signals to a file of its own."""
    read_end, write_end = os.pipe()
    os.set_blocking(write_end, False)
    signal.set_wakeup_fd(write_end)
    with raises(KeyboardInterrupt, ""):
        interrupt_after(0.2)
        LIBRARY.Endless(ROW)
    assert os.read(read_end, 10) == bytes([signal.SIGINT])
    assert signal.set_wakeup_fd(-1) == write_end


def test_children_of_forks_get_errors():
    child = os.fork()
    if child == 0:
        with raises(pb.ForkedError, "forked"):
            LIBRARY.Scale(ROW)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0


def test_python_ends_while_daemons_call():
    script = """
import threading, time, numpy, user_test
library, row = user_test.fields(), numpy.ones(1000)
def call_often():
    while True:
        library.Scale(row)
for _ in range(3):
    threading.Thread(target=call_often, daemon=True).start()
time.sleep(0.1)
"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    for _ in range(4):
        subprocess.run([sys.executable, "-c", script], env=environment, check=True)


if __name__ == "__main__":
    run_tests(globals())
