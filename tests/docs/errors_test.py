#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""docs/errors.md has an entry for every kind of message, and each of its programs gets what the page says.

    errors_test.py --pbc BUILD/dist/bin/pbc --work FOLDER

An entry is a heading with the name of the kind, a quotation with its text, what it means, and fences:

* ```pbcc wrong: `pbc --check` says exactly this kind. ```pbcc right: it says nothing.
* `args=…` behind that word is passed to pbc; `compile` makes an executable instead of stopping after the check.
* ```console wrong or right: commands, judged together; the file right.pbcc is there.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from diagnostics import kinds_of_table  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
MESSAGE = re.compile(r"^(?:\S+:\d+:\d+: )?((?:error|warning): .*)$", re.M)


def kinds_of_message(message, table):
    """The names of the kinds whose text it is: where several match, those with most words of their own."""
    matching = [kind for kind in table if kind.pattern.fullmatch(message)]
    most = max((kind.num_letters for kind in matching), default=0)
    return {kind.name for kind in matching if kind.num_letters == most}


class Entry:
    def __init__(self, name):
        self.name, self.quotation, self.fences = name, "", []  # of (line number, words behind ```, text)


def entries_of(page):
    entries, info, lines = [], None, []
    for number, line in enumerate(page.splitlines(), 1):
        if info is not None and line.startswith("```"):
            entries[-1].fences.append((number - len(lines) - 1, info.split(), "\n".join(lines) + "\n"))
            info, lines = None, []
        elif info is not None:
            lines.append(line)
        elif line.startswith("```"):
            info = line[3:]
        elif line.startswith("### "):
            entries.append(Entry(line[4:].strip()))
        elif line.startswith("> ") and entries:
            entries[-1].quotation += line[2:]
    return entries


def faults_of_page(entries, table):
    names = {kind.name: kind for kind in table}
    present = [entry.name for entry in entries]
    for kind in table:
        if present.count(kind.name) != (1 if not kind.is_unsupported else 0):
            yield f"docs/errors.md has {present.count(kind.name)} entries for {kind.name}" + (
                ": docs/status.md lists it" if kind.is_unsupported else "")
    for entry in entries:
        if entry.name not in names:
            yield f"{entry.name} is no kind of message"
        elif entry.quotation != names[entry.name].shown:
            yield f"{entry.name} says `{names[entry.name].shown}`, not `{entry.quotation}`"
        for role in ("wrong", "right"):
            if not any(role in words for _, words, _ in entry.fences):
                yield f"{entry.name} has no {role} program"


def run(entry, fence, pbc, work):
    """What pbc prints for one fence."""
    number, words, text = fence
    folder = work / f"{entry.name}_{number}"
    folder.mkdir(parents=True)
    program = next((text for _, words, text in entry.fences if words[:2] == ["pbcc", "right"]), "")
    (folder / "right.pbcc").write_text(program)
    if words[0] == "console":
        command = ["bash", "-c", re.sub(r"^\$ ", "", text, flags=re.M)]
    else:
        (folder / f"{words[1]}.pbcc").write_text(text)
        options = [word.removeprefix("args=") for word in words[2:] if word.startswith("args=")]
        command = [str(pbc), f"{words[1]}.pbcc", *(["-o", "program"] if "compile" in words else ["--check"]), *options]
    environment = dict(os.environ, PATH=f"{pbc.parent}:{os.environ['PATH']}", LC_ALL="C.UTF-8")
    return subprocess.run(command, cwd=folder, env=environment, text=True, timeout=120, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def faults_of_fence(entry, fence, table, pbc, work):
    number, words, _ = fence
    done = run(entry, fence, pbc, work)
    messages = MESSAGE.findall(done.stdout)
    where = f"docs/errors.md:{number}: the {words[1]} program of {entry.name}"
    if words[1] == "right":
        return [] if done.returncode == 0 and not messages else [f"{where} gets\n{done.stdout}"]
    if words[1] != "wrong":
        return [f"{where}: neither wrong nor right"]
    others = [message for message in messages if entry.name not in kinds_of_message(message, table)]
    is_error = any(message.startswith("error") for message in messages)
    if not messages or others or is_error != (done.returncode != 0):
        return [f"{where} exits {done.returncode} with\n{done.stdout}"]
    return []


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pbc", required=True, type=pathlib.Path)
    parser.add_argument("--work", required=True, type=pathlib.Path)
    options = parser.parse_args()
    shutil.rmtree(options.work, ignore_errors=True)
    table, entries = kinds_of_table(), entries_of((ROOT / "docs" / "errors.md").read_text())
    faults = list(faults_of_page(entries, table))
    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        tasks = [pool.submit(faults_of_fence, entry, fence, table, options.pbc.resolve(), options.work.resolve())
                 for entry in entries for fence in entry.fences]
        for task in tasks:
            faults += task.result()
    print("\n".join(faults) or f"{len(entries)} kinds, {len(tasks)} programs")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
