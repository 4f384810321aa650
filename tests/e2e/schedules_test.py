# SPDX-License-Identifier: MIT
"""Levels that test size variables, and schedules, in programs that read them and in ones that have them as constants.

One configuration sums few long rows in any order, many rows from the end, and others in the order of the text. Each shape must have
the bits of a configuration that does so at every size.

    schedules_test.py --dist BUILD/dist --work FOLDER
"""

import json
import pathlib
import re
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import polybricks  # noqa: E402
from polybricks import check  # noqa: E402

SOURCE = pathlib.Path(__file__).resolve().parent / "schedules" / "rows.pbcc"
SITE, ORDER = "Forward|Backward", "Forward.cpu.fold_order"
LEVELS = [{"rule": "Forward", "on": "cpu"}, {"from": 100, "by": "n", "rule": "Forward", "on": "cpu", "schedule": 2},
          {"from": 50, "by": "m", "rule": "Backward", "on": "cpu"}]
SCHEDULES = [{ORDER: 0}, {ORDER: 1}]
# (rows, columns): the rule that runs there, and its order
SHAPES = {(3, 20): ("Forward", 0), (3, 99): ("Forward", 0), (3, 100): ("Forward", 1), (2, 3000): ("Forward", 1), (49, 3000): ("Forward", 1),
          (50, 3000): ("Backward", 0), (3000, 2): ("Backward", 0)}


class Rows:
    def __init__(self, tools, work):
        self.tools, self.work = tools, polybricks.fresh_folder(work)
        self.program = tools.compile(SOURCE, self.work / "rows", "--element=float")

    def config(self, name, levels, **other):
        path = self.work / f"{name}.cfg"
        self.program.write_configuration(path, {"global": {"threads": 2}, "transforms": {"Rows": {"sites": {SITE: levels}, **other}}})
        return path

    def run(self, program, shape, config):
        """The bits of the output, and the rule that ran."""
        source, target = self.work / "in.npy", self.work / "out.npy"
        np.save(source, np.random.default_rng(shape[0]).normal(size=shape).astype(np.float32))
        done, stats = program.run("--device", "none", source, target, config=config)
        check(not done.stderr, done.stderr)
        return np.load(target).tobytes(), [entry["rule"] for _, entry in polybricks.ran_of(stats)]


def test_each_shape_runs_as_its_level_says(rows):
    """Also as constants of the program, which then takes no other configuration."""
    config = rows.config("shapes", LEVELS, schedules={SITE: SCHEDULES})
    fixed = rows.tools.compile(SOURCE, rows.work / "fixed", "--element=float", "--config", config)
    orders = {0: 0, 1: 0}
    for shape, (rule, order) in SHAPES.items():
        alone = rows.config("alone", [{"rule": rule, "on": "cpu"}], tunables={ORDER: order})
        expected, _ = rows.run(rows.program, shape, alone)
        for program, given in ((rows.program, config), (fixed, None), (fixed, config)):
            bits, ran = rows.run(program, shape, given)
            check(ran == [rule], f"{shape}: {ran} ran, expected {rule}")
            check(bits == expected, f"{shape}: other bits than with {rule} in order {order}, {program.path.name}")
        other = rows.config("other", [{"rule": rule, "on": "cpu"}], tunables={ORDER: 1 - order})
        orders[order] += rows.run(rows.program, shape, other)[0] != expected
    check(orders[1] > 0, "no shape shows the order")
    refused = rows.config("refused", LEVELS, schedules={SITE: [{ORDER: 0}, {ORDER: 0}]})
    done, _ = fixed.run("--n", "9", config=refused, expect=1)
    check("was fixed to something else" in done.stderr, done.stderr)


def test_tools_know_schedules(rows):
    """The tuner's commands describe such a configuration, and migrate keeps it and rewrites format 1."""
    tunables = rows.program.info["transforms"]["Rows"]["tunables"]
    check(tunables[ORDER]["site"] == SITE and "site" not in tunables["split_size"], tunables)
    config = rows.config("shapes", LEVELS, schedules={SITE: SCHEDULES})
    words = polybricks.run_tool([rows.tools.pbtune, "explain", rows.program.path, "--config", config]).stdout
    check(re.search(r"where n is at least 100: Forward.*any order; where m is at least 50: Backward", words), words)
    polybricks.run_tool([rows.tools.pbtune, "check", rows.program.path, "--config", config])
    former = rows.config("former", LEVELS[:1], tunables={ORDER: 1})
    former.write_text(former.read_text().replace('"format": 2', '"format": 1'))
    config.write_text(config.read_text().replace(rows.program.info["source"], "sha256:0"))  # of another state of the program
    for source, levels, schedules in ((config, LEVELS, SCHEDULES), (former, LEVELS[:1], [{ORDER: 1}])):
        target = rows.work / "migrated.cfg"
        polybricks.run_tool([rows.tools.pbtune, "migrate", rows.program.path, "--config", source, "-o", target])
        whole = json.loads(target.read_text())
        written = whole["entries"][0]["transforms"]["Rows"]
        check(whole["format"] == 2, whole["format"])
        check(written["sites"][SITE] == levels, written["sites"])
        orders = [{ORDER: schedule[ORDER]} for schedule in written["schedules"][SITE]]
        check(orders == schedules and ORDER not in written["tunables"], written)


def main():
    args = polybricks.arguments(__doc__).parse_args()
    rows = Rows(polybricks.Tools(args.dist), args.work / "schedules")
    for test in (test_each_shape_runs_as_its_level_says, test_tools_know_schedules):
        test(rows)
        print(f"{test.__name__}: ok")
    return 0


if __name__ == "__main__":
    sys.exit(main())
