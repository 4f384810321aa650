// SPDX-License-Identifier: MIT
// Tiles of a nest of loops whose instances depend on each other (docs/architecture.md 6.7). Used by generated code:
// the compiler makes the nest with the bounds of one tile as parameters and says which dimensions carry
// dependences; here the grid of tiles is made and run. Light, as parallel_for.h.
//
// A tile starts when its predecessors along every carried dimension are complete. Dependences point to tiles that are
// nowhere greater and equal in all other dimensions, so that is enough: the predecessors waited for theirs.
#pragma once

#include <cstdint>
#include <memory>

#include "runtime/sched/frame.h"
#include "runtime/sched/loops/parallel_for.h"

namespace pbrt {

/// A grid that would have more tiles than this gets larger tiles.
inline constexpr std::int64_t kMaxTiles = std::int64_t{1} << 16;

namespace detail {

/// Runs the tiles of a box. `carried` has bit d for dimension d. Pre: the frame is not sequential, the box not empty.
void run_tiles(Frame& frame, const PieceBody& body, const std::int64_t* lo, const std::int64_t* hi,
               const std::int64_t* extent, unsigned carried);

}  // namespace detail

/// Calls `f(Frame&, const Box<N>&)` on tiles of `extent` that partition `box`, each after its predecessors along the
/// carried dimensions, independent ones at once, and waits for all.
///
/// In a sequential frame `f` is called once with the whole box; with one worker tile by tile, the last dimension
/// slowest.
///
/// `rule` is for traces.
///
/// Pre:     extent[d] >= 1
/// Post:    what a tile wrote is visible to all that had to wait for it
/// Errors:  rethrows the first exception of a tile; tiles that depend on it are dropped
template <int N, class F>
void run_tiles(Frame& frame, const Box<N>& box, const std::int64_t* extent, unsigned carried, const F& f,
               const RuleDesc* rule = nullptr) {
  static_assert(N <= kMaxBoxDimensions);
  if (box.is_empty()) return;
  if (frame.is_sequential()) {
    const RuleScope scope(frame, rule, box.volume());
    return f(frame, box);
  }
  const detail::PieceBody body{
      [](const void* closure, Frame& tile_frame, const std::int64_t* lo, const std::int64_t* hi) {
        Box<N> tile;
        for (int d = 0; d < N; ++d) {
          tile.lo[d] = lo[d];
          tile.hi[d] = hi[d];
        }
        (*static_cast<const F*>(closure))(tile_frame, static_cast<const Box<N>&>(tile));
      },
      static_cast<const void*>(std::addressof(f)), N, rule};
  detail::run_tiles(frame, body, box.lo, box.hi, extent, carried);
}

}  // namespace pbrt
