// SPDX-License-Identifier: MIT
// Rows of a matrix in packs (simd.h). Where neighbouring instances read neighbouring rows, a pack copies its rows side
// by side, so that cell c of all of them is one pack. Only generated code includes this.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "base/loop_forms.h"
#include "runtime/matrix/simd.h"

namespace pbrt::simd {

namespace detail {
/// Exchanges, between `a` and `b`, the lanes of `a` whose number has the bit kStep for those of `b` that lack it.
template <int kStep, class Vector, std::size_t... Lane>
[[gnu::always_inline]] inline void exchange_lanes(Vector& a, Vector& b, std::index_sequence<Lane...>) {
  constexpr int kLanes = sizeof...(Lane);
  const auto source_of_a = [](int lane) { return (lane & kStep) != 0 ? kLanes + lane - kStep : lane; };
  const auto source_of_b = [](int lane) { return (lane & kStep) != 0 ? kLanes + lane : lane + kStep; };
  const Vector new_a = __builtin_shufflevector(a, b, source_of_a(Lane)...);
  b = __builtin_shufflevector(a, b, source_of_b(Lane)...);
  a = new_a;
}

/// Transposes, inside of each square of 2 * kStep, what smaller steps have transposed in quarters of it.
template <int kStep, int kLanes, class Vector>
[[gnu::always_inline]] inline void transpose_lanes(Vector (&rows)[kLanes]) {
  if constexpr (kStep < kLanes) {
    for (int i = 0; i < kLanes; ++i)
      if ((i & kStep) == 0) exchange_lanes<kStep>(rows[i], rows[i + kStep], std::make_index_sequence<kLanes>());
    transpose_lanes<2 * kStep>(rows);
  }
}
}  // namespace detail

/// Copies of the rows of a pack's instances, one each, as the body of the pack reads them.
template <class View, class S>
class RowsOfPack {
  static_assert(View::kDims == 1 && S::kRows == 1, "each instance has one row, and packs cover one row of instances");

 public:
  using Element = std::remove_const_t<typename View::Element>;
  using Values = Pack<Element, S>;

  /// Copies rows that lie `stride` elements apart; `first` is that of the first instance.
  ///
  /// Pre: a row has at most kMostRowCells cells
  PB_SIMD_INLINE RowsOfPack(const View& first, std::int64_t stride) : size_(first.size(0)) {
    copy(first, stride, S::kIndices);
  }

  template <detail::Number I>
  [[nodiscard]] PB_SIMD_INLINE const Values& cell(I c) const {
    return cells_[c];
  }
  [[nodiscard]] PB_SIMD_INLINE IndexT size(int) const { return size_; }
  [[nodiscard]] PB_SIMD_INLINE IndexT width() const { return size_; }
  [[nodiscard]] PB_SIMD_INLINE std::int64_t count() const { return size_; }

 private:
  using Vector = typename Values::Vector;
  using Unaligned = typename detail::VectorType<Element, S::kLanes>::Unaligned;

  template <std::size_t... I>
  PB_SIMD_INLINE void copy(const View& first, std::int64_t stride, std::index_sequence<I...>) {
    (copy_lanes<I>(first.address() + static_cast<std::int64_t>(I) * S::kLanes * stride, stride, first.stride(0)), ...);
  }
  /// Copies the rows of one vector of instances: squares of cells as long as there are any, then cell by cell.
  template <std::size_t I>
  PB_SIMD_INLINE void copy_lanes(const Element* first, std::int64_t stride, std::int64_t cell_stride) {
    IndexT c = 0;
#ifndef PB_CHECKED_COPIES
    if constexpr (View::kIsUnit && S::kLanes > 1)
      for (; size_ - c >= S::kLanes; c += S::kLanes) {
        Vector square[S::kLanes];
        for (int lane = 0; lane < S::kLanes; ++lane) {
          const Element* cells = first + lane * stride + c;
          square[lane] = *reinterpret_cast<const Unaligned*>(cells);
          request(cells, S::kWidth * stride);
        }
        detail::transpose_lanes<1>(square);
        for (int k = 0; k < S::kLanes; ++k) cells_[c + k].v[I] = square[k];
      }
#endif
    for (; c < size_; ++c) gather(cells_[c].v[I], first + static_cast<std::int64_t>(c) * cell_stride, stride);
  }
  /// Sets `lanes` to the elements at `first` and at multiples of `stride` from there.
  PB_SIMD_INLINE static void gather(Vector& lanes, const Element* first, std::int64_t stride) {
    Vector result{};
    for (int lane = 0; lane < S::kLanes; ++lane) {
#ifdef PB_CHECKED_COPIES
      pbrt::detail::check_access(first + lane * stride, sizeof(Element));
#endif
      result[lane] = first[lane * stride];
    }
    lanes = result;
  }
  /// Asks for the cells of the next pack: it reads them in one go, and processors would fetch them too late. They may
  /// lie outside of the matrix.
  PB_PREFETCHES static void request(const Element* cells, std::int64_t distance) {
    __builtin_prefetch(reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(cells) +
                                                     static_cast<std::uintptr_t>(distance) * sizeof(Element)));
  }

  Values cells_[pb::kMostRowCells];
  IndexT size_;
};

/// The rows of the instances of a pack of shape `S`.
template <class S, class View>
[[nodiscard]] PB_SIMD_INLINE RowsOfPack<View, S> rows_of_pack(const View& first, std::int64_t stride) {
  return {first, stride};
}

}  // namespace pbrt::simd
