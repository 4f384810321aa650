// SPDX-License-Identifier: MIT
#include "clgen/cpp/steps/graph_nodes.h"

#include <algorithm>

namespace pb {

void GraphNodes::emit_declarations(Writer& out) const {
  out.line("pbrt::StepGraph pb_graph(pb_frame);");
  for (const StepId id : plan_.steps.ids())
    if (has_variable(id)) out.line("int " + variable(id) + " = -1;");
}

void GraphNodes::emit_edges(Writer& out) const {
  for (const StepEdge& edge : plan_.edges)
    out.line("pb_graph.depend(" + variable(edge.after) + ", " + variable(edge.before) + ");");
}

bool GraphNodes::has_variable(StepId step) const {
  return std::any_of(plan_.edges.begin(), plan_.edges.end(),
                     [&](const StepEdge& edge) { return edge.before == step || edge.after == step; });
}

std::string GraphNodes::added_text(StepId step, const std::string& add, const std::string& closure) const {
  return (has_variable(step) ? variable(step) + " = " : "") + "pb_graph." + add + "(" + closure + ");";
}

}  // namespace pb
