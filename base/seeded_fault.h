// SPDX-License-Identifier: MIT
// PB_FAULT(name): a place where a build with -DPB_SEEDED_FAULTS=ON does the wrong thing on purpose, while the
// environment variable POLYBRICKS_FAULT is `name`; `false` in all other builds. tests/faults/faults.json lists the
// faults and the tests that must catch them. Any folder may include it, in .cpp files only.
#pragma once

#ifdef PB_SEEDED_FAULTS
#include <cstdlib>
#include <cstring>

namespace pb_fault {

inline bool is_seeded(const char* name) noexcept {
  const char* seeded = std::getenv("POLYBRICKS_FAULT");
  return seeded != nullptr && std::strcmp(seeded, name) == 0;
}

}  // namespace pb_fault

#define PB_FAULT(name)                                            \
  ([]() noexcept {                                                \
    static const bool is_this_one = ::pb_fault::is_seeded(#name); \
    return is_this_one;                                           \
  }())
#else
#define PB_FAULT(name) false
#endif
