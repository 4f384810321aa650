// SPDX-License-Identifier: MIT
// Prepares a configuration for choicegraph/passes/fix_choices.h: the parts that a configuration file names, by the ids
// of the Plan.
#pragma once

#include <vector>

#include "choicegraph/plan/fixed_transform.h"
#include "clgen/facts/emit_options.h"
#include "runtime/config/configuration.h"
#include "runtime/config/formats/configuration_text.h"

namespace pb {

struct FixedProgram {
  std::vector<FixedTransform> transforms;  ///< decisions per transform, by TransformId
  FixedGlobals globals;
};

/// Returns what `configuration` says about the parts in `named`, and about the sites that a forbidden assignment ties
/// to one of them: if those stayed free, some of their choices would be forbidden at some sizes only.
///
/// Pre:     `configuration` is valid for the training information of `plan`
/// and `index` is of that information
[[nodiscard]] FixedProgram fixed_choices(const Plan& plan, const pbrt::InfoIndex& index,
                                         const pbrt::Configuration& configuration, const pbrt::NamedParts& named);

}  // namespace pb
