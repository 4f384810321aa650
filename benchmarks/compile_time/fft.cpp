// SPDX-License-Identifier: MIT
// What a person would write instead of tests/conformance/products/fft.pbcc. Compiled, not run.
#include "text_matrix.h"

using Numbers = std::vector<double>;

static void by_definition(Numbers& re, Numbers& im, const Numbers& xr, const Numbers& xi) {
  const int n = int(xr.size());
#pragma omp parallel for
  for (int k = 0; k < n; ++k) {
    re[k] = im[k] = 0;
    for (int j = 0; j < n; ++j) {
      const double a = -2 * M_PI * ((long long)j * k % n) / n;
      re[k] += xr[j] * cos(a) - xi[j] * sin(a);
      im[k] += xr[j] * sin(a) + xi[j] * cos(a);
    }
  }
}

static void fft(Numbers& re, Numbers& im, const Numbers& xr, const Numbers& xi, int leaf) {
  const int n = int(xr.size());
  if (n % 2 == 1 || n < 2 || n < leaf) return by_definition(re, im, xr, xi);
  Numbers er(n / 2), ei(n / 2), odr(n / 2), odi(n / 2), fer(n / 2), fei(n / 2), fodr(n / 2), fodi(n / 2);
  for (int j = 0; j < n / 2; ++j) {
    er[j] = xr[2 * j];
    ei[j] = xi[2 * j];
    odr[j] = xr[2 * j + 1];
    odi[j] = xi[2 * j + 1];
  }
#pragma omp task shared(fer, fei, er, ei)
  fft(fer, fei, er, ei, leaf);
  fft(fodr, fodi, odr, odi, leaf);
#pragma omp taskwait
  for (int k = 0; k < n / 2; ++k) {
    const double c = cos(2 * M_PI * k / n), s = -sin(2 * M_PI * k / n);
    const double tr = c * fodr[k] - s * fodi[k], ti = s * fodr[k] + c * fodi[k];
    re[k] = fer[k] + tr;
    im[k] = fei[k] + ti;
    re[k + n / 2] = fer[k] - tr;
    im[k + n / 2] = fei[k] - ti;
  }
}

int main(int argc, char** argv) {
  if (argc != 6) {
    std::cerr << "usage: fft LEAF RE IM OUTRE OUTIM\n";
    return 1;
  }
  const Matrix x = read_matrix(argv[2]), y = read_matrix(argv[3]);
  if (x.w != y.w || x.h != 1 || y.h != 1) {
    std::cerr << argv[2] << " and " << argv[3] << " are not vectors of one size\n";
    return 1;
  }
  Matrix re(x.w, 1), im(x.w, 1);
#pragma omp parallel
#pragma omp single
  fft(re.data, im.data, x.data, y.data, atoi(argv[1]));
  write_matrix(argv[4], re);
  write_matrix(argv[5], im);
}
