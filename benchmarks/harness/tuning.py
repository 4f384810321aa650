# SPDX-License-Identifier: MIT
"""Tunes the program for one problem. A search that was interrupted goes on; a configuration that is there is taken."""

import json
import re

from .common import first_entry, polybricks
from .contenders import Failed


def tuned(tools, program, problem, path, effort, options):
    """Returns the configuration that `pbtune` finds for the problem, kept in the file `path`. Raises Failed."""
    if not is_of(program, path):
        inputs = problem.workload.search_sizes(problem.size) or ("--inputs", *problem.files)
        command = [tools.pbtune, program.path, *inputs, "-o", path, "--effort", effort, "--quiet", *problem.settings(), *options]
        done = polybricks.run_tool(command, expect=None, timeout=24 * 3600)
        if done.returncode != 0:
            raise Failed((done.stderr.strip().splitlines() or ["pbtune failed"])[0])
    return first_entry(path)


def is_of(program, path):
    """Whether the file is a configuration of this version of the program."""
    try:
        return json.loads(path.read_text())["source"] == program.info["source"]
    except (OSError, ValueError, KeyError):
        return False


def is_same(tools, program, first, second, folder):
    """Whether two configurations decide the same, written or by default."""
    files = [folder / "first.cfg", folder / "second.cfg"]
    for file, configuration in zip(files, (first, second)):
        program.write_configuration(file, configuration)
    done = polybricks.run_tool([tools.pbtune, "diff", program.path, *files], expect=None)
    for file in files:
        file.unlink()
    return done.returncode == 0


def words(tools, program, path):
    """What a configuration chooses, in words, without the command line of the search, whose files are gone."""
    text = polybricks.run_tool([tools.pbtune, "explain", program.path, "--config", path], expect=None).stdout.strip()
    return re.sub(r" \(tuned with [^)]*\)", "", text)
