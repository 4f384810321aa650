// SPDX-License-Identifier: MIT
// Pass: how a device makes the versions of a temporary, where one launch runs all steps of its nest: a version per
// launch, or several in time tiles (choicegraph/plan/launches/time_tiles.h).
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "choicegraph/plan/launches/time_tiles.h"
#include "choicegraph/plan/plan.h"
#include "clgen/lower/loops/kernel_tree.h"
#include "lang/program.h"

namespace pb {

/// The launches of a nest that take the place of its steps' own. They run where a device runs all of the steps in the
/// basic version, and the steps' boxes make up a box.
struct VersionLaunch {
  std::size_t nest = 0;  ///< index into TransformPlan::nests
  VersionSteps steps;
  std::optional<KernelTree> kernel;  ///< makes one version; none: the only step has a launch of its own
  std::optional<KernelTree> tile;    ///< makes several; none: no launch can

  /// Whether several devices make blocks of a version, along its last dimension: each reads little of the others'.
  [[nodiscard]] bool is_cut() const { return tile.has_value() && !steps.radius.empty(); }
};

/// Returns why no launch of the nest makes several versions, as what follows `because`; empty: one does. It knows more
/// than VersionSteps::why_no_tiles: what the kernels of the steps are.
[[nodiscard]] std::string why_no_time_tile(const Program& program, const TransformPlan& plan, std::size_t nest);

/// Pass: returns the Plan without the tunables of time tiles that no kernel has.
///
/// Pre: `plan` was made from `program`, and nothing names its tunables yet
[[nodiscard]] Plan drop_missing_time_tiles(const Program& program, Plan plan);

/// Returns the launches of a nest; none if there are no others than those of its steps. `kernels` has the basic kernels
/// of the transform's steps that have a launch per slice.
[[nodiscard]] std::optional<VersionLaunch> find_version_launch(const Program& program, const TransformPlan& plan,
                                                               std::size_t nest,
                                                               const std::map<StepId, const KernelTree*>& kernels);

}  // namespace pb
