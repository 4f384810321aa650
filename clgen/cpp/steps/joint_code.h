// SPDX-License-Identifier: MIT
// C++ of joint steps (JointGroup): one loop over the pieces of their boxes. Members that a device runs are nodes of the
// schedule's graph.
#pragma once

#include <map>
#include <string>

#include "clgen/cpp/steps/dispatch_code.h"
#include "clgen/cpp/steps/graph_nodes.h"
#include "clgen/cpp/steps/step_closures.h"
#include "clgen/lower/schedule/step_schedule.h"
#include "clgen/writer/writer.h"

namespace pb {

/// The joint groups of one transform.
class JointCode {
 public:
  /// Pre: all arguments outlive the object
  JointCode(Writer& out, const CppContext& context, TransformId transform, const StepDispatch& dispatch,
            const GraphNodes& nodes, const StepClosures& closures);

  /// Prints statements that run the group in the frame `frame`.
  ///
  /// Pre: no member of the group may run on a device
  void emit_statements(const JointGroup& group, const std::string& frame);
  /// Prints the group as a node of the graph.
  void emit_node(const JointGroup& group);

 private:
  void emit_loops(const JointGroup& group);
  std::string emit_piece_closure(const JointGroup& group, StepId step);
  void emit_boxes_of_cells(StepId step, const CellDims& cells);
  void emit_fused(const std::string& loops, const JointGroup& group, const JointGroup::Fused& fused);
  void emit_members(const std::string& loops, const JointGroup& group);
  void emit_member(const std::string& loops, const JointGroup& group, const JointGroup::Member& member);
  [[nodiscard]] const JointLaunch* launch_of(const JointGroup& group) const;
  void emit_run(const JointGroup& group, const std::string& frame);
  void emit_group_arrivals(const JointGroup& group, const std::string& frame);

  Writer& out_;
  const CppContext& context_;
  TransformId id_;
  const TransformPlan& plan_;
  const StepDispatch& dispatch_;
  const GraphNodes& nodes_;
  const StepClosures& closures_;
  /// Names of the closures that run pieces, by the name of their step function, and whether they get cells in place of
  /// values of loops.
  std::map<std::pair<std::string, bool>, std::string> pieces_;
};

}  // namespace pb
