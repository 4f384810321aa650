// SPDX-License-Identifier: MIT
// Reports crashes of bodies: signals that end a process, and stack overflows, which are told from other faults. Below
// each pooled stack lie pages that nobody may touch; a signal handler on a stack of its own catches an access to them
// and hands over to a reporter. This costs nothing while it does not happen. Transform calls cannot overflow (they go
// on to fresh stacks), so overflows are about C++ that calls itself and about huge local arrays. The report is the
// program's (runtime/main/failure/crash_report.h); workers prepare their threads.
#pragma once

namespace pbrt {

struct Crash {
  int signal;              ///< SIGSEGV, SIGBUS, SIGFPE, SIGILL or SIGABRT
  int code;                ///< si_code: why
  const void* address;     ///< of SIGSEGV and SIGBUS: what was touched
  bool is_stack_overflow;  ///< of the stack that the thread's worker runs
};

/// Calls `report` when the process crashes by its own doing. Afterwards the handlers that were there before get the
/// signal, so the process ends as it would have. Signals that others send are left to them at once.
///
/// `report` runs in a signal handler, once. Called once, by `main`.
void on_crash(void (*report)(const Crash& crash));

/// Gives the calling thread a stack for signal handlers unless it has one. Does nothing before on_crash: in a library,
/// signals are the host's. Cost: one look after the first time.
void prepare_for_crash();

}  // namespace pbrt
