// SPDX-License-Identifier: MIT
#include "runtime/gpu/manager/queue/submission.h"

#include <vector>

namespace pbrt::gpu {
namespace {

/// The tasks of one kernel execution, in order.
std::vector<Task> tasks_of(const JobPtr& job) {
  std::vector<Task> tasks = {PrepareTask{job}};
  for (std::size_t region = 0; region < job->plan.regions.size(); ++region)
    if (job->plan.regions[region].is_read) tasks.push_back(CopyInTask{job, region});
  job->num_copy_ins = static_cast<int>(tasks.size()) - 1;
  tasks.push_back(ExecuteTask{job});
  tasks.push_back(CompletionTask{job});
  return tasks;
}

}  // namespace

Outcome submit(Frame& frame, TaskQueue& queue, LaunchPlan plan, bool only_prefetch) {
  Outcome outcome;
  Suspension suspension(frame, queue.is_patient());
  auto job = std::make_shared<LaunchJob>();
  job->plan = std::move(plan);
  job->only_prefetch = only_prefetch;
  job->waiting.outcome = &outcome;
  job->waiting.waker = suspension.waker();
  queue.push_launch(tasks_of(job));
  job.reset();
  suspension.wait();
  return outcome;
}

void attach(const std::shared_ptr<Registry>& registry, LaunchRegion& region) {
  region.record = &StorageRecord::of(*region.storage.get(), region.view.element_bytes);
  region.home = &region.record->attach(registry);
}

}  // namespace pbrt::gpu
