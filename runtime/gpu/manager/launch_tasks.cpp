// SPDX-License-Identifier: MIT
#include "runtime/gpu/manager/launch_tasks.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <mutex>
#include <numeric>
#include <sstream>
#include <string>
#include <utility>

#include "base/seeded_fault.h"
#include "runtime/gpu/manager/block_shape.h"
#include "runtime/gpu/manager/shapes/margin_shape.h"
#include "runtime/gpu/manager/shapes/scan_shape.h"
#include "runtime/gpu/manager/shapes/wave_shape.h"

namespace pbrt::gpu {
namespace {

template <class T>
KernelArg value_arg(T value) {
  KernelArg arg;
  arg.size_bytes = sizeof(T);
  std::memcpy(arg.value.data(), &value, sizeof(T));
  return arg;
}

constexpr int kLeastRecordBytes = 8;  // kernels of stages have a parameter for records, also where no fold has any

std::size_t tile_bytes_of(const LaunchTile& tile, const WorkShape& shape) {
  auto bytes = static_cast<std::size_t>(tile.element_bytes);
  for (const TileDim& dim : tile.dims) {
    std::int64_t extent = dim.extent;
    for (std::size_t d = 0; d < 3; ++d)
      extent += PB_FAULT(tile_without_halo)
                    ? 0
                    : (dim.step[d] < 0 ? -dim.step[d] : dim.step[d]) * (static_cast<std::int64_t>(shape.span(d)) - 1);
    bytes *= static_cast<std::size_t>(std::max<std::int64_t>(0, extent));
  }
  return bytes;
}

std::vector<std::size_t> tile_bytes_of(const LaunchPlan& plan, const WorkShape& shape) {
  std::vector<std::size_t> out;
  for (const LaunchTile& tile : plan.tiles) out.push_back(tile_bytes_of(tile, shape));
  return out;
}

/// Adds what groups copy to a tile beyond the end of the range.
void widen(Halo& halo, const LaunchTile& tile, const std::array<std::int64_t, 3>& beyond, std::int64_t rounds) {
  for (std::size_t k = 0; k < tile.dims.size(); ++k) {
    const TileDim& dim = tile.dims[k];
    std::int64_t cells = dim.extent == kBlockExtent ? rounds : 0;
    for (std::size_t d = 0; d < 3; ++d) cells += std::abs(dim.step[d]) * beyond[d];
    halo[k] = std::max(halo[k], cells);
  }
}

/// How far groups of this shape read beyond what the instances of the launch touch.
Halo halo_of(const LaunchPlan& plan, const WorkShape& shape) {
  Halo halo = {};
  const std::array<std::size_t, 3> extents = extents_of(plan);
  std::array<std::int64_t, 3> beyond = {};
  for (std::size_t d = 0; d < 3; ++d)
    beyond[d] = static_cast<std::int64_t>(divided_up(extents[d], own_span(plan, shape, d)) * own_span(plan, shape, d) -
                                          extents[d]);
  const auto rounds = static_cast<std::int64_t>(shape.block_rounds * shape.block_stages);
  for (const LaunchTile& tile : plan.tiles) widen(halo, tile, beyond, 0);
  for (const LaunchPanel& panel : plan.panels) widen(halo, panel.cells, beyond, rounds);
  return halo;
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
  for (const std::size_t bytes : job.tile_bytes) {
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

/// What a driver says first of a kernel that it rejects, in lines of their own.
std::string first_lines_of(const std::string& log) {
  constexpr int kMostLines = 12;
  std::istringstream lines(log);
  std::string text, line;
  for (int i = 0; i < kMostLines && std::getline(lines, line); ++i)
    if (!line.empty()) text += "\n  " + line;
  return text;
}

/// The work-items of whole groups that have all instances.
KernelRange range_of(const LaunchPlan& plan, const WorkShape& shape) {
  KernelRange range;
  range.num_dims = std::clamp(static_cast<int>(plan.extent.size()), 1, 3);
  range.group = shape.group;
  const std::array<std::size_t, 3> extent = extents_of(plan);
  for (std::size_t d = 0; d < 3; ++d)
    range.global[d] = divided_up(extent[d], own_span(plan, shape, d)) * shape.group[d];
  range.global[2] *= batches_of(plan);
  return range;
}

/// As above, for a stage in which several groups run an instance.
KernelRange range_of(const LaunchPlan& plan, const WorkShape& shape, std::size_t fold_groups) {
  KernelRange range = range_of(plan, shape);
  range.global[0] *= fold_groups;
  return range;
}

}  // namespace

void LaunchTasks::end(LaunchJob& job, bool ok, const std::string& reason) {
  if (job.stage == LaunchJob::Stage::Ended) return;
  if (job.stage != LaunchJob::Stage::Submitted) parts_.memory.release(job);
  job.stage = LaunchJob::Stage::Ended;
  DeviceCopies::release_claims(job);
  parts_.queue.launch_ended();
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
    if (region.written.empty()) region.record->wrote_on_host(region.touched);
    for (const OwnedView& part : region.written) region.record->wrote_on_host(part);
  }
}

/// After a failure the fiber writes the outputs on the host. What the kernel was to change in place may be half
/// changed, and counts as lost.
void LaunchTasks::record_failure(const LaunchJob& job) {
  for (const LaunchRegion& region : job.plan.regions) {
    if (!region.is_written) continue;
    const std::lock_guard lock(region.record->mutex);
    const BoxSet boxes = region.written_boxes();
    region.home->dirty.remove(boxes);
    region.is_read ? region.record->lost.add(boxes) : region.record->lost.remove(boxes);
    region.record->publish_state();
  }
}

Progress LaunchTasks::run(PrepareTask& task) {
  LaunchJob& job = *task.job;
  if (job.stage != LaunchJob::Stage::Submitted) return Progress::Done;
  if (!parts_.device.is_alive()) return fail(job, parts_.device.failure_message());
  try {
    if (!job.only_prefetch && job.stages.empty() && !choose_kernel(job)) return Progress::Done;
  } catch (const KernelTable::NotKnown&) {
    job.stages.clear();
    return Progress::NotReady;
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
  if (parts_.memory.use_windows(job)) return acquire_memory(job);
  if (job.waiting.waker) job.waiting.outcome->lacks_memory = true;
  return fail(job, parts_.memory.reason_against(job));
}

bool LaunchTasks::add_stages(LaunchJob& job, const WorkShape& wanted, KernelTable::Found& found) {
  const KernelDesc& kernel = *job.plan.kernel;
  for (int stage = 1; stage <= kernel.num_stages; ++stage) {
    WorkShape shape = wanted;
    found = find_kernel(job.plan, shape, stage);
    if (found.kernel == nullptr || found.is_generic) {
      job.stages.clear();
      return false;
    }
    // Groups count tiles of as many lanes as those that store. Records have the same room for bins in all stages.
    const bool has_other_records = kernel.has_ordered_bins && shape.bin_copies != wanted.bin_copies;
    if ((kernel.has_places && shape.lanes != wanted.lanes) || has_other_records) {
      job.stages.clear();
      return add_stages(job, shape, found);
    }
    job.stages.push_back({found.kernel, range_of(job.plan, shape, kernel.is_divided(stage) ? shape.fold_groups : 1)});
  }
  const std::size_t bin_bytes = kernel.has_ordered_bins ? wanted.bin_cells * sizeof(std::uint32_t) : 0;
  job.scratch_bytes = instances_of(job.plan) * wanted.fold_groups *
                      (static_cast<std::size_t>(std::max(kernel.record_bytes, kLeastRecordBytes)) + bin_bytes);
  return true;
}

bool LaunchTasks::choose_blocks(LaunchJob& job) {
  const LaunchPlan& plan = job.plan;
  const bool has_units =
      wants_matrix_units(plan) && kernels_.matrix_units_of(*parts_.device, plan.kernel->products) != MatrixUnits::None;
  const std::optional<WorkShape> wanted = block_shape_of(plan, parts_.device.info(), has_units);
  if (!wanted) return false;
  WorkShape shape = *wanted;
  const KernelTable::Found found = find_kernel(plan, shape, 0);
  if (found.kernel == nullptr || found.is_generic || !tiles_fit(*found.kernel, {})) {
    if (found.new_log == nullptr) return false;
    parts_.device.warn("device `" + parts_.device.info().name + "` rejected kernel `" + plan.kernel->name +
                       "` in blocks of rounds; it runs without");
    return false;
  }
  job.stages = {{found.kernel, range_of(plan, shape)}};
  job.halo = halo_of(plan, shape);
  job.is_in_blocks = true;
  job.is_on_matrix_units = shape.on_matrix_units;
  parts_.statistics.count([&](DeviceStatistics& s) { s.groups_clamped += shape.group != wanted->group ? 1 : 0; });
  return true;
}

bool LaunchTasks::choose_windows(LaunchJob& job, const WorkShape& shape) {
  const LaunchPlan& plan = job.plan;
  const auto build = [&](int stage) -> Kernel* {
    const KernelTable::Found found = kernels_.find(*parts_.device, plan, shape, stage);
    if (found.new_log != nullptr) report_rejection(*plan.kernel, *found.new_log);
    const std::size_t items = shape.group[0] * shape.group[1] * shape.group[2];
    const bool fits = found.kernel != nullptr && !found.is_generic && tiles_fit(*found.kernel, {}) &&
                      items <= found.kernel->limits().max_group_size;
    return fits ? found.kernel : nullptr;
  };
  if (!has_group_per_window(plan, shape, parts_.device.info())) {
    Kernel* const kernel = build(0);
    if (kernel != nullptr) job.stages = {{kernel, range_of_lines(plan, shape)}};
    return kernel != nullptr;
  }
  Kernel *const clearing = build(1), *const scanning = build(2);
  if (clearing == nullptr || scanning == nullptr) return false;
  const ScanScratch scratch = scan_scratch_of(plan, shape);
  job.stages = {{clearing, scratch.range}, {scanning, range_of_windows(plan, shape)}};
  job.scratch_bytes = scratch.bytes;
  return true;
}

bool LaunchTasks::choose_scan(LaunchJob& job) {
  const LaunchPlan& plan = job.plan;
  const DeviceInfo& info = parts_.device.info();
  const WorkShape wanted = scan_shape_of(plan, info);
  WorkShape shape = wanted;
  shape.group = clamp_group(shape.group, info, info.max_group_size);
  // A kernel may need so many registers that the device runs it in smaller groups only.
  for (WorkShape tried = wanted; tried.scan_items > 1; tried = with_half_a_window(plan, tried)) {
    const bool fits = clamp_group(tried.group, info, info.max_group_size) == tried.group;
    if (fits && choose_windows(job, tried)) return true;
  }
  // A work-item runs each line, which every device can do.
  if (shape.scan_items > 0) {
    shape = line_shape_of(plan, info);
    shape.group = clamp_group(shape.group, info, info.max_group_size);
  }
  const KernelTable::Found found = kernels_.find(*parts_.device, plan, shape, 0);
  if (found.kernel == nullptr) {
    if (found.new_log != nullptr) report_rejection(*plan.kernel, *found.new_log);
    return fail(job, "the driver rejected the kernel"), false;
  }
  shape.group = clamp_group(shape.group, info, found.kernel->limits().max_group_size);
  job.stages = {{found.kernel, range_of_lines(plan, shape)}};
  parts_.statistics.count([&](DeviceStatistics& s) {
    s.generic_builds_used += found.is_generic ? 1 : 0;
    s.groups_clamped += wanted.group != shape.group ? 1 : 0;
  });
  return true;
}

bool LaunchTasks::choose_waves(LaunchJob& job) {
  const LaunchPlan& plan = job.plan;
  std::optional<WaveShape> shape = wave_shape_of(plan, parts_.device.info());
  if (!shape) return fail(job, "the rows of a wavefront are too long"), false;
  const KernelTable::Found found = kernels_.find(*parts_.device, plan, WorkShape(), 0);
  if (found.kernel == nullptr) {
    if (found.new_log != nullptr) report_rejection(*plan.kernel, *found.new_log);
    return fail(job, "the driver rejected the kernel"), false;
  }
  const std::array<std::size_t, 3> wanted = shape->group;
  shape->group = clamp_group(wanted, parts_.device.info(), found.kernel->limits().max_group_size);
  job.stages = waves_of(plan, *shape, found.kernel);
  parts_.statistics.count([&](DeviceStatistics& s) {
    s.generic_builds_used += found.is_generic ? 1 : 0;
    s.groups_clamped += wanted != shape->group ? 1 : 0;
  });
  return true;
}

bool LaunchTasks::choose_kernel(LaunchJob& job) {
  if (job.plan.kernel->num_wave_rows > 0) return choose_waves(job);
  if (job.plan.kernel->scan_loop >= 0) return choose_scan(job);
  if (choose_blocks(job)) return true;
  const LaunchPlan& plan = job.plan;
  const DeviceInfo& info = parts_.device.info();
  const WorkShape wanted = has_margins(plan) ? margin_shape_of(plan, info) : shape_of(plan, info);
  WorkShape shape = wanted;
  KernelTable::Found found;
  if (wanted.fold_groups > 1) {
    if (add_stages(job, wanted, found)) return true;
    shape.fold_groups = 1;
    if (shape.bin_copies == 0) shape = without_local_bins(plan, shape);
  }
  if (wanted.fold_groups == 1 || found.kernel != nullptr) found = find_kernel(plan, shape, 0);
  if (found.kernel == nullptr) {
    if (found.new_log != nullptr) report_rejection(*plan.kernel, *found.new_log);
    return fail(job, "the driver rejected the kernel"), false;
  }
  const bool is_clamped = shape.group != wanted.group;
  parts_.statistics.count([&](DeviceStatistics& s) {
    s.generic_builds_used += found.is_generic ? 1 : 0;
    s.groups_clamped += is_clamped ? 1 : 0;
  });
  if (!has_own_spans(plan, shape)) return fail(job, "work-groups are smaller than their margins"), false;
  job.stages = {{found.kernel, range_of(plan, shape)}};
  job.is_in_vectors = shape.vector_width > 0 && !found.is_generic;
  job.tile_bytes = tile_bytes_of(plan, shape);
  job.halo = halo_of(plan, shape);
  if (tiles_fit(*found.kernel, job.tile_bytes)) return true;
  job.stages.clear();
  return fail(job, "local memory"), false;
}

KernelTable::Found LaunchTasks::find_kernel(const LaunchPlan& plan, WorkShape& shape, int stage) {
  const DeviceInfo& info = parts_.device.info();
  shape = with_group(shape, clamp_group(shape.group, info, info.max_group_size));
  KernelTable::Found found = kernels_.find(*parts_.device, plan, shape, stage);
  for (int attempt = 0; attempt < 8 && found.kernel != nullptr; ++attempt) {
    // A kernel may allow smaller groups than the device. A kernel that is specialised for its group is then built
    // again.
    WorkShape allowed = with_group(shape, clamp_group(shape.group, info, found.kernel->limits().max_group_size));
    if (found.is_generic && shape.block_rounds > 0) break;
    if (found.is_generic) {
      allowed.items = {1, 1, 1};
      allowed.lanes = 1;
      allowed.kept_rounds = 0;
      allowed = without_local_bins(plan, allowed);
    } else if (shape.bin_cells > 0 && shape.bin_copies > 0 && !tiles_fit(*found.kernel, {})) {
      allowed = without_local_bins(plan, allowed);
    } else if (is_open(plan.items) && !tiles_fit(*found.kernel, tile_bytes_of(plan, allowed))) {
      allowed = with_fewer_items(allowed);
    }
    if (allowed == shape) break;
    const bool is_other_build = plan.kernel->specialize_group || allowed.block_rounds > 0 || allowed.has_lanes() ||
                                allowed.lanes != shape.lanes || allowed.items != shape.items;
    shape = allowed;
    if (is_other_build && !found.is_generic) found = kernels_.find(*parts_.device, plan, shape, stage);
  }
  return found;
}

void LaunchTasks::report_rejection(const KernelDesc& kernel, const std::string& log) {
  parts_.device.warn("device `" + parts_.device.info().name + "` rejected kernel `" + kernel.name +
                     "`; its CPU version is used" + first_lines_of(log));
  parts_.statistics.reject({kernel.name, log});
}

bool LaunchTasks::tiles_fit(const Kernel& kernel, const std::vector<std::size_t>& tile_bytes) const {
  const std::uint64_t own = kernel.limits().local_bytes;
  return std::accumulate(tile_bytes.begin(), tile_bytes.end(), own) <= parts_.device.info().local_bytes;
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
    if (job.waiting.waker) job.waiting.outcome->is_lost = true;
    return fail(job, lost.what());
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
  std::int64_t cells = 1;
  for (const std::int32_t extent : job.plan.extent) cells *= extent;
  for (const LaunchStage& stage : job.stages) {
    const bool is_last = &stage == &job.stages.back();
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
    launched_.emplace(stage.kernel, stage.range.group);
    job.is_enqueued = is_last;
    job.operations.push_back(operation);
    record_kernel(job, *operation, is_last);
  }
  parts_.statistics.count([&](DeviceStatistics& s) {
    ++s.launches;
    s.launches_in_blocks += job.is_in_blocks ? 1 : 0;
    s.launches_in_vectors += job.is_in_vectors ? 1 : 0;
    s.launches_on_matrix_units += job.is_on_matrix_units ? 1 : 0;
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
  return std::all_of(job.stages.begin(), job.stages.end(), [&](const LaunchStage& stage) {
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
