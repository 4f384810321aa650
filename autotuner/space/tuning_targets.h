// SPDX-License-Identifier: MIT
// What one call of pbtune tunes, target by target: the main transform, or each of its instances for an accuracy bin,
// from the most to the least demanding (docs/reference/language.md 15.1). If the main transform has no bins but calls
// instances for bins, these come first, each judged by its own metric; the main transform follows with their results.
//
// The search for a target starts from what the one before it found. It changes what no earlier target uses. It also
// changes the target's own values, as long as the earlier targets stay accurate enough.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "autotuner/space/search_space.h"

namespace pbtune {

struct Target {
  std::string transform;          ///< its name in the training information
  pbrt::AccuracyInfo accuracy;    ///< only for bins: what a result must reach
  std::set<std::string> reached;  ///< the transform and all that it calls
};

/// The transform of that name; null if there is none.
[[nodiscard]] const pbrt::TransformInfo* find_transform(const pbrt::TrainingInfo& info, const std::string& name);

/// The targets of a program, in the order in which they are tuned.
[[nodiscard]] std::vector<Target> targets_of(const pbrt::TrainingInfo& info);

/// Whether instances for bins are tuned, each with an accuracy to reach.
[[nodiscard]] bool has_bins(const std::vector<Target>& targets);
/// Whether target `i` is the main transform, tuned after the instances for bins that it calls.
[[nodiscard]] bool is_main_of_bins(const std::vector<Target>& targets, std::size_t i);
/// Whether target `i` is an instance for a bin that the main transform calls.
[[nodiscard]] bool is_called_by_main(const std::vector<Target>& targets, std::size_t i);

/// Whether a call of the transform may lead to further calls of it.
[[nodiscard]] bool calls_itself(const pbrt::TrainingInfo& info, const std::string& name);

/// Whether the main transform reaches a transform that calls itself, perhaps through others.
[[nodiscard]] bool is_recursive(const pbrt::TrainingInfo& info);

/// Transforms whose choices and values are tuned with target `i`.
[[nodiscard]] std::set<std::string> transforms_tuned_with(const std::vector<Target>& targets, std::size_t i);

/// Whether the two configurations differ in something that a call of the target may use.
[[nodiscard]] bool is_different_for(const Target& target, const InfoIndex& index, const Configuration& a,
                                    const Configuration& b);

/// Gives the sites and values of transform `to` what those of the same name of `from` have.
void copy_values(const InfoIndex& index, const std::string& from, const std::string& to, Configuration& configuration);

}  // namespace pbtune
