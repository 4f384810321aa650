// SPDX-License-Identifier: MIT
// The strategy of Phothilimthana et al., ASPLOS 2013, section 5.2: asexual mutation of members that win a tournament.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "autotuner/search/strategy.h"
#include "autotuner/space/mutators.h"
#include "runtime/config/rng.h"

namespace pbtune {

class Evolution : public Strategy {
 public:
  /// Keeps a reference to `space`.
  Evolution(const Space& space, std::uint64_t seed) : space_(space), mutators_(make_mutators(space)), rng_(seed) {}

  [[nodiscard]] std::optional<Proposal> propose(const Population& population, std::int64_t n,
                                                const Claim& claim) override;

 private:
  [[nodiscard]] std::size_t tournament(const Population& population);
  [[nodiscard]] const Mutator* draw_mutator(const Candidate& parent);

  const Space& space_;
  std::vector<Mutator> mutators_;
  pbrt::Rng rng_;
};

}  // namespace pbtune
