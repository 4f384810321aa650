// SPDX-License-Identifier: MIT
#include "runtime/sched/loops/tile_grid.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>

#include "runtime/config/runtime_check.h"
#include "runtime/sched/graph/task.h"

namespace pbrt::detail {
namespace {

std::int64_t volume_of(const std::int64_t* lo, const std::int64_t* hi, int num_dims) {
  std::int64_t volume = 1;
  for (int d = 0; d < num_dims; ++d) volume *= hi[d] - lo[d];
  return volume;
}

using Coordinates = std::array<std::int64_t, kMaxBoxDimensions>;

/// One grid while it runs. Tiles are numbered, dimension 0 fastest.
class Grid {
 public:
  Grid(const PieceBody& body, const std::int64_t* lo, const std::int64_t* hi, const std::int64_t* extent,
       unsigned carried)
      : body_(body), lo_(lo), hi_(hi), carried_(carried) {
    for (int d = 0; d < num_dims(); ++d) {
      PBRT_DCHECK(extent[d] >= 1, "tiles have an extent of at least 1");
      extent_[at(d)] = std::min(extent[d], hi[d] - lo[d]);
      count_[at(d)] = (hi[d] - lo[d] - 1) / extent_[at(d)] + 1;
    }
    while (num_tiles() > kMaxTiles) {
      const auto longest = std::max_element(count_.begin(), count_.begin() + num_dims()) - count_.begin();
      const auto d = static_cast<std::size_t>(longest);
      extent_[d] *= 2;
      count_[d] = (hi[d] - lo[d] - 1) / extent_[d] + 1;
    }
  }

  [[nodiscard]] std::int64_t num_tiles() const {
    std::int64_t product = 1;
    for (int d = 0; d < num_dims(); ++d) {
      // The exact number does not matter once it is too large.
      if (__builtin_mul_overflow(product, count_[at(d)], &product)) return INT64_MAX;
    }
    return product;
  }

  void run_in_order(Frame& frame) {
    const std::int64_t count = num_tiles();
    for (std::int64_t tile = 0; tile < count; ++tile) {
      frame.throw_if_aborted();
      run_tile(frame, coordinates_of(tile));
    }
  }

  void run_parallel(Frame& frame) {
    const std::int64_t count = num_tiles();
    num_waiting_for_ = std::make_unique<std::atomic<std::uint8_t>[]>(static_cast<std::size_t>(count));
    TaskGroup group(frame);
    group_ = &group;
    for (std::int64_t tile = 0; tile < count; ++tile) {
      std::uint8_t num_predecessors = 0;
      const Coordinates place = coordinates_of(tile);
      for (int d = 0; d < num_dims(); ++d) num_predecessors += is_carried(d) && place[at(d)] > 0 ? 1 : 0;
      // Relaxed: the tasks that count down are started below.
      num_waiting_for_[static_cast<std::size_t>(tile)].store(num_predecessors, std::memory_order_relaxed);
    }
    // Tiles are started backwards, so that the first one lies on top of the deque.
    for (std::int64_t tile = count; tile-- > 0;) {
      const Coordinates place = coordinates_of(tile);
      bool is_first = true;
      for (int d = 0; d < num_dims(); ++d) is_first = is_first && !(is_carried(d) && place[at(d)] > 0);
      if (is_first) start(frame, tile);
    }
    group.wait();
  }

 private:
  static std::size_t at(int d) { return static_cast<std::size_t>(d); }
  [[nodiscard]] int num_dims() const { return body_.num_dimensions; }
  [[nodiscard]] bool is_carried(int d) const { return (carried_ >> d & 1U) != 0; }

  [[nodiscard]] Coordinates coordinates_of(std::int64_t tile) const {
    Coordinates out{};
    for (int d = 0; d < num_dims(); ++d) {
      out[at(d)] = tile % count_[at(d)];
      tile /= count_[at(d)];
    }
    return out;
  }

  void run_tile(Frame& frame, const Coordinates& place) {
    Coordinates lo{};
    Coordinates hi{};
    for (int d = 0; d < num_dims(); ++d) {
      lo[at(d)] = lo_[d] + place[at(d)] * extent_[at(d)];
      hi[at(d)] = std::min(lo[at(d)] + extent_[at(d)], hi_[d]);
    }
    const RuleScope scope(frame, body_.rule, volume_of(lo.data(), hi.data(), num_dims()));
    body_.call(body_.closure, frame, lo.data(), hi.data());
  }

  void start(Frame& here, std::int64_t tile) {
    group_->start(here, group_->create(here, [this, tile](Frame& frame) { run_from(frame, tile); }));
  }

  /// Runs `tile` and goes on with a successor that it made ready; starts the others.
  void run_from(Frame& frame, std::int64_t tile) {
    while (tile >= 0) {
      frame.throw_if_aborted();
      const Coordinates place = coordinates_of(tile);
      run_tile(frame, place);
      std::int64_t next = -1;
      std::int64_t stride = 1;
      for (int d = 0; d < num_dims(); ++d) {
        const std::int64_t successor = tile + stride;
        stride *= count_[at(d)];
        if (!is_carried(d) || place[at(d)] + 1 == count_[at(d)]) continue;
        // acq_rel: pairs with itself; who brings it to zero sees what the other predecessors wrote, and hands that on.
        if (num_waiting_for_[static_cast<std::size_t>(successor)].fetch_sub(1, std::memory_order_acq_rel) != 1)
          continue;
        if (next < 0) {
          next = successor;
        } else {
          start(frame, successor);
        }
      }
      tile = next;
    }
  }

  const PieceBody& body_;
  const std::int64_t* lo_;
  const std::int64_t* hi_;
  unsigned carried_;
  Coordinates extent_{};
  Coordinates count_{};
  std::unique_ptr<std::atomic<std::uint8_t>[]> num_waiting_for_;  ///< per tile
  TaskGroup* group_ = nullptr;
};

}  // namespace

void run_tiles(Frame& frame, const PieceBody& body, const std::int64_t* lo, const std::int64_t* hi,
               const std::int64_t* extent, unsigned carried) {
  Grid grid(body, lo, hi, extent, carried);
  if (frame.num_workers() == 1 || grid.num_tiles() == 1) {
    grid.run_in_order(frame);
  } else {
    grid.run_parallel(frame);
  }
}

}  // namespace pbrt::detail
