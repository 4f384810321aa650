// SPDX-License-Identifier: MIT
// Steps that several devices run together: see run_in_blocks in share.h.
#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/seeded_fault.h"
#include "runtime/gpu/several/manager_set.h"
#include "runtime/gpu/share.h"
#include "runtime/sched/frame.h"

namespace pbrt::gpu::detail {
namespace {

/// Some indices of a step, for one device.
struct Block {
  std::int64_t first = 0, count = 0;
  Manager* device = nullptr;
  std::int64_t num_done = 0;
};

/// The indices in equal parts, as far as they go. They are the same for the same extent, so that what a block leaves on
/// its device serves the block of the next step.
std::vector<Block> blocks_of(std::int64_t extent, const std::vector<Manager*>& devices) {
  std::vector<Block> blocks;
  const auto num = static_cast<std::int64_t>(devices.size());
  for (std::int64_t i = 0; i < num; ++i) {
    const auto begin = [&](std::int64_t at) { return extent / num * at + extent % num * at / num; };
    blocks.push_back({begin(i), begin(i + 1) - begin(i), devices[static_cast<std::size_t>(i)]});
  }
  return blocks;
}

/// Runs what is left of a block on `device`. `has_others`: if it does not work, another device tries.
void run_block(Frame& frame, Block& block, Manager* device, bool is_first, bool has_others,
               const PieceFunction& on_device) {
  Piece piece;
  piece.device = device;
  piece.is_first = is_first;
  piece.has_others = has_others;
  block.num_done += run_pieces(block.count - block.num_done, piece, [&](std::int64_t first, std::int64_t count) {
    return on_device.run(on_device.closure, frame, block.first + block.num_done + first, count, piece);
  });
}

/// Lets the other devices try what the device of a block could not run.
void run_elsewhere(Frame& frame, Block& block, const std::vector<Manager*>& devices, bool is_first,
                   const PieceFunction& on_device) {
  std::vector<Manager*> others;
  for (Manager* each : devices)
    if (each != block.device && each->is_alive()) others.push_back(each);
  if (others.empty()) others.push_back(block.device);  // which says once more why not, and that counts
  for (std::size_t i = 0; i < others.size() && block.num_done < block.count; ++i)
    run_block(frame, block, others[i], is_first && block.num_done == 0, i + 1 < others.size(), on_device);
}

/// How many indices were done, from the first on.
///
/// Errors: DeviceLost if some behind these were done, too: they may not run twice
std::int64_t done_from_first(const std::vector<Block>& blocks) {
  std::int64_t num_done = 0;
  bool is_whole = true;
  for (const Block& block : blocks) {
    if (!is_whole && block.num_done != 0) throw DeviceLost("the devices did only parts of a step");
    if (is_whole) num_done += block.num_done;
    is_whole = is_whole && block.num_done == block.count;
  }
  return num_done;
}

}  // namespace

std::int64_t run_in_blocks(Frame& frame, const ManagerSet* devices, std::int64_t extent,
                           const PieceFunction& on_device) {
  const std::vector<Manager*> alive = devices == nullptr ? std::vector<Manager*>() : devices->alive().managers();
  if (alive.size() < 2 || extent < static_cast<std::int64_t>(alive.size())) {
    Piece piece;
    return run_pieces(extent, piece, [&](std::int64_t first, std::int64_t count) {
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
    if (block.num_done < block.count) run_elsewhere(frame, block, alive, &block == &blocks[0], on_device);
  return done_from_first(blocks);
}

}  // namespace pbrt::gpu::detail
