// SPDX-License-Identifier: MIT
// The schedule of a transform: its steps in groups, when each group runs, and how the groups follow one another. What
// happens inside of a step is decided in cpu_loops.h and kernel_tree.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "choicegraph/plan/launches/step_cells.h"
#include "choicegraph/plan/launches/tiled_steps.h"
#include "choicegraph/plan/plan.h"
#include "clgen/lower/analysis/rule_shapes.h"
#include "clgen/lower/schedule/step_conditions.h"
#include "clgen/lower/tree/condition.h"
#include "lang/program.h"

namespace pb {

/// A condition that later ones name: the generated code keeps its value in a variable.
struct NamedCondition {
  Condition condition = Condition::always();
  std::string name;  ///< empty if no variable is needed; other conditions then repeat the condition itself

  /// Returns the condition as other conditions refer to it.
  [[nodiscard]] Condition flag() const;

  bool operator==(const NamedCondition&) const = default;
};

/// A step by itself, on the CPU or a device.
struct LoneStep {
  StepId step;
  Condition runs = Condition::always();

  bool operator==(const LoneStep&) const = default;
};

/// A nest of several steps, in tiles or slices. Its members run where their guards hold.
struct NestGroup {
  std::size_t nest = 0;  ///< index into TransformPlan::nests
  NamedCondition runs;

  bool operator==(const NestGroup&) const = default;
};

/// Steps without an order to each other: one loop runs those on the CPU, piece by piece.
struct JointGroup {
  /// Members that the loop runs as one step.
  struct Fused {
    std::size_t fused = 0;  ///< index into TransformPlan::fused
    NamedCondition runs;

    bool operator==(const Fused&) const = default;
  };
  /// A member that the loop runs by itself, or a device.
  struct Member {
    StepId step;
    Condition on_device = Condition::never();  ///< when a device runs it
    Condition runs = Condition::always();      ///< when the loop runs it, if no device does

    bool operator==(const Member&) const = default;
  };

  std::vector<StepId> steps;    ///< in the order of the plan
  std::vector<CellDims> cells;  ///< of each of them: where its instances lie in boxes of the loop (joint_cells)
  std::vector<Fused> fused;
  std::vector<Member> members;   ///< those that may run by themselves
  std::vector<StepId> in_bands;  ///< members that may run with the temporaries that they alone read, by flags of calls
  std::size_t max_parts = 0;  ///< the most boxes that the loop has: those of members, and the borders of fused members

  [[nodiscard]] std::size_t num_dims() const { return cells.front().size(); }
  /// Pre: the step is one of the group
  [[nodiscard]] const CellDims& cells_of(StepId step) const;

  bool operator==(const JointGroup&) const = default;
};

using StepGroup = std::variant<LoneStep, NestGroup, JointGroup>;
/// Returns the steps of a group.
[[nodiscard]] std::vector<StepId> steps_of(const TransformPlan& plan, const StepGroup& group);

enum class ScheduleForm : std::uint8_t {
  Statements,    ///< one after the other: at most one group runs per call, or each waits for the one before
  OrderedGraph,  ///< nodes of a graph, in an order that every choice may use
  Graph,         ///< nodes of a graph
};
/// Returns `statements`, `graph in order` or `graph`.
[[nodiscard]] const char* to_string(ScheduleForm form);

struct Schedule {
  std::vector<NeedFlag> needs;  ///< flags that the conditions of groups name, in the order of their declarations
  ScheduleForm form = ScheduleForm::Graph;
  /// Each step is in one group. In the form Graph, the steps of nests also have groups of their own, which run unless a
  /// nest runs the step.
  std::vector<StepGroup> groups;
  /// Each call ends in a step that spawns nothing, or in one that makes a frame for itself.
  bool has_frames_in_steps = false;

  bool operator==(const Schedule&) const = default;
};

/// Returns the name of the flag of a call: whether the step runs in bands, with the steps that make its temporaries.
[[nodiscard]] std::string bands_flag_name(StepId reader);
/// When no step of `bands` runs this one in its bands. The condition names flags of the call.
[[nodiscard]] Condition is_in_no_bands(const std::vector<TiledSteps>& bands, StepId step);

/// Returns the schedule of the transform. `rules` has the shapes of its rules, `bands` the steps that may run in bands.
[[nodiscard]] Schedule make_schedule(const Program& program, const TransformPlan& plan, const RuleShapes& rules,
                                     const std::vector<TiledSteps>& bands = {});

}  // namespace pb
