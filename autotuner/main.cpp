// SPDX-License-Identifier: MIT
// `pbtune`.
#include "autotuner/command_line.h"
#include "autotuner/tune.h"
#include "runtime/config/standard_streams.h"

int main(int argc, char** argv) {
  pbrt::hold_standard_streams();
  return pbtune::run_command(argc, argv, pbtune::wall_clock());
}
