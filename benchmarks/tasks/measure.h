// SPDX-License-Identifier: MIT
// What both sides of this benchmark share: options, medians, the recursion without tasks.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

struct Options {
  int n = 30;
  int threads = 2;
  int trials = 3;
};

inline Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    (name == "--n" ? options.n : name == "--threads" ? options.threads : options.trials) = std::atoi(argv[i + 1]);
  }
  return options;
}

/// Returns the median time of the trials in ns, after one run to warm up.
template <class F>
double median_ns(const Options& options, F f) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> times;
  for (int trial = 0; trial <= options.trials; ++trial) {
    const auto start = Clock::now();
    f();
    if (trial > 0) times.push_back(std::chrono::duration<double, std::nano>(Clock::now() - start).count());
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

/// Returns the time per empty task in ns, where `batch` of them are spawned before each wait.
template <class F>
double spawn_ns(const Options& options, int batch, F spawn) {
  constexpr int kTasks = 1'000'000;
  return median_ns(options,
                   [&] {
                     for (int i = 0; i < kTasks / batch; ++i) spawn(batch);
                   }) /
         kTasks;
}

/// The recursion without tasks. It is not inlined into itself, because gcc would unroll it, which is not possible with
/// tasks.
[[gnu::noinline, gnu::optimize("no-inline")]] inline std::int64_t plain_fib(int n) {
  return n < 2 ? n : plain_fib(n - 1) + plain_fib(n - 2);
}

inline void check(const Options& options, std::int64_t result) {
  std::int64_t a = 0, b = 1;
  for (int i = 0; i < options.n; ++i) b += std::exchange(a, b);
  if (result == a) return;
  std::fprintf(stderr, "fib(%d) is not %lld\n", options.n, static_cast<long long>(result));
  std::exit(1);
}
