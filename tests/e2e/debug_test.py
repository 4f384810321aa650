# SPDX-License-Identifier: MIT
"""Programs and libraries of `pbc --debug` in gdb: breakpoints at lines of bodies, backtraces, and how matrices look.

    debug_test.py --dist BUILD/dist --work FOLDER
"""

import pathlib
import sys

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import polybricks  # noqa: E402
from polybricks import check, run_tool  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent / "debug"
PLACES = HERE / "places.pbcc"
CELLS = numpy.arange(1.0, 13.0).reshape(3, 4)


class Debugged:
    """A program with its arguments, as gdb shows it."""

    def __init__(self, *command):
        self.command = command

    def stop(self, place, *commands):
        """What gdb prints where it stops at the place first, and for the commands there."""
        words = ["set style enabled off", "set breakpoint pending on", f"break {place}", "run", *commands]
        done = run_tool(["gdb", "-nx", "-batch", "-iex", f"add-auto-load-safe-path {self.command[0].parent}",
                         *(word for text in words for word in ("-ex", text)), "--args", *self.command])
        return done.stdout + done.stderr


def check_all(text, *expected):
    for part in expected:
        check(part in text, f"`{part}` is not in\n{text}")


def test_lines_of_bodies(program):
    for place, expected in (
            ("included.pbcc:6", ("rule_Plus_0_Out1", "return a + 1;", "a = 1")),
            ("places.pbcc:20", ("rule_Power_tmpl_2_0_Slowly", "p *= a;", "a = 2", "p = 1")),
            ("places.pbcc:7", ("half (x=8)", f"{PLACES}:21")),
            ("places.pbcc:34", ("rule_Mean_0_Out1", "return sum / 9;", "sum = ")),
            ("places.pbcc:45", ("rule_Shift_0_", "Out.cell(x, y) = In.cell(x, y) - 1;")),
            ("places.pbcc:56", ("rule_Places_0_Out1", "b);", "a = 4 × 3 cells of double"))):
        check_all(program.stop(place, "info args", "info locals", "backtrace 2"), *expected)


def test_matrices(program):
    shown = program.stop("places.pbcc:30", "print near", "print near.cell(0, 1)", "print near.size(0)", "up", "print In",
                         "frame function pb_user::pb_program::rule_Places_0_Out1", "print in.cell(9, 0)", "print in")
    check_all(shown, "3 × 3 cells of double, strides 1, 4 = {\n  4 9 16, \n  36 49 64, \n  100 121 144}")
    check_all(shown, "= 36\n", "= 3\n", "{\n  4 9 16 25, \n", "4 × 3 cells of double, strides 1, 4 = {\n  1 2 3 4, \n",
              "coordinate 0 is 9, but the extent is 4")


def test_backtrace_names_rules(program):
    shown = program.stop("places.pbcc:30", "backtrace")
    check_all(shown, "rule_Mean_0_Out1<", f"{PLACES}:30", "run_Mean", "rule_Places_0_Out1", f"{PLACES}:55", "near=3 × 3 cells")


def test_libraries(tools, work):
    for library in ("libplaces.so", "libplaces.a"):
        run_tool([tools.pbc, "--library", "--debug", PLACES, "-o", work / library])
        run_tool(["cc", HERE / "host.c", work / library, "-I", work, "-I", tools.dist / "include", f"-Wl,-rpath,{work}",
                  "-lstdc++", "-lm", "-lpthread", "-ldl", "-o", work / "host"])
        shown = Debugged(work / "host").stop("included.pbcc:6", "print a", "frame function loops_Plus_0_Out1", "print In")
        check_all(shown, "rule_Plus_0_Out1", "= 1\n", "3 × 2 cells of double, strides 1, 3")


def test_all_but_the_speed_is_as_without(tools, work):
    plain = tools.compile(PLACES, work / "plain")
    check(plain.info == polybricks.Program(work / "places").info, "the training information differs")
    check("RWE" not in run_tool(["readelf", "-lW", work / "places"]).stdout, "the stack is executable")
    check("step_Mean_0_Out1_cpu" in run_tool(["nm", "-C", work / "plain"]).stdout, "symbols do not name rules")
    outputs = []
    for program in ("plain", "places"):
        run_tool([work / program, work / "in.npy", work / f"{program}.npy"])
        outputs.append(numpy.load(work / f"{program}.npy"))
    check(numpy.allclose(*outputs), f"outputs: {outputs}")
    done = run_tool([tools.pbtune, work / "places", "--n", "4"], expect=1)
    check_all(done.stderr, "was made by `pbc --debug`, so its times say nothing; compile it without --debug")


def main():
    args = polybricks.arguments(__doc__).parse_args()
    if not polybricks.has_tool("gdb"):
        return polybricks.status_without("gdb")
    if polybricks.is_debugging_forbidden():
        print("gdb may not run programs here")
        return 77
    work = polybricks.fresh_folder(args.work.resolve() / "debug")
    tools = polybricks.Tools(args.dist)
    tools.compile(PLACES, work / "places", "--debug")
    numpy.save(work / "in.npy", CELLS)
    program = Debugged(work / "places", "--threads", "1", work / "in.npy", work / "out.npy")
    test_lines_of_bodies(program)
    test_matrices(program)
    test_backtrace_names_rules(program)
    test_libraries(tools, work)
    test_all_but_the_speed_is_as_without(tools, work)
    return 0


if __name__ == "__main__":
    sys.exit(main())
