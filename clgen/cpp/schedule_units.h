// SPDX-License-Identifier: MIT
// What of a transform runs as a whole, in the order of its steps. Decides nothing that depends on a call;
// schedule_code.h makes statements, or nodes of a graph, of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "choicegraph/plan/plan.h"
#include "clgen/cpp/cpp_context.h"

namespace pb {

/// A step, a nest that always runs, or joint steps, which have an order to none of each other.
struct ScheduleUnit {
  std::vector<StepId> steps;
  std::size_t nest = SIZE_MAX;  ///< SIZE_MAX: none
  [[nodiscard]] bool is_joint() const { return nest == SIZE_MAX && steps.size() > 1; }
};

/// How the steps of a transform follow one another.
struct Schedule {
  /// Every step is in one unit; neighbours are joint where they may be and some two of them run in the same call.
  std::vector<ScheduleUnit> units;
  bool is_ordered = false;  ///< the units stand in an order that every choice may use
  /// At most one unit runs per call, or each waits for the one before; nothing in a unit runs beside it: statements.
  /// Else the units are nodes of a graph.
  bool is_sequence = false;
  /// Calls that end in a step which spawns nothing do without a frame of their own: the other steps make theirs.
  bool has_frames_in_steps = false;
};
[[nodiscard]] Schedule make_schedule(const CppContext& context, TransformId transform);

/// Whether the step may spawn, and so needs a frame.
[[nodiscard]] bool needs_frame(const CppContext& context, TransformId transform, StepId step);

}  // namespace pb
