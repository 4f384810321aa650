# SPDX-License-Identifier: MIT
"""Every C++ file of the repository has the format that `.clang-format` says.

    format_test.py [--fix]

clang-format 14 formats; other versions break some lines elsewhere.
"""

import argparse
import concurrent.futures
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]
import polybricks  # noqa: E402
import sources  # noqa: E402

TOOL = "clang-format-14"


def formatted(path):
    result = subprocess.run([TOOL, str(path)], capture_output=True, check=True)
    return result.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fix", action="store_true", help="write the files anew instead of listing them")
    args = parser.parse_args()
    if not polybricks.has_tool(TOOL):
        return polybricks.status_without(TOOL)
    files = sources.files(".h", ".cpp")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        texts = list(pool.map(formatted, files))
    differ = [(path, text) for path, text in zip(files, texts) if path.read_bytes() != text]
    for path, text in differ:
        print(f"{path.relative_to(sources.ROOT)}: not formatted; `python3 tests/style/format_test.py --fix` formats it")
        if args.fix:
            path.write_bytes(text)
    print(f"{len(files)} files, {len(differ)} {'written anew' if args.fix else 'differ'}")
    return 1 if differ and not args.fix or not files else 0


if __name__ == "__main__":
    sys.exit(main())
