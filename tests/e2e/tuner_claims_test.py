# SPDX-License-Identifier: MIT
"""What pbtune claims is true: programs whose choices are all alike are tuned, and programs with a choice that is faster
by a factor of 1.3 to 3. A gain that is claimed must be there when `pbtune compare` measures it again.

    tuner_claims_test.py --dist BUILD/dist --work FOLDER [--alike N] [--faster N] [--time-limit SEC]
"""

import pathlib
import random
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import polybricks  # noqa: E402

CLAIMED = 1.02  # a smaller factor claims nothing
MOST_OFF = 1.1  # a claim may differ from a later measurement by this factor
LEAST_GAIN = 1.2
COMPARISONS = 3  # at most
# Of the alike programs, this share may claim a gain that is not there; of the faster ones, this may miss theirs.
WRONG_SHARE = {"alike": 0.05, "faster": 0.1}


def chain(steps):
    """Statements that make `v` of `a`, with work that no compiler shortens: each step needs the one before it."""
    return f"ElementT v = a; for (int k = 0; k < {steps}; ++k) v = v * ElementT(0.75) + a;"


def wasted(steps):
    """More work of the same kind behind it, whose result does not matter."""
    return f"ElementT w = v + 1; for (int k = 0; k < {steps}; ++k) w = w * ElementT(0.75) + a; if (w > ElementT(1e30)) v = w;"


def rule(name, kind, steps, extra):
    body = chain(steps) + " " + wasted(extra)
    if kind == "cells":
        return f"rule {name} to (OUT.cell(i) out) from (IN.cell(i) a) {{ {body} out = v; }}"
    if kind == "rows":
        return f"rule {name} to (OUT.row(j) out) from (IN.row(j) in) {{ for (int i = 0; i < in.width(); ++i) {{ ElementT a = in.cell(i); {body} out.cell(i) = v; }} }}"
    return f"rule {name} to (OUT out) from (IN in) {{ for (int i = 0; i < in.width(); ++i) {{ ElementT a = in.cell(i); {body} out.cell(i) = v; }} }}"


class Drawn:
    """A program with two or three rules for the same result; the first is the default, and takes about `factor` times as
    long as the others."""

    def __init__(self, rng, number, factor):
        self.factor = factor
        self.kind = rng.choice(["cells", "rows", "whole"])
        steps = rng.choice([20, 40, 80])
        self.name = f"{self.kind}_{number}"
        self.n = rng.choice([700, 900, 1500, 4000, 20000]) if self.kind != "rows" else rng.choice([40, 64, 150])
        dims = "[n, n]" if self.kind == "rows" else "[n]"
        extra = round(steps * (factor - 1))
        names = ["First", "Second", "Third"][: rng.choice([2, 3])]
        rules = [rule(name, self.kind, steps, 1 + extra if name == "First" else 1) for name in names]
        self.source = "transform Chain\nfrom IN{0}\nto OUT{0}\n{{\n  {1}\n}}\n".format(dims, "\n  ".join(rules))


class Judge:
    def __init__(self, tools, work, time_limit_s):
        self.tools, self.work, self.time_limit_s = tools, work, time_limit_s

    def claim_of(self, drawn, seed):
        """Tunes a program. Returns the factor that is claimed (1: none) and the one that `compare` finds."""
        source = self.work / f"{drawn.name}.pbcc"
        source.write_text(drawn.source)
        program = self.tools.compile(source, self.work / drawn.name)
        config = self.work / f"{drawn.name}.cfg"
        # One thread: all values that could matter are then the rules.
        done = polybricks.run_tool([self.tools.pbtune, program.path, "--n", drawn.n, "--device", "none", "--threads", 1, "--effort", "quick",
                                    "--time-limit", self.time_limit_s, "--seed", seed, "-o", config])
        line = next(line for line in done.stdout.splitlines() if line.startswith("at size"))
        words = re.search(r": ([\d.]+)x faster$", line)
        claimed = float(words.group(1)) if words else 1.0
        # Another program on the other thread of a core slows one rule down more than the other. So the ratio itself changes with the
        # load, and what differs is measured again.
        for _ in range(COMPARISONS):
            found = self.compare(program, config, drawn.n)
            if not is_off(claimed, found):
                break
        print(f"{drawn.name}, n = {drawn.n}, {drawn.factor:.2f}: claimed {claimed:.3f}, found {found:.3f}", flush=True)
        return claimed, found

    def compare(self, program, config, n):
        plain = self.work / "plain.cfg"
        program.write_configuration(plain, {"global": {"threads": 1}, "transforms": {}})
        done = polybricks.run_tool([self.tools.pbtune, "compare", program.path, config, plain, "--n", n, "--device", "none", "--rounds", 41, "--time-limit", 10])
        sure = re.search(r"(\S.*) is ([\d.]+) times as fast", done.stdout)
        if sure:
            return float(sure.group(2)) if str(config) in sure.group(1) else 1 / float(sure.group(2))
        return 1.0


def is_off(claimed, found):
    return not found / MOST_OFF <= claimed <= found * MOST_OFF


def is_wrong(kind, claimed, found):
    if kind == "alike":
        return claimed > CLAIMED and claimed > MOST_OFF * found
    return claimed <= CLAIMED or is_off(claimed, found)


def main():
    parser = polybricks.arguments(__doc__)
    is_nightly = polybricks.is_nightly()
    parser.add_argument("--alike", type=int, default=20 if is_nightly else 2)
    parser.add_argument("--faster", type=int, default=10 if is_nightly else 2)
    parser.add_argument("--time-limit", type=float, default=20 if is_nightly else 4)
    args = parser.parse_args()
    seed = polybricks.seed()
    rng = random.Random(seed)
    judge = Judge(polybricks.Tools(args.dist), polybricks.fresh_folder(args.work / "tuner_claims"), args.time_limit)
    failed = False
    for kind, count in (("alike", args.alike), ("faster", args.faster)):
        drawn = [Drawn(rng, f"{kind}_{k}", 1 if kind == "alike" else rng.uniform(LEAST_GAIN + 0.1, 3)) for k in range(count)]
        num_wrong = sum(is_wrong(kind, *judge.claim_of(each, seed + k)) for k, each in enumerate(drawn))
        # A sample that is too small for its share may have one: a machine that others use does not repeat itself.
        failed = failed or num_wrong > max(1, WRONG_SHARE[kind] * count) or num_wrong == count > 1
        print(f"{kind}: {num_wrong} of {count} claims are wrong (seed {seed})")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
