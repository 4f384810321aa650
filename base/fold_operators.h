// SPDX-License-Identifier: MIT
// The operators of folds, for parts that are computed apart: by the lanes of vectors (runtime/matrix/simd_folds.h) and
// by tasks (runtime/sched/loops/divided_folds.h, divided_bins.h).
//
// `start(first)` is what a part begins with, for a fold that begins with `first`: `combine(a, b)` of it and a value is
// the value. `combine` takes the second of two values, or of two vectors lane by lane, into the first. The smallest and
// the largest begin with `first` itself; `takes(a, b)` says whether `b` comes in the place of `a`.
#pragma once

#include <type_traits>

namespace pbrt::folds {

#define PB_FOLD_INLINE [[gnu::always_inline]] static inline

struct Sum {
  template <class T>
  [[nodiscard]] PB_FOLD_INLINE T start(T) {
    return static_cast<T>(-0.0);  // unlike 0.0, it leaves a sum of negative zeros as it is
  }
  template <class V>
  PB_FOLD_INLINE void combine(V& a, const V& b) {
    a += b;
  }
};

struct Product {
  template <class T>
  [[nodiscard]] PB_FOLD_INLINE T start(T) {
    return static_cast<T>(1);
  }
  template <class V>
  PB_FOLD_INLINE void combine(V& a, const V& b) {
    a *= b;
  }
};

struct Smallest {
  template <class T>
  [[nodiscard]] PB_FOLD_INLINE T start(T first) {
    return first;
  }
  template <class V>
  PB_FOLD_INLINE void combine(V& a, const V& b) {
    a = b < a ? b : a;
  }
  template <class T>
  [[nodiscard]] PB_FOLD_INLINE bool takes(T a, T b) {
    return b < a;
  }
};

struct Largest {
  template <class T>
  [[nodiscard]] PB_FOLD_INLINE T start(T first) {
    return first;
  }
  template <class V>
  PB_FOLD_INLINE void combine(V& a, const V& b) {
    a = a < b ? b : a;
  }
  template <class T>
  [[nodiscard]] PB_FOLD_INLINE bool takes(T a, T b) {
    return a < b;
  }
};

struct BitAnd {
  template <class T>
  [[nodiscard]] PB_FOLD_INLINE T start(T) {
    return static_cast<T>(-1);
  }
  template <class T>
  PB_FOLD_INLINE void combine(T& a, T b) {
    a = static_cast<T>(a & b);
  }
};

struct BitOr {
  template <class T>
  [[nodiscard]] PB_FOLD_INLINE T start(T) {
    return T{};
  }
  template <class T>
  PB_FOLD_INLINE void combine(T& a, T b) {
    a = static_cast<T>(a | b);
  }
};

struct BitXor {
  template <class T>
  [[nodiscard]] PB_FOLD_INLINE T start(T) {
    return T{};
  }
  template <class T>
  PB_FOLD_INLINE void combine(T& a, T b) {
    a = static_cast<T>(a ^ b);
  }
};

struct And {
  [[nodiscard]] PB_FOLD_INLINE bool start(bool) { return true; }
  PB_FOLD_INLINE void combine(bool& a, bool b) { a = a && b; }
};

struct Or {
  [[nodiscard]] PB_FOLD_INLINE bool start(bool) { return false; }
  PB_FOLD_INLINE void combine(bool& a, bool b) { a = a || b; }
};

#undef PB_FOLD_INLINE

/// Whether the operator chooses one of the values.
template <class Op>
inline constexpr bool kIsExtremum = std::is_same_v<Op, Smallest> || std::is_same_v<Op, Largest>;

}  // namespace pbrt::folds

namespace pbrt {

namespace detail {
template <class Op, class T>
struct FoldPartOf {
  using Type = T;
};
template <class Op, class T>
requires(std::is_integral_v<T> && (std::is_same_v<Op, folds::Sum> || std::is_same_v<Op, folds::Product>))  //
    struct FoldPartOf<Op, T> {
  using Type = std::make_unsigned_t<std::conditional_t<(sizeof(T) < sizeof(int)), int, T>>;
};
}  // namespace detail

/// The type in which a part of a fold over a variable of type T is computed. Sums and products of integers are computed
/// unsigned, because those of a part may overflow where those of the whole do not. The bits are the same.
template <class Op, class T>
using FoldPart = typename detail::FoldPartOf<Op, std::remove_cvref_t<T>>::Type;

}  // namespace pbrt
