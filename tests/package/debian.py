# SPDX-License-Identifier: MIT
"""Makes the Debian packages of a build folder."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import polybricks  # noqa: E402

NAMES = ("libpbrt0", "libpolybricks-dev", "polybricks", "python3-polybricks")


def make_packages(build, folder, compression="none"):
    """Returns the path of each package, by name."""
    folder = polybricks.fresh_folder(folder.resolve())
    polybricks.run_tool(["cpack", "-G", "DEB", "--config", build.resolve() / "CPackConfig.cmake",
                         "-D", f"CPACK_PACKAGE_DIRECTORY={folder}", "-D", f"CPACK_DEBIAN_COMPRESSION_TYPE={compression}"])
    paths = {path.name.partition("_")[0]: path for path in folder.glob("*.deb")}
    polybricks.check(sorted(paths) == sorted(NAMES), f"packages: {sorted(paths)}")
    return paths
