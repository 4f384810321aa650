// SPDX-License-Identifier: MIT
// Finds the type or extent of local variables where the text leaves it to the C++ compiler, and writes it into the
// tree. So kernels and packs need to know neither `auto` nor constants by name. The user's text stays as it is. Private
// to this folder.
#pragma once

#include <string>

#include "lang/program.h"

namespace pb::checking {

/// Whether a declaration leaves its type to the initial value.
[[nodiscard]] bool is_auto(const std::string& type_text);

/// Puts types for `auto` and numbers for the extents of arrays into the rule's tree, where they are certain.
///
/// Pre: put_constants went before
void settle_locals(Rule& rule);

}  // namespace pb::checking
