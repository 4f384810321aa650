// SPDX-License-Identifier: MIT
// The change of a rule whose loops become its variables: header, text, tree and bindings. Private to this folder.
#pragma once

#include <vector>

#include "choicegraph/passes/computation/region_uses.h"
#include "choicegraph/plan/computation.h"
#include "lang/program.h"

namespace pb::choices {

/// A region of the rule that becomes a smaller one.
struct BoundRegion {
  NameBinding of;
  BoundAccess access;
  std::vector<ExprId> uses;  ///< all of them
};

/// Makes the loops variables of the rule, in the order of `vars`, which are indices of `loops`.
///
/// Pre:     the loops are the whole body, each the whole body of the one before it, and their variables are the first
///          that the body declares
void rewrite_loops(Rule& rule, const std::vector<Fold>& loops, const std::vector<std::size_t>& vars,
                   const std::vector<BoundRegion>& regions);

}  // namespace pb::choices
