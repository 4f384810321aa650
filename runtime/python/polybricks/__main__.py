# SPDX-License-Identifier: MIT
"""python -m polybricks stubs LIBRARY [-o FILE]: writes type stubs of a library."""

import argparse
import pathlib
import sys

from ._errors import Error
from ._library import load
from ._stubs import stubs_of


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m polybricks")
    commands = parser.add_subparsers(dest="command", required=True)
    stubs = commands.add_parser("stubs", help="write type stubs of a library")
    stubs.add_argument("library", help="libNAME.so")
    stubs.add_argument("-o", "--output", type=pathlib.Path, help="the file to write (default: standard output)")
    args = parser.parse_args()
    try:
        if not pathlib.Path(args.library).exists():
            raise FileNotFoundError(f"there is no file `{args.library}`")
        text = stubs_of(load(args.library))
        if args.output:
            args.output.write_text(text)
        else:
            sys.stdout.write(text)
    except (Error, OSError) as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
