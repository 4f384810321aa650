// SPDX-License-Identifier: MIT
#include "runtime/gpu/manager/queue/launches_under_way.h"

#include <memory>

#include "runtime/gpu/manager/operation.h"

namespace pbrt::gpu {
namespace {

/// Whether somebody waits for the end of the job, or it has more to do then.
bool is_awaited(const LaunchJob& job) { return job.waiting.waker.has_value() || job.has_late_reads; }

}  // namespace

void LaunchesUnderWay::keep(const JobPtr& job) {
  jobs_.push_back(job);
  if (is_awaited(*job)) ++num_awaited_;
}

std::deque<JobPtr>::const_iterator LaunchesUnderWay::first_ended() const {
  for (auto place = jobs_.begin(); place != jobs_.end(); ++place) {
    bool has_ended = true, waits_for_queue = false;
    for (const std::shared_ptr<Operation>& operation : (*place)->operations) {
      has_ended = has_ended && operation->is_applied;
      waits_for_queue = waits_for_queue || (!operation->is_applied && operation->order == CopyOrder::InQueue);
    }
    if (has_ended) return place;
    // What comes after it in the device's queue has not ended either, or is found when this one has.
    if (waits_for_queue) break;
  }
  return jobs_.end();
}

JobPtr LaunchesUnderWay::take_ended() {
  const auto place = first_ended();
  if (place == jobs_.end()) return nullptr;
  const JobPtr job = *place;
  jobs_.erase(place);
  if (is_awaited(*job)) --num_awaited_;
  return job;
}

}  // namespace pbrt::gpu
