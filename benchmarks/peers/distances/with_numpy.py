# SPDX-License-Identifier: MIT
import scipy.spatial
from harness.python_baseline import run

run(scipy.spatial.distance.cdist)
