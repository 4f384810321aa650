# SPDX-License-Identifier: MIT
"""Random rule bodies compute what C++ says, as plain loops, in packs, as kernels, called, and shared between CPU and device.

    random_bodies_test.py --dist BUILD/dist --work FOLDER [--seed N] [--programs N] [--element double|float]

random_nests_test.py tries other programs in the same way. Each program is a transform with many rules and what it calls. Its default configuration is compared with the reference, the
others, fixed and random ones, with the default in one process. A failing program is made smaller and printed.
"""

import collections
import copy
import dataclasses
import itertools
import json
import pathlib
import re
import sys
import time
import typing

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]
import body_features  # noqa: E402
import compiled  # noqa: E402
import device_choices  # noqa: E402
import polybricks  # noqa: E402
import random_data  # noqa: E402
import random_rules  # noqa: E402
import seeds  # noqa: E402
import smaller  # noqa: E402
from body_reference import Unsuitable  # noqa: E402
from runner import ANSWER_LIMIT_S, difference  # noqa: E402

GROUPS = 7              # groups of rules in a program; they share the cost of its compilation
SHAPES = ((0, 0, 0), (1, 1, 1), (7, 5, 2), (35, 2, 1))     # sizes (n, m, l) of runs; the seed adds one of small extents
GENERATED_SHAPE = 2     # the index of the shape that also runs with generated data
NUM_SAMPLED = 2         # random configurations of a program
WATCHED = "--checked-copies"
MAX_DELAY_US = 200      # the longest delay of an operation on a device that is slow at random
MIN_KERNELS = 0.3       # the least share of rules with a kernel: below it the test would be about nothing
MIN_LOCAL = 0.2         # the least share of rules with a kernel that uses local memory
MANY_RULES = 100        # from so many rules on, the two least shares must be met
MAX_LEFT_OUT = 0.4      # the largest share of shapes that are left out, because C++ leaves their result open
MANY_PROGRAMS = 30      # from so many programs on, each feature must occur and the two largest shares must be met
MAX_OF_VARIABLES = 0.1  # the largest share of runs in which a kernel meets a variable
RULE_LINE = re.compile(r"  R\.\S+ \(.*\): (cpu.*)")       # a rule of the main transform R
REASON_LINE = re.compile(r"      no `opencl`: (.*)")
ERROR = re.compile(r"error: (.*)")
NAMES = re.compile(r"`.*?`")
TRANSFORM_OF_SITE = re.compile(r"\w+")


def shapes_of(seed, shapes):
    """The sizes (n, m, l) that a program is run with."""
    rng = np.random.default_rng(seed)
    return (*shapes, tuple(int(extent) for extent in rng.integers(0, 8, 3)))


def sizes_of(shape):
    return dict(zip(("n", "m", "l"), shape))


def choices_of(program, versions, turn=0):
    """Choices for the sites in turns: a rule in the next of `versions`, or in another device version, or on the CPU; `turn` says which."""
    choices = {}
    for (transform, site, alternatives), on in zip(program.sites(), itertools.cycle(versions)):
        fitting = [a for a in alternatives if a[1] == on] or [a for a in alternatives if a[1] != "cpu"] or alternatives
        choices.setdefault(transform, {})[site] = fitting[turn % len(fitting)]
    return choices


def odd_shapes(tunables):
    """Work-groups that divide nothing, and several instances per work-item."""
    for name, tunable in tunables.items():
        shape = {"work_group": [3, 2, 1], "items": [2, 3, 2]}.get(tunable["role"])
        if shape is not None:
            yield name, shape[:tunable.get("count", 1)] if tunable.get("count", 1) > 1 else shape[0]


def configurations(program, constants, sampled, _seed=0):
    """(words, configuration): on the CPU in pieces and in sequence, on the device in its versions, in turns, and `sampled` ones.

    `constants`: the values of the user's tunables in all of them.
    """
    transforms = {name: data.get("tunables", {}) for name, data in program.info["transforms"].items()}

    def entry(*versions, turn=0, shapes=False):
        tunables = {name: {**({"split_size": 1} if "split_size" in known else {}), **(dict(odd_shapes(known)) if shapes else {})}
                    for name, known in transforms.items()}
        return program.configuration(choices_of(program, versions, turn), tunables, sequential_cutoff=0, threads=2)
    found = [("cpu, pieces of one", entry("cpu")), ("cpu, the second rules", entry("cpu", turn=1)),
             ("cpu, sequential", program.configuration(choices_of(program, ["cpu"], 2), {}, sequential_cutoff=10**6, threads=1)),
             ("basic kernels", entry("opencl")), ("local kernels", entry("opencl_local", turn=1)),
             ("in turns, odd shapes", entry("opencl_local", "cpu", "opencl", turn=1, shapes=True))]
    found += [(f"random configuration {i}", json.loads(text)) for i, text in enumerate(sampled)]
    for words, config in found:
        config["transforms"].setdefault("R", {}).setdefault("tunables", {}).update(constants)
        yield words, config


class Failure(Exception):
    """What is wrong: the words, whether pbc or the program said so, whether numbers differ, the output it shows in, if known."""

    def __init__(self, words, of_compiler=False, of_numbers=False, output=None):
        super().__init__(words)
        self.of_compiler, self.of_numbers, self.output = of_compiler, of_numbers, output

    def kind(self):
        """What a smaller program must fail with too: the compiler's first message, without names."""
        message = ERROR.search(str(self)) if self.of_compiler else None
        return self.of_compiler, NAMES.sub("`…`", message[1]) if message else None


def plain_difference(got, want, with_signs):
    return difference(got, want, random_rules.TOLERANCE.get(want.dtype, 0), with_signs)


@dataclasses.dataclass(frozen=True)
class Kind:
    """What programs are like, and how they are tried."""
    name: str
    make: typing.Callable               # the program of (seed, element)
    configurations: typing.Callable     # (words, configuration) for (program, constants, sampled, seed)
    features: tuple                     # what many programs contain some of
    shapes: tuple = SHAPES
    repeats: int = 1                    # of each configuration: an order that is lost shows now and then
    server_options: tuple = ()
    watched: typing.Callable = lambda seed: seed % 4 == 1      # with accesses of the host watched, on a device that is slow at random
    min_kernels: float = MIN_KERNELS    # share of all rules: below it the test would be about nothing
    min_local: float = MIN_LOCAL
    features_of: typing.Callable = body_features.of_program    # words for what a program is made of
    difference: typing.Callable = plain_difference      # what is wrong with an output, of (found, wanted, whether zeros have signs)
    is_server_enough: typing.Callable = lambda expected: True   # whether a server, which compares with the default, notices what is wrong


def of_bodies(seed, element):
    """Every third program has infinities, NaN and signed zeros."""
    return random_rules.Program(seed, GROUPS, element, is_special=seed % 3 == 0)


BODIES = Kind("bodies", of_bodies, configurations, body_features.ALWAYS + body_features.OF_DATA + body_features.OF_PACKS + ("inside and border", "on a device"))


class Trial:
    """One program under test: compiled, run, compared."""

    def __init__(self, compiler, folder, kind, model, seed, options):
        self.compiler, self.folder, self.kind, self.model, self.seed, self.options = compiler, folder, kind, model, seed, options
        self.shapes = shapes_of(seed, kind.shapes)
        self.tried, self.runs, self.skipped, self.of_variables = 0, 0, 0, 0
        self.is_strict_tried = False
        self.features = collections.Counter()

    def run(self, name):
        """Tries the program and returns it; raises Failure at the first disagreement."""
        source = self.folder / f"{name}.pbcc"
        source.write_text(self.model.text())
        try:
            program = self.compiler.program(source, name, self.options)
        except polybricks.ToolError as error:
            raise Failure(str(error), of_compiler=True) from None
        memory = ["--device-copies"] if self.seed % 3 else []
        delays = {"POLYBRICKS_DEVICE_DELAYS": f"{self.seed + 1},{MAX_DELAY_US}"} if WATCHED in self.options else {}
        self.sampled = self.compiler.configurations(program, NUM_SAMPLED, self.seed, 40, True)
        try:
            with polybricks.Server(program, *self.kind.server_options, *memory, limit_s=ANSWER_LIMIT_S, env=delays) as server:
                for shape in self.shapes:
                    self.try_data(program, server, self.files(shape))
                if any(m.range for m in self.model.main.inputs):
                    self.try_generated(program, server, sizes_of(self.shapes[GENERATED_SHAPE]))
        except polybricks.ToolError as error:
            raise Failure(str(error)) from None
        return program

    def files(self, shape):
        return random_data.from_files(self.model.main, sizes_of(shape))

    def write_configuration(self, program, entry, name):
        """The path of a configuration in the test's folder."""
        path = self.folder / name
        program.write_configuration(path, entry)
        return path

    def try_generated(self, program, server, sizes):
        """Tries data that the program generates: as files, which hold the same numbers, and in the server."""
        try:
            data = random_data.generated(self.model.main, sizes, self.seed + 1, program, self.folder)
        except random_data.Misplaced as misplaced:
            raise Failure(str(misplaced)) from None
        self.try_data(program, server, data)

    def try_data(self, program, server, data):
        """Tries data; leaves it out where C++ leaves the result open, or where it depends on rounding."""
        self.tried += 1
        try:
            expected = self.model.main.evaluate(data.arrays, data.sizes)
        except Unsuitable:
            self.skipped += 1
            return
        try:
            self.run_data(program, server, data, expected)
            self.features.update([*(["number by --set"] if data.named else []), *(["generated data"] if data.seed else [])])
        except Failure as failure:
            if not failure.of_numbers or not self.model.main.depends_on_rounding(data.arrays, data.sizes):
                raise
            self.skipped += 1

    def run_data(self, program, server, data, expected):
        constants = self.model.main.constant_values()
        default = program.configuration({}, {"R": constants})
        config = self.write_configuration(program, default, "default.cfg")
        self.compare(program, data, expected, ["--strict", "--device", "none", "--config", config], "default choices")
        for op, fields in (("inputs", data.request(self.folder)), ("reference", {"config": default})):
            reply = server.ask(op, **fields)
            if reply["status"] != "ok" or reply.get("message"):
                raise Failure(f"{data.sizes}: {op}: {reply['status']}: {reply.get('message')}")
        tried = self.kind.configurations(program, constants, self.sampled, self.seed)
        by_server = self.kind.is_server_enough(expected)
        for words, entry in (each for each in tried for _ in range(self.kind.repeats)):
            reply = server.ask("run", config=entry, trials=1, verify=by_server)
            self.runs += 1
            self.features.update(body_features.of_run(entry, reply, max(data.sizes.values())))
            # The server knows no signs of zeros.
            if not by_server or self.model.main.is_special and "random" not in words:
                self.compare(program, data, expected, ["--config", self.write_configuration(program, entry, "special.cfg")], words)
            if reply["status"] != "ok" or not self.may_fall_back(reply):
                self.compare(program, data, expected, ["--config", self.write_configuration(program, entry, "failing.cfg")], words)
                raise Failure(f"{data.sizes}: {words}: {reply['status']}: {reply.get('message')} {reply.get('fallbacks')}",
                              of_numbers=reply["status"] == "wrong")
            self.check_cutoff(program, data, len(expected), entry, reply, f"{data.sizes}: {words}")

    def check_cutoff(self, program, data, num_outputs, entry, reply, words):
        """Device versions that a cut-off keeps from running are counted and, with --strict, an error; a cut-off of 0 keeps none."""
        if silent := list(device_choices.on_cpu_in_silence(entry, reply)):
            raise Failure(f"{words}: {', '.join(silent)}: a device version was chosen, the CPU ran, and nothing says why: {reply.get('ran')}")
        below = reply.get("below_cutoff") or []
        if below and not entry["global"].get("sequential_cutoff"):
            raise Failure(f"{words}: below a cut-off of 0: {below}")
        if not below or self.is_strict_tried or reply.get("fallbacks"):
            return
        self.is_strict_tried = True
        config = self.write_configuration(program, entry, "strict.cfg")
        outputs = [self.folder / f"out{i}.npy" for i in range(num_outputs)]
        done = polybricks.run_tool([program.path, "--strict", "--config", config, *data.words(self.folder), *outputs],
                                   expect=None, timeout=ANSWER_LIMIT_S)
        self.runs += 1
        if done.returncode != 1 or "below the cutoff" not in done.stderr:
            raise Failure(f"{words}: --strict with {below}: exit status {done.returncode}: {done.stderr}")

    def may_fall_back(self, reply):
        """Whether all versions ran, but for tiles that have no room and outputs of calls that are variables; counts these runs."""
        receivers = {t.name for t in self.model.transforms() if t is not self.model.main and any(not m.sizes for m in t.outputs())}
        fallbacks = reply.get("fallbacks") or []
        others = [each for each in fallbacks
                  if not (polybricks.lacks_storage(each) and TRANSFORM_OF_SITE.match(each["site"])[0] in receivers)]
        self.of_variables += len(others) < len(fallbacks)
        return not others or polybricks.lacks_room({"fallbacks": others})

    def compare(self, program, data, expected, options, words):
        outputs = [self.folder / f"out{i}.npy" for i in range(len(expected))]
        program.run(*options, *data.words(self.folder), *outputs, timeout=ANSWER_LIMIT_S)
        self.runs += 1
        for path, (name, want) in zip(outputs, expected.items()):
            found = self.kind.difference(np.load(path), want, self.model.main.is_special)
            if found is not None:
                raise Failure(f"{data.sizes}: {words}: {name} {found}", of_numbers=True, output=name)


class Check:
    def __init__(self, compiler, folder, kind, is_watched):
        self.compiler, self.folder, self.kind, self.is_watched = compiler, folder, kind, is_watched
        self.runs, self.of_variables, self.failures = 0, 0, []
        self.versions = collections.Counter()
        self.reasons = collections.Counter()
        self.shapes = collections.Counter()
        self.features = collections.Counter()
        self.begin = time.monotonic()
        self.first_failure_s = None

    def program(self, seed, element):
        model = self.kind.make(seed, element)
        self.features.update(self.kind.features_of(model))
        name = f"{self.kind.name}{seed}_{element}"
        trial = Trial(self.compiler, self.folder, self.kind, model, seed, [f"--element={element}", *([WATCHED] if self.is_watched(seed) else [])])
        self.features.update(["watched accesses"] if WATCHED in trial.options else [])
        try:
            trial.run(name)
            self.shapes.update({"run": trial.tried - trial.skipped, "left out": trial.skipped})
            self.count(self.folder / f"{name}.pbcc", trial.options)
        except Failure as failure:
            self.first_failure_s = self.first_failure_s or time.monotonic() - self.begin
            print(f"seed {seed}, {element}: {failure}", flush=True)
            self.failures.append(f"seed {seed}, {element}, made smaller: {self.smaller(trial, name, failure)}")
            print(self.failures[-1], flush=True)
        self.runs += trial.runs
        self.features.update(trial.features)
        self.of_variables += trial.of_variables

    def count(self, source, options):
        """Counts which rules have which versions, and why others have none, by `pbc --explain`, and what the C++ has."""
        self.features.update(body_features.of_cpp(polybricks.run_tool([self.compiler.tools.pbc, "--emit=cpp", source, *options]).stdout))
        done = polybricks.run_tool([self.compiler.tools.pbc, "--explain", source, *options])
        for line in done.stdout.splitlines():
            if rule := RULE_LINE.match(line):
                self.versions.update(["rules", *rule[1].split(", ")])
            elif reason := REASON_LINE.match(line):
                self.reasons[NAMES.sub("`…`", reason[1])] += 1

    def smaller(self, trial, name, failure):
        """The text of the smallest program found that still fails."""
        def fails(model):
            small = Trial(self.compiler, self.folder, self.kind, model, trial.seed, trial.options)
            try:
                for data in map(small.files, small.shapes):
                    small.model.main.evaluate(data.arrays, data.sizes)
                small.run(name + "_small")
            except Failure as other:
                return str(other) if other.kind() == failure.kind() else None
            except (Unsuitable, KeyError):
                return None
            return None
        model, words = smaller.find(copy.deepcopy(trial.model), failure.output, fails)
        return f"{words or failure}\n{model.text()}"


def report(check, num_programs):
    """Prints what was tried and what became kernels; failures if it was too little."""
    print("tried: " + ", ".join(f"{word} {check.features[word]}" for word in check.kind.features))
    lacking = [word for word in check.kind.features if not check.features[word]]
    if num_programs >= MANY_PROGRAMS and lacking:
        check.failures.append(f"{num_programs} programs without {', '.join(lacking)}")
    rules = max(1, check.versions["rules"])
    shares = {on: check.versions[on] / rules for on in ("opencl", "opencl_local")}
    print(f"{rules} rules: {shares['opencl']:.0%} have a kernel, {shares['opencl_local']:.0%} one with local memory")
    for reason, count in check.reasons.most_common():
        print(f"  {count} without: {reason}")
    print(f"{check.shapes['left out']} of {check.shapes.total()} shapes left out")
    if num_programs >= MANY_PROGRAMS and check.shapes["left out"] > MAX_LEFT_OUT * check.shapes.total():
        check.failures.append("too many shapes are left out, because C++ leaves their result open")
    print(f"{check.of_variables} of {check.runs} runs with a kernel that meets a variable")
    if num_programs >= MANY_PROGRAMS and check.of_variables > MAX_OF_VARIABLES * check.runs:
        check.failures.append("too many kernels meet variables, and fall back")
    if rules >= MANY_RULES and (shares["opencl"] < check.kind.min_kernels or shares["opencl_local"] < check.kind.min_local):
        check.failures.append("too few rules became kernels")
    print("\n".join(check.failures))


def main(doc=__doc__, kind=BODIES, by_day=1):
    parser = seeds.arguments(doc)
    parser.add_argument("--element", choices=("double", "float"), help="default: in turns")
    parser.add_argument("--unwatched", action="store_true", help="no program with --checked-copies")
    args = parser.parse_args()
    folder = (args.work / kind.name).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    check = Check(compiled.Compiler(args.dist, folder), folder, kind, kind.watched if not args.unwatched else lambda seed: False)
    chosen = seeds.chosen(args, by_day)
    for seed in chosen:
        check.program(seed, args.element or ("float" if seed // 1000 % 2 + seed % 2 == 1 else "double"))
    if not check.failures:
        report(check, len(chosen))
    first = f", the first after {check.first_failure_s:.0f} s" if check.first_failure_s else ""
    print(f"{len(chosen)} programs from seed {args.seed}: {check.runs} runs, {len(check.failures)} failures{first}; "
          f"{time.monotonic() - check.begin:.0f} s")
    return 1 if check.failures else 0


if __name__ == "__main__":
    sys.exit(main())
