// SPDX-License-Identifier: MIT
#include "runtime/gpu/manager/device_copies.h"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "base/seeded_fault.h"
#include "runtime/gpu/residency/other_devices.h"
#include "runtime/gpu/residency/untouched_pages.h"

namespace pbrt::gpu {
namespace {

std::int64_t bytes_of(const std::vector<CopyShape>& shapes) {
  std::size_t bytes = 0;
  for (const CopyShape& shape : shapes) bytes += shape.bytes();
  return static_cast<std::int64_t>(bytes);
}

/// Shorter copies are as fast as finding out that there is nothing to copy.
constexpr std::size_t kMinCleared = std::size_t{1} << 18;

/// Drivers take as many bytes along with the call, as they do with the arguments of a kernel.
constexpr std::int64_t kMostBriefBytes = 4096;

/// Of matrices that are so many times as large as a long copy and that several devices have, short copies go beside the
/// queue, too: the edges of blocks, which another device waits for, while this one has a long kernel.
constexpr std::uint64_t kLongCopiesOfShared = 16;

/// Whether a region is read back to the host without a request for it.
bool is_read_back(const LaunchRegion& region) {
  return region.is_written &&
         (region.copy_out == CopyOut::Must || region.copy_out == CopyOut::Eager || region.copy_out == CopyOut::Result);
}

/// The rule of the job's kernel; null if it has none.
const RuleDesc* rule_of(const LaunchJob& job) { return job.only_prefetch ? nullptr : &job.plan.kernel->rule; }

/// Why the job's regions are copied to the device.
const char* why_in(const LaunchJob& job) { return job.only_prefetch ? "a later step reads it" : "the kernel reads it"; }

/// Why a region is read back without a request for it.
const char* why_out(const LaunchRegion& region) {
  switch (region.copy_out) {
    case CopyOut::Must:
      return "a step of the CPU reads it next";
    case CopyOut::Eager:
      return "the CPU does the rest of the step";
    case CopyOut::Result:
      return "it is a result of the run";
    case CopyOut::Reused:
    case CopyOut::May:
      break;
  }
  return "the CPU reads it";
}

/// Pre: the record's mutex is held. Errors: DeviceLost
void check_not_lost(const StorageRecord& record, const BoxSet& boxes) {
  if (record.lost.overlaps(boxes)) throw DeviceLost("results were lost with a device");
}

/// Where a window begins in the host's memory.
std::byte* host_of(const StorageRecord& record, const LaunchWindow& window) {
  return static_cast<std::byte*>(record.storage().data()) + window.first_byte;
}

}  // namespace

bool DeviceCopies::is_away(const Residence& home, const BoxSet& missing) {
  const StorageRecord& record = home.record();
  check_not_lost(record, missing);
  if (record.residences().size() == 1) return false;
  return !newer_elsewhere(home, missing).is_empty() && !PB_FAULT(newer_elsewhere_is_not_waited_for);
}

Progress DeviceCopies::copy_in(LaunchJob& job, LaunchRegion& region) {
  if (!region.is_read) return Progress::Done;
  StorageRecord& record = *region.record;
  Residence& home = *region.home;
  if (const LaunchWindow* window = job.window_of(record)) {
    copy_into_window(job, region, *window);
    return Progress::Done;
  }
  std::vector<CopyShape> shapes;
  std::unique_ptr<OperationPart> part;
  BoxSet missing;
  CopyOrder order = CopyOrder::InQueue;
  bool is_zero = false;
  {
    std::unique_lock lock(record.mutex);
    missing = home.missing(record.box_of(region.touched));
    if (is_away(home, missing)) {
      lock.unlock();
      ask_others(region);
      return Progress::NotReady;
    }
    if (device_.info().shares_host_memory) return home.valid.add(missing), Progress::Done;
    if (missing.is_empty()) return statistics_.count([](DeviceStatistics& s) { ++s.copies_avoided; }), Progress::Done;
    if (others_in_way(home, missing, false)) return Progress::NotReady;
    shapes = record.layout().copy_shapes(missing);
    is_zero = are_zero(record, shapes);
    if (!is_zero && leave_out_unwritten(home, missing)) {
      if (missing.is_empty()) return Progress::Done;
      shapes = record.layout().copy_shapes(missing);
    }
    if (!is_zero && operations_.has_kernels() && may_go_beside(home, missing) &&
        !home.device_in_use(missing, true, false))
      order = CopyOrder::Beside;
    else if (operations_.has_copies_beside() && home.device_in_use(missing, true, true))
      return Progress::NotReady;
    home.valid.add(missing);
    part = std::make_unique<OperationPart>();
    part->home = &home;
    part->storage = region.storage;
    part->device_use = missing;
    part->writes_device = true;
    part->is_beside = order == CopyOrder::Beside;
    if (!is_zero && (part->is_beside || !device_->copies_at_enqueue(shapes))) part->host_use = missing;
    record.begin(*part);
  }
  const std::int64_t bytes = is_zero ? 0 : bytes_of(shapes);
  const std::shared_ptr<Operation> operation = operations_.begin(
      {TraceKind::CopyIn, rule_of(job), bytes, is_zero ? "the host never used it, so it is cleared" : why_in(job)},
      order);
  operation->parts.push_back(std::move(part));
  try {
    is_zero ? device_->clear(*home.buffer, shapes[0].offset, shapes[0].row_bytes, *operation)
            : device_->write(*home.buffer, record.storage().data(), shapes, order, *operation);
  } catch (const DeviceRefusal&) {
    {
      // Others may have refined the layout since, and the boxes of what is in flight with it.
      const std::lock_guard lock(record.mutex);
      home.valid.remove(operation->parts.front()->device_use);
    }
    operations_.end(*operation, false);
    throw;
  }
  job.operations.push_back(operation);
  statistics_.count([&](DeviceStatistics& s) {
    if (is_zero) return void(++s.copies_avoided);
    ++s.copies_to_device;
    s.copies_beside += order == CopyOrder::Beside ? 1 : 0;
    s.bytes_to_device += bytes;
  });
  return Progress::Done;
}

BoxSet DeviceCopies::worth_copying(const StorageRecord& record, BoxSet missing) const {
  if (!copies_unwritten_) missing.remove(record.unwritten);
  return missing;
}

bool DeviceCopies::leave_out_unwritten(Residence& home, BoxSet& missing) const {
  const StorageRecord& record = home.record();
  if (copies_unwritten_ || !record.unwritten.overlaps(missing)) return false;
  BoxSet written = worth_copying(record, missing);
  missing.remove(written);
  home.valid.add(missing);
  missing = std::move(written);
  return true;
}

bool DeviceCopies::is_brief(const LaunchJob& job, const LaunchRegion& region) const {
  if (!job.windows.empty()) return false;
  StorageRecord& record = *region.record;
  const std::lock_guard lock(record.mutex);
  if (!region.is_read) return true;
  const GridBox box = record.box_of(region.touched);
  if (device_.info().shares_host_memory && record.residences().size() == 1) return true;
  const BoxSet missing = worth_copying(record, region.home->missing(box));
  if (missing.is_empty()) return true;
  return record.residences().size() == 1 && missing.num_cells() * record.layout().element_bytes() <= kMostBriefBytes;
}

bool DeviceCopies::reads_nothing_back(const LaunchJob& job) const {
  if (!job.windows.empty()) return false;
  return device_.info().shares_host_memory ||
         std::none_of(job.plan.regions.begin(), job.plan.regions.end(), is_read_back);
}

/// Whether the host never used these parts, so that the device clears its own memory instead.
bool DeviceCopies::are_zero(const StorageRecord& record, const std::vector<CopyShape>& shapes) {
  const bool is_row = shapes.size() == 1 && shapes[0].rows == 1 && shapes[0].slices == 1;
  return is_row && shapes[0].row_bytes >= kMinCleared &&
         is_untouched(record.storage(), shapes[0].offset, shapes[0].row_bytes);
}

bool DeviceCopies::bring_for_windows(LaunchJob& job) {
  if (job.windows.empty()) return true;
  bool is_all_quiet = true;
  for (LaunchRegion& region : job.plan.regions) {
    StorageRecord& record = *region.record;
    if (job.window_of(record) == nullptr) continue;
    {
      const std::lock_guard lock(record.mutex);
      const GridBox box = record.box_of(region.touched);
      if (region.is_read) check_not_lost(record, BoxSet(box));
      if (!record.is_newer(box) && !record.host_in_use(box)) continue;
    }
    is_all_quiet = false;
    ask_others(region);
    // Whatever could not be copied now is tried again.
    static_cast<void>(bring(*region.home, region.storage, "a kernel works on windows of it",
                            [&](StorageRecord& locked) { return locked.box_of(region.touched); }));
  }
  return is_all_quiet;
}

DeviceCopies::WindowCopy DeviceCopies::begin_copy(const LaunchJob& job, const LaunchRegion& region,
                                                  const LaunchWindow& window, TraceKind kind) {
  StorageRecord& record = *region.record;
  auto part = std::make_unique<OperationPart>();
  WindowCopy out;
  {
    const std::lock_guard lock(record.mutex);
    const BoxSet boxes = kind == TraceKind::CopyIn ? BoxSet(record.box_of(region.touched)) : region.written_boxes();
    if (kind == TraceKind::CopyIn) check_not_lost(record, boxes);
    out.shapes = window.moved(record.layout().copy_shapes(boxes));
    if (out.shapes.empty()) return out;
    part->home = region.home;
    part->storage = region.storage;
    part->writes_host = kind == TraceKind::CopyOut;
    if (kind == TraceKind::CopyOut || !device_->copies_at_enqueue(out.shapes)) part->host_use = boxes;
    record.begin(*part);
  }
  out.bytes = bytes_of(out.shapes);
  out.operation =
      operations_.begin({kind, rule_of(job), out.bytes, "the kernel has a window of it"}, CopyOrder::InQueue);
  out.operation->parts.push_back(std::move(part));
  return out;
}

void DeviceCopies::copy_into_window(LaunchJob& job, const LaunchRegion& region, const LaunchWindow& window) {
  const WindowCopy copy = begin_copy(job, region, window, TraceKind::CopyIn);
  if (copy.operation == nullptr) return;
  try {
    device_->write(*window.buffer, host_of(*region.record, window), copy.shapes, CopyOrder::InQueue, *copy.operation);
  } catch (const DeviceRefusal&) {
    operations_.end(*copy.operation, false);
    throw;
  }
  job.operations.push_back(copy.operation);
  statistics_.count([&](DeviceStatistics& s) {
    ++s.copies_to_device;
    s.bytes_to_device += copy.bytes;
  });
}

void DeviceCopies::read_window(LaunchJob& job, const LaunchRegion& region, const LaunchWindow& window) {
  const WindowCopy copy = begin_copy(job, region, window, TraceKind::CopyOut);
  if (copy.operation == nullptr) return;
  try {
    device_->read(*window.buffer, host_of(*region.record, window), copy.shapes, CopyOrder::InQueue, *copy.operation);
  } catch (const DeviceRefusal& refusal) {
    throw DeviceFailure(refusal.what());
  }
  job.operations.push_back(copy.operation);
  statistics_.count([&](DeviceStatistics& s) {
    ++s.copies_to_host;
    s.bytes_to_host += copy.bytes;
  });
}

bool DeviceCopies::are_in_way_of(const LaunchJob& job) const {
  if (!operations_.has_copies_beside() || PB_FAULT(kernel_overtakes_copy)) return false;
  return std::any_of(job.plan.regions.begin(), job.plan.regions.end(), [](const LaunchRegion& region) {
    const std::lock_guard lock(region.record->mutex);
    return region.home->device_in_use(BoxSet(region.record->box_of(region.touched)), region.is_written, true);
  });
}

bool DeviceCopies::claim_host(LaunchJob& job) const {
  if (!device_.info().shares_host_memory) return true;
  for (const LaunchRegion& region : job.plan.regions) {
    std::unique_lock lock(region.record->mutex);
    if (region.record->residences().size() == 1) continue;
    auto part = std::make_unique<OperationPart>();
    part->home = region.home;
    part->storage = region.storage;
    part->host_use = BoxSet(region.record->box_of(region.touched));
    part->writes_host = region.is_written;
    if (others_in_way(*region.home, part->host_use, region.is_written)) {
      lock.unlock();
      release_claims(job);
      return false;
    }
    region.record->begin(*part);
    job.claims.push_back(std::move(part));
  }
  return true;
}

void DeviceCopies::release_claims(LaunchJob& job) {
  for (const auto& part : job.claims) {
    StorageRecord& record = part->home->record();
    Registries waiting;
    {
      const std::lock_guard lock(record.mutex);
      record.end(*part, false);
      waiting = record.others_than(*part->home);
    }
    poke_all(waiting);
  }
  job.claims.clear();
}

void DeviceCopies::enqueue_eager_reads(LaunchJob& job) {
  if (device_.info().shares_host_memory) return;
  // There is no other work for the device while the only launch is waited for.
  const bool is_alone = queue_.launches().number() == 1;
  for (LaunchRegion& region : job.plan.regions) {
    if (const LaunchWindow* window = job.window_of(*region.record)) {
      if (region.is_written) read_window(job, region, *window);
      continue;
    }
    if (!is_read_back(region)) continue;
    bool is_whole = true;  // what is left out stays newer on the device
    const Cause cause = {rule_of(job), why_out(region)};
    auto read = copy_out(*region.home, region.storage, cause, is_whole, [&](Residence& home) -> ReadBack {
      BoxSet boxes = home.dirty_not_under_way(home.record().box_of(region.touched));
      const bool is_late = (region.copy_out != CopyOut::Must || !is_alone) && are_long(home, boxes);
      job.has_late_reads |= is_late;
      if (is_late || region.copy_out == CopyOut::Result) return {};
      return {std::move(boxes)};
    });
    if (read != nullptr) job.operations.push_back(std::move(read));
  }
}

bool DeviceCopies::enqueue_late_reads(LaunchJob& job) {
  bool has_any = false;
  const bool is_alone = !operations_.has_kernels() && queue_.launches().number() == 1;
  for (LaunchRegion& region : job.plan.regions) {
    if (!is_read_back(region)) continue;
    const bool is_result = region.copy_out == CopyOut::Result;
    bool is_whole = true;  // what is left out stays newer on the device
    const Cause cause = {rule_of(job), why_out(region)};
    auto read = copy_out(*region.home, region.storage, cause, is_whole, [&](Residence& home) -> ReadBack {
      // Boxes that a later kernel writes are left to that kernel's read-back.
      BoxSet boxes = home.settled(home.dirty_not_under_way(home.record().box_of(region.touched)));
      if (is_result && !are_long(home, boxes)) return {};
      // After the last kernel of a run there is nothing that the copy would keep waiting.
      return {std::move(boxes), is_result && is_alone ? CopyOrder::InQueue : CopyOrder::Beside};
    });
    if (read == nullptr) continue;
    job.operations.push_back(std::move(read));
    has_any = true;
  }
  job.has_late_reads = false;  // not reached if the device failed above
  return has_any;
}

bool DeviceCopies::are_long(const Residence& home, const BoxSet& boxes) const {
  const std::int64_t bytes = boxes.num_cells() * home.record().layout().element_bytes();
  return static_cast<std::uint64_t>(bytes) >= device_->min_bytes_beside();
}

bool DeviceCopies::may_go_beside(const Residence& home, const BoxSet& boxes) const {
  if (are_long(home, boxes)) return true;
  const StorageRecord& record = home.record();
  return record.residences().size() > 1 &&
         record.storage().bytes() / kLongCopiesOfShared >= device_->min_bytes_beside();
}

bool DeviceCopies::bring(Residence& home, const StorageRef& storage, const char* why,
                         const std::function<GridBox(StorageRecord&)>& box_of, Asker asker) {
  const bool is_alone = !operations_.has_kernels() && queue_.launches().number() == 0;
  bool is_settled = true, is_whole = true;
  // The caller sees the result in the record.
  static_cast<void>(copy_out(home, storage, {nullptr, why}, is_whole, [&](Residence& locked) -> ReadBack {
    BoxSet boxes = locked.dirty_not_under_way(box_of(locked.record()));
    const bool is_beside = asker == Asker::Device ? may_go_beside(locked, boxes) : are_long(locked, boxes);
    if (is_alone || !is_beside) return {std::move(boxes)};
    BoxSet ready = locked.settled(boxes);
    is_settled = ready.num_cells() == boxes.num_cells();
    return {std::move(ready), CopyOrder::Beside};
  }));
  return is_settled && is_whole;
}

std::shared_ptr<Operation> DeviceCopies::copy_out_all(Residence& home, StorageRef storage, const char* why) {
  bool is_whole = true;  // the caller sees in the record what is left
  return copy_out(home, std::move(storage), {nullptr, why}, is_whole,
                  [](Residence& locked) -> ReadBack { return {locked.dirty_not_under_way(locked.record().whole())}; });
}

std::shared_ptr<Operation> DeviceCopies::copy_out(Residence& home, StorageRef storage, const Cause& cause,
                                                  bool& is_whole, const std::function<ReadBack(Residence&)>& choose) {
  StorageRecord& record = home.record();
  std::vector<CopyShape> shapes;
  auto part = std::make_unique<OperationPart>();
  CopyOrder order = CopyOrder::InQueue;
  {
    const std::lock_guard lock(record.mutex);
    ReadBack back = choose(home);
    if (others_in_way(home, back.boxes, true) && !PB_FAULT(host_memory_is_written_early)) {
      back.boxes = free_of_others(home, std::move(back.boxes));
      is_whole = false;
    }
    if (back.boxes.is_empty()) return nullptr;
    order = back.order;
    part->home = &home;
    part->storage = std::move(storage);
    part->is_beside = order == CopyOrder::Beside;
    part->writes_host = true;
    shapes = record.layout().copy_shapes(back.boxes);
    part->host_use = part->host_result = part->device_use = std::move(back.boxes);
    record.begin(*part);
  }
  const std::int64_t bytes = bytes_of(shapes);
  std::shared_ptr<Operation> operation = operations_.begin({TraceKind::CopyOut, cause.rule, bytes, cause.why}, order);
  operation->parts.push_back(std::move(part));
  try {
    device_->read(*home.buffer, record.storage().data(), shapes, order, *operation);
  } catch (const DeviceRefusal& refusal) {
    // Results that cannot be read back are lost: the device is of no use.
    throw DeviceFailure(refusal.what());
  }
  statistics_.count([&](DeviceStatistics& s) {
    ++s.copies_to_host;
    s.copies_beside += order == CopyOrder::Beside ? 1 : 0;
    s.bytes_to_host += bytes;
  });
  return operation;
}

void DeviceCopies::ask_others(LaunchRegion& region) {
  if (region.wish != nullptr && region.wish->is_open()) return;
  Registries owners;
  {
    StorageRecord& record = *region.record;
    const std::lock_guard lock(record.mutex);
    const GridBox box = record.box_of(region.touched);
    for (const auto& each : record.residences())
      if (each.get() != region.home && !each->dirty_not_under_way(box).is_empty()) owners.push_back(each->registry());
  }
  if (owners.empty()) return;
  region.wish = std::make_shared<Wish>(region.home->registry());
  region.wish->num_open.store(static_cast<int>(owners.size()), std::memory_order_relaxed);
  for (const std::shared_ptr<Registry>& owner : owners) {
    FetchTask task;
    task.storage = region.storage;
    task.view = std::make_unique<OwnedView>(region.touched);
    task.wish = region.wish;
    const std::lock_guard lock(owner->mutex);
    // A manager that has ended has brought everything to the host, or lost it.
    if (owner->queue != nullptr)
      owner->queue->push(std::move(task));
    else
      region.wish->num_open.fetch_sub(1, std::memory_order_relaxed);
  }
}

}  // namespace pbrt::gpu

// Note [Copies beside kernels]
//
// The device's queue is in order. A long copy that waits there keeps kernels waiting that do not need it; where the
// driver copies in the calling thread, it keeps the management thread, too. So a copy from Device::min_bytes_beside()
// on leaves the queue where something is to be gained: a copy-in while a kernel runs, a read-back where the launching
// fiber goes on or others launch, a copy-out on demand while the device has other work. Results of the run are read
// back as soon as their kernel has ended if they are long: the run writes them once (declared outputs; not in nests,
// whose slices are short), so no copy is in vain. Short copies stay: waking somebody costs more, but for edges that
// another device waits for.
//
// The device orders nothing among copies beside and the rest; this thread does, by the boxes of the operations in
// flight (OperationPart::device_use). A copy goes beside only once nothing in flight is in its way: a copy-in stays in
// the queue else, a read-back waits until the kernel's end was applied, as a part of its completion task. In the other
// direction an execute task is not ready while a copy beside is in its way, nor is a copy-in. So each operation begins
// after what it depends on was seen to end well, and none of a failed device counts that came after the failure.
