// SPDX-License-Identifier: MIT
// The merge sort of program.pbcc by hand on oneTBB: two buffers passed back and forth, halves and parts of merges as
// tasks, the same leaves and the same sequential merge from both ends.
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_group.h>

#include "benchmarks/harness/baseline.h"

namespace {

constexpr int kLeaf = 60, kCutoff = 4096, kSplit = 16384;

void insertion(double* a, int n) {
  for (int i = 1; i < n; ++i) {
    const double v = a[i];
    int j = i - 1;
    for (; j >= 0 && v < a[j]; --j) a[j + 1] = a[j];
    a[j + 1] = v;
  }
}

void merge_plain(double* o, int z, const double* l, int a, const double* r, int b) {
  int i = 0, j = 0;
  for (int k = 0; k < z; ++k)
    if (j == b || (i < a && l[i] <= r[j]))
      o[k] = l[i++];
    else
      o[k] = r[j++];
}

void merge_both_ends(double* __restrict o, const double* __restrict l, int a, const double* __restrict r, int b) {
  int i = 0, j = 0, k = 0, p = a - 1, q = b - 1, z = a + b - 1;
  while (true) {
    const int safe = std::min(std::min(p - i, q - j) + 1, (z - k + 1) / 2);
    if (safe <= 0) break;
    for (int s = 0; s < safe; ++s) {
      const double x = l[i], y = r[j], u = l[p], v = r[q];
      const bool second = y < x, first = v < u;
      o[k++] = second ? y : x;
      j += second;
      i += !second;
      o[z--] = first ? u : v;
      p -= first;
      q -= !first;
    }
  }
  merge_plain(o + k, z - k + 1, l + i, p - i + 1, r + j, q - j + 1);
}

void merge(double* o, const double* l, int a, const double* r, int b) {
  if (a + b < kSplit) return merge_both_ends(o, l, a, r, b);
  const int i = a >= b ? a / 2 : static_cast<int>(std::upper_bound(l, l + a, r[b / 2]) - l);
  const int j = a >= b ? static_cast<int>(std::lower_bound(r, r + b, l[a / 2]) - r) : b / 2;
  tbb::task_group group;
  group.run([=] { merge(o, l, i, r, j); });
  merge(o + i + j, l + i, a - i, r + j, b - j);
  group.wait();
}

/// Sorts what lies in `a`; the result goes to `b` if `to_b`, else to `a`.
void merge_sort(double* a, double* b, int n, bool to_b) {
  if (n < kLeaf) {
    insertion(a, n);
    if (to_b) std::copy_n(a, n, b);
    return;
  }
  const int m = n / 2;
  if (n < kCutoff) {
    merge_sort(a, b, m, !to_b);
    merge_sort(a + m, b + m, n - m, !to_b);
  } else {
    tbb::task_group group;
    group.run([=] { merge_sort(a, b, m, !to_b); });
    merge_sort(a + m, b + m, n - m, !to_b);
    group.wait();
  }
  double* from = to_b ? a : b;
  merge(to_b ? b : a, from, m, from + m, n - m);
}

}  // namespace

int main(int argc, char** argv) {
  baseline::Run run(argc, argv);
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, run.threads());
  const auto in = run.input<double>(0);
  const baseline::Array<double> out(in.shape);
  const baseline::Buffer<double> scratch(in.size());
  const int n = static_cast<int>(in.size());
  run.measure(
      [&] {
        std::copy_n(in.data(), n, scratch.data());
        merge_sort(scratch.data(), out.data(), n, true);
      },
      [&] { run.write(0, out); });
}
