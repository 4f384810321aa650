// SPDX-License-Identifier: MIT
// Which steps of a schedule run as one loop (JointLoops): the inside of a matrix and its borders, so that
// the borders are done while the cells beside them are in a cache. Not how that loop is written, which is
// schedule_code.h.
#pragma once

#include <vector>

#include "clgen/cpp/rule_code.h"

namespace pb {

/// Whether the step that follows `group` in the order of the plan may join it: data parallel on the CPU, over a box of
/// as many dimensions, writing the same matrices, without an order to any member.
///
/// Pre: the plan is ordered; `group` has steps one after the other, each of which joined those before
[[nodiscard]] bool may_join(const CppContext& context, TransformId transform, const std::vector<StepId>& group,
                            StepId next);

}  // namespace pb
