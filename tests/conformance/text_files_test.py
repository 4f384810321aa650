# SPDX-License-Identifier: MIT
"""Text matrix files byte by byte (docs/reference/language.md 10): what is accepted, what is written, standard streams, statuses.

    text_files_test.py --dist BUILD/dist --work FOLDER
"""

import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]
import compiled  # noqa: E402
import polybricks  # noqa: E402

SOURCE = """
main transform Both
from A, V[n], M[w,h], C[p,q,r]
to B, X[n], Y[w,h], Z[p,q,r]
{
  B from (A a) { return a; }
  X.cell(i) from (V.cell(i) v) { return v; }
  Y.cell(x,y) from (M.cell(x,y) m) { return m; }
  Z.cell(x,y,z) from (C.cell(x,y,z) c) { return c; }
}
"""


def number(value):
    return f"{value:4.8g}" if value == value else " nan"


def written(sizes, values):
    """A matrix as the text format has it: `values` in memory order."""
    if not sizes:
        return f"SIZE\n{number(values[0])}\n"
    text = "SIZE" + "".join(f" {s}" for s in sizes) + "\n"
    for i, value in enumerate(values):
        text += number(value) + " "
        step = 1
        for size in sizes:
            step *= size
            if (i + 1) % step == 0 and i + 1 < len(values):
                text += "\n"
    return text + "\n\n" if values else text


class Check:
    def __init__(self, program, folder):
        self.program, self.folder, self.failures, self.count = program, folder, [], 0

    def run(self, texts, stdin=None, names=None):
        paths = []
        for i, text in enumerate(texts):
            path = self.folder / f"text_in{i}.txt"
            if text is not None:
                path.write_text(text)
            paths.append("-" if text is None else str(path))
        outputs = names or [str(self.folder / f"text_out{i}.txt") for i in range(4)]
        return subprocess.run([str(self.program.path), *paths, *outputs], input=stdin, capture_output=True, text=True, timeout=60)

    def expect(self, what, good, found=""):
        self.count += 1
        if not good:
            self.failures.append(f"{what}: {found}")

    def outputs(self, what, texts, expected, stdin=None):
        done = self.run(texts, stdin)
        self.expect(f"{what}: status", done.returncode == 0, done.stderr)
        for i, want in enumerate(expected):
            got = (self.folder / f"text_out{i}.txt").read_text() if done.returncode == 0 else ""
            self.expect(f"{what}: output {i}", got == want, f"\n{got!r}\n{want!r}")

    def refuses(self, what, texts, words):
        done = self.run(texts)
        self.expect(what, done.returncode == 1 and all(w in done.stderr for w in words), f"{done.returncode} {done.stderr}")


def check_all(check):
    zero, line = written([], [2.5]), written([3], [1, -2, 3e10])
    table, box = written([3, 2], [1, 2, 3, 4, 5, 6]), written([2, 2, 3], [k / 3 for k in range(12)])
    check.outputs("as written", [zero, line, table, box], [zero, line, table, box])
    check.outputs("other layouts", ["size\n 2.5", "Size 3\n1\n\n-2\t30000000000", "sIzE 3x2 1 2 3\n4 5 6 7 8".replace(" 1 2", "\n1 2"),
                                    "SIZE\t2 2 3\n" + " ".join(repr(k / 3) for k in range(12))], [zero, line, table, box])
    check.outputs("what else is read", ["# a comment\nSIZE\n+2.5\n", "SIZE 3\n+1 -2.0e0 .3e+11\n", "SIZE 3 2\n1. 2 3\n# row\n4 5 6", box],
                  [zero, line, table, box])
    empty = ["SIZE\n7\n", "SIZE 0\n", "SIZE 0 4\n", "SIZE 2 0 3\n"]
    check.outputs("empty matrices", empty, ["SIZE\n   7\n", "SIZE 0\n", "SIZE 0 4\n", "SIZE 2 0 3\n"])
    odd = written([3], [0.1 + 0.2, 123456789, -1e-300])
    check.expect("eight digits", odd == "SIZE 3\n 0.3 1.2345679e+08 -1e-300 \n\n", odd)
    check.outputs("eight digits", [zero, "SIZE 3\n0.30000000000000004 123456789 -1e-300\n", table, box], [zero, odd, table, box])
    check.outputs("several from standard input", [None, None, table, None], [zero, line, table, box], stdin=zero + line + box)
    done = check.run([zero, line, table, box], names=["-", "/dev/null", "-", "/dev/null"])
    check.expect("standard output", done.stdout == zero + table, repr(done.stdout))
    check.refuses("wrong number of dimensions", [zero, table, table, box], ["V[n]"])
    check.refuses("too few numbers", [zero, line, "SIZE 3 2\n1 2 3 4 5", box], ["text_in2"])
    check.refuses("no number", [zero, line, "SIZE 3 2\n1 2 three 4 5 6", box], ["text_in2", "three"])
    check.refuses("no size", [zero, "1 2 3\n", table, box], ["text_in1"])
    check.refuses("missing file", [zero, line, table, box.replace("SIZE", "SIEZ")], ["text_in3"])


def main():
    args = polybricks.arguments(__doc__).parse_args()
    folder = (args.work / "text").resolve()
    folder.mkdir(parents=True, exist_ok=True)
    source = folder / "both.pbcc"
    source.write_text(SOURCE)
    check = Check(compiled.Compiler(args.dist, folder).program(source, "both"), folder)
    check_all(check)
    print("\n".join(check.failures))
    print(f"{check.count} checks, {len(check.failures)} failures")
    return 1 if check.failures else 0


if __name__ == "__main__":
    sys.exit(main())
