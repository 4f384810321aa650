// SPDX-License-Identifier: MIT
// What a person would write instead of tests/conformance/linear_algebra/lu_blocked.pbcc. Compiled, not run.
#include "text_matrix.h"

static void small_lu(Part a) {
  for (int k = 0; k < a.w; k++)
    for (int i = k + 1; i < a.w; i++) {
      a.cell(k, i) /= a.cell(k, k);
      for (int j = k + 1; j < a.w; j++) a.cell(j, i) -= a.cell(k, i) * a.cell(j, k);
    }
}

static void lower_solve(Part b, Part l) {
  for (int k = 0; k < l.w; k++)
    for (int i = k + 1; i < l.w; i++)
      for (int j = 0; j < b.w; j++) b.cell(j, i) -= l.cell(k, i) * b.cell(j, k);
}

static void upper_solve_right(Part b, Part u) {
  for (int y = 0; y < b.h; y++)
    for (int k = 0; k < u.w; k++) {
      b.cell(k, y) /= u.cell(k, k);
      for (int j = k + 1; j < u.w; j++) b.cell(j, y) -= b.cell(k, y) * u.cell(j, k);
    }
}

static void subtract_product(Part c, Part a, Part b) {
  for (int y = 0; y < c.h; y++)
    for (int i = 0; i < a.w; i++)
      for (int x = 0; x < c.w; x++) c.cell(x, y) -= a.cell(i, y) * b.cell(x, i);
}

static void blocked_lu(Part lu, int block) {
  const int n = lu.w;
  for (int k = 0; k < n; k += block) {
    const int e = std::min(n, k + block);
    small_lu(lu.part(k, k, e, e));
    if (e == n) break;
#pragma omp parallel sections
    {
#pragma omp section
      lower_solve(lu.part(e, k, n, e), lu.part(k, k, e, e));
#pragma omp section
      upper_solve_right(lu.part(k, e, e, n), lu.part(k, k, e, e));
    }
    subtract_product(lu.part(e, e, n, n), lu.part(k, e, e, n), lu.part(e, k, n, e));
  }
}

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: lu BLOCK A LU\n";
    return 1;
  }
  Matrix lu = read_matrix(argv[2]);
  if (lu.w != lu.h || atoi(argv[1]) < 1) {
    std::cerr << argv[2] << " is not square, or the block has no size\n";
    return 1;
  }
  blocked_lu(lu, atoi(argv[1]));
  write_matrix(argv[3], lu);
}
