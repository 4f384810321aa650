// SPDX-License-Identifier: MIT
#include <cstdio>
#include <exception>

#include "frontend/driver/driver.h"
#include "frontend/driver/pbc_options.h"
#include "frontend/driver/temporary.h"
#include "runtime/config/standard_streams.h"

int main(int argc, char** argv) {
  pbrt::hold_standard_streams();
  try {
    const pb::ParsedOptions parsed = pb::parse_options(argc, argv);
    if (!parsed.options) return parsed.exit_status;
    pb::install_signal_cleanup();
    return pb::run_driver(*parsed.options);
  } catch (const std::exception& error) {  // out of memory, mostly
    std::fprintf(stderr, "pbc: error: %s\n", error.what());
    return 1;
  }
}
