// SPDX-License-Identifier: MIT
// vqsort of Highway (M. Blacher, J. Giesen, P. Sanders, J. Wassenberg, Vectorized and performance-portable Quicksort,
// 2022). It works in place on one thread. With more, each thread sorts a part, and then merges a piece of all parts.
#include <hwy/contrib/sort/vqsort.h>

#include <thread>

#include "benchmarks/harness/baseline.h"

namespace {

/// Calls `work` with 0 to `count` - 1 on as many threads.
template <class Work>
void on_threads(int count, Work work) {
  std::vector<std::thread> threads;
  for (int t = 1; t < count; ++t) threads.emplace_back(work, t);
  work(0);
  for (std::thread& thread : threads) thread.join();
}

/// Merges two sequences without branches that depend on the data while both last.
void merge(const double* a, const double* a_end, const double* b, const double* b_end, double* out) {
  while (a < a_end && b < b_end) {
    const std::ptrdiff_t safe = std::min(a_end - a, b_end - b);
    for (std::ptrdiff_t s = 0; s < safe; ++s) {
      const bool second = *b < *a;
      *out++ = second ? *b : *a;
      a += !second;
      b += second;
    }
  }
  std::copy(b, b_end, std::copy(a, a_end, out));
}

}  // namespace

int main(int argc, char** argv) {
  baseline::Run run(argc, argv);
  const auto in = run.input<double>(0);
  const baseline::Array<double> out(in.shape), scratch(in.shape);
  const std::size_t n = in.size(), half = n / 2;
  const hwy::Sorter sort;
  const bool is_merged = run.threads() > 1 && run.number("parts", 2) > 1;
  double* const sorted = is_merged ? scratch.data() : out.data();
  const auto two_parts = [&] {
    on_threads(2, [&](int t) { sort(sorted + (t ? half : 0), t ? n - half : half, hwy::SortAscending()); });
    const double *middle = sorted + half, *end = sorted + n, *a = sorted + half / 2;
    const double* b = half > 0 ? std::lower_bound(middle, end, *a) : middle;
    on_threads(2, [&](int t) {
      if (t == 0) merge(sorted, a, middle, b, out.data());
      if (t == 1) merge(a, middle, b, end, out.data() + (a - sorted) + (b - middle));
    });
  };
  run.measure([&] { std::copy_n(in.data(), n, sorted); },
              [&] { is_merged ? two_parts() : sort(sorted, n, hwy::SortAscending()); }, [&] { run.write(0, out); });
}
