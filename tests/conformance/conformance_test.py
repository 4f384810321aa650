# SPDX-License-Identifier: MIT
"""The corpus: each program agrees with its reference under the default and under random configurations.

    conformance_test.py --dist BUILD/dist --work FOLDER [--filter REGEX] [--all] [--seed N]

Without --all a sample of the programs runs, always the same one; --seed N repeats the sample and the configurations of
a run that printed N. PB_NIGHTLY=1 means all programs (or PB_NIGHTLY_SAMPLE of them), more configurations and more threads.
Programs that pbc must refuse are always checked, all of them.
"""

import concurrent.futures
import dataclasses
import importlib.util
import os
import pathlib
import random
import re
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]
import compiled  # noqa: E402
import polybricks  # noqa: E402
from runner import Effort, ProgramTest, Result  # noqa: E402

SAMPLE = 20                  # programs of a run by day; at night all run
MAX_FAILURES = 5             # failures that are printed of a program
MAX_ABORTED_SHARE = 0.05     # the largest share of aborted runs: configurations whose recursion does not end are legal, but few
MAX_NO_ROOM_SHARE = 0.02     # the largest share of runs that need more local memory than the device has


def load_topic(path):
    spec = importlib.util.spec_from_file_location(f"{path.parent.name}_cases", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def all_cases():
    """Yields (name, source, case); a program without a case or a case without a program is an error."""
    for path in sorted(HERE.glob("*/cases.py")):
        topic = load_topic(path)
        folder = path.parent / getattr(topic, "FOLDER", ".")
        programs = {p.stem for p in folder.glob("*.pbcc")} - set(getattr(topic, "INCLUDED", ()))
        odd = programs ^ set(topic.CASES)
        if odd:
            raise SystemExit(f"{path.parent.name}: program without case or case without program: {', '.join(sorted(odd))}")
        for name, case in topic.CASES.items():
            yield f"{path.parent.name}/{name}", folder / f"{name}.pbcc", case


class Corpus:
    def __init__(self, args, effort):
        self.args, self.effort = args, effort
        self.compiler = compiled.Compiler(args.dist, args.work / "programs")

    def refuse(self, name, source, case):
        """Checks a program that pbc must refuse: with a given message at a given line, or as not supported yet."""
        result = Result(name, runs=1)
        status, text = self.compiler.check(source, case.options)
        if status == 0 and case.fails:
            status, text = self.compiler.check(source, case.options, whole=self.compiler.folder / name)
        line, _, words = case.fails.partition(": ") if case.fails else ("", "", case.pending)
        first = next((t for t in text.splitlines() if "error: " in t), "")
        if status == 0 and case.pending:
            result.fail(f"is pending ({case.pending}) but compiles now: give it its sizes and remove the mark")
        elif status != 1 or not first:
            result.fail(f"expected one error, found status {status}: {text.strip()}")
        elif not re.search(words, text):
            result.fail(f"expected an error with `{words}`, found {first}")
        elif case.fails and f"{source.name}:{line}:" not in first:
            result.fail(f"expected an error in line {line}, found {first}")
        elif case.pending and "not supported yet" not in text:
            result.fail(f"is pending but fails otherwise: {first}")
        return result

    def find_wrong(self, name, program, case):
        """Checks that `pbtune check --outputs` names the wrong rule and the smallest size at which it fails."""
        result = Result(name, runs=1)
        rule, size = case.wrong
        status, text = self.compiler.check_outputs(program, self.effort.seed)
        if status != 1 or f"size {size}: wrong" not in text or f"rule {rule} " not in text:
            result.fail(f"expected rule {rule} at size {size}, found status {status}: {text.strip()}")
        if text.count("ran: rule ") != 1:
            result.fail(f"expected one rule to blame, found: {text.strip()}")
        thorough = dataclasses.replace(self.effort, num_configurations=20)
        if not ProgramTest(self.compiler, program, name, case, thorough, self.args.work / "files" / name).run().failures:
            result.fail("random configurations did not notice the wrong rule")
        return result

    def test(self, name, source, case):
        try:
            if case.fails or case.pending:
                return self.refuse(name, source, case)
            if case.needs and not compiled.has_library(case.needs):
                return Result(name, notes=[f"skipped: no library {case.needs} here"])
            program = self.compiler.program(source, name, (*case.options, *self.args.options))
            if case.wrong:
                return self.find_wrong(name, program, case)
            return ProgramTest(self.compiler, program, name, case, self.effort, self.args.work / "files" / name).run()
        except Exception as error:  # whatever went wrong belongs to this program; the others go on
            result = Result(name)
            result.fail(f"{type(error).__name__}: {error}")
            return result

    def run(self, cases):
        with concurrent.futures.ThreadPoolExecutor(max_workers=len(os.sched_getaffinity(0))) as pool:
            jobs = [pool.submit(self.test, *case) for case in cases]
            for job in concurrent.futures.as_completed(jobs):
                yield job.result()


def choose(args, seed):
    cases = [c for c in all_cases() if re.search(args.filter, c[0])]
    refused = [c for c in cases if c[2].fails or c[2].pending]
    others = [c for c in cases if not (c[2].fails or c[2].pending)]
    if args.sample and not args.filter and len(others) > args.sample:
        others = random.Random(seed).sample(others, args.sample)
    return refused + others


def summarise(results, compiler, seed, seconds):
    """Prints the totals; returns the failures."""
    failures = [failure for result in results for failure in result.failures]
    runs, aborted, no_room = (sum(getattr(r, name) for r in results) for name in ("runs", "aborted", "no_room"))
    for count, share, words in ((aborted, MAX_ABORTED_SHARE, "did not end"), (no_room, MAX_NO_ROOM_SHARE, "needed more local memory")):
        if len(results) >= SAMPLE and count > share * runs:
            failures.append(f"{count} of {runs} runs {words}: more than {share:.0%}")
            print(failures[-1])
    for result in results:
        for note in result.notes:
            print(f"{result.name}: {note}")
    choices, ran = sum(r.num_choices for r in results), sum(len(r.ran) for r in results)
    print(f"{len(results)} programs ({compiler.num_compiled} compiled, {compiler.num_kept} kept), {runs} runs, {aborted} aborted, {no_room} without room; "
          f"{ran} rule versions ran, {choices} are choices; seed {seed}; {seconds:.0f} s")
    return failures


def main():
    parser = polybricks.arguments(__doc__)
    parser.add_argument("--filter", default="", help="only programs TOPIC/NAME that match")
    parser.add_argument("--all", action="store_true", help="no sample")
    parser.add_argument("--sample", type=int, default=SAMPLE, help="programs")
    parser.add_argument("--seed", type=int, default=polybricks.seed(), help="of sample and configurations (default: fixed, at night the day)")
    parser.add_argument("--configurations", type=int, default=0, help="random ones per program")
    parser.add_argument("--no-device", action="store_true", help="CPU versions only")
    parser.add_argument("--options", action="append", default=[], help="of pbc for all programs, as --options=--checked-copies")
    parser.add_argument("--verbose", action="store_true", help="a line per program")
    args = parser.parse_args()
    begin = time.monotonic()
    nightly = polybricks.is_nightly()
    if args.all or nightly:
        args.sample = 0 if args.all else polybricks.number_from("PB_NIGHTLY_SAMPLE", 0)
    effort = Effort(args.seed, args.configurations or (20 if nightly else 5), (1, 2, 4) if nightly else (1, 2),
                    device=not args.no_device)
    corpus = Corpus(args, effort)
    results = []
    for result in corpus.run(choose(args, args.seed)):
        results.append(result)
        if args.verbose:
            print(f"{result.name}: {result.runs} runs, {result.aborted} aborted, {len(result.failures)} failures", flush=True)
        for failure in result.failures[:MAX_FAILURES]:
            print(failure, flush=True)
        if len(result.failures) > MAX_FAILURES:
            print(f"{result.name}: and {len(result.failures) - MAX_FAILURES} more", flush=True)
    failures = summarise(results, corpus.compiler, args.seed, time.monotonic() - begin)
    if not results:
        print("no program matches")
    return 1 if failures or not results else 0


if __name__ == "__main__":
    sys.exit(main())
