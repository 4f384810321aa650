// SPDX-License-Identifier: MIT
#include "runtime/cl/copies/page_locks.h"

#include <atomic>
#include <optional>
#include <utility>

namespace pbrt::cl {
namespace {

/// Whether a mapping of this size is page-locked, if so much was copied from and to it: as much as two copies of a
/// matrix in it that leaves a quarter of it free.
bool are_copies_worth_it(std::size_t copied_bytes, std::size_t bytes) { return copied_bytes >= bytes + bytes / 2; }

/// What all devices of the process have page-locked.
std::atomic<std::size_t> bytes_of_all{0};

}  // namespace

PageLocks::PageLocks(const Api& api, cl_context context, std::size_t max_bytes)
    : api_(api), context_(context), max_bytes_(max_bytes) {
  Mappings::add_user(*this);
}

PageLocks::~PageLocks() {
  {
    // Before it stops to hear of ends: else pages could be unmapped while they are locked.
    const std::lock_guard guard(mutex_);
    uses_.clear();
    forget(bytes_);
  }
  Mappings::remove_user(*this);
}

bool PageLocks::note_copy(const void* host, std::size_t bytes) {
  const std::optional<Mapping> mapping = Mappings::find(host);
  if (!mapping) return false;
  std::unique_lock guard(mutex_);
  Use& use = uses_[mapping->begin];  // stays: the caller's copy keeps the mapping
  if (is_due(*mapping, use)) lock(*mapping, use, guard);
  use.copied_bytes += bytes;
  return static_cast<bool>(use.locked);
}

bool PageLocks::is_due(const Mapping& mapping, const Use& use) const {
  return !use.locked && !use.is_refused && !use.is_begun && are_copies_worth_it(use.copied_bytes, mapping.bytes);
}

void PageLocks::lock(const Mapping& mapping, Use& use, std::unique_lock<std::mutex>& guard) {
  bytes_ += mapping.bytes;
  if (bytes_of_all.fetch_add(mapping.bytes, std::memory_order_relaxed) + mapping.bytes > max_bytes_)
    return forget(mapping.bytes);  // later, if others have ended
  use.is_begun = true;
  guard.unlock();
  const auto begin = std::chrono::steady_clock::now();
  Memory memory;
  try {
    memory = Memory(api_, api_.clCreateBuffer.make(context_, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, mapping.bytes,
                                                   static_cast<void*>(mapping.begin)));
  } catch (const ClError&) {
    // It is copied as before.
  }
  guard.lock();
  use.is_begun = false;
  use.locked = std::move(memory);
  use.is_refused = !use.locked;
  if (use.is_refused) forget(mapping.bytes);
  time_ += std::chrono::steady_clock::now() - begin;
}

void PageLocks::forget(std::size_t bytes) {
  bytes_ -= bytes;
  bytes_of_all.fetch_sub(bytes, std::memory_order_relaxed);
}

void PageLocks::end(const Mapping& mapping) noexcept {
  Memory released;  // without the mutex
  const std::lock_guard guard(mutex_);
  const auto found = uses_.find(mapping.begin);
  if (found == uses_.end()) return;
  released = std::move(found->second.locked);
  if (released) forget(mapping.bytes);
  uses_.erase(found);
}

std::chrono::nanoseconds PageLocks::time() const {
  const std::lock_guard guard(mutex_);
  return time_;
}

std::int64_t PageLocks::bytes() const {
  const std::lock_guard guard(mutex_);
  return static_cast<std::int64_t>(bytes_);
}

}  // namespace pbrt::cl
