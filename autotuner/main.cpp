// SPDX-License-Identifier: MIT
// `pbtune`.
#include "autotuner/command_line.h"
#include "autotuner/tune.h"

int main(int argc, char** argv) { return pbtune::run_command(argc, argv, pbtune::wall_clock()); }
