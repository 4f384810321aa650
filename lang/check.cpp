// SPDX-License-Identifier: MIT
#include "lang/check.h"

#include <cstdio>
#include <cstdlib>

namespace pb {

void check_failed(const char* condition, const char* why, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: internal check failed: %s (%s)\n", file, line, condition, why);
  std::abort();
}

}  // namespace pb
