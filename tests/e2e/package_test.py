# SPDX-License-Identifier: MIT
"""An installed Polybricks in the projects of users: find_package and pkg-config.

    package_test.py --dist BUILD/dist --work FOLDER
"""

import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import polybricks  # noqa: E402
from polybricks import check, run_tool  # noqa: E402

PROJECT = pathlib.Path(__file__).resolve().parent / "package"
HOSTS = ("c_host", "cpp_host")


class Installation:
    """An installed prefix and a copy of the project, both outside of the repository."""

    def __init__(self, dist, work):
        self.dist, self.work = dist, work
        self.project = shutil.copytree(PROJECT, work / "project")
        self.prefix = work / "a prefix"
        # All tests use it at another place than that it was installed to.
        run_tool(["cmake", "--install", dist.parent, "--prefix", work / "first"])
        (work / "first").rename(self.prefix)
        # Without a cache of headers, nobody's cache is filled with those of a prefix that is gone soon.
        self.env = {name: value for name, value in os.environ.items()
                    if name not in ("HOME", "XDG_CACHE_HOME", "POLYBRICKS_HOME")}
        self.version = self.run(self.prefix / "bin" / "pbc", "--version").split()[2]
        self.env |= {"CMAKE_PREFIX_PATH": str(self.prefix), "PKG_CONFIG_PATH": str(self.prefix / "lib" / "pkgconfig")}

    def run(self, *command, expect=0):
        done = run_tool(command, expect=expect, env=self.env, cwd=self.work)
        return done.stdout + done.stderr

    def configure(self, *lines, expect=1):
        """What CMake says about a project with these lines, in one line."""
        folder = polybricks.fresh_folder(self.work / "wrong")
        words = ["cmake_minimum_required(VERSION 3.21)", "project(Wrong LANGUAGES NONE)", *lines]
        (folder / "CMakeLists.txt").write_text("\n".join(words))
        return " ".join(self.run("cmake", "-S", folder, "-B", folder / "build", expect=expect).split())


def test_files_name_no_place(installed):
    """No text that is installed says where it was built or installed first. Binaries may, for debuggers."""
    for place in (polybricks.ROOT, installed.work / "first"):
        done = subprocess.run(["grep", "-rIlF", place, installed.prefix], capture_output=True, text=True)
        check(done.returncode == 1, f"{place} stands in {done.stdout}{done.stderr}")


def test_dist_is_an_installation(installed):
    """Both have the same files, but for headers that are precompiled and the Python package; none is for tests alone."""
    def files(folder):
        names = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
        apart = ("lib/polybricks/headers/", "lib/python3/", "python/", "share/doc/python3-polybricks/")
        return {name for name in names if not name.startswith(apart)}

    made = files(installed.dist)
    check(made == files(installed.prefix), f"only in one of them: {made ^ files(installed.prefix)}")
    check(not [name for name in made if "/testing/" in name], "there are headers of tests")


def test_projects(installed):
    """All targets are built, run, and built again when a file changes that the program includes."""
    for generator in ("Ninja", "Unix Makefiles"):
        build = installed.work / generator.split()[0].lower()
        installed.run("cmake", "-G", generator, "-S", installed.project, "-B", build, "-DCMAKE_BUILD_TYPE=Debug")
        factor = installed.project / "factor.pbcc"
        for number in (2, 3):
            factor.write_text(f"#define FACTOR {number}\n")
            printed = installed.run("cmake", "--build", build)
            check("scale.pbcc" in printed, f"{generator} did not compile the program with {number}:\n{printed}")
            for host in HOSTS:
                check(installed.run(build / host) == f"{number} {2 * number} {3 * number}\n", f"{host} with {number}")
        printed = installed.run("cmake", "--build", build)
        check("Compiling" not in printed, f"{generator} compiles what has not changed:\n{printed}")
    installed.run("ctest", "--test-dir", build)
    installed.run("cmake", "--install", build, "--prefix", installed.work / "scales")
    installed.run(installed.work / "scales" / "bin" / "scale_program", "--n", "3", "--time")


def test_pkg_config(installed):
    def flags(*options):
        return shlex.split(installed.run("pkg-config", *options, "polybricks"))

    (pbc,) = flags("--variable=pbc")
    check(flags("--modversion") == [installed.version], "version")
    work = polybricks.fresh_folder(installed.work / "plain")
    (installed.project / "factor.pbcc").write_text("#define FACTOR 5\n")
    for library, link in (("libscale.so", [f"-Wl,-rpath,{work}"]), ("libscale.a", flags("--static", "--libs"))):
        installed.run(pbc, "--library", installed.project / "scale.pbcc", "-o", work / library)
        installed.run("cc", installed.project / "host.c", work / library, "-I", work, *flags("--cflags"), *link,
                      "-o", work / "host")
        check(installed.run(work / "host") == "5 10 15\n", library)


def test_versions(installed):
    installed.configure(f"find_package(Polybricks {installed.version} REQUIRED)", expect=0)
    for version in ("0.0.9", "99.0"):
        words = installed.configure(f"find_package(Polybricks {version} REQUIRED)")
        for part in (f'compatible with requested version "{version}"', f"version: {installed.version}"):
            check(part in words, words)


def test_wrong_arguments(installed):
    (installed.work / "scale.pbcc").write_text("")
    for call, expected in (
            ("program(scale nowhere.pbcc)", f"scale: the source `{installed.work}/wrong/nowhere.pbcc` does not exist"),
            ("program(scale ../scale.pbcc ELEMENT int)", "scale: ELEMENT `int` is neither double nor float"),
            ("program(scale ../scale.pbcc STATIC)", "scale: cannot read `STATIC`"),
            ("library(scale ../scale.pbcc ELEMENT)", "scale: ELEMENT `` is neither double nor float"),
            ("library(scale ../scale.pbcc STATIC SHARED)", "scale: a library is STATIC or SHARED"),
            ("library(two-words ../scale.pbcc)", "`two-words` is no C identifier")):
        words = installed.configure("find_package(Polybricks REQUIRED)", f"polybricks_add_{call}")
        check(expected in words, words)


def test_missing_compiler(installed):
    pbc = installed.prefix / "bin" / "pbc"
    pbc.rename(installed.work / "pbc")
    words = installed.configure("find_package(Polybricks REQUIRED)")
    check(f"the installation lacks `{pbc}`; install Polybricks again" in words, words)
    (installed.work / "pbc").rename(pbc)


def main():
    args = polybricks.arguments(__doc__).parse_args()
    with tempfile.TemporaryDirectory(prefix="polybricks ") as work:
        installed = Installation(args.dist, pathlib.Path(work).resolve())
        for name, test in list(globals().items()):
            if name.startswith("test_"):
                test(installed)
                print(f"{name}: ok", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
