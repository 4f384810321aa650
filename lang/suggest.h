// SPDX-License-Identifier: MIT
// "did you mean": the known name nearest to an unknown one. Used by the front end.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pb {

/// Returns "did you mean `X`?" for the candidate nearest to `name`, or an empty text if none is near:
/// at most a third of its letters differ, upper and lower case counting as half a difference.
[[nodiscard]] std::string suggest(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace pb
