// SPDX-License-Identifier: MIT
// How pbtune ends when it is asked to by a signal: at the next place that looks, so that files are whole and the child
// is gone. Used by all commands that measure.
#pragma once

namespace pbtune {

inline constexpr int kExitInterrupted = 130;

/// Makes SIGINT, SIGTERM and SIGHUP only leave a mark from now on, which throw_if_interrupted() turns into Interrupted.
/// Those that are ignored, as SIGHUP under nohup, stay ignored.
void catch_signals();
void throw_if_interrupted();
/// Forgets the signal that came, so that the next one counts. Returns whether it was SIGINT, that of Ctrl-C: who asks
/// for an end in this way waits a little for what was found.
bool forget_interruption();

}  // namespace pbtune
