// SPDX-License-Identifier: MIT
// parallel_sort of oneTBB (Intel's oneAPI Threading Building Blocks), in place.
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_sort.h>

#include "benchmarks/harness/baseline.h"

int main(int argc, char** argv) {
  baseline::Run run(argc, argv);
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, run.threads());
  const auto in = run.input<int>(0);
  const baseline::Array<int> out(in.shape);
  run.measure([&] { std::copy_n(in.data(), in.size(), out.data()); },
              [&] { tbb::parallel_sort(out.data(), out.data() + out.size()); }, [&] { run.write(0, out); });
}
