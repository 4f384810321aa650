// SPDX-License-Identifier: MIT
// Page-locked memory that a driver makes and that stays mapped as long as its owner lives. Private to runtime/cl.
#pragma once

#include <cstddef>

#include "runtime/cl/object.h"

namespace pbrt::cl {

class LockedMemory {
 public:
  /// None.
  LockedMemory() = default;
  /// Waits for what is in the queue. Keeps a reference to `api`; the queue lives longer.
  ///
  /// Errors: ClError if there is no such memory
  LockedMemory(const Api& api, cl_context context, cl_command_queue queue, std::size_t bytes);
  /// Pre: no copy uses it, or those that do are in the queue
  ~LockedMemory();
  LockedMemory(LockedMemory&& other) noexcept;
  LockedMemory& operator=(LockedMemory&& other) noexcept;

  /// Its first byte; null if there is none.
  [[nodiscard]] std::byte* data() const { return mapped_; }

 private:
  const Api* api_ = nullptr;
  cl_command_queue queue_ = nullptr;
  Memory memory_;
  std::byte* mapped_ = nullptr;
};

}  // namespace pbrt::cl
