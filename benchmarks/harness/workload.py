# SPDX-License-Identifier: MIT
"""What a benchmark is: a program, its inputs, what they should give, and the baselines beside it.

The file `workload.py` of a folder of benchmarks/ defines one WORKLOAD, or a list WORKLOADS, which measure several transforms or
programs. experiment.py has those that measure something else. The harness compiles the program and its baselines, compares every
result with the reference, and only then measures.
"""

import dataclasses
import importlib.util
import pathlib
import typing

import numpy

# Size variables and numbers of one problem, by name.
Size = dict[str, int]


@dataclasses.dataclass(frozen=True)
class Work:
    """What every solution of a problem has to do. Ceilings of the machine turn it into the least time."""
    read_bytes: float = 0      # from main memory
    written_bytes: float = 0   # to main memory
    flops: float = 0           # in the precision of the program


@dataclasses.dataclass(frozen=True)
class Baseline:
    """A program that knows nothing of the compiler. It follows the command line of harness/baseline.h.

    `source` is a file of the workload's folder: C++, CUDA, or Python. `packages` are the Debian packages that bring its libraries. If
    one is missing, the benchmark says so in a line of its own. Python runs under the harness's own interpreter. If `requirements` names
    packages of PyPI as pip has them ("numba==0.68.1"), it runs in the harness's environment, which has them.
    """
    name: str
    source: str
    flags: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()
    options: dict[str, str] = dataclasses.field(default_factory=dict)   # given as `--name value`
    on: str = "cpu"                                                     # "cpu", "opencl" or "cuda"
    applies: typing.Callable[[Size], bool] = lambda size: True          # whether it can solve a problem of that size
    requirements: tuple[str, ...] = ()
    uses_runtime: bool = False                                          # whether it calls the C++ interface of our runtime


def relative_error(found, expected):
    """The largest difference, relative to the largest magnitude that is expected. NaN and shapes must agree."""
    if found.shape != expected.shape:
        return float("inf")
    if found.size == 0:
        return 0.0
    if not numpy.array_equal(numpy.isnan(found), numpy.isnan(expected)):
        return float("inf")
    scale = numpy.nanmax(numpy.abs(expected)) or 1
    return float(numpy.nanmax(numpy.abs(found.astype(float) - expected.astype(float))) / scale)


@dataclasses.dataclass(frozen=True)
class Workload:
    """One benchmark.

    * `inputs(size, random)` returns the program's inputs in the order of its header, as arrays whose last axis is dimension 0.
      `random` is a numpy.random.Generator.
    * `reference(size, *inputs)` returns the outputs that are right, computed by NumPy.
    * `error(size, inputs, outputs, expected)` judges outputs; by default the largest relative difference over all outputs. Results
      whose error is above `tolerance` are wrong, and their times do not count.
    * `sizes` maps a set's name to problems. Every workload has `smoke` (tiny, odd sizes for the tests), `cpu` (for 2 cores), and `gpu`.
      A list may be empty: nothing is compiled then.
    * `work(size)` says what a solution has to read, write and compute at least.
    * `choices` maps a name to the configuration that it stands for: a dictionary with `transforms` and `global`, as a configuration
      file has them, or a function from the number of threads to one. They are measured beside the default and the tuned one.
    * `rivals` names the choices that count as baselines of the others.
    * `choice_applies(name, size)` says whether a choice is worth measuring at a size; some would never end.
    * `search_sizes(size)` gives options with which `pbtune` makes inputs like these itself, such as ("--n", 1024): then it searches at
      smaller sizes first. Without them it searches on the inputs themselves, at their size alone.
    * `set(size)` gives values to params and to inputs that are one number, as `--set` does.
    """
    title: str
    source: str                                   # the paper or the program that it comes from
    inputs: typing.Callable
    reference: typing.Callable
    sizes: dict[str, list[Size]]
    work: typing.Callable[[Size], Work]
    baselines: tuple[Baseline, ...] = ()
    choices: dict[str, typing.Any] = dataclasses.field(default_factory=dict)
    rivals: tuple[str, ...] = ()
    choice_applies: typing.Callable[[str, Size], bool] = lambda name, size: True
    tolerance: float = 1e-9
    error: typing.Callable | None = None
    search_sizes: typing.Callable[[Size], tuple] = lambda size: ()
    set: typing.Callable[[Size], dict[str, float]] = lambda size: {}
    any_choice_is_right: bool = True              # False: configurations also decide how accurate results are
    program: str = "program.pbcc"
    options: tuple[str, ...] = ()                 # further options of pbc
    main: str = ""                                # the transform to measure, if the program has several of equal rank
    part: str = ""                                # its name among the workloads of a folder, if it is not `main`
    # Types of ElementT that `--element` may ask for. The harness makes inputs of that type from those of `inputs`, and gives baselines
    # the option --element. Tolerances of floats are at least 1e-5.
    elements: tuple[str, ...] = ("double",)

    @property
    def own_name(self):
        """Its name among the workloads of a folder, or an empty text."""
        return self.part or self.main

    def error_of(self, size, inputs, outputs, expected):
        """How wrong the outputs are; 0 is right."""
        if self.error:
            return self.error(size, inputs, outputs, expected)
        if len(outputs) != len(expected):
            return float("inf")
        return max((relative_error(found, right) for found, right in zip(outputs, expected)), default=0.0)


def at(rule, on="cpu"):
    """The levels of a site that runs one rule, on one processor, at all sizes."""
    return [{"rule": rule, "on": on}]


def levels(*pairs):
    """Returns the levels of a site on the CPU. Each pair is (smallest size, rule); the first size is 0."""
    return [dict({"rule": rule, "on": "cpu"}, **({"from": start} if start else {})) for start, rule in pairs]


def configuration(on, transforms):
    """A configuration for `choices`. With steps on a device, calls of all sizes may run there."""
    return {"global": {} if on == "cpu" else {"sequential_cutoff": 1}, "transforms": transforms}


def single_rule(transform, site, rule, on, tunables):
    """A configuration that decides one site. Calls of all sizes may run on a device, and with tasks."""
    return {"global": {"sequential_cutoff": 1}, "transforms": {transform: {"sites": {site: at(rule, on)}, "tunables": tunables}}}


def size_text(size):
    """The size in words: `n=1024, m=7`."""
    return ", ".join(f"{name}={value}" for name, value in size.items())


def load(folder):
    """The workloads of a folder, a list."""
    path = pathlib.Path(folder) / "workload.py"
    spec = importlib.util.spec_from_file_location(f"workload_{path.parent.name}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.WORKLOADS if hasattr(module, "WORKLOADS") else [module.WORKLOAD]
