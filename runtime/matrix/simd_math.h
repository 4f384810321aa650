// SPDX-License-Identifier: MIT
// Math functions of packs (simd.h), named after the scalar ones so that bodies print alike.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "runtime/matrix/simd.h"

namespace pbrt::simd {

#define PB_SIMD_MATH1(name)                                                                           \
  template <class A, class S>                                                                         \
  PB_SIMD_INLINE auto name(const Pack<A, S>& a) {                                                     \
    return lanewise<decltype(std::name(A())), S>([](A x) PB_SIMD_LAMBDA { return std::name(x); }, a); \
  }
// Either side, or both, may be a number that is the same for all instances.
#define PB_SIMD_MATH2(name)                                                                                           \
  template <class A, class B, class S>                                                                                \
  PB_SIMD_INLINE auto name(const Pack<A, S>& a, const Pack<B, S>& b) {                                                \
    return lanewise<decltype(std::name(A(), B())), S>([](A x, B y) PB_SIMD_LAMBDA { return std::name(x, y); }, a, b); \
  }                                                                                                                   \
  template <class A, detail::Number B, class S>                                                                       \
  PB_SIMD_INLINE auto name(const Pack<A, S>& a, B b) {                                                                \
    return name(a, Pack<B, S>(b));                                                                                    \
  }                                                                                                                   \
  template <detail::Number A, class B, class S>                                                                       \
  PB_SIMD_INLINE auto name(A a, const Pack<B, S>& b) {                                                                \
    return name(Pack<A, S>(a), b);                                                                                    \
  }
PB_SIMD_MATH1(sqrt)
PB_SIMD_MATH1(fabs)
PB_SIMD_MATH1(abs)
PB_SIMD_MATH1(floor)
PB_SIMD_MATH1(ceil)
PB_SIMD_MATH1(round)
PB_SIMD_MATH1(trunc)
PB_SIMD_MATH1(exp)
PB_SIMD_MATH1(exp2)
PB_SIMD_MATH1(log)
PB_SIMD_MATH1(log2)
PB_SIMD_MATH1(log10)
PB_SIMD_MATH1(sin)
PB_SIMD_MATH1(cos)
PB_SIMD_MATH1(tan)
PB_SIMD_MATH1(asin)
PB_SIMD_MATH1(acos)
PB_SIMD_MATH1(atan)
PB_SIMD_MATH1(sinh)
PB_SIMD_MATH1(cosh)
PB_SIMD_MATH1(tanh)
PB_SIMD_MATH1(cbrt)
PB_SIMD_MATH1(acosh)
PB_SIMD_MATH1(asinh)
PB_SIMD_MATH1(atanh)
PB_SIMD_MATH1(erf)
PB_SIMD_MATH1(erfc)
PB_SIMD_MATH1(expm1)
PB_SIMD_MATH1(lgamma)
PB_SIMD_MATH1(log1p)
PB_SIMD_MATH1(nearbyint)
PB_SIMD_MATH1(rint)
PB_SIMD_MATH1(tgamma)
PB_SIMD_MATH2(pow)
PB_SIMD_MATH2(atan2)
PB_SIMD_MATH2(hypot)
PB_SIMD_MATH2(fmod)
PB_SIMD_MATH2(fmin)
PB_SIMD_MATH2(fmax)
PB_SIMD_MATH2(copysign)
PB_SIMD_MATH2(fdim)
PB_SIMD_MATH2(remainder)
#undef PB_SIMD_MATH1
#undef PB_SIMD_MATH2

// std::min and std::max need equal types in C++: so here.
template <class A, class S>
PB_SIMD_INLINE Pack<A, S> min(const Pack<A, S>& a, const Pack<A, S>& b) {
  return select(b < a, b, a);
}
template <class A, class S>
PB_SIMD_INLINE Pack<A, S> min(const Pack<A, S>& a, A b) {
  return min(a, Pack<A, S>(b));
}
template <class A, class S>
PB_SIMD_INLINE Pack<A, S> min(A a, const Pack<A, S>& b) {
  return min(Pack<A, S>(a), b);
}
template <class A, class S>
PB_SIMD_INLINE Pack<A, S> max(const Pack<A, S>& a, const Pack<A, S>& b) {
  return select(a < b, b, a);
}
template <class A, class S>
PB_SIMD_INLINE Pack<A, S> max(const Pack<A, S>& a, A b) {
  return max(a, Pack<A, S>(b));
}
template <class A, class S>
PB_SIMD_INLINE Pack<A, S> max(A a, const Pack<A, S>& b) {
  return max(Pack<A, S>(a), b);
}

}  // namespace pbrt::simd
