# SPDX-License-Identifier: MIT
"""Every C++ file of the repository has the format that `.clang-format` says.

    format_test.py [--fix]

clang-format 14 formats; other versions break some lines elsewhere. Without it the test is skipped (exit status 77).
"""

import argparse
import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SKIPPED = 77
# Inputs of tests: their lines are what the tests are about.
LEFT_OUT = ("testdata",)


def cpp_files():
    """Those that git knows; all of the tree in an unpacked archive."""
    listed = subprocess.run(["git", "ls-files", "*.cpp", "*.h"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode == 0 and listed.stdout:
        names = listed.stdout.split()
    else:
        names = [str(path.relative_to(ROOT)) for pattern in ("*.cpp", "*.h") for path in ROOT.rglob(pattern) if "build" not in path.parts]
    return [ROOT / name for name in names if not any(part in LEFT_OUT for part in pathlib.Path(name).parts)]


def formatted(tool, path):
    result = subprocess.run([tool, str(path)], capture_output=True, check=True)
    return result.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fix", action="store_true", help="write the files anew instead of listing them")
    args = parser.parse_args()
    tool = shutil.which("clang-format-14")
    if tool is None:
        print("clang-format-14 is not installed")
        return SKIPPED
    files = [path for path in cpp_files() if path.exists()]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        texts = list(pool.map(lambda path: formatted(tool, path), files))
    differ = [(path, text) for path, text in zip(files, texts) if path.read_bytes() != text]
    for path, text in differ:
        print(f"{path.relative_to(ROOT)}: not formatted; `python3 tests/style/format_test.py --fix` formats it")
        if args.fix:
            path.write_bytes(text)
    print(f"{len(files)} files, {len(differ)} {'written anew' if args.fix else 'differ'}")
    return 1 if differ and not args.fix or not files else 0


if __name__ == "__main__":
    sys.exit(main())
