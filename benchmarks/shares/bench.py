# SPDX-License-Identifier: MIT
"""What is gained if a device and the CPU share a step (`device_eighths`), from host memory to host memory.

Prints for each program the time on the CPU alone, on the device alone, and with each share of the device. The last column is
the time of the faster of the two alone, divided by that of the best share.
"""

import dataclasses
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from harness import common as harness  # noqa: E402
from harness.common import milliseconds, polybricks  # noqa: E402

EIGHTHS = range(1, 9)  # the last one: the device alone


@dataclasses.dataclass
class Case:
    source: str       # below the project's folder
    transform: str    # the one that is measured
    scale: float = 1  # the size, as a multiple of --n
    sizes: dict = dataclasses.field(default_factory=dict)


CASES = [
    Case("examples/separable_convolution.pbcc", "Convolve2D", 1, {"KWIDTH": 9}),
    Case("tests/conformance/grids/heat_2d.pbcc", "Update"),
    Case("tests/conformance/applications/mandelbrot.pbcc", "Mandelbrot", 0.7),
    Case("tests/e2e/shares/blur.pbcc", "Blur"),
]


def choices(program, transform, on):
    """The first alternative of each site of the transform that runs on `on`."""
    return {transform: {site: next(a for a in alternatives if a[1] == on)
                        for name, site, alternatives in program.sites() if name == transform}}


def one_case(tools, args, case):
    """Times by "cpu" and by eighths, medians over rounds."""
    program = tools.compile(harness.ROOT / case.source, args.out / pathlib.Path(case.source).stem)
    entries = {"cpu": program.configuration(choices(program, case.transform, "cpu"), threads=args.threads)}
    for eighths in EIGHTHS:
        entries[eighths] = program.configuration(choices(program, case.transform, "opencl"), {case.transform: {"device_eighths": eighths}},
                                                 threads=args.threads)
    options = ["--device", args.device] if args.device else []
    rounds = []
    with polybricks.Server(program, "--transform", case.transform, *options) as server:
        harness.inputs(server, int(args.n * case.scale), case.sizes)
        for _ in range(args.rounds):
            rounds.append({name: harness.measure(server, entry, args.trials) for name, entry in entries.items()})
    return harness.medians(rounds)


def main():
    parser = harness.arguments(__doc__, "shares")
    parser.add_argument("--n", type=int, default=6000, help="size: programs take n x n cells")
    parser.add_argument("--device", help="which device, as --list-devices shows them")
    args = parser.parse_args()
    if args.build_only:
        return
    args.out.mkdir(parents=True, exist_ok=True)
    tools = polybricks.Tools(args.dist)
    rows = []
    for case in CASES:
        print(f"{case.transform} …", file=sys.stderr)
        times = one_case(tools, args, case)
        best = min(EIGHTHS, key=times.get)
        gain = min(times["cpu"], times[EIGHTHS[-1]]) / times[best]
        rows.append([case.transform, *(milliseconds(times[name]) for name in ("cpu", *EIGHTHS)), f"{best}/8", f"{gain:.2f}"])
    print(f"milliseconds, n = {args.n}, {args.threads} threads and a device\nmachine: {harness.machine()}\n")
    print(harness.table(["", "CPU", *(f"{e}/8" for e in EIGHTHS), "best", "times as fast"], rows))


if __name__ == "__main__":
    sys.exit(main())
