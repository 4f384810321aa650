// SPDX-License-Identifier: MIT
// The nodes of a schedule's graph in generated code: a variable per step that another one waits for.
#pragma once

#include <string>
#include <vector>

#include "choicegraph/plan/plan.h"
#include "clgen/lower/schedule/step_conditions.h"
#include "clgen/lower/schedule/step_schedule.h"
#include "clgen/writer/writer.h"

namespace pb {

class GraphNodes {
 public:
  /// Pre: all arguments outlive the object
  GraphNodes(const Transform& transform, const TransformPlan& plan, const Schedule& schedule,
             const StepConditions& conditions);

  /// Prints the declarations of the graph and of the nodes' variables.
  void emit_declarations(Writer& out) const;
  /// Prints the statements that say which node waits for which.
  void emit_edges(Writer& out) const;

  /// Whether the node has a variable: some step waits for it, or it waits for another one.
  [[nodiscard]] bool has_variable(StepId step) const;
  [[nodiscard]] static std::string variable(StepId step) { return "pb_node_" + std::to_string(step.index()); }
  /// Returns `pb_node_3 = pb_graph.add(closure);`. `add` is the graph's function that takes the node.
  [[nodiscard]] std::string added_text(StepId step, const std::string& add, const std::string& closure) const;

 private:
  void emit_turn(Writer& out, const StepEdge& pair) const;

  const TransformPlan& plan_;
  const Schedule& schedule_;
  const StepConditions& conditions_;
  const std::vector<StepEdge> interleaved_;  ///< interleaved_steps
};

}  // namespace pb
