// SPDX-License-Identifier: MIT
// Hand-written edit distance for bench.py: the table of edit_distance.pbcc with plain loops, and in tiles that an
// OpenMP loop runs one anti-diagonal of tiles after the other. Prints JSON with medians in ns. Before each trial one
// thread fills the table anew, as --serve does.
#include <omp.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

struct Table {
  int n;
  std::vector<double> a, b;
  std::unique_ptr<double[]> cells;

  explicit Table(int size) : n(size), a(size), b(size), cells(new double[std::size_t(size + 1) * (size + 1)]) {
    std::mt19937 rng(1);
    for (auto* text : {&a, &b})
      for (double& letter : *text) letter = int(rng() % 4);
  }
  double* row(int j) { return cells.get() + std::size_t(j) * (n + 1); }
  void clear() { std::fill_n(cells.get(), std::size_t(n + 1) * (n + 1), std::numeric_limits<double>::quiet_NaN()); }

  void borders() {
    for (int i = 0; i <= n; ++i) row(0)[i] = i;
    for (int j = 0; j <= n; ++j) row(j)[0] = j;
  }
  void tile(int i_lo, int i_hi, int j_lo, int j_hi) {
    for (int j = j_lo; j < j_hi; ++j) {
      const double* up = row(j - 1);
      double* at = row(j);
      const double letter = b[j - 1];
      double left = at[i_lo - 1];
      for (int i = i_lo; i < i_hi; ++i) {
        const double other = std::min(up[i - 1] + (a[i - 1] == letter ? 0 : 1), up[i] + 1);
        left = std::min(left + 1, other);
        at[i] = left;
      }
    }
  }
  void plain() {
    borders();
    tile(1, n + 1, 1, n + 1);
  }
  void tiled(int width, int height) {
    borders();
    const int columns = (n + width - 1) / width, rows = (n + height - 1) / height;
#pragma omp parallel
    for (int diagonal = 0; diagonal < columns + rows - 1; ++diagonal) {
#pragma omp for schedule(dynamic)
      for (int r = std::max(0, diagonal - columns + 1); r <= std::min(rows - 1, diagonal); ++r) {
        const int i = 1 + (diagonal - r) * width, j = 1 + r * height;
        tile(i, std::min(i + width, n + 1), j, std::min(j + height, n + 1));
      }
    }
  }
};

template <class F>
double median_ns(Table& table, int trials, F f) {
  std::vector<double> times;
  for (int t = 0; t <= trials; ++t) {
    table.clear();
    const auto start = Clock::now();
    f();
    if (t > 0) times.push_back(std::chrono::duration<double, std::nano>(Clock::now() - start).count());
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  int n = 4096, trials = 7, threads = 2;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string option = argv[i];
    (option == "--n" ? n : option == "--trials" ? trials : threads) = std::atoi(argv[i + 1]);
  }
  omp_set_num_threads(threads);
  Table table(n);
  const double plain = median_ns(table, trials, [&] { table.plain(); });
  const double expected = table.row(n)[n];
  double best = std::numeric_limits<double>::infinity();
  std::string shape;
  for (const auto& [width, height] :
       {std::pair{64, 64}, {128, 128}, {256, 64}, {256, 128}, {256, 256}, {512, 128}, {512, 256}, {1024, 64}}) {
    const double ns = median_ns(table, trials, [&, w = width, h = height] { table.tiled(w, h); });
    if (table.row(n)[n] != expected) return std::fprintf(stderr, "baseline: wrong result\n"), 1;
    if (ns < best) best = ns, shape = std::to_string(width) + "x" + std::to_string(height);
  }
  std::printf("{\"plain_ns\": %.0f, \"tiled_ns\": %.0f, \"tile\": \"%s\"}\n", plain, best, shape.c_str());
}
