// SPDX-License-Identifier: MIT
// The trace-event format that Perfetto and Chrome's about:tracing read, from what was recorded.
#pragma once

#include <string>

#include "runtime/sched/trace/trace.h"

namespace pbrt {

/// The trace as text: a lane per worker and two per device, and one called `runs` with an event per run that names its
/// rules and totals. Times count from the making of the trace. What lies outside of runs is left out.
///
/// Units:   microseconds, with nanoseconds as decimals
/// Threads: any, also while others record: what they have not finished is missing
[[nodiscard]] std::string trace_json(const Trace& trace, const std::string& program);

}  // namespace pbrt
