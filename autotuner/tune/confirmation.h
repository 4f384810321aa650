// SPDX-License-Identifier: MIT
// Whether a configuration that is accurate on the inputs at hand is so elsewhere: on inputs of other seeds, and for the
// targets that were tuned before and use what it changes.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "autotuner/search/search_result.h"
#include "autotuner/space/tuning_targets.h"
#include "autotuner/trials/evaluator.h"

namespace pbtune {

/// Runs a configuration of a target on a variant of its inputs.
using RunOnVariant =
    std::function<Outcome(std::size_t target, int variant, const Configuration& configuration, const RunSpec& spec)>;

/// The inputs and targets on which a configuration must prove itself. Holds references.
struct Elsewhere {
  const InfoIndex& index;
  const std::vector<Target>& targets;
  std::span<const SearchResult> earlier;  ///< results of the targets that were tuned before this one
  int num_variants = 0;                   ///< number of variants of the inputs beside variant 0
  RunOnVariant run;
};

/// Runs the configuration on other inputs, because on one input it may be accurate by luck. Returns the first outcome
/// that speaks against it, else one that is Ok. An earlier target is tested only if something that it uses was changed;
/// it must stay accurate enough wherever it was so with the configuration found last.
[[nodiscard]] Outcome confirm(const Elsewhere& elsewhere, const Configuration& configuration, const RunSpec& spec);

}  // namespace pbtune
