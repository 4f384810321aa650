# SPDX-License-Identifier: MIT
"""Drives the built tools from Python: compile a program, write configurations, run it, read its statistics.

Used by tests/e2e and by benchmarks/. Nothing here knows what a program computes.
"""

import argparse
import itertools
import json
import os
import pathlib
import shutil
import subprocess
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]


def is_nightly():
    """Whether PB_NIGHTLY asks for the long runs; empty is as good as not set."""
    return os.environ.get("PB_NIGHTLY", "") not in ("", "0")


def number_from(variable, otherwise):
    """A whole number of the environment; empty is as good as not set."""
    return int(os.environ.get(variable) or otherwise)


def seed():
    """1, so that a commit always gets the same answer; at night the day's, so that every night tries something else."""
    return int(time.time()) // 86400 if is_nightly() else 1


def arguments(doc):
    """The options of every test that runs the tools: where they are and where the test may write."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dist", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    return parser


def has_package(dist):
    """Whether the Python package was built, for which pybind11 and Python's headers must have been there."""
    return (dist / "python").is_dir()


def package_environment(dist, work):
    """The environment of scripts that use the Python package; what they compile is cached in the folder `work`."""
    environment = {name: value for name, value in os.environ.items() if name != "POLYBRICKS_HOME"}
    package = str(dist.resolve() / "python")
    return {**environment, "PYTHONPATH": package, "XDG_CACHE_HOME": str(work / "cache"), "PYTHONDONTWRITEBYTECODE": "1"}


def has_tool(name):
    """Whether the PATH has a program of this name."""
    return shutil.which(name) is not None


def status_without(what):
    """Says what is missing and returns the exit status of a test that needs it: skipped, but a failure where ./test has installed all tools."""
    print(f"not installed: {what}")
    return 1 if os.environ.get("PB_TOOLS_INSTALLED") else 77


def is_debugging_forbidden():
    """Whether gdb is there, but may not run programs, as in many containers."""
    if not has_tool("gdb"):
        return False
    done = subprocess.run(["gdb", "-batch", "-nx", "-ex", "run", shutil.which("true")], capture_output=True, text=True, timeout=60)
    return "exited normally" not in done.stdout


def fresh_folder(path):
    """The folder, emptied, whatever was in it before."""
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir(parents=True)
    return path


def ran_of(stats):
    """The (site, {rule, on, count}) pairs of the statistics."""
    for site, entries in stats["ran"].items():
        for entry in entries if isinstance(entries, list) else [entries]:
            yield site, entry


class ToolError(Exception):
    """A tool ended with an unexpected status; the message holds its command and what it printed."""


def run_tool(command, expect=0, timeout=300, **kwargs):
    """Runs a command and returns the finished process; raises ToolError unless it exits with `expect`."""
    command = [str(c) for c in command]
    done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, **kwargs)
    if expect is not None and done.returncode != expect:
        raise ToolError(f"{' '.join(command)}\n  exit status {done.returncode}, expected {expect}\n{done.stdout}{done.stderr}")
    return done


class Tools:
    """The tools of one build folder."""

    def __init__(self, dist):
        self.dist = pathlib.Path(dist)
        self.pbc = self.dist / "bin" / "pbc"
        self.pbtune = self.dist / "bin" / "pbtune"

    def compile(self, source, output, *options):
        run_tool([self.pbc, source, "-o", output, *options])
        return Program(output)


class Program:
    """A compiled program with its training information."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        self.info = json.loads(self.path.with_name(self.path.name + ".info").read_text())

    def sites(self):
        """Yields (transform, site, [(rule, on), …]) in the order of the training information."""
        for transform, data in self.info["transforms"].items():
            for site, details in data.get("sites", {}).items():
                yield transform, site, [(a["rule"], on) for a in details["alternatives"] for on in a["on"]]

    def configuration(self, choices, tunables=None, **global_values):
        """A configuration that makes `choices` {transform: {site: (rule, on)}} at every size."""
        transforms = {}
        for transform, sites in choices.items():
            transforms[transform] = {"sites": {site: [{"rule": rule, "on": on}] for site, (rule, on) in sites.items()}}
        for transform, values in (tunables or {}).items():
            transforms.setdefault(transform, {})["tunables"] = values
        return {"global": global_values, "transforms": transforms}

    def write_configuration(self, path, entry):
        """Writes one entry as a configuration file of this program."""
        whole = {"format": 2, "program": self.info["program"], "source": self.info["source"], "entries": [entry]}
        pathlib.Path(path).write_text(json.dumps(whole))

    def all_assignments(self, transforms=None):
        """Every combination of one alternative per site, as `choices`."""
        sites = [s for s in self.sites() if transforms is None or s[0] in transforms]
        for picks in itertools.product(*(alternatives for _, _, alternatives in sites)):
            choices = {}
            for (transform, site, _), pick in zip(sites, picks):
                choices.setdefault(transform, {})[site] = pick
            yield choices

    def is_forbidden(self, choices):
        """Whether `choices` hold rules that have no legal order together."""
        for transform, data in self.info["transforms"].items():
            of_transform = choices.get(transform, {})
            for forbidden in data.get("forbidden", []):
                if all(of_transform.get(site, ("",))[0] == rule for site, rule in forbidden.items()):
                    return True
        return False

    def run(self, *args, config=None, expect=0, env=None, timeout=300):
        """Runs the program; returns (process, statistics or None)."""
        command = [self.path, *args, "--stats=json"]
        if config is not None:
            command += ["--config", config]
        environment = dict(os.environ, **(env or {}))
        done = run_tool(command, expect=expect, timeout=timeout, env=environment)
        return done, statistics_of(done.stdout)


def statistics_of(text):
    """The JSON object that --stats=json prints as the last line, or None."""
    for line in reversed(text.splitlines()):
        if line.startswith("{"):
            return json.loads(line)
    return None


def check(condition, words):
    """Ends a test that found `condition` wrong; `words` say what was found."""
    if not condition:
        raise AssertionError(words)


def lacks_room(reply):
    """Whether versions fell back in a run, and only because the device's local memory cannot hold their tiles."""
    fallbacks = reply.get("fallbacks") or []
    return bool(fallbacks) and all(each["reason"] == "local memory" for each in fallbacks)


def lacks_storage(fallback):
    """Whether a version fell back because no matrix holds a number that it reads or writes: a variable of the body that calls."""
    return fallback["reason"] == "an argument is not in matrix storage"


class Server:
    """A program in --serve mode: requests as dictionaries, replies likewise. It is killed when an answer takes more than `limit_s`."""

    def __init__(self, program, *args, limit_s=600, env=None):
        self.process = subprocess.Popen([str(program.path), "--serve", *map(str, args)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                                        env=dict(os.environ, **(env or {})))
        self.limit_s = limit_s
        self.hello = json.loads(self.process.stdout.readline())
        self.next_id = 0

    def ask(self, op, **fields):
        self.next_id += 1
        timer = threading.Timer(self.limit_s, self.process.kill)
        timer.start()
        try:
            self.process.stdin.write(json.dumps({"id": self.next_id, "op": op, **fields}) + "\n")
            self.process.stdin.flush()
            return json.loads(self.process.stdout.readline())
        except (BrokenPipeError, ValueError):
            raise ToolError(f"--serve ended while answering {op} {fields}") from None
        finally:
            timer.cancel()

    def load(self, files, **fields):
        """Reads inputs and computes what later runs are compared with; what went wrong, or ""."""
        for request in ({"op": "inputs", "files": [str(path) for path in files], "seed": 1, **fields}, {"op": "reference"}):
            reply = self.ask(**request)
            if reply["status"] != "ok" or "not verified" in reply.get("message", ""):
                return f"{request['op']}: {reply['status']}: {reply.get('message')}"
        return ""

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=60)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
