// SPDX-License-Identifier: MIT
// The recursive Fourier transform of fft.pbcc by hand on oneTBB: the same butterflies, leaves and cut-off; halves and
// quarters as tasks, butterflies of long vectors and the reordering with parallel_for.
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_group.h>

#include <cmath>
#include <random>

#include "../timing.h"

namespace {

constexpr double kPi = 3.14159265358979323846;
int leaf = 1024, cutoff = 4096, grain = 4096;

struct Complex {
  double *re, *im;
  [[nodiscard]] Complex at(int k) const { return {re + k, im + k}; }
};

template <class F>
void blocks(int n, F f) {
  if (n <= grain) return f(0, n);
  tbb::parallel_for(tbb::blocked_range<int>(0, n, grain),
                    [&](const tbb::blocked_range<int>& r) { f(r.begin(), r.end()); });
}

void butterflies(Complex a, Complex b, Complex w, int m) {
  blocks(m, [=](int lo, int hi) {
    double* __restrict ar = a.re, * __restrict ai = a.im, * __restrict br = b.re, * __restrict bi = b.im;
    const double *wr = w.re, *wi = w.im;
    for (int k = lo; k < hi; ++k) {
      const double dr = ar[k] - br[k], di = ai[k] - bi[k];
      ar[k] += br[k];
      ai[k] += bi[k];
      br[k] = dr * wr[k] - di * wi[k];
      bi[k] = dr * wi[k] + di * wr[k];
    }
  });
}

void butterflies4(Complex x, Complex y, Complex z, Complex t, Complex w1, Complex w2, int m) {
  blocks(m, [=](int lo, int hi) {
    double* __restrict ar = x.re, * __restrict ai = x.im, * __restrict br = y.re, * __restrict bi = y.im;
    double* __restrict cr = z.re, * __restrict ci = z.im, * __restrict dr = t.re, * __restrict di = t.im;
    for (int k = lo; k < hi; ++k) {
      const double w1r = w1.re[k], w1i = w1.im[k], w2r = w2.re[k], w2i = w2.im[k];
      const double w3r = w1r * w2r - w1i * w2i, w3i = w1r * w2i + w1i * w2r;
      const double sr = ar[k] + cr[k], si = ai[k] + ci[k], tr = br[k] + dr[k], ti = bi[k] + di[k];
      const double ur = ar[k] - cr[k], ui = ai[k] - ci[k], vr = bi[k] - di[k], vi = dr[k] - br[k];
      ar[k] = sr + tr;
      ai[k] = si + ti;
      const double pr = sr - tr, pi = si - ti;
      br[k] = pr * w2r - pi * w2i;
      bi[k] = pr * w2i + pi * w2r;
      const double qr = ur + vr, qi = ui + vi;
      cr[k] = qr * w1r - qi * w1i;
      ci[k] = qr * w1i + qi * w1r;
      const double rr = ur - vr, ri = ui - vi;
      dr[k] = rr * w3r - ri * w3i;
      di[k] = rr * w3i + ri * w3r;
    }
  });
}

void loops(Complex x, Complex w, int n) {
  for (int half = n / 2; half > 0; half /= 2)
    for (int first = 0; first < n; first += 2 * half) {
      double* __restrict ar = x.re + first, * __restrict ai = x.im + first, * __restrict br = ar + half, * __restrict bi = ai + half;
      const double *wr = w.re + half, *wi = w.im + half;
      for (int k = 0; k < half; ++k) {
        const double dr = ar[k] - br[k], di = ai[k] - bi[k];
        ar[k] += br[k];
        ai[k] += bi[k];
        br[k] = dr * wr[k] - di * wi[k];
        bi[k] = dr * wi[k] + di * wr[k];
      }
    }
}

void halves(Complex x, Complex w, int n) {
  if (n <= leaf) return loops(x, w, n);
  const int m = n / 2;
  butterflies(x, x.at(m), w.at(m), m);
  if (n < cutoff) {
    halves(x, w, m);
    halves(x.at(m), w, m);
    return;
  }
  tbb::task_group group;
  group.run([=] { halves(x, w, m); });
  halves(x.at(m), w, m);
  group.wait();
}

void quarters(Complex x, Complex w, int n) {
  if (n <= leaf) return loops(x, w, n);
  const int m = n / 4;
  butterflies4(x, x.at(m), x.at(2 * m), x.at(3 * m), w.at(2 * m), w.at(m), m);
  if (n < cutoff) {
    for (int k = 0; k < 4; ++k) quarters(x.at(k * m), w, m);
    return;
  }
  tbb::task_group group;
  for (int k = 0; k < 3; ++k) group.run([=] { quarters(x.at(k * m), w, m); });
  quarters(x.at(3 * m), w, m);
  group.wait();
}

unsigned reversed(unsigned v, int bits) {
  v = (v >> 1 & 0x55555555u) | (v & 0x55555555u) << 1;
  v = (v >> 2 & 0x33333333u) | (v & 0x33333333u) << 2;
  v = (v >> 4 & 0x0f0f0f0fu) | (v & 0x0f0f0f0fu) << 4;
  v = (v >> 8 & 0x00ff00ffu) | (v & 0x00ff00ffu) << 8;
  return bits == 0 ? 0 : ((v >> 16) | (v << 16)) >> (32 - bits);
}

struct Memory {
  baseline::Buffer<double> re, im;
  explicit Memory(int n) : re(static_cast<std::size_t>(n)), im(static_cast<std::size_t>(n)) {}
  operator Complex() const { return {re.data(), im.data()}; }
};

template <class F>
double time(const Complex& in, const Complex& w, const Complex& t, const Complex& out, int n, int trials, F transform) {
  int bits = 0;
  while (1 << bits < n) ++bits;
  const auto clear = [&] { std::fill_n(out.re, n, NAN), std::fill_n(out.im, n, NAN); };
  return baseline::median_ns(trials, clear, [&] {
    blocks(n, [&](int lo, int hi) {
      std::copy(in.re + lo, in.re + hi, t.re + lo), std::copy(in.im + lo, in.im + hi, t.im + lo);
    });
    transform(t, w, n);
    blocks(n, [&](int lo, int hi) {
      for (int i = lo; i < hi; ++i) {
        const unsigned v = reversed(static_cast<unsigned>(i), bits);
        out.re[i] = t.re[v];
        out.im[i] = t.im[v];
      }
    });
  });
}

}  // namespace

int main(int argc, char** argv) {
  const baseline::Options options(argc, argv);
  const int n = options.number("n", 1 << 20), trials = options.number("trials", 5);
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, options.number("threads", 2));
  leaf = options.number("leaf", leaf), cutoff = options.number("cutoff", cutoff);
  const Memory in(n), w(n), t(n), out(n);
  std::mt19937_64 rng(1);
  for (int i = 0; i < n; ++i) in.re[i] = std::uniform_real_distribution<double>(-1, 1)(rng), in.im[i] = 0;
  for (int half = 1; half < n; half *= 2)
    for (int k = 0; k < half; ++k)
      w.re[half + k] = std::cos(kPi * k / half), w.im[half + k] = -std::sin(kPi * k / half);
  baseline::Report report;
  report.add("halves_ns", time(in, w, t, out, n, trials, halves));
  const std::vector<double> first(out.re.data(), out.re.data() + n);
  report.add("quarters_ns", time(in, w, t, out, n, trials, quarters));
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    if (!(std::fabs(first[i] - out.re[i]) < 1e-6)) return std::fprintf(stderr, "baseline: the two ways differ\n"), 1;
    sum += out.re[i];
  }
  // Tests the inverse transform at 0: the sum of all outputs is n times the first input.
  if (!(std::fabs(sum - n * in.re[0]) < 1e-6 * n)) return std::fprintf(stderr, "baseline: wrong result\n"), 1;
  report.print();
}
