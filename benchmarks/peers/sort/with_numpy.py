# SPDX-License-Identifier: MIT
import numpy
from harness.python_baseline import run

run(numpy.sort)
