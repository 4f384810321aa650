// SPDX-License-Identifier: MIT
// Makes pictures of the choice dependency graph: the segments and steps of a Plan, and the dependences between them.
#pragma once

#include <string>

#include "choicegraph/plan/plan.h"
#include "lang/program.h"

namespace pb {

/// Returns the graph in Graphviz's language, for `--emit=graph`.
[[nodiscard]] std::string to_graphviz(const Plan& plan, const Program& program);

/// Returns the graph as an SVG document, laid out in layers.
[[nodiscard]] std::string to_svg(const Plan& plan, const Program& program);

}  // namespace pb
