// SPDX-License-Identifier: MIT
// Internal checks of the compiler. A failed check is our bug, never the user's: it aborts
// with its condition and the reason. The user's errors are diagnostics (lang/diagnostics.h).
#pragma once

namespace pb {

/// Prints the broken condition with its place and reason to stderr and aborts.
[[noreturn]] void check_failed(const char* condition, const char* why, const char* file, int line);

}  // namespace pb

#define PB_CHECK(condition, why) \
  (static_cast<bool>(condition) ? static_cast<void>(0) : ::pb::check_failed(#condition, why, __FILE__, __LINE__))
