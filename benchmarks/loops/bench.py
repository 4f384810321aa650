# SPDX-License-Identifier: MIT
"""Loops of generated code next to the same loops by hand, in one process and with the same flags.

Each case (cases.py) is compiled into one program with its hand-written loop nest. The two run in turn on the same matrices, which fit
a cache. The smallest time of each and their ratio are printed. With --threads above 1 the hand-written loops use OpenMP.
"""

import argparse
import math
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[0]))
from harness import common as harness  # noqa: E402
from cases import CASES as USUAL_CASES  # noqa: E402
from everyday_cases import CASES as EVERYDAY_CASES  # noqa: E402
from harness.common import polybricks  # noqa: E402
from rare_cases import CASES as RARE_CASES  # noqa: E402
from unusual_cases import CASES as UNUSUAL_CASES  # noqa: E402

CASES = USUAL_CASES + UNUSUAL_CASES + EVERYDAY_CASES + RARE_CASES

COMPARE = r"""
// The input is larger than the sequential cut-off: calls from below the cut-off would run on one thread.
main transform Compare from LARGE[q] to RESULT
{
  to (RESULT result) from () {
    const int n = %(n)s;
    %(allocate)s
    double best[2] = {1e30, 1e30};
    for (int round = 0; round < %(rounds)s; ++round) {
      const auto start = std::chrono::steady_clock::now();
      for (int k = 0; k < %(repeats)s; ++k) Job(%(generated)s);
      const auto middle = std::chrono::steady_clock::now();
      for (int k = 0; k < %(repeats)s; ++k) by_hand(%(hand)s, n);
      const auto end = std::chrono::steady_clock::now();
      best[0] = std::min(best[0], std::chrono::duration<double>(middle - start).count() / %(repeats)s);
      best[1] = std::min(best[1], std::chrono::duration<double>(end - middle).count() / %(repeats)s);
    }
    double error = 0;
    %(compare)s
    result = error;
    printf("%%.9g %%.9g %%.3g\n", best[0], best[1], error);
  }
}
"""


TYPES = {"": "E", "int": "int", "uchar": "unsigned char"}


def split_type(extents):
    """The C++ type of the elements, and the extents alone."""
    word, _, rest = extents.partition(" ") if extents.partition(" ")[0] in TYPES else ("", "", extents)
    return TYPES[word], rest


def program(case, is_parallel, rounds, repeats):
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
            "compare": "\n    ".join(compare), "n": case.n, "rounds": rounds, "repeats": repeats}
    return native + case.rules + "\n" + COMPARE % fill


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dist", required=True, type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path, default=harness.ROOT / "build" / "benchmarks" / "loops")
    parser.add_argument("--cases", help="names, separated by commas")
    parser.add_argument("--element", default="double,float")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=40)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    tools = polybricks.Tools(args.dist)
    wanted = args.cases.split(",") if args.cases else [case.name for case in CASES]
    times = {}
    for element in args.element.split(","):
        for case in CASES:
            if case.name not in wanted:
                continue
            source = args.out / f"{case.name}.pbcc"
            binary = args.out / f"{case.name}_{element}"
            repeats = 1 if "multiply" in case.name or case.name == "row_rule_in_out" else 20
            source.write_text(program(case, args.threads > 1, args.rounds, repeats), encoding="utf-8")
            polybricks.run_tool([tools.pbc, source, "--element", element, "--keep", "-o", binary])
            command = [binary, "--n", 1000, "--threads", args.threads, "--device", "none"]
            text = subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True).stdout
            generated, hand, error = (float(word) for word in text.split()[-3:])
            times[case.name, element] = (generated, hand)
            ratio = generated / hand
            note = "" if error < 1e-4 else f"   WRONG by {error}"
            print(f"{case.name:20} {element:7} {generated*1e6:10.2f} us {hand*1e6:10.2f} us {ratio:7.2f}{note}", flush=True)
    ratios = [generated / hand for generated, hand in times.values()]
    print(f"geometric mean {math.exp(sum(map(math.log, ratios)) / len(ratios)):.3f}, largest {max(ratios):.2f}")
    for case in CASES:
        pair = [times.get((case.name, element)) for element in ("double", "float")]
        if case.is_vector_bound and None not in pair:
            print(f"{case.name:20} double : float {pair[0][0] / pair[1][0]:.2f}, by hand {pair[0][1] / pair[1][1]:.2f}")


if __name__ == "__main__":
    sys.exit(main())
