# SPDX-License-Identifier: MIT
"""`pbc --emit=cuda`: every golden program's kernels compile as C++, and those of one program give what its CPU version does.

    cuda_test.py --dist BUILD/dist --work FOLDER

No device is needed: cuda_on_host.h runs a thread for each work-item of a block. With `nvcc` in PATH the kernels are
compiled by it, too.
"""

import pathlib
import re
import shutil
import subprocess
import sys

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent / "cuda"
ROOT = HERE.parents[2]
sys.path[:0] = [str(ROOT / "tests" / "support")]
import polybricks  # noqa: E402

W, H, K = 13, 7, 4
ITEMS = (4, 2)
HARNESS = """
#include "cuda_on_host.h"
#include "kernels.cu"
#include <cstdio>
alignas(16) unsigned char pb_shared[1 << 16];
template <class T>
static std::vector<T> values_of(const char* path, std::size_t count) {
  std::vector<T> out(count);
  std::FILE* file = std::fopen(path, "rb");
  if (file == nullptr || std::fread(out.data(), sizeof(T), count, file) != count) std::exit(2);
  std::fclose(file);
  return out;
}
int main() {
  constexpr int w = %(w)d, h = %(h)d, k = %(k)d;
  const CudaPlace items{%(ix)d, %(iy)d, 1}, blocks{(w + items.x - 1) / items.x, (h + items.y - 1) / items.y, 1};
  const std::vector<double> A = values_of<double>("a.raw", (w + k - 1) * (h + 2)), W = values_of<double>("w.raw", k);
  std::vector<double> S(w * h, -1), B(w * h, -1);
  cuda_launch(blocks, items, [&] { %(first)s; });
  cuda_launch(blocks, items, [&] { %(second)s; });
  std::FILE* file = std::fopen("b.raw", "wb");
  if (file == nullptr || std::fwrite(B.data(), sizeof(double), B.size(), file) != B.size()) return 2;
  return std::fclose(file);
}
"""


def matrix(name, *extents):
    """Arguments for a matrix: data, offset, strides, sizes."""
    strides = [" * ".join(["1L", *extents[:d]]) for d in range(len(extents))]
    return [f"{name}.data()", "0", *strides, *extents]


def compiler():
    return shutil.which("g++") or shutil.which("c++")


def emitted(pbc, path):
    done = subprocess.run([pbc, "--emit=cuda", str(path)], capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else None


def run(folder, *command):
    done = subprocess.run([str(part) for part in command], cwd=folder, capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}: exit status {done.returncode}\n{done.stderr[-3000:]}")


def check_that_all_compile(pbc, folder):
    count = 0
    for path in sorted((ROOT / "clgen" / "testdata" / "opencl").glob("*.pbcc")):
        text = emitted(pbc, path)
        if not text:
            continue
        (folder / "all.cpp").write_text(f'#include "{HERE}/cuda_on_host.h"\n{text}')
        run(folder, compiler(), "-std=c++20", "-fsyntax-only", "-Wno-attributes", "all.cpp")
        if shutil.which("nvcc"):
            (folder / "all.cu").write_text(text)
            run(folder, "nvcc", "-std=c++17", "-cubin", "-arch=sm_90", "-o", "all.cubin", "all.cu")
        count += 1
    assert count >= 8, f"only {count} programs have kernels"
    print(f"{count} programs compile")


def check_exchange_between_lanes(pbc):
    """What lanes exchange has a type that the prelude of kernels has functions for. PoCL never builds these parts."""
    prelude = (ROOT / "runtime" / "config" / "kernel_prelude.h").read_text()
    known = set(re.findall(r"\b(pb_\w+_uint)\(", prelude))
    known |= {f"{name}_{of}" for name, of in re.findall(r"PB_SHUFFLE_[48]\((\w+), (\w+)\)", prelude)}
    used = set()
    folders = (ROOT / "clgen" / "testdata" / "opencl", ROOT / "examples", *(ROOT / "benchmarks").iterdir())
    for path in sorted(path for folder in folders for path in folder.glob("*.pbcc")):
        used |= set(re.findall(r"\b(pb_(?:of_lane|opposite)_\w+)\(", emitted(pbc, path) or ""))
    assert used, "no kernel exchanges anything between lanes"
    assert used <= known, f"there are no functions {', '.join(sorted(used - known))}"
    print(f"lanes exchange by {', '.join(sorted(used))}")


def check_results(dist, folder):
    rng = np.random.default_rng(5)
    a, w = rng.standard_normal((H + 2, W + K - 1)), rng.standard_normal(K)
    a.tofile(folder / "a.raw"), w.tofile(folder / "w.raw")
    np.save(folder / "a.npy", a), np.save(folder / "w.npy", w)
    run(folder, f"{dist}/bin/pbc", HERE / "stencil.pbcc", "-o", "stencil")
    run(folder, "./stencil", "--device", "none", str(K), "a.npy", "w.npy", "b.npy")
    text = emitted(f"{dist}/bin/pbc", HERE / "stencil.pbcc")
    (folder / "kernels.cu").write_text(text)
    names = [line.split("void ")[1].split("(")[0] for line in text.splitlines() if "__global__ void" in line]
    local = next(name for name in names if name.endswith("_local"))
    cells = [name for name in names if name.endswith("_basic")][-1]
    numbers, box = in_order(text, local), ["0", "0", "w", "h"]
    first = [*matrix("S", "w", "h"), *matrix("A", "w + k - 1", "h + 2"), *matrix("W", "k"), *numbers, *box, "0"]
    second = [*matrix("B", "w", "h"), *matrix("S", "w", "h"), *numbers, *box]
    harness = HARNESS % {"w": W, "h": H, "k": K, "ix": ITEMS[0], "iy": ITEMS[1],
                         "first": f"{local}_unit::{local}({', '.join(first)})",
                         "second": f"{cells}_unit::{cells}({', '.join(second)})"}
    (folder / "main.cpp").write_text(harness)
    run(folder, compiler(), "-std=c++20", "-O1", "-pthread", "-Wno-attributes", f"-I{HERE}", "main.cpp", "-o", "emulated")
    run(folder, "./emulated")
    got, want = np.fromfile(folder / "b.raw").reshape(H, W), np.load(folder / "b.npy")
    assert np.allclose(got, want, rtol=1e-12, atol=0), f"{np.abs(got - want).max()}"
    print(f"{local} and {cells}: {want.size} cells agree")


def in_order(text, kernel):
    """The sizes as the kernel's parameters list them."""
    head = text.split(f"void {kernel}(")[1].split(")")[0]
    names = [part.split()[-1].removeprefix("pb_given_") for part in head.replace("\n", " ").split(",")]
    return [name for name in names if name in ("w", "h", "k")]


def main():
    args = polybricks.arguments(__doc__).parse_args()
    folder = (args.work / "cuda").resolve()
    folder.mkdir(parents=True, exist_ok=True)
    dist = args.dist.resolve()
    check_that_all_compile(f"{dist}/bin/pbc", folder)
    check_exchange_between_lanes(f"{dist}/bin/pbc")
    check_results(dist, folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
