// SPDX-License-Identifier: MIT
// Boxes as C++.
#pragma once

#include <string>

#include "clgen/lower/analysis/box_bounds.h"

namespace pb {

/// Returns `{{lo, …}, {hi, …}}`.
[[nodiscard]] std::string initializer_of(const BoxBounds& box);
/// Returns `pbrt::Box<2>{{lo, …}, {hi, …}}`.
[[nodiscard]] std::string box_text(const BoxBounds& box);

/// Returns `{{lo, …}, {hi, …}}` of the loops of a step at the cells of a box, which is a variable.
[[nodiscard]] std::string loops_at(const CellDims& cells, const std::string& box);

}  // namespace pb
