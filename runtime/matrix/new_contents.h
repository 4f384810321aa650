// SPDX-License-Identifier: MIT
// The contents of new matrices before anything is written to them (docs/reference/language.md 8.6). Normally this is
// whatever lay there; in a checked build it is zeros. If the user asks for it, it is NaN, so that a program that reads
// cells which nothing wrote shows it. For allocate_dense and program_main.
#pragma once

#include <atomic>

#include "runtime/matrix/element_kind.h"
#include "runtime/matrix/storage.h"

namespace pbrt {

namespace detail {
// Relaxed: it is written before workers start. Not inline, so that libraries which share the runtime have one.
extern std::atomic<bool> is_nan_wanted;
}  // namespace detail

/// From now on every new matrix of the process holds NaN, or again whatever lay there. For integers it is the number of
/// their type farthest from 0. The setting belongs to the process, because bodies allocate without any context.
///
/// Pre:     no run is in progress
inline void fill_new_matrices_with_nan(bool is_wanted) {
  detail::is_nan_wanted.store(is_wanted, std::memory_order_relaxed);
}
[[nodiscard]] inline bool are_new_matrices_nan() { return detail::is_nan_wanted.load(std::memory_order_relaxed); }

namespace detail {
/// Fills new storage for elements of this kind: with NaN where that is wanted, else with zeros.
void fill_new(Storage& storage, ElementKind kind);
}  // namespace detail

}  // namespace pbrt
