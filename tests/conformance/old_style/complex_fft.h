// SPDX-License-Identifier: MIT
%{
#include <complex>
typedef std::complex<double> cplx;
static void fft(cplx* v, int n, int sign) {
  if (n == 1) return;
  std::vector<cplx> e(n/2), o(n/2);
  for (int i = 0; i < n/2; ++i) { e[i] = v[2*i]; o[i] = v[2*i+1]; }
  fft(&e[0], n/2, sign); fft(&o[0], n/2, sign);
  for (int k = 0; k < n/2; ++k) {
    const cplx t = std::polar(1.0, sign*2*M_PI*k/n) * o[k];
    v[k] = e[k] + t; v[k+n/2] = e[k] - t;
  }
}
%}
