// SPDX-License-Identifier: MIT
// Facts about nests (choicegraph/plan/plan.h) that several of their printers need.
#pragma once

#include "choicegraph/plan/plan.h"

namespace pb {

/// Returns the nest that `step` is the only member of; null if it has none.
[[nodiscard]] const Nest* own_nest(const TransformPlan& plan, StepId step);
/// Returns the nest that `step` is the only member of and whose slices a device may run; null if there is none. Its
/// code is that of a nest of several steps, which says slice by slice where it runs. It is another one than `own_nest`
/// where the step has tiles on the CPU.
[[nodiscard]] const Nest* own_launch_nest(const TransformPlan& plan, StepId step);
/// Whether the step runs in its own_launch_nest on the CPU, too.
[[nodiscard]] bool runs_in_own_group(const TransformPlan& plan, StepId step);
[[nodiscard]] inline bool is_sliced(const Nest& nest) { return nest.rows.front().kind == RowKind::Slices; }
/// Whether the loops of a member inside of the rows may run side by side.
[[nodiscard]] bool is_inside_parallel(const NestMember& member);
/// Whether some member splits its slices into pieces.
[[nodiscard]] bool has_split(const Nest& nest);
/// Returns the range of the step's loop over `var`.
[[nodiscard]] const IndexRange& range_of(const Step& step, const std::string& var);
/// Returns the member's step as a slice sees it: first the sliced loops, which have one iteration each in a slice, then
/// the loops inside.
[[nodiscard]] Step step_in_slices(const TransformPlan& plan, const NestMember& member);

}  // namespace pb
