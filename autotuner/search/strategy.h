// SPDX-License-Identifier: MIT
// How configurations to try are found. The search measures them beside their parents and keeps those that win; it knows
// no strategy by its name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "autotuner/trials/population.h"

namespace pbtune {

/// A configuration that may be better than a member of the population, its parent.
struct Proposal {
  std::size_t parent = 0;  ///< index of the member
  Configuration configuration;
  std::string origin;  ///< for people: `change Conv.split_size`
};

/// Takes a configuration for a trial at the current size: false if it had one already, or is known to fail.
using Claim = std::function<bool(const Configuration&)>;

class Strategy {
 public:
  Strategy() = default;
  virtual ~Strategy() = default;
  Strategy(const Strategy&) = delete;
  Strategy& operator=(const Strategy&) = delete;

  /// Proposes a configuration for size `n` that was claimed; none if it finds no such one.
  ///
  /// Pre:     the population is not empty
  /// Post:    the same calls after the same answers of `claim` propose the same: a search is replayed from its journal
  [[nodiscard]] virtual std::optional<Proposal> propose(const Population& population, std::int64_t n,
                                                        const Claim& claim) = 0;
};

}  // namespace pbtune
