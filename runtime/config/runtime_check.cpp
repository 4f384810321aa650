// SPDX-License-Identifier: MIT
#include "runtime/config/runtime_check.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>

namespace pbrt::detail {

void check_failed(const char* condition, const char* why, const char* file, int line) noexcept {
  std::fprintf(stderr, "internal error: check `%s` failed at %s:%d: %s\n", condition, file, line, why);
  std::fflush(stderr);
  std::signal(SIGABRT, SIG_DFL);  // so that this is not reported as a crash of a body
  std::abort();
}

}  // namespace pbrt::detail
