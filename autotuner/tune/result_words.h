// SPDX-License-Identifier: MIT
// What a search found for a target, in words for the person who waited for it.
#pragma once

#include <string>
#include <vector>

#include "autotuner/search/search_result.h"
#include "autotuner/space/tuning_targets.h"
#include "autotuner/tune/tune_options.h"

namespace pbtune {

/// `, accuracy 0.98, target 0.95`; empty if the target asks for no accuracy.
[[nodiscard]] std::string accuracy_words(const Target& target, const SearchResult& result);

/// What outputs were verified against; empty if it was the default on one thread.
[[nodiscard]] std::string verification_words(const Verification& verification);

/// `at size 300, 2.1x faster than the default`, and `, unconfirmed` where that is so.
[[nodiscard]] std::string gain_words(const SearchResult& result);

/// The time and the choices, one line each; the first says the size, and the target's name where `is_one_of_many`. If
/// there are several cases, it has the means, and a line for each case follows.
/// `device` is the name of the OpenCL device in use; empty: none.
[[nodiscard]] std::vector<std::string> result_lines(const TuneOptions& options, const InfoIndex& index,
                                                    const Target& target, bool is_one_of_many,
                                                    const std::string& device, const SearchResult& result);

}  // namespace pbtune
