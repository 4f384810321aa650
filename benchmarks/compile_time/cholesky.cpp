// SPDX-License-Identifier: MIT
// What a person would write instead of tests/conformance/linear_algebra/cholesky.pbcc. Compiled, not run.
#include "text_matrix.h"

static void by_rows(Matrix& l, const Matrix& a) {
  const int n = a.w;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      if (j > i) {
        l.cell(j, i) = 0;
        continue;
      }
      double s = a.cell(j, i);
      for (int k = 0; k < j; ++k) s -= l.cell(k, i) * l.cell(k, j);
      l.cell(j, i) = i == j ? sqrt(s) : s / l.cell(j, j);
    }
}

static void by_columns(Matrix& l, const Matrix& a) {
  const int n = a.w;
  for (int y = 0; y < n; ++y)
    for (int x = 0; x < n; ++x) l.cell(x, y) = x <= y ? a.cell(x, y) : 0;
  for (int k = 0; k < n; ++k) {
    l.cell(k, k) = sqrt(l.cell(k, k));
    for (int i = k + 1; i < n; ++i) l.cell(k, i) /= l.cell(k, k);
    for (int j = k + 1; j < n; ++j)
      for (int i = j; i < n; ++i) l.cell(j, i) -= l.cell(k, i) * l.cell(k, j);
  }
}

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: cholesky rows|columns A L\n";
    return 1;
  }
  const Matrix a = read_matrix(argv[2]);
  if (a.w != a.h) {
    std::cerr << argv[2] << " is not square\n";
    return 1;
  }
  Matrix l(a.w, a.w);
  strcmp(argv[1], "rows") == 0 ? by_rows(l, a) : by_columns(l, a);
  write_matrix(argv[3], l);
}
