// SPDX-License-Identifier: MIT
// Configurations in words: what is chosen, for people.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "autotuner/space/search_space.h"
#include "runtime/config/formats/config_file.h"

namespace pbtune {

/// `OnePass`, `on PoCL with local memory, work-groups of 32 x 8`: what a level of a site chooses.
[[nodiscard]] std::string choice_words(const InfoIndex& index, const Configuration& configuration, int site,
                                       const pbrt::Level& level, const std::string& device, std::int64_t n);

/// Describes the choices in words: one line per transform that has something to choose, for calls of size `n`, and for
/// the smaller calls of a recursive transform. If `n` < 0, the line covers all sizes with their cut-offs. `only` names
/// sites, and `transforms` names the transforms whose sites and values are described; an empty list means all.
[[nodiscard]] std::vector<std::string> explain(const InfoIndex& index, const Configuration& configuration,
                                               std::int64_t n, const std::string& device,
                                               const std::vector<std::string>& only,
                                               const std::set<std::string>& transforms = {});

/// What differs between two configurations, one line each: `Conv.split_size: 64 -> 128`.
[[nodiscard]] std::vector<std::string> differences(const InfoIndex& index, const Configuration& a,
                                                   const Configuration& b);

/// What stands behind a gain that was not measured in turns after the search.
inline constexpr const char* kUnconfirmed = ", unconfirmed";

/// `1.2 ms instead of 3 ms: 2.50x faster`; empty if no time is known. `prefix`: of the names of the times.
[[nodiscard]] std::string gain_text(const pbrt::Provenance& provenance, const std::string& prefix);
/// The gain of the main transform, then of each instance for an accuracy bin, which is tuned on its own. Behind each
/// stand those for single cases, if there are several.
[[nodiscard]] std::vector<std::string> gain_lines(const pbrt::TrainingInfo& info, const pbrt::Provenance& provenance);

/// `the default of threads would be 1.8x slower`, the largest loss first.
[[nodiscard]] std::vector<std::string> loss_lines(std::vector<std::pair<std::string, double>> losses);

/// `tuned WHEN by pbtune 0.1.0, effort quick, seed 1, --n 300`; of an entry that no tuner wrote: what is known.
[[nodiscard]] std::string origin_text(const pbrt::Provenance& provenance);

/// `64`, `0.25`: no digits after the point for whole numbers.
[[nodiscard]] std::string number_text(double value);

/// The device of this name, for people: PoCL names its device after the processor.
[[nodiscard]] std::string device_name(const std::string& name);

}  // namespace pbtune
