// SPDX-License-Identifier: MIT
// The loops of openmp_loops.cpp on runtime/sched, four pieces per worker.
#include "loops.h"
#include "runtime/sched/loops/parallel_for.h"
#include "runtime/sched/scheduler.h"

int main(int argc, char** argv) {
  baseline::Run run(argc, argv);
  pbrt::Scheduler scheduler(run.threads());
  scheduler.run([&](pbrt::Frame& root) {
    measure_loops(run, [&](double* cells, std::int64_t size) {
      const std::int64_t split = std::max<std::int64_t>(1000, size / (4 * run.threads()));
      pbrt::parallel_for<1>(root, {{0}, {size}}, split,
                            [&](pbrt::Frame&, const pbrt::Box<1>& piece) { compute(cells, piece.lo[0], piece.hi[0]); });
    });
  });
}
