// SPDX-License-Identifier: MIT
#include "runtime/gpu/manager/host_tasks.h"

#include <mutex>

#include "base/seeded_fault.h"

namespace pbrt::gpu {

Progress HostTasks::run(FetchTask& task) {
  StorageRecord& record = *StorageRecord::find(*task.storage.get());
  {
    const std::lock_guard lock(record.mutex);
    const GridBox box = record.box_of(task.view);
    if (record.lost.overlaps(box)) return task.waiting.finish(false, "results were lost with a device"), Progress::Done;
    if (!record.dirty.overlaps(box)) return task.waiting.finish(true), Progress::Done;
  }
  const bool is_under_way =
      parts_.copies.bring(record, task.storage, [&](StorageRecord& locked) { return locked.box_of(task.view); });
  return is_under_way && !task.waiting.waker ? Progress::Done : Progress::NotReady;
}

Progress HostTasks::run(QuiesceTask& task) {
  StorageRecord& record = *StorageRecord::find(*task.storage.get());
  {
    const std::lock_guard lock(record.mutex);
    const GridBox box = record.box_of(task.view);
    const bool is_quiet = !record.dirty.overlaps(box) && !record.host_in_use(box);
    if (is_quiet || PB_FAULT(host_write_does_not_wait)) return task.waiting.finish(true), Progress::Done;
  }
  if (parts_.device.info().shares_host_memory) return Progress::NotReady;
  // Whatever could not be copied now is tried again.
  static_cast<void>(
      parts_.copies.bring(record, task.storage, [&](StorageRecord& locked) { return locked.box_of(task.view); }));
  return Progress::NotReady;
}

Progress HostTasks::run(DropTask& task) {
  StorageRecord& record = *StorageRecord::find(*task.storage.get());
  if (parts_.memory.drop(record)) return task.waiting.finish(true), Progress::Done;
  // Whatever could not be copied now is tried again.
  static_cast<void>(parts_.copies.bring(record, task.storage, [](StorageRecord& locked) { return locked.whole(); }));
  return Progress::NotReady;
}

Progress HostTasks::run(DrainTask& task) {
  if (!parts_.operations.is_empty() || parts_.queue.num_launches() != 0) return Progress::NotReady;
  task.waiting.finish(true);
  return Progress::Done;
}

Progress HostTasks::run(EvictionTask& task) {
  return task.operation == nullptr || task.operation->is_applied ? Progress::Done : Progress::NotReady;
}

}  // namespace pbrt::gpu
