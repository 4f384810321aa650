# SPDX-License-Identifier: MIT
"""What the Debian packages of `cpack -G DEB` hold and say of themselves.

    contents_test.py --dist BUILD/dist --work FOLDER
"""

import pathlib
import re
import sys

import debian

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import polybricks  # noqa: E402
from polybricks import check, run_tool  # noqa: E402

# Files of each package, without those of include/polybricks.
FILES = {
    "libpbrt0": {"lib/libpbrt.so.0"},
    "libpolybricks-dev": {"include/polybricks.h", "include/polybricks.hpp", "lib/pkgconfig/polybricks.pc"},
    "polybricks": {"bin/pbc", "bin/pbtune", "lib/libpbrt.a", "lib/libpbrt.flags", "share/polybricks/matrix_printers.py",
                   *(f"lib/cmake/Polybricks/Polybricks{part}.cmake" for part in ("Config", "ConfigVersion", "Functions"))},
}
MODULES = polybricks.ROOT / "runtime" / "python" / "polybricks"
PYTHON_FOLDER = "lib/python3/dist-packages/polybricks"
FILES["python3-polybricks"] = {f"{PYTHON_FOLDER}/{path.name}" for path in MODULES.iterdir() if path.is_file()}
DEPENDENCIES = {"libpbrt0": [], "libpolybricks-dev": ["libpbrt0"], "polybricks": ["libpolybricks-dev"], "python3-polybricks": ["polybricks"]}
SECTIONS = {"libpbrt0": "libs", "libpolybricks-dev": "libdevel", "polybricks": "devel", "python3-polybricks": "python"}
LONGEST_LINE = 80
MOST_MB = 30


def files_of(package):
    """The plain files, without /usr/; all belong to root."""
    lines = run_tool(["dpkg-deb", "-c", package]).stdout.splitlines()
    check(all(line.split()[1] == "root/root" for line in lines), f"owners: {lines}")
    return {line.split()[5].removeprefix("./usr/") for line in lines if line.startswith("-")}


def check_files(name, package):
    files = {path for path in files_of(package) if not re.search(r"/_extension\.cpython-\d+-[\w-]+\.so$", path)}
    headers = {path for path in files if path.startswith("include/polybricks/")}
    expected = FILES[name] | {f"share/doc/{name}/copyright"}
    check(files - headers == expected, f"{name} holds {sorted(files - headers)}, expected {sorted(expected)}")
    check(bool(headers) == (name == "polybricks"), f"headers of {name}: {headers}")
    check(not [path for path in headers if "/testing/" in path], "there are headers of tests")


def check_description(name, package, version):
    text = run_tool(["dpkg-deb", "-f", package]).stdout
    fields = dict(re.findall(r"^([\w-]+): (.*)$", text, re.M))
    expected = {"Package": name, "Version": version, "Section": SECTIONS[name], "Priority": "optional",
                "Maintainer": "The Polybricks authors"}
    check({key: fields.get(key) for key in expected} == expected, text)
    depends = fields["Depends"].split(", ")
    for other in DEPENDENCIES[name]:
        check(f"{other} (= {version})" in depends, text)
    description = re.search(r"^Description: .*\n(?: .*\n)+", text, re.M)
    check(description and max(map(len, description.group().splitlines())) <= LONGEST_LINE, text)
    check(int(fields["Installed-Size"]) < MOST_MB * 1000, text)
    if name == "python3-polybricks":
        check("python3-numpy" in depends and any(item.startswith("python3 (<< ") for item in depends), text)
    if name == "polybricks":
        check("g++ (>= 4:11) | c++-compiler" in depends and "binutils" in depends, text)


def check_stripped(package, folder):
    run_tool(["dpkg-deb", "-x", package, folder])
    for binary in (folder / "usr").glob("bin/*"):
        check("no symbols" in run_tool(["nm", binary], expect=None).stderr, f"{binary} has symbols")
    copyright_text = next((folder / "usr/share/doc").glob("*/copyright")).read_text()
    check("License: Expat" in copyright_text and "Permission is hereby granted" in copyright_text, copyright_text)


def main():
    args = polybricks.arguments(__doc__).parse_args()
    work = args.work / "contents"
    packages = debian.make_packages(args.dist.parent, work)
    version = packages["polybricks"].name.split("_")[1]
    commit = re.search(r"commit (\w+)", run_tool([args.dist / "bin" / "pbc", "--version"]).stdout)
    check(commit is None or commit.group(1) in version, f"{version} does not name the commit of pbc, {commit}")
    for name, package in packages.items():
        check_files(name, package)
        check_description(name, package, version)
        check_stripped(package, work / name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
