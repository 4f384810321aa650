// SPDX-License-Identifier: MIT
// "did you mean": the known word nearest to an unknown one, for command lines of programs and of the tuner.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pbrt {

/// The word that fewest insertions, deletions and changes of letters make out of `word`; empty if more than three, or
/// half of its letters, are needed.
[[nodiscard]] std::string nearest_word(std::string_view word, const std::vector<std::string>& known);

}  // namespace pbrt
