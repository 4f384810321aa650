// SPDX-License-Identifier: MIT
// Folds and maps in the lanes of vectors: what is before and behind a loop whose rounds run side by side in packs
// (simd.h). Each lane has an accumulator of its own, and takes every kWidth-th round. Only generated code includes
// this.
//
// The result depends on the number of rounds alone, not on addresses, threads or the caller: rounds are dealt to lanes
// by their number, and the lanes are combined in a fixed tree.
#pragma once

#include <cstdint>
#include <type_traits>

#include "base/fold_operators.h"
#include "runtime/matrix/simd.h"

namespace pbrt::simd {

/// Whether neighbours in dimension 0 are neighbours in memory, in all of these views.
template <class... View>
inline constexpr bool kAreUnit = (std::remove_cvref_t<View>::kIsUnit && ...);

/// Whether a view shares no memory with any of the others, where that is easily seen.
template <class View, class... Others>
[[nodiscard]] inline bool is_apart_from(const View& view, const Others&... others) {
  return (is_apart(view, others) && ...);
}

/// Returns the value of a loop's variable up to which `for (T i = first; i < last; i++)` runs in lanes. It is `first`
/// for loops that are too short to pay off; else what is left for the loop itself is less than a pack.
template <class S, class T>
[[nodiscard]] PB_SIMD_INLINE T end_of_lanes(T first, std::int64_t last) {
  constexpr std::int64_t kFewest = 2;  // packs
  const std::int64_t num_packs = (last - static_cast<std::int64_t>(first)) / S::kWidth;
  return num_packs < kFewest ? first : static_cast<T>(first + num_packs * S::kWidth);
}

// What the lanes need of an operator beside base/fold_operators.h. `result` is that of a fold that begins with `first`.
// `is_sure` says whether the result has the bits that the order of the source gives, as far as a fold that rounds can:
// zeros of both signs are equal, and the source keeps the first of them.

struct Sum : folds::Sum {
  template <class T>
  [[nodiscard]] PB_SIMD_INLINE static T result(T first, T of_lanes) {
    return first + of_lanes;
  }
  template <class T>
  [[nodiscard]] PB_SIMD_INLINE static bool is_sure(T) {
    return true;
  }
};

struct Product : folds::Product {
  template <class T>
  [[nodiscard]] PB_SIMD_INLINE static T result(T first, T of_lanes) {
    return first * of_lanes;
  }
  template <class T>
  [[nodiscard]] PB_SIMD_INLINE static bool is_sure(T) {
    return true;
  }
};

/// What the smallest and the largest have in common: all lanes begin with the value before the loop.
template <class Op>
struct Extremum : Op {
  template <class T>
  [[nodiscard]] PB_SIMD_INLINE static T result(T, T of_lanes) {
    return of_lanes;
  }
  template <class T>
  [[nodiscard]] PB_SIMD_INLINE static bool is_sure(T result) {
    return result != T(0);
  }
};
using Smallest = Extremum<folds::Smallest>;
using Largest = Extremum<folds::Largest>;

/// Returns the accumulators of the lanes of a fold that begins with `first`.
template <class Op, class T, class S>
[[nodiscard]] PB_SIMD_INLINE Pack<T, S> start_lanes(T first) {
  return Pack<T, S>(Op::start(first));
}

/// Returns what a fold that begins with `first` has after the rounds in lanes.
template <class Op, class T, class S>
[[nodiscard]] PB_SIMD_INLINE T combine_lanes(T first, const Pack<T, S>& lanes) {
  Pack<T, S> tree = lanes;
  for (int num = S::kCount / 2; num > 0; num /= 2)
    for (int i = 0; i < num; ++i) Op::combine(tree.v[i], tree.v[i + num]);
  T of_lane[S::kLanes];
  for (int lane = 0; lane < S::kLanes; ++lane) of_lane[lane] = tree.v[0][lane];
  for (int num = S::kLanes / 2; num > 0; num /= 2)
    for (int lane = 0; lane < num; ++lane) Op::combine(of_lane[lane], of_lane[lane + num]);
  return Op::result(first, of_lane[0]);
}

}  // namespace pbrt::simd
