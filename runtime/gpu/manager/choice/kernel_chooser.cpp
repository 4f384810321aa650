// SPDX-License-Identifier: MIT
#include "runtime/gpu/manager/choice/kernel_chooser.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <sstream>
#include <string>
#include <utility>

#include "base/seeded_fault.h"
#include "runtime/gpu/manager/block_shape.h"
#include "runtime/gpu/manager/shapes/margin_shape.h"
#include "runtime/gpu/manager/shapes/part_shape.h"
#include "runtime/gpu/manager/shapes/scan_shape.h"
#include "runtime/gpu/manager/shapes/wave_shape.h"

namespace pbrt::gpu {
namespace {

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

/// What a driver says first of a kernel that it rejects, in lines of their own.
std::string first_lines_of(const std::string& log) {
  constexpr int kMostLines = 12;
  std::istringstream lines(log);
  std::string text, line;
  for (int i = 0; i < kMostLines && std::getline(lines, line); ++i)
    if (!line.empty()) text += "\n  " + line;
  return text;
}

/// The work-items of a stage in which several groups run an instance.
KernelRange range_of(const LaunchPlan& plan, const WorkShape& shape, std::size_t fold_groups) {
  KernelRange range = range_of(plan, shape);
  range.global[0] *= fold_groups;
  return range;
}

}  // namespace

KernelChooser::Chosen KernelChooser::choose(LaunchPlan& plan) {
  if (const std::uint64_t num = KernelTable::num_unloadings(); num != num_unloadings_) {
    known_.clear();
    num_unloadings_ = num;
  }
  find_facts(plan, facts_);
  Known& known = known_[plan.kernel];
  for (const auto& [facts, choice] : known.entries)
    if (facts == facts_) return {choice, nullptr};
  auto choice = std::make_shared<KernelChoice>();
  if (const char* reason = choose_kernel(*choice, plan)) return {nullptr, reason};
  if (known.entries.size() < kMostKnown) {
    known.entries.emplace_back(facts_, choice);
  } else {
    known.entries[known.oldest] = {facts_, choice};
    known.oldest = (known.oldest + 1) % kMostKnown;
  }
  return {std::move(choice), nullptr};
}

bool KernelChooser::add_stages(KernelChoice& choice, const LaunchPlan& plan, const WorkShape& wanted,
                               KernelTable::Found& found) {
  const KernelDesc& kernel = *plan.kernel;
  for (int stage = 1; stage <= kernel.num_stages; ++stage) {
    WorkShape shape = wanted;
    found = find_kernel(plan, shape, stage);
    if (found.kernel == nullptr || found.is_generic) {
      choice.stages.clear();
      return false;
    }
    // Groups count tiles of as many lanes as those that store. Records have the same room for bins in all stages.
    const bool has_other_records = kernel.has_ordered_bins && shape.bin_copies != wanted.bin_copies;
    if ((kernel.has_places && shape.lanes != wanted.lanes) || has_other_records) {
      choice.stages.clear();
      return add_stages(choice, plan, shape, found);
    }
    choice.stages.push_back({found.kernel, range_of(plan, shape, kernel.is_divided(stage) ? shape.fold_groups : 1)});
  }
  const std::size_t bin_bytes = kernel.has_ordered_bins ? wanted.bin_cells * sizeof(std::uint32_t) : 0;
  choice.scratch_bytes = instances_of(plan) * wanted.fold_groups *
                         (static_cast<std::size_t>(std::max(kernel.record_bytes, kLeastRecordBytes)) + bin_bytes);
  return true;
}

/// Says that the driver rejects the kernel in a form that the launch then does not have.
static void warn_of_blocks(const ManagedDevice& device, const KernelDesc& kernel, const std::string& what) {
  device.warn("device `" + device.info().name + "` rejected kernel `" + kernel.name + "` " + what);
}

bool KernelChooser::choose_blocks(KernelChoice& choice, LaunchPlan& plan) {
  const bool has_units =
      wants_matrix_units(plan) && kernels_.matrix_units_of(*device_, plan.kernel->products) != MatrixUnits::None;
  const std::optional<WorkShape> wanted = block_shape_of(plan, device_.info(), has_units);
  if (!wanted) return false;
  if (wanted->block_parts > 1) {
    if (choose_parts(choice, plan, *wanted)) return true;
    plan.block_parts = 1;
    return choose_blocks(choice, plan);
  }
  WorkShape shape = *wanted;
  const KernelTable::Found found = find_kernel(plan, shape, 0);
  if (found.kernel == nullptr || found.is_generic || !tiles_fit(*found.kernel, {})) {
    if (found.new_log == nullptr) return false;
    warn_of_blocks(device_, *plan.kernel, "in blocks of rounds; it runs without");
    return false;
  }
  choice.stages = {{found.kernel, range_of(plan, shape)}};
  choice.halo = halo_of(plan, shape);
  choice.is_in_blocks = true;
  choice.is_on_matrix_units = shape.on_matrix_units;
  choice.is_clamped = shape.group != wanted->group;
  return true;
}

bool KernelChooser::choose_parts(KernelChoice& choice, const LaunchPlan& plan, const WorkShape& wanted) {
  const DeviceInfo& info = device_.info();
  WorkShape shape = wanted;
  const KernelTable::Found running = find_kernel(plan, shape, 1);
  const auto refuse = [&](const KernelTable::Found& found) {
    if (found.new_log != nullptr)
      warn_of_blocks(device_, *plan.kernel, "in ranges of rounds; a group runs all of them");
    return false;
  };
  if (running.kernel == nullptr || running.is_generic || !tiles_fit(*running.kernel, {})) return refuse(running);
  WorkShape last = combining_shape_of(plan, info, shape.block_parts);
  KernelTable::Found ending = kernels_.find(*device_, plan, last, 2);
  const auto is_too_large = [&] {
    return last.group[0] * last.part_lanes > ending.kernel->limits().max_group_size || !tiles_fit(*ending.kernel, {});
  };
  while (ending.kernel != nullptr && !ending.is_generic && last.group[0] * last.part_lanes > 1 && is_too_large()) {
    last = with_fewer_part_lanes(last);
    ending = kernels_.find(*device_, plan, last, 2);
  }
  if (ending.kernel == nullptr || ending.is_generic) return refuse(ending);
  choice.stages = {{running.kernel, range_of(plan, shape, shape.block_parts)},
                   {ending.kernel, combining_range_of(plan, last)}};
  choice.scratch_bytes = part_bytes_of(plan, shape.block_parts);
  choice.halo = halo_of(plan, shape);
  choice.is_in_blocks = choice.is_in_parts = true;
  choice.is_on_matrix_units = shape.on_matrix_units;
  choice.is_clamped = shape.group != wanted.group;
  return true;
}

bool KernelChooser::choose_windows(KernelChoice& choice, const LaunchPlan& plan, const WorkShape& shape) {
  const auto build = [&](int stage) -> Kernel* {
    const KernelTable::Found found = kernels_.find(*device_, plan, shape, stage);
    if (found.new_log != nullptr) report_rejection(*plan.kernel, *found.new_log);
    const std::size_t items = shape.group[0] * shape.group[1] * shape.group[2];
    const bool fits = found.kernel != nullptr && !found.is_generic && tiles_fit(*found.kernel, {}) &&
                      items <= found.kernel->limits().max_group_size;
    return fits ? found.kernel : nullptr;
  };
  if (!has_group_per_window(plan, shape, device_.info())) {
    Kernel* const kernel = build(0);
    if (kernel != nullptr) choice.stages = {{kernel, range_of_lines(plan, shape)}};
    return kernel != nullptr;
  }
  Kernel *const clearing = build(1), *const scanning = build(2);
  if (clearing == nullptr || scanning == nullptr) return false;
  const ScanScratch scratch = scan_scratch_of(plan, shape);
  choice.stages = {{clearing, scratch.range}, {scanning, range_of_windows(plan, shape)}};
  choice.scratch_bytes = scratch.bytes;
  return true;
}

const char* KernelChooser::choose_scan(KernelChoice& choice, const LaunchPlan& plan) {
  const DeviceInfo& info = device_.info();
  const WorkShape wanted = scan_shape_of(plan, info);
  WorkShape shape = wanted;
  shape.group = clamp_group(shape.group, info, info.max_group_size);
  // A kernel may need so many registers that the device runs it in smaller groups only.
  for (WorkShape tried = wanted; tried.scan_items > 1; tried = with_half_a_window(plan, tried)) {
    const bool fits = clamp_group(tried.group, info, info.max_group_size) == tried.group;
    if (fits && choose_windows(choice, plan, tried)) return nullptr;
  }
  // A work-item runs each line, which every device can do.
  if (shape.scan_items > 0) {
    shape = line_shape_of(plan, info);
    shape.group = clamp_group(shape.group, info, info.max_group_size);
  }
  const KernelTable::Found found = kernels_.find(*device_, plan, shape, 0);
  if (found.kernel == nullptr) {
    if (found.new_log != nullptr) report_rejection(*plan.kernel, *found.new_log);
    return "the driver rejected the kernel";
  }
  shape.group = clamp_group(shape.group, info, found.kernel->limits().max_group_size);
  choice.stages = {{found.kernel, range_of_lines(plan, shape)}};
  choice.is_generic = found.is_generic;
  choice.is_clamped = wanted.group != shape.group;
  return nullptr;
}

const char* KernelChooser::choose_waves(KernelChoice& choice, const LaunchPlan& plan) {
  std::optional<WaveShape> shape = wave_shape_of(plan, device_.info());
  if (!shape) return "the rows of a wavefront are too long";
  const KernelTable::Found found = kernels_.find(*device_, plan, WorkShape(), 0);
  if (found.kernel == nullptr) {
    if (found.new_log != nullptr) report_rejection(*plan.kernel, *found.new_log);
    return "the driver rejected the kernel";
  }
  const std::array<std::size_t, 3> wanted = shape->group;
  shape->group = clamp_group(wanted, device_.info(), found.kernel->limits().max_group_size);
  choice.stages = waves_of(plan, *shape, found.kernel);
  choice.is_generic = found.is_generic;
  choice.is_clamped = wanted != shape->group;
  return nullptr;
}

const char* KernelChooser::choose_kernel(KernelChoice& choice, LaunchPlan& plan) {
  if (plan.kernel->num_wave_rows > 0) return choose_waves(choice, plan);
  if (plan.kernel->scan_loop >= 0) return choose_scan(choice, plan);
  if (choose_blocks(choice, plan)) return nullptr;
  const DeviceInfo& info = device_.info();
  const WorkShape wanted = has_margins(plan) ? margin_shape_of(plan, info) : shape_of(plan, info);
  WorkShape shape = wanted;
  KernelTable::Found found;
  if (wanted.fold_groups > 1) {
    if (add_stages(choice, plan, wanted, found)) return nullptr;
    shape.fold_groups = 1;
    if (shape.bin_copies == 0) shape = without_local_bins(plan, shape);
  }
  if (wanted.fold_groups == 1 || found.kernel != nullptr) found = find_kernel(plan, shape, 0);
  if (found.kernel == nullptr) {
    if (found.new_log != nullptr) report_rejection(*plan.kernel, *found.new_log);
    return "the driver rejected the kernel";
  }
  choice.is_clamped = shape.group != wanted.group;
  choice.is_generic = found.is_generic;
  if (!has_own_spans(plan, shape)) return "work-groups are smaller than their margins";
  choice.stages = {{found.kernel, range_of(plan, shape)}};
  choice.is_in_vectors = shape.vector_width > 0 && !found.is_generic;
  choice.tile_bytes = tile_bytes_of(plan, shape);
  choice.halo = halo_of(plan, shape);
  return tiles_fit(*found.kernel, choice.tile_bytes) ? nullptr : "local memory";
}

KernelTable::Found KernelChooser::find_kernel(const LaunchPlan& plan, WorkShape& shape, int stage) {
  const DeviceInfo& info = device_.info();
  shape = with_group(shape, clamp_group(shape.group, info, info.max_group_size));
  KernelTable::Found found = kernels_.find(*device_, plan, shape, stage);
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
    if (is_other_build && !found.is_generic) found = kernels_.find(*device_, plan, shape, stage);
  }
  return found;
}

void KernelChooser::report_rejection(const KernelDesc& kernel, const std::string& log) {
  device_.warn("device `" + device_.info().name + "` rejected kernel `" + kernel.name + "`; its CPU version is used" +
               first_lines_of(log));
  statistics_.reject({kernel.name, log});
}

bool KernelChooser::tiles_fit(const Kernel& kernel, const std::vector<std::size_t>& tile_bytes) const {
  const std::uint64_t own = kernel.limits().local_bytes;
  return std::accumulate(tile_bytes.begin(), tile_bytes.end(), own) <= device_.info().local_bytes;
}

}  // namespace pbrt::gpu
