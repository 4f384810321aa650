// SPDX-License-Identifier: MIT
// C++ of the schedule of one transform: which steps and nests run under the choices of a call, in which
// order, on the CPU or a device.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "clgen/cpp/rule_code.h"
#include "clgen/opencl/kernel.h"

namespace pb {

/// By nest of several steps: which of its members have `lanes_`.
using NestPacks = std::map<std::size_t, std::vector<bool>>;

/// Rules, steps and the loops of nests as functions.
[[nodiscard]] NestPacks emit_schedule_functions(Writer& out, const CppContext& context, TransformId transform,
                                                const std::vector<Kernel>& kernels);

/// The statements of `run_T` that run all steps; choices, sizes and matrices are in scope.
void emit_schedule(Writer& out, const CppContext& context, TransformId transform, const NestPacks& packs);

/// The variable that holds the alternative of a site in a call.
[[nodiscard]] std::string choice_name(SiteId site);

}  // namespace pb
