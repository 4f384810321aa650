// SPDX-License-Identifier: MIT
// Memory for matrices that may stay on a device between calls (pb_matrix_create). It is known by its addresses, so that
// a pb_matrix which describes it, or a part of it, looks like any other.
#pragma once

#include <atomic>
#include <map>
#include <shared_mutex>

#include "runtime/matrix/any_matrix.h"

namespace pbrt {

/// Threads: any
class ResidentMemory {
 public:
  /// Makes memory for a dense matrix of this type.
  ///
  /// Errors:  RuntimeError if there is not so much
  [[nodiscard]] AnyMatrix add(ElementKind kind, int num_dims, const IndexT* sizes);
  /// Forgets the memory that begins here; it goes when no call uses it. False if there is none.
  [[nodiscard]] bool remove(const void* data);
  /// The matrix in whose memory the bytes from `begin` to `end` lie; an empty one if they lie in none.
  ///
  /// Errors:  UserError if a part of them lies outside
  [[nodiscard]] AnyMatrix find(const char* begin, const char* end) const;

 private:
  mutable std::shared_mutex lock_;
  std::map<const char*, AnyMatrix> matrices_;  // under lock_: by the address of the first byte
  std::atomic<std::size_t> num_{0};            // so that calls of hosts that have none take no lock
};

}  // namespace pbrt
