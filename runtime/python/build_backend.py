# SPDX-License-Identifier: MIT
"""The backend of `pip install .` (PEP 517): builds by CMake and packs what it installs into a wheel.

A wheel holds the package and, in its folder `home`, what `pbc` and `pbtune` need. It builds in `build/wheel`, or packs a folder that
was built before: `pip install . --config-settings build-dir=FOLDER`.
"""

import base64
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
VERSION = re.search(r"project\(Polybricks VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text()).group(1)
INFO = f"polybricks-{VERSION}.dist-info"
TAG = f"cp{sys.version_info[0]}{sys.version_info[1]}"
PLATFORM = re.sub(r"[-.]", "_", sysconfig.get_platform())

METADATA = f"""Metadata-Version: 2.1
Name: polybricks
Version: {VERSION}
Summary: Calls transforms of Polybricks, a language of algorithmic choice, on NumPy arrays
License: MIT
Requires-Python: >=3.8
Requires-Dist: numpy
"""
WHEEL = f"Wheel-Version: 1.0\nGenerator: polybricks\nRoot-Is-Purelib: false\nTag: {TAG}-{TAG}-{PLATFORM}\n"


def build_with_cmake(folder):
    """Builds tools, runtime and package for this interpreter."""
    for tool, package in (("cmake", "cmake"), ("ninja", "ninja-build"), (os.environ.get("CXX") or "c++", "g++")):
        if shutil.which(tool) is None:
            sys.exit(f"Polybricks is built by `{tool}`, which is not installed (Debian: `apt-get install {package}`)")
    subprocess.run(["cmake", "-G", "Ninja", "-S", ROOT, "-B", folder, f"-DPB_PYTHON={sys.executable}", "-DPB_BUILD_TESTS=OFF", "-DPB_UNITY=ON"],
                   check=True)
    subprocess.run(["cmake", "--build", folder], check=True)


def package_of(installed):
    """The folder of the package in an installed tree. The extension must be one for this interpreter."""
    extension = f"_extension{sysconfig.get_config_var('EXT_SUFFIX')}"
    for found in installed.rglob(f"polybricks/{extension}"):
        return found.parent
    sys.exit(f"the build has no {extension}: the package needs pybind11 and the headers of this Python "
             "(Debian: `apt-get install pybind11-dev python3-dev`)")


def lay_out(build, target):
    """Installs the build, and makes `target` look like the folder of installed packages."""
    with tempfile.TemporaryDirectory() as installed:
        subprocess.run(["cmake", "--install", build, "--prefix", installed], check=True, stdout=subprocess.DEVNULL)
        shutil.move(package_of(pathlib.Path(installed)), target / "polybricks")
        for folder in ("bin", "lib", "include", "share"):
            shutil.move(pathlib.Path(installed) / folder, target / "polybricks" / "home" / folder)


def write_info(target):
    (target / INFO).mkdir()
    (target / INFO / "METADATA").write_text(METADATA)
    (target / INFO / "WHEEL").write_text(WHEEL)


def pack(folder, wheel):
    """Writes the files of a folder, with the list that ends a wheel."""
    record = []
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            name = path.relative_to(folder).as_posix()
            archive.write(path, name)
            digest = base64.urlsafe_b64encode(hashlib.sha256(path.read_bytes()).digest()).rstrip(b"=").decode()
            record.append(f"{name},sha256={digest},{path.stat().st_size}")
        archive.writestr(f"{INFO}/RECORD", "\n".join([*record, f"{INFO}/RECORD,,"]) + "\n")


# The functions that PEP 517 names.


def get_requires_for_build_wheel(config_settings=None):
    return []


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    write_info(pathlib.Path(metadata_directory))
    return INFO


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    build = (config_settings or {}).get("build-dir")
    if build is None:
        build = ROOT / "build" / "wheel"
        build_with_cmake(build)
    name = f"polybricks-{VERSION}-{TAG}-{TAG}-{PLATFORM}.whl"
    with tempfile.TemporaryDirectory() as folder:
        lay_out(build, pathlib.Path(folder))
        write_info(pathlib.Path(folder))
        pack(pathlib.Path(folder), pathlib.Path(wheel_directory) / name)
    return name


def build_sdist(sdist_directory, config_settings=None):
    """The files that git knows."""
    stem = f"polybricks-{VERSION}"
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
    with tarfile.open(pathlib.Path(sdist_directory) / f"{stem}.tar.gz", "w:gz") as archive, tempfile.NamedTemporaryFile("w") as info:
        info.write(METADATA)
        info.flush()
        archive.add(info.name, f"{stem}/PKG-INFO")
        for name in listed:
            archive.add(ROOT / name, f"{stem}/{name}")
    return f"{stem}.tar.gz"
