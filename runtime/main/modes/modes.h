// SPDX-License-Identifier: MIT
// The modes that a person runs.
#pragma once

#include "runtime/main/modes/session.h"

namespace pbrt {

/// Reads inputs, runs once, writes outputs.
void run_file_mode(Session& session);
/// Runs trials on generated inputs or on those of --iogen-run and prints times; does what --iogen-create asks for.
void run_timing_mode(Session& session);

}  // namespace pbrt
