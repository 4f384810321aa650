# SPDX-License-Identifier: MIT
"""Large pages: asked for where the configuration says so, in a file, compiled in, by option and in requests to a server.

    large_pages_test.py --dist BUILD/dist --work FOLDER
"""

import pathlib
import re
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import polybricks  # noqa: E402

# The program says itself how many bytes of its memory were advised to be on large pages.
SOURCE = """
%{
#include <cstdio>
#include <cstring>
static long advised_kib() {
  std::FILE* file = std::fopen("/proc/self/smaps", "r");
  char line[512];
  long kib = 0, sum = 0;
  while (std::fgets(line, sizeof line, file)) {
    if (std::sscanf(line, "Size: %ld", &kib) == 1) continue;
    if (std::strncmp(line, "VmFlags:", 8) == 0 && std::strstr(line, " hg")) sum += kib;
  }
  std::fclose(file);
  return sum;
}
%}

transform Twice
from IN[n]
to OUT[n]
through T[n]
{
  to (T t) from (IN in) {
    std::printf("advised: %ld\\n", advised_kib());
    for (int i = 0; i < n; ++i) t.cell(i) = 2 * in.cell(i);
  }
  to (OUT.cell(i) a) from (T.cell(i) t) { a = t; }
}
"""
NUM_CELLS = 1 << 20  # 8 MiB a matrix, of which there are three


class Check:
    def __init__(self, program, work):
        self.program, self.work, self.failures = program, work, []
        self.cells = np.arange(NUM_CELLS, dtype=float)
        np.save(work / "in.npy", self.cells)

    def expect(self, found, wanted, words):
        if found != wanted:
            self.failures.append(f"{words}: {found}, expected {wanted}")

    def advised_mib(self, program, *options):
        done = polybricks.run_tool([program.path, *options, self.work / "in.npy", self.work / "out.npy"])
        self.expect(bool((np.load(self.work / "out.npy") == 2 * self.cells).all()), True, f"outputs with {options}")
        return int(re.search(r"advised: (\d+)", done.stdout).group(1)) >> 10

    def run(self, source):
        config = self.work / "large.cfg"
        self.program.write_configuration(config, {"global": {"large_pages": 1}, "transforms": {}})
        can_ask = pathlib.Path("/sys/kernel/mm/transparent_hugepage").is_dir()
        small, large = 0, 3 * NUM_CELLS * 8 >> 20 if can_ask else 0
        self.expect(self.program.info["global"].get("large_pages", {}).get("initial"), 0, "tunable in the training information")
        self.expect(self.advised_mib(self.program), small, "MiB without a configuration")
        self.expect(self.advised_mib(self.program, "--config", config), large, "MiB with the configuration")
        self.expect(self.advised_mib(self.program, "--config", config, "--nolarge-pages"), small, "MiB with the option against it")
        self.expect(self.advised_mib(self.program, "--large-pages"), large, "MiB with the option")
        fixed = polybricks.Tools(self.program.dist).compile(source, self.work / "fixed", "--config", config)
        self.expect(self.advised_mib(fixed), large, "MiB compiled in")
        self.expect(self.advised_mib(fixed, "--large-pages=no"), small, "MiB compiled in, with the option against it")
        self.requests()

    def requests(self):
        """A server moves its matrices from one kind of pages to the other, with their contents."""
        with polybricks.Server(self.program, "--device", "none") as server:
            self.expect(server.load([self.work / "in.npy"]), "", "inputs of the server")
            for large in (1, 0, 0, 1, 0):
                reply = server.ask("run", config={"global": {"large_pages": large}, "transforms": {}}, trials=2, verify=True)
                self.expect((reply["status"], len(reply["times_ns"])), ("ok", 2), f"run with large_pages {large}")


def main():
    args = polybricks.arguments(__doc__).parse_args()
    work = polybricks.fresh_folder(args.work / "large_pages")
    source = work / "twice.pbcc"
    source.write_text(SOURCE)
    program = polybricks.Tools(args.dist).compile(source, work / "twice")
    program.dist = args.dist
    check = Check(program, work)
    check.run(source)
    print("\n".join(check.failures) or "memory is on the pages that were asked for")
    return 1 if check.failures else 0


if __name__ == "__main__":
    sys.exit(main())
