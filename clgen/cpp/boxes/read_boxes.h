// SPDX-License-Identifier: MIT
// C++ of the part of a matrix that the instances of a box read. A step on the CPU waits for that part, and a device
// gets it.
#pragma once

#include <optional>
#include <string>

#include "clgen/cpp/rules/rule_code.h"
#include "lang/index/index_bounds.h"

namespace pb {

/// Returns the ranges of the loops' variables in the box of instances that generated code calls `box`.
[[nodiscard]] SymbolRanges ranges_in(const Step& step, const std::string& box);

/// Returns a box, `pbrt::Box<2>{{…}, {…}}`, that holds all cells of the matrix that the instances in the box named
/// `instances` read. It may reach beyond the matrix. Returns none if the instances may read all of the matrix, or if
/// the matrix is no input.
///
/// Pre: the step has loops
[[nodiscard]] std::optional<std::string> read_box(const Step& step, const RuleCode& code, MatrixId matrix,
                                                  const std::string& instances);

/// Returns `pb_launch.input(In, …);`, which gives an input to a kernel. The kernel gets only the versions that it reads
/// and, of a shared step, only the part that the device's instances read.
[[nodiscard]] std::string input_call(const Step& step, const RuleCode& code, MatrixId matrix);

}  // namespace pb
