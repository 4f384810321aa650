// SPDX-License-Identifier: MIT
// Loops over the cells of a region in the tree of a body, before its types are checked. Private to this folder.
#pragma once

#include "lang/program.h"

namespace pb::checking {

/// Makes loops over cells of the loops over a region in the rule's tree, `for (T v : region)`, where the tree can say
/// what they do; others stay opaque. The user's text stays as it is.
///
/// Pre: types of the rule were not checked yet
void make_range_loops(Rule& rule);

}  // namespace pb::checking
