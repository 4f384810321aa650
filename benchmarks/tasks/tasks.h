// SPDX-License-Identifier: MIT
// What the programs of this benchmark share: empty tasks, and Fibonacci numbers by their definition.
#pragma once

#include "benchmarks/harness/baseline.h"

/// Measures --tasks tasks, where `spawn(batch)` runs --batch empty ones and waits for them.
template <class F>
void measure_spawn(baseline::Run& run, F spawn) {
  const int batch = run.number("batch", 1), batches = run.number("tasks", 1'000'000) / batch;
  run.measure(
      [&] {
        for (int i = 0; i < batches; ++i) spawn(batch);
      },
      [] {});
}

/// Measures `fib(n)`, where n is the input.
template <class F>
void measure_fib(baseline::Run& run, F fib) {
  const int n = static_cast<int>(run.input<double>(0)[0]);
  const baseline::Array<double> result({});
  run.measure([&] { result[0] = static_cast<double>(fib(n)); }, [&] { run.write(0, result); });
}
