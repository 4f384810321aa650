// SPDX-License-Identifier: MIT
// Quotients and roots of packs (simd.h) by multiplication, for loops whose time they would bound. Dividers and the
// units for roots take one vector at a time, and several times as long as the multiplications here.
//
// Both begin with the approximation that the processor has (14 bits), double its digits by Newton's steps, and round
// what an exact remainder corrects. In tens of millions of random numbers each result was the rounded one. Some are off
// by a last digit where remainders are subnormal, next to the smallest normal number, so `pbc --fp=strict`
// (PB_SCALAR_FUNCTIONS) divides. Where a step gives no number, as for zeros and infinities, lanes are divided.
//
// Only AVX-512 has such approximations of doubles. Elsewhere packs divide, and so they do on AMD's processors (Zen),
// whose dividers are faster than these multiplications. As with vector functions (vector_math.h), the lanes of packs of
// any shape go through full vectors, so an instance has the same bits wherever a loop is cut.
//
// Source: P. Markstein, "IA-64 and Elementary Functions", 2000, chapters 8 and 9. Only generated code includes this.
#pragma once

#include <cmath>
#include <limits>
#include <type_traits>

#include "runtime/matrix/simd.h"
#include "runtime/matrix/simd_math.h"
#include "runtime/matrix/vector_math.h"

#define PB_HAS_FAST_DIVIDER 0
#if defined(__znver1__) || defined(__znver2__) || defined(__znver3__) || defined(__znver4__) || defined(__znver5__)
#undef PB_HAS_FAST_DIVIDER
#define PB_HAS_FAST_DIVIDER 1
#endif
#define PB_MULTIPLIES_QUOTIENTS 0
#if defined(__AVX512F__) && !defined(PB_SCALAR_FUNCTIONS) && !PB_HAS_FAST_DIVIDER
#undef PB_MULTIPLIES_QUOTIENTS
#define PB_MULTIPLIES_QUOTIENTS 1
#endif

namespace pbrt::simd {
namespace detail {

#if PB_MULTIPLIES_QUOTIENTS
// The compiler's own names, because <immintrin.h> takes as long to read as a small program to compile. 4: rounded as
// the thread rounds.
#define PB_QUOTIENT_STEPS(T, suffix, WholeMask)                                                                \
  PB_SIMD_INLINE FullVector<T> near_reciprocal(const FullVector<T>& a) {                                       \
    return __builtin_ia32_rcp14##suffix##512_mask(a, a, static_cast<WholeMask>(-1));                           \
  }                                                                                                            \
  PB_SIMD_INLINE FullVector<T> near_reciprocal_root(const FullVector<T>& a) {                                  \
    return __builtin_ia32_rsqrt14##suffix##512_mask(a, a, static_cast<WholeMask>(-1));                         \
  }                                                                                                            \
  /** a * b + c, rounded once. */                                                                              \
  PB_SIMD_INLINE FullVector<T> fused(const FullVector<T>& a, const FullVector<T>& b, const FullVector<T>& c) { \
    return __builtin_ia32_vfmadd##suffix##512_mask(a, b, c, static_cast<WholeMask>(-1), 4);                    \
  }                                                                                                            \
  PB_SIMD_INLINE bool is_nan_in_a_lane(const FullVector<T>& a) {                                               \
    constexpr int kUnordered = 3;                                                                              \
    return __builtin_ia32_cmp##suffix##512_mask(a, a, kUnordered, static_cast<WholeMask>(-1), 4) != 0;         \
  }
PB_QUOTIENT_STEPS(double, pd, unsigned char)
PB_QUOTIENT_STEPS(float, ps, unsigned short)
#undef PB_QUOTIENT_STEPS

/// The results, and where they are no numbers what `exact` makes. Other lanes stay, so none depends on its neighbours.
template <class T, class F>
PB_SIMD_INLINE FullVector<T> with_exact_ones(const FullVector<T>& results, F exact) {
  if (!is_nan_in_a_lane(results)) [[likely]]
    return results;
  return results == results ? results : exact();
}

/// The numbers, which are zero or have the signs of `signs`, with these signs.
template <class T>
PB_SIMD_INLINE FullVector<T> with_signs(const FullVector<T>& numbers, [[maybe_unused]] const FullVector<T>& signs) {
#ifdef __NO_SIGNED_ZEROS__
  return numbers;
#else
  using Integer = typename IntOf<sizeof(T)>::Type;
  using Integers = typename VectorType<Integer, kFullLanes<T> >::Type;
  const Integers minus = reinterpret_cast<Integers>(signs) & std::numeric_limits<Integer>::min();
  return reinterpret_cast<FullVector<T> >(reinterpret_cast<Integers>(numbers) | minus);
#endif
}

/// The quotients: `ratio` is off by at most two last digits, its remainder is exact, and so is the sign of a zero.
template <class T>
PB_SIMD_INLINE FullVector<T> multiplied_quotient(const FullVector<T>& a, const FullVector<T>& b) {
  const FullVector<T> one = T(1) - FullVector<T>{};
  FullVector<T> inverse = near_reciprocal(b);
  for (int step = 0; step < 2; ++step) inverse = fused(inverse, fused(-b, inverse, one), inverse);
  const FullVector<T> ratio = a * inverse;
  return with_exact_ones<T>(with_signs<T>(fused(fused(-b, ratio, a), inverse, ratio), ratio),
                            [&]() PB_SIMD_LAMBDA { return a / b; });
}

/// The roots: `root` and half of its reciprocal become exact together.
template <class T>
PB_SIMD_INLINE FullVector<T> multiplied_root(const FullVector<T>& a) {
  const FullVector<T> half = T(0.5) - FullVector<T>{};
  FullVector<T> inverse = near_reciprocal_root(a);
  FullVector<T> root = a * inverse;
  inverse *= half;
  for (int step = 0; step < 2; ++step) {
    const FullVector<T> off = fused(-root, inverse, half);
    root = fused(root, off, root);
    inverse = fused(inverse, off, inverse);
  }
  return with_exact_ones<T>(fused(fused(-root, root, a), inverse, root), [&]() PB_SIMD_LAMBDA {
    FullVector<T> roots;
    for (int lane = 0; lane < kFullLanes<T>; ++lane) roots[lane] = std::sqrt(a[lane]);
    return roots;
  });
}
#endif

}  // namespace detail

// `a / b` and `sqrt(a)` of bodies that they would bound (lang/body/bounding_quotients.h). Whole numbers are divided.

template <class A, class B, class S>
PB_SIMD_INLINE auto quotient(const Pack<A, S>& a, const Pack<B, S>& b) {
#if PB_MULTIPLIES_QUOTIENTS
  using C = detail::Common<A, B>;
  if constexpr (std::is_floating_point_v<C>)
    return detail::in_full_vectors<C, S>([](const auto& x, const auto& y)
                                             PB_SIMD_LAMBDA { return detail::multiplied_quotient<C>(x, y); },
                                         detail::as<C>(a), detail::as<C>(b));
  else
#endif
    return a / b;
}
template <class A, detail::Number B, class S>
PB_SIMD_INLINE auto quotient(const Pack<A, S>& a, B b) {
  return quotient(a, Pack<B, S>(b));
}
template <detail::Number A, class B, class S>
PB_SIMD_INLINE auto quotient(A a, const Pack<B, S>& b) {
  return quotient(Pack<A, S>(a), b);
}

template <class A, class S>
PB_SIMD_INLINE auto root(const Pack<A, S>& a) {
#if PB_MULTIPLIES_QUOTIENTS
  using C = decltype(std::sqrt(A()));
  return detail::in_full_vectors<C, S>([](const auto& x) PB_SIMD_LAMBDA { return detail::multiplied_root<C>(x); },
                                       detail::as<C>(a));
#else
  return sqrt(a);
#endif
}

}  // namespace pbrt::simd
