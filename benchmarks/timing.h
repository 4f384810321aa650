// SPDX-License-Identifier: MIT
// What baselines of the benchmarks with a bench.py share: options, medians, the JSON line that bench.py reads, and
// loops that measure the limits of the machine. Header only; each baseline is one file.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "harness/baseline.h"

namespace baseline {

/// `--name value` pairs of the command line.
class Options {
 public:
  Options(int argc, char** argv) : words_(argv + 1, argv + argc) {}
  [[nodiscard]] std::string text(const std::string& name, const std::string& initial) const {
    for (std::size_t i = 0; i + 1 < words_.size(); i += 2)
      if (words_[i] == "--" + name) return words_[i + 1];
    return initial;
  }
  [[nodiscard]] int number(const std::string& name, int initial) const {
    return std::atoi(text(name, std::to_string(initial)).c_str());
  }

 private:
  std::vector<std::string> words_;
};

[[nodiscard]] inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[values.size() / 2];
}

/// Returns the median time of `f` in ns, after one run that does not count. `restore` prepares each run and is not
/// timed.
template <class R, class F>
[[nodiscard]] double median_ns(int trials, R restore, F f) {
  std::vector<double> times;
  for (int t = 0; t <= trials; ++t) {
    restore();
    const auto start = Clock::now();
    f();
    if (t > 0) times.push_back(std::chrono::duration<double, std::nano>(Clock::now() - start).count());
  }
  return median(std::move(times));
}

/// The line that bench.py reads: names and numbers.
class Report {
 public:
  void add(const std::string& name, double value) {
    char number[64];
    std::snprintf(number, sizeof number, "%.17g", value);
    text_ += (text_.empty() ? "" : ", ") + ("\"" + name + "\": ") + number;
  }
  void print() const { std::printf("{%s}\n", text_.c_str()); }

 private:
  std::string text_;
};

#ifdef _OPENMP
/// Returns the bytes per ns that a[i] = b[i] + s * c[i] moves, with the threads that OpenMP uses. Two vectors are read
/// and one is written. Lines that are written are read first, which counts here; STREAM does not count it, so that its
/// figure is a quarter smaller.
[[nodiscard]] inline double triad_rate(std::size_t count = std::size_t{1} << 24, int trials = 5) {
  const Buffer<double> a(count), b(count), c(count);
  double* x = a.data();
  double* y = b.data();
  double* z = c.data();
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < count; ++i) x[i] = 0, y[i] = 1, z[i] = 2;
  const double ns = median_ns(
      trials, [] {},
      [&] {
#pragma omp parallel for schedule(static)
        for (std::size_t i = 0; i < count; ++i) x[i] = y[i] + 3 * z[i];
      });
  return 4.0 * sizeof(double) * static_cast<double>(count) / ns;
}

/// Returns the bytes per ns that a scalar product of two vectors reads: the limit of programs that write next to
/// nothing. It is lower than a triad's, since nothing is written back meanwhile.
[[nodiscard]] inline double read_rate(std::size_t count = std::size_t{1} << 24, int trials = 5) {
  const Buffer<double> b(count), c(count);
  const double* y = b.data();
  const double* z = c.data();
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < count; ++i) b[i] = 1, c[i] = 2;
  // Each lane has a sum of its own: compilers may not split the one sum of a plain loop.
  typedef double Lanes __attribute__((vector_size(64), aligned(8)));
  double sum = 0;
  const double ns = median_ns(
      trials, [] {},
      [&] {
#pragma omp parallel for schedule(static) reduction(+ : sum)
        for (std::size_t i = 0; i < count / 64; ++i) {
          Lanes lanes = {};
          for (std::size_t k = 64 * i; k < 64 * (i + 1); k += 8)
            lanes += *reinterpret_cast<const Lanes*>(y + k) * *reinterpret_cast<const Lanes*>(z + k);
          sum += lanes[0] + lanes[1] + lanes[2] + lanes[3] + lanes[4] + lanes[5] + lanes[6] + lanes[7];
        }
      });
  if (sum < 0) std::abort();  // compilers leave out a sum that nobody reads
  return 2.0 * sizeof(double) * static_cast<double>(count) / ns;
}
#endif

}  // namespace baseline
