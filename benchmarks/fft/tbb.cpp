// SPDX-License-Identifier: MIT
// The recursive Fourier transform of program.pbcc by hand on oneTBB: the same butterflies, leaves and cut-off; halves
// or quarters (--rule) as tasks, butterflies of long vectors and the reordering with parallel_for. --rule loops
// transforms with plain loops alone.
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_group.h>

#include <functional>
#include <limits>
#include <map>
#include <string>

#include "benchmarks/harness/baseline.h"

namespace {

constexpr int kCutoff = 4096, kGrain = 4096;
int leaf = 1024;

struct Complex {
  double *re, *im;
  [[nodiscard]] Complex at(int k) const { return {re + k, im + k}; }
};

template <class F>
void blocks(int n, F f) {
  if (n <= kGrain) return f(0, n);
  tbb::parallel_for(tbb::blocked_range<int>(0, n, kGrain),
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
  if (n < kCutoff) {
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
  if (n < kCutoff) {
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

/// Returns the size of parts for plain loops with which a transform takes the least time. The first one tried also
/// warms up.
int fastest_leaf(Complex in, Complex w, Complex t, int n, const std::function<void(Complex, Complex, int)>& transform) {
  int best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (const int tried : {256, 256, 1024, 4096}) {
    std::copy_n(in.re, n, t.re), std::copy_n(in.im, n, t.im);
    leaf = tried;
    const auto start = baseline::Clock::now();
    transform(t, w, n);
    const double ns = std::chrono::duration<double, std::nano>(baseline::Clock::now() - start).count();
    if (ns < least) least = ns, best = tried;
  }
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  baseline::Run run(argc, argv);
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, run.threads());
  const auto re = run.input<double>(0), im = run.input<double>(1), wr = run.input<double>(2), wi = run.input<double>(3);
  const baseline::Array<double> out_re(re.shape), out_im(im.shape);
  const baseline::Buffer<double> tr(re.size()), ti(re.size());
  const Complex in{re.data(), im.data()}, w{wr.data(), wi.data()}, t{tr.data(), ti.data()};
  const int n = static_cast<int>(re.size());
  int bits = 0;
  while (1 << bits < n) ++bits;
  const std::map<std::string, void (*)(Complex, Complex, int)> rules = {
      {"loops", loops}, {"halves", halves}, {"quarters", quarters}};
  const auto transform = rules.at(run.text("rule", "loops"));
  leaf = fastest_leaf(in, w, t, n, transform);
  run.measure(
      [&] {
        blocks(n, [&](int lo, int hi) {
          std::copy(in.re + lo, in.re + hi, t.re + lo), std::copy(in.im + lo, in.im + hi, t.im + lo);
        });
        transform(t, w, n);
        blocks(n, [&](int lo, int hi) {
          for (int i = lo; i < hi; ++i) {
            const unsigned v = reversed(static_cast<unsigned>(i), bits);
            out_re[static_cast<std::size_t>(i)] = t.re[v];
            out_im[static_cast<std::size_t>(i)] = t.im[v];
          }
        });
      },
      [&] { run.write(0, out_re), run.write(1, out_im); });
}
