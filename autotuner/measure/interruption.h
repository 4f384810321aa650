// SPDX-License-Identifier: MIT
// How pbtune ends when it is asked to by a signal: at the next place that looks, so that files are whole and the child
// is gone. Used by all commands that measure.
#pragma once

namespace pbtune {

inline constexpr int kExitInterrupted = 130;

/// Makes SIGINT, SIGTERM and SIGHUP only leave a mark from now on, which throw_if_interrupted() turns into Interrupted.
void catch_signals();
void throw_if_interrupted();

}  // namespace pbtune
