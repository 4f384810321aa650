// SPDX-License-Identifier: MIT
// The capability layer of vector functions: which functions of <cmath> the C library also has for whole vectors, and
// how packs (simd_math.h) call them. Where there are none, packs call the scalar function lane by lane.
//
// glibc has them on x86-64, in libmvec: five since version 2.22, the others since 2.35. They are off by less than 4 ULP
// and treat NaN, infinities, zeros and subnormal numbers as the scalar functions do. `libm.so` is a linker script that
// names libmvec "as needed", so programs link it if they call it, and need no flag.
//
// Whatever the shape of a pack is, its lanes go through the function of one width, that of the build's full vector: the
// functions of other widths may round in another way, and which instances form a pack depends on where a loop is cut. A
// lane's result does not depend on the other lanes.
#pragma once

#include <cmath>
#include <cstddef>
#include <utility>

#include "runtime/matrix/simd.h"

// PB_VECTOR_FUNCTIONS: 0, or the minor version of the glibc whose functions there are. `pbc --fp=strict` defines
// PB_SCALAR_FUNCTIONS.
#define PB_VECTOR_FUNCTIONS 0
#if !defined(PB_SCALAR_FUNCTIONS) && defined(__x86_64__) && defined(__GLIBC__)
#if __GLIBC_PREREQ(2, 35)
#undef PB_VECTOR_FUNCTIONS
#define PB_VECTOR_FUNCTIONS 35
#elif __GLIBC_PREREQ(2, 22)
#undef PB_VECTOR_FUNCTIONS
#define PB_VECTOR_FUNCTIONS 22
#endif
#endif

namespace pbrt::simd::detail {

template <class T>
inline constexpr int kFullLanes = kVectorBytes / static_cast<int>(sizeof(T));
template <class T>
using FullVector = typename VectorType<T, kFullLanes<T>>::Type;

#if PB_VECTOR_FUNCTIONS > 0
// Names after the ABI of vector functions: the letter says which registers, the number how many lanes.
#if defined(__AVX512F__)
#define PB_VECTOR_DOUBLE "_ZGVeN8"
#define PB_VECTOR_FLOAT "_ZGVeN16"
#elif defined(__AVX2__)
#define PB_VECTOR_DOUBLE "_ZGVdN4"
#define PB_VECTOR_FLOAT "_ZGVdN8"
#elif defined(__AVX__)
#define PB_VECTOR_DOUBLE "_ZGVcN4"
#define PB_VECTOR_FLOAT "_ZGVcN8"
#else
#define PB_VECTOR_DOUBLE "_ZGVbN2"
#define PB_VECTOR_FLOAT "_ZGVbN4"
#endif
#define PB_VECTOR1(name)                                                                                         \
  [[gnu::const]] FullVector<double> vector_##name(FullVector<double>) noexcept asm(PB_VECTOR_DOUBLE "v_" #name); \
  [[gnu::const]] FullVector<float> vector_##name(FullVector<float>) noexcept asm(PB_VECTOR_FLOAT "v_" #name "f");
#define PB_VECTOR2(name)                                                                                          \
  [[gnu::const]] FullVector<double> vector_##name(FullVector<double>,                                             \
                                                  FullVector<double>) noexcept asm(PB_VECTOR_DOUBLE "vv_" #name); \
  [[gnu::const]] FullVector<float> vector_##name(FullVector<float>,                                               \
                                                 FullVector<float>) noexcept asm(PB_VECTOR_FLOAT "vv_" #name "f");
PB_VECTOR1(exp)
PB_VECTOR1(log)
PB_VECTOR1(sin)
PB_VECTOR1(cos)
PB_VECTOR2(pow)
#if PB_VECTOR_FUNCTIONS >= 35
PB_VECTOR1(acos)
PB_VECTOR1(acosh)
PB_VECTOR1(asin)
PB_VECTOR1(asinh)
PB_VECTOR1(atan)
PB_VECTOR1(atanh)
PB_VECTOR1(cbrt)
PB_VECTOR1(cosh)
PB_VECTOR1(erf)
PB_VECTOR1(erfc)
PB_VECTOR1(exp2)
PB_VECTOR1(expm1)
PB_VECTOR1(log10)
PB_VECTOR1(log1p)
PB_VECTOR1(log2)
PB_VECTOR1(sinh)
PB_VECTOR1(tan)
PB_VECTOR1(tanh)
PB_VECTOR2(atan2)
PB_VECTOR2(hypot)
#endif
#undef PB_VECTOR1
#undef PB_VECTOR2
#undef PB_VECTOR_DOUBLE
#undef PB_VECTOR_FLOAT
#endif

// ---- Lanes of packs as full vectors ------------------------------------------

/// The lanes I… of `a` and then `b`, counted through both.
template <class T, class V, std::size_t... I>
PB_SIMD_INLINE auto lanes_of(const V& a, const V& b, std::index_sequence<I...>) ->
    typename VectorType<T, sizeof...(I)>::Type {
  return __builtin_shufflevector(a, b, static_cast<int>(I)...);
}

/// `Lanes` lanes of the pack's vectors one after the other, from lane `Lanes * kIndex` on. Behind the last vector it
/// stands again.
template <int Lanes, int kIndex, class T, class S>
PB_SIMD_INLINE auto wide_vector(const Pack<T, S>& a) {
  if constexpr (Lanes == S::kLanes) {
    return a.v[kIndex < S::kCount ? kIndex : S::kCount - 1];
  } else {
    return lanes_of<T>(wide_vector<Lanes / 2, 2 * kIndex>(a), wide_vector<Lanes / 2, 2 * kIndex + 1>(a),
                       std::make_index_sequence<Lanes>());
  }
}

template <std::size_t kFirst, std::size_t... I>
constexpr auto sequence_from(std::index_sequence<I...>) {
  return std::index_sequence<kFirst + I...>();
}

/// The function of the lanes of full vector `kIndex` of the arguments.
template <int kIndex, class T, class F, class... A>
PB_SIMD_INLINE FullVector<T> of_full_vector(F f, const A&... args) {
  return f(wide_vector<kFullLanes<T>, kIndex>(args)...);
}

/// Packs with vectors of at most the full width: several of their vectors go into a full one.
template <class T, class S, class F, std::size_t... Group, std::size_t... I, class... A>
PB_SIMD_INLINE Pack<T, S> by_full_vectors(F f, std::index_sequence<Group...>, std::index_sequence<I...>,
                                          const A&... args) {
  constexpr std::size_t kPerGroup = kFullLanes<T> / S::kLanes;
  const FullVector<T> full[] = {of_full_vector<static_cast<int>(Group), T>(f, args...)...};
  Pack<T, S> result;
  if constexpr (kPerGroup == 1) {
    ((result.v[I] = full[I]), ...);
  } else {
    ((result.v[I] = lanes_of<T>(full[I / kPerGroup], full[I / kPerGroup],
                                sequence_from<I % kPerGroup * S::kLanes>(std::make_index_sequence<S::kLanes>()))),
     ...);
  }
  return result;
}

/// Packs with wider vectors, of numbers that became wider than the widest type that the pack's shape was made for.
template <class T, class S, class F, class... A>
PB_SIMD_INLINE Pack<T, S> by_parts_of_vectors(F f, const A&... args) {
  Pack<T, S> result;
  for (int i = 0; i < S::kCount; ++i) {
    for (int first = 0; first < S::kLanes; first += kFullLanes<T>) {
      const auto part = [&](const Pack<T, S>& a) PB_SIMD_LAMBDA {
        FullVector<T> lanes{};
        for (int lane = 0; lane < kFullLanes<T>; ++lane) lanes[lane] = a.v[i][first + lane];
        return lanes;
      };
      const FullVector<T> full = f(part(args)...);
      for (int lane = 0; lane < kFullLanes<T>; ++lane) result.v[i][first + lane] = full[lane];
    }
  }
  return result;
}

/// A function of full vectors, applied to packs.
template <class T, class S, class F, class... A>
PB_SIMD_INLINE Pack<T, S> in_full_vectors(F f, const A&... args) {
  if constexpr (S::kLanes > kFullLanes<T>) {
    return by_parts_of_vectors<T, S>(f, args...);
  } else {
    constexpr int kPerGroup = kFullLanes<T> / S::kLanes;
    constexpr auto kGroups =
        std::make_index_sequence<static_cast<std::size_t>((S::kCount + kPerGroup - 1) / kPerGroup)>();
    return by_full_vectors<T, S>(f, kGroups, S::kIndices, args...);
  }
}

}  // namespace pbrt::simd::detail
