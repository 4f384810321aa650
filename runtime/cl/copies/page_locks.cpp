// SPDX-License-Identifier: MIT
#include "runtime/cl/copies/page_locks.h"

#include <optional>
#include <utility>

namespace pbrt::cl {
namespace {

/// Whether a mapping of this size is page-locked, if so much was copied from and to it: as much as two copies of a
/// matrix in it that leaves a quarter of it free.
bool are_copies_worth_it(std::size_t copied_bytes, std::size_t bytes) { return copied_bytes >= bytes + bytes / 2; }

}  // namespace

PageLocks::PageLocks(const Api& api, cl_context context, std::size_t max_bytes)
    : api_(api), context_(context), max_bytes_(max_bytes) {
  Mappings::add_user(*this);
}

PageLocks::~PageLocks() { Mappings::remove_user(*this); }

bool PageLocks::note_copy(const void* host, std::size_t bytes) {
  const std::optional<Mapping> mapping = Mappings::find(host);
  if (!mapping) return false;
  const std::lock_guard guard(mutex_);
  Use& use = uses_[mapping->begin];
  if (!use.locked && !use.is_refused && are_copies_worth_it(use.copied_bytes, mapping->bytes)) lock(*mapping, use);
  use.copied_bytes += bytes;
  return static_cast<bool>(use.locked);
}

void PageLocks::lock(const Mapping& mapping, Use& use) {
  if (bytes_ + mapping.bytes > max_bytes_) return;  // later, if others have ended
  const auto begin = std::chrono::steady_clock::now();
  try {
    use.locked = Memory(api_, api_.clCreateBuffer.make(context_, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, mapping.bytes,
                                                       static_cast<void*>(mapping.begin)));
  } catch (const ClError&) {
    use.is_refused = true;  // it is copied as before
    return;
  }
  bytes_ += mapping.bytes;
  time_ += std::chrono::steady_clock::now() - begin;
}

void PageLocks::end(const Mapping& mapping) noexcept {
  const std::lock_guard guard(mutex_);
  const auto found = uses_.find(mapping.begin);
  if (found == uses_.end()) return;
  if (found->second.locked) bytes_ -= mapping.bytes;
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
