# SPDX-License-Identifier: MIT
"""What a user does wrong, and what breaks around them: each case ends with a clear message and the right
exit status, and nothing that existed before is lost.

    bad_input_test.py --dist BUILD/dist --work FOLDER [--only NAME]
"""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import polybricks  # noqa: E402

PROGRAM = """transform Scale
from A[n], F
to B[n]
{
  B.cell(i) from (A.cell(i) a, F f) { return a * f; }
}
"""

CASES = []


def case(function):
    CASES.append(function)
    return function


class Bench:
    """A work folder with a compiled program and good inputs, and the checks on what tools print."""

    def __init__(self, dist, work):
        self.tools, self.work = polybricks.Tools(dist), work
        self.faults = []
        (work / "scale.pbcc").write_text(PROGRAM)
        self.program = self.tools.compile(work / "scale.pbcc", work / "scale")
        (work / "a.txt").write_text("SIZE 4\n1 2 3 4\n\n")
        (work / "f.txt").write_text("SIZE\n2\n")
        self.good = [work / "a.txt", work / "f.txt", work / "out.txt"]
        self.name = ""

    def expect(self, command, status, *patterns, absent=(), **kwargs):
        """Runs a command: exit status, regular expressions its output must match, files that must not exist."""
        kwargs.setdefault("timeout", 60)
        done = subprocess.run([str(c) for c in command], capture_output=True, text=True, cwd=self.work, **kwargs)
        text = done.stdout + done.stderr
        faults = [] if done.returncode == status else [f"exit status {done.returncode}, expected {status}"]
        faults += [f"no match for /{p}/" for p in patterns if not re.search(p, text)]
        faults += [f"{path} exists" for path in absent if pathlib.Path(path).exists()]
        leftovers = [p.name for p in self.work.iterdir() if re.search(r"tmp|\.part|~$", p.name)]
        faults += [f"left behind: {leftovers}"] if leftovers else []
        if "terminate called" in text or "Assertion" in text or "AddressSanitizer" in text:
            faults.append("it crashed")
        if faults:
            self.faults.append(f"{self.name}: {' '.join(map(str, command))}\n  " + "\n  ".join(faults) + f"\n  printed:\n{text}")
        return text

    def check_source(self, text, *patterns):
        source = self.work / "bad.pbcc"
        source.write_text(text)
        self.expect([self.tools.pbc, source, "-o", self.work / "bad"], 1, r"bad\.pbcc:\d+:\d+: error: ", r"\^", *patterns,
                    absent=[self.work / "bad", self.work / "bad.info"])

    def run_with(self, inputs, *patterns, status=1, **kwargs):
        out = self.work / "new.txt"
        out.unlink(missing_ok=True)
        self.expect([self.program.path, *inputs, out], status, *patterns, absent=[out] if status else [], **kwargs)

    def config(self, text, *patterns, status=0):
        path = self.work / "some.cfg"
        path.write_text(text)
        self.expect([self.program.path, "--config", path, *self.good], status, *patterns)
        self.expect([self.tools.pbc, "scale.pbcc", "--check", "--config", path], status, *patterns)
        path.unlink()

    def entry(self, **fields):
        whole = {"format": 1, "program": "scale", "source": self.program.info["source"], "entries": [dict({"global": {}, "transforms": {}}, **fields)]}
        return whole


# ---- programs ----------------------------------------------------------------

@case
def syntax_error(b):
    b.check_source(PROGRAM.replace("from (A.cell(i) a, F f)", "from A.cell(i) a, F f)"), r":5:18: error", r"B\.cell\(i\) from A")


@case
def several_errors_in_one_run(b):
    bad = PROGRAM.replace("A.cell(i) a", "Q.cell(i) a") + PROGRAM.replace("Scale", "Other").replace("A.cell(i) a", "R.cell(i) a")
    b.check_source(bad, r"`Q`", r"`R`")


@case
def unknown_matrix(b):
    b.check_source(PROGRAM.replace("A.cell(i) a", "AA.cell(i) a"), r":5:19: error: .*`AA`", r"`A`")


@case
def wrong_number_of_coordinates(b):
    b.check_source(PROGRAM.replace("A.cell(i) a", "A.cell(i,i) a"), r":5:\d+: error", r"2", r"1")


@case
def wrong_number_of_arguments(b):
    b.check_source(PROGRAM + "transform M from A[n] to B[n] {\n  to (B b) from (A a) {\n    Scale(b, a);\n  }\n}\n", r":9:\d+: error", r"`Scale`", r"3", r"2")


@case
def unterminated_transform(b):
    b.check_source(PROGRAM.rstrip()[:-1], r"error")


@case
def missing_include(b):
    b.check_source('#include "nowhere.pbcc"\n' + PROGRAM, r":1:\d+: error", r"nowhere\.pbcc")


@case
def error_in_a_body(b):
    b.check_source(PROGRAM.replace("return a * f;", "return a * undeclared;"), r"bad\.pbcc:5:\d+: error: .*undeclared")


@case
def uncovered_output(b):
    b.check_source(PROGRAM.replace("A.cell(i) a", "A.cell(i+1) a"), r"uncovered")


@case
def coordinate_outside(b):
    (b.work / "square.pbcc").write_text(PROGRAM.replace("A.cell(i) a", "A.cell(i*i) a"))
    b.tools.compile(b.work / "square.pbcc", b.work / "square")
    b.expect([b.work / "square", *b.good], 1, r"rule Scale\.B#1 at i = [23]: `A\.cell\(i\*i\)` lies outside dimension 0",
             absent=[b.work / "out.txt"])


@case
def no_where_holds(b):
    (b.work / "none.pbcc").write_text(PROGRAM.replace("F f)", "F f) where i*i < 4"))
    b.tools.compile(b.work / "none.pbcc", b.work / "none")
    b.expect([b.work / "none", *b.good], 1, r"call of Scale: no rule computes B\([23]\): no `where` holds there",
             absent=[b.work / "out.txt"])


@case
def index_outside(b):
    (b.work / "index.pbcc").write_text(PROGRAM.replace("A.cell(i) a,", "A.region(i, i+1) a,").replace("a * f", "a.cell(i) * f"))
    b.tools.compile(b.work / "index.pbcc", b.work / "index", "--checked")
    b.expect([b.work / "index", *b.good], 1, r"index\.pbcc:5: rule Scale\.B#1 at i = ([123]): index \1 of dimension 0 lies outside a region of size 1",
             absent=[b.work / "out.txt"])


@case
def crashes_of_bodies(b):
    """Each kind of crash names the rule and its line; a checked program names the instance too. The status stays that of the signal."""
    body = "%{\n#include <exception>\n%}\n" + PROGRAM.replace("return a * f;", """
    static volatile int zero = 0;
    if (i == 2 && f == 1) return 7 / zero;
    if (i == 2 && f == 2) std::abort();
    if (i == 2 && f == 3) std::terminate();
    if (i == 2 && f == 4) throw 7;
    return a;""")
    (b.work / "crash.pbcc").write_text(body)
    place = r"in rule `B#1` of transform `Scale` \(crash\.pbcc:8\)"
    for checked in (False, True):
        b.tools.compile(b.work / "crash.pbcc", b.work / "crash", *(["--checked"] if checked else []))
        more = r": rule Scale\.B#1 at i = 2" if checked else r".*pbc --checked"
        for factor, status, words in ((1, -signal.SIGFPE, r"division of a whole number by zero \(SIGFPE\)"), (2, -signal.SIGABRT, r"abort \(SIGABRT\)"),
                                      (4, 1, "exception")):
            (b.work / "factor.txt").write_text(f"SIZE\n{factor}\n")
            for threads in ("1", "2"):
                (b.work / "crash_out.txt").unlink(missing_ok=True)
                b.expect([b.work / "crash", "--threads", threads, "a.txt", "factor.txt", "crash_out.txt"], status, words + " " + place + more,
                         absent=[b.work / "crash_out.txt"])


@case
def overlapping_arguments(b):
    """A checked program reports a written argument that shares elements with another one, however it was cut."""
    call = "main transform Whole\nparam W\nfrom A[n]\nto B[n]\n{\n  to (B b) from (A a) {\n    Scale(b, a, W);\n" \
        "    if (W == 1) Scale(b.region(0, n - 1), b.region(1, n), 2);\n    if (W == 2) spawn Twice(b,\n      b, a);\n" \
        "    Scale(b.region(0, 1), b.region(1, 2), 2);\n    Scale(b, b, 2);\n  }\n}\n"
    twice = "transform Twice\nfrom A[n]\nto B[n], C[n]\n{\n  to (B b, C c) from (A a) { b.cell(0) = c.cell(0) = a.cell(0); }\n}\n"
    source = PROGRAM + twice + call
    (b.work / "overlap.pbcc").write_text(source)
    b.tools.compile(b.work / "overlap.pbcc", b.work / "overlap", "--checked")
    files = [b.good[0], "overlap_out.txt"]
    line = 1 + source[:source.index("if (W == 1)")].count("\n")
    b.expect([b.work / "overlap", "1", *files], 1,
             rf"overlap\.pbcc:{line}: in the call `Scale\(b\.region\(0, n - 1\), b\.region\(1, n\), 2\)` "
             r"the arguments for `B` and `A` overlap, and `B` is written")
    b.expect([b.work / "overlap", "2", *files], 1,
             rf"overlap\.pbcc:{line + 1}: in the call `spawn Twice\(b, b, a\)` "
             r"the arguments for `B` and `C` overlap, and both are written")
    b.expect([b.work / "overlap", "0", *files], 0)


@case
def missing_source(b):
    b.expect([b.tools.pbc, "nowhere.pbcc"], 1, r"nowhere\.pbcc", r"(?i)no such file|cannot")


@case
def empty_source(b):
    (b.work / "empty.pbcc").write_text("\n")
    b.expect([b.tools.pbc, "empty.pbcc", "-o", "empty"], 1, r"empty\.pbcc", r"transform", absent=[b.work / "empty"])


@case
def binary_source(b):
    shutil.copy(b.program.path, b.work / "binary.pbcc")
    text = b.expect([b.tools.pbc, "binary.pbcc", "-o", "x"], 1, r"cannot read `binary\.pbcc`: it is no text", absent=[b.work / "x"])
    if text.count("\n") > 2:
        b.faults.append("binary_source: it says more than once what is wrong")
    b.expect([b.tools.pbc, "scale.pbcc", "scale.pbcc"], 1, r"a program is one \.pbcc file")
    b.expect([b.tools.pbc, "scale.pbcc", "-o"], 1, r"--output needs a value")


@case
def deep_nesting(b):
    source = b.work / "deep.pbcc"
    source.write_text(PROGRAM.replace("a * f", "(" * 200000 + "a" + ")" * 200000))
    b.expect([b.tools.pbc, source, "-o", b.work / "deep"], 1, r"deep\.pbcc:5:\d+: error", absent=[b.work / "deep"])


@case
def unknown_pbc_option(b):
    b.expect([b.tools.pbc, "--emmit=ast", "scale.pbcc"], 1, r"--emmit")
    b.expect([b.tools.pbc, "--emit=asd", "scale.pbcc"], 1, r"asd", r"ast")


@case
def compiler_missing(b):
    b.expect([b.tools.pbc, "scale.pbcc", "-o", "other"], 1, r"no-such-compiler", absent=[b.work / "other", b.work / "other.info"],
             env=dict(os.environ, CXX="no-such-compiler"))


@case
def output_folder_missing_for_pbc(b):
    b.expect([b.tools.pbc, "scale.pbcc", "-o", "nowhere/scale"], 1, r"nowhere")


@case
def failed_compilation_keeps_the_old_binary(b):
    shutil.copy(b.program.path, b.work / "kept")
    before = (b.work / "kept").read_bytes()
    (b.work / "bad.pbcc").write_text(PROGRAM.replace("return a", "return a +* "))
    b.expect([b.tools.pbc, "bad.pbcc", "-o", "kept"], 1, r"error")
    if (b.work / "kept").read_bytes() != before:
        b.faults.append("failed_compilation_keeps_the_old_binary: the old binary changed")


# ---- input and output files --------------------------------------------------

@case
def missing_input(b):
    b.run_with(["nowhere.txt", "f.txt"], r"nowhere\.txt", r"(?i)no such file")


@case
def unreadable_input(b):
    (b.work / "secret.txt").write_text("SIZE 1\n1\n")
    (b.work / "secret.txt").chmod(0)
    os.chmod(b.work, 0o777)
    drop = (lambda: os.setuid(65534)) if os.getuid() == 0 else None
    b.run_with(["secret.txt", "f.txt"], r"secret\.txt", r"(?i)permission", preexec_fn=drop)
    b.run_with([b.work, "f.txt"], r"(?i)director")


@case
def truncated_input(b):
    (b.work / "short.txt").write_text("SIZE 4\n1 2 3\n")
    b.run_with(["short.txt", "f.txt"], r"short\.txt", r"4", r"3")


@case
def non_numeric_input(b):
    (b.work / "word.txt").write_text("SIZE 4\n1 2\nthree 4\n")
    b.run_with(["word.txt", "f.txt"], r"word\.txt:3:1", r"three")


@case
def wrong_shape(b):
    (b.work / "square.txt").write_text("SIZE 2 2\n1 2\n3 4\n")
    b.run_with(["square.txt", "f.txt"], r"square\.txt", r"\bA\b", r"2", r"1")


@case
def damaged_npy_and_pgm(b):
    (b.work / "bad.npy").write_bytes(b"\x93NUMPY\x01\x00\x76\x00{'descr': '<f8', 'fortran_order': False, 'shape': (400000000000,), }".ljust(128) + b"\n")
    b.run_with(["bad.npy", "f.txt"], r"bad\.npy")
    (b.work / "bad.pgm").write_bytes(b"P5\n100 100\n255\nshort")
    b.run_with(["bad.pgm", "f.txt"], r"bad\.pgm")


@case
def size_that_does_not_fit(b):
    b.expect([b.program.path, "--n", "-3"], 1, r"-3")
    b.expect([b.program.path, "--n", "4", "--size", "m=3"], 1, r"`m`|\bm\b", r"\bn\b")


@case
def output_folder_missing(b):
    b.expect([b.program.path, *b.good[:2], "nowhere/out.txt"], 1, r"nowhere")


@case
def output_device_full(b):
    b.expect([b.program.path, *b.good[:2], "/dev/full"], 1, r"/dev/full", r"(?i)no space")


@case
def two_outputs_in_one_file(b):
    (b.work / "two.pbcc").write_text(PROGRAM.replace("to B[n]", "to B[n], C[n]").replace("return a * f; }", "return a * f; }\n  C.cell(i) from (A.cell(i) a) { return a; }"))
    b.tools.compile(b.work / "two.pbcc", b.work / "two")
    b.expect([b.work / "two", *b.good[:2], "both.txt", b.work / "both.txt"], 1, r"both\.txt is to hold two outputs", absent=[b.work / "both.txt"])
    b.expect([b.work / "two", *b.good[:2], "-", "-"], 0, r"(?s)SIZE 4.*SIZE 4")


@case
def output_is_the_input(b):
    shutil.copy(b.work / "a.txt", b.work / "in_and_out.txt")
    b.expect([b.program.path, "in_and_out.txt", "f.txt", "in_and_out.txt"], 0)
    b.expect(["cat", "in_and_out.txt"], 0, r"2\s+4\s+6\s+8")


# ---- surroundings ------------------------------------------------------------

@case
def closed_standard_streams(b):
    """What is printed never ends in a file that took the place of a closed stream."""
    source = PROGRAM.replace("B.cell(i) from (A.cell(i) a, F f) { return a * f; }", """to (B b) from (A a, F f) {
    printf("printed\\n"); fprintf(stderr, "printed\\n"); fflush(stdout);
    for (int i = 0; i < n; ++i) b.cell(i) = a.cell(i) * f;
  }""")
    (b.work / "talks.pbcc").write_text(source)
    b.tools.compile(b.work / "talks.pbcc", b.work / "talks")
    for closed, status in (("<&-", 0), ("2>&-", 0), (">&-", 1), ("<&- >&- 2>&-", 1)):
        b.expect(["bash", "-c", f"./talks a.txt f.txt talk.txt {closed}"], status)
        if (b.work / "talk.txt").exists() and "printed" in (b.work / "talk.txt").read_text():
            b.faults.append(f"{b.name}: {closed}: what was printed is in the output")
    b.expect(["bash", "-c", "./scale - f.txt new.txt <&-"], 1, r"cannot read standard input", absent=[b.work / "new.txt"])
    b.expect(["bash", "-c", "./scale a.txt f.txt - >&-"], 1, r"cannot write standard output")
    b.expect(["bash", "-c", "./scale --serve <&-"], 1, r"cannot read")


@case
def little_of_everything(b):
    """Limits of stack and descriptors under which a program still runs, with a configuration to read."""
    b.program.write_configuration(b.work / "little.cfg", {"global": {"threads": 2}, "transforms": {}})
    for limit in ("-s 64", "-n 16"):
        b.expect(["bash", "-c", f"ulimit {limit}; ./scale --config little.cfg a.txt f.txt -"], 0, r"2\s+4\s+6\s+8")
    b.expect(["bash", "-c", "ulimit -v 40000; ./scale --threads 64 a.txt f.txt new.txt"], 1, r"cannot start worker \d+ of 64|not enough memory",
             absent=[b.work / "new.txt"])


@case
def files_that_grow_too_large(b):
    """A write beyond the limit of file sizes fails, and says so; nothing is left behind."""
    temporary = b.work / "folder_for_temporaries"
    temporary.mkdir()
    b.expect(["bash", "-c", f"ulimit -f 16; {b.tools.pbc} scale.pbcc -o limited"], 1, r"cannot write .*File too large",
             absent=[b.work / "limited"], env=dict(os.environ, TMPDIR=str(temporary)))
    if list(temporary.iterdir()):
        b.faults.append(f"{b.name}: left behind: {list(temporary.iterdir())}")
    b.expect(["bash", "-c", "ulimit -f 1; ./scale --n 2000 --iogen-create large"], 1, r"cannot write large_\w+\.dat: File too large")
    config = b.work / "reported.cfg"
    config.write_text(json.dumps(b.entry()))
    b.expect(["bash", "-c", f"ulimit -f 1; {b.tools.pbtune} report ./scale --config {config} --html large.html"], 1, r"large\.html.*File too large",
             absent=[b.work / "large.html"])


# ---- more files --------------------------------------------------------------

@case
def too_few_files(b):
    b.expect([b.program.path, "a.txt"], 1, r"(?i)usage", r"\bA\b.*\bF\b.*\bB\b")


@case
def unknown_option(b):
    b.expect([b.program.path, "--thread", "2", *b.good], 1, r"--thread\b", r"--threads")


# ---- configurations ----------------------------------------------------------

@case
def configuration_of_another_program(b):
    b.config(json.dumps(dict(b.entry(), program="other")), r"some\.cfg", r"`?other`?", r"`?scale`?", status=1)


@case
def configuration_of_other_versions(b):
    b.config(json.dumps(dict(b.entry(), format=99)), r"some\.cfg", r"99", status=1)
    b.config(json.dumps(dict(b.entry(), source="sha256:0")), status=0)


@case
def configuration_with_unknown_names(b):
    b.config(json.dumps(b.entry(transforms={"Blur": {}, "Scale": {"tunables": {"nothing": 3}, "sites": {"B#9": []}}})), r"Blur", r"nothing", r"B#9")


@case
def configuration_with_values_out_of_range(b):
    b.config(json.dumps(b.entry(transforms={"Scale": {"tunables": {"split_size": -5}}})), r"split_size", r"-5")


@case
def configuration_that_is_no_json(b):
    b.config('{"format": 1,\n "program": "scale",,}', r"some\.cfg:2:\d+", status=1)
    b.config("", r"some\.cfg", status=1)


@case
def configuration_of_a_gigabyte_of_nesting(b):
    path = b.work / "deep.cfg"
    with open(path, "wb") as file:
        for _ in range(1024):
            file.write(b"[" * (1 << 20))
    start = time.perf_counter()
    b.expect([b.program.path, "--config", path, *b.good], 1, r"deep\.cfg")
    if time.perf_counter() - start > 5:
        b.faults.append("a gigabyte of nesting takes over five seconds to refuse")
    path.write_text("[" * 100000)
    b.expect([b.program.path, "--config", path, *b.good], 1, r"deep\.cfg")
    path.unlink()


@case
def missing_configuration(b):
    b.expect([b.program.path, "--config", "nowhere.cfg", *b.good], 1, r"nowhere\.cfg")


# ---- devices -----------------------------------------------------------------

@case
def device_that_does_not_exist(b):
    b.expect([b.program.path, "--device", "7", *b.good], 1, r"7", r"0")
    b.expect([b.program.path, "--device", "voodoo", *b.good], 1, r"voodoo")


@case
def machine_without_opencl(b):
    none = dict(os.environ, OCL_ICD_VENDORS="/nonexistent", OCL_ICD_FILENAMES="")
    b.expect([b.program.path, *b.good], 0, env=none)
    b.expect([b.program.path, "--list-devices"], 0, env=none)


# ---- the tuner ---------------------------------------------------------------

@case
def tuner_without_a_program(b):
    b.expect([b.tools.pbtune, "./nowhere", "--n", "100"], 1, r"nowhere")
    b.expect([b.tools.pbtune, "/bin/true", "--n", "100"], 1, r"true")
    b.expect([b.tools.pbtune, "campare", b.program.path, "a.cfg"], 1, r"`campare` is neither a file nor a command; did you mean `compare`\?")
    b.expect([b.tools.pbtune], 1, r"expected the compiled program")
    b.expect([b.tools.pbtune, b.program.path], 1, r"expected the size to tune for")
    b.expect([b.tools.pbtune, b.program.path, "--n", "9", "--effort", "fast"], 1, r"quick, normal or full, found `fast`")


@case
def words_the_tuner_does_not_take(b):
    tune = [b.tools.pbtune, b.program.path]
    b.expect([*tune, "--n", "9", "--efort", "quick"], 1, r"unknown option `--efort`; did you mean `--effort`\?")
    b.expect([*tune, "--n"], 1, r"--n needs a value")
    b.expect([*tune, "--n", "1e3"], 1, r"--n: expected a whole number from 0 to \d+, found `1e3`")
    b.expect([*tune, "--n", "9", "--tolerance", "-1"], 1, r"--tolerance: expected a number from 0 to .*, found `-1`")
    b.expect([*tune, "--inputs", "nowhere.txt"], 1, r"--inputs: there is no file `nowhere\.txt`")
    b.expect([*tune, "--n", "9", "--size", "m=3", "--time-limit", "2", "-o", b.work / "m.cfg"], 1,
             r"^pbtune: --size m: there is no such size variable; Scale has n\n$", absent=[b.work / "m.cfg"])
    b.expect([b.tools.pbtune, "diff", b.program.path, "a.cfg"], 1, r"pbtune diff: `second` is missing")
    b.expect([b.tools.pbtune, "compare", b.program.path, "none"], 1, r"expected the size to measure at")


@case
def files_the_tuner_does_not_take(b):
    b.expect([b.tools.pbtune, "scale.pbcc", "--n", "9"], 1, r"`scale\.pbcc` is a source: compile it \(pbc scale\.pbcc\)")
    b.expect([b.tools.pbtune, f"{b.program.path}.info", "--n", "9"], 1, r"is no program; did you mean `.*scale`\?")
    b.expect([b.tools.pbtune, "explain", b.program.path], 1, r"scale\.cfg` is missing: nothing was tuned yet")
    b.expect([b.tools.pbtune, b.program.path, "--n", "9", "-o", "nowhere/x.cfg"], 1, r"nowhere/x\.cfg\.journal.*`-o FILE` puts both elsewhere")


@case
def nothing_fits_on_standard_output(b):
    def full(*command):
        with open("/dev/full", "w") as sink:
            done = subprocess.run([str(c) for c in command], stdout=sink, stderr=subprocess.PIPE, text=True, cwd=b.work, check=False)
        if done.returncode != 1 or "standard output" not in done.stderr:
            b.faults.append(f"nothing_fits_on_standard_output: {command}: exit status {done.returncode}\n{done.stderr}")
    full(b.tools.pbtune, "sample", b.program.path)
    full(b.tools.pbtune, "--help")
    full(b.tools.pbc, "--explain", "scale.pbcc")
    full(b.program.path, "--n", "9", "--time")
    full(b.program.path, "--help")


@case
def a_sample_is_a_configuration(b):
    text = b.expect([b.tools.pbtune, "sample", b.program.path, "--seed", "5"], 0)
    b.config(text)
    b.config('{"program": "scale", "global": {"threads": 1}}')
    b.config('{"program": "other", "global": {"threads": 1}}', r"some\.cfg:1:13: .*belongs to program `other`", status=1)
    b.config('{"program": "scale"}', r"this is no configuration", status=1)


@case
def configuration_with_slips(b):
    """Each slip of a configuration is named with its line; a rule that its site does not have is an error."""
    site = '{"program": "scale",\n "transforms": {"Scale": {"sites": {"B#1": [\n  %s]}}}}'
    b.config(site % '{"rule": "B1", "on": "cpu"}', r"some\.cfg:3:12: site `B#1` has no rule `B1`; did you mean `B#1`\?", status=1)
    b.config(site % '{"rule": "B#1", "on": "gpu"}', r"some\.cfg:3:3: the program has no `Scale\.B#1: B#1 on gpu`.*ignored")
    values = '{"program": "scale",\n "transforms": {"Scale": {"tunables": {"split_size": %s}}}}'
    b.config(values % "[256]", r"some\.cfg:2:\d+: .*default.*`Scale\.split_size: expected a number from 1 to \d+, found a list of one`")
    b.config(values % '"many"', r"some\.cfg:2:\d+: .*expected a number from 1 to \d+, found the text \"many\"")
    b.config(values % "0", r"some\.cfg:2:\d+: out of range, the default is used: `Scale\.split_size = 0 \(1 to \d+\)`")


@case
def files_of_other_formats(b):
    (b.work / "a.npz").write_bytes(b"PK\x03\x04")
    b.run_with(["a.npz", "f.txt"], r"a\.npz: \.npz is none of the formats.*numpy\.load\(\"a\.npz\"\)")
    (b.work / "a.csv").write_text("1,2,3\n")
    b.run_with(["a.csv", "f.txt"], r"a\.csv: \.csv is none of the formats.*delimiter")
    (b.work / "a.csv").write_text("SIZE 4\n1 2 3 4\n")  # text of ours may bear any name
    b.run_with(["a.csv", "f.txt"], status=0)


@case
def words_beside_generated_inputs(b):
    (b.work / "param.pbcc").write_text(PROGRAM.replace("from A[n], F", "param F, G\nfrom A[n]").replace("a, F f) { return a * f", "a) { return a * F + G"))
    b.tools.compile(b.work / "param.pbcc", b.work / "param")
    b.expect([b.work / "param", "5", "6", "--n", "20"], 1, r"5 is one argument too many.*write --set F=5 --set G=6")
    b.expect([b.program.path, "a.txt", "--n", "20"], 1, r"a\.txt is one argument too many.*without --n it runs on files")


@case
def program_killed_while_tuning(b):
    """The tuner survives the death of the program it measures, or says so; the old configuration stays whole."""
    config = b.work / "killed.cfg"
    tuner = subprocess.Popen([b.tools.pbtune, b.program.path, "--n", "100000", "--effort", "quick", "--time-limit", "8", "-o", config],
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=b.work)
    for _ in range(3):
        time.sleep(1)
        children = subprocess.run(["pgrep", "-f", f"{b.program.path} --serve"], capture_output=True, text=True, check=False).stdout.split()
        for child in children:
            os.kill(int(child), signal.SIGKILL)
    text, _ = tuner.communicate(timeout=120)
    if tuner.returncode != 0 or not config.exists():
        b.faults.append(f"program_killed_while_tuning: exit status {tuner.returncode}\n{text}")
        return
    b.expect([b.program.path, "--config", config, *b.good], 0)


@case
def tuner_killed(b):
    """A tuner that is killed loses nothing: the same command resumes."""
    config = b.work / "resumed.cfg"
    command = [b.tools.pbtune, b.program.path, "--n", "100000", "--effort", "quick", "--time-limit", "10", "-o", config]
    tuner = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=b.work)
    time.sleep(4)
    tuner.kill()
    tuner.wait()
    b.expect(command, 0, r"(?i)resum", timeout=120)
    b.expect([b.program.path, "--config", config, *b.good], 0)


def main():
    parser = polybricks.arguments(__doc__)
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    work = polybricks.fresh_folder(args.work.resolve() / "bad_input")
    bench = Bench(args.dist.resolve(), work)
    chosen = [c for c in CASES if args.only in c.__name__]
    for function in chosen:
        bench.name = function.__name__
        function(bench)
    print("\n".join(bench.faults))
    print(f"{len(chosen)} cases, {len(bench.faults)} faults")
    return 1 if bench.faults or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())
