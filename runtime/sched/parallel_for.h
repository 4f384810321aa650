// SPDX-License-Identifier: MIT
// Data-parallel loops over boxes. Used by generated code for the instances of a
// rule that carry no dependence. Light: the splitting is compiled once, in
// parallel_for.cpp; only the body's adapter is a template.
//
// What `split` means (LANGUAGE 8.3, and where we differ). The language halves every
// dimension while every extent is at least 2 and some extent is at least `split`:
// after k halvings there are 2^(D k) cubes. We make pieces of (at most) the volume
// of those cubes, but with more rows than columns cut, so that the innermost loop stays
// long and several rows vectorise together; cuts are at multiples of eight. A
// dimension of extent 1 is left out instead of stopping the split. One dimension:
// exactly the language's rule. No program can observe the shape of the pieces,
// since instances of such a rule have no defined order.
#pragma once

#include <cstdint>
#include <memory>

#include "runtime/sched/box.h"
#include "runtime/sched/frame.h"
#include "runtime/sched/rule_scope.h"

namespace pbrt {

inline constexpr int kMaxBoxDimensions = 16;

namespace detail {

/// A loop with its body's type erased; bounds are arrays of `num_dimensions`.
struct PieceBody {
  void (*call)(const void* closure, Frame& frame, const std::int64_t* lo, const std::int64_t* hi);
  const void* closure;
  int num_dimensions;
  /// What the pieces are counted as; null: nothing.
  const RuleDesc* rule;
};
void run_pieces(Frame& frame, const PieceBody& body, const std::int64_t* lo, const std::int64_t* hi,
                std::int64_t split);

}  // namespace detail

/// Calls `f(Frame&, const Box<N>&)` on pieces that partition `box`, in parallel, and waits for all.
///
/// In a sequential frame, or with one worker, `f` is called once with the whole box. Each
/// call of `f` gets a frame of its own. An empty box calls nothing. `rule` is for traces.
///
/// Pre:     split >= 1
/// Errors:  rethrows the first exception of a piece
template <int N, class F>
void parallel_for(Frame& frame, const Box<N>& box, std::int64_t split, const F& f, const RuleDesc* rule = nullptr) {
  static_assert(N <= kMaxBoxDimensions);
  const detail::PieceBody body{
      [](const void* closure, Frame& piece_frame, const std::int64_t* lo, const std::int64_t* hi) {
        Box<N> piece;
        for (int d = 0; d < N; ++d) {
          piece.lo[d] = lo[d];
          piece.hi[d] = hi[d];
        }
        (*static_cast<const F*>(closure))(piece_frame, static_cast<const Box<N>&>(piece));
      },
      static_cast<const void*>(std::addressof(f)), N, rule};
  detail::run_pieces(frame, body, box.lo, box.hi, split);
}

}  // namespace pbrt
