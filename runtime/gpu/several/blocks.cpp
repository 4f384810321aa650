// SPDX-License-Identifier: MIT
// Steps that several devices run together: see run_in_blocks in share.h.
#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/seeded_fault.h"
#include "runtime/gpu/several/manager_set.h"
#include "runtime/gpu/share.h"
#include "runtime/sched/frame.h"

namespace pbrt::gpu {

bool are_several(const ManagerSet* devices) {
  if (devices == nullptr) return false;
  const std::vector<std::int64_t> weights = devices->alive().weights();
  return std::count_if(weights.begin(), weights.end(), [](std::int64_t weight) { return weight > 0; }) > 1;
}

namespace detail {
namespace {

/// Blocks with so many instances have edges of their own: a GPU takes long enough for them to hide copies between
/// devices.
constexpr std::int64_t kMinInstancesWithEdges = std::int64_t{1} << 26;

/// Some indices of a step, for one device.
struct Block {
  Manager* device = nullptr;
  std::vector<Indices> left;  ///< what is not done yet, in the order in which it runs
  bool has_begun = false;     ///< some of it is done
};

/// What the blocks beside these indices will read of them, then the others: see Note [Edges first]. `reach`: how many
/// indices on either side.
std::vector<Indices> with_edges(const Indices& block, std::int64_t reach, bool has_before, bool has_behind) {
  std::vector<Indices> parts;
  Indices inside = block;
  if (has_before) {
    parts.push_back({block.first, reach});
    inside = {inside.first + reach, inside.count - reach};
  }
  if (has_behind) {
    parts.push_back({block.end() - reach, reach});
    inside.count -= reach;
  }
  parts.push_back(inside);
  return parts;
}

/// The blocks of a step; devices without a part have none.
std::vector<Block> blocks_of(const BlockExtent& extent, const ManagerSet& devices) {
  std::vector<Block> blocks;
  const std::vector<Indices> parts = devices.parts_of(extent.num_indices);
  const std::int64_t reach = extent.num_neighbours;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Indices& all = parts[i];
    if (all.count == 0) continue;
    const bool has_edges = reach > 0 && all.count > 2 * reach &&
                           extent.num_instances / extent.num_indices * all.count >= kMinInstancesWithEdges;
    blocks.push_back({devices.managers()[i], has_edges
                                                 ? with_edges(all, reach, all.first > 0, all.end() < extent.num_indices)
                                                 : std::vector<Indices>{all}});
  }
  return blocks;
}

/// Runs what is left of a block on `device`, until something does not run. `has_others`: if the device does not work,
/// another one tries.
void run_block(Frame& frame, Block& block, Manager* device, bool is_first, bool has_others,
               const PieceFunction& on_device) {
  Piece piece;
  piece.device = device;
  piece.is_first = is_first;
  piece.has_others = has_others;
  while (!block.left.empty()) {
    Indices& next = block.left.front();
    const std::int64_t first = next.first;
    const std::int64_t done = run_pieces(next.count, piece, [&](std::int64_t at, std::int64_t count) {
      return on_device.run(on_device.closure, frame, first + at, count, piece);
    });
    block.has_begun = block.has_begun || done > 0;
    next = {first + done, next.count - done};
    if (next.count > 0) return;
    block.left.erase(block.left.begin());
  }
}

/// Lets the other devices try what the device of a block could not run.
void run_elsewhere(Frame& frame, Block& block, const std::vector<Manager*>& devices, bool is_first,
                   const PieceFunction& on_device) {
  std::vector<Manager*> others;
  for (Manager* each : devices)
    if (each != block.device && each->is_alive()) others.push_back(each);
  if (others.empty()) others.push_back(block.device);  // which says once more why not, and that counts
  for (std::size_t i = 0; i < others.size() && !block.left.empty(); ++i)
    run_block(frame, block, others[i], is_first && !block.has_begun, i + 1 < others.size(), on_device);
}

/// How many indices were done, from the first on.
///
/// Errors: DeviceLost if some behind these were done, too, and may not run twice
std::int64_t done_from_first(const std::vector<Block>& blocks, const BlockExtent& extent) {
  std::int64_t first_left = extent.num_indices, num_left = 0;
  for (const Block& block : blocks)
    for (const Indices& left : block.left) {
      first_left = std::min(first_left, left.first);
      num_left += left.count;
    }
  if (!extent.may_run_again && first_left + num_left != extent.num_indices)
    throw DeviceLost("the devices did only parts of a step");
  return first_left;
}

}  // namespace

std::int64_t run_in_blocks(Frame& frame, const ManagerSet* devices, const BlockExtent& extent,
                           const PieceFunction& on_device) {
  const ManagerSet alive = devices == nullptr ? ManagerSet() : devices->alive();
  const std::size_t num_alive = alive.managers().size();
  if (num_alive < 2 || extent.num_indices < static_cast<std::int64_t>(num_alive)) {
    Piece piece;
    return run_pieces(extent.num_indices, piece, [&](std::int64_t first, std::int64_t count) {
      return on_device.run(on_device.closure, frame, first, count, piece);
    });
  }
  std::vector<Block> blocks = blocks_of(extent, alive);
  CallFrame all(frame);
  for (std::size_t i = 1; i < blocks.size(); ++i)
    all.spawn([&on_device, &block = blocks[i]](Frame& task) {
      run_block(task, block, block.device, false, true, on_device);
    });
  run_block(frame, blocks[0], blocks[0].device, true, true, on_device);
  all.sync();
  for (Block& block : blocks)
    if (!block.left.empty()) run_elsewhere(frame, block, alive.managers(), &block == &blocks[0], on_device);
  return done_from_first(blocks, extent);
}

}  // namespace detail
}  // namespace pbrt::gpu

// Note [Edges first]
//
// A step that reads neighbours needs the edges of the blocks beside, which other devices made in the step before. They
// go through the host's memory: on two H200s that takes 190 us for a row of 128 KB, and both devices wait, in each step
// of 1030 us. So a block's edges run first, in launches of their own, and the copies go beside the queue while the
// inside runs (DeviceCopies, Note [Copies beside kernels]). The next step's edges are enqueued when the copies have
// arrived, and its inside behind them.
//
// If the edges ran and the inside runs nowhere, the run is repeated without the devices, as if they had failed: what
// was done may not run again. Launches of versions may (BlockExtent::repeatable): they write into the memory of another
// version than the one that they read, so that less depth, or the CPU, makes all of it once more.
//
// The step that reads these edges is a later one, of which nothing is known here. It is taken for one like this step,
// as in all iterations.
