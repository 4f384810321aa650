// SPDX-License-Identifier: MIT
// A nest that makes the versions of a temporary one after the other, where one launch may run all of its steps: for one
// version, or for several in time tiles (decision 59). Generated code includes this through generated.h:
//
//   pbrt::gpu::VersionLaunches versions(…);
//   for (version = first; version < end; ++version) {
//     if (versions.make(version, launch)) continue;
//     …                                  // the steps by themselves, on a device or the CPU
//     versions.compare(version, frame);  // with `--verify-device`
//   }
#pragma once

#include <cstdint>

#include "runtime/gpu/check/step_check.h"

namespace pbrt::gpu {

/// The depth of a time tile that a configuration's value stands for: 1, 3, 5 or 7. Two versions have memory by turns,
/// so that an even depth would write the version that other work-groups still read.
[[nodiscard]] constexpr std::int64_t time_tile_depth(std::int64_t value) {
  constexpr std::int64_t kDeepest = 7;
  if (value < 1) return 1;
  return value > kDeepest ? kDeepest : (value - 1) / 2 * 2 + 1;
}

class VersionLaunches {
 public:
  /// `may_run`: whether launches are to be tried at all. `depth`: how many versions a launch makes, as time_tile_depth
  /// takes it. `makes_one`: whether there is a launch that does. `end`: behind the last version.
  VersionLaunches(bool may_run, std::int64_t depth, bool makes_one, std::int64_t end)
      : may_run_(may_run), makes_one_(makes_one), depth_(time_tile_depth(depth)), end_(end) {}

  /// Makes the version, perhaps with others after it, unless an earlier launch has made it: `launch(version, number)`
  /// makes some, and says whether that worked. What did not work is not tried again, but a smaller depth is. Returns
  /// whether nothing else needs to be done for the version.
  template <class Launch>
  [[nodiscard]] bool make(std::int64_t version, const Launch& launch) {
    if (version < made_) return !check_.has_results();
    for (; depth_ > 1 && may_run_ && end_ - version >= depth_; depth_ -= 2) {
      if (launch(version, depth_)) return has_made(version, depth_);
      check_.drop();  // of some blocks; the version before is still there, so all of them are made again
    }
    if (!may_run_ || !makes_one_) return false;
    may_run_ = launch(version, std::int64_t{1});
    if (may_run_) return has_made(version, 1);
    check_.drop();
    return false;
  }

  /// Compares the last launch's results with those of the steps, if the version is the last one that it made. Each
  /// version is a step, so a launch that made several may err by the tolerance as often.
  ///
  /// Errors: as StepCheck::compare
  void compare(std::int64_t version, Frame& frame) {
    if (version + 1 == made_) check_.compare(frame, num_made_);
  }

  /// Of the launches.
  [[nodiscard]] StepCheck& check() { return check_; }

 private:
  bool has_made(std::int64_t version, std::int64_t number) {
    made_ = version + number;
    num_made_ = number;
    return !check_.has_results();
  }

  bool may_run_, makes_one_;
  std::int64_t depth_, end_;
  std::int64_t made_ = INT64_MIN;  ///< behind the last version that a launch has made
  std::int64_t num_made_ = 1;      ///< how many it made
  StepCheck check_;
};

}  // namespace pbrt::gpu
