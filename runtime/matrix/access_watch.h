// SPDX-License-Identifier: MIT
// Memory whose accesses by the host are checked one by one: in programs of `pbc --checked-copies`, the matrices that a
// device uses. An element that a device wrote is stale until the host asks for it; an access to a stale element ends
// the run. The owner of the memory's description decides what is stale (runtime/gpu/access_shadow.h); this file leads
// from an address to that description.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "runtime/matrix/view.h"

namespace pbrt {

namespace detail {
// Relaxed: it is written before workers start. Not inline, so that libraries which share the runtime have one.
extern std::atomic<bool> are_accesses_watched;
}  // namespace detail

/// From now on, matrices that come to a device are watched in the whole process, because views know nothing but
/// addresses.
///
/// Pre: no run is in progress
inline void watch_accesses(bool is_wanted) { detail::are_accesses_watched.store(is_wanted, std::memory_order_relaxed); }
[[nodiscard]] inline bool are_accesses_watched() {
  return detail::are_accesses_watched.load(std::memory_order_relaxed);
}

/// One block of watched memory, known by its addresses as long as it lives.
///
/// Threads: any
class WatchedMemory {
 public:
  WatchedMemory(const void* begin, std::size_t size_bytes, int element_bytes);
  virtual ~WatchedMemory();
  WatchedMemory(const WatchedMemory&) = delete;
  WatchedMemory& operator=(const WatchedMemory&) = delete;

  /// A bit of an element's flags. The other bits belong to the class that describes the memory.
  static constexpr std::uint8_t kStale = 1;

  [[nodiscard]] std::uintptr_t begin() const { return begin_; }
  [[nodiscard]] std::uintptr_t end() const { return begin_ + size_bytes_; }
  [[nodiscard]] int element_bytes() const { return element_bytes_; }
  [[nodiscard]] std::int64_t num_elements() const { return static_cast<std::int64_t>(size_bytes_) / element_bytes_; }
  // Relaxed: the tasks of the run order the accesses to an element, and so those to its flags.
  [[nodiscard]] std::uint8_t flags(std::int64_t element) const {
    return flags_[static_cast<std::size_t>(element)].load(std::memory_order_relaxed);
  }
  void set_flags(std::int64_t element, std::uint8_t flags) {
    flags_[static_cast<std::size_t>(element)].store(flags, std::memory_order_relaxed);
  }

  /// Says in words which element it is, and what made it stale.
  [[nodiscard]] virtual std::string describe(std::int64_t element) const = 0;

 private:
  std::uintptr_t begin_;
  std::size_t size_bytes_;
  int element_bytes_;
  std::unique_ptr<std::atomic<std::uint8_t>[]> flags_;
};

namespace detail {
/// Tests the elements at these addresses. Declared in view.h, too, for programs.
///
/// Errors: CopyError if one of the elements is stale
void check_access(const void* first, std::size_t size_bytes);
void check_view_access(const RawView& view);
}  // namespace detail

}  // namespace pbrt
