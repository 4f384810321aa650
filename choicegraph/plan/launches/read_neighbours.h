// SPDX-License-Identifier: MIT
// How far from its own cell an instance of a step reads, along the dimension in which several devices share the step.
#pragma once

#include <cstdint>

#include "choicegraph/plan/plan.h"

namespace pb {

/// How many indices of the shared loop before or behind its own an instance reads: the reach of a stencil. 0 if it
/// reads at its own index alone, or the step is not shared. Reads at other distances, as of whole columns, do not
/// count.
[[nodiscard]] std::int64_t neighbours_read(const Step& step);

}  // namespace pb
