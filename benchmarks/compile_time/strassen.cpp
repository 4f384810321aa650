// SPDX-License-Identifier: MIT
// What a person would write instead of tests/conformance/products/strassen.pbcc. Compiled, not run.
#include "text_matrix.h"

static void combine(Part c, Part a, Part b, double s) {
  for (int y = 0; y < c.h; ++y)
    for (int x = 0; x < c.w; ++x) c.cell(x, y) = a.cell(x, y) + s * b.cell(x, y);
}

static void plain(Part c, Part a, Part b) {
#pragma omp parallel for
  for (int y = 0; y < c.h; ++y)
    for (int x = 0; x < c.w; ++x) {
      double s = 0;
      for (int i = 0; i < a.w; ++i) s += a.cell(i, y) * b.cell(x, i);
      c.cell(x, y) = s;
    }
}

static void strassen(Part c, Part a, Part b, int leaf) {
  const int n = a.w, h = n / 2;
  if (n % 2 == 1 || n < leaf || n < 4) return plain(c, a, b);
  Matrix m1(h, h), m2(h, h), m3(h, h), m4(h, h), m5(h, h), m6(h, h), m7(h, h), t1(h, h), t2(h, h);
  const Part a11 = a.part(0, 0, h, h), a12 = a.part(h, 0, n, h), a21 = a.part(0, h, h, n), a22 = a.part(h, h, n, n);
  const Part b11 = b.part(0, 0, h, h), b12 = b.part(h, 0, n, h), b21 = b.part(0, h, h, n), b22 = b.part(h, h, n, n);
  combine(t1, a11, a22, 1);
  combine(t2, b11, b22, 1);
  strassen(m1, t1, t2, leaf);
  combine(t1, a21, a22, 1);
  strassen(m2, t1, b11, leaf);
  combine(t2, b12, b22, -1);
  strassen(m3, a11, t2, leaf);
  combine(t2, b21, b11, -1);
  strassen(m4, a22, t2, leaf);
  combine(t1, a11, a12, 1);
  strassen(m5, t1, b22, leaf);
  combine(t1, a21, a11, -1);
  combine(t2, b11, b12, 1);
  strassen(m6, t1, t2, leaf);
  combine(t1, a12, a22, -1);
  combine(t2, b21, b22, 1);
  strassen(m7, t1, t2, leaf);
  for (int y = 0; y < h; ++y)
    for (int x = 0; x < h; ++x) {
      c.cell(x, y) = m1.cell(x, y) + m4.cell(x, y) - m5.cell(x, y) + m7.cell(x, y);
      c.cell(x + h, y) = m3.cell(x, y) + m5.cell(x, y);
      c.cell(x, y + h) = m2.cell(x, y) + m4.cell(x, y);
      c.cell(x + h, y + h) = m1.cell(x, y) - m2.cell(x, y) + m3.cell(x, y) + m6.cell(x, y);
    }
}

/// Computes the four blocks of the product one after the other, by the definition.
static void by_blocks(Part c, Part a, Part b) {
  const int n = a.w, h = n / 2;
  for (int q = 0; q < 4; ++q) {
    const int x0 = q % 2 ? h : 0, y0 = q / 2 ? h : 0, x1 = q % 2 ? n : h, y1 = q / 2 ? n : h;
    for (int y = y0; y < y1; ++y)
      for (int x = x0; x < x1; ++x) {
        double s = 0;
        for (int i = 0; i < n; ++i) s += a.cell(i, y) * b.cell(x, i);
        c.cell(x, y) = s;
      }
  }
}

int main(int argc, char** argv) {
  if (argc != 5) {
    std::cerr << "usage: strassen LEAF|plain|blocks A B C\n";
    return 1;
  }
  Matrix a = read_matrix(argv[2]), b = read_matrix(argv[3]);
  if (a.w != a.h || b.w != a.w || b.h != a.h) {
    std::cerr << argv[2] << " and " << argv[3] << " are not squares of one size\n";
    return 1;
  }
  Matrix c(a.w, a.w);
  if (strcmp(argv[1], "plain") == 0) {
    plain(c, a, b);
  } else if (strcmp(argv[1], "blocks") == 0) {
    by_blocks(c, a, b);
  } else {
    strassen(c, a, b, atoi(argv[1]));
  }
  write_matrix(argv[4], c);
}
