// SPDX-License-Identifier: MIT
#include "runtime/gpu/manager/kernel_table.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>

#include "runtime/gpu/lane_exchange.h"
#include "runtime/gpu/manager/block_shape.h"

namespace pbrt::gpu {
namespace {

enum KeyField : std::size_t {
  kIndex32,
  kUnitStride,
  kGroup0,
  kGroup1,
  kGroup2,
  kItems0,
  kItems1,
  kItems2,
  kVectors,
  kLanes,
  kGroupItems,
  kKeptRounds,
  kBinCells,
  kBinCopies,
  kBlockRounds,
  kBlockStages,
  kMatrixUnits,
  kPartLanes,
  kScanItems,
  kStage,
  kRecords,
  kFirstScalar
};

constexpr std::int64_t kTooMany = kMaxUnrolled + 1;
/// The mark in keys for a value that is no build option.
constexpr std::int64_t kNotSpecialized = INT64_MIN;

/// How often code with descriptions of kernels was unloaded.
std::atomic<std::uint64_t> unloadings{0};

/// What is known to builds whose folds run in blocks.
std::string block_options(const KernelDesc& desc, const std::vector<std::int64_t>& key) {
  std::string out = " -DPB_GROUP_ITEMS=" + std::to_string(key[kGroup0] * key[kGroup1] * key[kGroup2]) +
                    " -DPB_BLOCK_ROUNDS=" + std::to_string(key[kBlockRounds]) +
                    " -DPB_BLOCK_STAGES=" + std::to_string(key[kBlockStages]);
  if (key[kPartLanes] > 1) out += " -DPB_PART_LANES=" + std::to_string(key[kPartLanes]);
  const std::size_t first = kFirstScalar + static_cast<std::size_t>(desc.num_specialized);
  for (std::size_t i = first; i < key.size(); ++i)
    out += " -DPB_PANEL" + std::to_string(i - first) + "=" + std::to_string(key[i]);
  return out;
}

}  // namespace

bool fits_32_bits(const LaunchRegion& region) {
  const OwnedView& view = region.view;
  const int num_dims = region.has_versions ? view.num_dims - 1 : view.num_dims;
  std::int64_t reach = region.has_versions ? 3 * std::abs(view.strides[num_dims]) : view.offset;
  for (int d = 0; d < num_dims; ++d) reach += (view.sizes[d] + 1) * view.strides[d];
  return reach <= INT32_MAX;
}

std::array<std::size_t, 3> clamp_group(std::array<std::size_t, 3> group, const DeviceInfo& device,
                                       std::size_t max_group_size) {
  const std::size_t limit = std::max<std::size_t>(1, std::min(max_group_size, device.max_group_size));
  for (int d = 0; d < 3; ++d)
    group[d] = std::clamp<std::size_t>(group[d], 1, std::max<std::size_t>(1, device.max_group_shape[d]));
  while (group[0] * group[1] * group[2] > limit) {
    std::size_t& largest = *std::max_element(group.begin(), group.end());
    largest = (largest + 1) / 2;
  }
  return group;
}

KernelTable::Key KernelTable::key_of(const LaunchPlan& plan, const WorkShape& shape, int stage) {
  Key key(kFirstScalar, 0);
  key[kIndex32] = key[kUnitStride] = 1;
  for (const LaunchRegion& region : plan.regions) {
    if (!fits_32_bits(region)) key[kIndex32] = 0;
    if (region.view.num_dims > 0 && region.view.strides[0] != 1) key[kUnitStride] = 0;
  }
  key[kBlockRounds] = static_cast<std::int64_t>(shape.block_rounds);
  if (shape.block_rounds > 0) key[kBlockStages] = static_cast<std::int64_t>(shape.block_stages);
  key[kMatrixUnits] = shape.on_matrix_units ? 1 : 0;
  key[kScanItems] = static_cast<std::int64_t>(shape.scan_items);
  if (plan.kernel->specialize_group || shape.block_rounds > 0 || shape.scan_items > 0)
    for (std::size_t d = 0; d < 3; ++d) key[kGroup0 + d] = static_cast<std::int64_t>(shape.group[d]);
  for (std::size_t d = 0; d < 3; ++d) key[kItems0 + d] = static_cast<std::int64_t>(shape.items[d]);
  key[kVectors] = static_cast<std::int64_t>(shape.vector_width);
  key[kLanes] = static_cast<std::int64_t>(shape.lanes);
  if (shape.has_lanes()) key[kGroupItems] = static_cast<std::int64_t>(shape.group[0]);
  key[kKeptRounds] = static_cast<std::int64_t>(shape.kept_rounds);
  key[kBinCells] = static_cast<std::int64_t>(shape.bin_cells);
  key[kBinCopies] = static_cast<std::int64_t>(shape.bin_copies);
  key[kStage] = stage;
  key[kPartLanes] = static_cast<std::int64_t>(shape.part_lanes);
  if (stage > 0) key[kRecords] = static_cast<std::int64_t>(std::max(shape.fold_groups, shape.block_parts));
  std::int64_t iterations = 1;
  for (int i = 0; i < plan.kernel->num_specialized; ++i) {
    key.push_back(plan.scalars[static_cast<std::size_t>(plan.kernel->specialized[i].scalar)].integer());
    iterations = std::min(kTooMany, iterations * std::clamp<std::int64_t>(key.back(), 1, kTooMany));
  }
  if (iterations == kTooMany) std::fill(key.begin() + kFirstScalar, key.end(), kNotSpecialized);
  if (shape.block_rounds > 0)
    for (const std::size_t elements : panel_elements_of(plan, shape))
      key.push_back(static_cast<std::int64_t>(elements));
  return key;
}

std::string KernelTable::options_of(const KernelDesc& desc, const Key& key) {
  std::string options = desc.options;
  options += key[kIndex32] != 0 ? " -DPB_INDEX=int" : " -DPB_INDEX=long";
  if (key[kUnitStride] != 0) options += " -DPB_UNIT_STRIDE=1";
  if (desc.specialize_group || key[kBlockRounds] > 0 || key[kScanItems] > 0)
    for (std::size_t d = 0; d < 3; ++d)
      options += " -DPB_GROUP" + std::to_string(d) + "=" + std::to_string(key[kGroup0 + d]);
  for (std::size_t d = 0; d < 3; ++d)
    if (key[kItems0 + d] > 1) options += " -DPB_ITEMS" + std::to_string(d) + "=" + std::to_string(key[kItems0 + d]);
  if (key[kVectors] > 0) options += " -DPB_VECTORS=" + std::to_string(key[kVectors]);
  if (key[kScanItems] > 0) options += " -DPB_SCAN_ITEMS=" + std::to_string(key[kScanItems]);
  if (key[kGroupItems] > 0)
    options += " -DPB_LANES=" + std::to_string(key[kLanes]) + " -DPB_GROUP_ITEMS=" + std::to_string(key[kGroupItems]);
  if (key[kKeptRounds] > 0) options += " -DPB_KEPT_ROUNDS=" + std::to_string(key[kKeptRounds]);
  if (key[kBinCells] > 0)
    options += " -DPB_BIN_CELLS=" + std::to_string(key[kBinCells]) +
               (key[kBinCopies] > 0 ? " -DPB_BIN_COPIES=" + std::to_string(key[kBinCopies])
                                    : " -DPB_BIN_COPIES=1 -DPB_BINS_IN_RECORDS=1");
  if (key[kBlockRounds] > 0) options += block_options(desc, key);
  if (key[kStage] > 0)
    options += " -DPB_STAGE=" + std::to_string(key[kStage]) + " -DPB_RECORDS=" + std::to_string(key[kRecords]);
  if (key[kStage] > 0 && key[kBlockRounds] == 0 && desc.is_divided(static_cast<int>(key[kStage])))
    options += " -DPB_FOLD_GROUPS=" + std::to_string(key[kRecords]);
  for (int i = 0; i < desc.num_specialized; ++i) {
    const std::int64_t value = key[kFirstScalar + static_cast<std::size_t>(i)];
    if (value == kNotSpecialized) continue;
    options += std::string(" -D") + desc.specialized[i].macro + "=" + std::to_string(value);
  }
  return options;
}

LaneExchange KernelTable::exchange_of(Device& device) {
  if (!exchange_) exchange_ = find_exchange(device.for_trials());
  return *exchange_;
}

MatrixUnits KernelTable::matrix_units_of(Device& device, Products products) {
  std::optional<MatrixUnits>& units = products == Products::OfSplitFloats ? units_of_floats_ : units_of_doubles_;
  if (!units) throw_if_brief();
  if (!units) units = find_matrix_units(device.for_trials(), products);
  return *units;
}

void KernelTable::note_unloaded_code() noexcept { unloadings.fetch_add(1, std::memory_order_release); }

std::uint64_t KernelTable::num_unloadings() noexcept { return unloadings.load(std::memory_order_acquire); }

KernelTable::Entry& KernelTable::entry_of(const KernelDesc& desc) {
  const std::uint64_t num = num_unloadings();
  const auto [place, is_new] = entries_.try_emplace(&desc);
  Entry& entry = place->second;
  if (!is_new && entry.num_unloadings == num) return entry;
  std::string text = std::string(desc.name) + '\n' + desc.options + '\n' + (desc.source == nullptr ? "" : desc.source);
  if (text != entry.text) entry = Entry();  // of code that was unloaded, after its last launch had ended
  entry.text = std::move(text);
  entry.num_unloadings = num;
  return entry;
}

KernelTable::Found KernelTable::find(Device& device, const LaunchPlan& plan, const WorkShape& shape, int stage) {
  const KernelDesc& desc = *plan.kernel;
  Entry& entry = entry_of(desc);
  if (entry.is_rejected) return {};
  Key key = key_of(plan, shape, stage);
  try {
    const auto known = entry.variants.find(key);
    if (known != entry.variants.end()) return {known->second.get(), false, nullptr};
    if (entry.variants.size() < static_cast<std::size_t>(kMaxVariants)) {
      throw_if_brief();
      std::string options = options_of(desc, key);
      if (shape.lanes > 1 || shape.scan_items > 0) options += build_options_of(exchange_of(device));
      if (shape.on_matrix_units) options += build_options_of(matrix_units_of(device, desc.products));
      std::unique_ptr<Kernel> built = device.build(desc.source, desc.name, options);
      Kernel* kernel = built.get();
      entry.variants.emplace(std::move(key), std::move(built));
      return {kernel, false, nullptr};
    }
    if (entry.generic == nullptr) throw_if_brief();
    if (entry.generic == nullptr)
      entry.generic = device.build(desc.source, desc.name, std::string(desc.options) + " -DPB_INDEX=long");
    return {entry.generic.get(), true, nullptr};
  } catch (const BuildFailure& failure) {
    entry.log = failure.log();
    // The same kernel may run without blocks, which need more registers and local memory.
    entry.is_rejected = shape.block_rounds == 0;
    if (!entry.is_rejected) entry.variants.emplace(std::move(key), nullptr);
    return {nullptr, false, &entry.log};
  }
}

}  // namespace pbrt::gpu
