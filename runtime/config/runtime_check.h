// SPDX-License-Identifier: MIT
// PBRT_CHECK and PBRT_DCHECK: checks of our own assumptions in the runtime, the tuner and generated
// code. A failed one is our bug: it prints the condition and aborts. Not for the user's mistakes
// (errors.h) and not for generated programs' JASSERT.
#pragma once

namespace pbrt::detail {
[[noreturn]] void check_failed(const char* condition, const char* why, const char* file, int line) noexcept;
}  // namespace pbrt::detail

#define PBRT_CHECK(cond, why)                                          \
  (__builtin_expect(static_cast<bool>(cond), 1) ? static_cast<void>(0) \
                                                : ::pbrt::detail::check_failed(#cond, (why), __FILE__, __LINE__))

#ifdef NDEBUG
#define PBRT_DCHECK(cond, why) static_cast<void>(sizeof(static_cast<bool>(cond)))
#else
#define PBRT_DCHECK(cond, why) PBRT_CHECK(cond, why)
#endif
