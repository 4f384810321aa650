// SPDX-License-Identifier: MIT
#include "runtime/gpu/storage_record.h"

#include <algorithm>
#include <utility>

#include "base/seeded_fault.h"
#include "runtime/config/runtime_check.h"
#include "runtime/gpu/region_ref.h"

namespace pbrt::gpu {

StorageRecord::StorageRecord(Storage& storage, int element_bytes)
    : storage_(&storage), layout_(static_cast<std::int64_t>(storage.bytes()) / element_bytes, element_bytes) {
  if (are_accesses_watched()) shadow = std::make_unique<AccessShadow>(storage, layout_, mutex);
}

StorageRecord* StorageRecord::find(const Storage& storage) {
  // Acquire pairs with the release of the exchange in `of`.
  return static_cast<StorageRecord*>(storage.device_record.load(std::memory_order_acquire));
}

StorageRecord& StorageRecord::of(Storage& storage, int element_bytes) {
  if (StorageRecord* existing = find(storage)) return *existing;
  auto made = std::unique_ptr<StorageRecord>(new StorageRecord(storage, element_bytes));
  DeviceRecord* expected = nullptr;
  // Release pairs with the acquire in `find`; acquire on failure: the other thread's record is used.
  if (storage.device_record.compare_exchange_strong(expected, made.get(), std::memory_order_acq_rel,
                                                    std::memory_order_acquire)) {
    return *made.release();
  }
  return *static_cast<StorageRecord*>(expected);
}

StorageRecord::~StorageRecord() {
  PBRT_CHECK(parts_.empty(), "operations in flight keep their storage");
  detach();
}

bool StorageRecord::attach(const std::shared_ptr<Registry>& registry) {
  const std::lock_guard attaching(attach_mutex_);
  if (registry_ == registry) return true;
  if (registry_ != nullptr) {
    const std::lock_guard registry_lock(registry_->mutex);
    const std::lock_guard lock(mutex);
    if (registry_->queue != nullptr && (buffer != nullptr || is_busy())) return false;
    std::erase(registry_->records, this);
  }
  const std::lock_guard registry_lock(registry->mutex);
  registry->records.push_back(this);
  registry_ = registry;
  const std::lock_guard lock(mutex);
  publish_state();
  return true;
}

TaskQueue* StorageRecord::queue() {
  const std::lock_guard attaching(attach_mutex_);
  if (registry_ == nullptr) return nullptr;
  const std::lock_guard registry_lock(registry_->mutex);
  return registry_->queue;
}

void StorageRecord::detach() {
  const std::lock_guard attaching(attach_mutex_);
  if (registry_ == nullptr) return;
  const std::lock_guard registry_lock(registry_->mutex);
  std::erase(registry_->records, this);
  if (buffer == nullptr) return;
  if (registry_->shares_host_memory || registry_->queue == nullptr) {
    registry_->used_bytes -= buffer->size_bytes();
    buffer.reset();
  } else {
    registry_->pool.push_back(std::move(buffer));
  }
  if (registry_->when_buffer_returns && registry_->queue != nullptr)
    std::exchange(registry_->when_buffer_returns, nullptr)();
}

bool StorageRecord::adopt(const OwnedView& view) {
  const std::optional<Layout> refined = layout_.refined_for(view);
  if (!refined) return false;
  if (*refined == layout_) return true;
  for (BoxSet* set : {&valid, &dirty, &lost}) *set = refined->convert(*set, layout_);
  for (OperationPart* part : parts_) {
    part->host_use = refined->convert(part->host_use, layout_);
    part->host_result = refined->convert(part->host_result, layout_);
    part->device_use = refined->convert(part->device_use, layout_);
  }
  layout_ = *refined;
  return true;
}

GridBox StorageRecord::whole() const {
  OwnedView all;
  all.element_bytes = layout_.element_bytes();
  GridBox box = layout_.box_of(all);
  for (int d = 0; d < box.num_dims; ++d) {
    box.lo[d] = 0;
    box.hi[d] = INT64_MAX;
  }
  return box;
}

GridBox StorageRecord::box_of(const OwnedView& view) { return adopt(view) ? layout_.box_of(view) : whole(); }

BoxSet StorageRecord::newer_than_host(const OwnedView& view) {
  const GridBox box = box_of(view);
  BoxSet newer = dirty.intersect(box);
  newer.add(lost.intersect(box));
  return newer;
}

void StorageRecord::wrote_on_device(const GridBox& box) {
  valid.add(box);
  if (!PB_FAULT(result_never_copied_out)) dirty.add(box);
  lost.remove(box);
  for (OperationPart* part : parts_) part->host_result.remove(box);
}

void StorageRecord::wrote_on_host(const OwnedView& view) {
  const GridBox box = box_of(view);
  PBRT_CHECK(dirty.is_empty() || layout_.refined_for(view), "a view of another shape than its matrix was written");
  BoxSet written(box);
  written.remove(dirty);
  if (!PB_FAULT(stale_device_copy)) valid.remove(written);
  lost.remove(box);
  publish_state();
}

void StorageRecord::forget(const OwnedView& view) {
  // Whether a buffer is the host's memory does not change as long as it lives.
  if (buffer == nullptr || is_host_memory || !adopt(view)) return;
  dirty.remove(layout_.box_of(view));
  wrote_on_host(view);
}

void StorageRecord::begin(OperationPart& part) {
  parts_.push_back(&part);
  publish_state();
}

void StorageRecord::end(OperationPart& part, bool ok) {
  std::erase(parts_, &part);
  if (ok || PB_FAULT(failed_copy_counts)) dirty.remove(part.host_result);
  publish_state();
}

void StorageRecord::lose_device() {
  lost.add(dirty);
  dirty.clear();
  valid.clear();
  publish_state();
}

bool StorageRecord::host_in_use(const GridBox& box) const {
  return std::any_of(parts_.begin(), parts_.end(),
                     [&](const OperationPart* part) { return part->host_use.overlaps(box); });
}

bool StorageRecord::device_in_use(const BoxSet& boxes, bool writes, bool only_beside) const {
  return std::any_of(parts_.begin(), parts_.end(), [&](const OperationPart* part) {
    return (part->is_beside || !only_beside) && (part->writes_device || writes) && part->device_use.overlaps(boxes);
  });
}

BoxSet StorageRecord::settled(BoxSet boxes) const {
  for (const OperationPart* part : parts_)
    if (part->writes_device) boxes.remove(part->device_use);
  return boxes;
}

BoxSet StorageRecord::dirty_not_under_way(const GridBox& box) const {
  BoxSet missing = dirty.intersect(box);
  for (const OperationPart* part : parts_) missing.remove(part->host_result);
  return missing;
}

void StorageRecord::publish_state() {
  std::uint32_t state = kHasRecord;
  if (shadow != nullptr) state |= kWatched;
  if (!dirty.is_empty() || !lost.is_empty()) state |= kDirty;
  for (const OperationPart* part : parts_)
    if (!part->host_use.is_empty()) state |= kInFlight;
  // Release pairs with the acquire in device_state: who sees a bit cleared sees the data.
  storage_->device_state.store(state, std::memory_order_release);
}

}  // namespace pbrt::gpu
