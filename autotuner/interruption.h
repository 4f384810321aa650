// SPDX-License-Identifier: MIT
// How pbtune ends when it is asked to by a signal: at the next place that looks, so that files are whole and the child is gone.
// Used by all commands that measure.
#pragma once

namespace pbtune {

inline constexpr int kExitInterrupted = 130;

/// From now on SIGINT, SIGTERM and SIGHUP only leave a mark, which throw_if_interrupted() turns into Interrupted.
void catch_signals();
void throw_if_interrupted();

}  // namespace pbtune
