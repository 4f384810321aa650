# SPDX-License-Identifier: MIT
"""Installs the Debian packages in a new Debian 12, and works there as a new user: each package by itself.

    clean_root_test.py --dist BUILD/dist --work FOLDER

It needs root and debootstrap, and downloads some 200 MB.
"""

import contextlib
import os
import pathlib
import shutil
import sys
import time

import debian

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import polybricks  # noqa: E402
from polybricks import check, run_tool  # noqa: E402

SUITE = "bookworm"
# Configuration of apt and of the network that a machine behind a proxy needs.
BORROWED = ("etc/apt/apt.conf.d", "etc/apt/auth.conf.d", "etc/apt/keyrings", "etc/resolv.conf", "etc/ssl/certs")
MOST_S = 60  # until the first own program is tuned

BLUR = """transform Blur
from In[w, h]
to Out[w-2, h]
{
  Out.cell(x, y) from (In.region(x, y, x+3, y+1) in) {
    return (in.cell(0, 0) + in.cell(1, 0) + in.cell(2, 0)) / 3;
  }
}
"""
PROJECT = """cmake_minimum_required(VERSION 3.21)
project(Blurring LANGUAGES C CXX)
find_package(Polybricks REQUIRED)
polybricks_add_library(blur blur.pbcc)
add_executable(host host.c)
target_link_libraries(host PRIVATE blur)
"""
HOST = """#include <stdio.h>
#include "blur.h"
int main(void) {
  double in[3] = {3, 6, 9}, out[1];
  pb_matrix from = {in, PB_DOUBLE, 2, {3, 1}, {0}}, to = {out, PB_DOUBLE, 2, {1, 1}, {0}};
  pb_context* context;
  pb_status status = pb_context_create(blur_library(), NULL, &context);
  if (status.code == PB_OK) status = blur_Blur(context, &from, &to);
  if (status.code != PB_OK) return puts(status.message), 1;
  printf("%g\\n", out[0]);
  pb_context_destroy(context);
  return 0;
}
"""


class Root:
    """A folder with a Debian of its own."""

    def __init__(self, folder):
        self.folder = folder

    def run(self, command, expect=0):
        environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8"}
        return run_tool(["chroot", self.folder, "sh", "-c", command], expect=expect, timeout=590, env=environment).stdout

    def install(self, *names):
        self.run("apt-get install -qq -y --no-install-recommends " + " ".join(names))

    @contextlib.contextmanager
    def mounted(self):
        """With /proc, where programs find themselves."""
        run_tool(["mount", "-t", "proc", "proc", self.folder / "proc"])
        try:
            yield
        finally:
            run_tool(["umount", self.folder / "proc"])


def copy_into(root, name):
    source = pathlib.Path("/") / name
    if source.is_dir():
        shutil.copytree(source, root / name, symlinks=True, dirs_exist_ok=True)
    elif source.exists():
        shutil.copy(source, root / name)


def new_root(base):
    """A minimal Debian, made once in `base`."""
    if not (base / "etc").exists():
        run_tool(["debootstrap", "--variant=minbase", SUITE, base], timeout=590)
    for name in BORROWED:
        copy_into(base, name)
    return base


def copy_of(base, folder):
    shutil.rmtree(folder, ignore_errors=True)
    run_tool(["cp", "-a", base, folder])
    return Root(folder)


def test_tools(root, packages):
    """polybricks brings all that a first program needs, in a minute, and CMake finds it."""
    root.install(*packages)
    (root.folder / "project").mkdir()
    for name, text in (("blur.pbcc", BLUR), ("CMakeLists.txt", PROJECT), ("host.c", HOST)):
        (root.folder / "project" / name).write_text(text)
    begin = time.monotonic()
    root.run("cd /project && pbc blur.pbcc -o blur && pbtune ./blur --n 1000 --time-limit 20 && ./blur --n 1000 --time")
    taken = time.monotonic() - begin
    check(taken < MOST_S, f"the first program took {taken:.0f} s")
    check((root.folder / "project/blur.cfg").exists(), "there is no configuration")
    root.install("cmake", "make", "pkg-config")
    root.run("cd /project && cmake -S . -B build && cmake --build build")
    check(root.run("/project/build/host") == "6\n", "the host of CMake")
    root.run("cd /project && pbc --library blur.pbcc -o libblur.a && cc host.c libblur.a $(pkg-config --cflags --libs --static polybricks) "
             "-o static_host && pbc --debug blur.pbcc -o debug_blur")
    check(root.run("/project/static_host") == "6\n", "the host of a static library")
    print(f"tools: the first program was tuned after {taken:.0f} s", flush=True)


def test_python(root, package):
    root.install(package)
    found = root.run("cd /project && python3 -c 'import numpy as np; import polybricks as pb; "
                     "print(pb.compile(\"blur.pbcc\", config=\"blur.cfg\").Blur(np.array([[3., 6., 9., 12.]])))'")
    check(found == "[[6. 9.]]\n", f"Python: {found}")
    print("python: ok", flush=True)


def test_host_and_runtime(base, work, packages, made):
    """A library that was made elsewhere: libpolybricks-dev is enough to compile its host, libpbrt0 to run it."""
    host = copy_of(base, work / "host")
    host.install("gcc", "libc6-dev", packages["libpbrt0"], packages["libpolybricks-dev"])
    for name in ("host.c", "blur.h", "libblur.so"):
        shutil.copy(made / name, host.folder / "root" / name)
    host.run("cd /root && cc host.c libblur.so -o host")
    check("pbc" not in host.run("ls /usr/bin"), "libpolybricks-dev brings the compiler")

    runtime = copy_of(base, work / "runtime")
    runtime.install(packages["libpbrt0"])
    for name in ("host", "libblur.so"):
        shutil.copy(host.folder / "root" / name, runtime.folder / "root" / name)
    with runtime.mounted():
        check(runtime.run("cd /root && LD_LIBRARY_PATH=. ./host") == "6\n", "the host on a machine that only runs it")
    print("host, runtime: ok", flush=True)


def main():
    args = polybricks.arguments(__doc__).parse_args()
    if not polybricks.has_tool("debootstrap") or os.getuid() != 0:
        return polybricks.status_without("debootstrap, or root,")
    work = args.work.resolve() / "clean_root"
    work.mkdir(parents=True, exist_ok=True)
    base = new_root(work / "base")
    made = debian.make_packages(args.dist.parent, work / "packages", compression="xz")
    for name, path in made.items():
        shutil.copy(path, base / "root" / f"{name}.deb")
    packages = {name: f"/root/{name}.deb" for name in made}
    Root(base).run("apt-get update -qq")
    tools = copy_of(base, work / "tools")
    with tools.mounted():
        test_tools(tools, [path for name, path in packages.items() if name != "python3-polybricks"])
        test_python(tools, packages["python3-polybricks"])
        tools.run("cd /project && pbc --library blur.pbcc -o libblur.so")
    test_host_and_runtime(base, work, packages, tools.folder / "project")
    return 0


if __name__ == "__main__":
    sys.exit(main())
