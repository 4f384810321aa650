# SPDX-License-Identifier: MIT
"""`pbtune explain` says why a device lost: how much slower it was, and what copies, launches and kernels took there.

A sum of two matrices in many small calls, each with copies in and out, is slower on a device than on the CPU, whose rule is one loop.

    device_losses_test.py --dist BUILD/dist --work FOLDER
"""

import json
import pathlib
import re
import sys

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1]), str(pathlib.Path(__file__).resolve().parents[2] / "support")]
import polybricks  # noqa: E402
from device_programs import on_device  # noqa: E402

N = 300
CALLS = 40
# Each call is a launch, and the rule of the CPU behind it needs its result.
SOURCE = f"""
transform Step
from U[n]
to V[n]
{{
  V.cell(x) from (U.cell(x) c) {{ return c + 1; }}
}}
main transform Steps
from A[n]
to B[n]
{{
  to (B b) from (A a) {{
    Step(b, a);
    for (int i = 1; i < {CALLS}; ++i) {{
      b.cell(0) = b.cell(0) + 1;
      Step(b, b);
    }}
  }}
}}
"""


def losses_of(config):
    return json.loads(config.read_text())["entries"][0]["provenance"].get("device_losses", [])


def explained(tools, work, program):
    config = work / "steps.cfg"
    polybricks.run_tool([tools.pbtune, program.path, "--n", N, "--device", "0", "--effort", "quick", "--time-limit", 8, "--seed", 1, "-o", config])
    losses = losses_of(config)
    polybricks.check(len(losses) == 1 and losses[0]["sites"] == ["Step.V#1"], f"the step was tried on the device and lost: {losses}")
    loss = losses[0]
    costs = loss["device"]
    polybricks.check(loss["time_ns"] > loss["cpu_ns"] > 0 and loss["profiled_ns"] > 0, f"times: {loss}")
    polybricks.check(costs["launches"] == CALLS, f"each call is a launch: {loss}")
    polybricks.check(0 < costs["kernel_ns"] < loss["profiled_ns"], f"the kernels took part of the time: {loss}")
    words = polybricks.run_tool([tools.pbtune, "explain", program.path, "--config", config]).stdout
    polybricks.check(re.search(r"Step\.V#1 on .*: (\d+|\d+\.\d+)x slower: .* instead of .*\n +there, .*: .*kernels .*most of it is ", words), words)
    polybricks.check(f"starting {CALLS} launches " in words, words)
    html = work / "steps.html"
    polybricks.run_tool([tools.pbtune, "report", program.path, "--config", config, "--html", html])
    polybricks.check("What lost on the device" in html.read_text(), "the page says it, too")


def profiled(work, program):
    """Statistics say what copies took, without a file for a trace."""
    config = work / "device.cfg"
    program.write_configuration(config, on_device(program))
    _, statistics = program.run("--n", N, "--device-copies", "--profile", config=config)
    device = statistics["devices"][0]
    polybricks.check(device["copy_in_ns"] > 0 and device["copy_out_ns"] > 0 and device["kernels"][0]["count"] == CALLS, f"profiled: {device}")


def served(program):
    """The protocol says it of profiled programs only."""
    entry = on_device(program)
    for words in (("--profile", "--device-copies"), ("--device-copies",)):
        with polybricks.Server(program, *words) as server:
            server.ask("inputs", n=N, seed=1)
            reply = server.ask("run", config=entry, trials=1, verify=False)
        polybricks.check(reply["status"] == "ok" and ("device" in reply) == ("--profile" in words), f"{words}: {reply}")
        if "device" in reply:
            moved = reply["device"]["bytes_to_device"] + reply["device"]["bytes_to_host"]
            polybricks.check(moved == reply["bytes_moved"] > 0 and reply["device"]["copy_in_ns"] > 0, f"{words}: {reply}")


def main():
    args = polybricks.arguments(__doc__).parse_args()
    tools, work = polybricks.Tools(args.dist), polybricks.fresh_folder(args.work / "device_losses")
    source = work / "steps.pbcc"
    source.write_text(SOURCE)
    program = tools.compile(source, work / "steps")
    profiled(work, program)
    served(program)
    explained(tools, work, program)


if __name__ == "__main__":
    main()
