# SPDX-License-Identifier: MIT
"""pbtune serves several cases with one configuration: levels tell sizes apart by what the cases differ in. Where it does not know
that, as of files, a rule that is best for one case loses where another one loses more. A search that is killed goes on.

    tuner_cases_test.py --dist BUILD/dist --work FOLDER
"""

import json
import pathlib
import re
import signal
import subprocess
import sys
import time

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import polybricks  # noqa: E402

N, FEW, MANY = 2000, 2, 40
BOTH = r"Growing.*; where k is at least \d+: Constant"

# Both rules give the same result; the work of the first grows with `k`. For 2 it takes less than half the time of the
# second, for 40 five times as long.
SOURCE = """
transform Depth
from IN[n], K[k]
to OUT[n]
{
  rule Growing to (OUT.cell(i) out) from (IN.cell(i) a) { BODY(20 * k) }
  rule Constant to (OUT.cell(i) out) from (IN.cell(i) a) { BODY(120) }
}
"""
BODY = """ElementT v = a; for (int j = 0; j < 20; ++j) v = v * ElementT(0.75) + a;
    ElementT w = v + 1; for (int j = 0; j < STEPS; ++j) w = w * ElementT(0.75) + a;
    if (w > ElementT(1e30)) v = w;
    out = v;"""


class Check:
    def __init__(self, tools, work):
        self.tools, self.config = tools, work / "depth.cfg"
        source = work / "depth.pbcc"
        source.write_text(re.sub(r"BODY\((.*)\)", lambda found: BODY.replace("STEPS", found.group(1)), SOURCE))
        self.program = tools.compile(source, work / "depth").path

    def command(self, *cases):
        # One thread: all values that could matter are then the rules.
        return [str(word) for word in (self.tools.pbtune, self.program, *cases, "--device", "none", "--threads", 1, "--effort", "quick",
                                       "--time-limit", 3, "-o", self.config)]

    def tune(self, *cases):
        """Returns the rule that was chosen, the entry's provenance and what pbtune printed."""
        done = polybricks.run_tool(self.command(*cases))
        entry = json.loads(self.config.read_text())["entries"][0]
        explained = polybricks.run_tool([self.tools.pbtune, "explain", self.program, "--config", self.config]).stdout
        rule = next((name for name in (BOTH, "Growing", "Constant") if re.search(name, explained)), None)
        return rule, entry["provenance"], done.stdout + done.stderr

    def tune_anew(self, *cases):
        for path in (self.config, pathlib.Path(f"{self.config}.journal")):
            path.unlink(missing_ok=True)
        return self.tune(*cases)


def gain(provenance, case):
    times = provenance["times_ns"]
    return times[f"{case}: default"] / times[f"{case}: tuned"]


def main():
    args = polybricks.arguments(__doc__).parse_args()
    work = polybricks.fresh_folder(args.work / "tuner_cases")
    check = Check(polybricks.Tools(args.dist), work)
    np.save(work / "in.npy", np.linspace(0, 1, N))
    np.save(work / "many.npy", np.ones(MANY))

    rule, _, text = check.tune_anew("--n", N, "--size", f"k={FEW}")
    assert rule == "Growing", text

    sizes = ("--n", N, "--size", f"k={FEW}", "--size", f"k={MANY}")
    files = ("--n", N, "--size", f"k={FEW}", "--inputs", work / "in.npy", work / "many.npy")
    for cases, name, expected in ((sizes, f"k = {MANY}", BOTH), (files, "in.npy many.npy", "Constant")):
        rule, provenance, text = check.tune_anew(*cases)
        assert rule == expected, text
        assert provenance["cases"] == [f"k = {FEW}", name], provenance
        few, many = gain(provenance, f"k = {FEW}"), gain(provenance, name)
        assert many > 2 and (few < 0.8) == (rule != BOTH), text
        assert rule == BOTH or re.search(rf"^  k = {FEW}: .*x slower", text, re.MULTILINE), text
        assert re.search(rf"^  {name}: .*x faster", text, re.MULTILINE), text
        mean = provenance["times_ns"]["default"] / provenance["times_ns"]["tuned"]
        assert abs(mean / (few * many) ** 0.5 - 1) < 0.1, text

    check.config.unlink()
    journal = pathlib.Path(f"{check.config}.journal")
    journal.unlink(missing_ok=True)
    killed = subprocess.Popen(check.command(*sizes), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while killed.poll() is None and not (journal.exists() and journal.read_text().count("\n") > 1):
        time.sleep(0.01)
    killed.kill()
    assert killed.wait() == -signal.SIGKILL, "the search ended before it was killed"
    rule, provenance, text = check.tune(*sizes)
    assert rule == BOTH and "resuming: " in text and len(provenance["cases"]) == 2, text

    wrong = polybricks.run_tool(check.command("--n", N, "--size", "m=2", "--size", "m=3"), expect=1)
    assert "--size m: there is no such size variable; Depth has n, k" in wrong.stderr, wrong.stderr
    return 0


if __name__ == "__main__":
    sys.exit(main())
