// SPDX-License-Identifier: MIT
// Masks of packs: logic, selections, and assignments to some instances. A mask has one truth value per instance of a
// pack; comparisons of packs make them. Loops that end at other rounds in other instances, and branches, run with a
// mask of the instances that take part. Generated code and the functions of packs include this.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include "runtime/matrix/simd.h"

namespace pbrt::simd {

namespace detail {
template <class M, std::size_t... I>
PB_SIMD_INLINE M both(const M& a, const M& b, std::index_sequence<I...>) {
  M result;
  ((result.v[I] = a.v[I] & b.v[I]), ...);
  return result;
}
template <class M, std::size_t... I>
PB_SIMD_INLINE M either(const M& a, const M& b, std::index_sequence<I...>) {
  M result;
  ((result.v[I] = a.v[I] | b.v[I]), ...);
  return result;
}
}  // namespace detail

// Logic on masks evaluates both sides. That is right, because the expressions that pbc prints on packs have no side
// effects.
template <int A, int B, class S>
PB_SIMD_INLINE auto operator&&(const Mask<A, S>& a, const Mask<B, S>& b) {
  constexpr int kBytes = A > B ? A : B;
  return detail::both<Mask<kBytes, S>>(a.template as<kBytes>(), b.template as<kBytes>(), S::kIndices);
}
template <int A, int B, class S>
PB_SIMD_INLINE auto operator||(const Mask<A, S>& a, const Mask<B, S>& b) {
  constexpr int kBytes = A > B ? A : B;
  return detail::either<Mask<kBytes, S>>(a.template as<kBytes>(), b.template as<kBytes>(), S::kIndices);
}
template <int A, class S>
PB_SIMD_INLINE Mask<A, S> operator!(const Mask<A, S>& a) {
  return detail::complement(a, S::kIndices);
}
// Logic of a mask with a condition that is the same for all instances.
template <int A, class S>
PB_SIMD_INLINE Mask<A, S> operator&&(const Mask<A, S>& a, bool b) {
  return b ? a : Mask<A, S>{};
}
template <int A, class S>
PB_SIMD_INLINE Mask<A, S> operator&&(bool a, const Mask<A, S>& b) {
  return b && a;
}
template <int A, class S>
PB_SIMD_INLINE Mask<A, S> operator||(const Mask<A, S>& a, bool b) {
  return b ? !Mask<A, S>{} : a;
}
template <int A, class S>
PB_SIMD_INLINE Mask<A, S> operator||(bool a, const Mask<A, S>& b) {
  return b || a;
}

namespace detail {
template <class T, class S, std::size_t... I>
PB_SIMD_INLINE Pack<T, S> blend(const Mask<sizeof(T), S>& mask, const Pack<T, S>& a, const Pack<T, S>& b,
                                std::index_sequence<I...>) {
  Pack<T, S> result;
  ((result.v[I] = mask.v[I] ? a.v[I] : b.v[I]), ...);
  return result;
}
template <class T>
struct ElementOf {
  using Type = T;
};
template <class T, class S>
struct ElementOf<Pack<T, S>> {
  using Type = T;
};
}  // namespace detail

/// `mask ? a : b`, in the common type of `a` and `b`.
template <int M, class S, class A, class B>
PB_SIMD_INLINE auto select(const Mask<M, S>& mask, const A& a, const B& b) {
  using EA = typename detail::ElementOf<A>::Type;
  using EB = typename detail::ElementOf<B>::Type;
  using C = std::conditional_t<std::is_same_v<EA, EB>, EA, detail::Common<EA, EB>>;
  return detail::blend<C, S>(mask.template as<sizeof(C)>(), Pack<C, S>(a), Pack<C, S>(b), S::kIndices);
}

namespace detail {
/// Whether a bit of a vector is set.
template <class V>
PB_SIMD_INLINE bool has_bits(const V& vector) {
#if defined(__AVX__)
  typedef long long Test __attribute__((vector_size(32)));
  if constexpr (sizeof(V) == 32) return !__builtin_ia32_ptestz256((Test)vector, (Test)vector);
  if constexpr (sizeof(V) == 64) {
    Test halves[2];
    __builtin_memcpy(halves, &vector, sizeof(V));
    return has_bits(halves[0] | halves[1]);
  }
#endif
#if defined(__SSE4_1__)
  typedef long long Short __attribute__((vector_size(16)));
  if constexpr (sizeof(V) == 16) return !__builtin_ia32_ptestz128((Short)vector, (Short)vector);
#endif
  constexpr std::size_t kStep = sizeof(V) < sizeof(long) ? 1 : sizeof(long);
  using Word = std::conditional_t<kStep == 1, unsigned char, unsigned long>;
  Word words[sizeof(V) / kStep];
  __builtin_memcpy(words, &vector, sizeof(V));
  Word all = 0;
  for (const Word word : words) all |= word;
  return all != 0;
}
template <class M, std::size_t... I>
PB_SIMD_INLINE bool any_lane(const M& mask, std::index_sequence<I...>) {
  return has_bits((mask.v[I] | ...));
}
}  // namespace detail

/// Whether the mask is set in some instance.
template <int Bytes, class S>
[[nodiscard]] PB_SIMD_INLINE bool any(const Mask<Bytes, S>& mask) {
  return detail::any_lane(mask, S::kIndices);
}

/// The mask that is set in all instances.
template <class S, int Bytes>
[[nodiscard]] PB_SIMD_INLINE Mask<Bytes, S> everywhere() {
  return !Mask<Bytes, S>{};
}

/// The mask where a condition holds, too.
template <int A, int B, class S>
[[nodiscard]] PB_SIMD_INLINE Mask<A, S> within(const Mask<A, S>& mask, const Mask<B, S>& condition) {
  return mask && condition.template as<A>();
}
template <int A, class S>
[[nodiscard]] PB_SIMD_INLINE Mask<A, S> within(const Mask<A, S>& mask, bool condition) {
  return mask && condition;
}

/// The mask without the instances that another one has.
template <int A, int B, class S>
[[nodiscard]] PB_SIMD_INLINE Mask<A, S> without(const Mask<A, S>& mask, const Mask<B, S>& other) {
  return mask && !other.template as<A>();
}

/// Assigns `value` to `target` where the mask is set.
template <int Bytes, class S, class T, class V>
PB_SIMD_INLINE void assign_where(const Mask<Bytes, S>& mask, Pack<T, S>& target, const V& value) {
  target = detail::blend<T, S>(mask.template as<sizeof(T)>(), Pack<T, S>(value), target, S::kIndices);
}

}  // namespace pbrt::simd
