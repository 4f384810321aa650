// SPDX-License-Identifier: MIT
// Convolution with a separable kernel, with OpenMP over rows. --method direct computes the sum over the whole window,
// separable makes a pass along rows and then one along columns, and fused makes both passes row by row, so that what
// lies between them stays in a cache. Four packs of accumulators hide the latency of the multiply-add. --element float
// takes floats.
#include <omp.h>

#include "benchmarks/harness/baseline.h"

namespace {

#if defined(__AVX512F__)
constexpr int kVectorBytes = 64;
#elif defined(__AVX__)
constexpr int kVectorBytes = 32;
#else
constexpr int kVectorBytes = 16;
#endif

template <class T>
struct Pack {
  typedef T V __attribute__((vector_size(kVectorBytes)));
  static constexpr int kLanes = kVectorBytes / sizeof(T);
  static V load(const T* p) {
    V v;
    std::memcpy(&v, p, sizeof v);
    return v;
  }
  static void store(T* p, V v) { std::memcpy(p, &v, sizeof v); }
};

template <class T>
class Convolution {
 public:
  using P = Pack<T>;
  using V = typename P::V;

  Convolution(const baseline::Array<T>& in, const baseline::Array<T>& kernel, const baseline::Array<T>& out,
              int threads)
      : in_(in.data()),
        kernel_(kernel.data()),
        out_(out.data()),
        w_(static_cast<std::ptrdiff_t>(in.shape[1])),
        h_(static_cast<int>(in.shape[0])),
        taps_(static_cast<int>(kernel.size())),
        ow_(w_ - taps_ + 1),
        oh_(h_ - taps_ + 1),
        threads_(threads) {}

  void direct() const {
#pragma omp parallel for num_threads(threads_) schedule(static)
    for (int y = 0; y < oh_; ++y)
      over_row(
          out_ + y * ow_,
          [&](std::ptrdiff_t x, V(&sum)[4]) {
            for (int j = 0; j < taps_; ++j)
              for (int i = 0; i < taps_; ++i) add(sum, in_ + (y + j) * w_ + x + i, kernel_[i] * kernel_[j]);
          },
          [&](std::ptrdiff_t x) {
            T sum = 0;
            for (int j = 0; j < taps_; ++j)
              for (int i = 0; i < taps_; ++i) sum += in_[(y + j) * w_ + x + i] * (kernel_[i] * kernel_[j]);
            return sum;
          });
  }

  void separable() const {
#pragma omp parallel for num_threads(threads_) schedule(static)
    for (int y = 0; y < h_; ++y) along_row(in_ + y * w_, between_.data() + y * ow_);
#pragma omp parallel for num_threads(threads_) schedule(static)
    for (int y = 0; y < oh_; ++y) along_columns([&](int j) { return between_.data() + (y + j) * ow_; }, out_ + y * ow_);
  }

  /// Each thread keeps the rows that the next row of its output needs.
  void fused() const {
#pragma omp parallel num_threads(threads_)
    {
      const int thread = omp_get_thread_num(), count = omp_get_num_threads();
      const int first = static_cast<int>(static_cast<long>(oh_) * thread / count);
      const int last = static_cast<int>(static_cast<long>(oh_) * (thread + 1) / count);
      T* ring = between_.data() + thread * taps_ * ow_;
      std::vector<T*> rows(static_cast<std::size_t>(taps_));
      for (int j = 0; j < taps_; ++j) rows[j] = ring + j * ow_;
      for (int y = first; y < last; ++y) {
        for (int j = y == first ? 0 : taps_ - 1; j < taps_; ++j) along_row(in_ + (y + j) * w_, rows[j]);
        along_columns([&](int j) { return rows[j]; }, out_ + y * ow_);
        std::rotate(rows.begin(), rows.begin() + 1, rows.end());
      }
    }
  }

 private:
  static void add(V (&sum)[4], const T* p, T weight) {
    for (int i = 0; i < 4; ++i) sum[i] += P::load(p + i * P::kLanes) * weight;
  }

  /// A row of output: wide(x, sums) for blocks of four packs, and narrow(x) for the cells that are left.
  template <class Wide, class Narrow>
  void over_row(T* row, Wide wide, Narrow narrow) const {
    std::ptrdiff_t x = 0;
    for (; x + 4 * P::kLanes <= ow_; x += 4 * P::kLanes) {
      V sum[4] = {};
      wide(x, sum);
      for (int i = 0; i < 4; ++i) P::store(row + x + i * P::kLanes, sum[i]);
    }
    for (; x < ow_; ++x) row[x] = narrow(x);
  }

  void along_row(const T* from, T* to) const {
    over_row(
        to,
        [&](std::ptrdiff_t x, V(&sum)[4]) {
          for (int i = 0; i < taps_; ++i) add(sum, from + x + i, kernel_[i]);
        },
        [&](std::ptrdiff_t x) {
          T sum = 0;
          for (int i = 0; i < taps_; ++i) sum += from[x + i] * kernel_[i];
          return sum;
        });
  }

  /// `row(j)` is the row under tap j.
  template <class Row>
  void along_columns(Row row, T* to) const {
    over_row(
        to,
        [&](std::ptrdiff_t x, V(&sum)[4]) {
          for (int j = 0; j < taps_; ++j) add(sum, row(j) + x, kernel_[j]);
        },
        [&](std::ptrdiff_t x) {
          T sum = 0;
          for (int j = 0; j < taps_; ++j) sum += row(j)[x] * kernel_[j];
          return sum;
        });
  }

  const T *in_, *kernel_;
  T* out_;
  std::ptrdiff_t w_;
  int h_, taps_;
  std::ptrdiff_t ow_, oh_;
  int threads_;
  baseline::Buffer<T> between_{static_cast<std::size_t>(std::max<std::ptrdiff_t>(h_, threads_* taps_) * ow_)};
};

template <class T>
void solve(baseline::Run& run) {
  const auto in = run.input<T>(0), kernel = run.input<T>(1);
  const std::size_t halo = kernel.size() - 1;
  const baseline::Array<T> out({in.shape[0] - halo, in.shape[1] - halo});
  const Convolution<T> convolution(in, kernel, out, run.threads());
  const std::string method = run.text("method", "fused");
  run.measure(
      [&] {
        if (method == "direct") convolution.direct();
        if (method == "separable") convolution.separable();
        if (method == "fused") convolution.fused();
      },
      [&] { run.write(0, out); });
}

}  // namespace

int main(int argc, char** argv) {
  baseline::Run run(argc, argv);
  if (run.text("element", "double") == "float")
    solve<float>(run);
  else
    solve<double>(run);
}
