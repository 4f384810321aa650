// SPDX-License-Identifier: MIT
// What both sides of the loops share: the work per cell, and the measurement. The loops follow each other over one
// array that fits the caches, so that the times show what it costs to start and to end a loop.
#pragma once

#include "benchmarks/harness/baseline.h"

/// The work of a loop: about a quarter of a nanosecond per cell.
inline void compute(double* cells, std::int64_t lo, std::int64_t hi) {
  for (std::int64_t i = lo; i < hi; ++i) {
    double x = cells[i];
    for (int k = 0; k < 4; ++k) x = x * 0.999 + 0.5;
    cells[i] = x;
  }
}

/// Measures --loops loops over --cells cells; `loop(cells, size)` runs one on all threads.
template <class F>
void measure_loops(baseline::Run& run, F loop) {
  const int num_loops = run.number("loops", 1000);
  std::vector<double> cells(static_cast<std::size_t>(run.number("cells", 1000)), 1.0);
  run.measure(
      [&] {
        for (int i = 0; i < num_loops; ++i) loop(cells.data(), static_cast<std::int64_t>(cells.size()));
      },
      [] {});
}
