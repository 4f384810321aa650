// SPDX-License-Identifier: MIT
// The loops of baseline_openmp.cpp on runtime/sched, four pieces per worker.
#include "loops.h"
#include "runtime/sched/loops/parallel_for.h"
#include "runtime/sched/scheduler.h"

int main(int argc, char** argv) {
  const Options options = parse(argc, argv);
  pbrt::Scheduler scheduler(options.threads);
  scheduler.run([&](pbrt::Frame& root) {
    print_loop_times(options, [&](double* cells, std::int64_t size) {
      const std::int64_t split = std::max<std::int64_t>(1000, size / (4 * options.threads));
      pbrt::parallel_for<1>(root, {{0}, {size}}, split,
                            [&](pbrt::Frame&, const pbrt::Box<1>& piece) { compute(cells, piece.lo[0], piece.hi[0]); });
    });
  });
}
