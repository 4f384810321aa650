# SPDX-License-Identifier: MIT
"""clang-tidy reports nothing in the C++ files that changed; at night (PB_NIGHTLY=1) it reports nothing in any of them.

    tidy_test.py --work FOLDER [--all] [FILES]

On a branch, the changed files are those that differ from the commit where the branch left origin/main. On main itself,
they are the files of the newest commits. The test reads at most MOST_CHANGED source files, the newest first. It reads a
changed header with the source file of the same name, or else with one that includes it. In a clone without history, the
commit's name draws the files. `--all` reads every file, and PB_NIGHTLY_SAMPLE=N draws N of them.

Unit tests are left out: they would double the time.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import random
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]
import polybricks  # noqa: E402
import sources  # noqa: E402

TOOL = "clang-tidy-14"
# One file takes about 4 s on one core, those that include ANTLR three times as long. The test shall take less than two
# minutes on two cores.
MOST_CHANGED = 16
# The number of commits on main in which the test looks for changed files.
NUM_COMMITS = 50
FOLDERS = ("autotuner", "base", "choicegraph", "clgen", "frontend", "lang", "runtime")
LEFT_OUT = ("_test.cpp", "_bench.cpp")
HEAD_OF_FINDING = re.compile(r"^(?=/[^\n]*:\d+:\d+: (?:error|warning): )", re.M)

# For each file with a seeded fault: the check that must report it, and the text of the file.
SEEDED = {
    "lang/seeded.h": ("performance-for-range-copy", """#include <string>
#include <vector>
inline std::size_t length(const std::vector<std::string>& words) {
  std::size_t sum = 0;
  for (const auto word : words) sum += word.size();
  return sum;
}
"""),
    "lang/seeded.cpp": ("bugprone-use-after-move", """#include "lang/seeded.h"
#include <utility>
std::size_t moved(std::vector<std::string> words) {
  const std::vector<std::string> taken = std::move(words);
  return length(taken) + words.size();
}
"""),
}


class CannotRun(Exception):
    """clang-tidy cannot be run on any file; the message says why."""


def git(*words):
    """Returns the words that git prints, or none if it fails."""
    result = subprocess.run(["git", *words], cwd=sources.ROOT, capture_output=True, text=True)
    return result.stdout.split() if result.returncode == 0 else []


def configure(folder):
    """Makes clang's compile commands, one for each file, and the generated header; returns the files that are read."""
    options = ["-DCMAKE_CXX_COMPILER=clang++-14", "-DCMAKE_C_COMPILER=clang-14", "-DPB_UNITY=OFF"]
    for command in (["cmake", "-G", "Ninja", "-S", sources.ROOT, "-B", folder, *options],
                    ["ninja", "-C", folder, "frontend/parse/antlr/PbccParser.h"]):
        result = subprocess.run(command, capture_output=True, text=True)
        if result.returncode:
            raise CannotRun(f"{command[0]} ended with {result.returncode} in {folder}\n{result.stdout[-2000:]}{result.stderr[-2000:]}")
    commands = folder / "compile_commands.json"
    if not commands.exists():
        raise CannotRun(f"CMake wrote no {commands}")
    ours = {path.relative_to(sources.ROOT) for path in sources.files(".cpp") if not path.name.endswith(LEFT_OUT)}
    compiled = {pathlib.Path(os.path.relpath(entry["file"], sources.ROOT)) for entry in json.loads(commands.read_text())}
    return sorted(path for path in ours & compiled if path.parts[0] in FOLDERS)


def source_of(name, files):
    """Returns the source file that is read for a changed file, or None."""
    path = pathlib.Path(name)
    if path in files or path.suffix != ".h":
        return path if path in files else None
    twin = path.with_suffix(".cpp")
    line = f'#include "{name}"\n'
    return twin if twin in files else next((file for file in files if line in (sources.ROOT / file).read_text()), None)


def changed_names():
    """Returns what changed in the repository, the newest first; nothing if git knows no earlier commit."""
    head, base = git("rev-parse", "HEAD"), git("merge-base", "HEAD", "origin/main")
    names = git("diff", "--name-only", "HEAD") + git("ls-files", "--others", "--exclude-standard")
    if base and base != head:
        return names + git("log", "--name-only", "--format=", f"{base[0]}..HEAD")
    return names + (git("log", "--name-only", "--format=", "-n", str(NUM_COMMITS)) if git("rev-parse", "HEAD~1") else [])


def changed_files(files):
    """Returns at most MOST_CHANGED of `files`: those that changed, or a draw where git does not know."""
    names = list(dict.fromkeys(changed_names()))
    if not names:
        return random.Random("".join(git("rev-parse", "HEAD"))).sample(files, min(MOST_CHANGED, len(files)))
    chosen = {}
    for name in names:
        source = source_of(name, files)
        if source:
            chosen[source] = True
        if len(chosen) == MOST_CHANGED:
            break
    return list(chosen)


def all_files(files):
    """Returns all of `files`, or as many as PB_NIGHTLY_SAMPLE says, in another order every night."""
    files = random.Random(polybricks.seed()).sample(files, len(files))
    return files[:polybricks.number_from("PB_NIGHTLY_SAMPLE", len(files))]


def findings(root, path, *options):
    """Returns what clang-tidy reports in a file below `root` and in the headers there that it includes.

    Raises CannotRun if clang-tidy itself fails.
    """
    headers = f"^{re.escape(str(root))}/({'|'.join(FOLDERS)})/"
    command = [TOOL, "--quiet", f"--config-file={sources.ROOT / '.clang-tidy'}", f"--header-filter={headers}", root / path, *options]
    result = subprocess.run(command, cwd=sources.ROOT, capture_output=True, text=True)
    if result.returncode and not result.stdout:
        raise CannotRun(f"{path}: {TOOL} ended with {result.returncode}\n{result.stderr}")
    return [each.rstrip() for each in HEAD_OF_FINDING.split(result.stdout) if each.strip()]


def unseen_faults(folder):
    """Returns the checks that do not report their seeded fault."""
    for name, (_, text) in SEEDED.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    found = "\n".join(findings(folder, "lang/seeded.cpp", "--", "-std=c++20", f"-I{folder}"))
    return [check for check, _ in SEEDED.values() if f"[{check}," not in found]


def run(work, choose):
    """Tests the files that `choose` picks and returns the exit status."""
    unseen = unseen_faults(work / "seeded")
    if unseen:
        print(f"{TOOL} does not report the seeded faults of {', '.join(unseen)}")
        return 1
    build = work / "build"
    files = choose(configure(build))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        lists = list(pool.map(lambda path: findings(sources.ROOT, path, "-p", build), files))
    # A finding in a header comes once from each file that includes it.
    found = dict.fromkeys(finding for each in lists for finding in each)
    for finding in found:
        print(finding)
    print(f"{len(files)} files, {len(found)} findings")
    return 1 if found else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--all", action="store_true", default=polybricks.is_nightly())
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    args = parser.parse_args()
    for tool in (TOOL, "clang++-14"):
        if not polybricks.has_tool(tool):
            return polybricks.status_without(tool)
    choose = (lambda _: args.files) if args.files else all_files if args.all else changed_files
    try:
        return run(args.work.resolve(), choose)
    except CannotRun as reason:
        print(reason)
        return 1


if __name__ == "__main__":
    sys.exit(main())
