// SPDX-License-Identifier: MIT
// C = A B by Strassen's recursion on oneTBB, down to products of --leaf, which OpenBLAS makes on one thread each. Sides
// are equal.
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_group.h>

#include <map>
#include <mutex>
#include <vector>

#include "benchmarks/harness/openblas_baseline.h"

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

int main(int argc, char** argv) {
  baseline::Run run(argc, argv);
  baseline::set_up_openblas(run, argv);
  openblas_set_num_threads(1);
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                  static_cast<std::size_t>(run.threads()));
  const auto a = run.input<double>(0), b = run.input<double>(1);
  const baseline::Array<double> c(a.shape);
  const int n = static_cast<int>(a.shape[0]), leaf = run.number("leaf", 512);
  run.measure([&] { strassen({c.data(), n}, {a.data(), n}, {b.data(), n}, n, leaf); }, [&] { run.write(0, c); });
}
