# SPDX-License-Identifier: MIT
"""docs/options.md names every option that --help of the tools and of a program prints, once, and no other.

    options_test.py --dist BUILD/dist --work FOLDER
"""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import polybricks  # noqa: E402

PAGE = polybricks.ROOT / "docs" / "options.md"
HELP_LINE = re.compile(r"\s+((?:-\w,)?--[\w-]+(?:,--[\w-]+)*)")
TUNE = "tune"  # what pbtune does without a command


def options_of(help_text):
    """The long options that a help text explains, each at the beginning of a line."""
    found = []
    for line in help_text.splitlines():
        if match := HELP_LINE.match(line):
            found += re.findall(r"--[\w-]+", match.group(1))
    return found


def sections(text):
    """The chapters as {title: table rows as lists of cells}."""
    out = {}
    for chapter in re.split(r"^## ", text, flags=re.M)[1:]:
        title, _, body = chapter.partition("\n")
        rows = [line.strip().strip("|").replace(r"\|", "/").split("|") for line in body.splitlines() if line.startswith("|")]
        out[title] = [[cell.strip() for cell in row] for row in rows]
    return out


def named(rows):
    """The (option, cells) for each option that the first cell of a row names."""
    return [(option, row) for row in rows for option in re.findall(r"--[a-z][\w-]*", row[0])]


def compare(what, documented, printed):
    """The differences of two lists of options, in words."""
    faults = [f"{what} {option}: named {documented.count(option)} times" for option in sorted(set(documented)) if documented.count(option) > 1]
    faults += [f"{what} {option}: not in docs/options.md" for option in sorted(set(printed) - set(documented))]
    faults += [f"{what} {option}: not in --help" for option in sorted(set(documented) - set(printed))]
    return faults


def pbtune_faults(pbtune, rows):
    text = polybricks.run_tool([pbtune, "--help"]).stdout
    commands = re.findall(r"^  ([a-z]+) +\w", text.partition("Subcommands:")[2], flags=re.M)
    explained = re.findall(r"`([a-z]+)`", " ".join(row[0] for row in rows if "--" not in row[0]))
    faults = compare("pbtune", explained, commands)
    faults += compare("pbtune", [option for option, _ in named(rows)], {option for option, _ in named(rows)})
    for command in [TUNE, *commands]:
        words = [] if command == TUNE else [command]
        printed = options_of(polybricks.run_tool([pbtune, *words, "--help"]).stdout)
        documented = [option for option, row in named(rows) if row[1] == "all" or command in row[1].split(", ")]
        faults += compare(f"pbtune {command}", documented, printed)
    return faults


def main():
    args = polybricks.arguments(__doc__).parse_args()
    work = polybricks.fresh_folder(args.work / "options")
    tools = args.dist / "bin"
    page = sections(PAGE.read_text())
    program = work / "test_picture"
    polybricks.run_tool([tools / "pbc", polybricks.ROOT / "examples" / "test_picture.pbcc", "-o", program])
    faults = pbtune_faults(tools / "pbtune", page["pbtune"])
    for what, command, title in (("pbc", tools / "pbc", "pbc"), ("a program's", program, "A program")):
        faults += compare(what, [option for option, _ in named(page[title])], options_of(polybricks.run_tool([command, "--help"]).stdout))
    print("\n".join(faults) or f"{sum(len(named(rows)) for rows in page.values())} options")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
