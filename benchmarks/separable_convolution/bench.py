# SPDX-License-Identifier: MIT
"""The paper's figure 2 on this machine: each way to compute the separable convolution, over kernel widths.

Prints, from one run: the six fixed choices (2-D and separable, each on the CPU, on the device with basic
kernels and with local memory) next to hand-written C++ and OpenCL for the same job; the ratios generated : hand-written;
the scaling with threads against OpenMP; with --tune, the tuned configuration against the best fixed choice.
All times are medians; ratios come from interleaved runs. Writes results.json and figure2*.svg.
"""

import argparse
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from harness import common as harness  # noqa: E402
from harness.common import median, milliseconds, polybricks  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
SHAPES = [(16, 16), (32, 8), (64, 4), (32, 4), (64, 1), (128, 1), (128, 2), (256, 1), (512, 1), (32, 32), (16, 8), (128, 8)]
CHOICES = [("2d", "cpu"), ("2d", "opencl"), ("2d", "opencl_local"),
           ("separable", "cpu"), ("separable", "opencl"), ("separable", "opencl_local")]
TRANSFORMS = {"2d": ["Convolve2D"], "separable": ["ConvolveRows", "ConvolveColumns"]}
MAIN = "SeparableConvolution"
VERSION = {"opencl": "basic", "opencl_local": "local"}


def entry_for(program, algorithm, on, shapes, threads):
    """The configuration of one fixed choice; `shapes` maps a transform to its work-group shape."""
    sites = {t: (site, alternatives) for t, site, alternatives in program.sites()}
    main_site, main_alternatives = sites[MAIN]
    choices = {MAIN: {main_site: main_alternatives[0 if algorithm == "2d" else 1]}}
    tunables = {}
    for transform in TRANSFORMS[algorithm]:
        site, alternatives = sites[transform]
        choices[transform] = {site: next(a for a in alternatives if a[1] == on)}
        if transform in shapes:
            tunables[transform] = {f"{alternatives[0][0]}.{on}.work_group": list(shapes[transform])}
    return program.configuration(choices, tunables, threads=threads)


class Bench:
    def __init__(self, args, out):
        self.args, self.out = args, out
        source = polybricks.ROOT / "examples" / "separable_convolution.pbcc"
        tools = polybricks.Tools(args.dist)
        self.tools = tools
        self.program = tools.compile(source, out / f"conv_{args.element}", f"--element={args.element}")
        self.cpu_baseline = harness.build(HERE / "baseline_cpu.cpp", out / "baseline_cpu", "-fopenmp")
        self.cl_baseline = args.baseline_opencl or harness.build(
            HERE / "baseline_opencl.cpp", out / "baseline_opencl", *(["-I", args.cl_headers] if args.cl_headers else []), "-l:libOpenCL.so.1")
        self.float_option = ["--float"] if args.element == "float" else []

    # ---- hand-written --------------------------------------------------------

    def hand_written_cpu(self, width, threads, ceiling=False):
        done = polybricks.run_tool([self.cpu_baseline, "--n", self.args.n, "--width", width, "--trials", self.args.trials,
                                    "--threads", threads, *self.float_option, *(["--ceiling"] if ceiling else [])])
        return json.loads(done.stdout)

    def hand_written_device(self, width):
        done = polybricks.run_tool([self.cl_baseline, "--n", self.args.n, "--width", width, "--trials", self.args.trials,
                                    "--device", self.args.cl_device, "--source", HERE / "baseline.cl", *self.float_option])
        return json.loads(done.stdout)

    # ---- generated -----------------------------------------------------------

    def times(self, server, algorithm, on, shapes, threads, resident, trials):
        """Median times of one choice in ns, of the whole run and of its kernels; infinite if it fell back or failed."""
        entry = entry_for(self.program, algorithm, on, shapes, threads)
        reply = server.ask("run", config=entry, trials=trials, verify=False, resident=resident)
        if reply["status"] != "ok":
            print(f"  {algorithm} {on} {shapes}: {reply['status']} {reply.get('message', '')}", file=sys.stderr)
            return float("inf"), float("inf")
        if reply.get("fallbacks"):
            return float("inf"), float("inf")
        return median(reply["times_ns"]), median(reply.get("kernel_ns") or [0])

    def time(self, *args):
        return self.times(*args)[0]

    def best_shapes(self, server, algorithm, on):
        """The fastest work-group shape of each transform, one after the other."""
        shapes = {t: (32, 8) for t in TRANSFORMS[algorithm]}
        for transform in TRANSFORMS[algorithm]:
            times = {s: self.times(server, algorithm, on, dict(shapes, **{transform: s}), self.args.threads, True, 3)[1] for s in SHAPES}
            shapes[transform] = min(times, key=times.get)
        return shapes

    def generated(self, width):
        """All fixed choices at one width, with one thread and with all of them."""
        result = {}
        with polybricks.Server(self.program, "--device", self.args.device, "--profile") as server:
            reply = server.ask("inputs", n=self.args.n, sizes={"KWIDTH": width}, seed=1)
            if reply["status"] != "ok":
                raise polybricks.ToolError(f"inputs: {reply}")
            for algorithm, on in CHOICES:
                if on == "cpu":
                    one = self.time(server, algorithm, on, {}, 1, False, self.args.trials)
                    many = self.time(server, algorithm, on, {}, self.args.threads, False, self.args.trials)
                    result[f"{algorithm}_{on}"] = {"one_thread": one, "threads": many}
                    continue
                shapes = self.best_shapes(server, algorithm, on)
                resident, kernel = self.times(server, algorithm, on, shapes, self.args.threads, True, self.args.trials)
                result[f"{algorithm}_{on}"] = {
                    "kernel": kernel, "resident": resident,
                    "end_to_end": self.time(server, algorithm, on, shapes, self.args.threads, False, self.args.trials),
                    "shapes": shapes}
        return result

    def one_width(self, width):
        """Interleaved rounds of hand-written and generated; medians per figure."""
        rounds = []
        for _ in range(self.args.rounds):
            rounds.append({"cpu_one": self.hand_written_cpu(width, 1, ceiling=True), "generated": self.generated(width),
                           "cpu_many": self.hand_written_cpu(width, self.args.threads), "device": self.hand_written_device(width)})
        return combine(rounds)

    # ---- tuned ---------------------------------------------------------------

    def tuned(self, width, resident, result):
        """Tunes for one width. Then the tuned configuration and the best fixed choices run in turn, in one process: two
        processes differ by more than these configurations do. Returns (time of the tuned one, time of the fixed
        one, its name, words of pbtune explain)."""
        mode = "resident" if resident else "end_to_end"
        config = self.out / f"tuned_{self.args.element}_{width}_{mode}.cfg"
        config.unlink(missing_ok=True)
        kept, words = harness.tuned(self.tools, self.program, config, "--n", self.args.n, "--size", f"KWIDTH={width}", "--device", self.args.device,
                                    "--effort", self.args.effort, *(["--resident"] if resident else []))
        contenders = {"tuned": kept}
        ranking = sorted(fixed_times(result, mode).items(), key=lambda item: item[1])
        for name, ns in ranking[:2]:
            if ns == float("inf"):
                continue
            algorithm, on = name.split()
            shapes = result["generated"][f"{algorithm}_{on}"].get("shapes", {})
            contenders[name] = entry_for(self.program, algorithm, on, shapes, self.args.threads)
        times = {name: [] for name in contenders}
        with polybricks.Server(self.program, "--device", self.args.device) as server:
            server.ask("inputs", n=self.args.n, sizes={"KWIDTH": width}, seed=1)
            for turn in range(2 * self.args.rounds + 2):
                # Every other turn goes in the reverse order, so that no configuration always runs after the same other one.
                for name, entry in list(contenders.items())[::1 if turn % 2 == 0 else -1]:
                    times[name] += server.ask("run", config=entry, trials=self.args.trials, verify=False, resident=resident)["times_ns"]
        medians = {name: median(values) for name, values in times.items()}
        best = min((name for name in medians if name != "tuned"), key=medians.get)
        return medians["tuned"], medians[best], best, words


def combine(rounds):
    """The median of each figure over the rounds. What is no number, such as a shape, is that of the first round."""
    def merge(values):
        if isinstance(values[0], dict):
            return {key: merge([v[key] for v in values]) for key in values[0]}
        return median(values) if isinstance(values[0], (int, float)) else values[0]
    return merge(rounds)


def ratios(result):
    """The ratio generated : hand-written of each figure. A smaller one is better for the generated code, but not for scaling."""
    generated, one, many, device = (result[k] for k in ("generated", "cpu_one", "cpu_many", "device"))
    out = {}
    for algorithm in TRANSFORMS:
        hand_one = min(one["times_ns"][f"{algorithm}_{style}"] for style in ("plain", "simd"))
        hand_many = min(many["times_ns"][f"{algorithm}_{style}"] for style in ("plain", "simd"))
        ours = generated[f"{algorithm}_cpu"]
        out[f"{algorithm} cpu"] = ours["one_thread"] / hand_one
        out[f"{algorithm} scaling"] = (ours["one_thread"] / ours["threads"]) / (hand_one / hand_many)
        for on, version in VERSION.items():
            for mode in ("kernel", "resident", "end_to_end"):
                out[f"{algorithm} {version} {mode}"] = generated[f"{algorithm}_{on}"][mode] / device["times_ns"][f"{algorithm}_{version}"][mode]
    return out


def fixed_times(result, mode):
    """The time of each of the six fixed choices. Those on the CPU have the same time in both modes."""
    return {f"{a} {on}": result["generated"][f"{a}_{on}"]["threads" if on == "cpu" else mode] for a, on in CHOICES}


def report(args, widths, results, tuned, out):
    print(f"\nseparable convolution, {args.n}x{args.n}, {args.element}, {args.threads} threads")
    print(f"machine: {harness.machine()}; device: {results[widths[0]]['device']['device']}")
    for mode in ("end_to_end", "resident"):
        series = {f"{a} {on}": [] for a, on in CHOICES}
        for width in widths:
            for name, ns in fixed_times(results[width], mode).items():
                series[name].append(ns / 1e6)
        print(f"\nmilliseconds, {mode.replace('_', ' ')} (medians; work-group shapes tried, the best shown)")
        print(harness.table(["width", *series], [[w, *(f"{s[i]:.2f}" for s in series.values())] for i, w in enumerate(widths)]))
        harness.line_plot(out / f"figure2_{args.element}_{mode}.svg", f"Separable convolution, {args.n}x{args.n}, {mode.replace('_', ' ')}",
                          "kernel width", "milliseconds", widths, series)
    print("\ngenerated : hand-written, below 1 the generated code is faster (scaling: above 1 it scales better than OpenMP)")
    names = list(ratios(results[widths[0]]))
    print(harness.table(["", *widths], [[name, *(f"{ratios(results[w])[name]:.2f}" for w in widths)] for name in names]))
    print("\nshare of the measured ceiling that the hand-written SIMD code reaches (multiply-add rate; triad bandwidth)")
    print(harness.table(["", *widths], [[name, *(f"{results[w]['cpu_one']['share'][name]:.2f}" for w in widths)]
                                        for name in ("2d_simd", "separable_simd")]))
    for mode in ("end_to_end", "resident"):
        rows = []
        for width, modes in tuned.items():
            ours, best, name, _ = modes[mode]
            rows.append([width, milliseconds(ours), milliseconds(best), name, f"{ours / best:.2f}"])
        if rows:
            print(f"\ntuned against the best fixed choice, {mode.replace('_', ' ')}")
            print(harness.table(["width", "tuned ms", "best ms", "best choice", "ratio"], rows))
    for width, modes in tuned.items():
        for mode, (_, _, _, words) in modes.items():
            print(f"\nwidth {width}, {mode.replace('_', ' ')}:\n{words.rstrip()}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dist", required=True, type=pathlib.Path, help="folder of the built tools")
    parser.add_argument("--out", type=pathlib.Path, default=harness.ROOT / "build" / "benchmarks" / "separable_convolution")
    parser.add_argument("--n", type=int, default=3520)
    parser.add_argument("--widths", default="3,5,7,9,11,13,15,17")
    parser.add_argument("--element", choices=("double", "float"), default="double")
    parser.add_argument("--trials", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=3, help="interleaved rounds of hand-written and generated")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--device", default="0", help="as the program's --device")
    parser.add_argument("--cl-device", default="0", help="index of the same device for the hand-written OpenCL")
    parser.add_argument("--cl-headers", help="folder with CL/cl.h")
    parser.add_argument("--baseline-opencl", type=pathlib.Path, help="an already built baseline_opencl")
    parser.add_argument("--tune", default="", help="widths to tune for, e.g. 3,7,17")
    parser.add_argument("--effort", default="quick")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    widths = [int(w) for w in args.widths.split(",")]
    bench = Bench(args, args.out)
    results, tuned = {}, {}
    for width in widths:
        print(f"width {width} …", file=sys.stderr)
        results[width] = bench.one_width(width)
    for width in (int(w) for w in args.tune.split(",") if w):
        print(f"tuning width {width} …", file=sys.stderr)
        tuned[width] = {mode: bench.tuned(width, mode == "resident", results[width]) for mode in ("end_to_end", "resident")}
    (args.out / f"results_{args.element}.json").write_text(json.dumps({"results": results, "tuned": tuned}, indent=1))
    report(args, widths, results, tuned, args.out)


if __name__ == "__main__":
    sys.exit(main())
