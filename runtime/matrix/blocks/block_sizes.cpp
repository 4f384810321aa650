// SPDX-License-Identifier: MIT
#include "runtime/matrix/blocks/block_sizes.h"

#include <unistd.h>

namespace pbrt::simd {
namespace {

/// Bytes that an instance's part of a panel takes: 256 doubles.
constexpr std::int64_t kPanelBytes = 2048;
/// Blocks are not larger than this, whatever the caches hold: accumulators of all their instances are kept, too.
constexpr std::int64_t kMostInstances = 1024;

}  // namespace

BlockSizes block_sizes(std::int64_t lane_bytes, std::int64_t row_bytes, std::int64_t cache_bytes) {
  const std::int64_t rounds =
      std::max<std::int64_t>(1, kPanelBytes / std::max<std::int64_t>({lane_bytes, row_bytes, 1}));
  const auto instances = [&](std::int64_t bytes, std::int64_t part_of_cache) {
    return std::clamp<std::int64_t>(part_of_cache / (rounds * std::max<std::int64_t>(bytes, 1)), 1, kMostInstances);
  };
  return {instances(lane_bytes, cache_bytes / 2), instances(row_bytes, cache_bytes / 10), rounds};
}

std::int64_t second_cache_bytes() {
  constexpr std::int64_t kUsual = std::int64_t{1} << 20;
  static const std::int64_t bytes = [] {
    const long found = ::sysconf(_SC_LEVEL2_CACHE_SIZE);
    return found > 0 ? std::int64_t{found} : kUsual;
  }();
  return bytes;
}

}  // namespace pbrt::simd
