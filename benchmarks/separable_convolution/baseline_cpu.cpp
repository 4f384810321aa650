// SPDX-License-Identifier: MIT
// Hand-written C++ for the job of examples/separable_convolution.pbcc: the baseline of the
// generated CPU code. Two styles, so that neither is a straw man:
//   plain  the loop nest most people write; the compiler vectorises the inner loop over x
//   simd   explicit vector packs: four accumulators per step hide the latency of the multiply-add
// Both do the arithmetic of the rules (sample * weight * weight), and both are split over
// rows with OpenMP when --threads is above one. Prints one JSON object; "share" is the
// part of a ceiling measured in the same process: multiply-add rate or triad bandwidth.
#include <omp.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

#if defined(__AVX512F__)
constexpr int kVectorBytes = 64;
#elif defined(__AVX__)
constexpr int kVectorBytes = 32;
#else
constexpr int kVectorBytes = 16;
#endif

/// A picture, x fastest. Memory is left untouched until first use, so that threads place their own rows.
template <class T>
struct Picture {
  int w, h;
  T* data;
  Picture(int width, int height) : w(width), h(height) {
    const std::size_t bytes = (std::size_t(width) * height * sizeof(T) + 4095) / 4096 * 4096;
    data = static_cast<T*>(std::aligned_alloc(4096, std::max<std::size_t>(bytes, 4096)));
  }
  ~Picture() { std::free(data); }
  Picture(const Picture&) = delete;
  T* row(int y) const { return data + std::size_t(y) * w; }
};

// ---- plain: one output row at a time, taps outside, x inside ----------------

template <class T>
void rows_plain(const Picture<T>& in, const T* k, int kw, Picture<T>& out) {
#pragma omp parallel for schedule(static)
  for (int y = 0; y < out.h; ++y) {
    const T* __restrict src = in.row(y);
    T* __restrict dst = out.row(y);
    for (int x = 0; x < out.w; ++x) dst[x] = src[x] * k[0];
    for (int i = 1; i < kw; ++i)
      for (int x = 0; x < out.w; ++x) dst[x] += src[x + i] * k[i];
  }
}

template <class T>
void columns_plain(const Picture<T>& in, const T* k, int kw, Picture<T>& out) {
#pragma omp parallel for schedule(static)
  for (int y = 0; y < out.h; ++y) {
    T* __restrict dst = out.row(y);
    const T* __restrict first = in.row(y);
    for (int x = 0; x < out.w; ++x) dst[x] = first[x] * k[0];
    for (int i = 1; i < kw; ++i) {
      const T* __restrict src = in.row(y + i);
      for (int x = 0; x < out.w; ++x) dst[x] += src[x] * k[i];
    }
  }
}

template <class T>
void both_plain(const Picture<T>& in, const T* k, int kw, Picture<T>& out) {
#pragma omp parallel for schedule(static)
  for (int y = 0; y < out.h; ++y) {
    T* __restrict dst = out.row(y);
    std::fill(dst, dst + out.w, T(0));
    for (int i = 0; i < kw; ++i)
      for (int j = 0; j < kw; ++j) {
        const T* __restrict src = in.row(y + j) + i;
        const T kx = k[i], ky = k[j];
        for (int x = 0; x < out.w; ++x) dst[x] += src[x] * kx * ky;
      }
  }
}

// ---- simd: packs held in registers over all taps ----------------------------

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

/// Calls wide(x) for blocks of 4 packs, then narrow(x) for the cells that are left.
template <class T, class Wide, class Narrow>
inline void over_row(int width, Wide wide, Narrow narrow) {
  constexpr int kBlock = 4 * Pack<T>::kLanes;
  int x = 0;
  for (; x + kBlock <= width; x += kBlock) wide(x);
  for (; x < width; ++x) narrow(x);
}

template <class T, int kStep>  // kStep: 0 along x, 1 along y
void one_direction_simd(const Picture<T>& in, const T* k, int kw, Picture<T>& out) {
  using P = Pack<T>;
  const std::ptrdiff_t step = kStep == 0 ? 1 : in.w;
#pragma omp parallel for schedule(static)
  for (int y = 0; y < out.h; ++y) {
    const T* src = in.row(y);
    T* dst = out.row(y);
    over_row<T>(
        out.w,
        [&](int x) {
          typename P::V a{}, b{}, c{}, d{};
          const T* p = src + x;
          for (int i = 0; i < kw; ++i, p += step) {
            const T weight = k[i];
            a += P::load(p) * weight;
            b += P::load(p + P::kLanes) * weight;
            c += P::load(p + 2 * P::kLanes) * weight;
            d += P::load(p + 3 * P::kLanes) * weight;
          }
          P::store(dst + x, a), P::store(dst + x + P::kLanes, b);
          P::store(dst + x + 2 * P::kLanes, c), P::store(dst + x + 3 * P::kLanes, d);
        },
        [&](int x) {
          T sum = 0;
          for (int i = 0; i < kw; ++i) sum += src[x + i * step] * k[i];
          dst[x] = sum;
        });
  }
}

template <class T>
void both_simd(const Picture<T>& in, const T* k, int kw, Picture<T>& out) {
  using P = Pack<T>;
#pragma omp parallel for schedule(static)
  for (int y = 0; y < out.h; ++y) {
    const T* src = in.row(y);
    T* dst = out.row(y);
    over_row<T>(
        out.w,
        [&](int x) {
          typename P::V a{}, b{}, c{}, d{};
          for (int i = 0; i < kw; ++i) {
            const T* p = src + x + i;
            for (int j = 0; j < kw; ++j, p += in.w) {
              const T kx = k[i], ky = k[j];
              a += P::load(p) * kx * ky;
              b += P::load(p + P::kLanes) * kx * ky;
              c += P::load(p + 2 * P::kLanes) * kx * ky;
              d += P::load(p + 3 * P::kLanes) * kx * ky;
            }
          }
          P::store(dst + x, a), P::store(dst + x + P::kLanes, b);
          P::store(dst + x + 2 * P::kLanes, c), P::store(dst + x + 3 * P::kLanes, d);
        },
        [&](int x) {
          T sum = 0;
          for (int i = 0; i < kw; ++i)
            for (int j = 0; j < kw; ++j) sum += src[x + i + std::ptrdiff_t(j) * in.w] * k[i] * k[j];
          dst[x] = sum;
        });
  }
}

// ---- measurement -------------------------------------------------------------

double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v.empty() ? 0 : v[v.size() / 2];
}

/// Returns the median time of `f` in ns. `restore` prepares each trial and is not timed.
template <class R, class F>
double median_ns(int trials, R restore, F f) {
  std::vector<double> times;
  restore();
  f();
  for (int t = 0; t < trials; ++t) {
    restore();
    const auto start = Clock::now();
    f();
    times.push_back(std::chrono::duration<double, std::nano>(Clock::now() - start).count());
  }
  return median(times);
}

/// Returns the multiply-adds per ns over all threads, with eight independent chains of packs per thread.
template <class T>
double multiply_add_rate() {
  using P = Pack<T>;
  constexpr int kSteps = 2'000'000;
  double total = 0;
#pragma omp parallel reduction(+ : total)
  {
    typename P::V acc[8], x{}, y{};
    for (int i = 0; i < P::kLanes; ++i) x[i] = T(1.0000001), y[i] = T(1e-9);
    for (auto& a : acc) a = y;
    const auto start = Clock::now();
    for (int s = 0; s < kSteps; ++s) {
#pragma GCC unroll 8
      for (int i = 0; i < 8; ++i) acc[i] = acc[i] * x + y;
    }
    for (auto& a : acc) asm volatile("" : "+v"(a));
    total += 8.0 * kSteps * P::kLanes / std::chrono::duration<double, std::nano>(Clock::now() - start).count();
  }
  return total;
}

/// Returns the bytes per ns of a[i] = b[i] + s * c[i], counting three transfers.
double triad_rate() {
  constexpr std::int64_t kCount = 1 << 24;
  Picture<double> a(1 << 12, 1 << 12), b(1 << 12, 1 << 12), c(1 << 12, 1 << 12);
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < kCount; ++i) a.data[i] = 0, b.data[i] = 1, c.data[i] = 2;
  const double ns = median_ns(
      5, [] {},
      [&] {
#pragma omp parallel for schedule(static)
        for (std::int64_t i = 0; i < kCount; ++i) a.data[i] = b.data[i] + 3 * c.data[i];
      });
  return 3.0 * 8 * kCount / ns;
}

struct Options {
  int n = 3520, kw = 7, trials = 5, threads = 1;
  bool is_float = false, with_ceiling = false;
};

template <class T>
void run(const Options& o) {
  Picture<T> in(o.n, o.n), rows(o.n - o.kw + 1, o.n), sep(o.n - o.kw + 1, o.n - o.kw + 1), out(sep.w, sep.h);
#pragma omp parallel for schedule(static)
  for (int y = 0; y < in.h; ++y)
    for (int x = 0; x < in.w; ++x) in.row(y)[x] = T((x * 31 + y * 17) % 256);
  std::vector<T> k(o.kw);
  for (int i = 0; i < o.kw; ++i) k[i] = T(1) / o.kw;

  // Before each trial one thread writes the input and the first contents of the output anew, as --serve does.
  const std::vector<T> saved(in.data, in.data + std::size_t(in.w) * in.h);
  const auto restore = [&](Picture<T>& written) {
    return [&] {
      std::copy(saved.begin(), saved.end(), in.data);
      std::fill_n(written.data, std::size_t(written.w) * written.h, std::numeric_limits<T>::quiet_NaN());
    };
  };
  const double plain_2d = median_ns(o.trials, restore(out), [&] { both_plain(in, k.data(), o.kw, out); });
  const double simd_2d = median_ns(o.trials, restore(out), [&] { both_simd(in, k.data(), o.kw, out); });
  const double plain_sep = median_ns(o.trials, restore(sep), [&] {
    rows_plain(in, k.data(), o.kw, rows);
    columns_plain(rows, k.data(), o.kw, sep);
  });
  const double simd_sep = median_ns(o.trials, restore(sep), [&] {
    one_direction_simd<T, 0>(in, k.data(), o.kw, rows);
    one_direction_simd<T, 1>(rows, k.data(), o.kw, sep);
  });
  double worst = 0;
  for (int y = 0; y < out.h; ++y)
    for (int x = 0; x < out.w; ++x) worst = std::max(worst, std::fabs(double(out.row(y)[x]) - double(sep.row(y)[x])));

  std::printf(
      "{\"n\": %d, \"width\": %d, \"element\": \"%s\", \"threads\": %d, \"difference\": %.3g, \"times_ns\": "
      "{\"2d_plain\": %.0f, \"2d_simd\": %.0f, \"separable_plain\": %.0f, \"separable_simd\": %.0f}",
      o.n, o.kw, o.is_float ? "float" : "double", o.threads, worst, plain_2d, simd_2d, plain_sep, simd_sep);
  if (o.with_ceiling) {
    const double cells = double(out.w) * out.h;
    // Per tap one multiply and one multiply-add; memory: read and write two pictures in two passes.
    const double ideal_2d = 2 * cells * o.kw * o.kw / multiply_add_rate<T>();
    const double ideal_sep = 4 * cells * sizeof(T) / triad_rate();
    std::printf(", \"share\": {\"2d_simd\": %.2f, \"separable_simd\": %.2f}", ideal_2d / simd_2d, ideal_sep / simd_sep);
  }
  std::printf("}\n");
}

}  // namespace

int main(int argc, char** argv) {
  Options o;
  for (int i = 1; i < argc; ++i) {
    const std::string a = argv[i];
    const auto next = [&] { return i + 1 < argc ? std::atoi(argv[++i]) : 0; };
    if (a == "--n")
      o.n = next();
    else if (a == "--width")
      o.kw = next();
    else if (a == "--trials")
      o.trials = next();
    else if (a == "--threads")
      o.threads = next();
    else if (a == "--float")
      o.is_float = true;
    else if (a == "--ceiling")
      o.with_ceiling = true;
    else
      return std::fprintf(stderr, "baseline_cpu: unknown option %s\n", a.c_str()), 1;
  }
  if (o.n < o.kw || o.kw < 1 || o.trials < 1 || o.threads < 1)
    return std::fprintf(stderr, "baseline_cpu: sizes do not fit\n"), 1;
  omp_set_num_threads(o.threads);
  o.is_float ? run<float>(o) : run<double>(o);
}
