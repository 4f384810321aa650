// SPDX-License-Identifier: MIT
// Which mappings of the host's memory the driver has page-locked, so that the device copies from and to them by itself.
// Private to runtime/cl. docs/decisions/0066-copies-have-many-threads-or-locked-pages.md says why, and when.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

#include "runtime/cl/object.h"
#include "runtime/matrix/memory/mappings.h"

namespace pbrt::cl {

class PageLocks final : public MappingUser {
 public:
  /// Keeps a reference to `api`. At most `max_bytes` are page-locked at a time, by all devices of the process together.
  PageLocks(const Api& api, cl_context context, std::size_t max_bytes);
  ~PageLocks() override;
  PageLocks(const PageLocks&) = delete;
  PageLocks& operator=(const PageLocks&) = delete;

  /// Notes a copy of this many bytes from or to the memory at `host`. Page-locks the mapping once as much was copied as
  /// that costs. Returns whether it is page-locked.
  ///
  /// Threads: any
  [[nodiscard]] bool note_copy(const void* host, std::size_t bytes);
  void end(const Mapping& mapping) noexcept override;

  /// How much of it this device has page-locked now.
  [[nodiscard]] std::int64_t bytes() const;
  /// How long page-locking has taken so far.
  [[nodiscard]] std::chrono::nanoseconds time() const;

 private:
  struct Use {
    std::size_t copied_bytes = 0;
    bool is_refused = false;  ///< the driver does not page-lock it
    bool is_begun = false;    ///< it is just being page-locked
    Memory locked;            ///< no object: not page-locked
  };
  /// Whether the mapping is to be page-locked now. Pre: mutex_ is held
  [[nodiscard]] bool is_due(const Mapping& mapping, const Use& use) const;
  /// Page-locks the mapping; without the mutex while the driver works, since that takes 70 ms for 1 GB.
  void lock(const Mapping& mapping, Use& use, std::unique_lock<std::mutex>& guard);
  void forget(std::size_t bytes);

  const Api& api_;
  cl_context context_;
  std::size_t max_bytes_;
  mutable std::mutex mutex_;
  std::map<const std::byte*, Use> uses_;  // by where the mapping begins
  std::size_t bytes_ = 0;
  std::chrono::nanoseconds time_{0};
};

}  // namespace pbrt::cl
