// SPDX-License-Identifier: MIT
// Versions of a matrix in skewed bands on the CPU (decision 64): bands of rows of several versions run one after the
// other, so that near caches hold what the next version reads. A band lies `skew` rows before the same band of the
// version before it. A band waits for that one and for its neighbour below, which is a grid of tiles (tile_grid.h).
// Used by generated code.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "runtime/sched/frame.h"
#include "runtime/sched/loops/parallel_for.h"
#include "runtime/sched/loops/tile_grid.h"

namespace pbrt {

/// Versions that are made from one another, in rows.
struct VersionRows {
  std::int64_t first = 0, end = 0;  ///< the versions to make
  std::int64_t rows = 0;            ///< of a version
  std::int64_t cells = 0;           ///< of a row
  std::int64_t cell_bytes = 0;
  std::int64_t cache_bytes = 0;  ///< of a worker's own cache that bands should fit
  std::int64_t skew = 0;         ///< rows that a band lies before the same band of the version before; at least 0
  std::int64_t lag = 0;          ///< the most rows that a part of a band lies before the band's place; at least 0
};

/// Returns how many rows a band has. 0: no bands, because the versions are few or small, or because the rows are so
/// long that caches hold no band. `wanted` is what a configuration says: 0 leaves it to this function, 1 asks for no
/// bands.
[[nodiscard]] std::int64_t rows_of_band(const VersionRows& versions, std::int64_t wanted, int num_workers);

/// How many versions are made before all workers wait for one another.
[[nodiscard]] std::int64_t versions_at_once(const VersionRows& versions);

/// Rows that are folded in the middle, because the first and the last one are neighbours: the rows of bands are places,
/// and a place is the distance of a row to the nearer edge.
[[nodiscard]] VersionRows folded(VersionRows versions);

/// Rows of a matrix, half-open; none if `to` is not behind `from`.
struct RowRange {
  std::int64_t from = 0, to = 0;
};

/// Returns the rows that have the places from `from` to before `to`, at the first edge and at the last one. Each row is
/// in one of them. Rows of places outside of the matrix lie outside of it.
[[nodiscard]] std::array<RowRange, 2> folded_rows(std::int64_t from, std::int64_t to, std::int64_t rows);

/// Calls `f(Frame&, version, from, to)` for bands of `band` rows of all versions and waits for all. The rows of a band
/// are from `from` to before `to`; they may lie outside of the matrix. A part of the instances that lags runs in rows
/// that lie so much before.
///
/// Pre:     band >= 1
/// Post:    before a band, all rows that lie `skew` and less behind its end, and all before these, are made in the
///          version before, and nothing later needs them in the version before that one
/// Errors:  rethrows the first exception of a band; bands that depend on it are dropped
template <class F>
void run_skewed_bands(Frame& frame, const VersionRows& versions, std::int64_t band, const F& f) {
  const std::int64_t at_once = versions_at_once(versions);
  for (std::int64_t first = versions.first; first < versions.end; first += at_once) {
    const std::int64_t count = std::min(at_once, versions.end - first);
    const std::int64_t reach = versions.rows + versions.lag + (count - 1) * versions.skew;
    const std::int64_t extent[] = {1, 1};
    const Box<2> grid{{0, 0}, {count, (reach - 1) / band + 1}};
    run_tiles(frame, grid, extent, 3U, [&](Frame& inner, const Box<2>& tile) {
      for (std::int64_t i = tile.lo[1]; i < tile.hi[1]; ++i)
        for (std::int64_t k = tile.lo[0]; k < tile.hi[0]; ++k) {
          const std::int64_t from = i * band - k * versions.skew;
          if (from + band > 0 && from - versions.lag < versions.rows) f(inner, first + k, from, from + band);
        }
    });
  }
}

}  // namespace pbrt
