// SPDX-License-Identifier: MIT
// The tasks of the management thread.
#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "base/seeded_fault.h"
#include "runtime/config/check.h"
#include "runtime/gpu/manager_impl.h"

namespace pbrt::gpu {
namespace {

template <class T>
KernelArg value_arg(T value) {
  KernelArg arg;
  arg.size_bytes = sizeof(T);
  std::memcpy(arg.value.data(), &value, sizeof(T));
  return arg;
}

std::int64_t bytes_of(const std::vector<CopyShape>& shapes) {
  std::size_t bytes = 0;
  for (const CopyShape& shape : shapes) bytes += shape.bytes();
  return static_cast<std::int64_t>(bytes);
}

/// Without that anybody asks.
bool is_read_back(const LaunchRegion& region) {
  return region.is_written && (region.copy_out == CopyOut::Must || region.copy_out == CopyOut::Eager ||
                               region.copy_out == CopyOut::Result);
}

std::size_t tile_bytes_of(const LaunchTile& tile, const std::array<std::size_t, 3>& group) {
  auto bytes = static_cast<std::size_t>(tile.element_bytes);
  for (const TileDim& dim : tile.dims) {
    std::int64_t extent = dim.extent;
    for (std::size_t d = 0; d < 3; ++d)
      extent += PB_FAULT(tile_without_halo) ? 0 : (dim.step[d] < 0 ? -dim.step[d] : dim.step[d]) * (static_cast<std::int64_t>(group[d]) - 1);
    bytes *= static_cast<std::size_t>(std::max<std::int64_t>(0, extent));
  }
  return bytes;
}

}  // namespace

BoxSet LaunchRegion::written_boxes() const {
  if (written.empty()) return BoxSet(record->box_of(touched));
  BoxSet boxes;
  for (const OwnedView& part : written) boxes.add(record->box_of(part));
  return boxes;
}

/// Ends a job and wakes its fiber if it still waits. After a failed launch its outputs are the fiber's to write; what
/// the kernel was to change in place may be half changed and counts as lost.
void Manager::Impl::end(LaunchJob& job, bool ok, const std::string& reason) {
  if (job.stage == LaunchJob::Stage::Ended) return;
  if (job.stage != LaunchJob::Stage::Submitted) --num_pinning_jobs;
  job.stage = LaunchJob::Stage::Ended;
  active_jobs.fetch_sub(1, std::memory_order_relaxed);
  unpin(job);
  if (!ok) {
    count([](DeviceStatistics& s) { ++s.launches_failed; });
    for (LaunchRegion& region : job.plan.regions) {
      if (!job.is_enqueued || !job.waiting.waker || !region.is_written) continue;
      const std::lock_guard lock(region.record->mutex);
      const BoxSet boxes = region.written_boxes();
      region.record->dirty.remove(boxes);
      region.is_read ? region.record->lost.add(boxes) : region.record->lost.remove(boxes);
      region.record->publish_state();
    }
  }
  job.waiting.finish(ok, reason);
}

// --- prepare ---------------------------------------------------------------------------------

Progress Manager::Impl::run(PrepareTask& task) {
  LaunchJob& job = *task.job;
  if (job.stage != LaunchJob::Stage::Submitted) return Progress::Done;
  if (!is_alive) return fail(job, failure_message()), Progress::Done;
  if (!job.only_prefetch && job.kernel == nullptr && !choose_kernel(job)) return Progress::Done;
  const auto fits_its_matrix = [](LaunchRegion& region) {
    const std::lock_guard lock(region.record->mutex);
    const auto adopts = [&](const OwnedView& view) { return region.record->adopt(view); };
    return adopts(region.view) && adopts(region.touched) && std::all_of(region.written.begin(), region.written.end(), adopts);
  };
  if (!std::all_of(job.plan.regions.begin(), job.plan.regions.end(), fits_its_matrix))
    return fail(job, "a region is not of its matrix's shape"), Progress::Done;
  switch (acquire_buffers(job)) {
    case Acquired::Yes:
      job.stage = LaunchJob::Stage::Prepared;
      ++num_pinning_jobs;
      return Progress::Done;
    case Acquired::Later:
      return Progress::NotReady;
    case Acquired::No:
      break;
  }
  return fail(job, "device memory"), Progress::Done;
}

bool Manager::Impl::choose_kernel(LaunchJob& job) {
  LaunchPlan& plan = job.plan;
  const int num_loops = static_cast<int>(plan.extent.size());
  for (int d = std::max(num_loops, 0); d < 3; ++d) plan.group[d] = 1;
  const std::array<std::size_t, 3> wanted = plan.group;
  std::array<std::size_t, 3> group = clamp_group(wanted, info, info.max_group_size);
  KernelTable::Found found = kernels.find(*device, plan, group);
  // A kernel may allow less than the device; one specialised for its group is built again for the smaller one.
  for (int attempt = 0; attempt < 3 && found.kernel != nullptr; ++attempt) {
    const auto allowed = clamp_group(group, info, found.kernel->limits().max_group_size);
    if (allowed == group) break;
    group = allowed;
    if (plan.kernel->specialize_group) found = kernels.find(*device, plan, group);
  }
  if (found.kernel == nullptr) {
    if (found.new_log != nullptr) {
      warn(std::string("device `") + info.name + "` rejected kernel `" + plan.kernel->name +
           "`; its CPU version is used");
      const std::lock_guard lock(statistics_mutex);
      ++statistics.builds_rejected;
      rejected.push_back({plan.kernel->name, *found.new_log});
    }
    return fail(job, "the driver rejected the kernel"), false;
  }
  const bool is_clamped = group != wanted;
  count([&](DeviceStatistics& s) {
    s.generic_builds_used += found.is_generic ? 1 : 0;
    s.groups_clamped += is_clamped ? 1 : 0;
  });
  job.kernel = found.kernel;
  job.range.num_dims = std::clamp(num_loops, 1, 3);
  job.range.group = group;
  std::array<std::size_t, 3> extent = {1, 1, 1};
  for (int d = 0; d < num_loops; ++d) extent[std::min(d, 2)] *= static_cast<std::size_t>(plan.extent[d]);
  for (int d = 0; d < 3; ++d) job.range.global[d] = (extent[d] + group[d] - 1) / group[d] * group[d];
  return tiles_fit(job);
}

bool Manager::Impl::tiles_fit(LaunchJob& job) {
  std::uint64_t total = job.kernel->limits().local_bytes;
  for (const LaunchTile& tile : job.plan.tiles) {
    job.tile_bytes.push_back(tile_bytes_of(tile, job.range.group));
    total += job.tile_bytes.back();
  }
  if (total <= info.local_bytes) return true;
  return fail(job, "local memory"), false;
}

// --- copy-in ---------------------------------------------------------------------------------

Progress Manager::Impl::run(CopyInTask& task) {
  LaunchJob& job = *task.job;
  if (job.stage == LaunchJob::Stage::Ended) return Progress::Done;
  if (!is_alive) return fail(job, failure_message()), Progress::Done;
  if (job.stage == LaunchJob::Stage::Submitted) return Progress::NotReady;
  const Progress progress = copy_in(job, job.plan.regions[task.region]);
  if (progress == Progress::Done) --job.num_copy_ins;
  return progress;
}

Progress Manager::Impl::copy_in(LaunchJob& job, LaunchRegion& region) {
  if (!region.is_read) return Progress::Done;
  StorageRecord& record = *region.record;
  std::vector<CopyShape> shapes;
  auto part = std::make_unique<OperationPart>();
  BoxSet missing;
  CopyOrder order = CopyOrder::InQueue;
  {
    const std::lock_guard lock(record.mutex);
    missing = BoxSet(record.box_of(region.touched));
    missing.remove(record.valid);
    if (info.shares_host_memory) return record.valid.add(missing), Progress::Done;
    if (missing.is_empty()) return count([](DeviceStatistics& s) { ++s.copies_avoided; }), Progress::Done;
    if (num_kernels != 0 && are_long(record, missing) && !record.device_in_use(missing, true, false))
      order = CopyOrder::Beside;
    else if (num_beside != 0 && record.device_in_use(missing, true, true))
      return Progress::NotReady;
    record.valid.add(missing);
    shapes = record.layout().copy_shapes(missing);
    part->record = &record;
    part->storage = region.storage;
    part->device_use = missing;
    part->writes_device = true;
    part->is_beside = order == CopyOrder::Beside;
    if (part->is_beside || !device->copies_at_enqueue(shapes)) part->host_use = missing;
    record.begin(*part);
  }
  const std::int64_t bytes = bytes_of(shapes);
  const std::shared_ptr<Operation> operation = new_operation({TraceKind::CopyIn, nullptr, bytes}, order);
  operation->parts.push_back(std::move(part));
  try {
    device->write(*record.buffer, record.storage().data(), shapes, order, *operation);
  } catch (const DeviceRefusal& refusal) {
    discard(*operation);
    {
      const std::lock_guard lock(record.mutex);
      record.valid.remove(missing);
    }
    return fail(job, refusal.what()), Progress::Done;
  }
  job.operations.push_back(operation);
  count([&](DeviceStatistics& s) {
    ++s.copies_to_device;
    s.copies_beside += order == CopyOrder::Beside ? 1 : 0;
    s.bytes_to_device += bytes;
  });
  return Progress::Done;
}

// --- execute ---------------------------------------------------------------------------------

Progress Manager::Impl::run(ExecuteTask& task) {
  LaunchJob& job = *task.job;
  if (job.stage == LaunchJob::Stage::Ended) return Progress::Done;
  if (!is_alive) return fail(job, failure_message()), Progress::Done;
  if (job.stage == LaunchJob::Stage::Submitted || job.num_copy_ins != 0) return Progress::NotReady;
  if (job.only_prefetch) {
    job.stage = LaunchJob::Stage::Executing;
    return Progress::Done;
  }
  if (waits_for_copies(job)) return Progress::NotReady;
  enqueue_kernel(job);
  if (job.stage == LaunchJob::Stage::Ended) return Progress::Done;
  enqueue_eager_reads(job);
  job.stage = LaunchJob::Stage::Executing;
  flush_if_needed();
  if (!is_alive) return fail(job, failure_message()), Progress::Done;
  const bool is_awaited = std::any_of(job.plan.regions.begin(), job.plan.regions.end(), [](const LaunchRegion& region) {
    return region.is_written && region.copy_out == CopyOut::Must;
  });
  // In-order execution keeps the order of what the fiber launches next.
  if (!is_awaited) job.waiting.finish(true);
  return Progress::Done;
}

std::vector<KernelArg> Manager::Impl::arguments(const LaunchJob& job) const {
  std::vector<KernelArg> args;
  for (const LaunchRegion& region : job.plan.regions) {
    if (!region.is_argument) continue;
    KernelArg data;
    data.kind = KernelArg::Kind::Buffer;
    data.buffer = region.record->buffer.get();
    args.push_back(data);
    args.push_back(value_arg(region.view.offset));
    for (int d = 0; d < region.view.num_dims; ++d) args.push_back(value_arg(region.view.strides[d]));
    for (int d = 0; d < region.view.num_dims; ++d)
      args.push_back(value_arg(static_cast<std::int32_t>(region.view.sizes[d])));
  }
  for (const LaunchScalar& scalar : job.plan.scalars) args.push_back(scalar.arg);
  for (const std::int32_t lo : job.plan.lo) args.push_back(value_arg(lo));
  for (const std::int32_t extent : job.plan.extent) args.push_back(value_arg(extent));
  for (const std::size_t bytes : job.tile_bytes) {
    KernelArg tile;
    tile.kind = KernelArg::Kind::Local;
    tile.size_bytes = std::max<std::size_t>(bytes, 1);
    args.push_back(tile);
  }
  return args;
}

void Manager::Impl::enqueue_kernel(LaunchJob& job) {
  const std::vector<KernelArg> args = arguments(job);
  std::int64_t cells = 1;
  for (const std::int32_t extent : job.plan.extent) cells *= extent;
  const std::shared_ptr<Operation> operation = new_operation({TraceKind::Kernel, &job.plan.kernel->rule, cells});
  try {
    device->launch(*job.kernel, args, job.range, *operation);
  } catch (const DeviceRefusal& refusal) {
    discard(*operation);
    return fail(job, refusal.what());
  }
  job.is_enqueued = true;
  job.operations.push_back(operation);
  record_kernel(job, *operation);
  count([](DeviceStatistics& s) { ++s.launches; });
}

/// Notes in the records what the kernel, enqueued just now, writes and which memory it uses.
void Manager::Impl::record_kernel(LaunchJob& job, Operation& operation) {
  for (LaunchRegion& region : job.plan.regions) {
    auto part = std::make_unique<OperationPart>();
    part->record = region.record;
    part->storage = region.storage;
    const std::lock_guard lock(region.record->mutex);
    const GridBox box = region.record->box_of(region.touched);
    const BoxSet written = region.is_written ? region.written_boxes() : BoxSet();
    for (const GridBox& each : written.boxes()) region.record->wrote_on_device(each);
    if (info.shares_host_memory) {
      part->host_use = BoxSet(box);
      part->host_result = written;
    } else {
      part->device_use = BoxSet(box);
      part->writes_device = region.is_written;
    }
    region.record->begin(*part);
    operation.parts.push_back(std::move(part));
  }
}

void Manager::Impl::enqueue_eager_reads(LaunchJob& job) {
  if (info.shares_host_memory) return;
  // Nobody else has work for the device while the only launch is waited for.
  const bool is_alone = active_jobs.load(std::memory_order_relaxed) == 1;
  for (LaunchRegion& region : job.plan.regions) {
    if (!is_read_back(region)) continue;
    auto read = copy_out(*region.record, region.storage, [&](StorageRecord& record) -> ReadBack {
      BoxSet boxes = record.dirty_not_under_way(record.box_of(region.touched));
      const bool is_late = (region.copy_out != CopyOut::Must || !is_alone) && are_long(record, boxes);
      job.has_late_reads |= is_late;
      if (is_late || region.copy_out == CopyOut::Result) return {};
      return {std::move(boxes)};
    });
    if (read != nullptr) job.operations.push_back(std::move(read));
  }
}

bool Manager::Impl::enqueue_late_reads(LaunchJob& job) {
  bool has_any = false;
  const bool is_alone = num_kernels == 0 && active_jobs.load(std::memory_order_relaxed) == 1;
  for (LaunchRegion& region : job.plan.regions) {
    if (!is_read_back(region)) continue;
    const bool is_result = region.copy_out == CopyOut::Result;
    auto read = copy_out(*region.record, region.storage, [&](StorageRecord& record) -> ReadBack {
      // What a later kernel writes is that one's to bring.
      BoxSet boxes = record.settled(record.dirty_not_under_way(record.box_of(region.touched)));
      if (is_result && !are_long(record, boxes)) return {};
      // After the last kernel of a run nothing is to be kept from waiting.
      return {std::move(boxes), is_result && is_alone ? CopyOrder::InQueue : CopyOrder::Beside};
    });
    if (read == nullptr) continue;
    job.operations.push_back(std::move(read));
    has_any = true;
  }
  job.has_late_reads = false;  // not if the device failed above
  return has_any;
}

bool Manager::Impl::are_long(const StorageRecord& record, const BoxSet& boxes) const {
  return static_cast<std::uint64_t>(boxes.num_cells() * record.layout().element_bytes()) >= device->min_bytes_beside();
}

bool Manager::Impl::waits_for_copies(const LaunchJob& job) const {
  if (num_beside == 0 || PB_FAULT(kernel_overtakes_copy)) return false;
  return std::any_of(job.plan.regions.begin(), job.plan.regions.end(), [](const LaunchRegion& region) {
    const std::lock_guard lock(region.record->mutex);
    return region.record->device_in_use(BoxSet(region.record->box_of(region.touched)), region.is_written, true);
  });
}

bool Manager::Impl::bring(StorageRecord& record, const StorageRef& storage, const std::function<GridBox(StorageRecord&)>& box_of) {
  const bool is_alone = num_kernels == 0 && active_jobs.load(std::memory_order_relaxed) == 0;
  bool is_all = true;
  static_cast<void>(copy_out(record, storage, [&](StorageRecord& locked) -> ReadBack {  // seen through the record
    BoxSet boxes = locked.dirty_not_under_way(box_of(locked));
    if (is_alone || !are_long(locked, boxes)) return {std::move(boxes)};
    BoxSet ready = locked.settled(boxes);
    is_all = ready.num_cells() == boxes.num_cells();
    return {std::move(ready), CopyOrder::Beside};
  }));
  return is_all;
}

std::shared_ptr<Operation> Manager::Impl::copy_out_all(StorageRecord& record, StorageRef storage) {
  return copy_out(record, std::move(storage), [](StorageRecord& locked) -> ReadBack { return {locked.dirty_not_under_way(locked.whole())}; });
}

std::shared_ptr<Operation> Manager::Impl::copy_out(StorageRecord& record, StorageRef storage,
                                                   const std::function<ReadBack(StorageRecord&)>& choose) {
  std::vector<CopyShape> shapes;
  auto part = std::make_unique<OperationPart>();
  CopyOrder order = CopyOrder::InQueue;
  {
    const std::lock_guard lock(record.mutex);
    ReadBack back = choose(record);
    if (back.boxes.is_empty()) return nullptr;
    order = back.order;
    part->record = &record;
    part->storage = std::move(storage);
    part->is_beside = order == CopyOrder::Beside;
    shapes = record.layout().copy_shapes(back.boxes);
    part->host_use = part->host_result = part->device_use = std::move(back.boxes);
    record.begin(*part);
  }
  const std::int64_t bytes = bytes_of(shapes);
  const std::shared_ptr<Operation> operation = new_operation({TraceKind::CopyOut, nullptr, bytes}, order);
  operation->parts.push_back(std::move(part));
  try {
    device->read(*record.buffer, record.storage().data(), shapes, order, *operation);
  } catch (const DeviceRefusal& refusal) {
    // Results that cannot be read back are lost: the device is of no use.
    throw DeviceFailure(refusal.what());
  }
  count([&](DeviceStatistics& s) {
    ++s.copies_to_host;
    s.copies_beside += order == CopyOrder::Beside ? 1 : 0;
    s.bytes_to_host += bytes;
  });
  return operation;
}

// --- completion ------------------------------------------------------------------------------

Progress Manager::Impl::run(CompletionTask& task) {
  LaunchJob& job = *task.job;
  if (job.stage == LaunchJob::Stage::Ended) return Progress::Done;
  if (job.stage != LaunchJob::Stage::Executing) return Progress::NotReady;
  const auto has_ended = [](const std::shared_ptr<Operation>& operation) { return operation->is_applied; };
  const auto succeeded = [](const std::shared_ptr<Operation>& operation) { return operation->is_ok; };
  if (!PB_FAULT(launch_ends_early) && !std::all_of(job.operations.begin(), job.operations.end(), has_ended))
    return Progress::NotReady;
  // A device that failed since then may have done this launch in full.
  if (!std::all_of(job.operations.begin(), job.operations.end(), succeeded))
    return fail(job, failure_message()), Progress::Done;
  if (job.has_late_reads && !is_alive) return fail(job, failure_message()), Progress::Done;
  if (job.has_late_reads && enqueue_late_reads(job)) return Progress::NotReady;
  end(job, true, {});
  return Progress::Done;
}

// --- what fibers wait for --------------------------------------------------------------------

Progress Manager::Impl::run(FetchTask& task) {
  StorageRecord& record = *StorageRecord::find(*task.storage.get());
  {
    const std::lock_guard lock(record.mutex);
    const GridBox box = record.box_of(task.view);
    if (record.lost.overlaps(box)) return task.waiting.finish(false, "results were lost with a device"), Progress::Done;
    if (!record.dirty.overlaps(box)) return task.waiting.finish(true), Progress::Done;
  }
  const bool is_under_way = bring(record, task.storage, [&](StorageRecord& locked) { return locked.box_of(task.view); });
  return is_under_way && !task.waiting.waker ? Progress::Done : Progress::NotReady;
}

Progress Manager::Impl::run(QuiesceTask& task) {
  StorageRecord& record = *StorageRecord::find(*task.storage.get());
  {
    const std::lock_guard lock(record.mutex);
    const GridBox box = record.box_of(task.view);
    const bool is_quiet = !record.dirty.overlaps(box) && !record.host_in_use(box);
    if (is_quiet || PB_FAULT(host_write_does_not_wait)) return task.waiting.finish(true), Progress::Done;
  }
  if (info.shares_host_memory) return Progress::NotReady;
  static_cast<void>(bring(record, task.storage, [&](StorageRecord& locked) { return locked.box_of(task.view); }));  // what is left is tried again
  return Progress::NotReady;
}

Progress Manager::Impl::run(DropTask& task) {
  StorageRecord& record = *StorageRecord::find(*task.storage.get());
  {
    const std::lock_guard registry_lock(registry->mutex);
    const std::lock_guard lock(record.mutex);
    if (record.dirty.is_empty() && !record.is_busy()) {
      recycle_buffer(record);
      task.waiting.finish(true);
      return Progress::Done;
    }
  }
  static_cast<void>(bring(record, task.storage, [](StorageRecord& locked) { return locked.whole(); }));  // what is left is tried again
  return Progress::NotReady;
}

Progress Manager::Impl::run(DrainTask& task) {
  if (!operations.empty() || active_jobs.load(std::memory_order_relaxed) != 0) return Progress::NotReady;
  task.waiting.finish(true);
  return Progress::Done;
}

Progress Manager::Impl::run(EvictionTask& task) {
  return task.operation == nullptr || task.operation->is_applied ? Progress::Done : Progress::NotReady;
}

}  // namespace pbrt::gpu

// Note [Copies beside kernels]
//
// The device's queue is in order. A long copy that waits there keeps kernels waiting that do not need it; where the driver
// copies in the calling thread, it keeps the management thread, too. So a copy from Device::min_bytes_beside() on leaves the
// queue where something is to be gained: a copy-in while a kernel runs, a read-back where the launching fiber goes on or
// others launch, a copy-out on demand while the device has other work. Results of the run are read back as soon as their
// kernel has ended if they are long: the run writes them once (declared outputs; not in nests, whose slices are short), so
// no copy is in vain. Short copies stay: waking somebody costs more.
//
// The device orders nothing among copies beside and the rest; this thread does, by the boxes of the operations in flight
// (OperationPart::device_use). A copy goes beside only once nothing in flight is in its way: a copy-in stays in the queue
// else, a read-back waits until the kernel's end was applied, as a part of its completion task. In the other direction an
// execute task is not ready while a copy beside is in its way, nor is a copy-in. So each operation begins after what it
// depends on was seen to end well, and none of a failed device counts that came after the failure.
