// SPDX-License-Identifier: MIT
// The text of a fold whose iterations the lanes of an instance divide among each other. Private to this folder.
//
// Each lane runs the loop's own statements with accumulators of its own. They begin with the operator's neutral
// element, or, for the smallest and the largest, with the value before the loop. The parts meet in arrays of the group,
// in a tree whose form only the number of lanes decides. Signed sums and products are computed unsigned, because parts
// may overflow where the whole does not.
#pragma once

#include <string>

#include "clgen/body_code_printer.h"
#include "clgen/lower/tree/loop_tree.h"
#include "clgen/writer/writer.h"

namespace pb {

/// Declares the arrays that the divided folds of a kernel need, one per type of parts. `head` stands before each.
void print_parts_arrays(Writer& out, const LoopTree& tree, const std::string& head);

/// Prints the fold. `barrier` is the statement.
///
/// Pre: where the text stands, all work-items of the group come by
void print_divided_fold(Writer& out, BodyCodePrinter& printer, const Body& body, const DividedFold& divided,
                        const std::string& barrier);

}  // namespace pb
