// SPDX-License-Identifier: MIT
// Loops over the cells of a region in the tree of a body, before its types are checked. Private to this folder.
#pragma once

#include "lang/program.h"

namespace pb::checking {

/// Replaces loops over a region in the rule's tree, `for (T v : region)`, by loops over its cells if the tree can
/// express them. Other loops stay opaque. The user's text stays as it is.
///
/// Pre: types of the rule were not checked yet
void make_range_loops(Rule& rule);

}  // namespace pb::checking
