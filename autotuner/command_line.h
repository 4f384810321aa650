// SPDX-License-Identifier: MIT
// The command line of `pbtune`: options, subcommands, what is printed when they are wrong. main() is a call of it;
// tests call it with a clock of their own.
#pragma once

#include "autotuner/trials/evaluator.h"

namespace pbtune {

/// Runs the command that the arguments name. Returns the exit status; throws nothing.
int run_command(int argc, char** argv, const Clock& clock);

}  // namespace pbtune
