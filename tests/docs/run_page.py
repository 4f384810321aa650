# SPDX-License-Identifier: MIT
"""Executes a documentation page: what it shows is what happens.

    run_page.py --dist BUILD/dist --work FOLDER [--needs TOOL] PAGE.md

* A fence ```pbcc file=NAME (any language word) is written to NAME in the work folder.
* All fences ```pbcc append=NAME of the page together are NAME, which is there before the first command runs.
* A fence ```console holds commands (`$ command`) each followed by what it prints. `…` in expected
  text matches anything within a line; a line that is only `…` matches any number of lines.
  `$ command   # exits 1` expects that status instead of 0.
* A picture that the page shows, `![…](NAME.png)`, is made by its commands and still looks like the file beside the page.
A page is skipped without the tool that it needs. pbc and pbtune are on PATH, and `python3` is the interpreter of this script
with the Python package, unless the page uses that and it was not built: then the page is skipped. The folder starts empty
but for the repository's examples/ and benchmarks/.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))
import pages  # noqa: E402
import pictures  # noqa: E402
import polybricks  # noqa: E402

EXITS = re.compile(r"\s+# exits (\d+)$")


def fences(text):
    """Yields (line number, info string, lines) of each fence."""
    info, lines, start = None, [], 0
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("```"):
            if info is None:
                info, lines, start = line[3:].strip(), [], number
            else:
                yield start, info, lines
                info = None
        elif info is not None:
            lines.append(line)


def pattern_of(expected):
    """A regular expression for the lines shown after a command."""
    parts = []
    for line in expected:
        if line.strip() == "…":
            parts.append(r"(?:.*\n)*?")
        else:
            parts.append(".*".join(re.escape(piece) for piece in line.rstrip().split("…")) + r"[ \t]*\n")
    return re.compile("".join(parts) + r"\s*\Z")


def commands(lines):
    """Yields (command, expected status, expected lines)."""
    command, status, expected = None, 0, []
    for line in lines:
        if line.startswith("$ "):
            if command is not None:
                yield command, status, expected
            exits = EXITS.search(line)
            command, status, expected = EXITS.sub("", line[2:]), int(exits.group(1)) if exits else 0, []
        else:
            expected.append(line)
    if command is not None:
        yield command, status, expected


def write_programs(text, work):
    """Writes the files that the page builds up in pieces."""
    pieces = {}
    for _, info, lines in fences(text):
        named = re.search(r"append=(\S+)", info)
        if named:
            pieces.setdefault(named.group(1), []).append("\n".join(lines) + "\n")
    for name, parts in pieces.items():
        (work / name).write_text("\n".join(parts))


def run_page(page, dist, work):
    write_programs(page.read_text(), work)
    folders = (dist / "bin", pathlib.Path(sys.executable).parent, os.environ["PATH"])
    environment = dict(os.environ, PATH=":".join(map(str, folders)), PYTHONPATH=str(dist / "python"), XDG_CACHE_HOME=str(work / ".cache"),
                       LC_ALL="C.UTF-8")
    failures, count = [], 0
    for number, info, lines in fences(page.read_text()):
        named = re.search(r"file=(\S+)", info)
        if named:
            (work / named.group(1)).write_text("\n".join(lines) + "\n")
        if info.split(" ")[0] != "console":
            continue
        for command, status, expected in commands(lines):
            count += 1
            done = subprocess.run(["bash", "-c", command], cwd=work, env=environment, text=True, timeout=300,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            if done.returncode != status:
                failures.append(f"{page.name}:{number}: `{command}` exits {done.returncode}, expected {status}\n{done.stdout}")
            elif not pattern_of(expected).match(done.stdout if done.stdout.endswith("\n") else done.stdout + "\n"):
                failures.append(f"{page.name}:{number}: `{command}` prints\n{done.stdout}expected\n" + "\n".join(expected))
    return count, failures


def stale_pictures(page, work):
    """Yields a line for each picture of the page that its commands do not make, or that looks different now."""
    for number, target in pages.links(page.read_text()):
        if not target.endswith(".png"):
            continue
        if not (work / target).exists():
            yield f"{page.name}:{number}: no command makes {target}"
        elif not pictures.are_alike(pictures.array_of(work / target), pictures.array_of(page.parent / target)):
            yield f"{page.name}:{number}: {target} looks different now; what the commands make is {work / target}"


def main():
    parser = polybricks.arguments(__doc__)
    parser.add_argument("page", type=pathlib.Path)
    parser.add_argument("--needs", default="bash")
    args = parser.parse_args()
    if not polybricks.has_tool(args.needs):
        return polybricks.status_without(args.needs)
    if args.needs == "gdb" and polybricks.is_debugging_forbidden():
        print("gdb may not run programs here")
        return 77
    if "import polybricks" in args.page.read_text() and not polybricks.has_package(args.dist):
        return polybricks.status_without("the Python package")
    work = polybricks.fresh_folder(args.work.resolve() / args.page.stem)
    shutil.copytree(ROOT / "examples", work / "examples")
    (work / "benchmarks").symlink_to(ROOT / "benchmarks")
    count, failures = run_page(args.page, args.dist.resolve(), work)
    failures += stale_pictures(args.page, work)
    print("\n".join(failures) if failures else f"{args.page.name}: {count} commands")
    return 1 if failures or not count else 0


if __name__ == "__main__":
    sys.exit(main())
