// SPDX-License-Identifier: MIT
// What an instance of a kernel reads of a `.cell` input that may lie outside of its matrix
// (docs/reference/language.md 5.7).
#pragma once

#include <string>

#include "clgen/writer/writer.h"
#include "lang/program.h"

namespace pb {

/// Functions that the rule's borders need, a line each, for the kernel's beginning; `head` stands before each. Empty if
/// there are none.
[[nodiscard]] std::string border_functions(const Rule& rule, const std::string& head);

/// Declares the input's variable and, for `OPTIONAL`, the flag that IS_MISSING is about. `default_element` is ElementT.
void print_cell_with_border(Writer& out, const Transform& transform, const RegionAccess& input,
                            ElementType default_element);

/// The answer to IS_MISSING of the input.
[[nodiscard]] std::string missing_text(const RegionAccess& input);

}  // namespace pb
