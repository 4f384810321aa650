// SPDX-License-Identifier: MIT
#include "runtime/gpu/check/step_check.h"

#include <memory>
#include <string>
#include <utility>

#include "runtime/gpu/check/step_results.h"
#include "runtime/gpu/launch.h"

namespace pbrt::gpu {

StepResults& StepCheck::results() {
  if (StepResults* existing = results_.load(std::memory_order_acquire)) return *existing;
  auto made = std::make_unique<StepResults>();
  StepResults* expected = nullptr;
  // Release pairs with the acquire above; acquire on failure: the other thread's results are used.
  if (results_.compare_exchange_strong(expected, made.get(), std::memory_order_acq_rel, std::memory_order_acquire))
    return *made.release();
  return *expected;
}

void StepCheck::forget() {
  const std::unique_ptr<StepResults> owned(results_.exchange(nullptr, std::memory_order_acq_rel));
  for (const LaunchResults& launch : owned->launches) launch.device->not_compared();
}

void StepCheck::compare_results(Frame& frame, std::int64_t num_steps) {
  StepResults& all = *results_.load(std::memory_order_acquire);
  while (!all.launches.empty()) {
    const LaunchResults launch = std::move(all.launches.back());
    all.launches.pop_back();
    std::string difference;
    for (std::size_t i = 0; i < launch.parts.size() && difference.empty(); ++i) {
      const CheckedPart& part = launch.parts[i];
      const RegionRef region = part.stands_for ? part.stands_for->ref() : part.written.ref();
      need_on_host(frame, region);
      difference = first_difference(part, launch.cells[i], region.view, launch.rules.tolerance, num_steps);
    }
    if (difference.empty()) {
      launch.device->agreed();
    } else {
      launch.device->differed(*launch.kernel, difference, launch.rules.is_strict);
    }
  }
  const std::unique_ptr<StepResults> owned(results_.exchange(nullptr, std::memory_order_acq_rel));
}

}  // namespace pbrt::gpu
