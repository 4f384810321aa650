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
  if ((storage.device_state.load(std::memory_order_relaxed) & kUnwritten) != 0) {
    GridBox all;
    all.num_dims = 1;
    all.hi[0] = static_cast<std::int64_t>(storage.bytes()) / element_bytes;
    unwritten.add(all);
  }
  if (are_accesses_watched()) shadow = std::make_unique<AccessShadow>(storage, layout_, mutex);
}

StorageRecord* StorageRecord::find(const Storage& storage) {
  // Acquire pairs with the release of the exchange in `of`.
  return static_cast<StorageRecord*>(storage.device_record.load(std::memory_order_acquire));
}

namespace {

// One record is made at a time: a second one of the storage would take its shadow along when it goes, and accesses may
// look into that already. What is unwritten is looked at and changed in this lock, too.
std::mutex& making() {
  static std::mutex mutex;
  return mutex;
}

}  // namespace

StorageRecord* StorageRecord::find_or_forget_new(Storage& storage) {
  if (StorageRecord* existing = find(storage)) return existing;
  const std::lock_guard lock(making());
  if (StorageRecord* existing = find(storage)) return existing;
  storage.device_state.store(0, std::memory_order_relaxed);
  return nullptr;
}

StorageRecord& StorageRecord::of(Storage& storage, int element_bytes) {
  if (StorageRecord* existing = find(storage)) return *existing;
  const std::lock_guard lock(making());
  if (StorageRecord* existing = find(storage)) return *existing;
  auto made = std::unique_ptr<StorageRecord>(new StorageRecord(storage, element_bytes));
  // Release pairs with the acquire in `find`.
  storage.device_record.store(made.get(), std::memory_order_release);
  return *made.release();
}

StorageRecord::~StorageRecord() {
  for (;;) {
    std::shared_ptr<Registry> registry;
    {
      const std::lock_guard lock(mutex);
      if (residences_.empty()) return;
      PBRT_CHECK(residences_.back()->parts.empty(), "operations in flight keep their storage");
      registry = residences_.back()->registry();
    }
    leave(*registry);
  }
}

Residence* StorageRecord::at(const Registry& registry) const {
  for (const auto& each : residences_)
    if (each->registry().get() == &registry) return each.get();
  return nullptr;
}

Residence& StorageRecord::attach(const std::shared_ptr<Registry>& registry) {
  {
    const std::lock_guard lock(mutex);
    if (Residence* known = at(*registry)) return *known;
  }
  const std::lock_guard registry_lock(registry->mutex);
  const std::lock_guard lock(mutex);
  if (Residence* known = at(*registry)) return *known;
  residences_.push_back(std::make_unique<Residence>(*this, registry));
  registry->residences.push_back(residences_.back().get());
  publish_state();
  return *residences_.back();
}

Registries StorageRecord::others_than(const Residence& home) const {
  Registries out;
  for (const auto& each : residences_)
    if (each.get() != &home) out.push_back(each->registry());
  return out;
}

void StorageRecord::remove(Residence& home) {
  std::erase_if(residences_, [&](const std::unique_ptr<Residence>& each) { return each.get() == &home; });
}

void StorageRecord::leave(Registry& registry) {
  const std::lock_guard registry_lock(registry.mutex);
  const std::lock_guard lock(mutex);
  Residence* const home = at(registry);
  if (home == nullptr) return;  // the manager has ended meanwhile
  std::erase(registry.residences, home);
  std::unique_ptr<Buffer> buffer = std::move(home->buffer);
  remove(*home);
  if (buffer == nullptr) return;
  if (registry.shares_host_memory || registry.queue == nullptr) {
    registry.used_bytes -= buffer->size_bytes();
    buffer.reset();
  } else {
    registry.pool.push_back(std::move(buffer));
  }
  if (registry.when_buffer_returns && registry.queue != nullptr) std::exchange(registry.when_buffer_returns, nullptr)();
}

bool StorageRecord::adopt(const OwnedView& view) {
  if (known_.find(view) != nullptr) return true;
  const std::optional<Layout> refined = layout_.refined_for(view);
  if (!refined) return false;
  if (*refined != layout_) {
    const auto convert = [&](BoxSet& set) { set = refined->convert(set, layout_); };
    convert(lost);
    convert(unwritten);
    for (const auto& home : residences_) {
      convert(home->valid);
      convert(home->dirty);
      for (OperationPart* part : home->parts) {
        convert(part->host_use);
        convert(part->host_result);
        convert(part->device_use);
      }
    }
    layout_ = *refined;
    known_.clear();
  }
  known_.add(view, layout_.box_of(view));
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

GridBox StorageRecord::box_of(const OwnedView& view) {
  if (const GridBox* const box = known_.find(view)) return *box;
  return adopt(view) ? *known_.find(view) : whole();
}

BoxSet StorageRecord::newer_than_host(const OwnedView& view) {
  const GridBox box = box_of(view);
  BoxSet newer = lost.intersect(box);
  for (const auto& home : residences_) newer.add(home->dirty.intersect(box));
  return newer;
}

bool StorageRecord::is_newer(const GridBox& box) const {
  return std::any_of(residences_.begin(), residences_.end(),
                     [&](const std::unique_ptr<Residence>& home) { return home->dirty.overlaps(box); });
}

Registries StorageRecord::owners_of(const GridBox& box, bool or_in_use) const {
  Registries out;
  for (const auto& home : residences_)
    if (home->dirty.overlaps(box) || (or_in_use && home->host_in_use(BoxSet(box)))) out.push_back(home->registry());
  return out;
}

void StorageRecord::wrote_on_device(Residence& home, const GridBox& box) {
  for (const auto& each : residences_) {
    for (OperationPart* part : each->host_parts)
      if (!part->host_result.is_empty()) part->host_result.remove(box);
    if (each.get() == &home) continue;
    each->dirty.remove(box);
    if (!PB_FAULT(other_device_stays_valid)) each->valid.remove(box);
  }
  unwritten.remove(box);
  home.valid.add(box);
  if (!PB_FAULT(result_never_copied_out)) home.dirty.add(box);
  lost.remove(box);
}

void StorageRecord::wrote_on_host(const OwnedView& view) {
  const GridBox box = box_of(view);
  BoxSet written(box);
  for (const auto& home : residences_) {
    PBRT_CHECK(home->dirty.is_empty() || adopt(view), "a view of another shape than its matrix was written");
    written.remove(home->dirty);
  }
  if (!PB_FAULT(stale_device_copy))
    for (const auto& home : residences_) home->valid.remove(written);
  if (adopt(view)) lost.remove(box);  // else the box is the whole, of which the host may have written a part alone
  unwritten.remove(box);
  publish_state();
}

void StorageRecord::forget(const OwnedView& view) {
  if (std::none_of(residences_.begin(), residences_.end(), [](const auto& home) { return home->has_own_memory(); }) ||
      !adopt(view))
    return;
  for (const auto& home : residences_)
    if (home->has_own_memory()) home->dirty.remove(*known_.find(view));
  wrote_on_host(view);
}

void StorageRecord::begin(OperationPart& part) {
  part.home->parts.push_back(&part);
  if (!part.host_use.is_empty()) part.home->host_parts.push_back(&part);
  publish_state();
}

/// Removes a part that stands there once at most. Parts mostly end in the order in which they began.
static void remove_from(std::vector<OperationPart*>& parts, const OperationPart& part) {
  const auto place = std::find(parts.begin(), parts.end(), &part);
  if (place != parts.end()) parts.erase(place);
}

void StorageRecord::end(OperationPart& part, bool ok) {
  remove_from(part.home->parts, part);
  remove_from(part.home->host_parts, part);
  if (ok || PB_FAULT(failed_copy_counts)) part.home->dirty.remove(part.host_result);
  publish_state();
}

void StorageRecord::lose(Residence& home) {
  lost.add(home.dirty);
  home.dirty.clear();
  home.valid.clear();
  publish_state();
}

bool StorageRecord::host_in_use(const GridBox& box) const {
  const BoxSet boxes(box);
  return std::any_of(residences_.begin(), residences_.end(),
                     [&](const std::unique_ptr<Residence>& home) { return home->host_in_use(boxes); });
}

void StorageRecord::publish_state() {
  std::uint32_t state = kHasRecord;
  if (shadow != nullptr) state |= kWatched;
  if (!lost.is_empty()) state |= kDirty;
  for (const auto& home : residences_) {
    if (!home->dirty.is_empty()) state |= kDirty;
    if (!home->host_parts.empty()) state |= kInFlight;
  }
  // Release pairs with the acquire in device_state: who sees a bit cleared sees the data.
  storage_->device_state.store(state, std::memory_order_release);
}

}  // namespace pbrt::gpu
