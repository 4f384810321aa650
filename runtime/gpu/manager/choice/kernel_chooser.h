// SPDX-License-Identifier: MIT
// Chooses the kernels of an execution and the shape of their launches. Launches that differ in nothing that matters to
// this share one choice: programs launch the same kernel in the same shape again and again. Private to runtime/gpu.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/gpu/manager/choice/launch_facts.h"
#include "runtime/gpu/manager/kernel_table.h"
#include "runtime/gpu/manager/managed_device.h"
#include "runtime/gpu/manager/manager_statistics.h"
#include "runtime/gpu/manager/queue/launch_job.h"
#include "runtime/gpu/manager/work_shape.h"

namespace pbrt::gpu {

/// Threads: manager thread only
class KernelChooser {
 public:
  KernelChooser(ManagedDevice& device, ManagerStatistics& statistics) : device_(device), statistics_(statistics) {}

  struct Chosen {
    ChoicePtr choice;                      ///< null: the device runs no such launch
    const char* reason_against = nullptr;  ///< why; static
  };
  /// Returns what runs the plan. Builds kernels if need be, and reports those that the driver rejects. If it rejects
  /// ranges of rounds, the plan has none any more.
  ///
  /// Errors: throws what KernelTable::find throws
  [[nodiscard]] Chosen choose(LaunchPlan& plan);
  /// While `is_brief`, choose() throws KernelTable::NotKnown where a kernel is not built.
  void set_brief(bool is_brief) { kernels_.set_brief(is_brief); }
  /// Called before the device is closed.
  void forget_kernels() {
    known_.clear();
    kernels_.clear();
  }

 private:
  /// The choices for launches of one kernel that were made last.
  static constexpr std::size_t kMostKnown = 4;
  struct Known {
    std::vector<std::pair<LaunchFacts, ChoicePtr>> entries;
    std::size_t oldest = 0;  ///< which of kMostKnown the next one replaces
  };

  // Those with a reason return null if there is a choice, those without whether there is.

  /// Chooses the kernel in which folds run in blocks, if there is one that the device can run.
  [[nodiscard]] bool choose_blocks(KernelChoice& choice, LaunchPlan& plan);
  /// The same where several groups run a range of the rounds each, in two launches.
  [[nodiscard]] bool choose_parts(KernelChoice& choice, const LaunchPlan& plan, const WorkShape& wanted);
  /// Chooses the kernel in which work-items run windows of a scan together, if there is one that the device can run.
  [[nodiscard]] bool choose_windows(KernelChoice& choice, const LaunchPlan& plan, const WorkShape& shape);
  /// Chooses the kernel of a scan.
  [[nodiscard]] const char* choose_scan(KernelChoice& choice, const LaunchPlan& plan);
  /// Chooses the kernel and the launches of a wavefront.
  [[nodiscard]] const char* choose_waves(KernelChoice& choice, const LaunchPlan& plan);
  [[nodiscard]] const char* choose_kernel(KernelChoice& choice, LaunchPlan& plan);
  /// The kernel for a shape that device and kernel allow, which `shape` is changed to. `stage` as in KernelTable::find.
  [[nodiscard]] KernelTable::Found find_kernel(const LaunchPlan& plan, WorkShape& shape, int stage);
  /// Adds the launches in which several groups run an instance together. False: some build was not special to its
  /// stage, and the choice has no launches.
  [[nodiscard]] bool add_stages(KernelChoice& choice, const LaunchPlan& plan, const WorkShape& wanted,
                                KernelTable::Found& found);
  void report_rejection(const KernelDesc& kernel, const std::string& log);
  /// Whether the group's memory has room for the tiles.
  [[nodiscard]] bool tiles_fit(const Kernel& kernel, const std::vector<std::size_t>& tile_bytes) const;

  ManagedDevice& device_;
  ManagerStatistics& statistics_;
  KernelTable kernels_;
  std::map<const KernelDesc*, Known> known_;
  std::uint64_t num_unloadings_ = 0;  ///< how often code was unloaded when `known_` was made
  LaunchFacts facts_;                 ///< of the last plan; kept for its memory
};

}  // namespace pbrt::gpu
