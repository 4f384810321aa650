# SPDX-License-Identifier: MIT
"""What `pbc` takes for programs, beside `c++ -O3` for programs by hand that do the same jobs. Times are CPU times: a busy machine
disturbs them less."""

import os
import resource
import tempfile

from harness.common import ROOT, polybricks
from harness.compile_baseline import FLAGS
from harness.contenders import Unable
from harness.experiment import Contender, Experiment

CORPUS = "tests/conformance"
# The program by hand for NAME is NAME.cpp.
PROGRAMS = {"convolution": "examples/separable_convolution.pbcc", "sort": f"{CORPUS}/sorting/poly_sort.pbcc",
            "multigrid": f"{CORPUS}/grids/poisson_multigrid_2d.pbcc", "lu": f"{CORPUS}/linear_algebra/lu_blocked.pbcc",
            "cholesky": f"{CORPUS}/linear_algebra/cholesky.pbcc", "strassen": f"{CORPUS}/products/strassen.pbcc",
            "kmeans": f"{CORPUS}/applications/kmeans.pbcc", "fft": f"{CORPUS}/products/fft.pbcc",
            "lu_solve": f"{CORPUS}/linear_algebra/lu_solve.pbcc", "sorts": "benchmarks/sort/program.pbcc",
            "products": "benchmarks/matmul/program.pbcc", "borders": f"{CORPUS}/access/border_in_two_dimensions.pbcc"}


def cpu_ns(command, **options):
    """The CPU time of a command with its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    polybricks.run_tool(command, **options)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1e9 * (after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)


def contenders(run, size):
    name = size["program"]
    source, by_hand, out = ROOT / PROGRAMS[name], run.folder / f"{name}.cpp", run.out / "compiled"
    pbc = [run.tools.pbc, source, "-o", out]

    def contender(name, kind, once):
        return Contender(name, kind, lambda trials: [once() for _ in range(trials)])

    def compile_by_hand():
        if not by_hand.exists():
            raise Unable("nobody wrote this one by hand")
        return cpu_ns(["c++", *FLAGS, "-fopenmp", by_hand, "-o", out])

    def first_run():
        with tempfile.TemporaryDirectory() as cache:
            return cpu_ns(pbc, env=dict(os.environ, XDG_CACHE_HOME=cache))

    yield contender("by hand", "baseline", compile_by_hand)
    yield contender("pbc", "program", lambda: cpu_ns(pbc))
    yield contender("pbc, first run of a user", "program", first_run)
    yield contender("front end and generation", "program", lambda: cpu_ns([run.tools.pbc, source, "--emit=cpp"]))


ALL = [{"program": name} for name in PROGRAMS]
WORKLOAD = Experiment(
    title="Compiling, CPU time", source="programs of one job by hand", contenders=contenders,
    sizes={"smoke": [{"program": "cholesky"}], "cpu": ALL, "gpu": ALL})
