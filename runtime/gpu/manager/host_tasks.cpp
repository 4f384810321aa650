// SPDX-License-Identifier: MIT
#include "runtime/gpu/manager/host_tasks.h"

#include <mutex>

#include "base/seeded_fault.h"

namespace pbrt::gpu {

Progress HostTasks::run(FetchTask& task) {
  StorageRecord& record = *StorageRecord::find(*task.storage.get());
  const auto end = [&](bool ok, const char* reason) {
    task.waiting.finish(ok, reason);
    if (task.wish != nullptr) {
      task.wish->was_granted();
      poke_all({task.wish->asker});
    }
    return Progress::Done;
  };
  Residence* home = nullptr;
  bool is_lost = false, is_newer = false;
  {
    const std::lock_guard lock(record.mutex);
    const GridBox box = record.box_of(*task.view);
    home = record.at(*parts_.memory.registry());
    is_lost = record.lost.overlaps(box);
    is_newer = home != nullptr && home->dirty.overlaps(box);
  }
  if (is_lost) return end(false, "results were lost with a device");
  if (!is_newer) return end(true, "");
  const bool is_under_way = parts_.copies.bring(
      *home, task.storage, task.wish != nullptr ? "another device needs it" : "the CPU reads it",
      [&](StorageRecord& locked) { return locked.box_of(*task.view); },
      task.wish != nullptr ? Asker::Device : Asker::Host);
  if (task.waiting.waker || !is_under_way) return Progress::NotReady;
  return end(true, "");
}

Progress HostTasks::run(QuiesceTask& task) {
  StorageRecord& record = *StorageRecord::find(*task.storage.get());
  Residence* home = nullptr;
  {
    const std::lock_guard lock(record.mutex);
    const GridBox box = record.box_of(*task.view);
    home = record.at(*parts_.memory.registry());
    const bool is_quiet = home == nullptr || (!home->dirty.overlaps(box) && !home->host_in_use(BoxSet(box)));
    if (is_quiet || PB_FAULT(host_write_does_not_wait)) return task.waiting.finish(true), Progress::Done;
  }
  if (parts_.device.info().shares_host_memory) return Progress::NotReady;
  // Whatever could not be copied now is tried again.
  static_cast<void>(parts_.copies.bring(*home, task.storage, "the CPU writes there",
                                        [&](StorageRecord& locked) { return locked.box_of(*task.view); }));
  return Progress::NotReady;
}

Progress HostTasks::run(DropTask& task) {
  Residence* home = nullptr;
  {
    StorageRecord& record = *StorageRecord::find(*task.storage.get());
    const std::lock_guard lock(record.mutex);
    home = record.at(*parts_.memory.registry());
  }
  if (home == nullptr || parts_.memory.drop(*home)) return task.waiting.finish(true), Progress::Done;
  // Whatever could not be copied now is tried again.
  static_cast<void>(parts_.copies.bring(*home, task.storage, "the device gives it up",
                                        [](StorageRecord& locked) { return locked.whole(); }));
  return Progress::NotReady;
}

Progress HostTasks::run(DrainTask& task) {
  if (!parts_.operations.is_empty() || parts_.queue.launches().number() != 0) return Progress::NotReady;
  task.waiting.finish(true);
  return Progress::Done;
}

Progress HostTasks::run(EvictionTask& task) {
  return task.operation == nullptr || task.operation->is_applied ? Progress::Done : Progress::NotReady;
}

}  // namespace pbrt::gpu
