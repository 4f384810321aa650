// SPDX-License-Identifier: MIT
// What a failed JASSERT of a body does (docs/reference/language.md 7.7). In a program it ends the process. In a library
// the process is the host's, so it is an exception there, which becomes the error of the call.
#pragma once

namespace pbrt {

/// From now on, a failed JASSERT prints its message and ends the process with status 1. Called once, by `main`, before
/// bodies run.
void end_process_on_failed_assertions();

}  // namespace pbrt
