// SPDX-License-Identifier: MIT
// Whether a configuration that is accurate on the inputs at hand is so elsewhere: on inputs of other seeds, and for the
// targets that were tuned before and use what it changes.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "autotuner/search/evaluator.h"
#include "autotuner/search/search_result.h"
#include "autotuner/space/tuning_targets.h"

namespace pbtune {

/// Runs a configuration of a target on a variant of its inputs.
using RunOnVariant =
    std::function<Outcome(std::size_t target, int variant, const Configuration& configuration, const RunSpec& spec)>;

/// What a configuration must prove itself on. Holds references.
struct Elsewhere {
  const InfoIndex& index;
  const std::vector<Target>& targets;
  std::span<const SearchResult> earlier;  ///< results of the targets that were tuned before this one
  int num_variants = 0;                   ///< number of variants of the inputs beside variant 0
  RunOnVariant run;
};

/// The first outcome that speaks against the configuration, else an outcome that is Ok: on one input it may be luck.
/// For an earlier target it must be good enough wherever what that target uses was changed, and what was found before
/// is good enough.
[[nodiscard]] Outcome confirm(const Elsewhere& elsewhere, const Configuration& configuration, const RunSpec& spec);

}  // namespace pbtune
