// SPDX-License-Identifier: MIT
// Which part of a matrix the instances of a box read, as C++: what a step on the CPU waits for and what a device gets.
#pragma once

#include <optional>
#include <string>

#include "clgen/cpp/rule_code.h"
#include "lang/index/index_bounds.h"

namespace pb {

/// The loops' variables in the box of instances of that name.
[[nodiscard]] SymbolRanges ranges_in(const Step& step, const std::string& box);

/// A box, `pbrt::Box<2>{{…}, {…}}`, that holds all cells of the matrix which instances in the box named `instances`
/// read, and perhaps others beside the matrix; none where it may be all of the matrix or the matrix is no input.
///
/// Pre: the step has loops
[[nodiscard]] std::optional<std::string> read_box(const Step& step, const RuleCode& code, MatrixId matrix,
                                                  const std::string& instances);

/// `pb_launch.input(In, …);` of a kernel: the versions it reads, and the part along the dimension in which
/// instances go to the device.
[[nodiscard]] std::string input_call(const Step& step, const RuleCode& code, MatrixId matrix);

}  // namespace pb
