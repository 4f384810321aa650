// SPDX-License-Identifier: MIT
// What a person would write instead of tests/conformance/sorting/poly_sort.pbcc: the same sorts, with sizes at which
// one hands over to another as a table. Compiled, not run.
#include "text_matrix.h"

struct Span {
  double* data;
  int n;
  double& operator[](int i) const { return data[i]; }
  Span part(int lo, int hi) const { return {data + lo, hi - lo}; }
};

enum class Way { Insertion, Selection, Quick, Merge2, Merge4, Radix };

struct Level {
  int below;
  Way way;
};

struct Sorter {
  std::vector<Level> levels;
  int parallel_from = 4096;

  void merge(Span c, Span a, Span b) const {
    int i = 0, j = 0, k = 0;
    while (i < a.n && j < b.n) c[k++] = a[i] <= b[j] ? a[i++] : b[j++];
    while (i < a.n) c[k++] = a[i++];
    while (j < b.n) c[k++] = b[j++];
  }

  void merge_in_parallel(Span c, Span a, Span b) const {
    if (a.n + b.n < parallel_from) return merge(c, a, b);
    if (a.n < b.n) return merge_in_parallel(c, b, a);
    const int h = a.n / 2;
    const int at = int(std::lower_bound(b.data, b.data + b.n, a[h]) - b.data);
#pragma omp task
    merge_in_parallel(c.part(0, h + at), a.part(0, h), b.part(0, at));
    merge_in_parallel(c.part(h + at, c.n), a.part(h, a.n), b.part(at, b.n));
#pragma omp taskwait
  }

  void insertion(Span out, Span in) const {
    for (int i = 0; i < in.n; ++i) {
      const double v = in[i];
      int j = i - 1;
      for (; j >= 0 && out[j] > v; --j) out[j + 1] = out[j];
      out[j + 1] = v;
    }
  }

  void selection(Span out, Span in) const {
    for (int i = 0; i < in.n; ++i) out[i] = in[i];
    for (int i = 0; i < out.n; ++i) {
      int least = i;
      for (int j = i + 1; j < out.n; ++j)
        if (out[j] < out[least]) least = j;
      std::swap(out[i], out[least]);
    }
  }

  void quick(Span out, Span in) const {
    const int n = in.n;
    for (int i = 0; i < n; ++i) out[i] = in[i];
    if (n < 2) return;
    const double pivot = std::max(std::min(in[0], in[n / 2]), std::min(std::max(in[0], in[n / 2]), in[n - 1]));
    int lo = 0, hi = n - 1;
    while (lo <= hi) {
      while (out[lo] < pivot) lo++;
      while (out[hi] > pivot) hi--;
      if (lo <= hi) std::swap(out[lo++], out[hi--]);
    }
    std::vector<double> copy(out.data, out.data + n);
    const Span all{copy.data(), n};
    both(out.part(0, hi + 1), all.part(0, hi + 1), out.part(lo, n), all.part(lo, n));
  }

  void merge2(Span out, Span in) const {
    const int n = in.n;
    if (n < 2) return insertion(out, in);
    std::vector<double> copy(n);
    const Span tmp{copy.data(), n};
    both(tmp.part(0, n / 2), in.part(0, n / 2), tmp.part(n / 2, n), in.part(n / 2, n));
    merge_in_parallel(out, tmp.part(0, n / 2), tmp.part(n / 2, n));
  }

  void merge4(Span out, Span in) const {
    const int n = in.n;
    if (n < 4) return insertion(out, in);
    const int q1 = n / 4, q2 = n / 2, q3 = q1 + q2;
    std::vector<double> copy(n), half(n);
    const Span tmp{copy.data(), n}, to{half.data(), n};
    both(tmp.part(0, q1), in.part(0, q1), tmp.part(q1, q2), in.part(q1, q2));
    both(tmp.part(q2, q3), in.part(q2, q3), tmp.part(q3, n), in.part(q3, n));
    merge_in_parallel(to.part(0, q2), tmp.part(0, q1), tmp.part(q1, q2));
    merge_in_parallel(to.part(q2, n), tmp.part(q2, q3), tmp.part(q3, n));
    merge_in_parallel(out, to.part(0, q2), to.part(q2, n));
  }

  void radix(Span out, Span in) const {
    const int n = in.n;
    std::vector<unsigned long long> keys(n), next(n);
    for (int i = 0; i < n; ++i) {
      unsigned long long u;
      memcpy(&u, &in[i], sizeof u);
      keys[i] = (u >> 63) ? ~u : u | (1ULL << 63);
    }
    for (int shift = 0; shift < 64; shift += 8) {
      int count[257] = {0};
      for (int i = 0; i < n; ++i) count[((keys[i] >> shift) & 255) + 1]++;
      for (int b = 0; b < 256; ++b) count[b + 1] += count[b];
      for (int i = 0; i < n; ++i) next[count[(keys[i] >> shift) & 255]++] = keys[i];
      keys.swap(next);
    }
    for (int i = 0; i < n; ++i) {
      const unsigned long long u = (keys[i] >> 63) ? keys[i] & ~(1ULL << 63) : ~keys[i];
      memcpy(&out[i], &u, sizeof u);
    }
  }

  void both(Span out1, Span in1, Span out2, Span in2) const {
    if (in1.n + in2.n < parallel_from) {
      sort(out1, in1);
      sort(out2, in2);
      return;
    }
#pragma omp task
    sort(out1, in1);
    sort(out2, in2);
#pragma omp taskwait
  }

  void sort(Span out, Span in) const {
    Way way = Way::Merge2;
    for (const Level& level : levels)
      if (in.n < level.below) {
        way = level.way;
        break;
      }
    switch (way) {
      case Way::Insertion:
        return insertion(out, in);
      case Way::Selection:
        return selection(out, in);
      case Way::Quick:
        return quick(out, in);
      case Way::Merge2:
        return merge2(out, in);
      case Way::Merge4:
        return merge4(out, in);
      case Way::Radix:
        return radix(out, in);
    }
  }
};

int main(int argc, char** argv) {
  if (argc < 3) {
    std::cerr << "usage: sort IN OUT [below way]...\n";
    return 1;
  }
  Sorter sorter;
  for (int i = 3; i + 1 < argc; i += 2) sorter.levels.push_back({atoi(argv[i]), Way(atoi(argv[i + 1]))});
  Matrix in = read_matrix(argv[1]);
  Matrix out(in.w, in.h);
#pragma omp parallel
#pragma omp single
  sorter.sort({out.data.data(), int(out.data.size())}, {in.data.data(), int(in.data.size())});
  write_matrix(argv[2], out);
  return 0;
}
