// SPDX-License-Identifier: MIT
// Stack overflows of bodies: below each pooled stack lie pages that nobody may touch; who does is caught by a signal
// handler on a stack of its own, which hands over to a reporter. Costs nothing while it does not happen. Transform calls
// cannot overflow (they go on to fresh stacks), so this is about C++ that calls itself and about huge local arrays. The
// report is the program's (runtime/main/overflow_report.h); workers prepare their threads.
#pragma once

namespace pbrt {

/// Calls `report` when a body runs over the end of its stack. Other faults go to the handlers that were there before.
///
/// `report` runs in a signal handler and must not return. Called once, by `main`.
void on_stack_overflow(void (*report)());

/// Gives the calling thread a stack for signal handlers unless it has one. Cost: one look after the first time.
void prepare_for_overflow();

}  // namespace pbrt
