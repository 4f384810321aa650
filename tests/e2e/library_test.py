# SPDX-License-Identifier: MIT
"""Libraries of `pbc --library`, called by hosts that are compiled by plain `cc` and `c++`.

    library_test.py --dist BUILD/dist --work FOLDER [--races]
"""

import os
import pathlib
import re
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import polybricks  # noqa: E402
from polybricks import check, run_tool  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent / "library"
HOST_TESTS = ("calls", "layouts", "errors", "options", "tables", "extents", "threads", "cancellation", "fork", "growth", "host")
RACE_TESTS = ("threads", "threads_on_device", "cancellation", "resident_at_random", "resident_while_devices_end")
WARNINGS = ("-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O1")


class Libraries:
    """A folder with libedges.so and libother.so, as a user would have it."""

    def __init__(self, tools, work, *options):
        self.tools, self.work = tools, polybricks.fresh_folder(work)
        for name in ("edges", "other"):
            run_tool([tools.pbc, "--library", *options, HERE / f"{name}.pbcc", "-o", work / f"lib{name}.so"])

    def compile(self, compiler, source, *options, libraries=("edges",)):
        """Compiles a host against what a user has: headers and libraries, nothing of this repository."""
        program = self.work / pathlib.Path(source).stem
        run_tool([*compiler, *WARNINGS, *options, "-I", self.tools.dist / "include", "-I", self.work, HERE / source, "-o", program,
                  "-L", self.work, *(f"-l{name}" for name in libraries), "-lpthread", "-lm", f"-Wl,-rpath,{self.work}"])
        return program


def test_files(libraries):
    made = sorted(path.name for path in libraries.work.iterdir())
    check(made == ["edges.h", "libedges.so", "libother.so", "other.h"], f"files: {made}")


def test_exports_only_its_names(libraries):
    lines = run_tool(["nm", "-D", "--defined-only", libraries.work / "libother.so"]).stdout.splitlines()
    check([line.split()[-1] for line in lines] == ["other_Scale", "other_library"], f"exported: {lines}")


def test_c_hosts(libraries):
    host = libraries.compile(["cc", "-std=c99"], "host.c")
    for name in HOST_TESTS:
        done = run_tool([host, name], expect=None)
        check(done.returncode == 0, f"host {name}: {done.stdout}{done.stderr}")
        check(done.stderr == "", f"host {name} printed {done.stderr}")
    print(f"a call for 16 elements takes {float(run_tool([host, 'overhead']).stdout):.0f} ns")


def test_devices(libraries):
    """On the first device; then on one with a memory of its own that is slow at random."""
    for environment in ({}, {"POLYBRICKS_DEVICE_DELAYS": "7"}):
        for name in ("device", "device_settings", "threads_on_device", "resident", "resident_at_random", "resident_while_devices_end"):
            done = run_tool([libraries.work / "host", name], expect=None, env={**os.environ, **environment})
            check(done.returncode == 0, f"host {name} {environment}: {done.stdout}{done.stderr}")


def test_device_faults(libraries):
    """A device that hangs is left behind with what it had; the results of one that is wrong are the CPU's. Each is one warning."""
    for fault, words in (("hang:0", "has not ended within 0.3 s"), ("spoil:0", "computed something else than the CPU: Scale.B#1 on opencl"),
                         ("", "")):
        done = run_tool([libraries.work / "host", "device_faults"], expect=None, env={**os.environ, "POLYBRICKS_DEVICE_FAULTS": fault})
        lines = done.stderr.splitlines()
        check(done.returncode == 0, f"host device_faults {fault}: {done.stdout}{done.stderr}")
        check((done.stdout == "lost\n") == (fault == "hang:0"), f"host device_faults {fault}: {done.stdout}")
        check(len(lines) == (1 if fault else 0) and words in done.stderr, f"host device_faults {fault}: {lines}")


def test_cpp_host(libraries):
    for compiler in filter(shutil.which, ("c++", "clang++")):
        host = libraries.compile([compiler, "-std=c++20"], "host.cpp")
        done = run_tool([host], expect=None)
        check(done.returncode == 0, f"host of {compiler}: {done.stdout}{done.stderr}")


def test_two_libraries_in_one_process(libraries):
    """They share a worker beside the host's thread, and the runtime that lies beside them in place of the installed one."""
    host = libraries.compile(["cc", "-std=c99"], "two.c", libraries=("edges", "other"))
    run_tool([host, 2])
    runtime = libraries.tools.dist / "lib" / "libpbrt.so.0"
    needed = run_tool(["ldd", host]).stdout
    check(f"{runtime} (" in needed, needed)
    carried = polybricks.fresh_folder(libraries.work / "carried")
    for path in (libraries.work / "libother.so", runtime):
        shutil.copy(path, carried)
    needed = run_tool(["ldd", carried / "libother.so"]).stdout
    check(f"{carried / 'libpbrt.so.0'} (" in needed, needed)


def test_standalone_libraries(libraries):
    """Each holds a runtime, exports nothing of it, and has workers of its own."""
    alone = Libraries(libraries.tools, libraries.work / "standalone", "--standalone")
    test_exports_only_its_names(alone)
    host = alone.compile(["cc", "-std=c99"], "two.c", libraries=("edges", "other"))
    run_tool([host, 3])
    check("libpbrt" not in run_tool(["ldd", host]).stdout, "a standalone library needs libpbrt.so.0")


def test_loading_while_a_host_runs(libraries):
    run_tool([libraries.compile(["cc", "-std=gnu99"], "loader.c", "-ldl"), libraries.work / "libother.so"])


def test_the_runtime_of_another_version(libraries):
    """What was made with other headers is refused when it is loaded, with the name of the version."""
    text = (libraries.work / "libother.so").read_bytes()
    version = re.search(rb"PBRT_[0-9a-f]{16}", text).group()
    folder = polybricks.fresh_folder(libraries.work / "version")
    (folder / "libother.so").write_bytes(text.replace(version, b"PBRT_" + 16 * b"0"))
    done = run_tool([libraries.work / "loader", folder / "libother.so"], expect=2)
    check("version `PBRT_0000000000000000' not found" in done.stderr, done.stderr)


def test_static_libraries(libraries):
    """Two in one host: nothing of one meets the other."""
    folder = polybricks.fresh_folder(libraries.work / "static")
    archives = [folder / f"lib{name}.a" for name in ("edges", "other")]
    for archive, name in zip(archives, ("edges", "other")):
        run_tool([libraries.tools.pbc, "--library", HERE / f"{name}.pbcc", "-o", archive])
    lines = run_tool(["nm", "-g", "--defined-only", archives[1]]).stdout.splitlines()
    check([line.split()[-1] for line in lines if " " in line] == ["other_Scale", "other_library"], f"exported: {lines}")
    for host in ("two", "host"):
        run_tool(["cc", "-std=c99", *WARNINGS, "-I", libraries.tools.dist / "include", "-I", folder, HERE / f"{host}.c", *archives,
                  "-lstdc++", "-lm", "-lpthread", "-ldl", "-o", folder / host])
    run_tool([folder / "two", 3])
    for name in HOST_TESTS:
        run_tool([folder / "host", name])


def test_names_of_outputs(libraries):
    pbc, work = libraries.tools.pbc, libraries.work
    shutil.copy(HERE / "other.pbcc", work / "plain.pbcc")
    run_tool([pbc, "--library", work / "plain.pbcc"])
    check((work / "libplain.so").exists() and (work / "plain.h").exists(), "the names come from the program")
    (work / "clash.pbcc").write_text((HERE / "other.pbcc").read_text().replace("Scale", "library"))
    done = run_tool([pbc, "--library", work / "clash.pbcc"], expect=1)
    check("`clash_library`; rename the transform" in done.stderr, done.stderr)
    for output, words in (("other", "is not called libNAME.so or libNAME.a"), (".so", "is not called libNAME.so"),
                          ("libno-name.so", "is no C identifier"), ("libpb.so", "names of the interface itself")):
        done = run_tool([pbc, "--library", HERE / "other.pbcc", "-o", work / output], expect=1)
        check(words in done.stderr, done.stderr)
    (work / "mine.h").write_text("int mine;\n")
    done = run_tool([pbc, "--library", HERE / "other.pbcc", "-o", work / "libmine.so"], expect=1)
    check("mine.h`, which pbc did not make" in done.stderr, done.stderr)
    check((work / "mine.h").read_text() == "int mine;\n", "a header of the user is kept")


def find_races(libraries):
    """Runs what a race detector may find, in a host that has one."""
    host = libraries.compile(["cc", "-std=c99", "-fsanitize=thread"], "host.c")
    for name in RACE_TESTS:
        run_tool([host, name])
    return 0


def main():
    parser = polybricks.arguments(__doc__)
    parser.add_argument("--races", action="store_true", help="only what a race detector may find, with its runtime")
    args = parser.parse_args()
    libraries = Libraries(polybricks.Tools(args.dist), args.work / "library")
    if args.races:
        return find_races(libraries)
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            test(libraries)
            print(f"{name}: ok", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
