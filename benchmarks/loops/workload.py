# SPDX-License-Identifier: MIT
"""Loops of generated code beside the same loops by hand, in one program and with the same flags.

Each case (cases.py) is compiled into one program with its hand-written loop nest. Both run on equal matrices, which fit a cache. With
more than one thread the loops by hand use OpenMP.
"""

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from cases import CASES as USUAL_CASES  # noqa: E402
from everyday_cases import CASES as EVERYDAY_CASES  # noqa: E402
from harness.common import polybricks  # noqa: E402
from harness.contenders import Failed  # noqa: E402
from harness.experiment import Contender, Experiment  # noqa: E402
from rare_cases import CASES as RARE_CASES  # noqa: E402
from unusual_cases import CASES as UNUSUAL_CASES  # noqa: E402

CASES = {case.name: case for case in USUAL_CASES + UNUSUAL_CASES + EVERYDAY_CASES + RARE_CASES}

# A trial is the least time of ten blocks of calls: other load makes times longer, never shorter.
COMPARE = r"""
// The input is larger than the sequential cut-off: calls from below the cut-off would run on one thread.
main transform Compare from LARGE[q], BY_HAND, TRIALS to RESULT
{
  to (RESULT result) from (BY_HAND is_by_hand, TRIALS trials) {
    const int n = %(n)s;
    %(allocate)s
    Job(%(generated)s);
    by_hand(%(hand)s, n);
    double error = 0;
    %(compare)s
    result = error;
    printf("%%.3g", error);
    for (int trial = 0; trial < trials; ++trial) {
      double best = 1e30;
      for (int block = 0; block < 10; ++block) {
        const auto start = std::chrono::steady_clock::now();
        if (is_by_hand) {
          for (int k = 0; k < %(repeats)s; ++k) by_hand(%(hand)s, n);
        } else {
          for (int k = 0; k < %(repeats)s; ++k) Job(%(generated)s);
        }
        const auto end = std::chrono::steady_clock::now();
        best = std::min(best, std::chrono::duration<double, std::nano>(end - start).count() / %(repeats)s);
      }
      printf(" %%.9g", best);
    }
    printf("\n");
  }
}
"""


TYPES = {"": "E", "int": "int", "uchar": "unsigned char"}


def split_type(extents):
    """The C++ type of the elements, and the extents alone."""
    word, _, rest = extents.partition(" ") if extents.partition(" ")[0] in TYPES else ("", "", extents)
    return TYPES[word], rest


def source_of(case, is_parallel, repeats):
    """The source of the program that has both loops."""
    params = []
    allocate, generated, hand, compare = [], [], [], []
    for i, text in enumerate(case.extents):
        is_output = i < case.num_outputs
        element, extents = split_type(text)
        if not extents:
            params.append(f"{element}& m{i}" if is_output else f"const {element} m{i}")
            allocate.append(f"{element} M{i} = 1.5, H{i} = 1.5;")
            generated.append(f"M{i}")
            hand.append(f"H{i}")
            if is_output:
                compare.append(f"error = std::max(error, std::fabs((double) M{i}-H{i}) / (1 + std::fabs((double) H{i})));")
            continue
        params.append(f"{element}* __restrict m{i}" if is_output else f"const {element}* __restrict m{i}")
        rank = extents.count(",") + 1
        kind = f"MatrixRegion<{element}, {rank}>"
        value = "(i * 7919 % 1000) / E(1000)" if element == "E" else "(i * 7919 % 1000)"
        allocate.append(f"{kind} M{i} = {kind}::allocate({extents}), H{i} = M{i};")
        allocate.append(f"for (long i = 0; i < M{i}.count(); ++i) M{i}.base()[i] = {value};")
        if is_output:
            allocate.append(f"H{i} = {kind}::allocate({extents}); M{i}.copyTo(H{i});")
            compare.append(f"for (long i = 0; i < M{i}.count(); ++i) error = std::max(error, "
                           f"std::fabs((double) M{i}.base()[i] - H{i}.base()[i]) / (1 + std::fabs((double) H{i}.base()[i])));")
        elif case.fill:
            allocate.append(f"{element}* m{i} = M{i}.base();")
        generated.append(f"M{i}")
        hand.append(f"H{i}.base()")
    omp = "_Pragma(\"omp parallel for\")" if is_parallel else ""
    by_hand = case.by_hand.replace("parallel\n", omp + "\n")
    native = ("%{\n#include <chrono>\n#include <cstdint>\n#include <cmath>\n#include <vector>\n#include <cstdio>\nusing E = PB_ELEMENT;\n"
              f"[[gnu::noipa]] static void by_hand({', '.join(params)}, const int n) {{\n{by_hand}\n}}\n%}}\n")
    fill = {"allocate": "\n    ".join([*allocate, case.fill]), "generated": ", ".join(generated), "hand": ", ".join(hand),
            "compare": "\n    ".join(compare), "n": case.n, "repeats": repeats}
    return native + case.rules + "\n" + COMPARE % fill


def contenders(run, size):
    case, threads = CASES[size["loop"]], run.options.threads
    repeats = 1 if "multiply" in case.name or case.name == "row_rule_in_out" else 20
    source = run.out / f"{case.name}.pbcc"
    source.write_text(source_of(case, threads > 1, repeats), encoding="utf-8")
    program = run.compile(source, "--element", size["element"], "--keep")

    def contender(name, kind, is_by_hand):
        def times(trials):
            settings = [word for setting in (f"BY_HAND={is_by_hand}", f"TRIALS={trials}") for word in ("--set", setting)]
            done = polybricks.run_tool([program.path, "--n", 1000, "--threads", threads, "--device", "none", *settings])
            error, *found = map(float, next(line for line in done.stdout.splitlines() if len(line.split()) == trials + 1).split())
            if not error < 1e-4:
                raise Failed(f"wrong result: error {error:.3g}")
            return found
        return Contender(name, kind, times)

    yield contender("by hand", "baseline", 1)
    yield contender("generated", "program", 0)


def sizes(names):
    return [{"loop": name, "element": element} for element in ("double", "float") for name in names]


WORKLOAD = Experiment(
    title="Loops", source="loop nests by hand", contenders=contenders,
    sizes={"smoke": sizes(["stencil_1d"]), "cpu": sizes(CASES), "gpu": sizes(CASES)})
