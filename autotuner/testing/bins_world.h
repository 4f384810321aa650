// SPDX-License-Identifier: MIT
// The synthetic program with two passes that are instances for accuracy bins, for the tests of the parts of tune.
#pragma once

#include <vector>

#include "autotuner/space/tuning_targets.h"
#include "autotuner/testing/synthetic.h"

namespace pbtune::testing {

/// A program with three targets: `ConvolveRows` and `ConvolveColumns`, which the main transform calls, then the main
/// transform itself.
struct BinsWorld {
  pbrt::TrainingInfo info = with_bins(synthetic_program());
  InfoIndex index{info};
  std::vector<Target> targets = targets_of(info);

  [[nodiscard]] static pbrt::TrainingInfo with_bins(pbrt::TrainingInfo out) {
    for (const std::size_t pass : {2U, 3U}) {
      out.transforms[pass].accuracy.is_given = out.transforms[pass].accuracy.has_target = true;
      out.transforms[pass].accuracy.target = 0.5;
    }
    return out;
  }
  [[nodiscard]] Configuration standard() const { return pbrt::default_configuration(index); }
  /// The default with another choice at a site.
  [[nodiscard]] Configuration choosing(int site, int alternative) const {
    Configuration out = standard();
    out.sites[static_cast<std::size_t>(site)].levels = {{0, alternative}};
    return out;
  }
};

}  // namespace pbtune::testing
