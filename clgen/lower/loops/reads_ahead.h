// SPDX-License-Identifier: MIT
// Pass: loops of bodies that read at computed places, as in `v.cell(e) * x.cell(c.cell(e))`. Such a loop gets requests
// for the elements that it reads in order, ahead of their use (runtime/matrix/read_ahead.h).
#pragma once

#include <string>
#include <vector>

#include "clgen/lower/analysis/rule_shape.h"
#include "lang/index/index_expr.h"
#include "lang/program.h"

namespace pb {

/// The requests that stand in front of a loop's step.
struct ReadsAhead {
  ExprId step;
  std::string counter;              ///< the loop's variable, which counts the elements
  std::vector<std::string> inputs;  ///< bindings of the inputs that the loop reads in order, each once
  IndexExpr lines;                  ///< how many cache lines ahead they are asked for

  bool operator==(const ReadsAhead&) const = default;
};

/// Returns the loops of the rule's body that get requests.
[[nodiscard]] std::vector<ReadsAhead> find_reads_ahead(const RuleShape& rule);

}  // namespace pb
