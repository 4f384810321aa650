// SPDX-License-Identifier: MIT
// Matrix products for bench.py: OpenBLAS called directly, and Strassen's recursion of matmul.pbcc on oneTBB, with
// OpenBLAS for its leaves. The core type of OpenBLAS is the caller's, by OPENBLAS_CORETYPE.
#include <cblas.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_group.h>

#include <cmath>
#include <map>
#include <mutex>
#include <random>
#include <vector>

#include "../timing.h"

namespace {

using baseline::Buffer;

/// Part of a matrix, row after row.
struct Part {
  double* base;
  int stride;
  [[nodiscard]] Part at(int x, int y) const { return {base + static_cast<std::ptrdiff_t>(y) * stride + x, stride}; }
  [[nodiscard]] double* row(int y) const { return base + static_cast<std::ptrdiff_t>(y) * stride; }
};

void library(Part c, Part a, Part b, int n) {
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, a.base, a.stride, b.base, b.stride, 0, c.base,
              c.stride);
}

template <class F>
void rows(int n, F f) {
  tbb::parallel_for(tbb::blocked_range<int>(0, n, 64), [&](const tbb::blocked_range<int>& range) {
    for (int y = range.begin(); y < range.end(); ++y) f(y);
  });
}
void add(Part c, Part a, Part b, int n) {
  rows(n, [=](int y) {
    double* __restrict z = c.row(y);
    const double *u = a.row(y), *v = b.row(y);
    for (int x = 0; x < n; ++x) z[x] = u[x] + v[x];
  });
}
void subtract(Part c, Part a, Part b, int n) {
  rows(n, [=](int y) {
    double* __restrict z = c.row(y);
    const double *u = a.row(y), *v = b.row(y);
    for (int x = 0; x < n; ++x) z[x] = u[x] - v[x];
  });
}

/// Memory for temporaries. It is kept for the next temporary of the same size: fresh pages would cost more than the
/// additions that fill them.
class Scratch {
 public:
  explicit Scratch(int n) : n_(n), memory_(take(n)) {}
  ~Scratch() {
    const std::lock_guard<std::mutex> lock(mutex);
    kept[n_].push_back(std::move(memory_));
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  operator Part() const { return {memory_.data(), n_}; }

 private:
  static Buffer<double> take(int n) {
    {
      const std::lock_guard<std::mutex> lock(mutex);
      if (std::vector<Buffer<double>>& same = kept[n]; !same.empty()) {
        Buffer<double> found = std::move(same.back());
        same.pop_back();
        return found;
      }
    }
    return Buffer<double>(static_cast<std::size_t>(n) * n);
  }
  static inline std::mutex mutex;
  static inline std::map<int, std::vector<Buffer<double>>> kept;
  int n_;
  Buffer<double> memory_;
};

void strassen(Part c, Part a, Part b, int n, int leaf) {
  if (n <= leaf || n % 2 != 0) return library(c, a, b, n);
  const int h = n / 2;
  const Part a11 = a, a12 = a.at(h, 0), a21 = a.at(0, h), a22 = a.at(h, h);
  const Part b11 = b, b12 = b.at(h, 0), b21 = b.at(0, h), b22 = b.at(h, h);
  const Scratch s1(h), s2(h), s5(h), s6(h), s7(h), t1(h), t3(h), t4(h), t6(h), t7(h), p1(h), p2(h), p3(h), p4(h), p5(h),
      p6(h), p7(h);
  tbb::task_group group;
  group.run([&] { add(s1, a11, a22, h); });
  group.run([&] { add(s2, a21, a22, h); });
  group.run([&] { add(s5, a11, a12, h); });
  group.run([&] { subtract(s6, a21, a11, h); });
  group.run([&] { subtract(s7, a12, a22, h); });
  group.run([&] { add(t1, b11, b22, h); });
  group.run([&] { subtract(t3, b12, b22, h); });
  group.run([&] { subtract(t4, b21, b11, h); });
  group.run([&] { add(t6, b11, b12, h); });
  group.run_and_wait([&] { add(t7, b21, b22, h); });
  group.run([&] { strassen(p1, s1, t1, h, leaf); });
  group.run([&] { strassen(p2, s2, b11, h, leaf); });
  group.run([&] { strassen(p3, a11, t3, h, leaf); });
  group.run([&] { strassen(p4, a22, t4, h, leaf); });
  group.run([&] { strassen(p5, s5, b22, h, leaf); });
  group.run([&] { strassen(p6, s6, t6, h, leaf); });
  group.run_and_wait([&] { strassen(p7, s7, t7, h, leaf); });
  const Part q1 = p1, q2 = p2, q3 = p3, q4 = p4, q5 = p5, q6 = p6, q7 = p7;
  rows(h, [=](int y) {
    const double *r1 = q1.row(y), *r2 = q2.row(y), *r3 = q3.row(y), *r4 = q4.row(y), *r5 = q5.row(y), *r6 = q6.row(y),
                 *r7 = q7.row(y);
    double *__restrict c11 = c.row(y), *__restrict c12 = c.at(h, y).base, *__restrict c21 = c.row(h + y), *__restrict c22 = c.at(h, h + y).base;
    for (int x = 0; x < h; ++x) {
      c11[x] = r1[x] + r4[x] - r5[x] + r7[x];
      c12[x] = r3[x] + r5[x];
      c21[x] = r2[x] + r4[x];
      c22[x] = r1[x] - r2[x] + r3[x] + r6[x];
    }
  });
}

}  // namespace

extern "C" void openblas_set_num_threads(int);

int main(int argc, char** argv) {
  const baseline::Options options(argc, argv);
  const int n = options.number("n", 1024), leaf = options.number("leaf", 512), trials = options.number("trials", 5),
            threads = options.number("threads", 2);
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
  const std::size_t count = static_cast<std::size_t>(n) * n;
  const Buffer<double> a(count), b(count), c(count), d(count);
  std::mt19937_64 rng(1);
  for (std::size_t i = 0; i < count; ++i)
    a[i] = std::uniform_real_distribution<double>(-1, 1)(rng),
    b[i] = std::uniform_real_distribution<double>(-1, 1)(rng);
  const Part pa{a.data(), n}, pb{b.data(), n}, pc{c.data(), n}, pd{d.data(), n};
  const std::vector<double> first(a.data(), a.data() + count), second(b.data(), b.data() + count);
  // Prepares a trial as the measurement server does.
  const auto anew = [&](const Buffer<double>& m) {
    return [&] {
      std::copy_n(first.data(), count, a.data()), std::copy_n(second.data(), count, b.data());
      std::fill_n(m.data(), count, NAN);
    };
  };

  baseline::Report report;
  openblas_set_num_threads(1);
  report.add("blas_1_thread_ns", baseline::median_ns(trials, anew(c), [&] { library(pc, pa, pb, n); }));
  report.add("strassen_ns", baseline::median_ns(trials, anew(d), [&] { strassen(pd, pa, pb, n, leaf); }));
  openblas_set_num_threads(threads);
  report.add("blas_threads_ns", baseline::median_ns(trials, anew(c), [&] { library(pc, pa, pb, n); }));
  double worst = 0;
  for (std::size_t i = 0; i < count; ++i) worst = std::fmax(worst, std::fabs(c[i] - d[i]));
  if (!(worst < 1e-8)) return std::fprintf(stderr, "baseline: products differ by %g\n", worst), 1;
  report.print();
}
