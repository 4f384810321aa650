// SPDX-License-Identifier: MIT
// The devices of a run, and which of them a launch gets. Used by runs, and by launches on workers' fibers. See Note
// [Which device] in manager_set.cpp. Not here: steps that several devices run together (blocks.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "runtime/gpu/manager.h"

namespace pbrt::gpu {

struct LaunchPlan;

/// Some neighbouring indices of a step.
struct Indices {
  std::int64_t first = 0, count = 0;
  [[nodiscard]] std::int64_t end() const { return first + count; }
};

/// Managers of devices, each once. They outlive the set.
class ManagerSet {
 public:
  ManagerSet() = default;
  /// One device, or none if it is null.
  explicit ManagerSet(Manager* manager);
  explicit ManagerSet(std::vector<Manager*> managers);
  /// These devices with blocks of other sizes, `weights[i]` for number i: its part of a step, compared with the
  /// others'. Devices behind these have the largest weight. A device of weight 0 has no part, unless all have none:
  /// then all parts are alike.
  [[nodiscard]] ManagerSet with_weights(const std::vector<std::int64_t>& weights) const;

  [[nodiscard]] bool is_empty() const { return managers_.empty(); }
  [[nodiscard]] const std::vector<Manager*>& managers() const { return managers_; }
  /// How large the devices' parts of a step are, each compared with the others': one number for each.
  [[nodiscard]] const std::vector<std::int64_t>& weights() const { return weights_; }
  /// The indices of a step in parts as the weights say, one for each device, some of them empty. The parts are the same
  /// for the same number, so that what a part leaves on its device serves that of the next step.
  [[nodiscard]] std::vector<Indices> parts_of(std::int64_t num_indices) const;
  /// Whether the devices' results are compared with the CPU's.
  [[nodiscard]] bool are_verified() const { return !is_empty() && managers_.front()->check() != nullptr; }
  /// The devices that have not failed.
  [[nodiscard]] ManagerSet alive() const;
  [[nodiscard]] bool operator==(const ManagerSet& other) const { return managers_ == other.managers_; }

  /// A device that was chosen for a launch, which counts as its work until this object goes.
  class Choice {
   public:
    Choice() = default;
    /// `choosing`: held while devices are compared; null if there is no choice.
    explicit Choice(Manager& manager, std::mutex* choosing = nullptr);
    Choice(Choice&& other) noexcept : manager_(std::exchange(other.manager_, nullptr)), choosing_(other.choosing_) {}
    Choice& operator=(Choice&&) = delete;
    ~Choice();
    [[nodiscard]] Manager* manager() const { return manager_; }
    /// From now on the launch counts in the manager's queue. Who chooses meanwhile sees it once. Then this object has
    /// no device.
    void begin();

   private:
    Manager* manager_ = nullptr;
    std::mutex* choosing_ = nullptr;
  };
  /// Chooses the device for a launch. If all have failed, or none can run its kernel, it is the first one.
  ///
  /// Pre:     the set is not empty; the regions of the plan have storages
  /// Threads: any
  [[nodiscard]] Choice choose(const LaunchPlan& plan) const;

 private:
  [[nodiscard]] std::int64_t sum_of_weights() const;

  std::vector<Manager*> managers_;
  std::vector<std::int64_t> weights_;  ///< not all of them are 0
  /// Makes launches that are chosen for at the same time see each other; null if there is no choice.
  std::shared_ptr<std::mutex> choosing_;
};

}  // namespace pbrt::gpu
