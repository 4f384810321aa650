# SPDX-License-Identifier: MIT
"""`pbtune migrate`: a configuration follows its program through renamed rules, new ones and another name.

    migrate_test.py --dist BUILD/dist --work FOLDER
"""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import polybricks  # noqa: E402
from polybricks import check  # noqa: E402

BEFORE = """transform Blur
from IN[w, h]
to OUT[w, h]
tunable block(32, 1, 4096)
{
  rule OnePass to (OUT.cell(x, y) o) from (IN.cell(x, y) a) { o = 2 * a; }
  rule TwoPass to (OUT.cell(x, y) o) from (IN.cell(x, y) a) { o = a + a + 0 * block; }
}
"""
AFTER = """transform Smooth
from IN[w, h]
to OUT[w, h]
tunable tile(16, 1, 64)
{
  rule Direct to (OUT.cell(x, y) o) from (IN.cell(x, y) a) { o = 2 * a; }
  rule TwoPass to (OUT.cell(x, y) o) from (IN.cell(x, y) a) { o = a + a + 0 * tile; }
  rule Three to (OUT.cell(x, y) o) from (IN.cell(x, y) a) { o = a + a + a - a; }
}
"""
LEVELS = [{"rule": "OnePass", "on": "cpu"}, {"from": 20, "rule": "TwoPass", "on": "cpu"}]


class Bench:
    def __init__(self, tools, work):
        self.tools, self.work, self.program = tools, work, work / "blur"
        self.config = work / "blur.cfg"

    def compile(self, text, name="blur"):
        source = self.work / f"{name}.pbcc"
        source.write_text(text)
        return self.tools.compile(source, self.program)

    def migrate(self, *options, expect=0):
        return polybricks.run_tool([self.tools.pbtune, "migrate", self.program, *options], expect=expect)

    def read(self):
        return json.loads(self.config.read_text())

    def ran(self, n):
        done = polybricks.run_tool([self.program, "--n", n, "--stats=json", "--strict"])
        check(done.stderr == "", done.stderr)
        return {site: choice["rule"] for site, choice in polybricks.statistics_of(done.stdout)["ran"].items()}


def main():
    args = polybricks.arguments(__doc__).parse_args()
    work = polybricks.fresh_folder(args.work.resolve() / "migrate")
    b = Bench(polybricks.Tools(args.dist.resolve()), work)

    b.compile(BEFORE)
    polybricks.run_tool([b.program, "--reset"])  # an entry of this machine
    whole = b.read()
    whole["entries"][0]["transforms"]["Blur"]["sites"]["OnePass|TwoPass"] = LEVELS
    whole["entries"][0]["transforms"]["Blur"]["tunables"]["block"] = 48
    other = json.loads(json.dumps(whole["entries"][0]))
    other["machine"]["cpu"] = "another one"
    other["transforms"]["Blur"]["tunables"]["block"] = 4000
    whole["entries"].append(other)
    b.config.write_text(json.dumps(whole))
    before = b.config.read_text()
    check(b.ran(10) == {"Blur.OnePass|TwoPass": "OnePass"}, "the configuration of before is used")
    done = b.migrate()
    check("as it is" in done.stdout and b.config.read_text() == before, f"nothing to do, nothing written: {done.stdout}")

    # The new program has other names for everything, a new rule and a smaller range.
    b.compile(AFTER)
    hint = polybricks.run_tool([b.program, "--n", 10]).stderr
    check("`pbtune migrate`" in hint, f"a run says what helps: {hint}")
    renames = ("--rename", "Blur=Smooth", "--rename", "Blur.OnePass=Direct", "--rename", "Blur.block=tile")
    dry = b.migrate(*renames, "--no-guess", "--dry-run")
    check(b.config.read_text() == before and "Smooth.block = 4000: out of range (1 to 64)" in dry.stdout, f"a dry run writes nothing: {dry.stdout}")
    done = b.migrate(*renames, "--no-guess")
    check((work / "blur.cfg.old").read_text() == before, "the old file is kept, byte for byte")
    for words in ("Smooth.Direct|TwoPass|Three takes over what was Blur.OnePass|TwoPass", "blur.cfg.old", "pbtune"):
        check(words in done.stdout, f"{words}: {done.stdout}")
    now = b.read()["entries"]
    check([entry["transforms"]["Smooth"]["tunables"]["tile"] for entry in now] == [48, 16], f"values of both machines: {now}")
    check("times_ns" not in now[0]["provenance"] or not now[0]["provenance"]["times_ns"], "times of another program are none of this one")
    check(b.ran(10) == {"Smooth.Direct|TwoPass|Three": "Direct"} and b.ran(30) == {"Smooth.Direct|TwoPass|Three": "TwoPass"}, "it is used")
    check(polybricks.run_tool([b.tools.pbtune, "check", b.program]).stderr == "", "and valid")

    # Guessing gives the same result; a second old file does not replace the first.
    migrated = b.config.read_text()
    b.config.write_text(before + "\n")
    done = b.migrate()
    check("Blur -> Smooth" in done.stdout and "--no-guess" in done.stdout, f"guesses are said: {done.stdout}")
    check(b.config.read_text() == migrated, "guesses find what was said")
    check((work / "blur.cfg.old").read_text() == before and (work / "blur.cfg.old2").read_text() == before + "\n", "both old files are kept")

    # The program is renamed and lies elsewhere; the file holds one configuration.
    b.program = work / "smooth"
    b.compile(AFTER, "smooth")
    short = work / "short.cfg"
    short.write_text(json.dumps({"program": "blur", "transforms": {"Smooth": {"sites": {"Direct|TwoPass|Three": [{"rule": "Three"}]}}}}))
    done = b.migrate("--config", short, "-o", work / "smooth.cfg")
    check("of program `blur`, now `smooth`" in done.stdout and short.exists(), done.stdout)
    check(b.ran(10) == {"Smooth.Direct|TwoPass|Three": "Three"}, "a file of one configuration stays one")

    # The configuration is one of PetaBricks, where rules have numbers and levels have cut-offs.
    short.write_text("Smooth_0_lvl1_rule = 1\nSmooth_0_lvl2_cutoff = 20  # int\nSmooth_0_lvl2_rule = 2\nSmooth_tile = 7\n")
    done = b.migrate("--config", short, "-o", work / "smooth.cfg")
    check("1 choice, 1 value" in done.stdout and "order of the source" in done.stdout, done.stdout)
    check(b.ran(10) == {"Smooth.Direct|TwoPass|Three": "TwoPass"} and b.ran(30) == {"Smooth.Direct|TwoPass|Three": "Three"}, "levels are kept")

    # Where nothing applies, nothing is written.
    short.write_text(json.dumps({"program": "other", "transforms": {"Other": {"tunables": {"x": 1}}}}))
    done = b.migrate("--config", short, "-o", work / "none.cfg", expect=1)
    check("nothing of it applies" in done.stdout and not (work / "none.cfg").exists(), done.stdout)
    broken = b.migrate("--config", short, "--rename", "Othr=Smooth", expect=1)
    check("did you mean `Other`?" in broken.stderr, broken.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
