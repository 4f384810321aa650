// SPDX-License-Identifier: MIT
// What of a transform runs as a whole, in the order of its steps. Decides nothing that depends on a call; the schedule
// (schedule_code.h) makes statements, or nodes of a graph, of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "clgen/cpp/dispatch_code.h"
#include "clgen/cpp/rule_code.h"

namespace pb {

/// A step, a nest that always runs, or joint steps, which have an order to none of each other.
struct ScheduleUnit {
  std::vector<StepId> steps;
  std::size_t nest = SIZE_MAX;  ///< SIZE_MAX: none
  [[nodiscard]] bool is_joint() const { return nest == SIZE_MAX && steps.size() > 1; }
};

/// Every step is in one unit; neighbours are joint where they may be and some two of them run in the same call.
[[nodiscard]] std::vector<ScheduleUnit> schedule_units(const CppContext& context, TransformId transform);

/// Whether some two of the steps may run in the same call.
[[nodiscard]] bool have_company(const TransformPlan& plan, const std::vector<StepId>& steps);

/// Whether at most one unit runs per call, or each waits for the one before; nothing in a unit runs beside it.
[[nodiscard]] bool is_sequence(const StepDispatch& dispatch, const TransformPlan& plan,
                               const std::vector<ScheduleUnit>& units);

}  // namespace pb
