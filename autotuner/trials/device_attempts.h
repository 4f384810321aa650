// SPDX-License-Identifier: MIT
// What a search tried on a device, site by site: the fastest run in which the site had a version on the device. Where
// the CPU wins, this is what lost.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "autotuner/trials/evaluator.h"

namespace pbtune {

/// A run in which sites had versions on a device that have none in what was chosen.
struct DeviceAttempt {
  Configuration configuration;
  std::vector<int> sites;  ///< for which it is the fastest, in order
  double time_ns = 0;      ///< its least time
};

class DeviceAttempts {
 public:
  /// Keeps a reference to `index`.
  explicit DeviceAttempts(const InfoIndex& index) : index_(index) {}

  /// Notes a run at size `n`. It counts if its outputs are right and its time is known, also one that took too long.
  void note(std::int64_t n, const Configuration& configuration, const Outcome& outcome);

  /// The attempts at size `n` for the sites that took part in `ran` without a device, the fastest first.
  [[nodiscard]] std::vector<DeviceAttempt> lost(std::int64_t n, const std::vector<RanChoice>& ran) const;

 private:
  struct Attempt {
    Configuration configuration;
    double time_ns = 0;
  };
  [[nodiscard]] bool is_on_device(const RanChoice& ran) const;

  const InfoIndex& index_;
  std::map<std::pair<std::int64_t, int>, Attempt> fastest_;  ///< by size and site
};

}  // namespace pbtune
