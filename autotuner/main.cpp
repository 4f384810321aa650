// SPDX-License-Identifier: MIT
// `pbtune`.
#include <csignal>

#include "autotuner/command_line.h"
#include "autotuner/tune/tune.h"
#include "runtime/config/standard_streams.h"

int main(int argc, char** argv) {
  pbrt::hold_standard_streams();
  std::signal(SIGXFSZ, SIG_IGN);  // a file beyond the limit is a write that fails, with a message
  return pbtune::run_command(argc, argv, pbtune::wall_clock());
}
