// SPDX-License-Identifier: MIT
// One execution of a step whose results a device and the CPU both compute (`--verify-device`). Generated code has one
// per step that may run on a device:
//
//   pbrt::gpu::StepCheck check;
//   const bool has_run = step_on_device(…, check);       // run_checked keeps what the kernels wrote
//   if (!has_run || check.has_results()) {
//     step_on_cpu(…);                                    // the whole step, or what the device did not run
//     check.compare(frame);
//   }
//
// Light: generated code includes it. See Note [Steps that run twice] in run_checked.cpp.
#pragma once

#include <atomic>
#include <cstdint>

namespace pbrt {
class Frame;
}

namespace pbrt::gpu {

struct StepResults;  // step_results.h

/// Threads: several may run kernels of the step at the same time; the rest is for the one that has the step.
class StepCheck {
 public:
  StepCheck() = default;
  ~StepCheck() { drop(); }
  StepCheck(const StepCheck&) = delete;
  StepCheck& operator=(const StepCheck&) = delete;

  /// Whether results of kernels wait for those of the CPU. Never without `--verify-device`.
  [[nodiscard]] bool has_results() const { return results_.load(std::memory_order_acquire) != nullptr; }
  /// Compares the results with what the CPU has written in their place. If they differ, the kernel's version is not
  /// used any more on its device, which is one warning. `num_steps`: how many steps one after the other a launch stands
  /// for; each may err by the tolerance.
  ///
  /// Errors:  UserError instead if the run is strict; DeviceLost
  void compare(Frame& frame, std::int64_t num_steps = 1) {
    if (has_results()) [[unlikely]]
      compare_results(frame, num_steps);
  }

  /// Drops the results: something else will compute all that they are compared with.
  void drop() {
    if (has_results()) [[unlikely]]
      forget();
  }

  /// The results, made at the first call.
  [[nodiscard]] StepResults& results();

 private:
  void compare_results(Frame& frame, std::int64_t num_steps);
  void forget();

  std::atomic<StepResults*> results_{nullptr};  ///< owned
};

}  // namespace pbrt::gpu
