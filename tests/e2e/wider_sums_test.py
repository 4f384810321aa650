# SPDX-License-Identifier: MIT
"""Measured sums are held to sums in wider numbers. Where the order of the source loses too much, the tuner says so, and takes another
order. A rule whose error is within the tolerance, but larger than rounding makes it, is wrong.

    wider_sums_test.py --dist BUILD/dist --work FOLDER
"""

import json
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import polybricks  # noqa: E402

SOURCE = """
main transform Sum from A[n] to S {
  to (S s) from (A a) { s = 0; for (int i = 0; i < n; ++i) s += a.cell(i); }
}

// The second rule leaves out a term.
transform Pair from A[n] to S {
  S from (A a) { ElementT s = 0; for (int i = 0; i < n; ++i) s += a.cell(i); return s; }
  S from (A a) { ElementT s = 0; for (int i = 1; i < n; ++i) s += a.cell(i); return s; }
}

// The rows that are sampled of a large output stand for all.
transform Products from A[n,m], X[n] to Y[m] {
  Y.cell(i) from (A.row(i) a, X x) {
    ElementT sum = 0;
    for (int j = 0; j < n; ++j) { const ElementT factor = x.cell(j); sum += a.cell(j) * factor; }
    return sum / 2;
  }
}
"""
STAGNATES = "sums of the default err by more than rounding must"


class Check:
    def __init__(self, tools, work, kind):
        source = work / "sums.pbcc"
        source.write_text(SOURCE)
        self.tools, self.work, self.kind = tools, work, kind
        self.program = tools.compile(source, work / f"sums_{kind.__name__}", "--element", "float" if kind is np.float32 else "double")

    def server(self, transform, *matrices):
        """A server with these inputs, and what it says about the reference."""
        server = polybricks.Server(self.program, "--transform", transform, "--device", "none")
        paths = [self.work / f"in{i}.npy" for i in range(len(matrices))]
        for path, matrix in zip(paths, matrices):
            np.save(path, matrix.astype(self.kind))
        server.ask("inputs", files=[str(path) for path in paths])
        return server, server.ask("reference").get("message", "")

    def fold_orders(self, transform):
        """Configurations: the order of the source, and any."""
        name = next(name for name in self.program.info["transforms"][transform]["tunables"] if name.endswith(".cpu.fold_order"))
        return [self.program.configuration({}, {transform: {name: order}}) for order in (0, 1)]

    def stagnation(self):
        """A sum that the order of the source does not let grow: that order passes as the default does, another one is right."""
        numbers = np.ones(2**17)
        numbers[0] = 2 / np.finfo(self.kind).eps
        if self.kind is np.float64:
            numbers[1:] = 0.5  # too small a part of the sum for the tolerance
        server, words = self.server("Sum", numbers)
        with server:
            is_bad = STAGNATES in words
            polybricks.check(is_bad == (self.kind is np.float32), f"a sum of {self.kind.__name__}, of which the program says `{words}`")
            for config in self.fold_orders("Sum"):
                reply = server.ask("run", config=config)
                polybricks.check(reply["status"] == "ok", f"a sum is refused: {reply}")

    def tuned(self):
        """The tuner warns, and chooses any order."""
        config = self.work / "sums.cfg"
        done = polybricks.run_tool([self.tools.pbtune, self.program.path, "--inputs", self.work / "in0.npy", "--device", "none", "--effort",
                                    "quick", "--time-limit", "10", "--output", config])
        text = done.stdout + done.stderr
        polybricks.check(f"warning: {STAGNATES}" in text, f"the tuner does not warn of a sum that errs:\n{text}")
        (schedule,), = json.loads(config.read_text())["entries"][0]["transforms"]["Sum"]["schedules"].values()
        order = next(value for name, value in schedule.items() if name.endswith(".cpu.fold_order"))
        polybricks.check(order == 1, f"the tuner keeps an order that is slow and errs:\n{text}")

    def left_out_term(self):
        """An error below the tolerance is an error; a tolerance that the user gives counts instead."""
        tolerance = 1e-4 if self.kind is np.float32 else 1e-9
        numbers = np.ones(20)
        numbers[0] = 10 * tolerance
        server, words = self.server("Pair", numbers)
        polybricks.check(words == "", f"a sum of few numbers errs: {words}")
        (site, rules), = [(site, [rule for rule, on in alternatives if on == "cpu"]) for transform, site, alternatives in self.program.sites()
                          if transform == "Pair"]
        configs = [self.program.configuration({"Pair": {site: (rule, "cpu")}}) for rule in rules]
        with server:
            replies = [server.ask("run", config=config) for config in configs]
            polybricks.check([reply["status"] for reply in replies] == ["ok", "wrong"], f"a sum without a term passes: {replies}")
            polybricks.check("the sum in wider numbers is" in replies[1]["message"], f"no word of the sum: {replies[1]}")
            reply = server.ask("run", config=configs[1], tolerance=tolerance)
            polybricks.check(reply["status"] == "ok", f"a tolerance that was asked for does not count: {reply}")

    def cancellation(self):
        """Terms that cancel leave a small sum with a large error, which no order avoids; small rows are held to their own sums."""
        rng = np.random.default_rng(polybricks.seed())
        rows = rng.normal(size=(4, 4096))
        rows[0] *= 1e3
        rows[0, 1::2] = -rows[0, ::2]
        server, words = self.server("Products", rows, np.ones(4096))
        polybricks.check(words == "", f"terms that cancel are an error: {words}")
        with server:
            for config in self.fold_orders("Products"):
                reply = server.ask("run", config=config)
                polybricks.check(reply["status"] == "ok", f"terms that cancel are refused: {reply}")


def main():
    args = polybricks.arguments(__doc__).parse_args()
    work = polybricks.fresh_folder(args.work / "wider_sums")
    tools = polybricks.Tools(args.dist)
    for kind in (np.float32, np.float64):
        check = Check(tools, work, kind)
        check.stagnation()
        if kind is np.float32:
            check.tuned()
        check.left_out_term()
        check.cancellation()
    return 0


if __name__ == "__main__":
    sys.exit(main())
