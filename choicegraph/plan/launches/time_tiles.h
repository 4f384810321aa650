// SPDX-License-Identifier: MIT
// How a device makes several versions of a temporary in one launch: the steps of its nest run in one launch per
// version, or in time tiles (decision 59). In a time tile a work-group copies a part of a version to its memory, makes
// some versions after it there, and stores the last one. Nothing else reads the versions between, because two of them
// have memory (TransformPlan::two_versions).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "choicegraph/plan/launches/step_cells.h"
#include "choicegraph/plan/plan.h"
#include "lang/program.h"

namespace pb {

/// The steps of a sliced nest that makes the versions of one temporary, each from the one before, where one launch may
/// run all of them: no two instances of a version need one another.
struct VersionSteps {
  MatrixId matrix;
  std::vector<StepId> steps;    ///< in the order of the nest
  std::vector<CellDims> cells;  ///< which cells of a version each of them makes
  StepId main;                  ///< the main_step: its rule's tunables say the shape of the launches
  /// How far along each dimension, but that of the versions, an instance reads from its own cell; if `why_no_tiles` is
  /// not empty, nothing.
  std::vector<std::int64_t> radius = {};
  std::string why_no_tiles = {};  ///< why no launch may make several versions; empty: one may
};

/// Returns the steps of the nest as one launch runs them. `why_no_tiles` says what is not fulfilled; if `steps` is
/// empty, not even one version may be a launch of all steps.
///
/// Pre: the versions of the alternatives are found
[[nodiscard]] VersionSteps find_version_steps(const Transform& transform, const TransformPlan& plan, const Nest& nest);

}  // namespace pb
