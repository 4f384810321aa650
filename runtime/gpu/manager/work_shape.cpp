// SPDX-License-Identifier: MIT
#include "runtime/gpu/manager/work_shape.h"

#include <algorithm>
#include <optional>

namespace pbrt::gpu {
namespace {

using Extents = std::array<std::size_t, 3>;

constexpr std::size_t kGroupItems = 256;  // enough work-items to keep memory busy with few groups per compute unit
constexpr std::size_t kLeastGroupItems = 64;
constexpr std::size_t kWidth = 64;            // of groups in several dimensions
constexpr std::size_t kLineItems = 32;        // work-items that a device runs in step
constexpr std::size_t kResidentItems = 2048;  // work-items that a compute unit holds at once

std::size_t product(const Extents& extents) { return extents[0] * extents[1] * extents[2]; }
std::size_t rounded_up(std::size_t a, std::size_t b) { return divided_up(a, b) * b; }

/// The least power of two that is not less than `value`.
std::size_t power_from(std::size_t value) {
  std::size_t out = 1;
  while (out < value) out *= 2;
  return out;
}

Extents group_of_cpu(int num_dims) {
  if (num_dims <= 1) return {64, 1, 1};
  if (num_dims == 2) return {16, 16, 1};
  return {8, 8, 4};
}

/// The width of a group along rows of `extent` instances. Rows of few lines that a whole line would fill badly get
/// narrow groups, so that lines span several rows.
std::size_t width_for(std::size_t extent, std::size_t most) {
  const std::size_t width = std::min(power_from(extent), most);
  if (width < kLineItems) return width;
  constexpr std::size_t kNarrow = 16;
  const std::size_t in_lines = rounded_up(extent, kLineItems);
  const bool is_wasteful = 4 * in_lines > 5 * rounded_up(extent, kNarrow);
  return is_wasteful ? kNarrow : width;
}

constexpr std::size_t kCrossingWidth = 8;  // of groups whose rows cross those of a region
constexpr std::size_t kCrossingHeight = 32;

/// Whether rows cross, and the launch is long enough for groups that serve both directions.
bool has_crossing(const LaunchPlan& plan, const Extents& extents) {
  const auto loop = static_cast<std::size_t>(plan.kernel->crossed_loop);
  return loop > 0 && extents[0] >= kCrossingHeight && extents[loop] >= kCrossingHeight;
}

Extents group_of_gpu(const LaunchPlan& plan, const Extents& extents, std::size_t compute_units) {
  std::size_t items = kGroupItems;
  while (items > kLeastGroupItems && instances_of(plan) < items * compute_units) items /= 2;
  if (items == kGroupItems && has_crossing(plan, extents)) {
    Extents group = {kCrossingWidth, 1, 1};
    group[static_cast<std::size_t>(plan.kernel->crossed_loop)] = kCrossingHeight;
    return group;
  }
  if (plan.extent.size() <= 1) return {std::min(items, power_from(extents[0])), 1, 1};
  Extents group = {width_for(extents[0], kWidth), 1, 1};
  group[1] = std::min(power_from(extents[1]), items / group[0]);
  // Where there are few rows, groups are wider, or deeper.
  if (group[0] >= kLineItems) group[0] = std::min(power_from(extents[0]), items / group[1]);
  group[2] = std::min(power_from(extents[2]), items / (group[0] * group[1]));
  return group;
}

/// Whether vectors of cells of the region lie at multiples of their size, if they begin at multiples of `width` along
/// loop 0.
bool is_aligned(const LaunchRegion& region, std::int64_t width) {
  const OwnedView& view = region.view;
  if (region.has_versions || view.num_dims == 0 || view.strides[0] != 1 || view.offset % width != 0) return false;
  for (int d = 1; d < view.num_dims; ++d)
    if (view.strides[d] % width != 0) return false;
  return true;
}

/// Whether all that the launch accesses in vectors of `width` instances is aligned.
bool are_aligned(const LaunchPlan& plan, int width) {
  if (plan.lo[0] % width != 0) return false;
  std::size_t number = 0;
  for (const LaunchRegion& region : plan.regions) {
    if (!region.is_argument) continue;
    const bool is_used = number < 32 && (plan.kernel->vector_regions >> number & 1U) != 0;
    if (is_used && !is_aligned(region, width)) return false;
    ++number;
  }
  return true;
}

/// How many instances of the launch may run in a vector; 0: they run one by one. Host memory that a device shares may
/// lie anywhere.
std::size_t widest_vector(const LaunchPlan& plan, const DeviceInfo& device) {
  if (device.type == DeviceType::Cpu || device.shares_host_memory) return 0;
  for (int width = plan.kernel->vector_width; width > 1; width /= 2)
    if (are_aligned(plan, width)) return static_cast<std::size_t>(width);
  return 0;
}

/// Instances per work-item of a launch that runs in vectors: one vector, or some above each other; none if the launch
/// is too short.
std::optional<Extents> items_in_vectors(const LaunchPlan& plan, std::size_t width, const Extents& extents,
                                        const Extents& group, std::size_t compute_units) {
  Extents out = {width, 1, 1};
  const auto fits = [&] {
    for (std::size_t d = 0; d < 3; ++d)
      if (out[d] > 1 && extents[d] < group[d] * out[d]) return false;
    return instances_of(plan) >= product(out) * kResidentItems * compute_units;
  };
  if (!fits()) return std::nullopt;
  // Narrow vectors need more of them under way.
  const bool is_narrow = width < static_cast<std::size_t>(plan.kernel->vector_width);
  for (out[1] = is_narrow ? 4 : 2; out[1] > 1 && !fits();) out[1] /= 2;
  return out;
}

/// Instances per work-item of a launch on a GPU. They stand above each other, so that the rows that neighbours read
/// are read once; of a single row they stand in it, and also where rows cross.
Extents items_of_gpu(const LaunchPlan& plan, const Extents& extents, const Extents& group, std::size_t compute_units) {
  auto items = static_cast<std::size_t>(plan.kernel->default_items);
  while (items > 1 && instances_of(plan) < items * kResidentItems * compute_units) items /= 2;
  for (const std::size_t d : {has_crossing(plan, extents) ? std::size_t{0} : std::size_t{1}, std::size_t{0}}) {
    if (extents[d] < 2 * group[d] * items) continue;
    Extents out = {1, 1, 1};
    out[d] = items;
    return out;
  }
  return {1, 1, 1};
}

constexpr std::size_t kMaxLanes = 1024;
constexpr std::size_t kLongFold = 1024;      // the length of a fold where none is known
constexpr std::size_t kLaneIterations = 4;   // iterations that are worth a lane
constexpr std::size_t kFewerLanes = 4;       // a full device wants fewer lanes by this factor
constexpr std::size_t kPassIterations = 16;  // iterations of a lane where an instance runs through its cells repeatedly
constexpr std::size_t kGroupIterations = 16;      // iterations of a lane that are worth a second launch
constexpr std::size_t kStoringRounds = 4;         // how often groups that only store fill a device, one after the other
constexpr std::size_t kMaxRecords = 65536;        // of all instances
constexpr std::size_t kSectorLanes = 8;           // their 4-byte cells are the least that memory is read by
constexpr std::size_t kBinBytes = 4;              // of a word
constexpr std::size_t kBinStep = 64;              // words, so that few numbers of bins have builds of their own
constexpr std::size_t kOrderedBinStep = 8;        // likewise, where there are few
constexpr std::size_t kMostBinCopies = 32;        // as many as work-items run in step
constexpr std::size_t kBinRecordBytes = 1 << 26;  // of all groups
constexpr std::size_t kRecordLanes = 32;          // of groups that have their bins in records
constexpr std::size_t kCopiedBinBytes = 1 << 14;  // of all copies, so that a compute unit holds eight groups
constexpr std::size_t kCopiedOrderedBinBytes = 1 << 15;  // likewise, where lanes of the same copy take turns
constexpr std::size_t kKeptStep = 4;  // of rounds with kept cells, so that few lengths have builds of their own

std::size_t value_of(const LaunchPlan& plan, int scalar) {
  return static_cast<std::size_t>(std::max<std::int64_t>(0, plan.scalars[static_cast<std::size_t>(scalar)].integer()));
}

/// The cells of the largest input.
std::size_t cells_of(const LaunchPlan& plan) {
  std::size_t out = 0;
  for (const LaunchRegion& region : plan.regions) {
    std::size_t cells = region.is_read ? 1 : 0;
    for (int d = 0; d < region.touched.num_dims; ++d)
      cells *= static_cast<std::size_t>(std::max<std::int64_t>(0, region.touched.sizes[d]));
    out = std::max(out, cells);
  }
  return out;
}

/// How many iterations a fold has. If no scalar says it, a single instance runs along its largest input.
std::size_t fold_length_of(const LaunchPlan& plan) {
  if (plan.kernel->fold_length < 0) {
    const std::size_t unknown = instances_of(plan) == 1 ? cells_of(plan) : kLongFold;
    return plan.kernel->most_rounds == 0 ? unknown : static_cast<std::size_t>(plan.kernel->most_rounds);
  }
  return value_of(plan, plan.kernel->fold_length) *
         (plan.kernel->inner_length < 0 ? 1 : value_of(plan, plan.kernel->inner_length));
}

bool may_keep(const LaunchPlan& plan) { return plan.kernel->kept_length >= 0 && plan.kept_rounds > 0; }

/// How many rounds a lane keeps cells of; 0: it has more than it may keep.
std::size_t kept_rounds_of(const LaunchPlan& plan, std::size_t lanes) {
  if (!may_keep(plan) || lanes > kMaxLanes) return 0;
  const std::size_t rounds = std::max<std::size_t>(1, divided_up(value_of(plan, plan.kernel->kept_length), lanes));
  return rounds <= plan.kept_rounds ? rounded_up(rounds, kKeptStep) : 0;
}

/// Lanes that keep the cells of an instance in half of the rounds that they may keep, or in all of them if a group has
/// no more lanes; more where there are few instances. 0: a group has too few.
std::size_t keeping_lanes(const LaunchPlan& plan, std::size_t compute_units) {
  if (!may_keep(plan) || plan.kernel->lanes != Lanes::Neighbours) return 0;
  const std::size_t length = value_of(plan, plan.kernel->kept_length);
  const std::size_t most = std::min(kMaxLanes, power_to(length / kLaneIterations));
  std::size_t lanes = std::max(kSectorLanes, power_from(divided_up(length, divided_up(plan.kept_rounds, 2))));
  lanes = std::min(lanes, most);
  while (lanes < most && instances_of(plan) * lanes * 2 <= kResidentItems * compute_units) lanes *= 2;
  return lanes > 1 && divided_up(length, lanes) <= plan.kept_rounds ? lanes : 0;
}

/// How many lanes an instance has on a GPU: see Note [Default lanes].
std::size_t lanes_of_gpu(const LaunchPlan& plan, std::size_t compute_units) {
  if (const std::size_t lanes = keeping_lanes(plan, compute_units); lanes > 0) return lanes;
  const std::size_t resident = kResidentItems * compute_units;
  const std::size_t most = std::min(kMaxLanes, power_to(fold_length_of(plan) / kLaneIterations));
  std::size_t lanes = 1;
  const bool is_repeated = plan.kernel->stores_in_phases;
  if (plan.kernel->lanes == Lanes::Neighbours)
    lanes = is_repeated ? std::min(most, std::max<std::size_t>(2, power_to(fold_length_of(plan) / kPassIterations)))
                        : std::min({most, kGroupItems, std::max<std::size_t>(2, most / kFewerLanes)});
  // A group runs one instance then, and should fill what runs in step.
  if (plan.kernel->has_ordered_bins) lanes = std::max(lanes, std::min(most, kLineItems));
  while (lanes < most && instances_of(plan) * lanes * 2 <= resident) lanes *= 2;
  if (lanes < kMaxLanes || plan.kernel->num_stages == 0) return lanes;
  const std::size_t most_in_groups = power_to(fold_length_of(plan) / kGroupIterations);
  const bool only_stores = is_repeated && plan.kernel->num_stages == 1 && plan.kernel->bins == 0;
  const std::size_t most_at_once = only_stores ? kStoringRounds * resident : resident;
  while (lanes < most_in_groups && instances_of(plan) * lanes * 2 <= most_at_once) lanes *= 2;
  return lanes;
}

/// The words of 4 bytes that the bins of an instance take. Those of each output begin at an even one. All instances
/// have as many.
std::size_t bins_of(const LaunchPlan& plan) {
  std::size_t out = 0, number = 0;
  for (const LaunchRegion& region : plan.regions) {
    if (!region.is_argument) continue;
    const bool has_bins = number < 32 && (plan.kernel->bins >> number & 1U) != 0;
    ++number;
    std::size_t cells = has_bins ? 1 : 0;
    for (int d = 0; d < region.touched.num_dims; ++d)
      cells *= static_cast<std::size_t>(std::max<std::int64_t>(0, region.touched.sizes[d]));
    cells = divided_up(cells, instances_of(plan));
    out += rounded_up(cells * std::max<std::size_t>(1, static_cast<std::size_t>(region.view.element_bytes) / kBinBytes),
                      2);
  }
  return out;
}

/// See Note [Bins in order].
void add_ordered_bins(WorkShape& shape, const LaunchPlan& plan, const DeviceInfo& device) {
  shape.group = {shape.lanes, 1, 1};
  if (plan.kernel->bins_differ && instances_of(plan) > 1) {
    shape.fold_groups = 1;
    return;
  }
  const std::size_t words = bins_of(plan);
  const std::size_t step = words < kBinStep ? kOrderedBinStep : kBinStep;
  shape.bin_cells = std::max(rounded_up(words, step), step);
  const std::size_t bytes = shape.bin_cells * kBinBytes;
  if (bytes > device.local_bytes && shape.fold_groups > 1 && shape.lanes > kRecordLanes) {
    shape.fold_groups *= shape.lanes / kRecordLanes;
    shape.group = {kRecordLanes, 1, 1};
    shape.lanes = kRecordLanes;
  }
  const std::size_t most_groups =
      std::min(kBinRecordBytes / bytes / instances_of(plan), fold_length_of(plan) / shape.bin_cells);
  while (shape.fold_groups > 1 && shape.fold_groups > most_groups) shape.fold_groups /= 2;
  if (bytes > device.local_bytes) return void(shape = without_local_bins(plan, shape));
  const std::size_t room = std::min<std::size_t>(kCopiedOrderedBinBytes, device.local_bytes);
  while (shape.bin_copies < shape.lanes && bytes * shape.bin_copies * 2 <= room) shape.bin_copies *= 2;
}

/// Gives groups bins of their own: see Note [Bins of groups].
void add_bins(WorkShape& shape, const LaunchPlan& plan, const DeviceInfo& device) {
  if (plan.kernel->bins == 0) return;
  if (plan.kernel->has_ordered_bins) return add_ordered_bins(shape, plan, device);
  if (plan.kernel->bins_differ && instances_of(plan) > 1) return;
  const std::size_t cells = std::max<std::size_t>(rounded_up(bins_of(plan), kBinStep), kBinStep);
  const std::size_t bytes = cells * kBinBytes * (shape.group[0] / shape.lanes);
  if (bytes > device.local_bytes) return;
  shape.bin_cells = cells;
  const std::size_t room = std::min<std::size_t>(kCopiedBinBytes, device.local_bytes);
  while (shape.bin_copies < kMostBinCopies && bytes * shape.bin_copies * 2 <= room) shape.bin_copies *= 2;
}

/// The shape of a launch whose instances have lanes: groups stand along dimension 0. Lanes for which no group has room
/// stand in several.
WorkShape shape_with_lanes(const Extents& group, std::size_t lanes, std::size_t num_instances) {
  const std::size_t items = is_open(group) ? kGroupItems : power_to(product(group));
  if (lanes <= kMaxLanes) return {{std::max(items, lanes), 1, 1}, {1, 1, 1}, lanes};
  WorkShape out{{items, 1, 1}, {1, 1, 1}, items, lanes / items};
  while (out.fold_groups > 1 && out.fold_groups * num_instances > kMaxRecords) out.fold_groups /= 2;
  return out;
}

}  // namespace

bool is_open(const Extents& values) { return product(values) == 0; }

std::size_t compute_units_of(const DeviceInfo& device) {
  return static_cast<std::size_t>(std::max(1, device.compute_units));
}

Extents extents_of(const LaunchPlan& plan) {
  Extents out = {1, 1, 1};
  for (std::size_t d = 0; d < std::min(plan.extent.size(), out.size()); ++d)
    out[d] = static_cast<std::size_t>(plan.extent[d]);
  return out;
}

std::size_t batches_of(const LaunchPlan& plan) {
  std::size_t out = 1;
  for (std::size_t d = Extents().size(); d < plan.extent.size(); ++d) out *= static_cast<std::size_t>(plan.extent[d]);
  return out;
}

std::size_t instances_of(const LaunchPlan& plan) { return product(extents_of(plan)) * batches_of(plan); }

std::size_t own_span(const LaunchPlan& plan, const WorkShape& shape, std::size_t d) {
  const std::size_t shared = 2 * plan.margins[d];
  return shape.span(d) > shared ? shape.span(d) - shared : 0;
}

KernelRange range_of_groups(const LaunchPlan& plan, const WorkShape& shape, const Extents& num_groups) {
  KernelRange range;
  range.num_dims = std::clamp(static_cast<int>(plan.extent.size()), 1, 3);
  range.group = shape.group;
  for (std::size_t d = 0; d < 3; ++d) range.global[d] = num_groups[d] * shape.group[d];
  return range;
}

KernelRange range_of(const LaunchPlan& plan, const WorkShape& shape) {
  Extents num_groups = extents_of(plan);
  for (std::size_t d = 0; d < 3; ++d) num_groups[d] = divided_up(num_groups[d], own_span(plan, shape, d));
  num_groups[2] *= batches_of(plan);
  return range_of_groups(plan, shape, num_groups);
}

WorkShape with_fewer_items(WorkShape shape) {
  std::size_t& most = *std::max_element(shape.items.begin(), shape.items.end());
  most = (most + 1) / 2;
  return shape;
}

WorkShape without_local_bins(const LaunchPlan& plan, WorkShape shape) {
  const bool has_records = plan.kernel->has_ordered_bins && shape.fold_groups > 1;
  if (!has_records) shape.bin_cells = 0;
  shape.bin_copies = has_records ? 0 : 1;
  return shape;
}

WorkShape with_group(WorkShape shape, const Extents& group) {
  if (group != shape.group) shape.on_matrix_units = false;
  shape.group = group;
  if (!shape.has_lanes()) return shape;
  shape.group = {power_to(group[0]), 1, 1};
  if (shape.group[0] >= shape.lanes) return shape;
  shape.lanes = shape.group[0];
  shape.bin_copies = std::min(shape.bin_copies, shape.lanes);
  shape.kept_rounds = 0;
  return shape;
}

WorkShape shape_of(const LaunchPlan& plan, const DeviceInfo& device) {
  const Extents extents = extents_of(plan);
  const int num_dims = static_cast<int>(plan.extent.size());
  const std::size_t units = compute_units_of(device);
  const bool is_cpu = device.type == DeviceType::Cpu;
  WorkShape out{plan.group, plan.items};
  for (std::size_t d = plan.extent.size(); d < 3; ++d) out.group[d] = out.items[d] = 1;
  if (plan.kernel->lanes != Lanes::None) {
    std::size_t lanes = power_to(plan.lanes);
    if (plan.lanes == 0) lanes = is_cpu ? 1 : lanes_of_gpu(plan, units);
    if (plan.kernel->num_stages == 0) lanes = std::min(lanes, kMaxLanes);
    if (lanes > 1) {
      out = shape_with_lanes(out.group, lanes, instances_of(plan));
      out.kept_rounds = kept_rounds_of(plan, lanes);
      add_bins(out, plan, device);
      return out;
    }
  }
  const std::size_t width = widest_vector(plan, device);
  if (is_open(out.group)) out.group = is_cpu ? group_of_cpu(num_dims) : group_of_gpu(plan, extents, units);
  if (plan.kernel->default_items == 0) {
    out.items = {1, 1, 1};
  } else if (is_open(out.items)) {
    const bool has_vectors = width > 0 && !plan.kernel->has_vectors_in_tiles;
    const auto vectors = has_vectors ? items_in_vectors(plan, width, extents, out.group, units) : std::nullopt;
    out.items = is_cpu ? Extents{1, 1, 1} : vectors ? *vectors : items_of_gpu(plan, extents, out.group, units);
  }
  while (product(out.items) > kMaxItems) out = with_fewer_items(out);
  const std::size_t divided = plan.kernel->has_vectors_in_tiles ? out.span(0) : out.items[0];
  for (out.vector_width = width; out.vector_width > 1 && divided % out.vector_width != 0;) out.vector_width /= 2;
  if (out.vector_width == 1) out.vector_width = 0;
  return out;
}

}  // namespace pbrt::gpu

// Note [Default shapes]
//
// A CPU runs the work-items of a group as loops. There a group has 64 instances in one dimension, 16 x 16 in two and 8
// x 8 x 4 in three, and a work-item has one instance.
//
// Other devices get groups of 256 work-items; fewer, down to 64, if there would be fewer groups than compute units. In
// several dimensions a group is 64 wide, wider where there are few rows, and as narrow as short rows are. A work-item
// has as many instances as the kernel's default says, fewer if not all compute units would be full, and one if the
// launch is no longer than that. They stand above each other as neighbours, and in a row a group apart, so that
// neighbouring work-items access neighbouring cells.
//
// Where instances may run in vectors, because rows begin at multiples of 16 bytes, a work-item has a vector of
// neighbours, and two above each other where the launch is long enough (decision 58). Where rows begin at multiples of
// half as many bytes, it has vectors of half as many instances, and four above each other.
//
// In a transposition, loop 0 crosses the rows of the input, or of the output. There a group is 8 wide along loop 0 and
// 32 long along the loop that the crossed rows follow, and the instances of a work-item stand along loop 0. So a group
// with four of them accesses whole lines in both directions. Short launches keep the shape above.
//
// On an H200 a copy of 2^28 floats with one instance per work-item runs at 0.85 TB/s with groups of 64 and at
// 2.67 with groups of 256; with four instances at 4.24, as fast as a copy written by hand (decision 22).

// Note [Default lanes]
//
// Lanes divide the iterations of a fold. On CPUs an instance has one. Elsewhere lanes that are neighbours access
// neighbouring cells in the fold, where one work-item per instance would access cells that are far apart: an instance
// has as many lanes as there are 16 iterations for, at least two and at most a whole group. Lanes that are apart change
// nothing about neighbours, and only fill a device that has more room than there are instances. Where there are few
// instances, both have more, down to four iterations and up to 1024 lanes. Decision 24 has the measurements. Where no
// size says how many iterations there are, they count as 1024, or as the most that the loop's limits allow.
//
// Where several loops of an instance run through the same cells, as in a softmax, lanes may keep them, so that memory
// passes each cell once (decision 29). Such an instance has as many neighbouring lanes as keep its cells in half of the
// rounds that they may keep, but 8 at least: with fewer lanes too few loads are under way, with more there are more
// steps to combine their parts. Where a group has no more lanes, they keep all that they may. There are fewer builds if
// the rounds that are kept are a multiple of 4.
//
// Where the lanes store cells and cannot keep them, an instance has as many lanes as there are 16 iterations for
// (decision 28). If 1024 lanes per instance do not fill the device, as in a sum of a whole matrix, an instance has
// lanes in several groups of 256, as many as fill the device and have 16 iterations each. The groups leave their parts
// in memory, and a later launch combines them (decisions 26 and 34). Where they only store cells, there are four times
// as many: then those that end late keep less of the device waiting.

// Note [Bins of groups]
//
// Where an instance updates bins at computed places, as a histogram does, groups have bins of their own in local
// memory, if these fit: some for each instance of the group. Lanes update them there, and each group adds them to the
// output's at the end. Where they do not fit, lanes update the output's bins.
//
// Few bins have copies, up to one for each of the work-items that run in step. The copies of a bin lie side by side, so
// that they lie in different banks. So equal keys take as long as others.

// Note [Bins in order]
//
// Bins whose updates show their order, as sums of floating-point numbers do, have copies up to one for each lane
// (decision 70). Lanes of the same copy take turns, which all lanes of a group wait for: so a group runs one instance.
// The bins of groups go to records, which a later launch adds up. Their records have at most 64 MB together, and a
// group has as many rounds as its bins have words, so that clearing and adding up takes no longer than the rounds.
//
// Where the bins do not fit into local memory, they lie in the records. Then groups are small, because the lanes of one
// all take turns. One group alone updates the output's bins.
