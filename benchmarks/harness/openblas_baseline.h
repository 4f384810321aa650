// SPDX-License-Identifier: MIT
// What baselines that call OpenBLAS share beside baseline.h.
//
//   baseline … [--core-type NAME]
//
// NAME says for which processor the kernels are (Haswell, SkylakeX, Zen …), else OPENBLAS_CORETYPE of the environment,
// else the library.
#pragma once

#include <cblas.h>
#include <unistd.h>

#include "benchmarks/harness/baseline.h"

namespace baseline {

/// Makes OpenBLAS take the kernels of --core-type, and as many threads as --threads says. The library reads its choice
/// of kernels when it is loaded, so the program may start once more.
inline void set_up_openblas(const Run& run, char** argv) {
  const std::string name = run.text("core-type", "");
  const char* now = std::getenv("OPENBLAS_CORETYPE");
  if (!name.empty() && !(now && name == now)) {
    ::setenv("OPENBLAS_CORETYPE", name.c_str(), 1);
    ::execv("/proc/self/exe", argv);
    fail("the program cannot start anew");
  }
  openblas_set_num_threads(run.threads());
}

}  // namespace baseline
