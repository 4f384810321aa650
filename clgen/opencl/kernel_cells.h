// SPDX-License-Identifier: MIT
// Text of how an instance of a kernel reads a `.cell` input that may lie outside of its matrix
// (docs/reference/language.md 5.7).
#pragma once

#include <string>
#include <vector>

#include "clgen/writer/writer.h"
#include "lang/program.h"

namespace pb {

/// Returns the functions that the rules' borders need, one per line, with `head` before each; empty if they need none.
/// The functions stand before the kernel.
[[nodiscard]] std::string border_functions(const std::vector<const Rule*>& rules, const std::string& head);

/// Declares the input's variable and, for an optional input, the flag that tells whether its cell is missing.
/// `default_element` is the type that ElementT stands for, and `name` the matrix's in the kernel.
void print_cell_with_border(Writer& out, const Transform& transform, const RegionAccess& input,
                            ElementType default_element, const std::string& name);

/// Returns the text of IS_MISSING of the input.
[[nodiscard]] std::string missing_text(const RegionAccess& input);

}  // namespace pb
