// SPDX-License-Identifier: MIT
// The table of program.pbcc by hand: with plain loops (--tiles 0), or in tiles (--tiles 1), of which an OpenMP loop
// runs one anti-diagonal after the other. The shape of tiles is the best of eight, which are tried before the clock
// starts.
#include <omp.h>

#include <limits>
#include <utility>

#include "benchmarks/harness/baseline.h"

namespace {

using baseline::Array;

struct Problem {
  const Array<double>&a, &b;
  const Array<double>& table;
  int n = static_cast<int>(a.size()), m = static_cast<int>(b.size());

  [[nodiscard]] double* row(int j) const { return table.data() + static_cast<std::ptrdiff_t>(j) * (n + 1); }

  void borders() const {
    for (int i = 0; i <= n; ++i) row(0)[i] = i;
    for (int j = 0; j <= m; ++j) row(j)[0] = j;
  }
  void tile(int i_lo, int i_hi, int j_lo, int j_hi) const {
    const double* letters = a.data();
    for (int j = j_lo; j < j_hi; ++j) {
      const double* up = row(j - 1);
      double* at = row(j);
      const double letter = b.data()[j - 1];
      double left = at[i_lo - 1];
      for (int i = i_lo; i < i_hi; ++i) {
        const double other = std::min(up[i - 1] + (letters[i - 1] == letter ? 0 : 1), up[i] + 1);
        left = std::min(left + 1, other);
        at[i] = left;
      }
    }
  }
  void plain() const {
    borders();
    tile(1, n + 1, 1, m + 1);
  }
  void tiled(int width, int height) const {
    borders();
    const int columns = (n + width - 1) / width, rows = (m + height - 1) / height;
#pragma omp parallel
    for (int diagonal = 0; diagonal < columns + rows - 1; ++diagonal) {
#pragma omp for schedule(dynamic)
      for (int r = std::max(0, diagonal - columns + 1); r <= std::min(rows - 1, diagonal); ++r) {
        const int i = 1 + (diagonal - r) * width, j = 1 + r * height;
        tile(i, std::min(i + width, n + 1), j, std::min(j + height, m + 1));
      }
    }
  }
};

/// Returns the width and height of tiles that take the least time in one run each, after one that does not count.
std::pair<int, int> fastest_shape(const Problem& problem) {
  std::pair<int, int> best;
  double least = std::numeric_limits<double>::infinity();
  problem.tiled(64, 64);
  for (const auto& [width, height] :
       {std::pair{64, 64}, {128, 128}, {256, 64}, {256, 128}, {256, 256}, {512, 128}, {512, 256}, {1024, 64}}) {
    const auto start = baseline::Clock::now();
    problem.tiled(width, height);
    const double ns = std::chrono::duration<double, std::nano>(baseline::Clock::now() - start).count();
    if (ns < least) least = ns, best = {width, height};
  }
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  baseline::Run run(argc, argv);
  omp_set_num_threads(run.threads());
  const auto a = run.input<double>(0), b = run.input<double>(1);
  const Array<double> table({b.size() + 1, a.size() + 1});
  const Problem problem{a, b, table};
  const auto write = [&] { run.write(0, table); };
  if (run.number("tiles", 1) == 0) {
    run.measure([&] { problem.plain(); }, write);
    return 0;
  }
  const auto shape = fastest_shape(problem);
  run.measure([&] { problem.tiled(shape.first, shape.second); }, write);
}
