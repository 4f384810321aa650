// SPDX-License-Identifier: MIT
// What a person would write instead of tests/conformance/grids/poisson_multigrid_2d.pbcc. Compiled, not run.
#include "text_matrix.h"

static void sor_sweep(Matrix& u, const Matrix& f) {
  const int n = u.w;
  for (int colour = 0; colour < 2; ++colour)
    for (int y = 1; y < n - 1; ++y)
      for (int x = 1 + (y + colour) % 2; x < n - 1; x += 2)
        u.cell(x, y) = (u.cell(x - 1, y) + u.cell(x + 1, y) + u.cell(x, y - 1) + u.cell(x, y + 1) + f.cell(x, y)) / 4;
}

static void fine_to_coarse(Matrix& c, const Matrix& r) {
  for (int y = 0; y < c.h; ++y)
    for (int x = 0; x < c.w; ++x) {
      if (x == 0 || y == 0 || x == c.w - 1 || y == c.h - 1) {
        c.cell(x, y) = 0;
        continue;
      }
      const int i = 2 * x, j = 2 * y;
      c.cell(x, y) =
          (4 * r.cell(i, j) + 2 * (r.cell(i - 1, j) + r.cell(i + 1, j) + r.cell(i, j - 1) + r.cell(i, j + 1)) +
           r.cell(i - 1, j - 1) + r.cell(i + 1, j - 1) + r.cell(i - 1, j + 1) + r.cell(i + 1, j + 1)) /
          4;
    }
}

static void residual_of(Matrix& r, const Matrix& f, const Matrix& u) {
  for (int y = 0; y < r.h; ++y)
    for (int x = 0; x < r.w; ++x) {
      const bool is_border = x == 0 || y == 0 || x == r.w - 1 || y == r.h - 1;
      r.cell(x, y) = is_border ? 0
                               : f.cell(x, y) - (4 * u.cell(x, y) - u.cell(x - 1, y) - u.cell(x + 1, y) -
                                                 u.cell(x, y - 1) - u.cell(x, y + 1));
    }
}

static void add_correction(Matrix& u, const Matrix& c) {
  for (int y = 1; y < u.h - 1; ++y)
    for (int x = 1; x < u.w - 1; ++x)
      u.cell(x, y) += (c.cell(x / 2, y / 2) + c.cell((x + 1) / 2, y / 2) + c.cell(x / 2, (y + 1) / 2) +
                       c.cell((x + 1) / 2, (y + 1) / 2)) /
                      4;
}

static void v_cycle(Matrix& u, const Matrix& f, int pre, int post) {
  const int n = u.w;
  if (n <= 3) {
    if (n == 3) u.cell(1, 1) = (u.cell(0, 1) + u.cell(2, 1) + u.cell(1, 0) + u.cell(1, 2) + f.cell(1, 1)) / 4;
    return;
  }
  const int half = (n + 1) / 2;
  Matrix r(n, n), cf(half, half), cu(half, half);
  for (int k = 0; k < pre; ++k) sor_sweep(u, f);
  residual_of(r, f, u);
  fine_to_coarse(cf, r);
  v_cycle(cu, cf, pre, post);
  add_correction(u, cu);
  for (int k = 0; k < post; ++k) sor_sweep(u, f);
}

static void solve_by_sweeps(Matrix& u, const Matrix& f) {
  for (int k = 0; k < u.w * u.w; ++k) sor_sweep(u, f);
}

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: multigrid cycles|sweeps F U\n";
    return 1;
  }
  const Matrix f = read_matrix(argv[2]);
  if (f.w != f.h) {
    std::cerr << argv[2] << " is not square\n";
    return 1;
  }
  Matrix u(f.w, f.h);
  if (std::string(argv[1]) == "sweeps") {
    solve_by_sweeps(u, f);
  } else {
    for (int k = 0; k < 30; ++k) v_cycle(u, f, 2, 2);
  }
  write_matrix(argv[3], u);
  return 0;
}
