// SPDX-License-Identifier: MIT
#include "runtime/gpu/manager/launch_tasks.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "base/seeded_fault.h"
#include "runtime/gpu/manager/windows/memory_need.h"

namespace pbrt::gpu {
namespace {

template <class T>
KernelArg value_arg(T value) {
  KernelArg arg;
  arg.size_bytes = sizeof(T);
  std::memcpy(arg.value.data(), &value, sizeof(T));
  return arg;
}

/// Adds the arguments that the stages of a launch share.
void append_arguments_of(const LaunchJob& job, std::vector<KernelArg>& args) {
  for (const LaunchRegion& region : job.plan.regions) {
    if (!region.is_argument) continue;
    KernelArg data;
    data.kind = KernelArg::Kind::Buffer;
    const LaunchWindow* const window = job.window_of(*region.record);
    data.buffer = window != nullptr ? window->buffer.get() : region.home->buffer.get();
    args.push_back(data);
    const std::size_t first_byte = window != nullptr ? window->first_byte : 0;
    args.push_back(value_arg(region.view.offset - static_cast<std::int64_t>(first_byte) / region.view.element_bytes));
    for (int d = 0; d < region.view.num_dims; ++d) args.push_back(value_arg(region.view.strides[d]));
    for (int d = 0; d < region.view.num_dims; ++d)
      args.push_back(value_arg(static_cast<std::int32_t>(region.view.sizes[d])));
  }
  for (const ScalarArgument& scalar : job.plan.scalars)
    args.push_back({KernelArg::Kind::Value, nullptr, scalar.bytes(), scalar.size_bytes()});
  for (const std::int32_t lo : job.plan.lo) args.push_back(value_arg(lo));
  for (const std::int32_t extent : job.plan.extent) args.push_back(value_arg(extent));
  for (const std::size_t bytes : job.choice->tile_bytes) {
    KernelArg tile;
    tile.kind = KernelArg::Kind::Local;
    tile.size_bytes = std::max<std::size_t>(bytes, 1);
    args.push_back(tile);
  }
  if (job.scratch != nullptr) {
    KernelArg scratch;
    scratch.kind = KernelArg::Kind::Buffer;
    scratch.buffer = job.scratch.get();
    args.push_back(scratch);
  }
}

/// Notes in the records what a failed launch leaves of its outputs. After a failure the fiber writes them on the host.
/// What the kernel was to change in place may be half changed, and counts as lost.
void record_failure(const LaunchJob& job) {
  for (const LaunchRegion& region : job.plan.regions) {
    if (!region.is_written) continue;
    const std::lock_guard lock(region.record->mutex);
    const BoxSet boxes = region.written_boxes();
    region.home->dirty.remove(boxes);
    const bool is_missed = is_changed_in_place(region, job.plan.regions);
    is_missed ? region.record->lost.add(boxes) : region.record->lost.remove(boxes);
    region.record->publish_state();
  }
}

}  // namespace

void LaunchTasks::end(LaunchJob& job, bool ok, const std::string& reason) {
  if (job.stage == LaunchJob::Stage::Ended) return;
  if (job.stage != LaunchJob::Stage::Submitted) parts_.memory.release(job);
  job.stage = LaunchJob::Stage::Ended;
  DeviceCopies::release_claims(job);
  parts_.queue.launches().end();
  if (ok) record_windows(job);
  if (!ok) {
    parts_.statistics.count([](DeviceStatistics& s) { ++s.launches_failed; });
    if (job.is_enqueued && job.waiting.waker) record_failure(job);
  }
  job.waiting.finish(ok, reason);
}

Progress LaunchTasks::fail(LaunchJob& job, const std::string& reason) {
  return end(job, false, reason), Progress::Done;
}

void LaunchTasks::record_windows(const LaunchJob& job) {
  for (const LaunchRegion& region : job.plan.regions) {
    if (!region.is_written || job.window_of(*region.record) == nullptr) continue;
    const std::lock_guard lock(region.record->mutex);
    for (const OwnedView& part : region.written_parts()) region.record->wrote_on_host(part);
  }
}

Progress LaunchTasks::run(PrepareTask& task) {
  LaunchJob& job = *task.job;
  if (job.stage != LaunchJob::Stage::Submitted) return Progress::Done;
  if (!parts_.device.is_alive()) return fail(job, parts_.device.failure_message());
  try {
    return prepare(job);
  } catch (const KernelTable::NotKnown&) {
    return Progress::NotReady;
  } catch (const DeviceLost& lost) {
    return fail_as_lost(job, lost);
  }
}

Progress LaunchTasks::prepare(LaunchJob& job) {
  if (!job.only_prefetch && job.choice == nullptr) {
    if (!may_fit_memory(job, parts_.device)) return fail_for_memory(job);
    if (!choose_kernel(job)) return Progress::Done;
  }
  const auto fits_its_matrix = [](LaunchRegion& region) {
    const std::lock_guard lock(region.record->mutex);
    const auto adopts = [&](const OwnedView& view) { return region.record->adopt(view); };
    return (region.has_versions || adopts(region.view)) && adopts(region.touched) &&
           std::all_of(region.written.begin(), region.written.end(), adopts);
  };
  if (!std::all_of(job.plan.regions.begin(), job.plan.regions.end(), fits_its_matrix))
    return fail(job, "a region is not of its matrix's shape");
  return acquire_memory(job);
}

Progress LaunchTasks::acquire_memory(LaunchJob& job) {
  if (!parts_.copies.bring_for_windows(job)) return Progress::NotReady;
  switch (parts_.memory.acquire(job)) {
    case DeviceMemory::Acquired::Yes:
      job.stage = LaunchJob::Stage::Prepared;
      return Progress::Done;
    case DeviceMemory::Acquired::Later:
      return Progress::NotReady;
    case DeviceMemory::Acquired::No:
      break;
  }
  // What groups of ranges of rounds keep needs memory, too. Where only that is too much, a group runs all rounds.
  const bool is_in_parts = job.choice != nullptr && job.choice->is_in_parts;
  if (is_in_parts && fits_without_records(job, parts_.device)) return acquire_without_parts(job);
  if (use_windows(job, parts_.device)) return acquire_memory(job);
  return is_in_parts ? acquire_without_parts(job) : fail_for_memory(job);
}

Progress LaunchTasks::acquire_without_parts(LaunchJob& job) {
  job.windows.clear();
  job.choice = nullptr;
  job.plan.block_parts = 1;
  return choose_kernel(job) ? acquire_memory(job) : Progress::Done;
}

Progress LaunchTasks::fail_for_memory(LaunchJob& job) {
  if (job.waiting.waker) job.waiting.outcome->lacks_memory = may_fit_in_pieces(job, parts_.device);
  return fail(job, reason_against(job, parts_.device));
}

Progress LaunchTasks::fail_as_lost(LaunchJob& job, const DeviceLost& lost) {
  if (job.waiting.waker) job.waiting.outcome->is_lost = true;
  return fail(job, lost.what());
}

bool LaunchTasks::choose_kernel(LaunchJob& job) {
  KernelChooser::Chosen chosen = chooser_.choose(job.plan);
  if (chosen.choice == nullptr) return fail(job, chosen.reason_against), false;
  job.choice = std::move(chosen.choice);
  return true;
}

Progress LaunchTasks::run(CopyInTask& task) {
  LaunchJob& job = *task.job;
  if (job.stage == LaunchJob::Stage::Ended) return Progress::Done;
  if (!parts_.device.is_alive()) return fail(job, parts_.device.failure_message());
  if (job.stage == LaunchJob::Stage::Submitted) return Progress::NotReady;
  try {
    const Progress progress = parts_.copies.copy_in(job, job.plan.regions[task.region]);
    if (progress == Progress::Done) --job.num_copy_ins;
    return progress;
  } catch (const DeviceRefusal& refusal) {
    return fail(job, refusal.what());
  } catch (const DeviceLost& lost) {
    return fail_as_lost(job, lost);
  }
}

Progress LaunchTasks::run(ExecuteTask& task) {
  LaunchJob& job = *task.job;
  if (job.stage == LaunchJob::Stage::Ended) return Progress::Done;
  if (!parts_.device.is_alive()) return fail(job, parts_.device.failure_message());
  if (job.stage == LaunchJob::Stage::Submitted || job.num_copy_ins != 0) return Progress::NotReady;
  if (job.only_prefetch) {
    job.stage = LaunchJob::Stage::Executing;
    return Progress::Done;
  }
  if (parts_.copies.are_in_way_of(job) || !parts_.copies.claim_host(job)) return Progress::NotReady;
  enqueue_kernel(job);
  DeviceCopies::release_claims(job);  // what the kernel uses is noted now
  if (job.stage == LaunchJob::Stage::Ended) return Progress::Done;
  parts_.copies.enqueue_eager_reads(job);
  job.stage = LaunchJob::Stage::Executing;
  // Flushing is a call of the driver, which takes about a microsecond. A worker flushes at the end of its turn, if the
  // device has no other work (ManagerImpl::send), else the management thread does, if it is awake.
  if (!is_brief_ || !parts_.queue.is_patient()) static_cast<void>(parts_.operations.flush(*parts_.device));
  const bool is_awaited = !job.windows.empty() ||
                          std::any_of(job.plan.regions.begin(), job.plan.regions.end(), [](const LaunchRegion& region) {
                            return region.is_written && region.copy_out == CopyOut::Must;
                          });
  // The fiber may go on, because the device executes in order what the fiber launches next.
  if (!is_awaited) job.waiting.finish(true);
  return Progress::Done;
}

void LaunchTasks::enqueue_kernel(LaunchJob& job) {
  std::vector<KernelArg>& args = arguments_;
  args.clear();
  append_arguments_of(job, args);
  const std::size_t num_common = args.size();
  const bool is_wavefront = job.plan.kernel->num_wave_rows > 0;
  // Launches before the last one may write, too, as those of a wavefront do. What is written anew counts from the last
  // one on.
  const bool has_several = job.choice->stages.size() > 1;
  const bool changes_in_place =
      has_several && std::any_of(job.plan.regions.begin(), job.plan.regions.end(), [&](const LaunchRegion& region) {
        return is_changed_in_place(region, job.plan.regions);
      });
  std::int64_t cells = 1;
  for (const std::int32_t extent : job.plan.extent) cells *= extent;
  for (const LaunchStage& stage : job.choice->stages) {
    const bool is_last = &stage == &job.choice->stages.back();
    // The launches of a wavefront share its instances, which are counted once.
    const std::int64_t amount = is_wavefront && !is_last ? 0 : cells;
    const std::shared_ptr<Operation> operation =
        parts_.operations.begin({TraceKind::Kernel, &job.plan.kernel->rule, amount});
    args.resize(num_common);
    for (const std::int32_t number : stage.numbers) args.push_back(value_arg(number));
    try {
      parts_.device->launch(*stage.kernel, args, stage.range, *operation);
    } catch (const DeviceRefusal& refusal) {
      parts_.operations.end(*operation, false);
      fail(job, refusal.what());
      return;
    }
    if (!job.choice->was_launched) launched_.emplace(stage.kernel, stage.range.group);
    job.is_enqueued = is_last || changes_in_place;
    job.operations.push_back(operation);
    record_kernel(job, *operation, is_last);
  }
  job.choice->was_launched = true;
  parts_.statistics.count([&](DeviceStatistics& s) {
    ++s.launches;
    s.launches_in_blocks += job.choice->is_in_blocks ? 1 : 0;
    s.launches_in_parts += job.choice->is_in_parts ? 1 : 0;
    s.launches_in_vectors += job.choice->is_in_vectors ? 1 : 0;
    s.launches_on_matrix_units += job.choice->is_on_matrix_units ? 1 : 0;
    s.generic_builds_used += job.choice->is_generic ? 1 : 0;
    s.groups_clamped += job.choice->is_clamped ? 1 : 0;
    s.launches_in_windows += job.windows.empty() ? 0 : 1;
  });
}

void LaunchTasks::record_kernel(const LaunchJob& job, Operation& operation, bool is_last) {
  for (const LaunchRegion& region : job.plan.regions) {
    if (job.window_of(*region.record) != nullptr) continue;
    auto part = std::make_unique<OperationPart>();
    part->home = region.home;
    part->storage = region.storage;
    const std::lock_guard lock(region.record->mutex);
    const GridBox box = region.record->box_of(region.touched);
    const BoxSet written = region.is_written && is_last ? region.written_boxes() : BoxSet();
    for (const GridBox& each : written.boxes()) region.record->wrote_on_device(*region.home, each);
    if (parts_.device.info().shares_host_memory) {
      part->host_use = BoxSet(box);
      part->writes_host = region.is_written;
      part->host_result = written;
    } else {
      part->device_use = BoxSet(box);
      part->writes_device = region.is_written && is_last;
    }
    region.record->begin(*part);
    operation.parts.push_back(std::move(part));
  }
}

bool LaunchTasks::were_launched(const LaunchJob& job) const {
  if (job.choice == nullptr || job.choice->was_launched) return true;
  return std::all_of(job.choice->stages.begin(), job.choice->stages.end(), [&](const LaunchStage& stage) {
    return launched_.contains({stage.kernel, stage.range.group});
  });
}

bool LaunchTasks::is_brief(const Task& task) const {
  if (const auto* completion = std::get_if<CompletionTask>(&task)) return !completion->job->has_late_reads;
  if (const auto* copy_in = std::get_if<CopyInTask>(&task))
    return parts_.copies.is_brief(*copy_in->job, copy_in->job->plan.regions[copy_in->region]);
  if (const auto* execute = std::get_if<ExecuteTask>(&task))
    return were_launched(*execute->job) && parts_.copies.reads_nothing_back(*execute->job);
  const auto* prepare = std::get_if<PrepareTask>(&task);
  if (prepare == nullptr || prepare->job->only_prefetch) return false;
  const LaunchJob& job = *prepare->job;
  return parts_.copies.reads_nothing_back(job) &&
         std::all_of(job.plan.regions.begin(), job.plan.regions.end(),
                     [&](const LaunchRegion& region) { return parts_.copies.is_brief(job, region); }) &&
         has_buffers_for(job, *parts_.memory.registry());
}

Progress LaunchTasks::run(CompletionTask& task) {
  LaunchJob& job = *task.job;
  if (job.stage == LaunchJob::Stage::Ended) return Progress::Done;
  if (job.stage != LaunchJob::Stage::Executing) return Progress::NotReady;
  const auto has_ended = [](const std::shared_ptr<Operation>& operation) { return operation->is_applied; };
  const auto succeeded = [](const std::shared_ptr<Operation>& operation) { return operation->is_ok; };
  if (!PB_FAULT(launch_ends_early) && !std::all_of(job.operations.begin(), job.operations.end(), has_ended))
    return Progress::NotReady;
  // If all operations succeeded, the launch counts as done, even if the device failed afterwards.
  if (!std::all_of(job.operations.begin(), job.operations.end(), succeeded))
    return fail(job, parts_.device.failure_message());
  if (job.has_late_reads && !parts_.device.is_alive()) return fail(job, parts_.device.failure_message());
  if (job.has_late_reads && parts_.copies.enqueue_late_reads(job)) return Progress::NotReady;
  end(job, true, {});
  return Progress::Done;
}

}  // namespace pbrt::gpu
