// SPDX-License-Identifier: MIT
// What generated code and program_main call: on workers' fibers.
#include "runtime/gpu/launch.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>
#include <mutex>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "runtime/config/runtime_check.h"
#include "runtime/gpu/check/checked_part.h"
#include "runtime/gpu/check/device_check.h"
#include "runtime/gpu/manager.h"
#include "runtime/gpu/manager/manager_impl.h"
#include "runtime/gpu/manager/queue/submission.h"
#include "runtime/gpu/several/manager_set.h"
#include "runtime/matrix/access_watch.h"
#include "runtime/matrix/new_contents.h"

namespace pbrt::gpu {

/// The arguments that a Launch collects, and how it ended.
struct LaunchRequest {
  LaunchPlan plan;
  std::vector<LaunchRegion> further;  // parts that the kernel reads beside its arguments
  Frame* frame = nullptr;
  const ManagerSet* devices = nullptr;
  Manager* manager = nullptr;                              // null: one of the devices, if there are any
  bool has_foreign_region = false;                         // a number outside of matrix storage
  const char* objection = nullptr;                         // why the launch must not run; null: it may
  std::vector<std::pair<std::size_t, RegionRef>> numbers;  // regions that are written in the place of numbers
  Outcome outcome;
};

namespace {

/// The reason why the launch cannot be tried; null if it can.
const char* reason_against(const LaunchRequest& request) {
  if (request.plan.kernel->needs_fp64 && !request.manager->info().has_fp64) {
    request.manager->impl().device.warn_of_doubles();
    return "the device has no double precision";
  }
  if (const DeviceCheck* check = request.manager->check();
      check != nullptr && check->is_distrusted(*request.plan.kernel))
    return "an earlier result was not the CPU's";
  return nullptr;
}

bool has_no_instances(const LaunchPlan& plan) {
  return std::any_of(plan.extent.begin(), plan.extent.end(), [](std::int32_t extent) { return extent <= 0; });
}

/// The coordinates in the view of the element that lies at this place of its storage.
std::array<std::int64_t, kMaxDims> coordinates_in(const OwnedView& view, std::int64_t offset) {
  std::array<std::int64_t, kMaxDims> out = {};
  std::vector<std::size_t> dims(static_cast<std::size_t>(view.num_dims));
  std::iota(dims.begin(), dims.end(), std::size_t{0});
  const auto distance = [&](std::size_t d) { return std::abs(view.strides[d]); };
  std::sort(dims.begin(), dims.end(), [&](std::size_t a, std::size_t b) { return distance(a) > distance(b); });
  std::int64_t rest = offset - view.offset;
  for (const std::size_t d : dims) {
    if (view.strides[d] == 0 || view.sizes[d] <= 1) continue;
    out[d] = rest / view.strides[d];
    rest -= out[d] * view.strides[d];
  }
  return out;
}

bool has_lost_input(const LaunchPlan& plan) {
  return std::any_of(plan.regions.begin(), plan.regions.end(), [](const LaunchRegion& region) {
    if (!region.is_read) return false;
    const std::lock_guard lock(region.record->mutex);
    return region.record->lost.overlaps(region.record->box_of(region.touched));
  });
}

/// Announces the parts that a launch uses, in runs whose accesses are watched.
class WatchedLaunch {
 public:
  explicit WatchedLaunch(const LaunchPlan& plan) : rule_(plan.kernel->rule) {
    for (const LaunchRegion& region : plan.regions) {
      if (region.record->shadow == nullptr) continue;
      // If an argument says which parts it reads, that covers its further parts, too.
      if (!region.is_argument && has_reads_of(plan, region)) continue;
      const std::lock_guard lock(region.record->mutex);
      if (region.is_read)
        add(region, region.read.empty() ? std::span(&region.touched, 1) : std::span(region.read), false);
      if (region.is_written) add(region, region.written_parts(), true);
    }
  }
  void is_enqueued() const {
    for (const Part& part : parts_) {
      const std::lock_guard lock(part.record->mutex);
      part.record->shadow->launched(part.view, part.is_written, rule_);
    }
  }

 private:
  struct Part {
    StorageRef storage;
    StorageRecord* record;
    OwnedView view;
    bool is_written;
  };
  static bool has_reads_of(const LaunchPlan& plan, const LaunchRegion& further) {
    return std::any_of(plan.regions.begin(), plan.regions.end(), [&](const LaunchRegion& region) {
      return region.is_argument && region.record == further.record && !region.read.empty();
    });
  }
  void add(const LaunchRegion& region, std::span<const OwnedView> views, bool is_written) {
    for (const OwnedView& view : views) {
      region.record->shadow->before_launch(view, rule_);
      parts_.push_back({region.storage, region.record, view, is_written});
    }
  }

  const RuleDesc& rule_;  // a rule of the program, which outlives the launch
  std::vector<Part> parts_;
};

}  // namespace

Launch::Launch(const KernelDesc& kernel, Frame& frame, LaunchDevices devices)
    : request_(std::make_unique<LaunchRequest>().release()) {
  request_->plan.kernel = &kernel;
  request_->frame = &frame;
  request_->plan.regions.reserve(static_cast<std::size_t>(kernel.num_regions));
  request_->plan.scalars.reserve(static_cast<std::size_t>(kernel.num_scalars));
  request_->devices = devices.set;
  request_->manager = devices.manager;
}

Launch::~Launch() { const std::unique_ptr<LaunchRequest> owned(request_); }

Launch& Launch::add_region(const RegionRef& view, const RegionRef& touched, int access, CopyOut copy_out) {
  LaunchRegion region;
  region.is_read = (access & kRead) != 0;
  region.is_written = (access & kWrite) != 0;
  region.copy_out = copy_out;
  region.kind = view.view.kind;
  if (view.storage == nullptr || touched.storage != view.storage) {
    request_->has_foreign_region = true;
  } else {
    region.storage = share(view.storage);
    region.view = argument(*view.storage, view.view);
    region.has_versions = !is_inside(*view.storage, region.view);
    region.touched = own(*view.storage, touched.view);
  }
  request_->plan.regions.push_back(std::move(region));
  return *this;
}

void Launch::add_written(const RegionRef& part) {
  LaunchRegion& region = request_->plan.regions.back();
  if (part.storage != nullptr) region.written.push_back(own(*part.storage, part.view));
}

Launch& Launch::reads(const RegionRef& part) {
  if (part.storage != nullptr) request_->plan.regions.back().read.push_back(own(*part.storage, part.view));
  return *this;
}

Launch& Launch::also_reads(const RegionRef& view, const RegionRef& read) {
  add_region(view, read, kRead, CopyOut::May);
  std::vector<LaunchRegion>& regions = request_->plan.regions;
  regions.back().is_argument = false;
  request_->further.push_back(std::move(regions.back()));
  regions.pop_back();
  return *this;
}

Launch& Launch::scalar(const ScalarArgument& value) {
  request_->plan.scalars.push_back(value);
  return *this;
}

Launch& Launch::tile(int element_bytes, int num_dims, const TileDim* dims, int contiguous) {
  LaunchTile tile{element_bytes, std::vector<TileDim>(dims, dims + num_dims)};
  if (contiguous < 0) {
    request_->plan.tiles.push_back(std::move(tile));
  } else {
    request_->plan.panels.push_back({std::move(tile), static_cast<std::size_t>(contiguous)});
  }
  return *this;
}

Launch& Launch::range(int num_dims, const std::int32_t* lo, const std::int32_t* extent) {
  request_->plan.lo.assign(lo, lo + num_dims);
  request_->plan.extent.assign(extent, extent + num_dims);
  return *this;
}

Launch& Launch::range_of(int num_dims, const std::int64_t* lo, const std::int64_t* hi) {
  request_->plan.lo.assign(lo, lo + num_dims);
  request_->plan.extent.clear();
  for (int d = 0; d < num_dims; ++d)
    request_->plan.extent.push_back(static_cast<std::int32_t>(std::max<std::int64_t>(0, hi[d] - lo[d])));
  return *this;
}

/// Copies a shape that a configuration gives; a null one is left to the manager.
static void set_shape(std::array<std::size_t, 3>& to, const std::int64_t* shape, int num_dims) {
  for (int d = 0; d < std::min(num_dims, 3); ++d)
    to[d] = shape == nullptr ? 0 : static_cast<std::size_t>(std::max<std::int64_t>(0, shape[d]));
}

/// A number that a configuration gives; a null one is 0.
static std::size_t number_at(const std::int64_t* number) {
  return number == nullptr ? 0 : static_cast<std::size_t>(std::max<std::int64_t>(0, *number));
}

Launch& Launch::group(const std::int64_t* shape, int num_dims, const std::int64_t* items, const std::int64_t* lanes,
                      const std::int64_t* kept_rounds, const std::int64_t* block_items,
                      const std::int64_t* block_rounds, const std::int64_t* block_stages,
                      const std::int64_t* block_parts, const std::int64_t* matrix_units) {
  set_shape(request_->plan.group, shape, num_dims);
  set_shape(request_->plan.items, items, num_dims);
  request_->plan.lanes = number_at(lanes);
  request_->plan.kept_rounds = number_at(kept_rounds);
  for (std::size_t i = 0; i < request_->plan.block_items.size(); ++i)
    request_->plan.block_items[i] = number_at(block_items == nullptr ? nullptr : block_items + i);
  request_->plan.block_rounds = number_at(block_rounds);
  request_->plan.block_stages = number_at(block_stages);
  request_->plan.block_parts = block_parts == nullptr ? 1 : number_at(block_parts);
  request_->plan.may_use_matrix_units = number_at(matrix_units) != 0;
  return *this;
}

bool Launch::run() {
  LaunchRequest& request = *request_;
  LaunchPlan& plan = request.plan;
  PBRT_CHECK(static_cast<int>(plan.regions.size()) == plan.kernel->num_regions, "one call per region of the kernel");
  PBRT_CHECK(static_cast<int>(plan.scalars.size()) == plan.kernel->num_scalars, "one call per scalar of the kernel");
  PBRT_CHECK(static_cast<int>(plan.tiles.size()) == plan.kernel->num_tiles, "one call per tile of the kernel");
  PBRT_CHECK(static_cast<int>(plan.panels.size()) == plan.kernel->num_panels, "one call per panel of the kernel");
  if (has_no_instances(plan)) return true;
  const auto fail = [&](std::string reason) {
    request.outcome = {false, false, false, std::move(reason)};
    return false;
  };
  if (request.manager == nullptr && (request.devices == nullptr || request.devices->is_empty()))
    return fail("no device");
  if (request.objection != nullptr) return fail(request.objection);
  if (request.has_foreign_region) return fail("an argument is not in matrix storage");
  std::optional<ManagerSet::Choice> choice;
  request.manager != nullptr ? choice.emplace(*request.manager) : choice.emplace(request.devices->choose(plan));
  request.manager = choice->manager();
  if (const char* reason = reason_against(request)) return fail(reason);
  ManagerImpl& manager = request.manager->impl();
  if (!manager.device.is_alive()) return fail(manager.device.failure_message());
  plan.regions.insert(plan.regions.end(), std::make_move_iterator(request.further.begin()),
                      std::make_move_iterator(request.further.end()));
  for (LaunchRegion& region : plan.regions) attach(manager.memory.registry(), region);
  if (has_lost_input(plan)) throw DeviceLost("results were lost with a device");
  const WatchedLaunch watched(plan);
  request.outcome = submit(*request.frame, manager, std::move(plan), false, [&] { choice->begin(); });
  if (request.outcome.is_lost) throw DeviceLost(request.outcome.reason);
  if (request.outcome.ok) watched.is_enqueued();
  return request.outcome.ok;
}

const char* Launch::reason() const { return request_->outcome.reason.c_str(); }

void use_device(Launch& launch, Manager& manager) { launch.request_->manager = &manager; }

Manager* device_of(const Launch& launch) { return launch.request_->manager; }

bool lacks_memory(const Launch& launch) { return launch.request_->outcome.lacks_memory; }

void only_if(Launch& launch, bool condition, const char* reason) {
  if (!condition && launch.request_->objection == nullptr) launch.request_->objection = reason;
}

void stand_for(Launch& launch, const RegionRef& number) {
  launch.request_->numbers.emplace_back(launch.request_->plan.regions.size() - 1, number);
}

void set_margins(Launch& launch, int num_dims, const std::int64_t* margins) {
  for (int d = 0; d < std::min(num_dims, 3); ++d)
    launch.request_->plan.margins[static_cast<std::size_t>(d)] = static_cast<std::size_t>(margins[d]);
}

const LaunchRequest& request_of(const Launch& launch) { return *launch.request_; }
const KernelDesc& kernel_of(const Launch& launch) { return *request_of(launch).plan.kernel; }
Frame& frame_of(const Launch& launch) { return *request_of(launch).frame; }

std::vector<CheckedPart> checked_parts(const Launch& launch) {
  const LaunchRequest& request = request_of(launch);
  const LaunchPlan& plan = request.plan;
  std::vector<CheckedPart> parts;
  if (has_no_instances(plan) || request.has_foreign_region) return parts;
  int output = 0;
  for (std::size_t i = 0; i < plan.regions.size(); ++i) {
    const LaunchRegion& region = plan.regions[i];
    if (!region.is_written) continue;
    const bool is_read = is_changed_in_place(region, plan.regions) || is_changed_in_place(region, request.further);
    for (const OwnedView& written : region.written_parts()) {
      CheckedPart& part = parts.emplace_back();
      part.written = KeptView::of(region.storage, written, region.kind);
      part.output = output;
      part.first = coordinates_in(region.view, written.offset);
      part.is_read = is_read;
      for (const auto& [at, number] : request.numbers)
        if (at == i) part.stands_for = KeptView::of(number);
    }
    ++output;
  }
  return parts;
}

namespace detail {

/// Whether something of the view is newer on a device. If nothing is, makes the announcement.
static bool is_newer(StorageRecord& record, const OwnedView& view) {
  const std::lock_guard lock(record.mutex);
  const GridBox box = record.box_of(view);
  if (record.lost.overlaps(box)) throw DeviceLost("results were lost with a device");
  if (record.is_newer(box)) return true;
  if (record.shadow != nullptr) record.shadow->needed(view, record.newer_than_host(view));
  return false;
}

static Registries owners_of(StorageRecord& record, const OwnedView& view, bool or_in_use) {
  const std::lock_guard lock(record.mutex);
  return record.owners_of(record.box_of(view), or_in_use);
}

/// Lets a manager bring what is newer on its device, for which nobody waits.
static void start_fetch(Registry& owner, const RegionRef& region, const OwnedView& view) {
  FetchTask task;
  task.storage = share(region.storage);
  task.view = std::make_unique<OwnedView>(view);
  const std::lock_guard lock(owner.mutex);
  if (owner.queue != nullptr) owner.queue->push(std::move(task));
}

void need_on_host_slow(Frame& frame, const RegionRef& region) {
  StorageRecord* record = StorageRecord::find(*region.storage);
  const OwnedView view = own(*region.storage, region.view);
  if (!is_newer(*record, view)) return;
  const Registries owners = owners_of(*record, view, false);
  // All begin before the first is waited for.
  for (std::size_t i = 1; i < owners.size(); ++i) start_fetch(*owners[i], region, view);
  for (const std::shared_ptr<Registry>& owner : owners) {
    FetchTask task;
    task.storage = share(region.storage);
    task.view = std::make_unique<OwnedView>(view);
    Outcome outcome;
    if (wait_for(frame, *owner, std::move(task), outcome) && !outcome.ok) throw DeviceLost(outcome.reason);
  }
  const std::lock_guard lock(record->mutex);
  if (record->lost.overlaps(record->box_of(view))) throw DeviceLost("results were lost with a device");
  if (record->shadow != nullptr) record->shadow->needed(view, record->newer_than_host(view));
}

void fetch_slow(const RegionRef& region) {
  StorageRecord* record = StorageRecord::find(*region.storage);
  const OwnedView view = own(*region.storage, region.view);
  Registries owners;
  {
    const std::lock_guard lock(record->mutex);
    const GridBox box = record->box_of(view);
    for (const auto& home : record->residences())
      if (!home->dirty_not_under_way(box).is_empty()) owners.push_back(home->registry());
  }
  for (const std::shared_ptr<Registry>& owner : owners) start_fetch(*owner, region, view);
}

/// Suspends the fiber until no device operation is in the way of a host that writes the view.
static void wait_until_quiet(Frame& frame, StorageRecord& record, const RegionRef& region, const OwnedView& view) {
  for (const std::shared_ptr<Registry>& owner : owners_of(record, view, true)) {
    QuiesceTask task;
    task.storage = share(region.storage);
    task.view = std::make_unique<OwnedView>(view);
    Outcome outcome;
    static_cast<void>(wait_for(frame, *owner, std::move(task), outcome));  // cannot fail
  }
}

static void before_host_write_slow(Frame& frame, const RegionRef& region, bool is_void) {
  StorageRecord* record = StorageRecord::find(*region.storage);
  const OwnedView view = own(*region.storage, region.view);
  if (is_void) {
    const std::lock_guard lock(record->mutex);
    record->forget(view);
  }
  wait_until_quiet(frame, *record, region, view);
  const std::lock_guard lock(record->mutex);
  // Cells that the host leaves as they are would keep values that nobody has any more.
  if (!is_void && record->lost.overlaps(record->box_of(view))) throw DeviceLost("results were lost with a device");
  if (record->shadow != nullptr) record->shadow->quiet(view, record->newer_than_host(view), is_void);
}

void before_host_write_slow(Frame& frame, const RegionRef& region) { before_host_write_slow(frame, region, false); }

void before_host_overwrite_slow(Frame& frame, const RegionRef& region) { before_host_write_slow(frame, region, true); }

void back_on_host_slow(Frame& frame, const RegionRef& region) {
  need_on_host_slow(frame, region);
  before_host_write_slow(frame, region);
}

void forget_launches_slow(const Storage& storage) {
  StorageRecord* record = StorageRecord::find(storage);
  if (record == nullptr) return;
  const std::lock_guard lock(record->mutex);
  if (record->shadow != nullptr) record->shadow->forget_launches();
}

void forget_lost_slow(const RegionRef& region) {
  StorageRecord* record = StorageRecord::find(*region.storage);
  const OwnedView view = own(*region.storage, region.view);
  const std::lock_guard lock(record->mutex);
  // Where a view of this shape lies is known only if the matrix has that shape.
  if (record->adopt(view)) record->lost.remove(record->box_of(view));
  record->publish_state();
}

void note_new_slow(Storage& storage) {
  // Where accesses are watched, or new cells hold NaN, they count as written.
  if (are_accesses_watched() || are_new_matrices_nan()) return;
  storage.device_state.store(kUnwritten, std::memory_order_relaxed);
}

void note_void_slow(const RegionRef& region) {
  if (are_accesses_watched() || are_new_matrices_nan()) return;
  const OwnedView view = own(*region.storage, region.view);
  StorageRecord& record = StorageRecord::of(*region.storage, view.element_bytes);
  const std::lock_guard lock(record.mutex);
  if (!record.adopt(view)) return;
  const GridBox box = record.box_of(view);
  for (const auto& home : record.residences()) {
    if (!home->has_own_memory()) continue;
    home->dirty.remove(box);
    home->valid.remove(box);  // it need not be what the host has
  }
  record.lost.remove(box);
  record.unwritten.add(box);
  record.publish_state();
}

void wrote_on_host_slow(const RegionRef& region) {
  StorageRecord* record = StorageRecord::find_or_forget_new(*region.storage);
  if (record == nullptr) return;
  const OwnedView view = own(*region.storage, region.view);
  const std::lock_guard lock(record->mutex);
  if (record->shadow != nullptr) record->shadow->written(view);
  record->wrote_on_host(view);
}

}  // namespace detail

bool is_newer_on_device(const RegionRef& region) {
  if ((device_state(region) & kDirty) == 0) return false;
  StorageRecord* record = StorageRecord::find(*region.storage);
  const OwnedView view = own(*region.storage, region.view);
  const std::lock_guard lock(record->mutex);
  return record->is_newer(record->box_of(view));
}

}  // namespace pbrt::gpu
