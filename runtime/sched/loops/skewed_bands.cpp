// SPDX-License-Identifier: MIT
#include "runtime/sched/loops/skewed_bands.h"

namespace pbrt {
namespace {

/// A band with fewer cells takes less time than its start.
constexpr std::int64_t kLeastCells = 2048;
/// Bands per worker: a worker that is late keeps those of its band waiting.
constexpr std::int64_t kBandsPerWorker = 4;
/// Bands may be larger than a second-level cache by this factor if their rows are long: a shared cache holds them.
constexpr std::int64_t kMostOfCache = 8;
/// Bands pay off if so large a share of the workers has one at a time.
constexpr double kBusyShare = 0.7;
constexpr std::int64_t kMostVersions = 64, kLeastVersions = 8;

std::int64_t up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

}  // namespace

std::int64_t rows_of_band(const VersionRows& versions, std::int64_t wanted, int num_workers) {
  if (versions.end - versions.first < 2 || versions.rows < 2 || versions.cells == 0 || wanted == 1) return 0;
  if (wanted > 1) return std::min(wanted, versions.rows);
  if (versions.rows * versions.cells < 2 * kLeastCells) return 0;
  // Half of the cache is for two versions of a band, the rest for what else is read, and for the rows around it.
  const std::int64_t bytes = 2 * versions.cells * versions.cell_bytes;
  const std::int64_t near = std::max(versions.cache_bytes / 2 / bytes, std::max<std::int64_t>(2 * versions.skew, 4));
  const std::int64_t shared = up(versions.rows, kBandsPerWorker * num_workers);
  const std::int64_t band =
      std::min(std::max(std::min(near, shared), up(kLeastCells, versions.cells)), up(versions.rows, num_workers));
  if ((band + 2 * versions.skew) * bytes > kMostOfCache * versions.cache_bytes) return 0;
  // A worker begins when the band of the one before it has moved on by a version.
  const bool has_work_for_all =
      num_workers == 1 || kBusyShare * static_cast<double>(num_workers) * static_cast<double>(band + versions.skew) <=
                              static_cast<double>(versions.rows);
  return has_work_for_all ? band : 0;
}

std::int64_t versions_at_once(const VersionRows& versions) {
  // Bands that lie before the first row in late versions, and behind the last one in early ones, are started, too.
  return std::clamp(2 * versions.rows / std::max<std::int64_t>(versions.skew, 1), kLeastVersions, kMostVersions);
}

VersionRows folded(VersionRows versions) {
  versions.rows = up(versions.rows, 2);
  versions.cells *= 2;
  return versions;
}

std::array<RowRange, 2> folded_rows(std::int64_t from, std::int64_t to, std::int64_t rows) {
  // With an odd number of rows, the one in the middle belongs to the first edge.
  const std::int64_t middle = up(rows, 2);
  return {{{from, std::min(to, middle)}, {std::max(rows - to, middle), rows - from}}};
}

}  // namespace pbrt
