// SPDX-License-Identifier: MIT
// The nodes of a schedule's graph in generated code: a variable per step that another one waits for.
#pragma once

#include <string>

#include "choicegraph/plan/plan.h"
#include "clgen/writer/writer.h"

namespace pb {

class GraphNodes {
 public:
  /// `plan` must live as long as this.
  explicit GraphNodes(const TransformPlan& plan) : plan_(plan) {}

  /// The graph, and the nodes' variables.
  void emit_declarations(Writer& out) const;
  /// What waits for what.
  void emit_edges(Writer& out) const;

  /// Whether some step waits for this one, or it for another: only then it has a variable.
  [[nodiscard]] bool has_variable(StepId step) const;
  [[nodiscard]] static std::string variable(StepId step) { return "pb_node_" + std::to_string(step.index()); }
  /// `pb_node_3 = pb_graph.add(closure);`. `add`: the graph's function that takes the node.
  [[nodiscard]] std::string added_text(StepId step, const std::string& add, const std::string& closure) const;

 private:
  const TransformPlan& plan_;
};

}  // namespace pb
