// SPDX-License-Identifier: MIT
// What both sides of the loops share: sizes, the work per cell, and the measurement. The loops follow each other over
// one array that fits the caches, so that the times show what it costs to start and to end a loop.
#pragma once

#include "measure.h"

inline constexpr std::int64_t kLoopSizes[] = {2'000, 10'000, 50'000, 200'000, 1'000'000};

/// The work of a loop: about a quarter of a nanosecond per cell.
inline void compute(double* cells, std::int64_t lo, std::int64_t hi) {
  for (std::int64_t i = lo; i < hi; ++i) {
    double x = cells[i];
    for (int k = 0; k < 4; ++k) x = x * 0.999 + 0.5;
    cells[i] = x;
  }
}

/// Prints the time per loop for each size; `run(cells, size)` runs one on all threads.
template <class F>
void print_loop_times(const Options& options, F run) {
  constexpr std::int64_t kCells = 10'000'000;  // per trial
  const char* separator = "{";
  for (const std::int64_t size : kLoopSizes) {
    std::vector<double> cells(static_cast<std::size_t>(size), 1.0);
    const int num_loops = static_cast<int>(std::clamp<std::int64_t>(kCells / size, 20, 1000));
    const double ns = median_ns(options, [&] {
      for (int i = 0; i < num_loops; ++i) run(cells.data(), size);
    });
    std::printf("%s\"loop_%lld_ns\": %.0f", separator, static_cast<long long>(size), ns / num_loops);
    separator = ", ";
  }
  std::printf("}\n");
}
