// SPDX-License-Identifier: MIT
// How configurations to try are found. The search measures them beside their parents and keeps those that win; it knows
// no strategy by its name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "autotuner/search/attempts.h"
#include "autotuner/trials/population.h"
#include "autotuner/trials/trials.h"

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

/// What a strategy proposes, one ahead: while one proposal is tried, the next is known, so that its kernels are built.
class Proposals {
 public:
  /// Keeps the references. `looks_ahead`: else each proposal knows how the one before did.
  Proposals(std::unique_ptr<Strategy> strategy, bool looks_ahead, const Population& population, const Trials& trials,
            Attempts& attempts)
      : strategy_(std::move(strategy)),
        looks_ahead_(looks_ahead),
        population_(population),
        trials_(trials),
        attempts_(attempts) {}

  /// Forgets what was proposed for another size.
  void begin_size() { next_.reset(); }

  /// The next proposal, and says which will probably follow it. It was made before the last one was tried, if its
  /// parent is still a member. None if the strategy finds none.
  ///
  /// Pre:     the population is not empty
  [[nodiscard]] std::optional<Proposal> take() {
    std::optional<Proposal> out = take_next();
    if (!out || !looks_ahead_) return out;
    std::optional<Proposal> following = propose();
    if (!following) return out;
    trials_.expect({&following->configuration, 1});
    const int parent_id = population_.members()[following->parent].id;
    next_ = Next{std::move(*following), parent_id};
    return out;
  }

 private:
  struct Next {
    Proposal proposal;
    int parent_id = -1;  ///< members change their places, and leave
  };

  [[nodiscard]] std::optional<Proposal> propose() {
    return strategy_->propose(population_, trials_.n(), [&](const Configuration& configuration) {
      return !trials_.is_hopeless(configuration) && attempts_.is_new(configuration);
    });
  }

  [[nodiscard]] std::optional<Proposal> take_next() {
    std::optional<Next> next = std::exchange(next_, std::nullopt);
    const std::vector<Candidate>& members = population_.members();
    for (std::size_t i = 0; next && i < members.size(); ++i) {
      if (members[i].id != next->parent_id || trials_.is_hopeless(next->proposal.configuration)) continue;
      next->proposal.parent = i;
      return std::move(next->proposal);
    }
    return propose();
  }

  std::unique_ptr<Strategy> strategy_;
  bool looks_ahead_;
  const Population& population_;
  const Trials& trials_;
  Attempts& attempts_;
  std::optional<Next> next_;
};

}  // namespace pbtune
