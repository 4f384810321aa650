// SPDX-License-Identifier: MIT
// Micro-benchmarks of the scheduler. Not a test: it prints times and judges nothing.
#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "runtime/sched/loops/parallel_for.h"
#include "runtime/sched/scheduler.h"
#include "runtime/sched/step_graph.h"
#include "runtime/sched/test_fib.h"

namespace pbrt {
namespace {

/// Time per empty task: spawned one by one, synced in batches.
void spawn_and_sync(benchmark::State& state) {
  Scheduler scheduler(static_cast<int>(state.range(0)));
  const auto batch = state.range(1);
  scheduler.run([&](Frame& root) {
    for (auto _ : state) {
      for (std::int64_t i = 0; i < batch; ++i) root.spawn([](Frame&) {});
      root.sync();
    }
  });
  state.SetItemsProcessed(state.iterations() * batch);
}
BENCHMARK(spawn_and_sync)->Args({1, 1})->Args({1, 100})->Args({2, 1})->Args({2, 100})->Args({2, 1000})->UseRealTime();

/// One spawned task per call; no cut-off.
void fibonacci(benchmark::State& state) {
  Scheduler scheduler(static_cast<int>(state.range(0)));
  for (auto _ : state) {
    scheduler.run([&](Frame& root) { benchmark::DoNotOptimize(fib(root, static_cast<int>(state.range(1)))); });
  }
}
BENCHMARK(fibonacci)
    ->Args({1, 30})
    ->Args({2, 30})
    ->Args({1, 35})
    ->Args({2, 35})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

/// A run with an empty body: what starting and ending costs.
void empty_run(benchmark::State& state) {
  Scheduler scheduler(static_cast<int>(state.range(0)));
  for (auto _ : state) scheduler.run([](Frame&) {});
}
BENCHMARK(empty_run)->Arg(1)->Arg(2)->UseRealTime();

/// Time per piece of a loop with empty pieces.
void parallel_for_pieces(benchmark::State& state) {
  Scheduler scheduler(static_cast<int>(state.range(0)));
  const std::int64_t n = 4096;
  scheduler.run([&](Frame& root) {
    for (auto _ : state) {
      parallel_for<1>(root, Box<1>{{0}, {n}}, 2,
                      [](Frame&, const Box<1>& piece) { benchmark::DoNotOptimize(piece.lo[0]); });
    }
  });
  state.SetItemsProcessed(state.iterations() * n);
}
BENCHMARK(parallel_for_pieces)->Arg(2)->UseRealTime();

/// A compute-bound loop over rows: the two-thread time should be half.
void parallel_for_rows(benchmark::State& state) {
  Scheduler scheduler(static_cast<int>(state.range(0)));
  const std::int64_t n = 1024;
  std::vector<double> out(static_cast<std::size_t>(n * n));
  scheduler.run([&](Frame& root) {
    for (auto _ : state) {
      parallel_for<2>(root, Box<2>{{0, 0}, {n, n}}, 64, [&](Frame&, const Box<2>& piece) {
        for (std::int64_t y = piece.lo[1]; y < piece.hi[1]; ++y) {
          for (std::int64_t x = piece.lo[0]; x < piece.hi[0]; ++x) {
            out[static_cast<std::size_t>(y * n + x)] = std::sqrt(static_cast<double>(x * y)) / (1.0 + std::sqrt(x));
          }
        }
      });
    }
  });
  benchmark::DoNotOptimize(out.data());
}
BENCHMARK(parallel_for_rows)->Arg(1)->Arg(2)->Unit(benchmark::kMicrosecond)->UseRealTime();

/// Time per step of a graph of independent steps.
void step_graph_steps(benchmark::State& state) {
  Scheduler scheduler(static_cast<int>(state.range(0)));
  constexpr int kSteps = 64;
  scheduler.run([&](Frame& root) {
    for (auto _ : state) {
      StepGraph graph(root);
      const auto nothing = [](Frame&) {};
      for (int i = 0; i < kSteps; ++i) {
        graph.add(nothing);
        if (i >= 8) graph.depend(i, i - 8);
      }
      graph.run();
    }
  });
  state.SetItemsProcessed(state.iterations() * kSteps);
}
BENCHMARK(step_graph_steps)->Arg(1)->Arg(2)->UseRealTime();

}  // namespace
}  // namespace pbrt

BENCHMARK_MAIN();
