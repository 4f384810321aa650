// SPDX-License-Identifier: MIT
// C = A B in blocks with OpenMP: the blocks of K. Goto and R. van de Geijn, Anatomy of High-Performance Matrix
// Multiplication, 2008, without copies of A. A block of B is copied, so that it lies in the second-level cache. Cells
// of C stay in registers, 6 rows and 8 columns at a time.
#include "benchmarks/harness/baseline.h"

namespace {

constexpr int kRows = 6, kColumns = 8, kDepth = 256, kWidth = 96;

/// C += A B for R rows and kColumns columns. Rows of `b` are kColumns long.
template <int R>
inline void small_product(const double* a, int lda, const double* b, double* c, int ldc, int depth, int columns) {
  double sum[R][kColumns] = {};
  for (int z = 0; z < depth; ++z)
    for (int y = 0; y < R; ++y)
#pragma omp simd
      for (int x = 0; x < kColumns; ++x) sum[y][x] += a[y * std::int64_t{lda} + z] * b[z * kColumns + x];
  for (int y = 0; y < R; ++y)
    for (int x = 0; x < columns; ++x) c[y * std::int64_t{ldc} + x] += sum[y][x];
}

/// Copies a block of B in strips of kColumns columns. Columns beyond the block are 0.
void copy_block(const double* b, int ldb, int depth, int width, double* copy) {
  for (int x = 0; x < width; x += kColumns)
    for (int z = 0; z < depth; ++z)
      for (int j = 0; j < kColumns; ++j)
        copy[(x / kColumns * depth + z) * kColumns + j] = x + j < width ? b[z * std::int64_t{ldb} + x + j] : 0;
}

/// C += A B for one block of B.
void block_product(const double* a, int lda, const double* copy, double* c, int ldc, int rows, int depth, int width) {
  int y = 0;
  for (; y + kRows <= rows; y += kRows)
    for (int x = 0; x < width; x += kColumns)
      small_product<kRows>(a + y * std::int64_t{lda}, lda, copy + x * depth, c + y * std::int64_t{ldc} + x, ldc, depth,
                           std::min(kColumns, width - x));
  for (; y < rows; ++y)
    for (int x = 0; x < width; x += kColumns)
      small_product<1>(a + y * std::int64_t{lda}, lda, copy + x * depth, c + y * std::int64_t{ldc} + x, ldc, depth,
                       std::min(kColumns, width - x));
}

void product(const double* a, const double* b, double* c, int m, int n, int k, int threads) {
#pragma omp parallel num_threads(threads)
  {
    const baseline::Buffer<double> copy(kDepth * kWidth);
#pragma omp for schedule(dynamic)
    for (int x = 0; x < n; x += kWidth) {
      const int width = std::min(kWidth, n - x);
      for (int y = 0; y < m; ++y) std::fill_n(c + y * std::int64_t{n} + x, width, 0.0);
      for (int z = 0; z < k; z += kDepth) {
        const int depth = std::min(kDepth, k - z);
        copy_block(b + z * std::int64_t{n} + x, n, depth, width, copy.data());
        block_product(a + z, k, copy.data(), c + x, n, m, depth, width);
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  baseline::Run run(argc, argv);
  const auto a = run.input<double>(0), b = run.input<double>(1);
  const int m = static_cast<int>(a.shape[0]), k = static_cast<int>(a.shape[1]), n = static_cast<int>(b.shape[1]);
  const baseline::Array<double> c({a.shape[0], b.shape[1]});
  run.measure([&] { product(a.data(), b.data(), c.data(), m, n, k, run.threads()); }, [&] { run.write(0, c); });
}
