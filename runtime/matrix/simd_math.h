// SPDX-License-Identifier: MIT
// Math functions of packs (simd.h), named after the scalar ones so that bodies print alike.
#pragma once

#include <cmath>
#include <cstdlib>
#include <limits>

#include "runtime/matrix/simd.h"
#include "runtime/matrix/simd_masks.h"
#include "runtime/matrix/vector_math.h"

namespace pbrt::simd {

#define PB_SIMD_MATH1(name)                                                                           \
  template <class A, class S>                                                                         \
  PB_SIMD_INLINE auto name(const Pack<A, S>& a) {                                                     \
    return lanewise<decltype(std::name(A())), S>([](A x) PB_SIMD_LAMBDA { return std::name(x); }, a); \
  }
// Each side may be a number that is the same for all instances.
#define PB_SIMD_OF_NUMBERS(name)                       \
  template <class A, detail::Number B, class S>        \
  PB_SIMD_INLINE auto name(const Pack<A, S>& a, B b) { \
    return name(a, Pack<B, S>(b));                     \
  }                                                    \
  template <detail::Number A, class B, class S>        \
  PB_SIMD_INLINE auto name(A a, const Pack<B, S>& b) { \
    return name(Pack<A, S>(a), b);                     \
  }
#define PB_SIMD_MATH2(name)                                                                                           \
  template <class A, class B, class S>                                                                                \
  PB_SIMD_INLINE auto name(const Pack<A, S>& a, const Pack<B, S>& b) {                                                \
    return lanewise<decltype(std::name(A(), B())), S>([](A x, B y) PB_SIMD_LAMBDA { return std::name(x, y); }, a, b); \
  }                                                                                                                   \
  PB_SIMD_OF_NUMBERS(name)
PB_SIMD_MATH1(sqrt)
PB_SIMD_MATH1(fabs)
PB_SIMD_MATH1(abs)
PB_SIMD_MATH1(floor)
PB_SIMD_MATH1(ceil)
PB_SIMD_MATH1(round)
PB_SIMD_MATH1(trunc)
PB_SIMD_MATH1(lgamma)
PB_SIMD_MATH1(nearbyint)
PB_SIMD_MATH1(rint)
PB_SIMD_MATH1(tgamma)
PB_SIMD_MATH2(fmod)
PB_SIMD_MATH2(fmin)
PB_SIMD_MATH2(fmax)
PB_SIMD_MATH2(copysign)
PB_SIMD_MATH2(fdim)
PB_SIMD_MATH2(remainder)
PB_SIMD_MATH1(logb)
PB_SIMD_MATH1(lround)
PB_SIMD_MATH1(llround)
PB_SIMD_MATH1(lrint)
PB_SIMD_MATH1(llrint)
PB_SIMD_MATH2(nextafter)

// Functions that the C library has for whole vectors, too (vector_math.h).
#define PB_SIMD_VECTOR1(name)                                                                    \
  template <class A, class S>                                                                    \
  PB_SIMD_INLINE auto name(const Pack<A, S>& a) {                                                \
    using C = decltype(std::name(A()));                                                          \
    const auto vector_function = [](auto x) PB_SIMD_LAMBDA { return detail::vector_##name(x); }; \
    return detail::in_full_vectors<C, S>(vector_function, detail::as<C>(a));                     \
  }
#define PB_SIMD_VECTOR2(name)                                                                               \
  template <class A, class B, class S>                                                                      \
  PB_SIMD_INLINE auto name(const Pack<A, S>& a, const Pack<B, S>& b) {                                      \
    using C = decltype(std::name(A(), B()));                                                                \
    const auto vector_function = [](auto x, auto y) PB_SIMD_LAMBDA { return detail::vector_##name(x, y); }; \
    return detail::in_full_vectors<C, S>(vector_function, detail::as<C>(a), detail::as<C>(b));              \
  }                                                                                                         \
  PB_SIMD_OF_NUMBERS(name)
#if PB_VECTOR_FUNCTIONS < 22
#undef PB_SIMD_VECTOR1
#undef PB_SIMD_VECTOR2
#define PB_SIMD_VECTOR1 PB_SIMD_MATH1
#define PB_SIMD_VECTOR2 PB_SIMD_MATH2
#endif
PB_SIMD_VECTOR1(exp)
PB_SIMD_VECTOR1(log)
PB_SIMD_VECTOR1(sin)
PB_SIMD_VECTOR1(cos)
PB_SIMD_VECTOR2(pow)
#if PB_VECTOR_FUNCTIONS < 35
#undef PB_SIMD_VECTOR1
#undef PB_SIMD_VECTOR2
#define PB_SIMD_VECTOR1 PB_SIMD_MATH1
#define PB_SIMD_VECTOR2 PB_SIMD_MATH2
#endif
PB_SIMD_VECTOR1(exp2)
PB_SIMD_VECTOR1(log2)
PB_SIMD_VECTOR1(log10)
PB_SIMD_VECTOR1(tan)
PB_SIMD_VECTOR1(asin)
PB_SIMD_VECTOR1(acos)
PB_SIMD_VECTOR1(atan)
PB_SIMD_VECTOR1(sinh)
PB_SIMD_VECTOR1(cosh)
PB_SIMD_VECTOR1(tanh)
PB_SIMD_VECTOR1(cbrt)
PB_SIMD_VECTOR1(acosh)
PB_SIMD_VECTOR1(asinh)
PB_SIMD_VECTOR1(atanh)
PB_SIMD_VECTOR1(erf)
PB_SIMD_VECTOR1(erfc)
PB_SIMD_VECTOR1(expm1)
PB_SIMD_VECTOR1(log1p)
PB_SIMD_VECTOR2(atan2)
PB_SIMD_VECTOR2(hypot)
#undef PB_SIMD_VECTOR1
#undef PB_SIMD_VECTOR2
#undef PB_SIMD_MATH1
#undef PB_SIMD_MATH2
#undef PB_SIMD_OF_NUMBERS

// min and max, also for numbers of two types, as without `std::`. For NaN and for zeros they keep the side that
// std::min and std::max keep.
#define PB_SIMD_LESSER(name, first, second)                            \
  template <class A, class B, class S>                                 \
  PB_SIMD_INLINE auto name(const Pack<A, S>& x, const Pack<B, S>& y) { \
    using C = std::common_type_t<A, B>;                                \
    const Pack<C, S>& a = detail::as<C>(x);                            \
    const Pack<C, S>& b = detail::as<C>(y);                            \
    return select(first < second, b, a);                               \
  }                                                                    \
  template <class A, detail::Number B, class S>                        \
  PB_SIMD_INLINE auto name(const Pack<A, S>& a, B b) {                 \
    return name(a, Pack<std::common_type_t<A, B>, S>(b));              \
  }                                                                    \
  template <detail::Number A, class B, class S>                        \
  PB_SIMD_INLINE auto name(A a, const Pack<B, S>& b) {                 \
    return name(Pack<std::common_type_t<A, B>, S>(a), b);              \
  }
PB_SIMD_LESSER(min, b, a)
PB_SIMD_LESSER(max, a, b)
#undef PB_SIMD_LESSER

namespace detail {
/// The type in which floating numbers are tested.
template <class A>
using RealOf = std::conditional_t<std::is_floating_point_v<A>, A, double>;
template <class C, class S, std::size_t... I>
PB_SIMD_INLINE Mask<sizeof(C), S> sign_bits(const Pack<C, S>& a, std::index_sequence<I...>) {
  Mask<sizeof(C), S> result;
  ((result.v[I] = reinterpret_cast<typename Mask<sizeof(C), S>::Vector>(a.v[I]) < 0), ...);
  return result;
}
}  // namespace detail

template <class A, class S>
PB_SIMD_INLINE auto isnan(const Pack<A, S>& x) {
  const Pack<detail::RealOf<A>, S>& a = detail::as<detail::RealOf<A>>(x);
  return a != a;
}
template <class A, class S>
PB_SIMD_INLINE auto isinf(const Pack<A, S>& a) {
  return fabs(a) == std::numeric_limits<detail::RealOf<A>>::infinity();
}
template <class A, class S>
PB_SIMD_INLINE auto isfinite(const Pack<A, S>& a) {
  return fabs(a) <= std::numeric_limits<detail::RealOf<A>>::max();
}
template <class A, class S>
PB_SIMD_INLINE auto isnormal(const Pack<A, S>& a) {
  return isfinite(a) && fabs(a) >= std::numeric_limits<detail::RealOf<A>>::min();
}
template <class A, class S>
PB_SIMD_INLINE auto signbit(const Pack<A, S>& a) {
  return detail::sign_bits<detail::RealOf<A>, S>(detail::as<detail::RealOf<A>>(a), S::kIndices);
}

}  // namespace pbrt::simd
