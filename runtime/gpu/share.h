// SPDX-License-Identifier: MIT
// Steps that a device and the CPU share (docs/architecture.md 7.4): the device gets the lower instances along one
// dimension, the CPU runs the others meanwhile. Several devices share their part in blocks along the same dimension. If
// a device has no room for what its instances touch, they are launched in pieces. Used by generated code.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>

#include "runtime/gpu/launch.h"
#include "runtime/sched/loops/box.h"

namespace pbrt::gpu {

class ManagerSet;

/// Number of the `extent` indices that a device gets, rounded up. `eighths`: 1…8.
[[nodiscard]] constexpr std::int64_t share_of_device(std::int64_t extent, std::int64_t eighths) {
  constexpr std::int64_t kEighths = 8;
  return extent <= 0 ? extent : (extent / kEighths * eighths) + (extent % kEighths * eighths + kEighths - 1) / kEighths;
}
/// Whether the device gets all of a step that can be shared.
[[nodiscard]] constexpr bool is_all_on_device(std::int64_t eighths) { return eighths >= 8; }
/// Whether a step that cannot be shared runs on the device.
[[nodiscard]] constexpr bool is_mostly_on_device(std::int64_t eighths) { return eighths >= 4; }

/// The first `count` indices of `box` along dimension `d`, and the others.
template <int N>
[[nodiscard]] constexpr Box<N> lower_part(Box<N> box, int d, std::int64_t count) {
  box.hi[d] = box.lo[d] + count;
  return box;
}
template <int N>
[[nodiscard]] constexpr Box<N> upper_part(Box<N> box, int d, std::int64_t count) {
  box.lo[d] += count;
  return box;
}

/// `count` indices of `box` along dimension `d`, from the one at place `first` on.
template <int N>
[[nodiscard]] constexpr Box<N> middle_part(Box<N> box, int d, std::int64_t first, std::int64_t count) {
  box.lo[d] += first;
  box.hi[d] = box.lo[d] + count;
  return box;
}

/// One of the launches of a step (RunContext::run).
struct Piece {
  bool may_be_smaller = false;  ///< if there is no room for it, smaller ones are tried
  bool is_first = true;         ///< the step's first one that runs
  bool is_cut = false;          ///< it is not the whole step, because of the memory
  bool is_too_large = false;    ///< set where it did not run, and a smaller one may
  bool has_others = false;      ///< if it does not run, another device tries
  /// Of a launch for several steps or versions, which count when all of it has run. If it does not, other launches try.
  bool is_of_several = false;
  Manager* device = nullptr;  ///< that runs it; null: any
};

/// What devices run in blocks of indices.
struct BlockExtent {
  // Implicit: a step that reads no neighbours is known by its number of indices.
  constexpr BlockExtent(std::int64_t indices, std::int64_t instances = 0, std::int64_t reach = 0)
      : num_indices(indices), num_instances(instances), num_neighbours(reach) {}
  /// Of launches that read nothing of what they write. If some blocks run nowhere, what the others did may run again.
  [[nodiscard]] static constexpr BlockExtent repeatable(std::int64_t indices, std::int64_t instances = 0,
                                                        std::int64_t reach = 0) {
    BlockExtent out(indices, instances, reach);
    out.may_run_again = true;
    return out;
  }

  std::int64_t num_indices;
  std::int64_t num_instances;   ///< of these indices
  std::int64_t num_neighbours;  ///< how many indices before or behind its own an instance reads
  bool may_run_again = false;   ///< what was done may be done once more
};

/// Whether steps run in blocks: the run has several devices that have not failed.
[[nodiscard]] bool are_several(const ManagerSet* devices);

namespace detail {

/// Runs `extent` indices together, or in pieces that fit the device's memory, one after the other:
/// `on_device(first, count)` launches `piece` and says whether that worked. Returns how many were done.
template <class OnDevice>
[[nodiscard]] std::int64_t run_pieces(std::int64_t extent, Piece& piece, const OnDevice& on_device) {
  std::int64_t num_done = 0, count = extent;
  do {
    count = std::min(count, extent - num_done);
    piece.may_be_smaller = count > 1;
    piece.is_too_large = false;
    if (on_device(num_done, count)) {
      num_done += count;
      piece.is_first = false;
    } else if (piece.is_too_large) {
      count = (count + 1) / 2;
      piece.is_cut = true;
    } else {
      break;
    }
  } while (num_done < extent);
  return num_done;
}

struct PieceFunction {
  bool (*run)(const void* closure, Frame& frame, std::int64_t first, std::int64_t count, Piece& piece);
  const void* closure;
};
[[nodiscard]] std::int64_t run_in_blocks(Frame& frame, const ManagerSet* devices, const BlockExtent& extent,
                                         const PieceFunction& on_device);

}  // namespace detail

/// Launches the first `extent.num_indices` indices: on one device together, on several in blocks at the same time, a
/// part for each as the set's weights say. What does not fit a device's memory runs in pieces there, one after the
/// other. What a device cannot run, others try. Of long blocks whose instances read neighbours, what the blocks beside
/// will read runs first, in launches of its own: see Note [Edges first] in several/blocks.cpp. `on_device(frame, first,
/// count, piece)` launches some and says whether that worked; the frame is that of a task of its own. Returns how many
/// indices were done, from the first on; the others are left to the caller.
///
/// Errors: rethrows the first exception; DeviceLost if some were done behind those that no device could run, and they
///         may not run again
template <class OnDevice>
[[nodiscard]] PB_COLD std::int64_t run_in_blocks(Frame& frame, const ManagerSet* devices, const BlockExtent& extent,
                                                 const OnDevice& on_device) {
  const auto run = [](const void* closure, Frame& task, std::int64_t first, std::int64_t count, Piece& piece) -> bool {
    return (*static_cast<const OnDevice*>(closure))(task, first, count, piece);
  };
  return detail::run_in_blocks(frame, devices, extent, {run, std::addressof(on_device)});
}

/// The part of `region` with indices in [lo, hi) along dimension `d`. If there are no such indices, it is the whole
/// region.
template <class Region>
[[nodiscard]] PB_COLD Region slab_of(const Region& region, int d, std::int64_t lo, std::int64_t hi) {
  constexpr int kDims = Region::kDims;
  Box<kDims> box;
  for (int k = 0; k < kDims; ++k) box.lo[k] = 0, box.hi[k] = region.size(k);
  lo = std::max(lo, box.lo[d]), hi = std::min(hi, box.hi[d]);
  if (lo >= hi) return region;
  box.lo[d] = lo, box.hi[d] = hi;
  return part_of(region, box);
}

/// What the parts of a launch read of a matrix along one dimension: all from the first index to the last.
class ReadIndices {
 public:
  void add(std::int64_t lo, std::int64_t hi) {
    lo_ = is_empty_ ? lo : std::min(lo_, lo);
    hi_ = is_empty_ ? hi : std::max(hi_, hi);
    is_empty_ = false;
  }
  /// The slab of `region` with these indices along dimension `d`; without any, the whole region.
  template <class Region>
  [[nodiscard]] Region slab_of(const Region& region, int d) const {
    return gpu::slab_of(region, d, lo_, hi_);
  }

 private:
  std::int64_t lo_ = 0, hi_ = 0;
  bool is_empty_ = true;
};

namespace detail {
[[nodiscard]] bool run_shared(Frame& frame, bool (*on_device)(const void*), const void* device_closure,
                              void (*on_cpu)(const void*, Frame&), const void* cpu_closure);
}

/// Runs `on_device()`, which launches a kernel and says whether that worked, and meanwhile `on_cpu(Frame&)` as a task.
/// The task also runs while the manager copies what the kernel reads. Returns the result of `on_device` when both have
/// ended.
///
/// Errors: rethrows the first exception of either
template <class OnDevice, class OnCpu>
[[nodiscard]] bool run_shared(Frame& frame, const OnDevice& on_device, const OnCpu& on_cpu) {
  return detail::run_shared(
      frame, [](const void* closure) -> bool { return (*static_cast<const OnDevice*>(closure))(); },
      std::addressof(on_device), [](const void* closure, Frame& task) { (*static_cast<const OnCpu*>(closure))(task); },
      std::addressof(on_cpu));
}

}  // namespace pbrt::gpu
