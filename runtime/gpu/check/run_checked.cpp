// SPDX-License-Identifier: MIT
#include "runtime/gpu/check/run_checked.h"

#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "runtime/gpu/check/step_results.h"
#include "runtime/gpu/manager.h"

namespace pbrt::gpu {
namespace {

/// Copies the cells of the parts that `is_wanted`; the others have none.
template <class Test>
std::vector<std::vector<std::byte>> keep(Frame& frame, const std::vector<CheckedPart>& parts, const Test& is_wanted) {
  std::vector<std::vector<std::byte>> out;
  for (const CheckedPart& part : parts) {
    std::vector<std::byte>& cells = out.emplace_back();
    if (!is_wanted(part)) continue;
    need_on_host(frame, part.written.ref());
    cells = cells_of(part.written.raw());
  }
  return out;
}

bool needs_earlier(const CheckedPart& part) { return part.is_read && !part.stands_for; }

void put_back(Frame& frame, const std::vector<CheckedPart>& parts, const std::vector<std::vector<std::byte>>& earlier) {
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!needs_earlier(parts[i])) continue;
    const RegionRef region = parts[i].written.ref();
    before_host_write(frame, region);
    put_cells(region.view, earlier[i]);
    wrote_on_host(frame, region);
  }
}

}  // namespace

bool run_checked(Launch& launch, StepCheck& check, const CheckRules& rules) {
  Frame& frame = frame_of(launch);
  LaunchResults results{&kernel_of(launch), nullptr, rules, checked_parts(launch), {}};
  if (results.parts.empty()) return launch.run();
  std::vector<std::vector<std::byte>> earlier;
  try {
    earlier = keep(frame, results.parts, needs_earlier);
  } catch (const std::bad_alloc&) {
    const bool has_run = launch.run();
    if (has_run) device_of(launch)->check()->not_compared();
    return has_run;
  }
  if (!launch.run()) return false;
  results.device = device_of(launch)->check();
  try {
    results.cells = keep(frame, results.parts, [](const CheckedPart&) { return true; });
  } catch (const std::bad_alloc&) {
    results.device->not_compared();
    return true;
  }
  put_back(frame, results.parts, earlier);
  StepResults& all = check.results();
  const std::lock_guard lock(all.mutex);
  all.launches.push_back(std::move(results));
  return true;
}

}  // namespace pbrt::gpu

// Note [Steps that run twice]
//
// The kernels of a step run first, and say that they have: so pieces follow each other, and no other device tries. What
// they wrote is copied aside, and what they may have read of it, be it through an input that is the same matrix, gets
// its earlier contents again (is_changed_in_place). Then the CPU version runs on all that the step's kernels had, as it
// does after a fallback, and writes the results that count. Compared is what both have written. The instances of a step
// that stand in different launches do not read each other's cells, so that a later piece finds what it would find
// without this.
//
// A number that a kernel writes has a matrix of its own, and its place on the host is not touched until the CPU writes
// it.
